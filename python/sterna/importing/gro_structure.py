"""A GRO file as a structure of OpenMM, for a force field by name.

OpenMM finds bonds and templates by the names that PDB files have, so that the atoms are given to its
reader as the text of one. Places keep the digits of the GRO file.
"""

import io
from pathlib import Path
from typing import Any

import numpy

from sterna.errors import SternaError
from sterna.importing.gromacs.coordinates import Coordinates, read_gro

_PEPTIDE = 0.2  #: nm; a longer distance from C to N begins a new chain
_NAME = 4  # columns of an atom's name in PDB
_MOST_NUMBER, _MOST_ATOM = 10000, 100000


class GroStructure:
    """A structure with the methods of OpenMM's readers that imports use. Raises SternaError with
    file and line.
    """

    def __init__(self, path: Path, openmm: Any) -> None:
        self._openmm = openmm
        self.coordinates = read_gro(path)
        found = openmm.app.PDBFile(io.StringIO(_pdb_text(self.coordinates)))
        self.topology = found.topology
        box = self.coordinates.box
        if box is not None:
            self.topology.setPeriodicBoxVectors(box * openmm.unit.nanometer)

    def getPositions(self, asNumpy: bool = True) -> Any:  # noqa: ARG002, N802, N803 - as OpenMM's
        """(atoms, 3)."""
        return self.coordinates.positions * self._openmm.unit.nanometer

    def getNumFrames(self) -> int:  # noqa: N802 - as OpenMM's
        """Returns the number of frames in the file."""
        return self.coordinates.frames


def _pdb_text(found: Coordinates) -> str:
    """Atoms with their residues; TER where a chain ends."""
    lines: list[str] = []
    starts = [
        n for n in range(len(found.names))
        if n == 0 or _residue(found, n) != _residue(found, n - 1)
    ]  # fmt: skip
    before = 0
    for first, end in zip(starts, [*starts[1:], len(found.names)], strict=True):
        number, name = _residue(found, first)
        if first and not _are_joined(found, before, first, end):
            lines.append("TER")
        before = first
        for n in range(first, end):
            # These positions serve only for the distances of sulfur atoms.
            x, y, z = numpy.clip(10.0 * found.positions[n], -999.0, 9999.0).tolist()
            atom = found.names[n]
            if len(atom) > _NAME or len(name) > _NAME:
                raise SternaError(
                    f"{found.path}:{n + 3}: error: {atom} of {name} has a name of five characters, which "
                    "force fields of OpenMM do not have; expected four at most, as in PDB files",
                    2,
                )
            atom = atom if len(atom) >= _NAME else f" {atom}"
            lines.append(
                f"ATOM  {(n + 1) % _MOST_ATOM:5d} {atom:<4} {name:<4}A"
                f"{(number or 0) % _MOST_NUMBER:4d}    {x:8.3f}{y:8.3f}{z:8.3f}"
            )
    return "\n".join([*lines, "END", ""])


def _residue(found: Coordinates, atom: int) -> tuple[int | None, str]:
    return found.residue_numbers[atom], found.residues[atom]


def _are_joined(found: Coordinates, before: int, first: int, end: int) -> bool:
    """Whether a peptide bond joins a residue, atoms `first` to `end`, to that from `before` on."""
    c = [n for n in range(before, first) if found.names[n] == "C"]
    n = [k for k in range(first, end) if found.names[k] == "N"]
    if not c or not n:
        return False
    d = found.positions[n[0]] - found.positions[c[0]]
    if found.box is not None:
        d -= numpy.rint(d @ numpy.linalg.inv(found.box)) @ found.box
    return bool(numpy.linalg.norm(d) < _PEPTIDE)
