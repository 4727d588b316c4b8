"""Free energy differences of the states of a run with replicas, by MBAR."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from sterna.errors import SternaError

GAS_CONSTANT = 0.00831446261815324  # kJ/mol/K

#: The least overlap of neighboring states that MBAR can join without a large error.
_LEAST_OVERLAP = 0.03


@dataclass
class StateEnergies:
    """The samples of one state: what each of them has in all states, in units of k T."""

    path: Path
    state: int
    #: The temperature by which the file's energies are multiplied.
    temperature: float
    times: np.ndarray
    #: `reduced[sample, state]`, less that of the sample's own state.
    reduced: np.ndarray


@dataclass
class StateDifferences:
    """Free energies of states, in units of k T of each, from that of state 0."""

    free_energy: np.ndarray
    error: np.ndarray
    #: `overlap[i, j]`: the share of state j in the samples of state i.
    overlap: np.ndarray
    #: What `pymbar.MBAR` takes: reduced energies by state and sample, and numbers of samples.
    u_kn: np.ndarray
    N_k: np.ndarray
    #: Steps of the series from one independent sample to the next.
    inefficiency: np.ndarray
    warnings: list[str] = field(default_factory=list)

    def text(self) -> str:
        """A table, with the overlap with the next state in the last column."""
        lines = ["#! FIELDS state free_energy error samples overlap_with_next"]
        last = len(self.free_energy) - 1
        for k in range(last + 1):
            overlap = f"{self.overlap[k, k + 1]:.4f}" if k < last else "nan"
            lines.append(
                f"{k} {self.free_energy[k]:.6f} {self.error[k]:.6f} {self.N_k[k]} {overlap}"
            )
        return "\n".join(lines) + "\n"


def is_file_of_state(path: Path) -> bool:
    """Whether the name is that of a file of the energies of a state."""
    return path.name.endswith(".dhdl.xvg")


def read_state_energies(path: Path) -> StateEnergies:
    """Reads `NAME.state-K.dhdl.xvg`. Raises SternaError where it is damaged.

    A last line without an end, which a run may be writing, is left out.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SternaError(f"{path}: cannot be read: {error}") from error
    subtitle = re.search(r'^@ subtitle "T = (\S+) \(K\) .*state (\d+): ', text, re.MULTILINE)
    states = len(re.findall(r"^@ s\d+ legend .* to ", text, re.MULTILINE))
    if subtitle is None or states == 0:
        raise SternaError(f"{path}: has not the head of a file of energies of a state")
    temperature, state = float(subtitle[1]), int(subtitle[2])
    if state >= states:
        raise SternaError(f"{path}: is of state {state}, and has columns of {states} states")
    rows = []
    lines = text.split("\n")
    for number, line in enumerate(lines[:-1], 1):
        if not line or line[0] in "#@":
            continue
        try:
            row = [float(word) for word in line.split()]
        except ValueError:
            raise SternaError(f"{path}:{number}: expected numbers, here {line!r}") from None
        if len(row) != states + 1:
            raise SternaError(
                f"{path}:{number}: expected {states + 1} numbers, here are {len(row)}"
            )
        rows.append(row)
    table = np.array(rows, dtype=float).reshape(len(rows), states + 1)
    reduced = table[:, 1:] / (GAS_CONSTANT * temperature)
    return StateEnergies(path, state, temperature, table[:, 0], reduced)


def _mbar():  # noqa: ANN202
    try:
        # pymbar tells of its choice of a library, which nobody has asked for.
        import logging

        logging.getLogger("pymbar").setLevel(logging.ERROR)
        import pymbar
        import pymbar.timeseries
        import pymbar.utils
    except ImportError as error:
        raise SternaError("free energies of states need pymbar: pip install pymbar") from error
    return pymbar


def _inefficiency(pymbar, of: StateEnergies) -> float:  # noqa: ANN001
    """Of the difference from a neighbor, by which states exchange."""
    neighbor = of.state + 1 if of.state + 1 < of.reduced.shape[1] else of.state - 1
    series = of.reduced[:, neighbor]
    if len(series) < 3 or np.ptp(series) == 0.0:
        return 1.0
    return float(pymbar.timeseries.statistical_inefficiency(series))


def _solve(pymbar, samples: Sequence[np.ndarray]):  # noqa: ANN001, ANN202
    counts = np.array([len(of) for of in samples])
    u_kn = np.concatenate(samples).T
    # From zeros the solver may miss free energies of many k T.
    mbar = pymbar.MBAR(u_kn, counts, solver_protocol="robust", initialize="BAR")
    try:
        found = mbar.compute_free_energy_differences()
    except pymbar.utils.ParameterError as error:
        raise SternaError(f"MBAR finds no free energies from these samples: {error}") from error
    return mbar, u_kn, counts, found["Delta_f"][0], found["dDelta_f"][0]


def differences_of_states(
    files: Sequence[StateEnergies], begin: float | None = None
) -> StateDifferences:
    """Free energies of all states that the files have samples of, by MBAR.

    Samples are thinned by their statistical inefficiency, so that errors are those of independent
    ones. `begin`: the time before which samples are left out.
    """
    pymbar = _mbar()
    ordered = sorted(files, key=lambda of: of.state)
    states = ordered[0].reduced.shape[1]
    if [of.state for of in ordered] != list(range(states)):
        have = ", ".join(str(of.state) for of in ordered)
        raise SternaError(f"expected a file of each of {states} states, here are those of {have}")
    if any(of.reduced.shape[1] != states for of in ordered):
        raise SternaError("the files are of runs with different numbers of states")
    kept, inefficiency, warnings = [], [], []
    for of in ordered:
        rows = of.reduced if begin is None else of.reduced[of.times >= begin]
        if len(rows) < 10:
            raise SternaError(f"{of.path}: there are {len(rows)} samples; expected at least 10")
        part = StateEnergies(of.path, of.state, of.temperature, of.times, rows)
        inefficiency.append(_inefficiency(pymbar, part))
        kept.append(rows[:: max(1, round(inefficiency[-1]))])
        if len(kept[-1]) < 50:
            warnings.append(f"{of.path}: only {len(kept[-1])} independent samples; run it longer")
    mbar, u_kn, counts, free_energy, error = _solve(pymbar, kept)
    overlap = np.asarray(mbar.compute_overlap()["matrix"])
    for k in range(states - 1):
        if overlap[k, k + 1] < _LEAST_OVERLAP:
            warnings.append(
                f"states {k} and {k + 1} overlap by {overlap[k, k + 1]:.2g} only, and their "
                "difference is hardly known: put a state between them"
            )
    if min(counts) >= 20:
        warnings += _halves_that_differ(pymbar, kept)
    return StateDifferences(
        free_energy, error, overlap, u_kn, counts, np.array(inefficiency), warnings
    )


def _halves_that_differ(pymbar, kept: Sequence[np.ndarray]) -> list[str]:  # noqa: ANN001
    """Whether the first and the second half of the samples tell different free energies."""
    first = _solve(pymbar, [of[: len(of) // 2] for of in kept])
    second = _solve(pymbar, [of[len(of) // 2 :] for of in kept])
    away = np.abs(first[3] - second[3])
    error = np.hypot(first[4], second[4])
    worst = int(np.argmax(away - 4.0 * error))
    if away[worst] <= 4.0 * error[worst]:
        return []
    return [
        f"the first half of the samples gives {first[3][worst]:.3g} k T for state {worst}, and the "
        f"second half {second[3][worst]:.3g}: the run has not converged; leave out its beginning "
        "by --from, or run it longer"
    ]
