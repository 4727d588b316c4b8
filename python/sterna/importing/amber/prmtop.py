"""Sections of a topology of AMBER (prmtop), with the place of each value.

Source: https://ambermd.org/FileFormats.php. A section has a %FLAG line with its name, a %FORMAT line
in the language of Fortran, and lines of values in columns of that width.
"""

import difflib
import math
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

from sterna.errors import SternaError
from sterna.importing.text import Line, read_text

#: Places of the numbers in POINTERS.
_POINTERS = (
    "NATOM", "NTYPES", "NBONH", "MBONA", "NTHETH", "MTHETA", "NPHIH", "MPHIA", "NHPARM", "NPARM",
    "NNB", "NRES", "NBONA", "NTHETA", "NPHIA", "NUMBND", "NUMANG", "NPTRA", "NATYP", "NPHB",
    "IFPERT", "NBPER", "NGPER", "NDPER", "MBPER", "MGPER", "MDPER", "IFBOX", "NMXRS", "IFCAP",
    "NUMEXTRA", "NCOPY",
)  # fmt: skip
_LEAST_POINTERS = 30

#: Sections whose number of values is a factor times a number in POINTERS.
_SIZES = {
    "ATOM_NAME": (1, "NATOM"), "CHARGE": (1, "NATOM"), "MASS": (1, "NATOM"),
    "ATOM_TYPE_INDEX": (1, "NATOM"), "NUMBER_EXCLUDED_ATOMS": (1, "NATOM"),
    "AMBER_ATOM_TYPE": (1, "NATOM"), "RESIDUE_LABEL": (1, "NRES"), "RESIDUE_POINTER": (1, "NRES"),
    "BOND_FORCE_CONSTANT": (1, "NUMBND"), "BOND_EQUIL_VALUE": (1, "NUMBND"),
    "ANGLE_FORCE_CONSTANT": (1, "NUMANG"), "ANGLE_EQUIL_VALUE": (1, "NUMANG"),
    "DIHEDRAL_FORCE_CONSTANT": (1, "NPTRA"), "DIHEDRAL_PERIODICITY": (1, "NPTRA"),
    "DIHEDRAL_PHASE": (1, "NPTRA"), "SCEE_SCALE_FACTOR": (1, "NPTRA"),
    "SCNB_SCALE_FACTOR": (1, "NPTRA"), "BONDS_INC_HYDROGEN": (3, "NBONH"),
    "BONDS_WITHOUT_HYDROGEN": (3, "NBONA"), "ANGLES_INC_HYDROGEN": (4, "NTHETH"),
    "ANGLES_WITHOUT_HYDROGEN": (4, "NTHETA"), "DIHEDRALS_INC_HYDROGEN": (5, "NPHIH"),
    "DIHEDRALS_WITHOUT_HYDROGEN": (5, "NPHIA"), "EXCLUDED_ATOMS_LIST": (1, "NNB"),
    "HBOND_ACOEF": (1, "NPHB"), "HBOND_BCOEF": (1, "NPHB"), "RESIDUE_NUMBER": (1, "NRES"),
    "RESIDUE_CHAINID": (1, "NRES"), "RESIDUE_ICODE": (1, "NRES"),
}  # fmt: skip

