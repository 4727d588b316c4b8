"""Plots of free energies: overlap, convergence and walks of replicas, or a profile."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from sterna.free_energies.exchanges import Exchanges
from sterna.free_energies.profile import Profile
from sterna.free_energies.states import StateFreeEnergies
from sterna.support.libraries import library

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: States of which an overlap matrix has room for numbers.
_MOST_NUMBERS = 12
#: Walks that can be told apart.
_MOST_WALKS = 8


def _figure(rows: int) -> "Figure":
    made = library("matplotlib.figure", "a plot", "matplotlib").Figure
    return made(figsize=(6.4, 4.0 * rows), layout="constrained")


def figure_of_states(found: StateFreeEnergies, exchanges: Sequence[Exchanges] = ()) -> "Figure":
    """The overlap of states, the convergence of the last one, and the walks of each run."""
    made = _figure(2 + len(exchanges))
    rows = 2 + len(exchanges)
    _add_overlap(made.add_subplot(rows, 1, 1), found)
    _add_convergence(made.add_subplot(rows, 1, 2), found)
    for number, of in enumerate(exchanges):
        add_walks(made.add_subplot(rows, 1, 3 + number), of)
    return made


def figure_of_exchanges(exchanges: Exchanges) -> "Figure":
    """The acceptance between neighboring states or the weights, the transitions, and the walks."""
    made = _figure(3)
    axes = made.add_subplot(3, 1, 1)
    if exchanges.weights is not None:
        for state, weights in enumerate(exchanges.weights.T):
            axes.plot(exchanges.step, weights, label=f"state {state}")
        axes.set_xlabel("step")
        axes.set_ylabel("weight (k T)")
        axes.legend(fontsize="small", ncols=2)
    else:
        if exchanges.acceptance is not None:
            axes.bar(np.arange(exchanges.count - 1) + 0.5, exchanges.acceptance, width=0.8)
        axes.set_xticks(range(exchanges.count))
        axes.set_ylim(0.0, 1.0)
        axes.set_xlabel("between states")
        axes.set_ylabel("accepted")
    axes = made.add_subplot(3, 1, 2)
    _add_matrix(axes, exchanges.transition_matrix)
    axes.set_title(f"transitions; second eigenvalue {exchanges.second_eigenvalue:.4f}")
    add_walks(made.add_subplot(3, 1, 3), exchanges)
    return made


def figure_of_profile(profile: Profile) -> "Figure":
    """The free energy along a variable, with errors."""
    made = _figure(1)
    axes = made.add_subplot(1, 1, 1)
    if profile.error is None:
        axes.plot(profile.values, profile.free_energy)
    else:
        axes.errorbar(profile.values, profile.free_energy, profile.error, fmt="o-", capsize=3)
    axes.set_xlabel(profile.variable)
    axes.set_ylabel("free energy")
    return made


def _add_matrix(axes: "Axes", matrix: np.ndarray) -> None:
    axes.imshow(matrix, vmin=0.0, vmax=1.0, cmap="Blues")
    axes.set_xlabel("state")
    axes.set_ylabel("state")
    count = len(matrix)
    if count > _MOST_NUMBERS:
        return
    axes.set_xticks(range(count))
    axes.set_yticks(range(count))
    for (row, column), value in np.ndenumerate(matrix):
        if value >= 0.005:
            color = "white" if value > 0.5 else "black"
            axes.text(column, row, f"{value:.2f}", ha="center", va="center", color=color)


def _add_overlap(axes: "Axes", found: StateFreeEnergies) -> None:
    _add_matrix(axes, found.overlap)
    axes.set_title("overlap of states")


def _add_convergence(axes: "Axes", found: StateFreeEnergies) -> None:
    for label, parts in found.convergence().items():
        if len(parts):
            share, value, error = parts.T
            axes.errorbar(share, value, error, fmt="o-", capsize=3, label=label)
    low, high = (found.free_energy[-1] + sign * found.error[-1] for sign in (-1.0, 1.0))
    axes.axhspan(low, high, color="gray", alpha=0.3)
    axes.set_xlabel("share of the samples")
    axes.set_ylabel("last state minus the first (k T)")
    axes.legend()


def add_walks(axes: "Axes", exchanges: Exchanges) -> None:
    """The state of each replica over the attempts; of the first replicas where there are many."""
    shown = min(exchanges.before.shape[1], _MOST_WALKS)
    for replica in range(shown):
        axes.step(
            exchanges.step, exchanges.after[:, replica], where="post", linewidth=0.8,
            label=f"replica {replica}",
        )  # fmt: skip
    axes.set_xlabel("step")
    axes.set_ylabel("state")
    trips = int(exchanges.round_trips.sum())
    axes.set_title(f"walks of replicas: {trips} round trip{'' if trips == 1 else 's'}")
    axes.legend(fontsize="small", ncols=2)
