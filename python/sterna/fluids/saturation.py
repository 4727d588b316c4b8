"""Vapor-liquid equilibria of a pure fluid: `sterna.vle`, and what it returns."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy

from sterna.errors import SternaError
from sterna.fluids import grand_equilibrium, slabs
from sterna.fluids.critical_point import (
    Coexistence,
    CriticalPoint,
    clapeyron,
    critical_point,
    log_pressure,
    pressure_law,
)
from sterna.fluids.pair_model import KJ_PER_BAR_CM3
from sterna.fluids.reference import Reference, saturation, wanted
from sterna.fluids.rows import MeasuredRows
from sterna.fluids.temperatures import temperatures_of
from sterna.launching.models import models
from sterna.support.libraries import library
from sterna.support.names import no_such

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: By method: its quantities, and what a caller may leave out: molecules, steps, equilibration.
METHODS = {
    "grand-equilibrium": (grand_equilibrium.QUANTITIES, (500, 100_000, 20_000)),
    "slab": (slabs.QUANTITIES, (1500, 200_000, 40_000)),
}


class Saturation(MeasuredRows):
    """Coexistence of liquid and vapor at some temperatures.

    >>> found = sterna.vle("carbon_dioxide_merker", [220, 240, 260, 280])
    >>> found["vapor_pressure"], found.error("vapor_pressure")  # NumPy arrays; nan: not known
    >>> found.critical.temperature.value, found.critical.temperature.error

    Units are in `units`, `states` say how each temperature went, `notes` what else is to be known.
    Runs are in `folder`.
    """

    def __init__(
        self,
        model: str,
        method: str,
        folder: Path,
        temperature: numpy.ndarray,
        found: tuple[dict[str, numpy.ndarray], dict[str, numpy.ndarray], list[str]],
        reference: Reference | None = None,
        mass: float = 1.0,
        notes: Sequence[str] = (),
    ) -> None:
        self.model = model
        self.method = method
        self.is_reduced = model == "lennard_jones"
        self.folder = folder
        self.reference = reference
        self.temperature = temperature
        self._values, self._errors, self.states = found
        self.units = {n: units[self.is_reduced] for n, units in METHODS[method][0].items()}
        self.notes = list(notes)
        self._mass = mass  # g/mol; 1 of reduced units
        self._is_there = numpy.array([state == "complete" for state in self.states], bool)
        names = ("liquid_density", "vapor_density", "vapor_pressure")
        for name in names:
            # A short run has values without errors, which no fit takes.
            self._is_there &= numpy.isfinite(self._values[name])
            self._is_there &= numpy.isfinite(self._errors[name])
        points = self.coexistence
        self.critical: CriticalPoint | None = critical_point(points)
        self._add_enthalpy(points)

    @property
    def coexistence(self) -> Coexistence:
        """Densities and pressures where both phases were found, for fits."""
        there = self._is_there
        arrays = []
        for name in ("liquid_density", "vapor_density", "vapor_pressure"):
            errors = self._errors[name][there]
            arrays += [self._values[name][there], errors]
        return Coexistence(self.temperature[there], *arrays)

    def _add_enthalpy(self, points: Coexistence) -> None:
        """By Clapeyron's equation: what slabs have, and a check of what potentials give."""
        name = "enthalpy_by_clapeyron"
        name = name if name in self.units else "enthalpy_of_vaporization"
        value, error = (numpy.full(len(self.temperature), numpy.nan) for _ in range(2))
        found = clapeyron(points) if len(points.temperature) > 1 else None
        if found is not None:
            factor = 1.0 if self.is_reduced else KJ_PER_BAR_CM3 * self._mass
            value[self._is_there], error[self._is_there] = (factor * part for part in found)
        self._values[name], self._errors[name] = value, error

    def rows(self) -> list[dict[str, object]]:
        """A row for each temperature, by the columns of the CSV file."""
        rows = []
        for k, temperature in enumerate(self.temperature):
            row: dict[str, object] = {
                "temperature" if self.is_reduced else "temperature/K": float(temperature),
                "state": self.states[k],
            }
            rows.append(row | dict(self._cells(k)))
        return rows

    def deviation(self, name: str) -> numpy.ndarray:
        """How far a quantity is from the reference, relative to it; nan where it has none."""
        if self.reference is None or name not in self.reference.values:
            return numpy.full(len(self.temperature), numpy.nan)
        beside = numpy.interp(
            self.temperature, self.reference.temperature, self.reference.values[name],
            left=numpy.nan, right=numpy.nan,
        )  # fmt: skip
        return self._values[name] / beside - 1.0

    def plot(self) -> "Figure":
        """A figure of matplotlib: densities with the critical point, pressure and enthalpy, and of
        slabs their tension.
        """
        figure_class = library("matplotlib.figure", "a plot", "matplotlib").Figure
        made = figure_class(figsize=(11.0, 8.0), layout="constrained")
        unit_t = "" if self.is_reduced else " (K)"
        densities, pressure, heat = (made.add_subplot(2, 2, k + 1) for k in range(3))
        for name in ("liquid_density", "vapor_density"):
            densities.errorbar(
                self[name], self.temperature, xerr=self.error(name), fmt="o", capsize=3,
                label=name.replace("_", " "),
            )  # fmt: skip
        if self.critical is not None:
            point = self.critical
            densities.errorbar(
                point.density.value, point.temperature.value, xerr=point.density.error,
                yerr=point.temperature.error, fmt="*", color="k", label="critical point (fit)",
            )  # fmt: skip
        self._draw_reference(densities, ("liquid_density", "vapor_density"), across=True)
        densities.set_xlabel(_label("density", self.units["liquid_density"]))
        densities.set_ylabel(f"temperature{unit_t}")
        densities.legend()
        drawn = [
            (pressure, ("vapor_pressure", "virial_pressure")),
            (heat, ("enthalpy_of_vaporization",)),
        ]
        if "surface_tension" in self.units:
            drawn.append((made.add_subplot(2, 2, 4), ("surface_tension",)))
        for axes, names in drawn:
            for name in names:
                axes.errorbar(
                    self.temperature, self[name], self.error(name), fmt="o", capsize=3,
                    label=name.replace("_", " "),
                )  # fmt: skip
            self._draw_reference(axes, names[:1])
            axes.set_xlabel(f"temperature{unit_t}")
            axes.set_ylabel(_label(names[0].replace("_", " "), self.units[names[0]]))
            axes.legend()
        law = pressure_law(self.coexistence)
        if law is not None:
            t = numpy.linspace(self.temperature.min(), self.temperature.max(), 100)
            pressure.plot(t, numpy.exp(log_pressure(law, t)), "-", lw=0.8, label="fit of ln p")
        pressure.set_yscale("log")
        return made

    def _draw_reference(self, axes, names: Sequence[str], across: bool = False) -> None:  # noqa: ANN001
        if self.reference is None:
            return
        label = self.reference.label
        style = "--" if len(self.reference.temperature) > 30 else "x"
        for name in names:
            if name in self.reference.values:
                values = self.reference.values[name], self.reference.temperature
                axes.plot(*(values if across else values[::-1]), style, color="gray", label=label)
                label = None

    def _report_text(self) -> str:
        from sterna.fluids.saturation_report import report_text

        return report_text(self)

    def __str__(self) -> str:
        from sterna.fluids.saturation_report import text_of

        return text_of(self)

    def __repr__(self) -> str:
        return f"<sterna.Saturation of {self.model} at {len(self.temperature)} temperatures>"


