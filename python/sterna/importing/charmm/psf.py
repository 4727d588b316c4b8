"""Sections of a PSF of CHARMM, with the place of each value.

Source: CHARMM's documentation, struct.info and io.info. The first line has the flags of the format,
and each section a head of its number of entries and its name behind a `!`.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

from sterna.errors import SternaError
from sterna.importing.text import Line, read_text

#: Numbers of atoms in an entry.
LISTS = {"NBOND": 2, "NTHETA": 3, "NPHI": 4, "NIMPHI": 4, "NCRTERM": 8}
_REQUIRED = ("NATOM", "NBOND", "NTHETA", "NPHI", "NIMPHI")
#: Sections without a part in the energy: titles, hydrogen bonds, groups, molecules.
_WITHOUT_MEANING = ("NTITLE", "NDON", "NACC", "NGRP", "MOLNT")
_FLAGS = ("EXT", "XPLOR", "CMAP", "CHEQ", "DRUDE", "NAMD", "AUTOG", "CHARMM", "LONE")
_HEAD = re.compile(r"\s*(?P<counts>[\d\s+-]+?)\s*!\s*(?P<name>[A-Za-z0-9]+)")
#: Columns of the fields of an atom: number, segment, residue number, residue, name, type.
_COLUMNS = (
    (0, 8), (9, 13), (14, 18), (19, 23), (24, 28), (29, 33), (34, 48), (48, 62),
)  # fmt: skip
_WIDE_COLUMNS = ((0, 10), (11, 19), (20, 28), (29, 37), (38, 46), (47, 53), (54, 68), (68, 82))


@dataclass(frozen=True)
class PsfAtom:
    line: Line
    segment: str
    residue_number: int
    insertion_code: str
    residue: str
    name: str
    type: str
    charge: float
    mass: float


@dataclass(frozen=True)
class Entry:
    """Atoms from 0, and the word where they begin."""

    atoms: tuple[int, ...]
    line: Line
    word: int

    def fail(self, message: str) -> NoReturn:
        self.line.fail(self.word, message)


@dataclass(frozen=True)
class LonePair:
    """A site that its hosts carry: in angstroms and degrees."""

    line: Line
    site: int
    hosts: tuple[int, ...]
    distance: float
    angle: float
    dihedral: float


@dataclass
class Psf:
    path: Path
    flags: tuple[str, ...]
    atoms: list[PsfAtom] = field(default_factory=list)
    lists: dict[str, list[Entry]] = field(default_factory=dict)
    excluded: list[Entry] = field(default_factory=list)  #: pairs of !NNB
    lone_pairs: list[LonePair] = field(default_factory=list)


def read_psf(path: Path) -> Psf:
    """Raises SternaError with line and column."""
    return _Reader(path).read()


@dataclass
class _Section:
    head: Line
    name: str
    counts: list[int]
    lines: list[Line] = field(default_factory=list)  #: lines that are not empty


class _Reader:
    def __init__(self, path: Path) -> None:
        text = read_text(path)
        self._lines = [Line(path, n, t.rstrip("\r")) for n, t in enumerate(text.split("\n"), 1)]
        words = self._lines[0].text.split()
        if not words or words[0] != "PSF":
            self._lines[0].fail(None, 'expected "PSF" at the beginning of the first line')
        for k, word in enumerate(words[1:], 1):
            if word not in _FLAGS:
                self._lines[0].fail(
                    k, f'the flag "{word}" is not known; expected some of {", ".join(_FLAGS)}'
                )
            if word == "DRUDE":
                self._lines[0].fail(k, "the PSF has Drude particles, which Sterna does not have")
        self._psf = Psf(path, tuple(words[1:]))
        self._sections: dict[str, _Section] = {}

    def read(self) -> Psf:
        self._split()
        self._atoms()
        for name, size in LISTS.items():
            self._psf.lists[name] = self._list(name, size) if name in self._sections else []
        self._exclusions()
        self._lone_pairs()
        return self._psf

    def _split(self) -> None:
        current: _Section | None = None
        for line in self._lines[1:]:
            found = _HEAD.match(line.text)
            if found is not None:
                name = found["name"].upper()
                if name in self._sections:
                    line.fail(None, f"a second section !{name}")
                counts = []
                for k, _ in enumerate(found["counts"].split()):
                    counts.append(
                        line.integer_at(line.text.split(), k, f"a number of !{name}", 0, 10**9)
                    )
                current = self._sections[name] = _Section(line, name, counts)
            elif not line.text.strip():
                continue
            elif current is None:
                line.fail(None, "expected the head of a section, such as `12 !NATOM`")
            else:
                current.lines.append(line)
        for name in _REQUIRED:
            if name not in self._sections:
                raise SternaError(
                    f"{self._psf.path}: error: the section !{name} is missing; the file is no PSF, or "
                    "was cut short",
                    status=2,
                )
        for name, section in self._sections.items():
            known = (*LISTS, *_REQUIRED, *_WITHOUT_MEANING, "NNB", "NUMLP")
            if name.startswith("NUMANISO") and any(section.counts):
                section.head.fail(None, "the PSF has anisotropic polarizabilities (Drude)")
            if name not in known and name != "NUMANISO" and (section.lines or any(section.counts)):
                section.head.fail(None, f"the section !{name} is not known")

    # ---- atoms

    def _atoms(self) -> None:
        section = self._sections["NATOM"]
        count = section.counts[0]
        if count < 1:
            section.head.fail(0, "the PSF has no atoms")
        if len(section.lines) != count:
            line = section.lines[-1] if section.lines else section.head
            line.fail(None, f"!NATOM ends after {len(section.lines)} of {count} atoms")
        for number, line in enumerate(section.lines, 1):
            self._psf.atoms.append(self._atom(line, number))

    def _atom(self, line: Line, number: int) -> PsfAtom:
        fields = line.text.split()
        if not self._is_complete(fields):
            # A name is empty: only the columns tell which.
            columns = _WIDE_COLUMNS if "EXT" in self._psf.flags else _COLUMNS
            apart = [line.text[begin:end].strip() for begin, end in columns]
            if not self._is_complete(apart):
                self._fail(line, fields, number)
            fields = apart
        line.integer_at(fields, 0, "the number of an atom", number, number)
        found = re.fullmatch(r"(-?\d+)([A-Za-z]?)", fields[2], re.ASCII)
        assert found is not None
        mass = float(fields[7])
        if mass < 0.0:
            line.fail(7, f"the mass is {mass:g}; expected at least 0")
        return PsfAtom(
            line, fields[1], int(found[1]), found[2], fields[3], fields[4], fields[5].upper(),
            float(fields[6]), mass,
        )  # fmt: skip

    @staticmethod
    def _fail(line: Line, fields: list[str], number: int) -> NoReturn:
        if len(fields) >= 8:
            line.integer_at(fields, 0, "the number of an atom", number, number)
            line.number_at(fields, 6, "the charge")
            line.number_at(fields, 7, "the mass")
        line.fail(
            None, "expected an atom: number, segment, residue number, residue, name, type, charge and "
            "mass",
        )  # fmt: skip

    @staticmethod
    def _is_complete(fields: list[str]) -> bool:
        if len(fields) < 8 or not re.fullmatch(r"-?\d+[A-Za-z]?", fields[2], re.ASCII):
            return False
        try:
            numbers = [float(fields[6]), float(fields[7])]
        except ValueError:
            return False
        return all(abs(value) < 1e30 for value in numbers) and "_" not in fields[6] + fields[7]

    # ---- lists of atoms

    def _numbers(self, section: _Section, least: int) -> list[tuple[int, Line, int]]:
        most = len(self._psf.atoms)
        found = []
        for line in section.lines:
            fields = line.text.split()
            found += [
                (line.integer_at(fields, k, "an atom", least, most), line, k)
                for k in range(len(fields))
            ]
        return found

    def _list(self, name: str, size: int) -> list[Entry]:
        section = self._sections[name]
        numbers = self._numbers(section, 1)
        count = section.counts[0]
        if len(numbers) != size * count:
            section.head.fail(
                0, f"!{name} has {len(numbers)} atoms; expected {size} for each of {count}"
            )
        made = []
        for k in range(0, len(numbers), size):
            atoms = tuple(number - 1 for number, _, _ in numbers[k : k + size])
            _, line, word = numbers[k]
            if size < 8 and len(set(atoms)) < size:
                line.fail(word, f"!{name} has an entry with the same atom twice")
            made.append(Entry(atoms, line, word))
        return made

    def _exclusions(self) -> None:
        """!NNB: a list of atoms, and for each atom where its part of that ends."""
        section = self._sections.get("NNB")
        if section is None or section.counts[0] == 0:
            return
        count, atoms = section.counts[0], len(self._psf.atoms)
        numbers: list[tuple[int, Line, int]] = []
        for line in section.lines:
            fields = line.text.split()
            numbers += [
                (line.integer_at(fields, k, "a number of !NNB", 0, 10**9), line, k)
                for k in range(len(fields))
            ]
        if len(numbers) != count + atoms:
            section.head.fail(
                0, f"!NNB has {len(numbers)} numbers; expected {count} atoms and {atoms} ends"
            )
        begin = 0
        for atom in range(atoms):
            end, line, word = numbers[count + atom]
            if not begin <= end <= count:
                line.fail(word, f"an end in !NNB is {end}; expected {begin} to {count}")
            for other, place, k in numbers[begin:end]:
                if not 1 <= other <= atoms or other - 1 == atom:
                    place.fail(k, f"the atom {atom + 1} excludes {other}")
                self._psf.excluded.append(Entry((atom, other - 1), place, k))
            begin = end
        if begin != count:
            section.head.fail(0, f"!NNB has {count} atoms, and its ends tell of {begin}")

    def _lone_pairs(self) -> None:
        section = self._sections.get("NUMLP")
        if section is None or section.counts[0] == 0:
            return
        count = section.counts[0]
        if len(section.lines) < count:
            section.head.fail(0, f"!NUMLP ends after {len(section.lines)} of {count} lone pairs")
        numbers: list[tuple[int, Line, int]] = []
        for line in section.lines[count:]:
            fields = line.text.split()
            numbers += [
                (line.integer_at(fields, k, "an atom", 1, len(self._psf.atoms)), line, k)
                for k in range(len(fields))
            ]
        for line in section.lines[:count]:
            fields = line.text.split()
            hosts = line.integer_at(fields, 0, "the number of hosts", 2, 3)
            start = (
                line.integer_at(fields, 1, "the place of its atoms", 1, max(1, len(numbers))) - 1
            )
            if len(fields) < 6 or fields[2] != "F":
                line.fail(
                    2, "expected F, a distance, an angle and a dihedral angle; lone pairs by weights "
                    "are not taken over",
                )  # fmt: skip
            distance, angle, dihedral = (
                line.number_at(fields, k, what)
                for k, what in ((3, "the distance"), (4, "the angle"), (5, "the dihedral angle"))
            )
            atoms = [number - 1 for number, _, _ in numbers[start : start + hosts + 1]]
            if len(atoms) != hosts + 1 or len(set(atoms)) != len(atoms):
                line.fail(1, f"expected a lone pair and {hosts} other atoms behind !NUMLP")
            self._psf.lone_pairs.append(
                LonePair(line, atoms[0], tuple(atoms[1:]), distance, angle, dihedral)
            )
