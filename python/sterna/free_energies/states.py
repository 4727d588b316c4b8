"""Free energies of alchemical states and of the states of replicas, by MBAR, BAR and integration."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from sterna.errors import SternaError
from sterna.free_energies.mbar import LEAST_OVERLAP, import_pymbar
from sterna.support.constants import KJ_MOL_PER_K

#: Rows that a statistical inefficiency can be had of.
_LEAST_ROWS = 10
#: Independent samples of a state below which the run is too short to trust.
_FEW_SAMPLES = 50

_LEGEND = re.compile(r'@ s(\d+) legend "(.*)"')
_SUBTITLE = re.compile(r"T = (\S+) \(K\) .*state (\d+):")
_OTHER = re.compile(r" to \(?([-+0-9.eE, ]+)\)?$")
_DERIVATIVE = re.compile(r"dH/d\S* (\S+) = ")


@dataclass
class StateFile:
    """A `dhdl.xvg`: the samples of one state."""

    path: Path
    state: int
    #: Of each state, as the file names them. States of replicas that differ in more than alchemical
    #: parameters have their numbers at the end.
    lambdas: list[tuple[float, ...]]
    #: Names of the parts of lambda, such as `coul-lambda`, of which there are derivatives.
    parts: list[str]
    time: np.ndarray
    #: dU/dlambda of each part, by row.
    derivatives: np.ndarray
    #: Energies of all states minus that of the state of the samples, by row.
    differences: np.ndarray
    #: k T, by which `differences` are divided for reduced energies.
    thermal_energy: float

    def from_time(self, time: float) -> "StateFile":
        """The rows from this time on."""
        kept = self.time >= time
        return replace(
            self,
            time=self.time[kept],
            derivatives=self.derivatives[kept],
            differences=self.differences[kept],
        )

    def reduced(self) -> np.ndarray:
        """`differences` in units of k T."""
        return self.differences / self.thermal_energy


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
            place = f"{path}:{number}"
            if line.startswith("# kT = "):
                thermal = _number(line[len("# kT = ") :], place)
            if found := _LEGEND.match(line):
                legends[int(found[1])] = found[2]
            elif line.startswith("@ subtitle") and (found := _SUBTITLE.search(line)):
                state = int(found[2])
                if thermal is None:
                    thermal = KJ_MOL_PER_K * _number(found[1], place)
            continue
        if not line.strip():
            continue
        row = [_number(word, f"{path}:{number}") for word in line.split()]
        if len(row) != len(legends) + 1:
            raise SternaError(
                f"{path}:{number}: there are {len(row)} numbers; expected {len(legends) + 1}"
            )
        rows.append(row)
    others = [k for k, legend in legends.items() if _OTHER.search(legend)]
    derivatives = [k for k, legend in legends.items() if _DERIVATIVE.match(legend)]
    if state is None or thermal is None or not others:
        raise SternaError(f"{path}: is no file of states: it lacks their legends")
    lambdas = [
        tuple(_number(x, str(path)) for x in _OTHER.search(legends[k])[1].split(","))
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
    """Free energies of all states in units of k T of each, that of the first being 0."""

    lambdas: list[tuple[float, ...]]
    parts: list[str]
    free_energy: np.ndarray
    #: Standard errors of the differences from the first state.
    error: np.ndarray
    #: Differences of neighbors by BAR with their errors; NaN where one of them has no samples.
    bar: np.ndarray
    bar_error: np.ndarray
    #: The same by thermodynamic integration (trapezoidal rule), NaN without derivatives.
    integrated: np.ndarray
    #: `overlap[i, j]`: the share of state j in the samples of state i.
    overlap: np.ndarray
    #: What `pymbar.MBAR` takes: reduced energies by state and sample, and numbers of samples.
    u_kn: np.ndarray
    N_k: np.ndarray
    #: k T of the files, in the unit of their energies.
    thermal_energy: float
    warnings: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    def text(self) -> str:
        """A table with a row for each state; `bar`, `integrated` and `overlap` are of the state and
        the one before."""
        names = [name.removesuffix("-lambda") for name in self.parts]
        has_parts = self.is_path
        columns = ["state", *names, "free_energy", "error", "bar", "bar_error"]
        columns += ["integrated"] if has_parts else []
        lines = [f"#! FIELDS {' '.join(columns)} overlap samples"]
        for k, lambdas in enumerate(self.lambdas):
            row = [f"{k}", *(f"{x:g}" for x in lambdas[: len(names)])]
            row += [f"{self.free_energy[k]:.6f}", f"{self.error[k]:.6f}"]
            if k == 0:
                row += ["0", "0", *(["0"] if has_parts else []), "1"]
            else:
                row += [f"{self.bar[k - 1]:.6f}", f"{self.bar_error[k - 1]:.6f}"]
                row += [f"{self.integrated[k - 1]:.6f}"] if has_parts else []
                row += [f"{self.of_neighbors()[k - 1]:.4f}"]
            lines.append(" ".join([*row, f"{self.N_k[k]}"]))
        return "\n".join(lines) + "\n"

    @property
    def is_path(self) -> bool:
        """Whether states differ in the parts of lambda alone, of which there are derivatives."""
        return bool(self.parts) and len(self.parts) == len(self.lambdas[0])

    def convergence(self, parts: int = 10) -> dict[str, np.ndarray]:
        """The last free energy from shares of the samples: `forward` from their first ones, and
        `backward` from their last ones.

        Each is an array with a row for each share: the share, the free energy and its error. Shares
        with too few samples are left out.
        """
        pymbar = import_pymbar()
        samples = np.split(self.u_kn.T, np.cumsum(self.N_k)[:-1])
        rows: dict[str, list] = {"forward": [], "backward": []}
        for part in range(1, parts + 1):
            taken = [len(of) * part // parts for of in samples]
            if min(n for n, all_of in zip(taken, self.N_k, strict=True) if all_of) < _LEAST_ROWS:
                continue
            for name, cut in (
                ("forward", [of[:n] for of, n in zip(samples, taken, strict=True)]),
                ("backward", [of[len(of) - n :] for of, n in zip(samples, taken, strict=True)]),
            ):
                _, _, _, free_energy, error = _solve(pymbar, cut)
                rows[name].append((part / parts, free_energy[-1], error[-1]))
        return {name: np.array(of).reshape(-1, 3) for name, of in rows.items()}

    def of_neighbors(self) -> np.ndarray:
        """The overlap of each state with the next one."""
        # Each of two neighbors sees the other by its own share of the samples.
        return np.minimum(np.diag(self.overlap, 1), np.diag(self.overlap, -1))


def free_energies_of_states(
    files: Sequence[StateFile], thermal_energy: float | None = None
) -> StateFreeEnergies:
    """The free energies of all states from samples of some of them.

    Samples are thinned by the statistical inefficiency of the energy differences between
    neighboring states, so that errors are those of independent samples. `thermal_energy`: k T, where
    the files are wrong about it. Raises SternaError for files that do not belong together.
    """
    pymbar = import_pymbar()
    if not files:
        raise SternaError("expected at least one file of states")
    if thermal_energy is not None:
        files = [replace(file, thermal_energy=thermal_energy) for file in files]
    first = files[0]
    count = len(first.lambdas)
    kept: list[list[np.ndarray]] = [[] for _ in range(count)]
    slopes: list[list[np.ndarray]] = [[] for _ in range(count)]
    inefficiencies = []
    for file in files:
        if file.lambdas != first.lambdas:
            raise SternaError(f"{file.path}: has other states than {first.path}")
        if not math.isclose(file.thermal_energy, first.thermal_energy, rel_tol=1e-6):
            raise SternaError(f"{file.path}: has another temperature than {first.path}")
        if len(file.time) < _LEAST_ROWS:
            raise SternaError(
                f"{file.path}: there are {len(file.time)} rows; expected at least {_LEAST_ROWS}"
            )
        inefficiency = _inefficiency(pymbar, file)
        inefficiencies.append(inefficiency)
        every = slice(None, None, max(1, math.ceil(inefficiency)))
        kept[file.state].append(file.reduced()[every])
        slopes[file.state].append(file.derivatives[every] / file.thermal_energy)
    samples = [np.concatenate(of) if of else np.empty((0, count)) for of in kept]
    mbar, u_kn, counts, free_energy, error = _solve(pymbar, samples)
    nothing = np.full(count - 1, np.nan)
    result = StateFreeEnergies(
        first.lambdas, first.parts, free_energy, error, nothing.copy(), nothing.copy(),
        nothing.copy(), np.asarray(mbar.compute_overlap()["matrix"]), u_kn, counts,
        first.thermal_energy,
    )  # fmt: skip
    result.remarks.append(
        f"{int(counts.sum())} independent samples of {sum(len(f.time) for f in files)} rows; "
        f"statistical inefficiency at most {max(inefficiencies):.3g} rows"
    )
    _add_neighbors(pymbar, result, samples, slopes)
    _add_warnings(pymbar, result, samples)
    return result


def _inefficiency(pymbar, file: StateFile) -> float:  # noqa: ANN001
    """The largest one of the energy differences from the samples' state to its neighbors."""
    largest = 1.0
    for other in (file.state - 1, file.state + 1):
        if not 0 <= other < len(file.lambdas):
            continue
        series = file.differences[:, other]
        if np.ptp(series) > 0.0:
            largest = max(largest, float(pymbar.timeseries.statistical_inefficiency(series)))
    return largest