def _label(name: str, unit: str) -> str:
    return f"{name} ({unit})" if unit else name


def vle(
    model: str,
    temperature: str | float | Sequence[float],
    directory: str | os.PathLike | None = None,
    molecules: int | None = None,
    steps: int | None = None,
    equilibration: int | None = None,
    replicas: int = 1,
    cores: int | None = None,
    reference: str | None = None,
    seed: int = 1,
    tell: Callable[[str], None] | None = print,
    run: bool = True,
    method: str = "grand-equilibrium",
    insertions: int = 2000,
) -> Saturation:
    """Computes saturated densities, vapor pressures and enthalpies of vaporization.

    `model`: a name that `sterna models` lists, or "lennard_jones". `temperature`: in K, or reduced;
    also as "220:280:20". `method`: "grand-equilibrium", a liquid and a vapor whose chemical potentials
    meet, or "slab", liquid between vapor, with surface tensions. Runs are in `directory` (default:
    vle-MODEL here): what is there is kept, and a call that was killed goes on where it was.
    `molecules` are those of the liquid; `steps` are averaged after `equilibration`; None: by the
    method. `insertions`: test molecules in every 20th step. `reference`: a CSV file,
    "coolprop:FLUID" or "none"; None for an equation of state where its package is installed. Without
    `run` nothing runs: the result has what is there. Raises SternaError where there is no liquid at a
    temperature.
    """
    temperatures = temperatures_of(temperature)
    if method not in METHODS:
        raise SternaError(no_such("method", method, list(METHODS)), 2)
    sizes = [
        default if given is None else given
        for given, default in zip(
            (molecules, steps, equilibration), METHODS[method][1], strict=True
        )
    ]
    for name, value, smallest in zip(
        ("molecules", "steps", "equilibration", "insertions"),
        (*sizes, insertions),
        (100, 100, 1, 1),
        strict=True,
    ):
        if value < smallest:
            raise SternaError(f"{name} is {value}; expected at least {smallest}", 2)
    substance = models().get(model, {}).get("substance", "")
    kind, name = wanted(reference, substance, model == "lennard_jones")
    folder = Path(directory) if directory is not None else Path(f"vle-{model}")
    tell = tell or (lambda _: None)
    low, high = 0.95 * float(temperatures[0]), 1.1 * float(temperatures[-1])
    units = {k: unit[model == "lennard_jones"] for k, unit in METHODS[method][0].items()}
    beside = saturation(kind, name, low, high, units)
    study = _by_slabs if method == "slab" else _by_potentials
    found, mass, notes = study(
        model, temperatures, folder, sizes, insertions, replicas, seed, tell, cores, run
    )
    return Saturation(model, method, folder, temperatures, found, beside, mass, notes)


