"""Flexible molecules through the `sterna` command: files of molecules, restarts, errors."""

import shutil

import h5py
import numpy
import pytest
from conftest import ROOT
from sterna import read_log

BUTANE = ROOT / "examples" / "butane.toml"


@pytest.fixture
def butane(tmp_path):
    """Writes the example, changed, as butane.toml beside its start file."""
    shutil.copy(BUTANE.with_suffix(".extxyz"), tmp_path)

    def write(*changes, steps=20):
        text = BUTANE.read_text()
        for old, new in (("steps = 3000", f"steps = {steps}"), *changes):
            assert old in text
            text = text.replace(old, new)
        (tmp_path / "butane.toml").write_text(text)

    return write


def rows(folder):
    return read_log(folder / "output" / "butane.log.jsonl").rows


def split(text):
    """The example without its molecule, and the molecule as a file of its own."""
    begin, end = text.index("[[molecule]]"), text.index("[interaction]")
    molecule = text[begin:end]
    named = '[[molecule]]\nname = "butane"\ncount = 144\n'
    inside = molecule.replace(named, "").replace("[[molecule.", "[[")
    return text[:begin] + named + 'file = "butane.molecule"\n\n' + text[end:], inside


def test_a_molecule_in_a_file_of_its_own_is_the_same(sterna, butane, tmp_path):
    butane()
    assert sterna("run", "butane.toml", "-n", 2).returncode == 0
    expected = rows(tmp_path)
    whole, molecule = split((tmp_path / "butane.toml").read_text())
    (tmp_path / "butane.toml").write_text(whole)
    (tmp_path / "butane.molecule").write_text(molecule)
    done = sterna("run", "butane.toml", "-n", 2, "--overwrite")
    assert done.returncode == 0, done.stderr
    assert [row["total_energy"] for row in rows(tmp_path)] == [
        row["total_energy"] for row in expected
    ]
    # An error in it names that file, on every number of ranks once.
    (tmp_path / "butane.molecule").write_text(molecule.replace("[3, 4]]", "[3, 5]]"))
    done = sterna("run", "butane.toml", "-n", 3, "--overwrite")
    assert done.returncode == 2
    assert done.stderr.count("there is no atom 5 in this molecule, which has 4") == 1
    assert "butane.molecule:" in done.stderr


def test_a_run_goes_on_with_another_number_of_ranks(sterna, butane, tmp_path):
    butane(steps=40)
    assert sterna("run", "butane.toml", "-n", 2).returncode == 0
    butane(steps=60)
    done = sterna("run", "butane.toml", "-n", 3, "--resume")
    assert done.returncode == 0, done.stderr
    butane(("theta0 = 114", "theta0 = 112"), steps=80)
    done = sterna("run", "butane.toml", "-n", 2, "--resume")
    assert done.returncode != 0
    assert "a [[molecule]] has another content than when the run began" in done.stderr


def test_a_start_of_another_size_is_an_error(sterna, butane, tmp_path):
    butane(("count = 144", "count = 143"))
    message = 'the start has 576 particles, and the molecules have 572 atoms: 143 of "butane" (4)'
    done = sterna("check", "butane.toml")
    assert done.returncode == 2
    assert message in done.stdout + done.stderr
    done = sterna("run", "butane.toml", "-n", 2)
    assert done.returncode != 0
    assert done.stderr.count(message) == 1


def test_atoms_in_another_order_are_an_error(sterna, butane, tmp_path):
    butane()
    start = tmp_path / "butane.extxyz"
    lines = start.read_text().splitlines()
    lines[3], lines[5] = lines[5], lines[3]
    start.write_text("\n".join(lines) + "\n")
    done = sterna("run", "butane.toml", "-n", 2)
    assert done.returncode != 0
    assert 'atom 2 (C2, id 2) of molecule 1 (butane) is of type "CH3" at the start' in done.stderr


def test_the_trajectory_has_names_molecules_and_bonds(sterna, butane, tmp_path):
    butane(("trajectory_interval = 1000", "trajectory_interval = 20"))
    assert sterna("run", "butane.toml", "-n", 3).returncode == 0
    with h5py.File(tmp_path / "output" / "butane.h5md") as file:
        particles = file["particles/trajectory"]
        names = h5py.check_enum_dtype(particles["atom_name"].dtype)
        by_number = {number: name for name, number in names.items()}
        assert [by_number[n] for n in particles["atom_name"][:5]] == ["C1", "C2", "C3", "C4", "C1"]
        assert particles["molecule"][:].tolist() == [1 + k // 4 for k in range(576)]
        bonds = file["connectivity/bonds"]
        assert file[bonds.attrs["particles_group"]] == particles
        assert bonds.shape == (3 * 144, 2)
        # Ids of bonded atoms, which are as far apart as bonds are long.
        place = dict(zip(particles["id"][:], particles["position/value"][-1], strict=True))
        edges = particles["box/edges/value"][-1]
        for first, second in bonds[:]:
            d = place[first] - place[second]
            d -= edges * numpy.round(d / edges)
            assert numpy.linalg.norm(d) == pytest.approx(0.154, abs=0.03)
