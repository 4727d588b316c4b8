"""Molecule templates, and create_atoms that places them.

Source: https://docs.lammps.org/molecule.html and create_atoms.html; create_atoms.cpp for the random
numbers that turn molecules.
"""

import math
from dataclasses import dataclass, field
from pathlib import Path

import numpy

from sterna.importing.lammps.command import Command, nearest
from sterna.importing.lammps.data_file import KINDS, LARGEST_ID, MEMBERS, DataFile
from sterna.importing.lammps.random_numbers import Marsaglia
from sterna.importing.lammps.state import State
from sterna.importing.text import Line, lines_of, read_text

_OF_ATOMS = ("Coords", "Types", "Charges")
_OF_TERMS = {f"{kind.capitalize()}s": kind for kind in KINDS}
_SECTIONS = (*_OF_ATOMS, *_OF_TERMS)
_REFUSED = (
    "Diameters", "Masses", "Molecules", "Fragments", "Special Bond Counts", "Special Bonds",
    "Shake Flags", "Shake Atoms", "Shake Bond Types", "Body Integers", "Body Doubles",
)  # fmt: skip
_COUNTS = ("atoms", *(f"{kind}s" for kind in KINDS))


@dataclass
class Template:
    """Atoms about their center, and their terms: type and atoms, from 1, of each."""

    positions: numpy.ndarray
    types: list[int]
    charges: list[float]
    terms: dict[str, list[tuple[int, tuple[int, ...]]]] = field(default_factory=dict)


def _molecule(state: State, command: Command) -> None:
    """Read where create_atoms names it."""
    command.word(0, "the ID of a template")
    command.word(1, "a file")
    state.templates[command.arguments[0]] = command


def read_template(state: State, data: DataFile, at: Command, k: int) -> Template:
    """Returns the template that a word of a command names. Raises SternaError with line and
    column.
    """
    name = at.word(k, "the ID of a template")
    if name not in state.templates:
        at.fail(k, f'there is no molecule "{name}"{nearest(name, [*state.templates])}')
    command = state.templates[name]
    command.expect_end(2, "molecule ID FILE")
    return _Reader(_path(command), data).read()


def _path(command: Command) -> Path:
    name = command.arguments[1]
    for path in (command.line.path.parent / name, Path(name)):
        if path.is_file():
            return path
    command.fail(1, f"the molecule file {name} is not there; give it beside the script")


