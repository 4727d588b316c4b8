"""Tables of dihedrals of LAMMPS whose forces are the derivatives of their energies.

These are periodic cubic splines of tables without forces (NOF): the same function is a cubic
polynomial between any two points, with the slopes of the spline.

Source: https://docs.lammps.org, dihedral_table, and dihedral_table.cpp.
"""

import math
import re
from dataclasses import dataclass
from pathlib import Path

import numpy

from sterna.importing.lammps.bonded_rows import Coefficients, Kind
from sterna.importing.lammps.refused_styles import TABLES
from sterna.importing.text import Line, lines_of, read_text

_TURN = 360.0
_MOST_POINTS = 100_000


def table_dihedral(c: Coefficients) -> list[Kind]:
    """Reads the coefficients of a style `table spline N`: the file and the keyword of a section."""
    words = c.style_arguments
    if len(words) != 3 or words[1] not in ("linear", "spline") or not words[2].isdecimal():
        c.line.fail(None, "expected `dihedral_style table spline N`, outside of hybrid")
    count = int(words[2])
    name, keyword = c.word("the file of the table"), c.word("the name of its section")
    path = next((one for one in (Path(name), c.line.path.parent / name) if one.is_file()), None)
    if path is None:
        c.line.fail(c.next - 2, f"there is no file {name}")
    table = _read(path, keyword, c)
    if words[1] != "spline" or not table.has_no_forces:
        c.line.fail(
            None,
            f"a table of dihedrals is taken over with `spline` and without forces (NOF): {TABLES}",
        )
    if count % 2 or not 4 <= count <= _MOST_POINTS:
        c.line.fail(
            None,
            f"the table of the style has {count} points; expected an even number from 4 to "
            f"{_MOST_POINTS}, so that one is at 180 degrees",
        )
    width = _TURN / count
    energies = _spline(table.angles, table.energies, numpy.arange(count) * width)
    slopes = _slopes(numpy.arange(count) * width, energies)
    # Points run from -180 to 180 degrees, and the last point equals the first.
    order = (numpy.arange(count + 1) + count // 2) % count
    parameters = {
        "potential": "tabulated",
        "energy": tuple(energies[order].tolist()),
        "force": tuple((-slopes[order]).tolist()),
    }
    return [Kind("torsion", parameters)]


@dataclass
class _Table:
    angles: numpy.ndarray  #: degrees, ascending, from 0 to below 360
    energies: numpy.ndarray
    has_no_forces: bool


def _read(path: Path, keyword: str, c: Coefficients) -> _Table:
    text = read_text(path)
    tag = re.search(r"UNITS:\s*(\S+)", text.partition("\n")[0])
    if tag and c.units and tag[1] != c.units:
        c.line.fail(None, f"{path} is in units {tag[1]}, the script in {c.units}; not taken over")
    lines = [line for line in lines_of(path, text) if line.fields]
    start = next((k for k, line in enumerate(lines) if line.fields[0] == keyword), None)
    if start is None or start + 1 >= len(lines):
        c.line.fail(c.next - 1, f"there is no section {keyword} in {path}")
    head, count, forces, factor = lines[start + 1], 0, True, 1.0
    words, k = head.fields, 0
    while k < len(words):
        if words[k] == "N":
            count = head.integer_at(words, k + 1, "the number of points", 2, _MOST_POINTS)
            k += 1
        elif words[k] == "NOF":
            forces = False
        elif words[k].lower() in ("degrees", "radians"):
            factor = 1.0 if words[k].lower() == "degrees" else math.degrees(1.0)
        elif words[k] in ("CHECKU", "CHECKF"):
            k += 1  # A file that LAMMPS writes.
        else:
            head.fail(k, f'unknown word "{words[k]}"; expected N, NOF, DEGREES or RADIANS')
        k += 1
    rows = lines[start + 2 : start + 2 + count]
    if not count or len(rows) < count:
        head.fail(None, f"expected N and as many lines of numbers; found {len(rows)} lines")
    numbers = [_row(line, 4 if forces else 3) for line in rows]
    angles = numpy.array([one[0] for one in numbers]) * factor
    energies = numpy.array([one[1] for one in numbers])
    span = angles[-1] - angles[0]
    if numpy.any(numpy.diff(angles) <= 0.0) or span >= _TURN * (1.0 - 1e-12):
        rows[0].fail(None, "expected angles that ascend and span less than a turn")
    angles = angles % _TURN
    order = numpy.argsort(angles)
    return _Table(angles[order], energies[order], not forces)


def _row(line: Line, count: int) -> tuple[float, float]:
    line.integer_at(line.fields, 0, "the number of the point", 0, 10**9)
    values = [line.number_at(line.fields, k, "a number of the table") for k in range(1, count)]
    return values[0], values[1]


def _bends(x: numpy.ndarray, y: numpy.ndarray) -> numpy.ndarray:
    """Second derivatives of the periodic cubic spline at its points."""
    widths = numpy.diff(numpy.append(x, x[0] + _TURN))
    rises = (numpy.roll(y, -1) - y) / widths
    before = numpy.roll(widths, 1)
    diagonal, right = (before + widths) / 3.0, rises - numpy.roll(rises, 1)
    # The corners of the matrix are taken off, and put back by Sherman and Morrison's formula.
    corner = widths[-1] / 6.0
    shift = -diagonal[0]
    main = diagonal.copy()
    main[0] -= shift
    main[-1] -= corner * corner / shift
    vector = numpy.zeros_like(y)
    vector[0], vector[-1] = shift, corner
    one = _tridiagonal(widths[:-1] / 6.0, main, right)
    other = _tridiagonal(widths[:-1] / 6.0, main, vector)
    ratio = corner / shift
    factor = (one[0] + ratio * one[-1]) / (1.0 + other[0] + ratio * other[-1])
    return one - factor * other


def _tridiagonal(side: numpy.ndarray, main: numpy.ndarray, right: numpy.ndarray) -> numpy.ndarray:
    """The solution of a symmetric system."""
    main, found = main.copy(), right.astype(float).copy()
    for k in range(1, len(main)):
        factor = side[k - 1] / main[k - 1]
        main[k] -= factor * side[k - 1]
        found[k] -= factor * found[k - 1]
    found[-1] /= main[-1]
    for k in range(len(main) - 2, -1, -1):
        found[k] = (found[k] - side[k] * found[k + 1]) / main[k]
    return found


def _spline(x: numpy.ndarray, y: numpy.ndarray, at: numpy.ndarray) -> numpy.ndarray:
    """The periodic cubic spline through points at some angles."""
    bends = _bends(x, y)
    first = (numpy.searchsorted(x, at, side="right") - 1) % len(x)
    last = (first + 1) % len(x)
    start = x[first] - numpy.where(x[first] > at, _TURN, 0.0)
    end = x[last] + numpy.where(x[last] <= at, _TURN, 0.0)
    width = end - start
    b = (at - start) / width
    a = 1.0 - b
    cubic = (a**3 - a) * bends[first] + (b**3 - b) * bends[last]
    return a * y[first] + b * y[last] + cubic * width**2 / 6.0


def _slopes(x: numpy.ndarray, y: numpy.ndarray) -> numpy.ndarray:
    """Returns the slopes of the spline through all points, at these points."""
    bends = _bends(x, y)
    widths = numpy.diff(numpy.append(x, x[0] + _TURN))
    rises = (numpy.roll(y, -1) - y) / widths
    return rises - widths / 6.0 * (2.0 * bends + numpy.roll(bends, -1))
