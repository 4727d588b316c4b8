"""The free energy along a variable from umbrella windows, by MBAR."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sterna.errors import SternaError
from sterna.free_energies.fields import FieldsFile
from sterna.free_energies.mbar import LEAST_OVERLAP, import_pymbar
from sterna.free_energies.profile import Profile


@dataclass
class _Window:
    """The uncorrelated samples of a run, and its umbrella."""

    file: FieldsFile
    values: np.ndarray
    center: float
    stiffness: float
    inefficiency: float


def _umbrella(file: FieldsFile, variable: str | None) -> tuple[str, str]:
    """The names of the harmonic bias and of its variable."""
    found = [
        name[: -len(".kind")]
        for name, kind in file.constants.items()
        if name.endswith(".kind") and kind == "harmonic"
    ]
    of = {bias: file.constants.get(f"{bias}.variable", "") for bias in found}
    if variable is not None:
        of = {bias: name for bias, name in of.items() if name == variable}
    if len(of) != 1:
        wanted = "" if variable is None else f" on {variable!r}"
        raise SternaError(f"{file.path}: expected one harmonic bias{wanted}; there are {len(of)}")
    return next(iter(of.items()))


def _others(file: FieldsFile, bias: str) -> list[str]:
    """Biases besides the umbrella, which would have to be taken away, too."""
    kinds = [name[: -len(".kind")] for name in file.constants if name.endswith(".kind")]
    return [name for name in kinds if name != bias and np.any(file.column(f"{name}.bias") != 0.0)]


def profile_of_windows(
    files: Sequence[FieldsFile],
    variable: str | None = None,
    thermal_energy: float | None = None,
    bins: int = 50,
) -> Profile:
    """The free energy at the middles of bins, from the values of runs with harmonic umbrellas.

    Each file says the umbrella's center and stiffness and k T. Samples are thinned by their
    statistical inefficiency, so that errors are those of independent ones.
    """
    pymbar = import_pymbar()
    if len(files) < 2:
        raise SternaError("expected the values of at least two windows")
    windows: list[_Window] = []
    named: set[str] = set()
    thermal: set[float] = set()
    for file in files:
        bias, of = _umbrella(file, variable)
        named.add(of)
        if others := _others(file, bias):
            raise SternaError(f"{file.path}: there are other biases, too: {', '.join(others)}")
        center, stiffness = file.number(f"{bias}.center"), file.number(f"{bias}.stiffness")
        if center is None or stiffness is None:
            raise SternaError(f"{file.path}: it does not say the center and stiffness of {bias!r}")
        kT = thermal_energy if thermal_energy is not None else file.number("kT")
        if kT is None:
            raise SternaError(f"{file.path}: it does not say the temperature: give --temperature")
        thermal.add(kT)
        values = file.column(of)
        if len(values) < 10:
            raise SternaError(f"{file.path}: there are {len(values)} rows; expected at least 10")
        away = _nearest(values - center, file.period(of))
        inefficiency = 1.0 if np.ptp(away) == 0.0 else _inefficiency(pymbar, away)
        kept = values[:: max(1, round(inefficiency))]
        windows.append(_Window(file, kept, center, stiffness, inefficiency))
    if len(named) != 1:
        raise SternaError(f"the windows are of several variables: {', '.join(sorted(named))}")
    if max(thermal) - min(thermal) > 1e-6 * max(thermal):
        raise SternaError("the windows have several temperatures")
    return _by_mbar(pymbar, windows, named.pop(), thermal.pop(), bins)


def _inefficiency(pymbar, series: np.ndarray) -> float:  # noqa: ANN001
    return float(pymbar.timeseries.statistical_inefficiency(series))


def _nearest(away: np.ndarray, period: tuple[float, float] | None) -> np.ndarray:
    if period is None:
        return away
    length = period[1] - period[0]
    return away - length * np.round(away / length)


def _by_mbar(pymbar, windows: list[_Window], variable: str, kT: float, bins: int) -> Profile:  # noqa: ANN001
    windows = sorted(windows, key=lambda window: window.center)
    period = windows[0].file.period(variable)
    counts = np.array([len(window.values) for window in windows])
    all_values = np.concatenate([window.values for window in windows])
    reduced = np.array(
        [
            0.5 * window.stiffness / kT * _nearest(all_values - window.center, period) ** 2
            for window in windows
        ]
    )
    if period is not None:
        edges = np.linspace(period[0], period[1], bins + 1)
    else:
        # The last edge lies above all values, as a bin holds no value at its upper edge.
        edges = np.linspace(all_values.min(), np.nextafter(all_values.max(), np.inf), bins + 1)
    middles = 0.5 * (edges[:-1] + edges[1:])
    fes = pymbar.FES(reduced, counts)
    fes.generate_fes(
        np.zeros(len(all_values)),
        all_values,
        fes_type="histogram",
        histogram_parameters={"bin_edges": [edges]},
    )
    number = np.clip(np.digitize(all_values, edges) - 1, 0, bins - 1)
    filling = np.bincount(number, minlength=bins)
    is_filled = filling > 0
    # Errors are those of differences from the bin that is known best, not from the lowest one, which
    # may be one with few samples at an end.
    found = fes.get_fes(
        middles[is_filled],
        reference_point="from-specified",
        fes_reference=middles[filling.argmax()],
        uncertainty_method="analytical",
    )
    free_energy, error = np.full(bins, np.nan), np.full(bins, np.nan)
    free_energy[is_filled] = kT * np.asarray(found["f_i"])
    free_energy -= np.nanmin(free_energy)
    error[is_filled] = kT * np.asarray(found["df_i"])
    profile = Profile(variable, middles[is_filled], free_energy[is_filled], error[is_filled])
    profile.states = {"u_kn": reduced, "N_k": counts, "x_n": all_values}
    overlap = fes.get_mbar().compute_overlap()["matrix"]
    for k, window in enumerate(windows):
        profile.remarks.append(
            f"{window.file.path}: center {window.center:.6g}, {counts[k]} independent samples, one "
            f"in {window.inefficiency:.3g}"
        )
    for k in range(len(windows) - 1):
        if overlap[k, k + 1] >= LEAST_OVERLAP:
            continue
        profile.warnings.append(
            f"the windows at {windows[k].center:.6g} and {windows[k + 1].center:.6g} overlap by "
            f"{overlap[k, k + 1]:.2g} only, and their difference is hardly known: put a window "
            "between them, or take a smaller stiffness"
        )
    for window, count in zip(windows, counts, strict=True):
        if count < 50:
            profile.warnings.append(
                f"{window.file.path}: only {count} independent samples; run it longer"
            )
    return profile
