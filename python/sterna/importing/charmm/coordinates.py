"""Places of CHARMM and NAMD (CRD, PDB), atom by atom in the order of the structure.

Source: CHARMM's documentation, io.info; https://www.wwpdb.org/documentation/file-format, version 3.3.

Of CRD: titles begin with `*`; then the number of atoms, with EXT in files of wide columns, and a line for each:
number, residue, its name, the atom's name, x, y, z, segment, number of the residue, weight.
"""

from pathlib import Path

import numpy

from sterna.errors import SternaError
from sterna.importing.amber.coordinates import box_of, problem_of
from sterna.importing.box import is_placeholder
from sterna.importing.checks import check_file
from sterna.importing.text import Line, read_text

_COLUMNS = ((20, 30), (30, 40), (40, 50))
_WIDE_COLUMNS = ((40, 60), (60, 80), (80, 100))
_FIELDS = 9  #: smallest number of fields of an atom
_ANGSTROM = 0.1  #: nm


def read_crd(path: Path) -> numpy.ndarray:
    """Positions in nm, (atoms, 3). Raises SternaError with line and column."""
    lines = [
        Line(path, n, t.rstrip("\r"))
        for n, t in enumerate(read_text(path).split("\n"), 1)
        if t.strip() and not t.lstrip().startswith("*")
    ]
    if not lines:
        raise SternaError(
            f"{path}: error: expected the number of atoms and their coordinates (CRD of CHARMM)",
            status=2,
        )
    head = lines[0].text.split()
    count = lines[0].integer_at(head, 0, "the number of atoms", 1, 10**9)
    if len(lines) - 1 < count:
        lines[-1].fail(None, f"the file ends after {len(lines) - 1} of {count} atoms")
    if len(lines) - 1 > count:
        lines[count + 1].fail(None, f"expected the end of the file behind {count} atoms")
    columns = _WIDE_COLUMNS if "EXT" in (word.upper() for word in head[1:]) else _COLUMNS
    return _ANGSTROM * numpy.array([_place(line, columns) for line in lines[1:]])


def _place(line: Line, columns: tuple[tuple[int, int], ...]) -> list[float]:
    fields = line.text.split()
    if len(fields) < _FIELDS:
        # A name is empty, or numbers stand without blanks between: only columns tell.
        text = line.text.ljust(columns[-1][1])
        try:
            values = [float(text[begin:end]) for begin, end in columns]
        except ValueError:
            values = []
        if values and "_" not in text and numpy.isfinite(values).all():
            return values
    return [line.number_at(fields, 4 + k, f"coordinate {axis}") for k, axis in enumerate("xyz")]


_PLACE_OF_PDB = ((30, 38), (38, 46), (46, 54))
_CELL_OF_PDB = ((6, 15), (15, 24), (24, 33), (33, 40), (40, 47), (47, 54))


def read_pdb(path: Path) -> tuple[numpy.ndarray, numpy.ndarray | None]:
    """Positions in nm, (atoms, 3), of all lines of the first model, and the box, its vectors as rows.

    Names are not looked at: as in CHARMM and NAMD, those of the structure count. Raises SternaError
    with line and column.
    """
    check_file(path)
    box = None
    places = []
    for number, text in enumerate(read_text(path).splitlines(), 1):
        line = Line(path, number, text)
        word = text[:6].strip().upper()
        if word in ("END", "ENDMDL") and places:
            break
        if word == "CRYST1":
            values = [float(text[begin:end]) for begin, end in _CELL_OF_PDB]
            if any(values[:3]):
                problem = problem_of(values[:3], values[3:])
                if problem is not None:
                    line.fail(None, problem)
                box = box_of(values[:3], values[3:])
        elif word in ("ATOM", "HETATM"):
            for begin, end in _PLACE_OF_PDB:
                if "." not in text[begin:end]:
                    line.fail_between(
                        begin, end, "a coordinate has no decimal point: CHARMM reads it with three "
                        "decimals, and NAMD as an integer; expected a number such as 5.750",
                    )  # fmt: skip
            places.append([float(text[begin:end]) for begin, end in _PLACE_OF_PDB])
    if box is not None and is_placeholder(box):
        box = None
    return _ANGSTROM * numpy.array(places).reshape(-1, 3), box
