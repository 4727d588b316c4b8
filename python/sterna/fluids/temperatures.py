"""Lists of temperatures, as the commands take them."""

import math
from collections.abc import Sequence

import numpy

from sterna.errors import SternaError

_MOST = 1000


def temperatures_of(given: str | float | Sequence[float]) -> numpy.ndarray:
    """The temperatures of "220,240", of "220:300:20" (from, to, step), of a number or numbers.

    Raises SternaError where they are no numbers above 0, or repeat.
    """
    if isinstance(given, str):
        values = [value for part in given.split(",") for value in _range(part.strip(), given)]
    else:
        values = [float(value) for value in numpy.atleast_1d(given)]
    for value in values:
        if not (math.isfinite(value) and value > 0.0):
            raise SternaError(f"the temperature {value:g}: expected a number above 0", 2)
    if not values:
        raise SternaError("no temperature is given", 2)
    if len(set(values)) < len(values):
        raise SternaError("a temperature is given twice", 2)
    return numpy.sort(numpy.array(values))


def _range(part: str, whole: str) -> list[float]:
    try:
        numbers = [float(number) for number in part.split(":")]
    except ValueError:
        numbers = []
    if len(numbers) == 1:
        return numbers
    if len(numbers) != 3 or not all(map(math.isfinite, numbers)) or numbers[2] <= 0.0:
        raise SternaError(
            f'the temperatures "{whole}": "{part}" is no number; expected numbers such as '
            "220,240,260 or FROM:TO:STEP such as 220:300:20",
            2,
        )
    first, last, step = numbers
    count = math.floor((last - first) / step * (1.0 + 1e-12) + 1e-9) + 1
    if count < 1:
        raise SternaError(f'the temperatures "{part}": TO is below FROM', 2)
    if count > _MOST:
        raise SternaError(f'the temperatures "{part}" are {count}; expected at most {_MOST}', 2)
    return [first + k * step for k in range(count)]
