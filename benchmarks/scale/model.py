"""What a step of water computes and sends on many ranks: measured costs, geometry, its plan."""

import math
from dataclasses import dataclass

import numpy
from network import Plan
from regions import Messages, direct_halo, grid_of, half_shell, staged_forces, staged_halo
from tree import Partition, Tree, chosen, work_of

DENSITY = 3 / 29.9e-3  # atoms of water in nm^3
CUTOFF = 0.9
ACCURACY = 1e-3
#: Bytes of a ghost in each step, when lists are rebuilt, and of its force on the way back.
PLACE, AT_REBUILD, FORCE = 24, 40, 12
#: Half a molecule's reach times 2.5, as the program wants leaves at least: of water, nm.
LEAST_LEAF = 0.25
TERMS = ("near", "shifts", "convolution", "expansions")
#: Small reductions: the header and the seven numbers of the rebuild decision.
SMALL_REDUCTION, NUMBERS_OF_SMALL = 112, 7
SUMS_OF_CHARGES = 8
ONE_NUMBER = 64


def fitted_factors(measured: list[dict]) -> dict[str, float]:
    """Of each term of the cost on one core, so that it follows the measured times of its part.

    By least squares of the relative deviation. Levels below a top have shifts, and the top's
    convolution.
    """

    def factor(pairs: list[tuple[float, float]]) -> float:
        ratios = [work / time for work, time in pairs]
        return sum(ratios) / sum(ratio**2 for ratio in ratios)

    cases = [
        (row, work_of(Tree(row["top"], row["below"], row["order"]), row["atoms"]))
        for row in measured
    ]
    factors = {
        "near": factor([(work["near"], row["near"]) for row, work in cases]),
        "expansions": factor([(work["expansions"], row["expansions"]) for row, work in cases]),
        "convolution": factor(
            [(work["convolution"], row["levels"]) for row, work in cases if row["below"] == 0]
        ),
    }
    factors["shifts"] = factor(
        [
            (work["shifts"], row["levels"] - factors["convolution"] * work["convolution"])
            for row, work in cases
            if row["below"] > 0
        ]
    )
    return factors


@dataclass
class Costs:
    """Measured on one core."""

    factors: dict[str, float]  # of the terms of the multipole method
    sizes: list[int]  # atoms on a rank
    others: list[float]  # ns for each atom of all but those terms, at these sizes
    pairs: float  # which part of that are the pairs of Lennard-Jones and their lists
    rebuild_interval: float
    skin: float
    migrating: float  # bytes that leave through each nm^2 of a region's surface at a rebuild

    def others_ns(self, atoms: float) -> float:
        return float(numpy.interp(math.log(atoms), numpy.log(self.sizes), self.others))

    def serial(self, tree: Tree, atoms: float) -> float:
        """Seconds of a step on one rank."""
        work = work_of(tree, atoms)
        multipole = sum(self.factors[term] * work[term] for term in TERMS)
        return 1e-9 * (multipole + atoms * self.others[-1])


def water_halo(
    grid: tuple[int, int, int],
    edges: tuple[float, float, float],
    width: float,
    size: float,
    *,
    staged: bool,
) -> list[Messages]:
    """`size`: bytes of an atom. Hydrogen, without pair forces, comes from half of the width.

    So does oxygen beyond the half shell, without stages.
    """
    oxygens, hydrogens = size * DENSITY / 3, 2 * size * DENSITY / 3
    if staged:
        stages = zip(
            staged_halo(grid, edges, width, oxygens),
            staged_halo(grid, edges, width / 2, hydrogens),
            strict=True,
        )
        return [oxygen.plus(hydrogen) for oxygen, hydrogen in stages]
    parts = [
        half_shell(grid, edges, width, oxygens),
        half_shell(grid, edges, width / 2, oxygens).returned(),
        direct_halo(grid, edges, width / 2, hydrogens),
    ]
    return [Messages.joined(parts)]


def water_forces(
    grid: tuple[int, int, int], edges: tuple[float, float, float], width: float, *, staged: bool
) -> list[Messages]:
    """Of oxygens alone."""
    per_volume = FORCE * DENSITY / 3
    if staged:
        return staged_forces(grid, edges, width, per_volume)
    return [half_shell(grid, edges, width, per_volume).returned()]


