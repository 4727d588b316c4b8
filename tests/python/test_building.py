"""`sterna new solvate`, `pack` and `replicate`: what they make runs and is what was asked for."""

import re
import tomllib
from pathlib import Path

import numpy
import pytest
from sterna import read, read_log
from sterna.building import pack
from sterna.frames.trajectory import Trajectory
from sterna.support.toml_text import toml_text
from trajectory_support import BUTANE, MIXTURE, WATER

SOURCES = {"water": WATER, "butane": BUTANE, "mixture": MIXTURE}


def distances_of_molecules(trajectory: Trajectory) -> float:
    """The least between atoms of different molecules in the first frame."""
    atoms = trajectory.atoms()
    at = atoms.at(trajectory[0])
    inverse, least = numpy.linalg.inv(at.edges), numpy.inf
    for n in range(len(atoms) - 1):
        d = at.position[n + 1 :] - at.position[n]
        d -= numpy.rint(d @ inverse) @ at.edges
        apart = atoms.residue[n + 1 :] != atoms.residue[n]
        least = min(least, numpy.sqrt((d**2).sum(axis=1))[apart].min(initial=numpy.inf))
    return least


def run_once(sterna, path, extra: str = "") -> Trajectory:
    """Runs an input for no step and returns its trajectory."""
    document = tomllib.loads(path.read_text())
    text = path.read_text()
    if document.pop("stage", None):
        text = toml_text(document)
    steps = next(line for line in text.splitlines() if line.startswith("steps"))
    interval = next((x for x in text.splitlines() if x.startswith("trajectory_interval")), None)
    text = text.replace(steps, "steps = 0")
    text = text.replace(interval, "trajectory_interval = 1") if interval else text
    path.write_text(text + extra)
    done = sterna("run", path.name, "-n", "2")
    assert done.returncode == 0, done.stdout + done.stderr
    return read(path.with_suffix("")).frames


@pytest.mark.parametrize("name", SOURCES)
def test_a_box_is_replicated_with_all_that_moves(sterna, runs, tmp_path, name):
    for file in runs.glob(f"{name}*"):
        (tmp_path / file.name).symlink_to(file)
    done = sterna("new", "replicate", f"{name}.toml", "2", "1", "3", "-o", "large.toml")
    assert done.returncode == 0, done.stdout + done.stderr
    small = Trajectory(runs / f"{name}.h5md")
    large = run_once(sterna, tmp_path / "large.toml")
    assert large.particle_count == 6 * small.particle_count
    assert numpy.allclose(large[0].edges, small[-1].edges * [[2], [1], [3]])
    before, now = read(runs / name).log, read(tmp_path / "large").log
    if name != "mixture":
        # Six times the energy: every neighbor is where it was, and everything moves as it did.
        for energy in ("potential_energy", "kinetic_energy"):
            expected = 6 * before[energy][-1]
            assert now[energy][0] == pytest.approx(expected, rel=1e-5), energy


def test_a_start_that_never_ran_is_replicated(sterna, tmp_path):
    (tmp_path / "mixture.toml").write_text(MIXTURE)
    done = sterna("new", "replicate", "mixture.toml", "1", "2", "1", "-o", "two.toml")
    assert done.returncode == 0, done.stdout + done.stderr
    assert run_once(sterna, tmp_path / "two.toml").particle_count == 216
    assert sorted(path.name for path in tmp_path.glob("tmp*")) == []
    done = sterna("new", "replicate", "mixture.toml", "1", "2", "1", "-o", "two.toml")
    assert done.returncode == 2 and "two.toml exists" in done.stderr
    done = sterna("new", "replicate", "none.toml", "1", "2", "1", "-o", "three.toml")
    assert done.returncode == 2 and "none.toml: expected an input in TOML" in done.stderr


