"""Regions of a regular grid of ranks, and what of them lies near others: axis by axis.

A message from one region to another is a box, or a sum of boxes for the periodic images; the
number of its cells, or its volume, is a product of one factor for each axis. So the messages of
thousands of ranks follow from a few small matrices.
"""

from dataclasses import dataclass

import numpy


def grid_of(ranks: int) -> tuple[int, int, int]:
    """The grid of least surface that `sterna-md` chooses for a cube (src/md/domain)."""
    best, least = (0, 0, 0), float("inf")
    for x in range(1, ranks + 1):
        if ranks % x:
            continue
        for y in range(1, ranks // x + 1):
            if ranks // x % y:
                continue
            z = ranks // x // y
            surface = 1 / (x * y) + 1 / (y * z) + 1 / (z * x)
            if surface < least * (1 - 1e-12):
                best, least = (x, y, z), surface
    return best


@dataclass
class Messages:
    """Of one exchange: who sends how many bytes to whom. Without those to the rank itself."""

    source: numpy.ndarray
    target: numpy.ndarray
    size: numpy.ndarray

    @classmethod
    def of_axes(cls, grid: tuple[int, int, int], factors: list[numpy.ndarray], size: float):
        """`factors[axis][j, i]`: of what ranks at j send to those at i; 0: no message."""
        sparse = [numpy.nonzero(factor) for factor in factors]
        source = numpy.zeros(1, dtype=numpy.int64)
        target, amount = source.copy(), numpy.ones(1)
        stride = 1
        for axis, (j, i) in enumerate(sparse):
            source = (source[:, None] + stride * j).ravel()
            target = (target[:, None] + stride * i).ravel()
            amount = (amount[:, None] * factors[axis][j, i]).ravel()
            stride *= grid[axis]
        others = source != target
        return cls(source[others], target[others], size * amount[others])

    def plus(self, other: "Messages") -> "Messages":
        """With the bytes of another exchange in the same messages, which has no others."""
        key = self.source * (self.source.max(initial=0) + 1) + self.target
        of_other = other.source * (self.source.max(initial=0) + 1) + other.target
        order = numpy.argsort(key)
        size = self.size.copy()
        size[order[numpy.searchsorted(key, of_other, sorter=order)]] += other.size
        return Messages(self.source, self.target, size)

    @classmethod
    def joined(cls, parts: "list[Messages]") -> "Messages":
        """One message from one rank to another, with the bytes of all parts."""
        source = numpy.concatenate([part.source for part in parts])
        target = numpy.concatenate([part.target for part in parts])
        size = numpy.concatenate([part.size for part in parts])
        ranks = target.max(initial=0) + 1
        keys, place = numpy.unique(source * ranks + target, return_inverse=True)
        return cls(keys // ranks, keys % ranks, numpy.bincount(place, weights=size))

    def returned(self) -> "Messages":
        """The same bytes back to where they came from."""
        return Messages(self.target, self.source, self.size)

    def sent_by(self, rank: int) -> tuple[int, float]:
        """Messages and bytes."""
        own = self.source == rank
        return int(own.sum()), float(self.size[own].sum())

    def busiest(self) -> tuple[int, float]:
        """The most messages that a rank sends, and the most bytes."""
        if not len(self.source):
            return 0, 0.0
        bytes_of = numpy.bincount(self.source, weights=self.size)
        return int(numpy.bincount(self.source).max()), float(bytes_of.max())


Interval = tuple[int, int]


def common_cells(
    provided: list[Interval], wanted: list[Interval], cells: int, *, once: bool
) -> numpy.ndarray:
    """(j, i): cells along an axis that j has and i wants, the box being periodic.

    `once`: a cell that is wanted by several of its images counts once.
    """
    factor = numpy.zeros((len(provided), len(wanted)))
    for i, (begin, end) in enumerate(wanted):
        for j, (lower, upper) in enumerate(provided):
            found: list[int] = []
            for image in range(-2, 3):
                shift = image * cells
                found += range(max(lower, begin - shift), min(upper, end - shift))
            factor[j, i] = len(set(found)) if once else len(found)
    return factor


def common_lengths(
    bounds: list[tuple[float, float]],
    wanted: list[tuple[float, float]],
    length: float,
    images_from: int | None = None,
    images_to: int | None = None,
) -> numpy.ndarray:
    """(j, i): how much of region j along an axis lies within what i wants, with its images.

    Regions that only touch what is wanted count with a tiny length: they are peers.
    """
    factor = numpy.zeros((len(bounds), len(wanted)))
    for i, (begin, end) in enumerate(wanted):
        images = int(numpy.ceil((end - begin) / length)) + 1
        first = -images if images_from is None else images_from
        last = images if images_to is None else images_to
        for j, (lower, upper) in enumerate(bounds):
            for image in range(first, last + 1):
                shift = image * length
                common = min(upper, end - shift) - max(lower, begin - shift)
                if common >= -1e-9 * length:
                    factor[j, i] += max(common, 1e-12 * length)
    return factor


def bounds_of(ranks: int, length: float) -> list[tuple[float, float]]:
    return [(length * i / ranks, length * (i + 1) / ranks) for i in range(ranks)]


def direct_halo(
    grid: tuple[int, int, int], edges: tuple[float, float, float], width: float, size: float
) -> Messages:
    """Every rank to all within reach; `size`: bytes of a unit of volume."""
    factors = []
    for axis in range(3):
        bounds = bounds_of(grid[axis], edges[axis])
        wanted = [(lower - width, upper + width) for lower, upper in bounds]
        factors.append(common_lengths(bounds, wanted, edges[axis]))
    return Messages.of_axes(grid, factors, size)


def staged_halo(
    grid: tuple[int, int, int], edges: tuple[float, float, float], width: float, size: float
) -> list[Messages]:
    """x, then y, then z, each stage with what came before."""
    stages = []
    for axis in range(3):
        factors = []
        for other in range(3):
            part = edges[other] / grid[other]
            if other == axis:
                bounds = bounds_of(grid[axis], edges[axis])
                wanted = [(lower - width, upper + width) for lower, upper in bounds]
                factors.append(common_lengths(bounds, wanted, edges[axis]))
            else:
                known = part + (2 * width if other < axis else 0.0)
                factors.append(known * numpy.eye(grid[other]))
        stages.append(Messages.of_axes(grid, factors, size))
    return stages


def half_shell(
    grid: tuple[int, int, int], edges: tuple[float, float, float], width: float, size: float
) -> Messages:
    """What of the direct halo comes to half shells (`Halo::half_shell`)."""
    anywhere, above, beside = [], [], []
    for axis in range(3):
        bounds = bounds_of(grid[axis], edges[axis])
        wanted = [(lower - width, upper + width) for lower, upper in bounds]
        here = common_lengths(bounds, wanted, edges[axis], 0, 0)
        anywhere.append(common_lengths(bounds, wanted, edges[axis]))
        above.append(common_lengths(bounds, wanted, edges[axis], 1, None) + numpy.tril(here, -1))
        beside.append(numpy.diag(numpy.diag(here)))
    parts = [beside[:axis] + [above[axis]] + anywhere[axis + 1 :] for axis in range(3)]
    return Messages.joined([Messages.of_axes(grid, factors, size) for factors in parts])


def staged_forces(
    grid: tuple[int, int, int], edges: tuple[float, float, float], width: float, size: float
) -> list[Messages]:
    """Back from z to x: the half shell in the first stage, what came there and the rest then."""
    stages = staged_halo(grid, edges, width, size)
    last = stages[-1]
    stages[-1] = Messages(last.source, last.target, 0.5 * last.size)
    return [stage.returned() for stage in reversed(stages)]
