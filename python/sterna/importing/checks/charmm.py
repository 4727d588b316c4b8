"""Files of CHARMM. Source: its documentation, pages io, struct and parmfile."""

import re
from collections.abc import Iterator
from pathlib import Path

from sterna.errors import SternaError
from sterna.importing.text import Line, read_text

#: Sections of a PSF that must be there, and the atoms of an entry.
_LISTS = {"NBOND": 2, "NTHETA": 3, "NPHI": 4, "NIMPHI": 4}
#: Sections of parameters: how many atom types a line begins with, and the numbers behind.
_PARAMETERS = {
    "BOND": (2, 2), "THET": (3, 2), "ANGL": (3, 2), "PHI": (4, 3), "DIHE": (4, 3),
    "IMPR": (4, 3), "IMPH": (4, 3), "NONB": (1, 3), "NBFI": (2, 2),
}  # fmt: skip
_OTHERS = ("ATOM", "CMAP", "HBON", "NBON", "END", "RETU", "READ", "MASS", "SET", "IF", "WRNLEV",
           "BOMLEV", "RTF")  # fmt: skip


def check_structure(path: Path) -> None:
    lines = [Line(path, n, t.rstrip("\r")) for n, t in enumerate(read_text(path).split("\n"), 1)]
    if not lines[0].text.startswith("PSF"):
        lines[0].fail(None, 'expected "PSF" at the beginning of the first line')
    heads = {}
    for place, line in enumerate(lines):
        found = re.match(r"\s*\S+\s+!(\w+)", line.text)
        if found:
            heads[found[1]] = place
    for name in ("NATOM", *_LISTS):
        if name not in heads:
            raise SternaError(
                f"{path}: error: the section !{name} is missing; the file is no PSF, or was cut "
                "short",
                status=2,
            )
    head = lines[heads["NATOM"]]
    atoms = head.integer_at(head.text.split(), 0, "the number of atoms", 1, 10**9)
    for n in range(atoms):
        line = _line(lines, heads["NATOM"] + 1 + n, f"!NATOM ends after {n} of {atoms} atoms")
        fields = line.text.split()
        if not fields:
            line.fail(None, f"!NATOM ends after {n} of {atoms} atoms")
        line.integer_at(fields, 0, "the number of an atom", n + 1, n + 1)
        line.number_at(fields, 6, "the charge")
        line.number_at(fields, 7, "the mass")
    for name, members in _LISTS.items():
        head = lines[heads[name]]
        count = head.integer_at(head.text.split(), 0, f"the number of !{name}", 0, 10**9)
        found, place = 0, heads[name] + 1
        while found < count * members:
            what = f"!{name} ends after {found} of {count * members} atoms"
            line = _line(lines, place, what)
            fields = line.text.split()
            if not fields:
                head.fail(None, what)
            for k in range(len(fields)):
                line.integer_at(fields, k, "an atom", 1, atoms)
            found += len(fields)
            place += 1
        if found > count * members:
            head.fail(None, f"!{name} has {found} atoms; expected {members} for each of {count}")


def _line(lines: list[Line], place: int, what: str) -> Line:
    if place >= len(lines):
        lines[-1].fail(None, what)
    return lines[place]


def _statements(path: Path) -> Iterator[Line]:
    """Lines without comments; one that ends in a dash has the next one in it."""
    kept = ""
    for number, text in enumerate(read_text(path).split("\n"), 1):
        bare = text.split("!", 1)[0].rstrip()
        if bare.lstrip().startswith("*") or not bare.strip():
            continue
        if bare.endswith("-"):
            kept += bare[:-1]
            continue
        yield Line(path, number, kept + bare)
        kept = ""


def check_parameters(path: Path) -> None:
    section, any_section = "", False
    for line in _statements(path):
        fields = line.text.split()
        word = fields[0].upper()
        known = next((s for s in (*_PARAMETERS, *_OTHERS) if word.startswith(s)), None)
        if known is not None and (len(fields) == 1 or known not in _PARAMETERS or known == "NONB"):
            section, any_section = known, True
            continue
        if section not in _PARAMETERS:
            if not any_section:
                line.fail(0, f'unknown section "{fields[0]}"; expected BONDS, ANGLES, DIHEDRALS, '
                          "IMPROPERS, NONBONDED or another of CHARMM's")  # fmt: skip
            continue
        types, numbers = _PARAMETERS[section]
        if len(fields) == 1 and section != "NONB":
            line.fail(0, f'unknown section "{fields[0]}", or a line with one word in {section}')
        for k in range(numbers):
            line.number_at(fields, types + k, f"number {k + 1} of this line of {section}")
    if not any_section:
        raise SternaError(f"{path}: error: there are no parameters of CHARMM in it", status=2)


def check_coordinates(path: Path) -> None:
    lines = [
        Line(path, n, t)
        for n, t in enumerate(read_text(path).splitlines(), 1)
        if t.strip() and not t.lstrip().startswith("*")
    ]
    if not lines:
        raise SternaError(
            f"{path}: error: expected the number of atoms and their coordinates (CRD of CHARMM)",
            status=2,
        )
    atoms = lines[0].integer_at(lines[0].text.split(), 0, "the number of atoms", 1, 10**9)
    for n in range(1, atoms + 1):
        line = _line(lines, n, f"the file ends after {n - 1} of {atoms} atoms")
        fields = line.text.split()
        for k, axis in enumerate("xyz"):
            line.number_at(fields, 4 + k, f"coordinate {axis}")
