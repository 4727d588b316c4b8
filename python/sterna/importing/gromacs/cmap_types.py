"""Tables of CMAP by the types, and residues, of five atoms.

Source: `toppush.cpp` (push_cmaptype, findCmapType) of GROMACS 2026. The first entry that matches
counts, forward only.
"""

from collections.abc import Container
from dataclasses import dataclass, field

from sterna.importing.gromacs.preprocessor import TopologyLine
from sterna.importing.notes import Notes

_MEMBERS = 5
_FINE = 24  #: rows of all force fields; GROMACS's splines are periodic to 1e-6 there


@dataclass(frozen=True)
class CmapType:
    names: tuple[str, ...]
    residues: tuple[str, ...]  #: "" and "*": any
    energy: tuple[float, ...]  #: kJ/mol; rows of one phi from -180 degrees on
    line: TopologyLine


@dataclass
class CmapTypes:
    types: list[CmapType] = field(default_factory=list)

    def add(
        self, line: TopologyLine, fields: list[str], known: Container[str], notes: Notes
    ) -> None:
        names, residues = [], []
        for place in range(_MEMBERS):
            if place >= len(fields):
                line.fail(place, "expected five types, the function type, two sizes and energies")
            name, _, residue = fields[place].partition("-")
            if name not in known:
                line.fail(place, f'unknown bonded type "{name}"')
            names.append(name)
            residues.append(residue)
        if any(residues) and not all(residues):
            line.fail(None, "expected residues for all five types of a CMAP or for none")
        line.integer_at(fields, _MEMBERS, "the function type", 1, 1)
        rows = line.integer_at(fields, 6, "the number of rows", 1, 10**4)
        columns = line.integer_at(fields, 7, "the number of columns", 1, 10**4)
        if rows != columns:
            line.fail(7, f"a CMAP has {rows} rows and {columns} columns; expected equal numbers")
        energy = fields[8:]
        if len(energy) != rows * columns:
            line.fail(
                min(len(fields), 8 + rows * columns),
                f"a CMAP of {rows} rows has {len(energy)} energies; expected {rows * columns}",
            )
        values = tuple(line.number_at(fields, 8 + k, "an energy") for k in range(len(energy)))
        if self.types and len(self.types[0].energy) != len(values):
            line.fail(6, "expected CMAPs of equal sizes, as GROMACS does")
        if rows < _FINE:
            notes.tell(
                f"a CMAP has fewer than {_FINE} rows: splines of GROMACS have ends, at which its forces "
                "are not those of a periodic spline, which Sterna has",
                line,
            )
        self.types.append(CmapType(tuple(names), tuple(residues), values, line))

    def find(self, names: tuple[str, ...], residues: tuple[str, ...]) -> CmapType | None:
        for one in self.types:
            if one.names == names and all(
                mine in ("", "*", given) for mine, given in zip(one.residues, residues, strict=True)
            ):
                return one
        return None
