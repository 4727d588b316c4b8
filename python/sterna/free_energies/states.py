"""Free energies between the states of alchemical runs, by MBAR, BAR and thermodynamic integration."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from sterna.errors import SternaError
from sterna.free_energies.windows import _mbar

#: The least overlap of neighboring states that MBAR can join without a large error.
_LEAST_OVERLAP = 0.03
#: Rows that a statistical inefficiency can be had of.
_LEAST_ROWS = 10

_LEGEND = re.compile(r'@ s(\d+) legend "(.*)"')
_STATE = re.compile(r"state (\d+):")
_TUPLE = re.compile(r"to \(([^)]*)\)")
_DERIVATIVE = re.compile(r"dH/d\S* (\S+) = ")


@dataclass
class StateFile:
    """A `dhdl.xvg` of a run in one state."""

    path: Path
    state: int
    lambdas: list[tuple[float, ...]]
    #: Names of the parts of lambda, such as `coul-lambda`.
    parts: list[str]
    time: np.ndarray
    #: dU/dlambda of each part, by row.
    derivatives: np.ndarray
    #: Energies of all states minus that of the run's state, by row.
    differences: np.ndarray
    thermal_energy: float | None = None

    def from_time(self, time: float) -> "StateFile":
        """The rows from this time on."""
        kept = self.time >= time
        return StateFile(
            self.path, self.state, self.lambdas, self.parts, self.time[kept],
            self.derivatives[kept], self.differences[kept], self.thermal_energy,
        )  # fmt: skip


def read_states(path: Path) -> StateFile:
    """Reads a file of Sterna or GROMACS. Raises SternaError where it is damaged.

    A last line without an end, which a run may be writing, is left out.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SternaError(f"{path}: cannot be read: {error}") from error
    legends: dict[int, str] = {}
    state, thermal = None, None
    rows: list[list[float]] = []
    for number, line in enumerate(text[: text.rfind("\n") + 1].split("\n")[:-1], start=1):
        if line.startswith(("#", "@")):
            if line.startswith("# kT = "):
                thermal = _number(line[len("# kT = ") :], f"{path}:{number}")
            if found := _LEGEND.match(line):
                legends[int(found[1])] = found[2]
            elif line.startswith("@ subtitle") and (found := _STATE.search(line)):
                state = int(found[1])
            continue
        if not line.strip():
            continue
        row = [_number(word, f"{path}:{number}") for word in line.split()]
        if len(row) != len(legends) + 1:
            raise SternaError(
                f"{path}:{number}: there are {len(row)} numbers; expected {len(legends) + 1}"
            )
        rows.append(row)
    others = [k for k, legend in legends.items() if _TUPLE.search(legend)]
    derivatives = [k for k, legend in legends.items() if _DERIVATIVE.match(legend)]
    if state is None or not others:
        raise SternaError(f"{path}: is no file of alchemical states: it lacks their legends")
    lambdas = [
        tuple(_number(x, str(path)) for x in _TUPLE.search(legends[k])[1].split(","))
        for k in others
    ]
    if state >= len(lambdas):
        raise SternaError(
            f"{path}: is of state {state}, but has the energies of {len(lambdas)} states; with "
            "GROMACS calc-lambda-neighbors = -1 writes all"
        )
    table = np.array(rows, dtype=float).reshape(len(rows), len(legends) + 1)
    return StateFile(
        path, state, lambdas, [_DERIVATIVE.match(legends[k])[1] for k in derivatives],
        table[:, 0], table[:, [k + 1 for k in derivatives]], table[:, [k + 1 for k in others]],
        thermal,
    )  # fmt: skip