#: Sections that are read where they are there, beside those with a size above.
_READ = {
    "TITLE", "CTITLE", "POINTERS", "NONBONDED_PARM_INDEX", "LENNARD_JONES_ACOEF",
    "LENNARD_JONES_BCOEF", "LENNARD_JONES_CCOEF", "LENNARD_JONES_14_ACOEF",
    "LENNARD_JONES_14_BCOEF", "BOX_DIMENSIONS", "SOLVENT_POINTERS", "ATOMS_PER_MOLECULE",
    "FORCE_FIELD_TYPE", "IPOL", "CHARMM_UREY_BRADLEY_COUNT", "CHARMM_UREY_BRADLEY",
    "CHARMM_UREY_BRADLEY_FORCE_CONSTANT", "CHARMM_UREY_BRADLEY_EQUIL_VALUE",
    "CHARMM_NUM_IMPROPERS", "CHARMM_IMPROPERS", "CHARMM_NUM_IMPR_TYPES",
    "CHARMM_IMPROPER_FORCE_CONSTANT", "CHARMM_IMPROPER_PHASE", "CMAP_COUNT", "CMAP_RESOLUTION",
    "CMAP_INDEX", "CHARMM_CMAP_COUNT", "CHARMM_CMAP_RESOLUTION", "CHARMM_CMAP_INDEX",
}  # fmt: skip
#: Sections without effect on Sterna's results: names, and radii of implicit solvent.
_WITHOUT_MEANING = {
    "SOLTY", "HBCUT", "TREE_CHAIN_CLASSIFICATION", "JOIN_ARRAY", "IROTAT", "ATOMIC_NUMBER",
    "ATOM_ELEMENT", "ATOM_NUMBER", "ATOM_OCCUPANCY", "ATOM_BFACTOR", "ATOM_ID",
    "CHARMM_CMAP_COMMENT", "RADIUS_SET", "RADII", "SCREEN", "CAP_INFO", "CAP_INFO2", "RESIDUE_ID",
    "ATOM_TEMP_FACTOR", "MOLECULE_TYPE",
}  # fmt: skip
_CMAP_TABLE = re.compile(r"(CHARMM_)?CMAP_PARAMETER_\d+")

#: Sections, or the begins of their names, that make another energy which Sterna does not have.
_REFUSED = {
    "LES_": "copies of atoms (LES, locally enhanced sampling)",
    "AMOEBA_": "the force field AMOEBA",
    "PERT_": "a perturbed system (free energies of AMBER 7)",
    "IGRAPH_PER": "a perturbed system (free energies of AMBER 7)",
    "POLARIZABILITY": "polarizable atoms",
    "DIPOLE_DAMP_FACTOR": "polarizable atoms",
    "LENNARD_JONES_DCOEF": "a further term of pairs (LENNARD_JONES_DCOEF)",
}


def is_topology(path: Path) -> bool:
    """Returns true if a file begins as those of AMBER 7 and later."""
    if not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            start = file.read(4096)
    except OSError:
        return False
    words = start.removeprefix(b"\xef\xbb\xbf").lstrip().upper()
    return words.startswith((b"%VERSION", b"%FLAG"))


@dataclass
class Section:
    """Values of one section as texts, each with its line and the column where it begins."""

    head: Line
    name: str
    kind: str = ""  #: format of Fortran: "A", "I", "E", "F"; "" for text in lines
    width: int = 80
    per_line: int = 1
    values: list[str] = field(default_factory=list)
    places: list[tuple[Line, int]] = field(default_factory=list)

    def fail_at(self, index: int, message: str) -> NoReturn:
        line, begin = self.places[index]
        line.fail_between(begin, begin + max(1, len(self.values[index])), message)


