"""`sterna import --model`: atoms of rigid molecules become orientations."""

import gzip
import subprocess
import tomllib

import numpy
import pytest
from conftest import sterna_command, sterna_environment
from sterna import read
from sterna.frames.configuration import read_extended_xyz
from trajectory_support import EDGES

pytest.importorskip("MDAnalysis")


def run(folder, *arguments: object) -> subprocess.CompletedProcess:
    return subprocess.run(
        sterna_command(*arguments), cwd=folder, env=sterna_environment(), capture_output=True,
        text=True, check=False,
    )  # fmt: skip


@pytest.mark.parametrize(("suffix", "tolerance"), [("gro", 2e-3), ("pdb", 2e-4), ("gro.gz", 2e-3)])
def test_water_of_a_file_is_the_water_of_the_run(runs, tmp_path, suffix, tolerance):
    plain = tmp_path / f"w.{suffix.removesuffix('.gz')}"
    assert run(tmp_path, "export", runs / "water", plain, "--frames", "-1").returncode == 0
    given = tmp_path / f"w.{suffix}"
    if given != plain:
        given.write_bytes(gzip.compress(plain.read_bytes()))
    done = run(tmp_path, "import", given, "--model", "water=spce", "-o", "in.toml", "--cutoff", 0.6)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "64 H2O (spce)" in done.stdout
    # For one frame; with the reaction field of the run that the file came from.
    sections = tomllib.loads((tmp_path / "in.toml").read_text())
    assert sections["electrostatics"]["kind"] == "fmm"
    text = (tmp_path / "in.toml").read_text()
    text = text.replace("steps = 10000", "steps = 0").replace(
        "trajectory_interval = 1000", "trajectory_interval = 1"
    )
    text = text[: text.index("[electrostatics]")].replace(
        "tail_correction = true", 'electrostatics = "reaction_field"'
    )
    (tmp_path / "in.toml").write_text(text)
    done = run(tmp_path, "run", "in.toml", "-n", 1)
    assert done.returncode == 0, done.stdout + done.stderr
    before, now = read(runs / "water").frames, read(tmp_path / "output" / "in").frames
    expected = before.atoms().at(before[-1])
    found = now.atoms().at(now[0])
    assert numpy.allclose(found.edges, EDGES, atol=tolerance)
    # Which hydrogen is which nobody can tell.
    for row in (slice(0, None, 3), None):
        a, b = expected.position, found.position
        if row is None:
            a = a.reshape(64, 3, 3)[:, 1:].mean(axis=1)
            b = b.reshape(64, 3, 3)[:, 1:].mean(axis=1)
        else:
            a, b = a[row], b[row]
        d = a - b
        d -= numpy.rint(d @ numpy.linalg.inv(EDGES)) @ EDGES
        assert abs(d).max() < tolerance
    energy = read(runs / "water").log["potential_energy"][-1]
    assert read(tmp_path / "output" / "in").log["potential_energy"][0] == pytest.approx(
        energy, rel=0.05
    )


def gro(residues: list[tuple[str, list[tuple[str, list[float]]]]], box: str = "3 3 3") -> str:
    lines, n = [], 0
    for number, (name, atoms) in enumerate(residues, 1):
        for atom, place in atoms:
            n += 1
            x, y, z = place
            lines.append(f"{number:5d}{name:<5}{atom:>5}{n:5d}{x:8.3f}{y:8.3f}{z:8.3f}")
    return "\n".join(["made", f"{n:5d}", *lines, box]) + "\n"


# SPC/E lying in the plane z = 1, and CO2 of TraPPE (0.116 nm) along x.
WATER = ("SOL", [("OW", [1, 1, 1]), ("HW1", [1.1, 1, 1]), ("HW2", [0.967, 1.094, 1])])
CO2 = ("CO2", [("C", [2, 2, 2]), ("O1", [2.116, 2, 2]), ("O2", [1.884, 2, 2])])
TIP4P = ("SOL", [("OW", [1, 1, 1]), ("HW1", [1.0957, 1, 1]), ("HW2", [0.976, 1.0927, 1]),
                 ("MW", [1.008, 1.011, 1])])  # fmt: skip


