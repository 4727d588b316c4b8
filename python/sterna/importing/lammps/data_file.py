"""A data file: its header, and the lines of its sections."""

import difflib
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

import numpy

from sterna.importing.text import Line, lines_of, read_text

LARGEST_ID = 2**62
_MOST = 10**9

KINDS = ("bond", "angle", "dihedral", "improper")  #: kinds of terms that join atoms
MEMBERS = {"bond": 2, "angle": 3, "dihedral": 4, "improper": 4}

#: Columns before x y z.
ATOM_STYLES = {
    "full": ("id", "molecule", "type", "charge"),
    "molecular": ("id", "molecule", "type"),
    "bond": ("id", "molecule", "type"),
    "angle": ("id", "molecule", "type"),
    "charge": ("id", "type", "charge"),
    "atomic": ("id", "type"),
}

_COUNTS = ("atoms", "atom types", *(f"{k}s" for k in KINDS), *(f"{k} types" for k in KINDS))
_PASSED = ("extra bond per atom", "extra angle per atom", "extra dihedral per atom",
           "extra improper per atom", "extra special per atom")  # fmt: skip
_NONE = ("ellipsoids", "lines", "triangles", "bodies")  # counts that must be 0
_BOUNDS = ("xlo xhi", "ylo yhi", "zlo zhi")

_LABELS = {f"{kind.capitalize()} Type Labels": kind for kind in ("atom", *KINDS)}
#: Sections of class2: the kind whose coefficients they have, and the part of them.
PARTS = {
    "BondBond Coeffs": ("angle", "bb"),
    "BondAngle Coeffs": ("angle", "ba"),
    "MiddleBondTorsion Coeffs": ("dihedral", "mbt"),
    "EndBondTorsion Coeffs": ("dihedral", "ebt"),
    "AngleTorsion Coeffs": ("dihedral", "at"),
    "AngleAngleTorsion Coeffs": ("dihedral", "aat"),
    "BondBond13 Coeffs": ("dihedral", "bb13"),
    "AngleAngle Coeffs": ("improper", "aa"),
}
_COEFFICIENTS = {
    **{f"{kind.capitalize()} Coeffs": kind for kind in KINDS},
    **{name: kind for name, (kind, _) in PARTS.items()},
}
_LISTS = {f"{kind.capitalize()}s": kind for kind in KINDS}
SECTIONS = ("Masses", "Atoms", "Velocities", "Pair Coeffs", "PairIJ Coeffs",
            *_COEFFICIENTS, *_LISTS, *_LABELS)  # fmt: skip
_OTHERS = (
    "Ellipsoids", "Lines", "Triangles", "Bodies", "CMAP", "Molecules", "Special Bonds", "Types",
)  # fmt: skip


@dataclass
class Section:
    name: str
    head: Line
    style: str  #: behind the '#' of its head, or nothing
    lines: list[Line]


@dataclass
class DataFile:
    """`lower`, `upper` and `box` (vectors as rows) as in the file; sections by their names."""

    path: Path
    title: str
    counts: dict[str, int] = field(default_factory=dict)
    lower: numpy.ndarray = field(default_factory=lambda: numpy.zeros(3))
    upper: numpy.ndarray = field(default_factory=lambda: numpy.zeros(3))
    box: numpy.ndarray = field(default_factory=lambda: numpy.zeros((3, 3)))
    is_triclinic: bool = False  #: has tilts, which may be 0
    sections: dict[str, Section] = field(default_factory=dict)
    labels: dict[str, dict[str, int]] = field(default_factory=dict)  #: numbers by label, by kind

    @property
    def units(self) -> str:
        """Returns the units that write_data of LAMMPS leaves in the first line, or an empty
        text.
        """
        found = re.search(r"\bunits = (\w+)", self.title)
        return found[1] if found else ""

    def count(self, name: str) -> int:
        return self.counts.get(name, 0)

    def lines(self, section: str) -> list[Line]:
        return self.sections[section].lines if section in self.sections else []

    def type_at(self, line: Line, fields: list[str], place: int, kind: str) -> int:
        """The number of a type, which may stand there by its label."""
        label = fields[place] if place < len(fields) else ""
        if label in self.labels.get(kind, {}):
            return self.labels[kind][label]
        if label and not re.match(r"[0-9+-]", label):
            line.fail(place, f'there is no {kind} type "{label}"')
        most = self.count(f"{kind} types")
        return line.integer_at(fields, place, f"the {kind} type", 1, most)


def read_data_file(path: Path) -> DataFile:
    """Raises SternaError with line and column."""
    return _Reader(path).read()


