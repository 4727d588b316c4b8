"""The exchanges of a run with replicas: acceptance, walks over the states, and how well they mix."""

import json
import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sterna.errors import SternaError

ENDING = ".replicas.jsonl"
#: Attempts that tell a poor acceptance from chance, and an acceptance that is poor.
_ENOUGH, _POOR = 20, 0.1
#: States that mix more slowly than this are told.
_SLOW = 0.995


def read_events(path: Path) -> list[dict]:
    """The lines of `NAME.replicas.jsonl`; a last one that a run is writing is left out."""
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
        return [json.loads(line) for line in lines[:-1]]
    except (OSError, ValueError) as error:
        raise SternaError(f"{path}: cannot be read: {error}") from error


@dataclass
class Exchanges:
    """What a run with replicas has exchanged so far."""

    path: Path
    #: Number of states. There are as many replicas, except in an expanded ensemble.
    count: int
    #: Of each attempt.
    step: np.ndarray
    #: `before[k, replica]` and `after[k, replica]`: states before and after the attempt k.
    before: np.ndarray
    after: np.ndarray
    #: Attempts to exchange states k and k + 1, and those that were accepted; None where the file does
    #: not tell, as before the end of a run by Gibbs sampling.
    attempts: np.ndarray | None
    accepted: np.ndarray | None
    #: Of an expanded ensemble: the weights of all states after each draw, in units of k T.
    weights: np.ndarray | None = None
    #: Whether these only become more precise.
    is_settled: bool = True

    @property
    def acceptance(self) -> np.ndarray | None:
        """The share of accepted attempts of states 0 and 1, 1 and 2, and so on; NaN of no attempts."""
        if self.attempts is None:
            return None
        return np.where(self.attempts > 0, self.accepted / np.maximum(self.attempts, 1), np.nan)

    @property
    def transition_matrix(self) -> np.ndarray:
        """The probability to be in state j after an attempt if in state i before.

        Transitions in both directions count alike. The matrix is symmetric where states are
        exchanged.
        """
        matrix = np.zeros((self.count, self.count))
        np.add.at(matrix, (self.before.ravel(), self.after.ravel()), 1.0)
        matrix += matrix.T
        return matrix / np.maximum(matrix.sum(axis=1, keepdims=True), 1.0)

    @property
    def second_eigenvalue(self) -> float:
        """The second largest one of that matrix: 1 where some states never mix."""
        matrix = self.transition_matrix
        return float(np.linalg.eigvalsh(np.sqrt(matrix * matrix.T))[-2])

    @property
    def round_trips(self) -> np.ndarray:
        """How many times each replica went from the first state to the last one and back."""
        replicas = self.before.shape[1]
        trips = np.zeros(replicas, dtype=int)
        for replica in range(replicas):
            walk = np.concatenate([self.before[:1, replica], self.after[:, replica]])
            ends = walk[(walk == 0) | (walk == self.count - 1)]
            turns = ends[np.concatenate([[True], ends[1:] != ends[:-1]])] if len(ends) else ends
            first = 0 if len(turns) and turns[0] == 0 else 1
            trips[replica] = max(0, (len(turns) - first - 1) // 2)
        return trips

    def text(self) -> list[str]:
        """Lines for users."""
        replicas = self.before.shape[1]
        lines = [
            f"{len(self.step)} attempts to change states of {replicas} replica"
            + ("" if replicas == 1 else "s")
        ]
        if self.weights is not None:
            shown = " ".join(f"{weight:.4f}" for weight in self.weights[-1])
            lines.append(f"weights of states in units of k T: {shown}")
        if self.acceptance is not None:
            shares = " ".join(f"{share:.3f}" for share in self.acceptance)
            lines.append(f"accepted between neighboring states: {shares}")
        lines.append(f"round trips through all states: {int(self.round_trips.sum())}")
        value = self.second_eigenvalue
        lines.append(f"second eigenvalue of the transition matrix: {value:.4f} (1: no mixing)")
        return lines

    def warnings(self) -> list[str]:
        """What is wrong with them."""
        told = []
        if self.acceptance is not None:
            for k, share in enumerate(self.acceptance):
                if self.attempts[k] >= _ENOUGH and share < _POOR:
                    told.append(
                        f"states {k} and {k + 1} overlap little: {share:.2g} of {self.attempts[k]} "
                        "attempts to exchange them were accepted; a state between them helps"
                    )
        if not self.is_settled:
            told.append(
                "the weights of the expanded ensemble have not settled: not all states were visited "
                "alike"
            )
        if len(self.step) >= _ENOUGH and not self.round_trips.any():
            told.append(
                "no replica has gone from the first state to the last one and back: samples of a "
                "state may depend on where its replicas began"
            )
        elif len(self.step) >= _ENOUGH and self.second_eigenvalue > _SLOW:
            steps = math.log(0.5) / math.log(self.second_eigenvalue)
            told.append(f"states mix slowly: it takes {steps:.3g} attempts to forget half of them")
        return told


def read_exchanges(path: Path) -> Exchanges | None:
    """The exchanges of a run, by its `NAME.replicas.jsonl`; None where there were no attempts."""
    events = read_events(path)
    try:
        rows = [row for row in events if row["event"] == "exchange"]
        ends = [row for row in events if row["event"] == "end"]
        if not rows or all("next_states" not in row for row in rows):
            return None
        before = np.array([row["states"] for row in rows])
        starts = [row for row in events if row["event"] == "start"]
        count = len(starts[0]["states"])
        attempts = accepted = weights = None
        settled = True
        # Attempts of a resumed run are in the lines of all its parts, and the last end counts all.
        if all("weights" in row for row in rows):
            weights = np.array([row["weights"] for row in rows])
            settled = bool(rows[-1]["settled"])
        elif all("attempts" in row for row in rows):
            attempts, accepted = np.zeros((2, count - 1), dtype=int)
            for row in rows:
                for attempt in row["attempts"]:
                    attempts[attempt["states"][0]] += 1
                    accepted[attempt["states"][0]] += attempt["accepted"]
        elif ends:
            attempts = np.array([pair["attempts"] for pair in ends[-1]["pairs"]])
            accepted = np.array([pair["accepted"] for pair in ends[-1]["pairs"]])
        if attempts is not None and not attempts.any():
            return None
        return Exchanges(
            path, count, np.array([row["step"] for row in rows]), before,
            np.array([row["next_states"] for row in rows]), attempts, accepted, weights, settled,
        )  # fmt: skip
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise SternaError(f"{path}: is damaged: {error!r}") from error


def exchanges_beside(paths: list[Path]) -> list[Exchanges]:
    """Those of the runs with replicas that wrote these `NAME.state-K.dhdl.xvg`."""
    found = []
    for path in paths:
        stem, is_of_state, _ = path.name.partition(".state-")
        log = path.with_name(stem + ENDING)
        if is_of_state and log.is_file() and log not in found:
            found.append(log)
    return [exchanges for log in found if (exchanges := read_exchanges(log)) is not None]