def test_mixtures_and_sites_without_mass(tmp_path):
    (tmp_path / "mix.gro").write_text(gro([WATER, CO2, WATER]))
    done = run(
        tmp_path, "import", "mix.gro", "--model", "SOL=spce", "--model",
        "CO2=carbon_dioxide_trappe", "-o", "mix.toml",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    start = read_extended_xyz(tmp_path / "mix.extxyz")
    assert start.species == ["SOL", "CO2", "SOL"]
    assert start.positions[1] == pytest.approx([2, 2, 2], abs=1e-3)
    center = numpy.average([place for _, place in WATER[1]], axis=0, weights=[15.999, 1.008, 1.008])
    assert start.positions[0] == pytest.approx(center, abs=1e-3)
    assert run(tmp_path, "check", "mix.toml").returncode == 0
    (tmp_path / "four.gro").write_text(gro([TIP4P, (TIP4P[0], TIP4P[1][:3])]))
    done = run(tmp_path, "import", "four.gro", "--model", "water=tip4p_2005", "-o", "four.toml")
    assert done.returncode == 0, done.stderr
    four = read_extended_xyz(tmp_path / "four.extxyz")
    assert four.orientations[0] == pytest.approx(four.orientations[1])


# The file, the options, and what the message must say.
BROKEN = {
    "unnamed.gro": (
        gro([WATER, CO2]), ["water=spce"], "nothing says what CO2 is, first residue CO2 2",
    ),
    "short.gro": (
        gro([WATER, ("SOL", WATER[1][:2])]), ["water=spce"],
        "residue SOL 2 has the atoms OW HW1; expected those of the model spce: O H H",
    ),
    "bent.gro": (
        gro([WATER, ("SOL", [*WATER[1][:2], ("HW2", [0.9, 1, 1])])]), ["water=spce"],
        "residue SOL 2 differs by 0.0",
    ),
    "other.gro": (gro([CO2]), ["CO2=spce"], "expected those of the model spce: O H H"),
    "boxless.pdb": (
        "ATOM      1  O   HOH A   1      10.000  10.000  10.000  1.00  0.00           O\nEND\n",
        ["water=spce"], "boxless.pdb has no box; expected a CRYST1 line",
    ),
    "flat.gro": (gro([WATER], "0 0 0"), ["water=spce"], "flat.gro has no box"),
    "cut.gro": ("\n".join(gro([WATER] * 9).splitlines()[:9]) + "\n", ["water=spce"],
                "cut.gro:9:5: error: the file ends after 9 lines"),
    "empty.gro": ("", ["water=spce"], "empty.gro: error: expected a title"),
    "text.gro": ("this is\nno structure\n", ["water=spce"], "text.gro: error: expected a title"),
    "water.foo": (gro([WATER]), ["water=spce"], "MDAnalysis cannot read"),
    "model.gro": (gro([WATER]), ["water=spc/e"], "there is no model 'spc/e'; did you mean 'spce'? (there are: argon"),
    "option.gro": (gro([WATER]), ["spce"], "--model spce: expected RESIDUE=MODEL"),
    "alone.gro": (gro([WATER]), [], "expected a .top of GROMACS too, or a --force-field"),
    "alone.pdb": ("END\n", [], "or, for rigid molecules, --model water=spce"),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_structure_has_a_message_that_helps(tmp_path, name):
    text, models, message = BROKEN[name]
    (tmp_path / name).write_text(text)
    options = [word for model in models for word in ("--model", model)]
    done = run(tmp_path, "import", name, *options, "-o", "out.toml")
    assert done.returncode == 2, done.stdout + done.stderr
    assert message in done.stderr, done.stderr
    assert not (tmp_path / "out.toml").exists()
