"""The tree of the multipole method and its messages, as src/md/forces/coulomb/fmm makes them."""

import math
from dataclasses import dataclass

import numpy
from regions import Interval, Messages, bounds_of, common_cells

#: (order, relative error of the forces) of fmm_parameters.cpp, as far as they are wanted here.
MEASURED_ERRORS = [(3, 9e-3), (4, 4e-3), (5, 1.9e-3), (6, 9e-4), (7, 5e-4), (8, 2.6e-4)]
MEASURED_ERRORS += [(9, 1.4e-4), (10, 8e-5)]
MOST_TOP_CELLS = 64
MOST_SHARED_CELLS = 64  # of a level that all ranks have
MOST_BYTES_OF_SUMS = 128 * 1024 * 1024
LANES = 16  # of single precision with AVX-512
SUMS_OF_CHARGES = 8
SUMS_OF_BACKGROUND = 25
HEADER_OF_REDUCTION = 56
REAL = 4  # bytes of a coefficient
CHARGE = 12  # bytes of a charge's place in each step, and of the field at it


@dataclass(frozen=True)
class Tree:
    top: int  # cells along each edge of the cubic box
    levels: int  # below the top
    order: int

    @property
    def coefficients(self) -> int:
        return (self.order + 1) ** 2

    def cells(self, depth: int) -> int:
        return self.top << depth

    def leaves(self) -> int:
        return self.cells(self.levels) ** 3

    def __str__(self) -> str:
        below = f" and {self.levels} below" if self.levels else ""
        return f"{self.top}^3{below}, order {self.order}"


def work_of(tree: Tree, atoms: float) -> dict[str, float]:
    """The terms of fmm_parameters.cpp's cost on one core, in its ns."""
    coefficients, top, leaves = tree.coefficients, tree.top**3, tree.leaves()
    return {
        "near": 27 * 0.064 * atoms * (atoms / leaves + 31),
        "shifts": 189 * 8 / 7 * (leaves - top) * 0.08 * coefficients**1.5,
        "convolution": top * coefficients * (5 + 0.045 * 3 * tree.top + 0.017 * coefficients),
        "expansions": coefficients * (8 * leaves + 0.22 * atoms),
    }


def order_for(accuracy: float, charges_per_leaf: float) -> int | None:
    """None: a higher one than is wanted here."""
    factor = 0.2 + 46 / charges_per_leaf
    return next((order for order, error in MEASURED_ERRORS if error * factor <= accuracy), None)