def test_residues_keep_their_numbers_and_chains(sterna, runs, tmp_path):
    for file in runs.glob("butane_start*"):
        (tmp_path / file.name).symlink_to(file)
    chains = 'residue_numbers = "11:13 21:37"\nchains = "A:2 B:18"\ncount = 20'
    (tmp_path / "butane.toml").write_text(BUTANE.replace("count = 20", chains))
    done = sterna("new", "replicate", "butane.toml", "1", "2", "1", "-o", "two.toml")
    assert done.returncode == 0, done.stdout + done.stderr
    atoms = run_once(sterna, tmp_path / "two.toml").atoms()
    assert atoms.residue_number.tolist() == 2 * [11, 12, 13, *range(21, 38)]
    assert list(atoms.chain) == 2 * (["A"] * 2 + ["B"] * 18)
    done = sterna("new", "pack", "butane.toml=5", "--box", "4", "-o", "packed.toml")
    assert done.returncode == 0, done.stdout + done.stderr
    atoms = run_once(sterna, tmp_path / "packed.toml").atoms()
    assert atoms.residue_number.tolist() == [1, 2, 3, 4, 5]


OTHER = """\
units = "real"
[run]
steps = 10
timestep = 0.5
[start]
kind = "file"
file = "ethane.extxyz"
temperature = 300
[[type]]
name = "CH3"
mass = 15.035
epsilon = "98 K"
sigma = 3.75
[[molecule]]
name = "ethane"
count = 1
atom = [{ name = "C1", type = "CH3" }, { name = "C2", type = "CH3" }]
[[molecule.bond]]
potential = "harmonic"
stiffness = "520 kcal/mol/angstrom^2"
r0 = 1.54
atoms = [1, 2]
[interaction]
cutoff = 8.0
truncation = "truncated"
"""