def _number(text: str, place: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise SternaError(f"{place}: expected a number in place of {text.strip()!r}") from None
    if not math.isfinite(value):
        raise SternaError(f"{place}: expected a finite number in place of {text.strip()!r}")
    return value


@dataclass
class StateFreeEnergies:
    """Free energies of all states, that of the first being 0, in the unit of the files."""

    lambdas: list[tuple[float, ...]]
    parts: list[str]
    free_energy: np.ndarray
    #: Standard errors of the differences from the first state.
    error: np.ndarray
    #: Differences of neighbors by BAR with their errors; NaN where one of them has no samples.
    bar: np.ndarray
    bar_error: np.ndarray
    #: The same by thermodynamic integration (trapezoidal rule), where derivatives are written.
    integrated: np.ndarray
    #: Share of samples that neighboring states have in common, from the overlap matrix of MBAR.
    overlap: np.ndarray
    warnings: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    #: What `pymbar.MBAR` takes: `u_kn` and `N_k`.
    states: dict[str, np.ndarray] | None = None

    def text(self) -> str:
        """A table, and the difference of the last state from the first."""
        names = " ".join(name.removesuffix("-lambda") for name in self.parts)
        lines = [f"#! FIELDS state {names} free_energy error bar bar_error integrated overlap"]
        for k, lambdas in enumerate(self.lambdas):
            row = [f"{k}", *(f"{x:g}" for x in lambdas)]
            row += [f"{self.free_energy[k]:.10g}", f"{self.error[k]:.6g}"]
            if k == 0:
                row += ["0", "0", "0", "1"]
            else:
                row += [f"{self.bar[k - 1]:.10g}", f"{self.bar_error[k - 1]:.6g}"]
                row += [f"{self.integrated[k - 1]:.10g}", f"{self.overlap[k - 1]:.4g}"]
            lines.append(" ".join(row))
        return "\n".join(lines) + "\n"


def free_energies_of_states(
    files: Sequence[StateFile], thermal_energy: float | None = None
) -> StateFreeEnergies:
    """The free energies of all states from runs in some of them.

    Samples are thinned by the statistical inefficiency of the energy differences between
    neighboring states, so that errors are those of independent samples.
    """
    pymbar = _mbar()
    if not files:
        raise SternaError("expected at least one file of alchemical states")
    first = files[0]
    thermal: set[float] = set()
    for file in files:
        if file.lambdas != first.lambdas:
            raise SternaError(f"{file.path}: has other states than {first.path}")
        kT = thermal_energy if thermal_energy is not None else file.thermal_energy
        if kT is None:
            raise SternaError(f"{file.path}: it does not say the temperature: give --temperature")
        thermal.add(kT)
        if len(file.time) < _LEAST_ROWS:
            raise SternaError(
                f"{file.path}: there are {len(file.time)} rows; expected at least {_LEAST_ROWS}"
            )
    if max(thermal) - min(thermal) > 1e-6 * max(thermal):
        raise SternaError("the runs have several temperatures")
    beta = 1.0 / thermal.pop()
    count = len(first.lambdas)
    samples: list[list[np.ndarray]] = [[] for _ in range(count)]
    slopes = [[] for _ in range(count)]
    inefficiencies = []
    for file in files:
        inefficiency = _inefficiency(pymbar, file)
        inefficiencies.append(inefficiency)
        kept = slice(None, None, max(1, math.ceil(inefficiency)))
        samples[file.state].append(beta * file.differences[kept])
        slopes[file.state].append(file.derivatives[kept])
    counts = np.array([sum(len(part) for part in of) for of in samples])
    u_kn = np.concatenate([part for of in samples for part in of]).T
    result = _by_mbar(pymbar, u_kn, counts, beta, first)
    result.remarks.append(
        f"{int(counts.sum())} independent samples of {sum(len(f.time) for f in files)} rows; "
        f"statistical inefficiency at most {max(inefficiencies):.3g} rows"
    )
    _add_neighbors(pymbar, result, samples, slopes, beta)
    for k in np.flatnonzero(counts == 0):
        result.warnings.append(f"no run was in state {k}: its free energy is extrapolated")
    for k, overlap in enumerate(result.overlap):
        if np.isfinite(overlap) and overlap < _LEAST_OVERLAP:
            result.warnings.append(
                f"states {k} and {k + 1} overlap by {overlap:.2g}, less than {_LEAST_OVERLAP}: the "
                "difference and its error are not reliable; a state between them helps"
            )
    return result


def _inefficiency(pymbar, file: StateFile) -> float:  # noqa: ANN001
    """The largest one of the energy differences from the run's state to its neighbors."""
    largest = 1.0
    for other in (file.state - 1, file.state + 1):
        if not 0 <= other < len(file.lambdas):
            continue
        series = file.differences[:, other]
        if np.ptp(series) > 0.0:
            largest = max(largest, float(pymbar.timeseries.statistical_inefficiency(series)))
    return largest


def _by_mbar(
    pymbar,  # noqa: ANN001
    u_kn: np.ndarray,
    counts: np.ndarray,
    beta: float,
    first: StateFile,
) -> StateFreeEnergies:
    mbar = pymbar.MBAR(u_kn, counts, solver_protocol="robust")
    found = mbar.compute_free_energy_differences()
    matrix = mbar.compute_overlap()["matrix"]
    size = len(counts) - 1
    # Each of two neighbors sees the other by its own share of the samples.
    overlap = np.array([min(matrix[k, k + 1], matrix[k + 1, k]) for k in range(size)])
    nothing = np.full(size, np.nan)
    return StateFreeEnergies(
        lambdas=first.lambdas, parts=first.parts,
        free_energy=found["Delta_f"][0] / beta, error=found["dDelta_f"][0] / beta,
        bar=nothing.copy(), bar_error=nothing.copy(), integrated=nothing.copy(), overlap=overlap,
        states={"u_kn": u_kn, "N_k": counts},
    )  # fmt: skip


def _add_neighbors(pymbar, result, samples, slopes, beta: float) -> None:  # noqa: ANN001
    for k in range(len(result.lambdas) - 1):
        if not samples[k] or not samples[k + 1]:
            result.overlap[k] = np.nan
            continue
        here, there = np.concatenate(samples[k]), np.concatenate(samples[k + 1])
        of = pymbar.bar(here[:, k + 1] - here[:, k], there[:, k] - there[:, k + 1])
        result.bar[k], result.bar_error[k] = of["Delta_f"] / beta, of["dDelta_f"] / beta
        path = np.array(result.lambdas[k + 1]) - np.array(result.lambdas[k])
        if len(path) == len(result.parts):
            means = [np.concatenate(slopes[n]).mean(axis=0) for n in (k, k + 1)]
            result.integrated[k] = 0.5 * float(path @ (means[0] + means[1]))