def cost_on_ranks(tree: Tree, atoms: float, ranks: int) -> float:
    """What the choice goes by, as in fmm_parameters.cpp: ns on the busiest rank, with messages."""
    work = work_of(tree, atoms)
    coefficients, top = tree.coefficients, tree.top**3
    most_shared = min(ranks, MOST_SHARED_CELLS)
    top_is_shared_out = ranks > 1 and top > most_shared
    shared_cells, distributed_levels, shifted = (0 if top_is_shared_out else top), 0, 0.0
    for depth in range(1, tree.levels + 1):
        cells = tree.cells(depth) ** 3
        if not top_is_shared_out and tree.cells(depth - 1) ** 3 <= most_shared:
            shared_cells = cells
        else:
            distributed_levels += 1
        shifted += max(cells / ranks, 8)
    shifts = 189 * shifted * 0.08 * coefficients**1.5
    products = top * coefficients * 0.017 * coefficients
    transforms = work["convolution"] - products
    if top_is_shared_out:
        transforms /= min(ranks, -(-coefficients // LANES))
        products /= ranks
    computing = (work["near"] + work["expansions"]) / ranks + shifts + transforms + products
    if ranks == 1:
        return computing
    messages = distributed_levels * 2 * (1000 + min(26, ranks - 1) * 600)
    reduced = coefficients * shared_cells
    if shared_cells == 0:
        size = min(coefficients, LANES) * top * REAL
        messages += 4 * (1000 + (ranks - 1) * 600 + size / 6)
        reduced = SUMS_OF_BACKGROUND
    return computing + messages + math.ceil(math.log2(ranks)) * (1600 + reduced * (8 / 6 + 1))


def chosen(
    atoms: float, accuracy: float, width: float, ranks: int = 1, levels: int | None = None
) -> Tree | None:
    """The tree that `sterna-md` tries first; with `levels` (in all) as the input may name them.

    `width`: the least edge of a leaf in units of the box's.
    """
    best, lowest = None, math.inf
    for below in range(13) if levels is None else [levels - 1]:
        for top in range(2, MOST_TOP_CELLS + 1):
            order = order_for(accuracy, atoms / float(top << below) ** 3)
            if order is None or 1 / (top << below) < width:
                continue
            tree = Tree(top, below, order)
            if 8 * tree.coefficients * top**3 > MOST_BYTES_OF_SUMS:
                continue
            cost = cost_on_ranks(tree, atoms, ranks)
            if cost < lowest:
                best, lowest = tree, cost
    return best


@dataclass
class Partition:
    """Which cells belong to which ranks, along each axis of their grid."""

    tree: Tree
    grid: tuple[int, int, int]

    @property
    def ranks(self) -> int:
        return math.prod(self.grid)

    @property
    def first_distributed(self) -> int:
        depth = 0
        if self.ranks > 1:
            while depth < self.tree.levels and self.tree.cells(depth) ** 3 <= self.most_shared:
                depth += 1
        return depth

    @property
    def most_shared(self) -> int:
        return min(self.ranks, MOST_SHARED_CELLS)

    @property
    def top_distributed(self) -> bool:
        return (
            self.ranks > 1 and self.first_distributed == 0 and self.tree.top**3 > self.most_shared
        )

    def owned(self, depth: int, axis: int) -> list[Interval]:
        """Cells whose centers lie in the region."""
        n, ranks = self.tree.cells(depth), self.grid[axis]
        edge = [math.ceil(n * i / ranks - 0.5) for i in range(ranks + 1)]
        return list(zip(edge[:-1], edge[1:], strict=True))

    def touched(self, axis: int) -> list[Interval]:
        n, ranks = self.tree.cells(self.tree.levels), self.grid[axis]
        return [(n * i // ranks, -(-n * (i + 1) // ranks)) for i in range(ranks)]

    def below(self, depth: int, axis: int) -> list[Interval]:
        return self.touched(axis) if depth == self.tree.levels else self.owned(depth, axis)

    def counts(self, intervals) -> numpy.ndarray:
        """Cells of each rank; `intervals(axis)`."""
        x, y, z = (numpy.array([end - begin for begin, end in intervals(a)]) for a in range(3))
        return (x[None, None, :] * y[None, :, None] * z[:, None, None]).ravel()

    def _exchange(self, depth: int, provided, wanted) -> Messages:
        factors = [
            common_cells(provided(axis), wanted(axis), self.tree.cells(depth), once=True)
            for axis in range(3)
        ]
        return Messages.of_axes(self.grid, factors, REAL * self.tree.coefficients)

    def multipoles(self, depth: int) -> Messages:
        """To the ranks whose parents, or the parents' neighbors, they are of."""

        def wanted(axis: int) -> list[Interval]:
            return [(2 * (b - 1), 2 * (e + 1)) for b, e in self.owned(depth - 1, axis)]

        return self._exchange(depth, lambda axis: self.below(depth, axis), wanted)

    def locals(self, depth: int) -> Messages:
        """From those who have the parents to those who have the cells."""

        def provided(axis: int) -> list[Interval]:
            return [(2 * b, 2 * e) for b, e in self.owned(depth - 1, axis)]

        return self._exchange(depth, provided, lambda axis: self.below(depth, axis))

    def charges(self, atoms: float) -> Messages:
        """Places of the charges in half of the leaves around those that a rank touches."""
        n = self.tree.cells(self.tree.levels)
        factors = []
        most_cut = max(range(3), key=lambda axis: (self.grid[axis], axis))
        for axis in range(3):
            down = 0 if axis == most_cut else 1
            touched, bounds = self.touched(axis), bounds_of(self.grid[axis], float(n))
            factor = numpy.zeros((len(touched), len(touched)))
            for i, (begin, end) in enumerate(touched):
                for j, (lower, upper) in enumerate(touched):
                    for shift in (-2 * n, -n, 0, n, 2 * n):
                        b, e = max(lower, begin - down - shift), min(upper, end + 1 - shift)
                        if b < e:  # a leaf that two ranks touch has charges of both
                            factor[j, i] += max(0.0, min(e, bounds[j][1]) - max(b, bounds[j][0]))
            factors.append(factor)
        return Messages.of_axes(self.grid, factors, CHARGE * atoms / self.tree.leaves())

    def near_fields(self, atoms: float) -> Messages:
        """What the charges of others get goes back to them."""
        charges = self.charges(atoms)
        return Messages(charges.target, charges.source, charges.size)

    def _shares(self, count: int) -> numpy.ndarray:
        """How many of `count` things each rank has, as evenly as whole things allow."""
        edges = count * numpy.arange(self.ranks + 1) // self.ranks
        return edges[1:] - edges[:-1]

    def transforms(self) -> numpy.ndarray:
        """Coefficients that each rank transforms of a distributed top."""
        coefficients = self.tree.coefficients
        groups = -(-coefficients // LANES)
        edges = groups * numpy.arange(self.ranks + 1) // self.ranks * LANES
        edges = numpy.minimum(edges, coefficients)
        return edges[1:] - edges[:-1]

    def blocks(self) -> numpy.ndarray:
        """Blocks of waves that each rank multiplies."""
        top = self.tree.top
        return self._shares(-(-(top * top * (top // 2 + 1)) // LANES))

    def top_rounds(self) -> list[tuple[str, Messages]]:
        """The four rounds of a distributed top."""
        boxes = self.counts(self.touched if self.tree.levels == 0 else lambda a: self.owned(0, a))
        transforms, blocks = self.transforms(), self.blocks()

        def product(senders: numpy.ndarray, receivers: numpy.ndarray, size: float) -> Messages:
            source, target = numpy.nonzero(numpy.outer(senders, receivers))
            others = source != target
            source, target = source[others], target[others]
            return Messages(source, target, size * senders[source] * receivers[target])

        waves = 2 * LANES * REAL
        return [
            ("fmm top multipoles", product(boxes, transforms, REAL)),
            ("fmm top waves", product(transforms, blocks, waves)),
            ("fmm top waves back", product(blocks, transforms, waves)),
            ("fmm top local expansions", product(transforms, boxes, REAL)),
        ]

    def reduced_bytes(self) -> int:
        """Of the one reduction of the upper levels in each step."""
        if self.top_distributed:
            numbers = SUMS_OF_BACKGROUND
        else:
            numbers = self.tree.coefficients * self.tree.cells(self.first_distributed) ** 3
        return 8 * (numbers + SUMS_OF_CHARGES) + HEADER_OF_REDUCTION

    def exchanges(self, atoms: float) -> list[tuple[str, Messages]]:
        """By the names that a run gives them."""
        found = [("fmm charges", self.charges(atoms)), ("fmm near fields", self.near_fields(atoms))]
        if self.top_distributed:
            found += self.top_rounds()
        for depth in range(self.first_distributed + 1, self.tree.levels + 1):
            found.append((f"fmm multipoles, level {depth}", self.multipoles(depth)))
            found.append((f"fmm local expansions, level {depth}", self.locals(depth)))
        return found
