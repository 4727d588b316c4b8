"""Places, velocities and the box of AMBER (inpcrd, rst7, ncrst).

Source: https://ambermd.org/FileFormats.php: a title, the number of atoms and perhaps a time, then
lines of six numbers in 12 columns: coordinates, velocities, and the box with its angles.
"""

import math
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

import numpy

from sterna.errors import SternaError
from sterna.importing.amber.netcdf import is_netcdf, read_netcdf
from sterna.importing.text import Line, read_text

_WIDTH = 12
_PER_LINE = 6
_LEAST_HEIGHT = 1e-6  #: squared, of the third edge of a box, whose length is 1
_ANGSTROM = 0.1  #: nm
#: Velocities are in angstroms per 1/20.455 ps.
VELOCITY = 20.455 * _ANGSTROM  #: nm/ps


@dataclass
class Coordinates:
    path: Path
    positions: numpy.ndarray  #: (atoms, 3) in nm
    velocities: numpy.ndarray | None  #: (atoms, 3) in nm/ps
    box: numpy.ndarray | None  #: its vectors as rows in nm
    lines: list[Line] = field(default_factory=list)  #: lines with positions, if these are text

    def fail_at(self, atom: int, message: str) -> NoReturn:
        """Raises SternaError at the place of an atom, from 0."""
        if not self.lines:
            raise SternaError(f"{self.path}: error: {message}", status=2)
        row, place = divmod(3 * atom, _PER_LINE)
        self.lines[row].fail_between(_WIDTH * place, _WIDTH * (place + 3), message)


