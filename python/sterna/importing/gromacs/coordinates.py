"""GRO files: places, velocities and the box, of any number of decimals.

Source: GROMACS manual, "File formats", and `groio.cpp` of GROMACS 2026: the distance between the
decimal points of the first atom's coordinates is the width of all fields.
"""

import math
from dataclasses import dataclass
from pathlib import Path

import numpy

from sterna.errors import SternaError
from sterna.importing.box import first_of
from sterna.importing.text import Line, read_text

_HEAD_WIDTH = 20  #: residue number and name, name and number of the atom, five columns each
_MOST_ATOMS = 10**9


@dataclass
class Coordinates:
    """Lengths in nm, velocities in nm/ps."""

    path: Path
    residue_numbers: list[int | None]  #: residue number of each atom
    residues: list[str]
    names: list[str]
    positions: numpy.ndarray  #: (atoms, 3)
    velocities: numpy.ndarray | None  #: (atoms, 3); None: no line has one
    box: numpy.ndarray | None  #: its vectors as rows; None: all numbers are 0
    frames: int = 1  #: number of frames in the file, of which this is the first

    def notes(self) -> list[str]:
        """Returns notes on data that were not taken from the file."""
        return [first_of(self.path, self.frames)] if self.frames > 1 else []


def read_gro(path: Path) -> Coordinates:
    """Raises SternaError with line and columns."""
    text = read_text(path)
    lines = [Line(path, n, t.rstrip("\r")) for n, t in enumerate(text.split("\n"), 1)]
    if not lines[-1].text:
        lines.pop()
    if len(lines) < 3:
        raise SternaError(
            f"{path}: error: expected a title, the number of atoms, their lines and the box (GRO of "
            "GROMACS)",
            status=2,
        )
    count = lines[1].integer_at(lines[1].text.split(), 0, "the number of atoms", 1, _MOST_ATOMS)
    if len(lines) < count + 3:
        lines[-1].fail(
            None,
            f"the file ends after {len(lines)} lines; expected a title, the number of atoms, "
            f"{count} atoms and the box",
        )
    width = _width(lines[2])
    positions = numpy.empty((count, 3))
    velocities = numpy.zeros((count, 3))
    has_velocities = False
    numbers: list[int | None] = []
    for n, line in enumerate(lines[2 : count + 2]):
        if not line.text.isascii():
            line.fail(None, "the columns of a GRO file are counted in bytes; expected ASCII")
        number = line.text[:5].strip()
        numbers.append(int(number) if number.isascii() and number.isdigit() else None)
        for k, axis in enumerate("xyz"):
            positions[n, k] = _number(line, _HEAD_WIDTH + k * width, width, f"coordinate {axis}")
        if line.text[_HEAD_WIDTH + 3 * width :].strip():
            has_velocities = True
            for k, axis in enumerate("xyz"):
                velocities[n, k] = _number(
                    line, _HEAD_WIDTH + (3 + k) * width, width, f"the velocity along {axis}"
                )
    texts = [line.text for line in lines[2 : count + 2]]
    return Coordinates(
        path,
        numbers,
        [text[5:10].strip() for text in texts],
        [text[10:15].strip() for text in texts],
        positions,
        velocities if has_velocities else None,
        _box(lines[count + 2]),
        1 + _further_frames(lines[count + 3 :]),
    )


def _further_frames(lines: list[Line]) -> int:
    """Frames behind the first one. Raises SternaError where other text stands there."""
    number = 0
    while any(line.text.strip() for line in lines):
        fields = lines[1].text.split() if len(lines) > 1 else []
        if not fields or not fields[0].isdigit() or len(lines) < int(fields[0]) + 3:
            place = next(line for line in lines if line.text.strip())
            place.fail(
                None,
                "unexpected text behind the box; expected the end of the file or a whole frame",
            )
        number += 1
        lines = lines[int(fields[0]) + 3 :]
    return number


def _width(line: Line) -> int:
    points = [n for n, c in enumerate(line.text) if c == "." and n >= _HEAD_WIDTH]
    if len(points) < 3 or points[1] - points[0] != points[2] - points[1]:
        line.fail_between(
            min(_HEAD_WIDTH, len(line.text)), max(len(line.text), _HEAD_WIDTH + 1),
            "expected three coordinates of one width, with decimal points, from column 21 on",
        )  # fmt: skip
    return points[1] - points[0]


def _number(line: Line, begin: int, width: int, what: str) -> float:
    item = line.text[begin : begin + width]
    try:
        value = float(item)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or "_" in item:
        line.fail_between(
            begin, begin + max(1, len(item)),
            f'{what} is "{item.strip()}"; expected a number in columns {begin + 1} to '
            f"{begin + width}",
        )  # fmt: skip
    return value


def _box(line: Line) -> numpy.ndarray | None:
    fields = line.fields
    if len(fields) not in (3, 9):
        line.fail(None, f"the box has {len(fields)} numbers; expected 3 or 9")
    values = [line.number_at(fields, k, "a number of the box") for k in range(len(fields))]
    if not any(values):
        return None
    box = numpy.diag(values[:3])
    for k in range(3):
        if values[k] <= 0.0:
            line.fail(k, f"an edge of the box is {fields[k]}; expected a length above 0")
    if len(values) == 9:
        places = ((0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1))
        for (vector, axis), value in zip(places, values[3:], strict=True):
            box[vector, axis] = value
        if box[0, 1] or box[0, 2] or box[1, 2]:
            line.fail(3, "the first vector of the box must be along x, the second in the xy plane")
    return box