class Prmtop:
    """All sections of a topology. Numbers are as in the file: kcal/mol, angstroms, radians.

    Raises SternaError with line and column.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.sections: dict[str, Section] = {}
        self._sized: set[str] = set()
        self._integers: dict[str, list[int]] = {}
        self._numbers: dict[str, list[float]] = {}
        self._read()
        self.unknown = self._look_at_names()
        numbers = self.integers("POINTERS")
        head = self.sections["POINTERS"].head
        if not _LEAST_POINTERS <= len(numbers) <= len(_POINTERS):
            head.fail(
                None, f"POINTERS has {len(numbers)} numbers; expected {_LEAST_POINTERS} to "
                f"{len(_POINTERS)}"
            )  # fmt: skip
        for index, number in enumerate(numbers):
            if number < 0:
                self.sections["POINTERS"].fail_at(
                    index, f"{_POINTERS[index]} is {number}; expected a number of at least 0"
                )
        self.pointers = dict.fromkeys(_POINTERS, 0) | dict(zip(_POINTERS, numbers, strict=False))
        for name, least in (("NATOM", 1), ("NTYPES", 1), ("NRES", 1)):
            if self.pointers[name] < least:
                self.fail_at_pointer(name, f"{name} is 0; expected at least {least}")
        self.is_chamber = "CTITLE" in self.sections
        self._look_at_sizes()

    def has(self, name: str) -> bool:
        return name in self.sections

    def fail_at_pointer(self, name: str, message: str) -> NoReturn:
        self.sections["POINTERS"].fail_at(_POINTERS.index(name), message)

    # ---- values

    def section(self, name: str) -> Section:
        if name in self.sections:
            return self.sections[name]
        near = difflib.get_close_matches(name, self.unknown, 1, 0.8)
        if near:
            self.sections[near[0]].head.fail(
                1, f'unknown section "{near[0]}"; did you mean "{name}"?'
            )
        raise SternaError(
            f"{self.path}: error: the section %FLAG {name} is missing; the file is no topology of "
            "AMBER, or was cut short",
            status=2,
        )

    def texts(self, name: str) -> list[str]:
        return self._of_size(name).values

    def integers(self, name: str) -> list[int]:
        if name in self._integers:
            return self._integers[name]
        section = self._of_size(name)
        found = self._integers[name] = []
        for index, text in enumerate(section.values):
            if not re.fullmatch(r"[+-]?\d{1,18}", text, re.ASCII):
                section.fail_at(
                    index, f'{name} has "{text}"; expected an integer in {section.width} columns'
                )
            found.append(int(text))
        return found

    def numbers(self, name: str) -> list[float]:
        if name in self._numbers:
            return self._numbers[name]
        section = self._of_size(name)
        found = self._numbers[name] = []
        for index, text in enumerate(section.values):
            try:
                # Fortran writes exponents with a D, too.
                value = math.nan if "_" in text else float(re.sub("[dD]", "E", text))
            except ValueError:
                value = math.nan
            if not math.isfinite(value):
                section.fail_at(
                    index, f'{name} has "{text}"; expected a number in {section.width} columns'
                )
            found.append(value)
        return found

    def expect(self, name: str, count: int, by: str) -> None:
        """Raises SternaError where a section has another number of values."""
        found = len(self.section(name).values)
        if found != count:
            self.sections[name].head.fail(
                1, f"{name} has {found} values; expected {count}, by {by}"
            )

    def _of_size(self, name: str) -> Section:
        section = self.section(name)
        if name in _SIZES and name not in self._sized:
            factor, pointer = _SIZES[name]
            count = factor * self.pointers[pointer]
            if section.kind == "A" and len(section.values) < count <= _full_lines(section):
                _fill(section, count, section.head)
            self.expect(name, count, f"{pointer} in POINTERS")
            self._sized.add(name)
        return section

    # ---- the file

    def _read(self) -> None:
        current: Section | None = None
        has_format = True
        for number, raw in enumerate(read_text(self.path).split("\n"), 1):
            text = raw.rstrip("\r")
            line = Line(self.path, number, text)
            word = text[:8].upper()
            if word.startswith("%FLAG"):
                if current is not None and not has_format:
                    line.fail(0, f"expected the %FORMAT of the section {current.name}")
                name = text[5:].strip().upper()
                if not name:
                    line.fail(1, "expected the name of a section behind %FLAG")
                if name in self.sections:
                    line.fail(None, f"a second section {name}")
                current = self.sections[name] = Section(line, name)
                has_format = False
            elif word.startswith("%FORMAT"):
                if current is None or has_format:
                    line.fail(0, "expected a %FLAG line before %FORMAT")
                current.per_line, current.kind, current.width = _format_of(line)
                has_format = True
            elif word.startswith(("%VERSION", "%COMMENT")):
                continue
            elif text.startswith("%"):
                line.fail(0, "expected %FLAG, %FORMAT, %COMMENT or %VERSION behind a %")
            elif current is None:
                if text.strip():
                    line.fail(
                        None,
                        "expected %VERSION and %FLAG lines: a topology of AMBER 7 or later (prmtop)",
                    )
            elif not has_format:
                line.fail(None, f"expected the %FORMAT of the section {current.name}")
            else:
                _take(current, line)

    def _look_at_names(self) -> list[str]:
        """Names of sections that are not known. Raises SternaError at one that Sterna lacks."""
        unknown = []
        for name, section in self.sections.items():
            for begin, what in _REFUSED.items():
                if name.startswith(begin):
                    section.head.fail(1, f"the topology has {what}, which Sterna does not have")
            if not (
                name in _SIZES
                or name in _READ
                or name in _WITHOUT_MEANING
                or _CMAP_TABLE.fullmatch(name)
            ):
                unknown.append(name)
        known = [name for name in (*_SIZES, *_READ) if name not in self.sections]
        for name in unknown:
            near = difflib.get_close_matches(name, known, 1, 0.85)
            if near:
                self.sections[name].head.fail(
                    1, f'unknown section "{name}"; did you mean "{near[0]}"?'
                )
        return unknown

    def _look_at_sizes(self) -> None:
        types = self.pointers["NTYPES"]
        self.expect("NONBONDED_PARM_INDEX", types**2, "the square of NTYPES in POINTERS")
        for name in ("LENNARD_JONES_ACOEF", "LENNARD_JONES_BCOEF", "LENNARD_JONES_CCOEF",
                     "LENNARD_JONES_14_ACOEF", "LENNARD_JONES_14_BCOEF"):  # fmt: skip
            if name in self.sections or not name.startswith(("LENNARD_JONES_C", "LENNARD_JONES_1")):
                self.expect(name, types * (types + 1) // 2, "pairs of NTYPES in POINTERS")


_FORMAT = re.compile(
    r"\(\s*(\d*)\s*\(?\s*([aAiIeEfFgGdD])\s*(\d*)\s*(?:\.\s*\d+)?\s*\)?\s*\)", re.ASCII
)
_FORMAT_AHEAD = re.compile(r"\d+\s*(\(.*\))", re.ASCII)
_MIXED = re.compile(r"\(\s*i\d+\s*,\s*a\d+\s*\)", re.IGNORECASE | re.ASCII)


def _format_of(line: Line) -> tuple[int, str, int]:
    """Number in a line, letter of Fortran and width of `%FORMAT(5E16.8)`.

    Sections with one text in a line have no letter.
    """
    text = line.text[7:].strip()
    if _MIXED.fullmatch(text):
        return 1, "", 80
    ahead = _FORMAT_AHEAD.fullmatch(text)
    found = _FORMAT.fullmatch(ahead[1] if ahead else text)
    if found is None:
        line.fail(None, "expected a format of Fortran, such as %FORMAT(5E16.8)")
    kind, width = found[2].upper(), int(found[3] or 0)
    if kind == "A" and not 0 < width < 80:
        return 1, "", 80
    if width == 0 or found[1].strip("0") == "" != found[1]:
        line.fail(None, "a format without a number or width; expected one such as %FORMAT(10I8)")
    return int(found[1] or 1), kind if kind in "AI" else "E", width


def _full_lines(section: Section) -> int:
    """How many texts the section has where the last ones of its last line are blank."""
    return -(-len(section.values) // section.per_line) * section.per_line


def _fill(section: Section, count: int, line: Line) -> None:
    """Adds blank texts, which stood at the end of a line."""
    while len(section.values) < count:
        section.values.append("")
        section.places.append((line, 0))


def _take(section: Section, line: Line) -> None:
    text = line.text.rstrip()
    if not section.kind:
        section.values.append(text)
        section.places.append((line, 0))
        return
    if not text:  # an empty section, or the end of the file
        return
    if section.kind == "A":
        _fill(section, _full_lines(section), line)
    for begin in range(0, len(text), section.width):
        item = text[begin : begin + section.width]
        section.values.append(item.strip())
        section.places.append((line, begin + len(item) - len(item.lstrip())))
