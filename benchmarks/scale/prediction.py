"""What the formulas say of a recorded run on 8 ranks, and which tree a water has on many ranks."""

from collections.abc import Callable
from dataclasses import replace

from model import AT_REBUILD, CUTOFF, PLACE, Water, water_forces, water_halo
from recording import Case
from regions import grid_of
from tree import CHARGE, Partition, Tree


def predicted(
    case: Case, tree: Tree, skin: float, steps: int, rebuilds: int, ranks: int = 8
) -> dict[str, Callable[[int], tuple[int, float]]]:
    """By the names of exchanges: messages and bytes that rank 0 sends in that many rounds."""
    grid = grid_of(ranks)
    partition = Partition(tree, grid)
    lists = rebuilds + 1  # with that of the start
    (halo,) = water_halo(grid, case.edges, CUTOFF + skin, 1.0, staged=False)
    messages, atoms = halo.sent_by(0)

    def of_halo(rounds: int) -> tuple[int, float]:
        return rounds * messages, atoms * (lists * AT_REBUILD + (rounds - lists) * PLACE)

    def of_charges(rounds: int) -> tuple[int, float]:
        messages, size = partition.charges(case.atoms).sent_by(0)
        # Of each list also a round of the leaves' counts, left out here, and one of charges.
        moved = size * (rounds - 2 * lists) + size * lists * 4 / CHARGE
        return rounds * messages, moved

    def of(messages) -> Callable[[int], tuple[int, float]]:
        count, size = messages.sent_by(0)
        return lambda rounds: (rounds * count, rounds * size)

    found = {name: of(messages) for name, messages in partition.exchanges(case.atoms)}
    (forces,) = water_forces(grid, case.edges, CUTOFF + skin, staged=False)
    found["halo forces"] = of(forces)
    return found | {"halo positions": of_halo, "fmm charges": of_charges}


def tree_of_water(water: Water, kind: str) -> Tree:
    """`chosen`, the best by `levels`, or that `of one core`."""
    if kind == "of one core":
        return replace(water, ranks=1).tree()
    return water.tree() if kind == "chosen" else water.tree_by_levels()