def test_a_box_is_packed_without_overlaps(sterna, runs, tmp_path):
    for file in runs.glob("butane*"):
        (tmp_path / file.name).symlink_to(file)
    (tmp_path / "ethane.toml").write_text(OTHER)
    (tmp_path / "ethane.extxyz").write_text(
        '2\nLattice="20 0 0 0 20 0 0 0 20"\nCH3 1 1 1\nCH3 2.54 1 1\n'
    )
    done = sterna(
        "new", "pack", "butane.toml=60", "ethane.toml=40", "--box", "2.4", "2.5", "2.6",
        "--distance", "0.3", "-o", "liquid.toml",
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    sections = tomllib.loads((tmp_path / "liquid.toml").read_text())
    assert [m["count"] for m in sections["molecule"]] == [60, 40]
    assert [t["name"] for t in sections["type"]] == ["CH3", "CH2"]
    packed = run_once(sterna, tmp_path / "liquid.toml")
    assert packed.particle_count == 320
    assert distances_of_molecules(packed) >= 0.3 - 1e-9
    atoms = packed.atoms()
    position = atoms.at(packed[0]).position
    lengths = [numpy.linalg.norm(position[a] - position[b]) for a, b in atoms.bonds[:10]]
    assert lengths == pytest.approx([0.154] * 10, rel=1e-5)
    done = sterna(
        "new", "pack", "butane.toml=10", "--box", "0.6", "0.6", "0.6", "-o", "dense.toml",
    )  # fmt: skip
    assert done.returncode == 2
    assert "the box is too small: the nearest atoms of different molecules" in done.stderr
    # What fills more than the box is refused before anything is tried.
    done = sterna("new", "pack", "butane.toml=100000", "--box", "3", "-o", "dense.toml")
    assert done.returncode == 2
    assert re.search(r"the box is too small: molecules .* fill \d{4} % of it", done.stderr)
    assert not (tmp_path / "dense.toml").exists()


def test_the_part_of_a_box_that_molecules_fill():
    sites = numpy.array([[[0.0, 0.0, 0.0], [0.0, 0.0, 0.1]]])
    kind = pack.Kind(None, 50, ["A", "A"], sites, sites)
    # Two spheres of radius r at a distance d: 8 pi r^3/3 less their lens.
    r, d = 0.1, 0.1
    lens = numpy.pi * (2 * r - d) ** 2 * (d**2 + 4 * d * r) / (12 * d)
    expected = 50 * (8 * numpy.pi * r**3 / 3 - lens) / 8.0
    assert pack.filled([kind], numpy.full(3, 2.0), 2 * r) == pytest.approx(expected, rel=0.1)


#: A chain of beads that bonds hold together, in reduced units: the page `build-a-start` has it.
CHAIN = (Path(__file__).parents[2] / "docs/howto/build-a-start.md").read_text()
CHAIN = CHAIN[CHAIN.index("## Polymers") :].split("```toml\n")[1].split("```")[0]


def test_a_melt_of_polymers_is_packed_relaxed_and_runs(sterna, tmp_path):
    (tmp_path / "chain.toml").write_text(CHAIN)
    rows = [f"bead {0.97 * n!r} {0.3 * (n % 2)!r} 0.0" for n in range(10)]
    (tmp_path / "chain.extxyz").write_text(
        '10\nLattice="20 0 0 0 20 0 0 0 20" Properties=species:S:1:pos:R:3\n' + "\n".join(rows)
    )
    done = sterna("run", "chain.toml")
    assert done.returncode == 0, done.stdout + done.stderr
    shape = read(tmp_path / "chain").frames[-1].position
    assert abs(numpy.diff(shape, axis=0)[:, 2]).max() > 0.1  # it is no line any more
    done = sterna("new", "pack", "chain.toml=40", "--box", "11", "-o", "melt.toml")
    assert done.returncode == 0, done.stdout + done.stderr
    text = (tmp_path / "melt.toml").read_text()
    assert tomllib.loads(text)["start"]["temperature"] == 1.0
    (tmp_path / "melt.toml").write_text(text.replace("steps = 2000", "steps = 500"))
    done = sterna("run", "melt.toml", "-n", "2")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "stage minimize (1 of 2)" in done.stdout
    melt = read(tmp_path / "melt.produce").frames
    assert melt.particle_count == 400
    position = melt.atoms().at(melt[-1]).position
    bonds = melt.atoms().bonds
    assert len(bonds) == 40 * 9
    lengths = numpy.linalg.norm(position[bonds[:, 0]] - position[bonds[:, 1]], axis=1)
    # At a temperature of 1 a spring of 800 moves by 1 / sqrt(800).
    assert lengths.mean() == pytest.approx(0.97, abs=0.02)
    assert lengths.std() == pytest.approx(800**-0.5, rel=0.3)


def test_a_box_of_a_staged_input_is_relaxed_and_has_its_stages(sterna, tmp_path):
    # The time step is that of the stages alone, as `sterna new polymer` writes it.
    chain = CHAIN.replace("timestep = 0.005\n", "")
    chain += '[[stage]]\nname = "warm"\n[stage.run]\ntimestep = 0.004\nsteps = 30\n'
    chain += '[[stage]]\nname = "produce"\n[stage.run]\ntimestep = 0.005\nsteps = 20\n'
    (tmp_path / "chain.toml").write_text(chain)
    (tmp_path / "chain.extxyz").write_text(
        '10\nLattice="20 0 0 0 20 0 0 0 20"\n' + "".join(f"bead {n} 0 0\n" for n in range(10))
    )
    done = sterna("new", "pack", "chain.toml=4", "--box", "14", "-o", "packed.toml")
    assert done.returncode == 0, done.stderr
    stages = tomllib.loads((tmp_path / "packed.toml").read_text())["stage"]
    assert [stage["name"] for stage in stages] == ["minimize", "warm", "produce"]
    assert [stage["run"]["timestep"] for stage in stages] == [0.004, 0.004, 0.005]
    done = sterna("run", "packed.toml", "-n", "1")
    assert done.returncode == 0, done.stderr
    # Once it minimizes itself, nothing is put before it.
    done = sterna("new", "pack", "packed.toml=4", "--box", "14", "-o", "again.toml")
    assert done.returncode == 0, done.stderr
    stages = tomllib.loads((tmp_path / "again.toml").read_text())["stage"]
    assert [stage["name"] for stage in stages] == ["minimize", "warm", "produce"]


def test_rigid_molecules_are_packed(sterna, runs, tmp_path):
    for file in runs.glob("water*"):
        (tmp_path / file.name).symlink_to(file)
    done = sterna(
        "new", "pack", "water.toml=80", "--box", "1.6,1.6,1.6", "--distance", "0.17", "-o",
        "box.toml",
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    packed = run_once(sterna, tmp_path / "box.toml")
    assert distances_of_molecules(packed) >= 0.17 - 1e-9


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["butane.toml"], "expected INPUT.TOML=COUNT"),
        (["butane.toml=0"], "expected INPUT.TOML=COUNT"),
        (["mixture.toml=5"], "expected an input with one kind of molecule"),
        (["butane.toml=5", "water.toml=5"], "have different units"),
        (["chain.toml=2", "--temperature", "300 K"], "expected a number, as chain.toml is in"),
    ],
)
def test_what_cannot_be_packed_is_told(sterna, runs, tmp_path, arguments, message):
    for file in runs.iterdir():
        (tmp_path / file.name).symlink_to(file)
    (tmp_path / "chain.toml").write_text(CHAIN)
    (tmp_path / "chain.extxyz").write_text(
        '10\nLattice="20 0 0 0 20 0 0 0 20"\n' + "".join(f"bead {n} 0 0\n" for n in range(10))
    )
    done = sterna("new", "pack", *arguments, "--box", "3", "3", "3", "-o", "out.toml")
    assert done.returncode == 2
    assert message in done.stderr, done.stderr


