"""Vapor-liquid equilibria of a pure fluid by slabs of liquid: `sterna.vle`, and what it returns."""

import math
import os
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy

from sterna.building.new import Fluid, configuration_of, find_fluid, slab_input, slab_places
from sterna.errors import SternaError
from sterna.fluids.critical_point import (
    Coexistence,
    CriticalPoint,
    clapeyron,
    critical_point,
    log_pressure,
    pressure_law,
)
from sterna.fluids.pair_model import CM3_MOL_PER_NM3, pair_model
from sterna.fluids.reference import Reference, saturation, wanted
from sterna.fluids.rows import Rows, write_text
from sterna.fluids.second_virial import second_virial
from sterna.fluids.temperatures import temperatures_of
from sterna.launching.models import models
from sterna.support.files import replace_text
from sterna.support.libraries import library
from sterna.support.measured import measured_text
from sterna.support.toml_text import toml_text
from sterna.sweeps.sweep import Sweep

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: The quantities of a row, with their units of real and of reduced ones.
QUANTITIES = {
    "liquid_density": ("g/cm^3", ""),
    "vapor_density": ("g/cm^3", ""),
    "vapor_pressure": ("bar", ""),
    "surface_tension": ("mN/m", ""),
    "interface_width": ("nm", ""),
    "enthalpy_of_vaporization": ("kJ/mol", ""),
    "virial_pressure": ("bar", ""),
}
_OF_RUNS = tuple(QUANTITIES)[:5]
#: From the units that averages of slabs have.
_FACTORS = {"atm": 1.01325, "angstrom": 0.1}
_BAR_CM3_PER_KJ = 1e-4  # kJ/mol of bar cm^3/mol
#: A slab of liquid is not there below this ratio of the densities.
_LEAST_RATIO = 1.5
_NEAR_CRITICAL = 0.97  #: of the critical temperature, from which on a slab is hardly one
_STUDY = "study.toml"