def _solve(pymbar, samples: Sequence[np.ndarray]):  # noqa: ANN001, ANN202
    counts = np.array([len(of) for of in samples])
    u_kn = np.concatenate(samples).T
    try:
        # From zeros the solver may miss free energies of many k T.
        mbar = pymbar.MBAR(u_kn, counts, solver_protocol="robust", initialize="BAR")
        found = mbar.compute_free_energy_differences()
    except pymbar.utils.ParameterError as error:
        raise SternaError(f"MBAR finds no free energies from these samples: {error}") from error
    return mbar, u_kn, counts, found["Delta_f"][0], found["dDelta_f"][0]


def _add_neighbors(pymbar, result, samples, slopes) -> None:  # noqa: ANN001
    for k in range(len(result.lambdas) - 1):
        here, there = samples[k], samples[k + 1]
        if len(here) == 0 or len(there) == 0:
            continue
        of = pymbar.bar(here[:, k + 1] - here[:, k], there[:, k] - there[:, k + 1])
        result.bar[k], result.bar_error[k] = of["Delta_f"], of["dDelta_f"]
        path = np.array(result.lambdas[k + 1]) - np.array(result.lambdas[k])
        if len(path) == len(result.parts):
            means = [np.concatenate(slopes[n]).mean(axis=0) for n in (k, k + 1)]
            result.integrated[k] = 0.5 * float(path @ (means[0] + means[1]))


def _add_warnings(pymbar, result: StateFreeEnergies, samples: Sequence[np.ndarray]) -> None:  # noqa: ANN001
    for k, count in enumerate(result.N_k):
        if count == 0:
            result.warnings.append(f"no samples are of state {k}: its free energy is extrapolated")
        elif count < _FEW_SAMPLES:
            result.warnings.append(f"state {k} has only {count} independent samples; run it longer")
    for k, overlap in enumerate(result.of_neighbors()):
        if min(result.N_k[k], result.N_k[k + 1]) > 0 and overlap < LEAST_OVERLAP:
            result.warnings.append(
                f"states {k} and {k + 1} overlap by {overlap:.2g}, less than {LEAST_OVERLAP}: the "
                "difference and its error are not reliable; a state between them helps"
            )
    if min(result.N_k[result.N_k > 0]) >= 20:
        result.warnings += _halves_that_differ(pymbar, samples)


def _halves_that_differ(pymbar, samples: Sequence[np.ndarray]) -> list[str]:  # noqa: ANN001
    """Whether the first and the second half of the samples tell different free energies."""
    first = _solve(pymbar, [of[: len(of) // 2] for of in samples])
    second = _solve(pymbar, [of[len(of) // 2 :] for of in samples])
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