_Values = tuple[dict[str, numpy.ndarray], dict[str, numpy.ndarray], list[str]]


def _by_slabs(
    model: str,
    temperatures: numpy.ndarray,
    folder: Path,
    sizes: Sequence[int],
    insertions: int,  # noqa: ARG001
    replicas: int,
    seed: int,
    tell: Callable[[str], None],
    cores: int | None,
    run: bool,
) -> tuple[_Values, float, list[str]]:
    fluid, sweep, warnings = slabs.prepare(model, temperatures, folder, *sizes, replicas, seed)
    for warning in warnings:
        tell(f"sterna: warning: {warning}")
    if run:
        sweep.run(tell, cores)
    mass = 1.0 if fluid.reduced else float(models()[model]["mass"])
    return slabs.values_of(fluid, sweep, temperatures, mass), mass, []


def _by_potentials(
    model: str,
    temperatures: numpy.ndarray,
    folder: Path,
    sizes: Sequence[int],
    insertions: int,
    replicas: int,
    seed: int,
    tell: Callable[[str], None],
    cores: int | None,
    run: bool,
) -> tuple[_Values, float, list[str]]:
    study = grand_equilibrium.GrandEquilibrium(
        model, temperatures, folder, *sizes, insertions, replicas, seed
    )
    for warning in study.warnings():
        tell(f"sterna: warning: {warning}")
    if run:
        study.run(tell, cores)
    found = study.values()
    return (found.values, found.errors, found.states), study.mass, found.notes(temperatures)