class _Reader:
    def __init__(self, path: Path, data: DataFile) -> None:
        text = read_text(path)
        self.data = data
        self.lines = [line for line in lines_of(path, text) if line.number > 1]
        self.end = Line(path, text.count("\n") + 1, "")
        self.counts: dict[str, int] = {}
        self.sections: dict[str, list[Line]] = {}

    def read(self) -> Template:
        k = self._header()
        while k < len(self.lines):
            k = self._section(k)
        for name in ("Coords", "Types"):
            if name not in self.sections:
                self.end.fail(None, f'expected the section "{name}"; found the end of the file')
        count = self.counts["atoms"]
        positions = numpy.zeros((count, 3))
        made = Template(positions, [0] * count, [0.0] * count)
        for n, line in self._of_atoms("Coords", 4, "id x y z"):
            positions[n] = [line.number_at(line.fields, 1 + k, "a coordinate") for k in range(3)]
        for n, line in self._of_atoms("Types", 2, "id type"):
            made.types[n] = line.integer_at(line.fields, 1, "the type", 0, 10**6)
        for n, line in self._of_atoms("Charges", 2, "id charge"):
            made.charges[n] = line.number_at(line.fields, 1, "the charge")
        made.positions -= positions.mean(axis=0)
        for section, kind in _OF_TERMS.items():
            made.terms[kind] = [
                self._term(line, kind, count) for line in self.sections.get(section, [])
            ]
        return made

    def _header(self) -> int:
        for k, line in enumerate(self.lines):
            fields = line.fields
            if not fields[0][:1].isdigit():
                if "atoms" not in self.counts:
                    line.fail(None, "expected the number of atoms, as in `3 atoms`")
                return k
            if len(fields) != 2 or fields[1] not in _COUNTS:
                line.fail(
                    min(1, len(fields) - 1),
                    f"expected a count of {', '.join(_COUNTS)} in the head of a molecule file",
                )
            self.counts[fields[1]] = line.integer_at(fields, 0, "the number", 1, 10**7)
        self.end.fail(None, "expected the sections of a molecule; found the end of the file")

    def _section(self, k: int) -> int:
        head = self.lines[k]
        name = " ".join(head.fields)
        if name in _REFUSED:
            head.fail(None, f'the section "{name}" of a molecule file is not taken over')
        if name not in _SECTIONS:
            head.fail(None, f'unknown section "{name}"{nearest(name, [*_SECTIONS])}')
        if name in self.sections:
            head.fail(None, f'a second section "{name}"')
        count = self.counts.get("atoms" if name in _OF_ATOMS else name.lower(), 0)
        lines = self.lines[k + 1 : k + 1 + count]
        if count == 0 or len(lines) < count:
            head.fail(
                None, f'the section "{name}" has {len(lines)} lines; expected {count or "none"}'
            )
        self.sections[name] = lines
        return k + 1 + count

    def _of_atoms(self, section: str, columns: int, form: str):
        seen = set()
        for line in self.sections.get(section, []):
            n = (
                line.integer_at(line.fields, 0, "the number of an atom", 1, self.counts["atoms"])
                - 1
            )
            line.expect_end(line.fields, columns, form)
            if n in seen:
                line.fail(0, f"a second line of atom {n + 1}")
            seen.add(n)
            yield n, line

    def _term(self, line: Line, kind: str, count: int) -> tuple[int, tuple[int, ...]]:
        fields = line.fields
        line.integer_at(fields, 0, f"the number of the {kind}", 1, LARGEST_ID)
        number = self.data.type_at(line, fields, 1, kind)
        size = MEMBERS[kind]
        atoms = tuple(line.integer_at(fields, 2 + k, "an atom", 1, count) for k in range(size))
        line.expect_end(fields, 2 + size, "id type atoms")
        if len(set(atoms)) < size:
            line.fail(None, f"an atom stands twice in this {kind}")
        return number, atoms


def turned(template: Template, numbers: Marsaglia, axis_and_angle: tuple | None) -> numpy.ndarray:
    """The positions about the center, turned by an angle, or as the next random numbers say."""
    if axis_and_angle is None:
        axis = numpy.array([numbers.uniform() - 0.5 for _ in range(3)])
        angle = numbers.uniform() * 2.0 * math.pi
    else:
        axis, angle = axis_and_angle
    axis = axis / math.sqrt(float(axis @ axis))
    w, (x, y, z) = math.cos(0.5 * angle), math.sin(0.5 * angle) * axis
    matrix = numpy.array([
        [w * w + x * x - y * y - z * z, 2.0 * (x * y - w * z), 2.0 * (w * y + x * z)],
        [2.0 * (x * y + w * z), w * w - x * x + y * y - z * z, 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), w * w - x * x - y * y + z * z],
    ])  # fmt: skip
    return template.positions @ matrix.T


def place_molecules(
    state: State, template: Template, first_type: int, centers: numpy.ndarray, seed: int,
    axis_and_angle: tuple | None,
) -> None:  # fmt: skip
    """Places a molecule at each of the centers, (n, 3), in the coordinates of scripts."""
    table, data = state.atoms, state.data
    numbers = Marsaglia(seed)
    largest = max(table.molecules, default=0)
    for n, center in enumerate(centers):
        before = max(table.ids, default=0)
        count = len(template.types)
        places = turned(template, numbers, axis_and_angle) + center
        table.ids += range(before + 1, before + 1 + count)
        table.types += [first_type + kind for kind in template.types]
        table.molecules += [largest + 1 + n] * count
        table.charges += template.charges
        table.positions = numpy.vstack([table.positions, places - data.lower])
        if table.velocities is not None:
            table.velocities = numpy.vstack([table.velocities, numpy.zeros((count, 3))])
        for kind, terms in template.terms.items():
            state.created[kind] += [
                (number, tuple(before + atom for atom in atoms)) for number, atoms in terms
            ]
    table.exact = None
    table.place_of = {identity: n for n, identity in enumerate(table.ids)}
    data.counts["atoms"] = len(table.ids)


COMMANDS = {"molecule": _molecule}
