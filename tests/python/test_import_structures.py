"""Structures without a topology: a force field by name, boxes, frames and digits of the file."""

import re
import shutil
import subprocess
import tomllib

import numpy
import pytest
from conftest import ROOT, sterna_command, sterna_environment

pytest.importorskip("openmm")
pytest.importorskip("MDAnalysis")

FORCE_FIELD = ["--force-field", "amber14-all.xml", "--force-field", "amber14/tip3p.xml"]
MODEL = ["--model", "water=spce"]
WATER = numpy.array([[0.1, 0.1, 0.1], [0.195712345678, 0.1, 0.1], [0.076, 0.192701234567, 0.1]])


def gro(count=2, decimals=3, box="3 3 3", name="SOL"):
    """Molecules of water along x, 0.4 nm apart."""
    lines = ["water", str(3 * count)]
    for k in range(count):
        for n, atom in enumerate(("OW", "HW1", "HW2")):
            place = WATER[n] + [0.4 * k, 0.0, 0.0]
            lines.append(f"{k + 1:5d}{name:<5}{atom:>5}{3 * k + n + 1:5d}"
                         + "".join(f"{x:{decimals + 5}.{decimals}f}" for x in place))  # fmt: skip
    return "\n".join([*lines, box, ""])


def pdb(cryst1="   30.000   30.000   30.000  90.00  90.00  90.00", models=1):
    lines = [f"CRYST1{cryst1} P 1           1"] if cryst1 else []
    for model in range(models):
        lines += [f"MODEL     {model + 1:4d}"] * (models > 1)
        for n, (atom, element) in enumerate((("O", "O"), ("H1", "H"), ("H2", "H")), 1):
            x, y, z = 10.0 * WATER[n - 1] + 5.0 * model
            lines.append(f"HETATM{n:5d}  {atom:<3} HOH A   1    {x:8.3f}{y:8.3f}{z:8.3f}  1.00  0.00"
                         f"          {element:>2}")  # fmt: skip
        lines += ["ENDMDL"] * (models > 1)
    return "\n".join([*lines, "END", ""])