@dataclass
class Water:
    """A cube of water on a grid of ranks."""

    atoms: float
    ranks: int
    costs: Costs

    def __post_init__(self) -> None:
        self.grid = grid_of(self.ranks)
        self.edge = (self.atoms / DENSITY) ** (1 / 3)
        self.on_rank = self.atoms / self.ranks
        self.width = CUTOFF + self.costs.skin

    @property
    def edges(self) -> tuple[float, float, float]:
        return self.edge, self.edge, self.edge

    def tree(self, levels: int | None = None) -> Tree | None:
        return chosen(self.atoms, ACCURACY, LEAST_LEAF / self.edge, self.ranks, levels)

    def partition(self, tree: Tree) -> Partition:
        return Partition(tree, self.grid)

    def tree_by_levels(self) -> Tree:
        """By the key `levels`: that which takes least time by the estimate."""
        trees = {self.tree(levels) for levels in range(1, 10)} - {None}
        return min(
            trees, key=lambda tree: self.estimated_computing(tree) + self.estimated_messages(tree)
        )

    def halo(self, *, staged: bool, size: float = PLACE) -> list[Messages]:
        return water_halo(self.grid, self.edges, self.width, size, staged=staged)

    def migration(self) -> Messages:
        """A message to every neighbor, what leaves through the surface spread over all."""
        halo = self.halo(staged=False)[0]
        sides = [self.edge / n for n in self.grid]
        surface = 2 * (sides[0] * sides[1] + sides[1] * sides[2] + sides[2] * sides[0])
        share = self.costs.migrating * surface / max(1, halo.sent_by(0)[0])
        return Messages(halo.source, halo.target, numpy.full(len(halo.source), share))

    # Computing times of the multipole method, seconds of each rank.

    def near(self, partition: Partition) -> float:
        ns = 27 * 0.064 * self.on_rank * (self.atoms / partition.tree.leaves() + 31)
        return 1e-9 * self.costs.factors["near"] * ns

    def near_inside(self, partition: Partition) -> float:
        """Which part of the near pairs is between leaves of the rank itself."""
        part = 1.0
        for n in self.grid:
            along = partition.tree.cells(partition.tree.levels) / n
            part *= max(0.0, 1 - 2 / (3 * along))
        return part

    def _shift(self, tree: Tree) -> float:
        return 1e-9 * self.costs.factors["shifts"] * 0.08 * tree.coefficients**1.5

    def level(self, partition: Partition, depth: int) -> numpy.ndarray:
        """Multipoles to locals of a level that the ranks share among them, and shifts up, down."""
        parents = partition.counts(lambda axis: partition.owned(depth - 1, axis))
        return 8 * 189 * parents * self._shift(partition.tree)

    def shared_levels(self, partition: Partition) -> numpy.ndarray:
        """Of levels that every rank has as a whole: it shifts all up, and the rest for its own."""
        tree, first = partition.tree, partition.first_distributed
        total = numpy.zeros(self.ranks)
        for depth in range(1, first + 1):
            own = 8.0
            for n in self.grid:
                own *= max(1.0, tree.cells(depth - 1) / n + (depth < first))
            total += (own * 189 + tree.cells(depth) ** 3) * self._shift(tree)
        return total

    def convolution(self, partition: Partition) -> list[numpy.ndarray]:
        """Transforms, products, transforms back; of all of the top where it is not distributed."""
        tree = partition.tree
        ns = 1e-9 * self.costs.factors["convolution"] * tree.top**3
        transform, product = 5 + 0.045 * 3 * tree.top, 0.017 * tree.coefficients
        if not partition.top_distributed:
            return [numpy.full(self.ranks, ns * tree.coefficients * (transform + product))]
        transforms, blocks = partition.transforms(), partition.blocks()
        half = ns * transform * transforms / 2
        return [half, ns * tree.coefficients * product * blocks / blocks.sum(), half]

    def expansions(self, partition: Partition) -> numpy.ndarray:
        """Charges to multipoles, as long as locals to charges: one of the two."""
        touched = partition.counts(partition.touched)
        numbers = partition.tree.coefficients * (8 * touched + 0.22 * self.on_rank)
        return 0.5e-9 * self.costs.factors["expansions"] * numbers

    def estimated_computing(self, tree: Tree) -> float:
        """Seconds of the multipole method on the busiest rank."""
        partition = self.partition(tree)
        seconds = self.near(partition) + 2 * self.expansions(partition).max()
        seconds += self.shared_levels(partition).max()
        seconds += sum(part.max() for part in self.convolution(partition))
        for depth in range(partition.first_distributed + 1, tree.levels + 1):
            seconds += self.level(partition, depth).max()
        return seconds

    def estimated_messages(self, tree: Tree) -> float:
        """Seconds without contention, for the choice of a tree."""
        partition = self.partition(tree)
        overhead, latency, bandwidth = 0.6e-6, 1e-6, 6e9
        seconds = 0.0
        for _, messages in partition.exchanges(self.atoms):
            if not len(messages.source):
                continue
            received = numpy.bincount(messages.target).max()
            count = max(messages.busiest()[0], received)
            largest = numpy.bincount(messages.target, weights=messages.size).max()
            seconds += latency + count * overhead
            seconds += max(messages.busiest()[1], largest) / bandwidth
        size = partition.reduced_bytes()
        rounds = math.log2(self.ranks)
        return seconds + rounds * (overhead + latency + size / bandwidth + size / 8 * 1e-9)

    def plan(self, tree: Tree, *, staged=False, one_by_one=False, rebuild=False) -> Plan:
        """A step, in the order in which the program does it."""
        partition = self.partition(tree)
        others = 1e-9 * self.costs.others_ns(self.on_rank) * self.on_rank
        pairs = self.costs.pairs * others
        inside = 1.0
        for n in self.grid:
            inside *= max(0.0, 1 - 2 * self.width * n / self.edge)
        halo = self.halo(staged=staged)
        plan = Plan(self.ranks)

        def exchange(part: str, messages: list[Messages]) -> None:
            for each in messages:
                plan.exchange(part, each)

        def small_reductions(numbers: int, together: int) -> None:
            if one_by_one:
                for _ in range(numbers):
                    plan.reduce("reductions", ONE_NUMBER)
            elif together:
                plan.reduce("reductions", together)

        for _ in range(2):  # of the velocities of ghosts, for constraints
            plan.compute("computing", 0.5 * (others - pairs))
            exchange("halo", halo)
        small_reductions(NUMBERS_OF_SMALL, SMALL_REDUCTION)
        if rebuild:
            exchange("migration", [self.migration()])
            plan.reduce("reductions", SMALL_REDUCTION)
            exchange("halo", self.halo(staged=staged, size=AT_REBUILD))
            charges = partition.charges(self.atoms)
            for size in (4, 4):  # counts, and the charges
                part = Messages(charges.source, charges.target, charges.size * size / 12)
                exchange("charges nearby", [part])
        forces = water_forces(self.grid, self.edges, self.width, staged=staged)
        started = [plan.start("halo", halo[0])]
        charges = plan.start("charges nearby", partition.charges(self.atoms))
        plan.compute("computing", self.expansions(partition))
        self._tree_steps(plan, partition, started, pairs, inside, halo, forces, charges)
        small_reductions(SUMS_OF_CHARGES, 0)
        plan.compute("computing", self.expansions(partition))
        return plan

    def _tree_steps(self, plan, partition, started, pairs, inside, halo, forces, charges) -> None:
        tree, first = partition.tree, partition.first_distributed
        near, near_inside = self.near(partition), self.near_inside(partition)
        depths = range(tree.levels, first, -1)
        multipoles = {depth: partition.multipoles(depth) for depth in depths}
        top = partition.top_rounds() if partition.top_distributed else []
        convolution = self.convolution(partition)
        under_way = {}
        if tree.levels > first:
            under_way[tree.levels] = plan.start("levels", multipoles[tree.levels])
        elif top:
            under_way[0] = plan.start("top", top[0][1])
        plan.compute("computing", 0.5 * inside * pairs)
        plan.finish("halo", started[0])
        for stage in halo[1:]:
            plan.exchange("halo", stage)
        plan.compute("computing", (1 - inside) * pairs)
        returning = plan.start("halo", forces[0])
        plan.compute("computing", 0.5 * inside * pairs)
        plan.finish("halo", returning)
        for stage in forces[1:]:
            plan.exchange("halo", stage)
        plan.finish("charges nearby", charges)
        plan.compute("computing", (1 - near_inside) * near)
        fields = plan.start("charges nearby", partition.near_fields(self.atoms))
        # The rest of the near field hides what the far field's stages wait for.
        part = near_inside * near / max(1, (len(depths) > 0) + len(top[1:]))
        if not depths and not top:
            plan.compute("computing", part)
        for depth in depths:
            plan.finish("levels", under_way[depth])
            work = self.level(partition, depth)
            plan.compute("computing", work * 8 / 205)
            if depth - 1 > first:
                under_way[depth - 1] = plan.start("levels", multipoles[depth - 1])
            elif top:
                under_way[0] = plan.start("top", top[0][1])
            plan.compute("computing", work * 189 / 205)
        if depths:
            plan.compute("computing", part)
        waves = top[1:]
        for work, (_, messages) in zip(convolution[: len(waves)], waves, strict=True):
            plan.finish("top", under_way[0])
            plan.compute("computing on few ranks", work)
            under_way[0] = plan.start("top", messages)
            plan.compute("computing", part)
        plan.finish("charges nearby", fields)
        plan.reduce("reductions", partition.reduced_bytes())
        if top:
            plan.finish("top", under_way[0])
        else:
            plan.compute("computing", self.shared_levels(partition) + convolution[0])
        for depth in reversed(depths):
            plan.compute("computing", self.level(partition, depth) * 8 / 205)
            plan.exchange("levels", partition.locals(depth))