class Saturation(Rows):
    """Coexistence of liquid and vapor at some temperatures, from slabs.

    >>> found = sterna.vle("carbon_dioxide_merker", [220, 240, 260, 280])
    >>> found["vapor_pressure"], found.error("vapor_pressure")  # NumPy arrays; nan: not known
    >>> found.critical.temperature.value, found.critical.temperature.error

    Units are in `units`. `sweep` has the runs.
    """

    def __init__(
        self, fluid: Fluid, sweep: Sweep, reference: Reference | None, mass: float
    ) -> None:
        self.model = fluid.name if not fluid.reduced else "lennard_jones"
        self.is_reduced = fluid.reduced
        self.sweep = sweep
        self.reference = reference
        self.units = {name: units[fluid.reduced] for name, units in QUANTITIES.items()}
        rows = sweep.rows()
        self.states = [str(row["state"]) for row in rows]
        self.temperature = numpy.array([_temperature(point.values) for point in sweep.points])
        self._values: dict[str, numpy.ndarray] = {}
        self._errors: dict[str, numpy.ndarray] = {}
        for name in _OF_RUNS:
            columns = [_column(row, name) for row in rows]
            self._values[name], self._errors[name] = (
                numpy.array(part) for part in zip(*columns, strict=True)
            )
        self._drop_what_is_no_slab()
        self._mass = mass  # g/mol; 1 of reduced units
        self._add_virial_pressure(fluid)
        points = self.coexistence
        self.critical: CriticalPoint | None = critical_point(points)
        self._add_enthalpy(points)

    def __getitem__(self, name: str) -> numpy.ndarray:
        return self._values[name]

    def error(self, name: str) -> numpy.ndarray:
        """Standard errors of a quantity; nan where nothing tells them."""
        return self._errors[name]

    @property
    def is_complete(self) -> bool:
        """Whether all runs are complete and have found a slab of liquid."""
        return bool(self._has_slab.all()) and all(state == "complete" for state in self.states)

    @property
    def coexistence(self) -> Coexistence:
        """Densities and pressures where a slab was found, for fits."""
        names = ("liquid_density", "vapor_density", "vapor_pressure")
        arrays = [
            part[self._has_slab] for n in names for part in (self._values[n], self._errors[n])
        ]
        return Coexistence(self.temperature[self._has_slab], *arrays)

    def _drop_what_is_no_slab(self) -> None:
        liquid, vapor = self._values["liquid_density"], self._values["vapor_density"]
        with numpy.errstate(invalid="ignore", divide="ignore"):
            self._has_slab = (liquid > 0.0) & (vapor > 0.0) & (liquid > _LEAST_RATIO * vapor)
        for k, (state, there) in enumerate(zip(self.states, self._has_slab, strict=True)):
            if state == "complete" and not there:
                self.states[k] = "no slab of liquid"

    def _add_virial_pressure(self, fluid: Fluid) -> None:
        """p = rho kT (1 + B rho) of the vapor's density: says whether density and pressure agree."""
        model = pair_model(self.model)
        second = second_virial(model, 0, 0, self.temperature, 1024)
        gas = 1.0 if fluid.reduced else 83.14462618  # bar cm^3/(mol K)
        volume = 1.0 if fluid.reduced else CM3_MOL_PER_NM3
        density = self._values["vapor_density"] / self._mass  # mol/cm^3
        error = self._errors["vapor_density"] / self._mass
        b = volume * second.value
        ideal = density * gas * self.temperature
        self._values["virial_pressure"] = ideal * (1.0 + b * density)
        slope = gas * self.temperature * abs(1.0 + 2.0 * b * density)
        self._errors["virial_pressure"] = numpy.hypot(
            slope * error, ideal * density * volume * second.error
        )

    def _add_enthalpy(self, points: Coexistence) -> None:
        value, error = (numpy.full(len(self.temperature), numpy.nan) for _ in range(2))
        found = clapeyron(points) if len(points.temperature) > 1 else None
        if found is not None:
            factor = 1.0 if self.is_reduced else _BAR_CM3_PER_KJ * self._mass
            value[self._has_slab], error[self._has_slab] = (factor * part for part in found)
        self._values["enthalpy_of_vaporization"], self._errors["enthalpy_of_vaporization"] = (
            value,
            error,
        )

    def rows(self) -> list[dict[str, object]]:
        """A row for each temperature, by the columns of the CSV file."""
        rows = []
        for k, temperature in enumerate(self.temperature):
            row: dict[str, object] = {
                "temperature" if self.is_reduced else "temperature/K": float(temperature),
                "state": self.states[k],
            }
            for name, unit in self.units.items():
                row[f"{name}/{unit}" if unit else name] = _number(self._values[name][k])
                row[f"{name}_error"] = _number(self._errors[name][k])
            rows.append(row)
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
        """A figure of matplotlib: densities with the critical point, pressure, tension, enthalpy."""
        figure_class = library("matplotlib.figure", "a plot", "matplotlib").Figure
        made = figure_class(figsize=(11.0, 8.0), layout="constrained")
        unit_t = "" if self.is_reduced else " (K)"
        densities, pressure, tension, heat = (made.add_subplot(2, 2, k + 1) for k in range(4))
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
        for axes, names in (
            (pressure, ("vapor_pressure", "virial_pressure")),
            (tension, ("surface_tension",)),
            (heat, ("enthalpy_of_vaporization",)),
        ):
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

    def write_report(self, path: str | os.PathLike) -> Path:
        """Writes an HTML file with tables and plots. Raises SternaError where that fails."""
        from sterna.fluids.saturation_report import report_text

        return write_text(Path(path), report_text(self))

    def __str__(self) -> str:
        from sterna.fluids.saturation_report import text_of

        return text_of(self)

    def __repr__(self) -> str:
        return f"<sterna.Saturation of {self.model} at {len(self.temperature)} temperatures>"

    def shown(self, name: str, k: int) -> str:
        """A value with its error, `0.7570(35)`."""
        value, error = self._values[name][k], self._errors[name][k]
        return measured_text(None if math.isnan(value) else value, error)


def _number(value: float) -> float | str:
    return float(value) if math.isfinite(value) else ""


def _label(name: str, unit: str) -> str:
    return f"{name} ({unit})" if unit else name


def _temperature(values) -> float:  # noqa: ANN001
    return float(str(values["thermostat.temperature"]).split()[0])


def _column(row: dict[str, object], name: str) -> tuple[float, float]:
    """Mean and error of an average, in the units of `QUANTITIES`."""
    column = next((key for key in row if key.partition("/")[0] == name), None)
    if column is None or row[column] is None:
        return math.nan, math.nan
    factor = _FACTORS.get(column.partition("/")[2], 1.0)
    error = row.get(f"{name}_error")
    return factor * float(row[column]), math.nan if error is None else factor * float(error)