def test_water_with_salt_is_neutral_and_runs(sterna, tmp_path):
    pytest.importorskip("openmm")
    done = sterna(
        "new", "solvate", "--box", "1.8", "--water", "spce", "--salt", "0.6",
        "--cutoff", "0.8", "-o", "brine.toml",
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    sections = tomllib.loads((tmp_path / "brine.toml").read_text())
    counts = {m["name"]: m["count"] for m in sections["molecule"]}
    assert counts["NA"] == counts["CL"] > 0
    # A share of the places of water at 55.4 mol/l.
    assert counts["NA"] == round(0.6 * (counts["HOH"] + 2 * counts["NA"]) / 55.4)
    charge = sum(m["count"] * sum(a["charge"] for a in m["atom"]) for m in sections["molecule"])
    assert charge == pytest.approx(0.0, abs=1e-9)
    # Joung and Cheatham 2008, for SPC/E: Rmin/2 and epsilon of sodium in angstrom and kcal/mol.
    types = {t["name"]: t for t in sections["type"]}
    assert types["Na1"]["sigma"] == pytest.approx(2 * 0.1212 / 2 ** (1 / 6), rel=1e-4)
    assert types["Na1"]["epsilon"] == pytest.approx(0.3526418 * 4.184, rel=1e-6)
    text = (tmp_path / "brine.toml").read_text()
    names = [stage["name"] for stage in sections["stage"]]
    assert names == ["minimize", "heat", "equilibrate", "produce"]
    assert sections["stage"][1]["thermostat"]["end_temperature"] == 300.0
    (tmp_path / "brine.toml").write_text(re.sub("steps = [0-9]+", "steps = 40", text))
    done = sterna("run", "brine.toml", "-n", "2")
    assert done.returncode == 0, done.stdout + done.stderr
    rows = read_log(tmp_path / "output" / "brine.heat.log.jsonl").rows
    assert rows[0]["temperature"] == pytest.approx(50.0, rel=0.05)
    rows = read_log(tmp_path / "output" / "brine.produce.log.jsonl").rows
    assert rows[-1]["step"] == 40 and rows[-1]["temperature"] < 400
    done = sterna("new", "solvate", "-o", "none.toml")
    assert done.returncode == 2 and "expected a structure, or --box" in done.stderr


def test_a_solute_is_put_into_water(sterna, tmp_path):
    pytest.importorskip("openmm")
    (tmp_path / "ion.pdb").write_text(
        "CRYST1   10.000   10.000   10.000  90.00  90.00  90.00 P 1           1\n"
        "HETATM    1 CL    CL A   1       5.000   5.000   5.000  1.00  0.00          CL\nEND\n"
    )
    done = sterna(
        "new", "solvate", "ion.pdb", "--force-field", "amber14-all.xml", "--padding", "0.7",
        "--cutoff", "0.6", "-o", "ion.toml",
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    sections = tomllib.loads((tmp_path / "ion.toml").read_text())
    counts = {m["name"]: m["count"] for m in sections["molecule"]}
    assert counts["CL"] == counts["NA"] == 1 and counts["HOH"] > 20
    assert sterna("check", "ion.toml").returncode == 0
    done = sterna("new", "solvate", "ion.pdb", "-o", "x.toml")
    assert done.returncode == 2 and "expected --force-field for ion.pdb" in done.stderr
