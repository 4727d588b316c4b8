"""Tables of bonded interactions: what `mdrun -tableb` reads.

A table is a file such as `table_b0.xvg`, whose name ends with the kind of interaction (b, a or d) and
its number: columns are distance or angle, energy, and minus its derivative. Source: GROMACS manual,
"Tabulated interaction functions"; `forcetable.cpp` (read_tables, make_bonded_table) of GROMACS 2022.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy

from sterna.errors import SternaError
from sterna.importing.text import Line, lines_of, read_text

_COLUMNS = 3
#: Letters of files, and the angles in degrees that their tables must go over.
_LETTERS = {"bonds": "b", "angles": "a", "dihedrals": "d"}
_ANGLES = {"a": (0.0, 180.0), "d": (-180.0, 180.0)}
_UNEVEN = 0.005  #: largest difference of two steps relative to their sum, as in GROMACS
_FEWEST = 2


@dataclass(frozen=True)
class BondedTable:
    """nm or degrees, kJ/mol, and kJ/mol for each of these."""

    path: Path
    first: float
    last: float
    energies: tuple[float, ...]
    forces: tuple[float, ...]


class BondedTables:
    """The tables in the files that were named, or else in the folder of the topology."""

    def __init__(self, folder: Path, named: tuple[Path, ...] = ()) -> None:
        self._named = named
        self._folder = folder
        self._read: dict[str, BondedTable] = {}

    def find(self, section: str, number: int, line: Line, place: int | None) -> BondedTable:
        """The table of a line of `[ section ]`. Raises SternaError where there is none."""
        letter = _LETTERS[section]
        end = f"{letter}{number}.xvg"
        if end not in self._read:
            if self._named:
                found = [path for path in self._named if path.name.endswith(end)]
            else:
                path = self._folder / f"table_{end}"
                found = [path] if path.is_file() else []
            if not found:
                where = (
                    "expected one of the files of --table to end so"
                    if self._named
                    else f"expected table_{end} beside the topology, or its name by --table"
                )
                line.fail(place, f"there is no table {end} (mdrun -tableb); {where}")
            self._read[end] = _read(found[0], _ANGLES.get(letter))
        return self._read[end]


def _read(path: Path, angles: tuple[float, float] | None) -> BondedTable:
    """Raises SternaError with file and line for content that GROMACS refuses."""
    rows: list[list[float]] = []
    lines: list[Line] = []
    for line in lines_of(path, read_text(path)):
        fields = line.fields
        if fields[0].startswith("@"):
            continue
        if len(fields) != _COLUMNS:
            line.fail(
                None,
                f"a table has {_COLUMNS} columns: place, energy and force; here are {len(fields)}",
            )
        rows.append([line.number_at(fields, k, "a value of a table") for k in range(_COLUMNS)])
        lines.append(line)
    if len(rows) < _FEWEST:
        raise SternaError(f"{path}: error: a table of {len(rows)} lines; expected two or more", 2)
    x, energies, forces = numpy.array(rows).T
    first, last = (0.0, None) if angles is None else angles
    if x[0] != first:
        lines[0].fail(0, f"the table begins at {x[0]:g}; GROMACS expects {first:g}")
    if last is not None and x[-1] != last:
        lines[-1].fail(0, f"the table ends at {x[-1]:g}; GROMACS expects {last:g}")
    steps = numpy.diff(x)
    if not (steps > 0.0).all():
        lines[int(numpy.argmin(steps > 0.0)) + 1].fail(0, "the places of the table do not ascend")
    uneven = numpy.abs(numpy.diff(steps)) >= _UNEVEN * (steps[1:] + steps[:-1])
    if uneven.any():
        lines[int(numpy.argmax(uneven)) + 2].fail(
            0, "the places of the table are not evenly spaced"
        )
    if energies.any() and not forces.any():
        lines[0].fail(
            2,
            "all forces of the table are 0 and energies are not: GROMACS would make forces of its "
            "own; expected minus the derivative of the energy",
        )
    return BondedTable(path, float(x[0]), float(x[-1]), tuple(energies.tolist()),
                       tuple(forces.tolist()))  # fmt: skip