class _Reader:
    def __init__(self, path: Path) -> None:
        text = read_text(path)
        self.data = DataFile(path, text.partition("\n")[0])
        # The title is skipped whatever it says.
        self.lines = [line for line in lines_of(path, text) if line.number > 1]
        self.next = 0
        last = text.count("\n") + 1
        self.end = Line(path, last, "")

    def read(self) -> DataFile:
        self._header()
        while self.next < len(self.lines):
            self._section()
        if "Atoms" not in self.data.sections:
            self.end.fail(None, 'expected the section "Atoms"; found the end of the file')
        return self.data

    def _header(self) -> None:
        bounds: dict[str, tuple[float, float]] = {}
        tilt = (0.0, 0.0, 0.0)
        while self.next < len(self.lines):
            line = self.lines[self.next]
            fields = line.fields
            values = 0
            while values < len(fields) and re.match(r"[-+.\d]", fields[values]):
                values += 1
            name = " ".join(fields[values:])
            if values == 0 and name not in (*SECTIONS, *_OTHERS):
                self._unknown(line, 0, "section", name, list(SECTIONS))
            if values == 0:
                break
            self.next += 1

            def expect(count: int, line: Line = line, name: str = name, values: int = values):
                if values != count:
                    line.fail(0, f'expected {count} number{"s" * (count > 1)} before "{name}"')

            if name in _BOUNDS:
                expect(2)
                low, high = (line.number_at(fields, k, "a bound of the box") for k in (0, 1))
                if low >= high:
                    line.fail(1, "the upper bound of the box must be above the lower one")
                bounds[name] = (low, high)
            elif name == "xy xz yz":
                expect(3)
                self.data.is_triclinic = True
                tilt = tuple(line.number_at(fields, k, "a tilt of the box") for k in range(3))
            elif name in _COUNTS:
                expect(1)
                what = f"the number before {name}"
                self.data.counts[name] = line.integer_at(fields, 0, what, 0, _MOST)
            elif name in _NONE:
                if line.integer_at(fields, 0, f"the number before {name}", 0, _MOST) > 0:
                    line.fail(0, f"the file has {name}, which Sterna does not have")
            elif name in ("avec", "bvec", "cvec", "abc origin"):
                line.fail(values, "a box of any axes is not read; write the file with `xy xz yz`")
            elif name not in _PASSED:
                self._unknown(line, values, "header keyword", name, [*_COUNTS, *_BOUNDS])
        head = self.lines[self.next] if self.next < len(self.lines) else self.end
        if self.data.count("atoms") == 0:
            head.fail(None, 'expected a header line with the number of atoms, as in "1000 atoms"')
        for name in _BOUNDS:
            if name not in bounds:
                head.fail(None, f"expected a header line `{name}` with the bounds of the box")
        limits = numpy.array([bounds[name] for name in _BOUNDS])
        self.data.lower, self.data.upper = limits[:, 0], limits[:, 1]
        self.data.box = numpy.diag(limits[:, 1] - limits[:, 0])
        self.data.box[1, 0], self.data.box[2, 0], self.data.box[2, 1] = tilt

    def _unknown(self, line: Line, place: int, what: str, name: str, known: list) -> NoReturn:
        nearest = difflib.get_close_matches(name, known, 1)
        hint = f'; did you mean "{nearest[0]}"?' if nearest else ""
        line.fail(place, f'unknown {what} "{name}"{hint}')

    def _section(self) -> None:
        head = self.lines[self.next]
        name = " ".join(head.fields)
        if name in _OTHERS:
            head.fail(None, f'the section "{name}" is not taken over')
        if name not in SECTIONS:
            if re.match(r"[-+.\d]", name):
                before = list(self.data.sections)[-1:] or ["the header"]
                head.fail(None, f"expected a section after the last line of {before[0]}")
            self._unknown(head, 0, "section", name, list(SECTIONS))
        if name in self.data.sections:
            head.fail(None, f'a second section "{name}"')
        self.next += 1
        count = self._size(name)
        lines = self.lines[self.next : self.next + count]
        for k, line in enumerate(lines):
            if " ".join(line.fields) in (*SECTIONS, *_OTHERS):
                line.fail(None, f'the section "{name}" ends after {k} of {count} lines')
        if len(lines) < count:
            self.end.fail(None, f'the section "{name}" ends after {len(lines)} of {count} lines')
        self.next += count
        self.data.sections[name] = Section(name, head, head.comment, lines)
        if name in _LABELS:
            self._labels(_LABELS[name], lines)

    def _size(self, name: str) -> int:
        types = self.data.count("atom types")
        if name in ("Atoms", "Velocities"):
            return self.data.count("atoms")
        if name == "PairIJ Coeffs":
            return types * (types + 1) // 2
        if name in _COEFFICIENTS:
            return self.data.count(f"{_COEFFICIENTS[name]} types")
        if name in _LISTS:
            return self.data.count(f"{_LISTS[name]}s")
        if name in _LABELS:
            return self.data.count(f"{_LABELS[name]} types")
        return types

    def _labels(self, kind: str, lines: list[Line]) -> None:
        labels = self.data.labels.setdefault(kind, {})
        for line in lines:
            fields = line.fields
            number = line.integer_at(fields, 0, f"the {kind} type", 1, len(lines))
            if len(fields) != 2:
                line.fail(min(2, len(fields)), "expected `type label`")
            if fields[1] in labels:
                line.fail(1, f'a second {kind} type "{fields[1]}"')
            labels[fields[1]] = number