def prepare(
    model: str,
    temperatures: numpy.ndarray,
    directory: Path,
    molecules: int,
    steps: int,
    equilibration: int,
    replicas: int,
    seed: int,
) -> tuple[Fluid, Sweep, list[str]]:
    """Writes the study of all slabs: input, start files, study.toml; and what is doubtful of it.

    Raises SternaError where there is no liquid at a temperature.
    """
    fluid = find_fluid(model)
    densities = [fluid.saturated_densities(float(t)) for t in temperatures]
    unit = "" if fluid.reduced else " K"
    warnings = [
        f"{t:g}{unit} is above {_NEAR_CRITICAL:g} of the critical temperature of {fluid.name}, about "
        f"{fluid.critical_temperature:g}{unit}: the slab may dissolve"
        for t in temperatures
        if t > _NEAR_CRITICAL * fluid.critical_temperature
    ]
    try:
        directory.mkdir(parents=True, exist_ok=True)
        starts = []
        for t, (liquid, vapor) in zip(temperatures, densities, strict=True):
            if vapor <= 0.0:
                # Guggenheim's law has no vapor at half of the critical temperature: some molecules
                # leave the liquid by themselves.
                warnings.append(
                    f"{t:g}{unit} is so cold that the vapor has hardly any molecules: its density "
                    "and pressure will have large errors"
                )
            box, places = slab_places(fluid, molecules, liquid, vapor)
            name = f"start-{t:g}-{molecules}-{seed}.extxyz"
            if not (directory / name).is_file():
                configuration_of(fluid, box, places, seed).write(directory / name)
            # Runs are two folders deeper.
            starts.append(f"../../{name}")
        sections = _input(fluid, float(temperatures[0]), steps, equilibration, seed)
        replace_text(directory / "slab.toml", toml_text(sections))
        shown = [float(t) if fluid.reduced else f"{t:g} K" for t in temperatures]
        study = {
            "input": "slab.toml",
            "directory": "runs",
            "replicas": replicas,
            "together": [
                {"thermostat.temperature": shown, "start.temperature": shown, "start.file": starts}
            ],
        }
        replace_text(directory / _STUDY, toml_text(study))
    except OSError as error:
        raise SternaError(f"{directory}: cannot be written: {error.strerror}") from error
    return fluid, Sweep(directory / _STUDY), warnings


def _input(fluid: Fluid, temperature: float, steps: int, equilibration: int, seed: int) -> dict:
    """The staged input of `sterna new slab`, with a thermostat for both phases and their fit."""
    purpose = f"A slab of {fluid.name}, written by `sterna vle`."
    sections = tomllib.loads(slab_input(fluid, "start", temperature, purpose))
    sections["run"] |= {"steps": equilibration, "seed": seed}
    value = sections["thermostat"]["temperature"]
    # One that scales all velocities would let the vapor pay for what the liquid gains.
    time = 1.0 if fluid.reduced else "1 ps"
    sections["thermostat"] = {"kind": "langevin", "temperature": value, "time_constant": time}
    sections["output"]["checkpoint_interval"] = max(1000, min(20_000, steps // 10))
    sections["output"]["thermo_interval"] = max(1, min(1000, steps // 20))
    last = sections["stage"][-1]
    last["run"]["steps"] = steps
    last.pop("profile")
    last["liquid_vapor"] = {"interval": 20}
    return sections


def vle(
    model: str,
    temperature: str | float | Sequence[float],
    directory: str | os.PathLike | None = None,
    molecules: int = 1500,
    steps: int = 200_000,
    equilibration: int = 40_000,
    replicas: int = 1,
    cores: int | None = None,
    reference: str | None = None,
    seed: int = 1,
    tell: Callable[[str], None] | None = print,
    run: bool = True,
) -> Saturation:
    """Computes saturated densities, vapor pressures and surface tensions from slabs of liquid.

    `model`: a name that `sterna models` lists, or "lennard_jones". `temperature`: in K, or reduced;
    also as "220:280:20". Runs are in `directory` (default: vle-MODEL here): what is there is kept, and
    a call that was killed goes on where it was. `molecules` are those of the liquid; `steps` are
    averaged after `equilibration`. `reference`: a CSV file, "coolprop:FLUID" or "none"; None for an
    equation of state where its package is installed. Without `run` nothing runs: the result has what
    is there. Raises SternaError where there is no liquid at a temperature.
    """
    temperatures = temperatures_of(temperature)
    least = {
        "molecules": (molecules, 100),
        "steps": (steps, 100),
        "equilibration": (equilibration, 1),
    }
    for name, (value, smallest) in least.items():
        if value < smallest:
            raise SternaError(f"{name} is {value}; expected at least {smallest}", 2)
    substance = models().get(model, {}).get("substance", "")
    kind, name = wanted(reference, substance, model == "lennard_jones")
    folder = Path(directory) if directory is not None else Path(f"vle-{model}")
    fluid, sweep, warnings = prepare(
        model, temperatures, folder, molecules, steps, equilibration, replicas, seed
    )
    tell = tell or (lambda _: None)
    for warning in warnings:
        tell(f"sterna: warning: {warning}")
    low, high = 0.95 * float(temperatures[0]), 1.1 * float(temperatures[-1])
    units = {key: unit[fluid.reduced] for key, unit in QUANTITIES.items()}
    beside = saturation(kind, name, low, high, units)
    if run:
        sweep.run(tell, cores)
    mass = 1.0 if fluid.reduced else float(models()[model]["mass"])
    return Saturation(fluid, sweep, beside, mass)
