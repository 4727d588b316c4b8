"""The atoms of a data file, in the order of their ids, or the atoms of a lattice."""

from dataclasses import dataclass, field

import numpy

from sterna.importing.lammps.data_file import ATOM_STYLES, LARGEST_ID, DataFile
from sterna.importing.text import Line

_MOST_BOXES = 1000.0  # away from the box


@dataclass
class AtomTable:
    """The table of atoms, with one entry, or row, for each; positions are relative to the corner of
    the box.
    """

    ids: list[int]
    types: list[int]  #: types from 1
    molecules: list[int]
    charges: list[float]
    positions: numpy.ndarray  #: (atoms, 3), through the faces of the box as image flags say
    velocities: numpy.ndarray | None = None  #: (atoms, 3)
    place_of: dict[int, int] = field(default_factory=dict)  #: index in the table by id
    #: How often the atoms were repeated, and by how much the ids of each copy are higher.
    copies: list[tuple[int, int]] = field(default_factory=list)
    #: Coordinates in the box, (atoms, 3), that are LAMMPS's to the last bit; None: not known.
    exact: numpy.ndarray | None = None

    def place(self, line: Line, fields: list[str], k: int) -> int:
        """Returns the index of the atom with the id in field k."""
        identity = line.integer_at(fields, k, "the id of an atom", 1, LARGEST_ID)
        if identity not in self.place_of:
            line.fail(k, f"there is no atom {identity}")
        return self.place_of[identity]


def read_atoms(data: DataFile, atom_style: str | None) -> AtomTable:
    """Raises SternaError with line and column."""
    section = data.sections["Atoms"]
    style = section.style if section.style not in ATOM_STYLES else atom_style or section.style
    style = style or atom_style or ""
    if not style and len(section.lines[0].fields) in (7, 10):
        style = "full"
    if style not in ATOM_STYLES:
        section.head.fail(
            None,
            f'the atom style "{style}" is not read; expected {", ".join(ATOM_STYLES)}'
            if style
            else 'nothing says which atom style this is; expected "Atoms # full" or an input '
            "script with atom_style",
        )
    if section.style and section.style != style:
        section.head.fail(
            None, f"the atoms are of style {section.style}, and the script has atom_style {style}"
        )
    columns = ATOM_STYLES[style]
    x = len(columns)
    form = " ".join([*columns, "x", "y", "z"])
    lines = []
    for line in section.lines:
        fields = line.fields
        lines.append((line.integer_at(fields, 0, "the id of an atom", 1, LARGEST_ID), line))
    # LAMMPS writes them in any order; ids say which atoms of two molecules are alike.
    lines.sort(key=lambda one: one[0])
    table = AtomTable([], [], [], [], numpy.empty((len(lines), 3)))
    images = numpy.zeros((len(lines), 3))
    for n, (identity, line) in enumerate(lines):
        fields = line.fields
        if len(fields) not in (x + 3, x + 6):
            line.fail(
                min(x + 3, len(fields)),
                f"expected {x + 3} columns, `{form}`, or {x + 6} with image flags; found "
                f"{len(fields)}",
            )
        if identity in table.place_of:
            line.fail(0, f"a second atom of id {identity}")
        table.place_of[identity] = n
        table.ids.append(identity)
        table.types.append(data.type_at(line, fields, columns.index("type"), "atom"))
        charge = 0.0
        if "charge" in columns:
            charge = line.number_at(fields, columns.index("charge"), "the charge")
        table.charges.append(charge)
        molecule = 0
        if "molecule" in columns:
            k = columns.index("molecule")
            molecule = line.integer_at(fields, k, "the molecule", -LARGEST_ID, LARGEST_ID)
        table.molecules.append(molecule)
        for k in range(3):
            table.positions[n, k] = line.number_at(fields, x + k, f"the {'xyz'[k]} coordinate")
            if len(fields) > x + 3:
                images[n, k] = line.integer_at(fields, x + 3 + k, "an image flag", -(10**6), 10**6)
    if not data.is_triclinic:
        table.exact = wrapped_as_lammps(data, table.positions)
    table.positions += images @ data.box - data.lower
    _read_velocities(data, table)
    return table


def wrapped_as_lammps(data: DataFile, places: numpy.ndarray) -> numpy.ndarray:
    """Coordinates brought into a box of right angles, with LAMMPS's rounding."""
    period = data.upper - data.lower
    x = places.copy()
    if not numpy.isfinite(x).all() or (numpy.abs(x - data.lower) > _MOST_BOXES * period).any():
        return x  # Box after box is LAMMPS's way.
    while (low := x < data.lower).any():
        x = numpy.where(low, numpy.maximum(x + period, data.lower), x)
    while (high := x >= data.upper).any():
        x = numpy.where(high, numpy.maximum(x - period, data.lower), x)
    return x


def _read_velocities(data: DataFile, table: AtomTable) -> None:
    if "Velocities" not in data.sections:
        return
    velocities = numpy.full((len(table.ids), 3), numpy.nan)
    for line in data.lines("Velocities"):
        fields = line.fields
        place = table.place(line, fields, 0)
        if not numpy.isnan(velocities[place, 0]):
            line.fail(0, f"a second velocity of atom {fields[0]}")
        for k in range(3):
            velocities[place, k] = line.number_at(fields, 1 + k, "a component of the velocity")
        line.expect_end(fields, 4, "id vx vy vz")
    table.velocities = velocities
