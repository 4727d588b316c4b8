"""Files of AMBER. Source: https://ambermd.org/FileFormats.php."""

import difflib
import re
from dataclasses import dataclass, field
from pathlib import Path

from sterna.errors import SternaError
from sterna.importing.text import Line, read_text

#: Places in POINTERS.
_POINTERS = {
    "NATOM": 0, "NTYPES": 1, "NBONH": 2, "NTHETH": 4, "NPHIH": 6, "NNB": 10, "NRES": 11,
    "NBONA": 12, "NTHETA": 13, "NPHIA": 14, "NUMBND": 15, "NUMANG": 16, "NPTRA": 17,
}  # fmt: skip
#: How many values a section must have: a factor and what POINTERS says.
_SIZES = {
    "ATOM_NAME": (1, "NATOM"), "CHARGE": (1, "NATOM"), "MASS": (1, "NATOM"),
    "ATOM_TYPE_INDEX": (1, "NATOM"), "NUMBER_EXCLUDED_ATOMS": (1, "NATOM"),
    "AMBER_ATOM_TYPE": (1, "NATOM"), "RESIDUE_LABEL": (1, "NRES"), "RESIDUE_POINTER": (1, "NRES"),
    "BOND_FORCE_CONSTANT": (1, "NUMBND"), "BOND_EQUIL_VALUE": (1, "NUMBND"),
    "ANGLE_FORCE_CONSTANT": (1, "NUMANG"), "ANGLE_EQUIL_VALUE": (1, "NUMANG"),
    "DIHEDRAL_FORCE_CONSTANT": (1, "NPTRA"), "DIHEDRAL_PERIODICITY": (1, "NPTRA"),
    "DIHEDRAL_PHASE": (1, "NPTRA"), "BONDS_INC_HYDROGEN": (3, "NBONH"),
    "BONDS_WITHOUT_HYDROGEN": (3, "NBONA"), "ANGLES_INC_HYDROGEN": (4, "NTHETH"),
    "ANGLES_WITHOUT_HYDROGEN": (4, "NTHETA"), "DIHEDRALS_INC_HYDROGEN": (5, "NPHIH"),
    "DIHEDRALS_WITHOUT_HYDROGEN": (5, "NPHIA"), "EXCLUDED_ATOMS_LIST": (1, "NNB"),
}  # fmt: skip
#: Sections of pairs of types: all of them, and each once.
_OF_TYPES = ("NONBONDED_PARM_INDEX", "LENNARD_JONES_ACOEF", "LENNARD_JONES_BCOEF")
#: Sections whose entries begin with so many atoms, as 3 times their number from 0.
_ATOMS = {
    "BONDS_INC_HYDROGEN": 2, "BONDS_WITHOUT_HYDROGEN": 2, "ANGLES_INC_HYDROGEN": 3,
    "ANGLES_WITHOUT_HYDROGEN": 3, "DIHEDRALS_INC_HYDROGEN": 4, "DIHEDRALS_WITHOUT_HYDROGEN": 4,
}  # fmt: skip
_COORDINATE_WIDTH = 12


@dataclass
class _Section:
    head: Line
    kind: str = "a"  #: of Fortran: "a", "I", "E", "F"
    width: int = 80
    values: list[tuple[Line, int, str]] = field(default_factory=list)  #: with the column


