"""The command region: a row for each style that is evaluated.

Source: https://docs.lammps.org/region.html. Points on a surface are inside.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy

from sterna.importing.lammps.command import Command
from sterna.importing.lammps.lattice import Lattice

Inside = Callable[[numpy.ndarray], numpy.ndarray]  #: function that selects points, (n, 3)


@dataclass(frozen=True)
class Region:
    """`why_not`: the reason why the region is not evaluated, an error if it is needed."""

    command: Command
    style: str
    inside: Inside | None = None
    why_not: str = ""
    lower: tuple[float, ...] = ()  #: lower corner of a block or prism
    upper: tuple[float, ...] = ()
    tilt: tuple[float, ...] = (0.0, 0.0, 0.0)

    def holds(self, points: numpy.ndarray) -> numpy.ndarray:
        """Raises SternaError where the region is not evaluated."""
        if self.inside is None:
            self.command.fail(1, f"{self.why_not} of a region is not taken over")
        return self.inside(points)


@dataclass
class _Reader:
    command: Command
    scale: tuple[float, float, float]
    box: tuple[numpy.ndarray, numpy.ndarray] | None  #: lower and upper bounds
    regions: dict[str, Region]

    def length(self, k: int, axis: int, what: str) -> float:
        return self.scale[axis] * self.command.number(k, what)

    def bound(self, k: int, axis: int, is_high: bool, what: str) -> float:
        word = self.command.word(k, what)
        if word in ("INF", "EDGE") and self.box is None:
            self.command.fail(k, f"{word} stands before there is a box")
        if word == "INF":
            return 1.0e20 if is_high else -1.0e20
        if word == "EDGE":
            return float(self.box[is_high][axis])
        return self.length(k, axis, what)


def _block(r: _Reader) -> Region:
    limits = [r.bound(2 + n, n // 2, bool(n % 2), "a bound of the block") for n in range(6)]
    low, high = numpy.array(limits[::2]), numpy.array(limits[1::2])
    if (low > high).any():
        r.command.fail(None, "the upper bounds of the block must not be below the lower ones")
    return Region(r.command, "block", lambda p: ((p >= low) & (p <= high)).all(axis=1),
                  "", tuple(low), tuple(high))  # fmt: skip


def _prism(r: _Reader) -> Region:
    limits = [r.bound(2 + n, n // 2, bool(n % 2), "a bound of the prism") for n in range(6)]
    low, high = numpy.array(limits[::2]), numpy.array(limits[1::2])
    if (low >= high).any():
        r.command.fail(None, "the upper bounds of the prism must be above the lower ones")
    tilt = tuple(r.length(8 + n, (0, 0, 1)[n], "a tilt of the prism") for n in range(3))
    box = numpy.diag(high - low)
    box[1, 0], box[2, 0], box[2, 1] = tilt
    inverse = numpy.linalg.inv(box)

    def inside(points: numpy.ndarray) -> numpy.ndarray:
        parts = (points - low) @ inverse
        return ((parts >= 0.0) & (parts <= 1.0)).all(axis=1)

    return Region(r.command, "prism", inside, "", tuple(low), tuple(high), tilt)


def _sphere(r: _Reader) -> Region:
    center = numpy.array([r.length(2 + n, n, "the center of the sphere") for n in range(3)])
    radius = r.length(5, 0, "the radius of the sphere")

    def inside(points: numpy.ndarray) -> numpy.ndarray:
        d = points - center
        return numpy.sqrt(d[:, 0] * d[:, 0] + d[:, 1] * d[:, 1] + d[:, 2] * d[:, 2]) <= radius

    return Region(r.command, "sphere", inside)


def _cylinder(r: _Reader) -> Region:
    axis = r.command.word(2, "an axis")
    if axis not in ("x", "y", "z"):
        r.command.unknown(2, "axis", ["x", "y", "z"])
    k = "xyz".index(axis)
    first, second = [n for n in range(3) if n != k]
    center = (r.length(3, first, "the center of the cylinder"),
              r.length(4, second, "the center of the cylinder"))  # fmt: skip
    radius = r.length(5, first, "the radius of the cylinder")
    low = r.bound(6, k, False, "the lower end of the cylinder")
    high = r.bound(7, k, True, "the upper end of the cylinder")

    def inside(points: numpy.ndarray) -> numpy.ndarray:
        d, e = points[:, first] - center[0], points[:, second] - center[1]
        return (
            (numpy.sqrt(d * d + e * e) <= radius) & (points[:, k] >= low) & (points[:, k] <= high)
        )

    return Region(r.command, "cylinder", inside)


def _of_others(style: str) -> Callable[[_Reader], Region]:
    def read(r: _Reader) -> Region:
        count = r.command.integer(2, "the number of regions", 2, 10**6)
        parts = []
        for k in range(3, 3 + count):
            name = r.command.word(k, "a region")
            if name not in r.regions:
                r.command.fail(k, f'there is no region "{name}"')
            parts.append(r.regions[name])
        join = numpy.any if style == "union" else numpy.all
        return Region(
            r.command, style, lambda points: join([one.holds(points) for one in parts], axis=0)
        )

    return read


#: How to read a style, and where its keys begin; 0: behind the names of other regions.
_STYLES: dict[str, tuple[Callable[[_Reader], Region], int]] = {
    "block": (_block, 8),
    "prism": (_prism, 11),
    "sphere": (_sphere, 6),
    "cylinder": (_cylinder, 8),
    "union": (_of_others("union"), 0),
    "intersect": (_of_others("intersect"), 0),
}


def read_region(
    command: Command,
    lattice: Lattice,
    box: tuple[numpy.ndarray, numpy.ndarray] | None,
    regions: dict[str, Region],
) -> Region:
    """`box`: its bounds where there is one. Raises SternaError with line and column."""
    style = command.word(1, "the style of a region")
    if style not in _STYLES:
        return Region(command, style, None, f"the style {style}")
    read, k = _STYLES[style]
    words = command.arguments
    if not k:
        k = 3 + command.integer(2, "the number of regions", 2, 10**6)
    outside, scale, first = False, lattice.spacing, k
    while k < len(words):
        word, value = words[k], words[k + 1 : k + 2]
        if word == "side" and value in (["in"], ["out"]):
            outside = value == ["out"]
        elif word == "units" and value in (["box"], ["lattice"]):
            scale = (1.0, 1.0, 1.0) if value == ["box"] else lattice.spacing
        elif word in ("move", "rotate", "open"):
            return Region(command, style, None, f'the key "{word}"')
        else:
            command.unknown(
                k, "key or value of region", ["side", "units", "move", "rotate", "open"]
            )
        k += 2
    if any(word.startswith("v_") for word in words[2:first]):
        return Region(command, style, None, "a variable as a length")
    made = read(_Reader(command, scale, box, regions))
    if outside:
        inside = made.inside
        return Region(command, style, lambda points: ~inside(points))
    return made
