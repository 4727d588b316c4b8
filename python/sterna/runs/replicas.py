"""Runs with replicas: one job of them, and what it found."""

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sterna.errors import SternaError
from sterna.results.log import Log, read_log
from sterna.results.outputs import settings_of
from sterna.runs.start import launched

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from sterna.free_energies import Exchanges, StateFreeEnergies


class Replicas:
    """The replicas of an input that has `[replicas]`.

    >>> replicas = sterna.Replicas("examples/replica_exchange.toml").run(ranks=2)
    >>> replicas.acceptance  # of states 0 and 1, 1 and 2 ...
    >>> replicas.states  # states[k, replica]: before the attempt number k
    >>> replicas.free_energies().free_energy  # of each state, in units of k T

    Numbers are in the units of the input. What an earlier job has found is there without `run`.
    """

    def __init__(self, input: str | Path) -> None:  # noqa: A002 - the word a user expects
        self.path = Path(input)
        settings = settings_of(self.path)
        if "replicas" not in settings:
            raise SternaError(f"{input}: has no [replicas]; sterna.run runs it")
        #: The number of replicas.
        self.count: int = settings["replicas"]
        self._stem = Path(settings["directory"]) / settings["name"]

    def run(
        self,
        ranks: int | None = None,
        resume: bool = False,
        show: bool = False,
        overwrite: bool = False,
        steps: int | None = None,
    ) -> "Replicas":
        """Runs all replicas on `ranks` ranks (default: all cores); arguments as of `sterna.run`."""
        launched(self.path, ranks, resume=resume, show=show, overwrite=overwrite, steps=steps)
        return Replicas(self.path)

    @cached_property
    def events(self) -> list[dict]:
        """The lines of `NAME.replicas.jsonl`."""
        from sterna.free_energies.exchanges import read_events

        return read_events(self._log)

    @property
    def _log(self) -> Path:
        return Path(f"{self._stem}.replicas.jsonl")

    @cached_property
    def exchanges(self) -> "Exchanges":
        """Acceptance, walks and round trips so far, also of a run that has not ended."""
        from sterna.free_energies import read_exchanges

        found = read_exchanges(self._log)
        if found is None:
            raise SternaError(f"{self._log}: there were no attempts to exchange states")
        return found

    @property
    def state_count(self) -> int:
        """The number of states; as many as replicas, except in an expanded ensemble."""
        return len(self.events[0]["states"])

    def _of_attempts(self, quantity: str) -> np.ndarray:
        return np.array([row[quantity] for row in self.events if row["event"] == "exchange"])

    @property
    def steps(self) -> np.ndarray:
        """The step of each attempt to exchange."""
        return self._of_attempts("step")

    @property
    def states(self) -> np.ndarray:
        """The state of each replica before each attempt."""
        return self._of_attempts("states")

    @property
    def potential_energy(self) -> np.ndarray:
        """Of each replica at each attempt."""
        return self._of_attempts("potential_energy")

    @property
    def volume(self) -> np.ndarray:
        """Of each replica at each attempt."""
        return self._of_attempts("volume")

    @property
    def end(self) -> dict:
        """What the end of the run reported: pairs, round trips, transition matrix."""
        ends = [row for row in self.events if row["event"] == "end"]
        if not ends:
            raise SternaError(f"{self._log}: the run has not ended")
        return ends[-1]

    @property
    def acceptance(self) -> np.ndarray:
        """The share of accepted attempts of states 0 and 1, 1 and 2, and so on."""
        return np.array([pair["acceptance"] for pair in self.end["pairs"]])

    @property
    def round_trips(self) -> np.ndarray:
        """How many times each replica went from the first state to the last one and back."""
        return self.exchanges.round_trips

    @property
    def transition_matrix(self) -> np.ndarray:
        """The probability to be in state j after an attempt if in state i before."""
        return self.exchanges.transition_matrix

    @property
    def weights(self) -> np.ndarray:
        """Of an expanded ensemble: the weights of all states after each draw, in units of k T."""
        if self.exchanges.weights is None:
            raise SternaError(f"{self._log}: weights are those of an expanded ensemble")
        return self.exchanges.weights

    def plot(self) -> "Figure":
        """A figure of matplotlib: acceptance, transitions, and walks of replicas over states."""
        from sterna.free_energies.plots import figure_of_exchanges

        return figure_of_exchanges(self.exchanges)

    def by_state(self, quantity: str) -> list[np.ndarray]:
        """The values of "potential_energy" or "volume" in each state, over the attempts."""
        values, states = self._of_attempts(quantity), self.states
        return [values[states == state] for state in range(self.state_count)]

    def log(self, replica: int) -> Log:
        """The log of a replica; its column "state" says in which state a row is.

        Its averages, and results of observers of the replica, are over all states that it visited.
        """
        return read_log(f"{self._stem}.replica-{replica}.log.jsonl")

    def free_energies(self, begin: float | None = None) -> "StateFreeEnergies":
        """The free energies of all states, by MBAR.

        `begin`: the time before which samples are left out.
        """
        from sterna.free_energies import free_energies_of_states, read_states

        paths = [Path(f"{self._stem}.state-{state}.dhdl.xvg") for state in range(self.state_count)]
        files = [read_states(path) for path in paths]
        if begin is not None:
            files = [file.from_time(begin) for file in files]
        return free_energies_of_states(files)