def read_coordinates(path: Path, atoms: int, has_box: bool) -> Coordinates:
    """`has_box`: whether the topology has a box, by which a last line that may be of either is one.

    Raises SternaError with line and column.
    """
    if is_netcdf(path):
        return _from_netcdf(path, atoms)
    lines = [Line(path, n, t) for n, t in enumerate(read_text(path).splitlines(), 1)]
    if len(lines) < 2:
        raise SternaError(
            f"{path}: error: expected a title, the number of atoms and coordinates (inpcrd of AMBER)",
            status=2,
        )
    head = lines[1]
    # A time may follow without a blank: the number of atoms has five or six columns.
    joined = re.match(r"\s*\d+(?=\s|$)", head.text)
    fields = [head.text[: joined.end()]] if joined else head.text.split()
    count = head.integer_at([word.strip() for word in fields], 0, "the number of atoms", 1, 10**9)
    if count != atoms:
        head.fail(0, f"the file has {count} atoms, and the topology has {atoms}")
    rows = [(line, _numbers(line)) for line in lines[2:] if line.text.strip()]
    if not rows:
        head.fail(None, "the file ends here; expected the coordinates")
    of_positions = [line for line, _ in rows[: -(-3 * atoms // _PER_LINE)]]
    positions, rows = _block(rows, 3 * atoms, "coordinates")
    velocities = box = None
    found = sum(len(values) for _, values in rows)
    is_box = len(rows) == 1 and found in (3, 6)
    if is_box and found == 3 * atoms:
        # The line could be of velocities or a box.
        is_box = has_box
    if rows and not is_box:
        last = rows[-1][0]
        velocities, rows = _block(rows, 3 * atoms, "velocities")
        if has_box and not rows:
            last.fail(None, "the file ends with velocities; expected the box behind them, as the "
                            "topology has one")  # fmt: skip
    if rows:
        line, values = rows[0]
        if len(rows) > 1 or len(values) not in (3, 6):
            rows[-1][0].fail(None, "expected the box, three lengths and three angles, and the end")
        box = _box(line, values)
    return Coordinates(
        path,
        _ANGSTROM * positions.reshape(-1, 3),
        None if velocities is None else VELOCITY * velocities.reshape(-1, 3),
        box,
        of_positions,
    )


def _numbers(line: Line) -> list[float]:
    text = line.text.rstrip()
    found = []
    for begin in range(0, len(text), _WIDTH):
        item = text[begin : begin + _WIDTH]
        try:
            value = math.nan if "_" in item else float(item)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            stars = ": it did not fit there when the file was written" if "*" in item else ""
            line.fail_between(
                begin, begin + len(item),
                f'a coordinate is "{item.strip()}"; expected a number in 12 columns{stars}',
            )  # fmt: skip
        found.append(value)
    return found


def _block(
    rows: list[tuple[Line, list[float]]], count: int, what: str
) -> tuple[numpy.ndarray, list[tuple[Line, list[float]]]]:
    """Reads this many numbers, six in each line, and the lines behind them."""
    found: list[float] = []
    for n, (line, values) in enumerate(rows):
        expected = min(_PER_LINE, count - _PER_LINE * n)
        if len(values) != expected:
            line.fail(None, f"a line of {what} with {len(values)} numbers; expected {expected}")
        found += values
        if len(found) == count:
            return numpy.array(found), rows[n + 1 :]
    raise SternaError(
        f"{rows[-1][0].path}: error: it ends after {len(found)} of {count} numbers of {what}",
        status=2,
    )


def _box(line: Line, values: list[float]) -> numpy.ndarray | None:
    """Vectors of lengths in angstroms and angles in degrees; None where all lengths are 0."""
    lengths, angles = values[:3], values[3:] or [90.0] * 3
    if not any(lengths):
        return None
    problem = problem_of(lengths, angles)
    if problem is not None:
        words = line.text.split()
        # Lengths and angles may stand without blanks between.
        of_angles = "angle" in problem and len(words) == len(values)
        line.fail(3 + _worst(angles) if of_angles else None, problem)
    return box_of(lengths, angles)


def _worst(angles: list[float]) -> int:
    """The angle that is none of a box, or the last one where all of them are none together."""
    return next((k for k, angle in enumerate(angles) if not 0.0 < angle < 180.0), 2)


def problem_of(lengths: list[float], angles: list[float]) -> str | None:
    """Why no box has these lengths and angles; None: one has."""
    if min(lengths) <= 0.0:
        return f"a length of the box is {min(lengths):g}; expected one above 0"
    for angle in angles:
        if not 0.0 < angle < 180.0:
            return f"an angle of the box is {angle:g}; expected one between 0 and 180 degrees"
    if _squared_height(angles) <= _LEAST_HEIGHT:
        texts = ", ".join(f"{angle:g}" for angle in angles)
        return f"no box has the angles {texts}: its edges would lie in a plane, or cannot meet"
    return None


def _cosines(angles: list[float]) -> list[float]:
    # Files have angles of 90 degrees with seven digits.
    return [0.0 if abs(a - 90.0) < 1e-6 else math.cos(math.radians(a)) for a in angles]


def _squared_height(angles: list[float]) -> float:
    """Returns the squared height of the third edge, of length 1, above the plane of the others."""
    alpha, beta, gamma = _cosines(angles)
    y = (alpha - beta * gamma) / math.sqrt(1.0 - gamma * gamma)
    return 1.0 - beta * beta - y * y


def box_of(lengths: list[float], angles: list[float]) -> numpy.ndarray:
    """Vectors in nm as rows, reduced to the shortest, of lengths and angles without a problem.

    `lengths` in angstroms, `angles` alpha, beta and gamma in degrees.
    """
    alpha, beta, gamma = _cosines(angles)
    a, b, c = (_ANGSTROM * length for length in lengths)
    sine = math.sqrt(1.0 - gamma * gamma)
    y = (alpha - beta * gamma) / sine
    height = math.sqrt(_squared_height(angles))
    box = numpy.array([[a, 0.0, 0.0], [b * gamma, b * sine, 0.0], [c * beta, c * y, c * height]])
    box[2] -= box[1] * round(box[2, 1] / box[1, 1])
    box[2] -= box[0] * round(box[2, 0] / box[0, 0])
    box[1] -= box[0] * round(box[1, 0] / box[0, 0])
    return box


def _from_netcdf(path: Path, atoms: int) -> Coordinates:
    attributes, arrays = read_netcdf(path)
    convention = str(attributes.get("Conventions", "")).strip()
    if "AMBERRESTART" not in convention:
        raise SternaError(
            f'{path}: error: the NetCDF file has the convention "{convention}"; expected '
            "AMBERRESTART, a restart file of AMBER",
            status=2,
        )

    def of_atoms(name: str) -> numpy.ndarray | None:
        if name not in arrays:
            return None
        if arrays[name].shape != (atoms, 3):
            raise SternaError(
                f"{path}: error: {name} has the shape {arrays[name].shape}; expected ({atoms}, 3), as "
                f"the topology has {atoms} atoms",
                status=2,
            )
        if not numpy.isfinite(arrays[name]).all():
            raise SternaError(f"{path}: error: {name} has numbers that are not finite", status=2)
        return arrays[name].astype(float)

    positions, velocities = of_atoms("coordinates"), of_atoms("velocities")
    if positions is None:
        raise SternaError(f"{path}: error: the NetCDF file has no coordinates", status=2)
    box = None
    if "cell_lengths" in arrays:
        lengths = [float(x) for x in arrays["cell_lengths"].ravel()]
        angles = [float(x) for x in arrays.get("cell_angles", numpy.full(3, 90.0)).ravel()]
        if any(lengths):
            if len(lengths) != 3 or len(angles) != 3:
                raise SternaError(
                    f"{path}: error: a box has {len(lengths)} lengths and {len(angles)} angles; expected "
                    "three of each",
                    status=2,
                )
            finite = all(math.isfinite(value) for value in (*lengths, *angles))
            problem = problem_of(lengths, angles) if finite else "the box is not finite"
            if problem is not None:
                raise SternaError(f"{path}: error: {problem}", status=2)
            box = box_of(lengths, angles)
    return Coordinates(
        path,
        _ANGSTROM * positions,
        # `velocities` are in angstroms per ps: the reader applies the file's scale factor.
        None if velocities is None else _ANGSTROM * velocities,
        box,
    )
