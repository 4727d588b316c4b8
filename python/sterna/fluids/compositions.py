"""Compositions of mixtures as callers give them, and as whole molecules have them."""

from collections.abc import Sequence

import numpy

from sterna.errors import SternaError

_ROUNDING = 1e-6  #: of the sum of shares
_MOVED = 0.01  #: how far whole molecules may move a share, relative, before that is told
_OUTSIDE = "expected shares above 0 and below 1"
_DILUTE = "Infinite dilution has Henry constants, which [insertion] computes in the other liquid"


def compositions_of(given: str | Sequence, count: int) -> list[tuple[float, ...]]:
    """The shares of "0.2,0.5" (of two components that of the first one) or "0.2/0.3/0.5".

    Also of a number, of several, of rows of numbers, and of several texts. Raises SternaError where
    they are no shares of `count` components.
    """
    parts = _parts(given, count)
    if not parts:
        raise SternaError(f"there is no composition; expected one as in {_example(count)}", 2)
    found = [_shares(part, count) for part in parts]
    if len(set(found)) < len(found):
        raise SternaError("a composition is given twice", 2)
    return found


def _parts(given: object, count: int) -> list:
    if isinstance(given, str):
        return given.split(",")
    parts = _items(given)
    if not any(isinstance(part, str) or _items(part) is not None for part in parts or ()):
        # Of two components each number is a composition, and of more all of them are one.
        parts = [given] if parts is None else parts
        return [tuple(parts)] if count > 2 and parts else parts
    return [
        piece for part in parts for piece in (part.split(",") if isinstance(part, str) else [part])
    ]


def _items(given: object) -> list | None:
    """What is in a sequence or an array; None where it is neither."""
    if isinstance(given, numpy.ndarray):
        given = given.tolist()
    return list(given) if isinstance(given, (list, tuple)) else None


def _shares(part: object, count: int) -> tuple[float, ...]:
    items = part.split("/") if isinstance(part, str) else _items(part)
    items = [part] if items is None else items
    shown = part if isinstance(part, str) else "/".join(str(item) for item in items)
    shares = []
    for item in items:
        try:
            shares.append(float(item))
        except (TypeError, ValueError):
            raise SternaError(f'the composition "{shown}": "{item}" is no number', 2) from None
    if count == 2 and len(shares) == 1:
        shares.append(1.0 - shares[0])
    if len(shares) != count:
        raise SternaError(
            f'the composition "{shown}": {len(shares)} shares; expected {count}, as in '
            + _example(count),
            2,
        )
    if 0.0 in shares and max(shares) < 1.0:
        raise SternaError(
            f'the composition "{shown}": {_OUTSIDE}; leave out a component without molecules. '
            + _DILUTE,
            2,
        )
    if not all(0.0 < share < 1.0 for share in shares):
        raise SternaError(
            f'the composition "{shown}": {_OUTSIDE}; a pure fluid needs no composition. ' + _DILUTE,
            2,
        )
    if abs(sum(shares) - 1.0) > _ROUNDING:
        raise SternaError(f'the composition "{shown}": the shares add up to {sum(shares):g}', 2)
    return tuple(float(f"{share:.6g}") for share in shares)


def _example(count: int) -> str:
    return "/".join(f"{1.0 / count:.2g}" for _ in range(count))


def whole_compositions(
    wanted: Sequence[tuple[float, ...]], molecules: int, names: Sequence[str]
) -> tuple[list[tuple[float, ...]], list[str]]:
    """The shares that whole molecules have, and notes where these are not the wanted ones.

    Raises SternaError where a component has no molecule.
    """
    found: list[tuple[float, ...]] = []
    notes = []
    for shares in wanted:
        shown = "/".join(f"{share:g}" for share in shares)
        counts = whole_molecules(shares, molecules)
        for name, share, count in zip(names, shares, counts, strict=True):
            if count == 0:
                raise SternaError(
                    f'the composition "{shown}": of {molecules} molecules none is {name}; expected '
                    f"--molecules of at least {_enough(share)}",
                    2,
                )
            if abs(count / molecules / share - 1.0) > _MOVED:
                notes.append(
                    f"the share of {name} is {count / molecules:g} and not {share:g}: it has "
                    f"{count} of {molecules} molecules"
                )
        there = tuple(count / molecules for count in counts)
        if there in found:
            raise SternaError(
                f'the composition "{shown}": of {molecules} whole molecules it is the same as '
                "another one",
                2,
            )
        found.append(there)
    return found, notes


def _enough(share: float) -> int:
    """Of so many molecules one has this share."""
    return max(1, round(1.0 / share))


def whole_molecules(shares: Sequence[float], molecules: int) -> list[int]:
    """How many molecules a box of these shares starts with, as the engine counts them.

    Each share is rounded down, and what is left goes to the largest fractional parts.
    """
    exact = molecules * numpy.array(shares) / numpy.sum(shares)
    counts = numpy.floor(exact).astype(int)
    order = numpy.argsort(counts - exact, kind="stable")
    counts[order[: molecules - counts.sum()]] += 1
    return [int(count) for count in counts]
