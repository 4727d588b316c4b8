"""Arrays that users give: whole arrays of numbers, or an error that names argument and row."""

from typing import TYPE_CHECKING

import numpy

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

_EXACT = 2**53  #: whole numbers up to here are exact as floating-point numbers


def numbers(name: str, values: "ArrayLike") -> numpy.ndarray:
    """Returns an array of float in C order. Raises TypeError for complex values and for values that
    are no numbers.

    Raises ValueError for rows of different lengths, masked values, and whole numbers that a float
    does not hold.
    """
    array = _array(name, values)
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{name}: expected numbers, not an array of {array.dtype}")
    if array.dtype.kind in "iu" and array.size and array.dtype.itemsize == 8:
        # `abs` of the lowest number of 64 bits is negative.
        wrong = numpy.flatnonzero((array.reshape(-1) > _EXACT) | (array.reshape(-1) < -_EXACT))
        if len(wrong):
            raise ValueError(f"{name}: {array.reshape(-1)[wrong[0]]} has more digits than a float")
    return numpy.asarray(array, float, order="C")


def finite(name: str, values: "ArrayLike") -> numpy.ndarray:
    """Does the same as `numbers`, and also raises ValueError, naming the row, for values that are
    not finite.
    """
    array = numbers(name, values)
    wrong = numpy.argwhere(~numpy.isfinite(array))
    if len(wrong):
        row = f"row {wrong[0][0]} " if array.ndim else ""
        raise ValueError(f"{name}: {row}is not finite: {array[wrong[0][0]] if row else array}")
    return array


def whole_numbers(
    name: str, values: "ArrayLike", least: int, most: int, kind: type = numpy.int64
) -> numpy.ndarray:
    """Returns an array of integers from `least` to `most`, in C order.

    Raises TypeError for what is no number, or a truth value, and ValueError, naming the row, for
    numbers that are not whole or out of these bounds.
    """
    array = _array(name, values)
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{name}: expected whole numbers, not an array of {array.dtype}")
    rows = array.reshape(-1)
    # NaN is not whole, either.
    wrong = ~((rows >= least) & (rows <= most))
    if array.dtype.kind == "f":
        wrong |= (rows != numpy.floor(rows)) | (abs(rows) > _EXACT)
    if wrong.any():
        row = int(numpy.argmax(wrong))
        raise ValueError(
            f"{name}: row {row} is {rows[row]}, expected whole numbers from {least} to {most}"
        )
    return numpy.asarray(array, kind, order="C")


def _array(name: str, values: "ArrayLike") -> numpy.ndarray:
    if isinstance(values, numpy.ma.MaskedArray) and numpy.ma.getmaskarray(values).any():
        raise ValueError(f"{name}: the array has masked values")
    try:
        return numpy.asarray(values)
    except (ValueError, OverflowError) as error:
        raise ValueError(f"{name}: this is no array of numbers: {error}") from None