def imported(folder, name, text, *options, status=0):
    (folder / name).write_text(text)
    done = subprocess.run(
        sterna_command("import", name, *map(str, options), "-o", "out.toml"), cwd=folder,
        env=sterna_environment(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == status, done.stdout + done.stderr
    assert (folder / "out.toml").exists() == (status == 0)
    return done.stdout + done.stderr


def start(folder):
    """Box and places, by the digits that were written."""
    lines = (folder / "out.extxyz").read_text().splitlines()
    box = numpy.array(re.search(r'Lattice="(.*?)"', lines[1])[1].split(), float).reshape(3, 3)
    return box, numpy.array([line.split()[1:4] for line in lines[2:]], float)


@pytest.mark.parametrize("options", [FORCE_FIELD, MODEL])
@pytest.mark.parametrize(
    ("name", "text", "apart", "most"),
    [
        ("a.gro", gro(box="1.8 3 3"), "1.8", "0.9"),
        ("a.pdb", pdb("   30.000   30.000   15.010  90.00  90.00  90.00"), "1.501", "0.75"),
        # The edges are long enough, and two faces are not.
        ("a.gro", gro(box="2.1 2.1 2.1 0 0 1 0 0 1"), "1.8", "0.9"),
    ],
)
def test_a_box_below_twice_the_cutoff_says_cutoff(name, text, apart, most, options, tmp_path):
    said = imported(tmp_path, name, text, *options, status=2)
    found = re.search(
        r"two faces of the box are (\S+) nm apart, less than twice the cutoff of 1 nm; expected "
        r"--cutoff of at most (\S+),", said,
    )  # fmt: skip
    assert found and found[1].startswith(apart) and float(found[2]) <= float(found[1]) / 2, said
    assert found[2].startswith(most)
    imported(tmp_path, name, text, *options, "--cutoff", found[2])


@pytest.mark.parametrize("options", [FORCE_FIELD, MODEL])
@pytest.mark.parametrize(
    ("name", "text"),
    [("a.gro", gro(box="0 0 0")), ("a.pdb", pdb("")),
     # What the PDB wants to have where there is no crystal.
     ("a.pdb", pdb("    1.000    1.000    1.000  90.00  90.00  90.00"))],
)  # fmt: skip
def test_without_a_box_it_is_given(name, text, options, tmp_path):
    said = imported(tmp_path, name, text, *options, status=2)
    assert f"{name} has no box" in said and "--box 4,4,4" in said
    imported(tmp_path, name, text, *options, "--box", "3,3.5,4")
    assert (start(tmp_path)[0] == numpy.diag([3.0, 3.5, 4.0])).all()


@pytest.mark.parametrize("decimals", [2, 3, 6, 12])
def test_places_have_all_digits_of_the_file(decimals, tmp_path):
    imported(tmp_path, "a.gro", gro(decimals=decimals), *FORCE_FIELD)
    expected = numpy.concatenate([WATER, WATER + [0.4, 0.0, 0.0]])
    assert numpy.abs(start(tmp_path)[1] - expected).max() <= 0.51 * 10.0**-decimals
    assert (start(tmp_path)[1] == numpy.round(expected, decimals)).all()


def test_a_triclinic_box_has_all_digits(tmp_path):
    box = "3.123456789012 3.2 3.3 0 0 1.234567890123 0 0.1 -0.7"
    imported(tmp_path, "a.gro", gro(box=box), *MODEL)
    assert start(tmp_path)[0].ravel().tolist() == [
        3.123456789012, 0, 0, 1.234567890123, 3.2, 0, 0.1, -0.7, 3.3,
    ]  # fmt: skip


@pytest.mark.parametrize("options", [FORCE_FIELD, MODEL])
@pytest.mark.parametrize(
    ("name", "text"), [("a.gro", gro() + gro(box="4 4 4")), ("a.pdb", pdb(models=2))]
)
def test_the_first_frame_is_taken_and_told(name, text, options, tmp_path):
    said = imported(tmp_path, name, text, *options)
    assert f"{name} has 2 frames or models, of which the first is taken" in said
    box, places = start(tmp_path)
    assert box[0, 0] == 3.0 and places[0, 0] < 0.2


@pytest.mark.parametrize("options", [FORCE_FIELD, MODEL])
@pytest.mark.parametrize("more", ["and more\n", gro()[:-30], "title\n-1\n"])
def test_text_behind_the_box_is_an_error_with_its_place(more, options, tmp_path):
    said = imported(tmp_path, "a.gro", gro() + more, *options, status=2)
    assert "a.gro:10:1: error: unexpected text behind the box" in said, said


def test_names_that_force_fields_do_not_have_are_told(tmp_path):
    text = gro().replace("  HW2    3", "HW234    3")
    said = imported(tmp_path, "a.gro", text, *FORCE_FIELD, status=2)
    assert "a.gro:5: error: HW234 of SOL has a name of five characters" in said
    said = imported(tmp_path, "a.gro", gro(name="LIG"), *FORCE_FIELD, status=2)
    assert "a.gro" in said and "LIG" in said


def test_options_for_atoms_are_refused_beside_a_model(tmp_path):
    for option in (["--constraints", "all"], ["--include", "."], ["--define", "A"]):
        said = imported(tmp_path, "a.gro", gro(), *MODEL, *option, status=2)
        assert f"{option[0]} is for atoms, and --model for rigid molecules" in said


def test_a_gro_with_a_force_field_is_the_system_that_it_was(tmp_path):
    """A peptide and water that the same force field made: every parameter comes back."""
    shutil.copytree(ROOT / "examples", tmp_path, dirs_exist_ok=True)
    text = (tmp_path / "peptide.toml").read_text().replace("steps = 400", "steps = 0")
    (tmp_path / "peptide.toml").write_text(
        text.replace("[output]\n", "[output]\ntrajectory_interval = 1\n")
    )
    for arguments in (
        ["run", "peptide.toml", "-n", "1"],
        ["export", "peptide.toml", "peptide.gro"],
    ):
        done = subprocess.run(
            sterna_command(*arguments), cwd=tmp_path, env=sterna_environment(),
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
    lines = (tmp_path / "peptide.gro").read_text().splitlines()
    # The example has no residues: each begins with its nitrogen atom.
    residue = 0
    for n in range(2, 77):
        residue += lines[n][10:15].strip() == "N"
        name = ("TYR", "GLY", "GLY", "PHE", "MET")[residue - 1]
        lines[n] = f"{residue:5d}{name:<5}{lines[n][10:]}"
    text = "\n".join(lines).replace("water", "SOL  ") + "\n"
    said = imported(tmp_path, "peptide.gro", text, *FORCE_FIELD, "--cutoff", 0.9, "--compare")
    assert "judge: OpenMM" in said
    before, after = (
        tomllib.loads((tmp_path / f"{n}.toml").read_text()) for n in ("peptide", "out")
    )
    assert [one["count"] for one in after["molecule"]] == [1, 321]
    assert {one["mass"] for one in after["type"]} == {one["mass"] for one in before["type"]}
    first = tomllib.loads((tmp_path / "molecules" / "enkephalin.toml").read_text())
    second = tomllib.loads((tmp_path / after["molecule"][0]["file"]).read_text())
    assert [a["charge"] for a in first["atom"]] == [a["charge"] for a in second["atom"]]
    for section in ("bond", "angle", "torsion", "special_pair"):
        assert len(first[section]) == len(second[section]), section