def check_topology(path: Path) -> None:
    sections = _sections(path)
    pointers = _section(path, sections, "POINTERS")
    if len(pointers.values) < 30:
        pointers.head.fail(
            None, f"POINTERS has {len(pointers.values)} numbers; expected at least 30"
        )
    counts = {name: int(pointers.values[place][2]) for name, place in _POINTERS.items()}
    for name, (factor, count) in _SIZES.items():
        _expect(path, sections, name, factor * counts[count], f"{count} in POINTERS")
    types = counts["NTYPES"]
    for name, size in zip(_OF_TYPES, (types**2, *[types * (types + 1) // 2] * 2), strict=True):
        _expect(path, sections, name, size, "NTYPES in POINTERS")
    for name, members in _ATOMS.items():
        for n, (line, begin, text) in enumerate(sections[name].values):
            number = abs(int(text))
            if n % (members + 1) == members:
                continue
            if number % 3 != 0 or number // 3 >= counts["NATOM"]:
                line.fail_between(
                    begin, begin + len(text),
                    f"{name} has the atom {text}; expected a multiple of 3 below "
                    f"{3 * counts['NATOM']}",
                )  # fmt: skip


def _sections(path: Path) -> dict[str, _Section]:
    sections: dict[str, _Section] = {}
    current = None
    for number, text in enumerate(read_text(path).split("\n"), 1):
        line = Line(path, number, text.rstrip("\r"))
        if text.startswith("%FLAG"):
            name = text[5:].strip()
            if name == "CTITLE":
                line.fail(
                    1, "a force field of CHARMM in a topology of AMBER (CHAMBER), which OpenMM does "
                    "not read; expected the files of CHARMM themselves: PSF, parameters, coordinates"
                )  # fmt: skip
            if name in sections:
                line.fail(None, f"a second section {name}")
            current = sections[name] = _Section(line)
        elif text.startswith("%FORMAT") and current is not None:
            found = re.match(r"%FORMAT\s*\(\s*\d*([aAiIeEfF])(\d+)", text)
            if found:
                current.kind, current.width = found[1].upper(), int(found[2])
        elif text.startswith("%") or not text.strip():
            continue
        elif current is None:
            line.fail(
                None, "expected %VERSION and %FLAG lines: a topology of AMBER 7 or later (prmtop)"
            )
        else:
            _take(current, line)
    return sections


def _take(section: _Section, line: Line) -> None:
    text = line.text.rstrip()
    for begin in range(0, len(text), section.width):
        item = text[begin : begin + section.width]
        value = item.strip()
        place = begin + len(item) - len(item.lstrip())
        if section.kind != "A":
            try:
                int(value) if section.kind == "I" else float(value)
            except ValueError:
                kind = "an integer" if section.kind == "I" else "a number"
                name = section.head.text[5:].strip()
                line.fail_between(
                    place, place + max(1, len(value)),
                    f'{name} has "{value}"; expected {kind} in {section.width} columns',
                )  # fmt: skip
        section.values.append((line, place, value))


def _section(path: Path, sections: dict[str, _Section], name: str) -> _Section:
    if name in sections:
        return sections[name]
    near = difflib.get_close_matches(name, sections, 1, 0.8)
    if near:
        sections[near[0]].head.fail(1, f'unknown section "{near[0]}"; did you mean "{name}"?')
    raise SternaError(
        f"{path}: error: the section %FLAG {name} is missing; the file is no topology of AMBER, or "
        "was cut short",
        status=2,
    )


def _expect(path: Path, sections: dict[str, _Section], name: str, count: int, by: str) -> None:
    section = _section(path, sections, name)
    # A section without values has an empty line.
    found = len(section.values)
    if found != count:
        section.head.fail(1, f"{name} has {found} values; expected {count}, by {by}")


def check_coordinates(path: Path) -> None:
    with path.open("rb") as file:
        if file.read(4) in (b"CDF\x01", b"CDF\x02", b"CDF\x05", b"\x89HDF"):
            return  # NetCDF
    lines = [Line(path, n, t) for n, t in enumerate(read_text(path).splitlines(), 1)]
    if len(lines) < 2:
        raise SternaError(
            f"{path}: error: expected a title, the number of atoms and coordinates (inpcrd of AMBER)",
            status=2,
        )
    head = lines[1]
    atoms = head.integer_at(head.text.split(), 0, "the number of atoms", 1, 10**9)
    rows = [(line, _numbers(line)) for line in lines[2:] if line.text.strip()]
    if not rows:
        head.fail(None, "the file ends here; expected the coordinates")
    left = _pass_block(rows, 3 * atoms, "coordinates")
    if len(left) > 1:
        left = _pass_block(left, 3 * atoms, "velocities")
    if len(left) > 1 or (left and left[0][1] not in (3, 6)):
        left[-1][0].fail(None, "expected the box, three lengths and three angles, and the end")


def _numbers(line: Line) -> int:
    """How many there are."""
    text = line.text.rstrip()
    places = range(0, len(text), _COORDINATE_WIDTH)
    for begin in places:
        item = text[begin : begin + _COORDINATE_WIDTH]
        try:
            float(item)
        except ValueError:
            line.fail_between(
                begin, begin + len(item),
                f'a coordinate is "{item.strip()}"; expected a number in 12 columns',
            )  # fmt: skip
    return len(places)


def _pass_block(rows: list[tuple[Line, int]], count: int, what: str) -> list[tuple[Line, int]]:
    """What follows behind so many numbers, six in each line."""
    for n, (line, found) in enumerate(rows):
        expected = min(6, count - 6 * n)
        if found != expected:
            line.fail(None, f"a line of {what} with {found} numbers; expected {expected}")
        if 6 * (n + 1) >= count:
            return rows[n + 1 :]
    raise SternaError(
        f"{rows[-1][0].path}: error: it ends after "
        f"{sum(found for _, found in rows)} of {count} numbers of {what}",
        status=2,
    )
