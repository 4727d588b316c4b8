"""Vapor-liquid equilibria without an interface: a liquid and a vapor whose chemical potentials meet.

Idea: liquids at constant pressure near saturation, one for each temperature, with test molecules; then
vapors at the densities where the potentials meet, also with test molecules. Enthalpies carry
potentials from warm liquids to cold ones.
Source: Vrabec and Hasse, Mol. Phys. 100, 3375 (2002); Moeller and Fischer, Mol. Phys. 69, 463 (1990).
Cost: half of it is test molecules. Hazards: a liquid above its boiling point evaporates; test
molecules that are large find no place in a cold liquid. Others: slabs, with surface tensions.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy

from sterna.building.new import Fluid, find_fluid
from sterna.fluids.gibbs_helmholtz import Path as PathOfStates
from sterna.fluids.gibbs_helmholtz import Smoothed, smoothed
from sterna.fluids.pair_model import pair_model
from sterna.fluids.phase_runs import CONDENSED, PhaseRuns
from sterna.fluids.second_virial import SecondVirial, second_virial
from sterna.fluids.vapor import (
    VIRIAL_LIMIT,
    Liquid,
    VaporState,
    by_virial,
    density_of_potential,
    meeting,
)
from sterna.support.constants import BAR_PER_ATM, KJ_PER_KCAL
from sterna.sweeps.sweep import Sweep

#: The quantities of a row, with their units of real and of reduced ones.
QUANTITIES = {
    "liquid_density": ("g/cm^3", ""),
    "vapor_density": ("g/cm^3", ""),
    "vapor_pressure": ("bar", ""),
    "enthalpy_of_vaporization": ("kJ/mol", ""),
    "liquid_residual_enthalpy": ("kJ/mol", ""),
    "vapor_residual_enthalpy": ("kJ/mol", ""),
    "enthalpy_by_clapeyron": ("kJ/mol", ""),
    "virial_pressure": ("bar", ""),
}
_MOL_CM3 = 0.602214076  #: molecules per cubic angstrom
_LEAST_EFFECTIVE = 200.0  #: insertions that carry a mean whose error is known
_LEAST_DENSITY = 0.6  #: of what is expected: below it a liquid has evaporated
_DRAWS = 1000


@dataclass
class _Measured:
    """Averages of runs at all temperatures, with errors; 0 and nan where they are not known."""

    density: numpy.ndarray  #: molar
    density_error: numpy.ndarray
    energy: numpy.ndarray
    energy_error: numpy.ndarray
    pressure: numpy.ndarray
    pressure_error: numpy.ndarray
    potential: numpy.ndarray  #: ln(rho) + mu/kT
    potential_error: numpy.ndarray
    compressibility: numpy.ndarray
    expansion: numpy.ndarray
    effective: numpy.ndarray
    states: list[str]


class GrandEquilibrium(PhaseRuns):
    """The study of one fluid in a folder: its liquids, then its vapors."""

    def __init__(
        self,
        model: str,
        temperature: numpy.ndarray,
        folder: Path,
        molecules: int,
        steps: int,
        equilibration: int,
        insertions: int,
        replicas: int,
        seed: int,
    ) -> None:
        sizes = (molecules, steps, equilibration, insertions, replicas, seed)
        super().__init__(find_fluid(model), folder, sizes)
        self.temperature = temperature
        pair = pair_model(model)
        self.mass = 1.0 if self.fluid.reduced else pair.molecules[0].mass
        self._expected = numpy.array(
            [self.fluid.saturated_densities(float(t))[0] for t in temperature]
        )
        self._second: SecondVirial = second_virial(pair, 0, 0, temperature, 1024)
        self.liquids = self._write_liquids()

    def _write_liquids(self) -> Sweep:
        expected = self._expected / self._volume
        t = float(self.temperature[0])
        sections = self._liquid(t, float(expected[0]), self._near_pressure(t))
        shown = [self._temperature_text(t) for t in self.temperature]
        together = {
            "thermostat.temperature": shown,
            "start.temperature": shown,
            "run.seed": [self._seed(float(t)) for t in self.temperature],
            "start.density": [self._density(float(d)) for d in expected],
            "barostat.pressure": [
                self._pressure_text(self._near_pressure(float(t))) for t in self.temperature
            ],
        }
        return self._write("liquid", sections, together)

    @property
    def _pressure(self) -> numpy.ndarray:
        """Of the liquids, as their inputs have it."""
        texts = [self._pressure_text(self._near_pressure(float(t))) for t in self.temperature]
        return numpy.array([float(str(text).split()[0]) for text in texts])

    def warnings(self) -> list[str]:
        """What is doubtful before anything runs."""
        if len(self.temperature) > 1:
            return []
        return [
            "one temperature: nothing checks its chemical potential. Warmer ones in the same call "
            "carry that of a cold liquid"
        ]

    def _near_vapors(self) -> dict[str, list[float]]:
        liquid = measured(self.liquids, self.fluid, self._sizes[0])
        there = self._good(liquid)
        wanted: dict[str, list[float]] = {}
        potential = self._smoothed(liquid, there) if there.any() else None
        if potential is None:
            return wanted
        for k, value in zip(numpy.flatnonzero(there), potential.potential, strict=True):
            second = float(self._second.value[k]) * self._volume
            near = density_of_potential(float(value), second)
            if abs(second * near) >= VIRIAL_LIMIT:
                wanted[f"{self.temperature[k]:g}"] = [near]
        return wanted

    def _vapors(self, densities: Mapping[str, Sequence[float]]) -> Sweep | None:
        if not densities:
            return None
        first = next(iter(densities))
        sections = self._text(float(first), densities[first][0])
        sections["stage"][-1]["insertion"]["insertions"] = min(200, self._sizes[3])
        shown = [self._temperature_text(float(t)) for t in densities]
        return self._write(
            "vapor",
            sections,
            {
                "thermostat.temperature": shown,
                "start.temperature": shown,
                "run.seed": [self._seed(float(t)) for t in densities],
                "start.density": [self._density(d) for (d,) in densities.values()],
            },
        )

    def _met_vapors(self) -> dict[str, Sequence[float] | None]:
        found = self.values()
        met: dict[str, Sequence[float] | None] = {}
        for k, t in enumerate(self.temperature):
            density = float(found.values["vapor_density"][k]) / self.mass
            if found.states[k] == CONDENSED:
                met[f"{t:g}"] = None
            elif density > 0.0:
                met[f"{t:g}"] = [density]
        return met

    def _good(self, liquid: _Measured) -> numpy.ndarray:
        expected = self._expected / self._volume
        return liquid.density > _LEAST_DENSITY * expected

    def _smoothed(self, liquid: _Measured, there: numpy.ndarray) -> Smoothed | None:
        path = self._path(liquid, there)
        return smoothed(path) if numpy.isfinite(path.potential_error).any() else None

    def _path(self, liquid: _Measured, there: numpy.ndarray) -> PathOfStates:
        pressure = self._pressure[there]
        volume = self._unit / liquid.density[there]
        enthalpy = liquid.energy[there] + pressure * volume
        of_volume = pressure * volume * liquid.density_error[there] / liquid.density[there]
        error = numpy.hypot(liquid.energy_error[there], of_volume)
        error = numpy.where(numpy.isfinite(error), error, 0.01 * abs(enthalpy))
        potential_error = liquid.potential_error[there].copy()
        few = ~(liquid.effective[there] >= _LEAST_EFFECTIVE) | ~numpy.isfinite(potential_error)
        potential_error[few] = numpy.inf
        if few.all() and (liquid.effective[there] > 0.0).any():
            # The best of them, with an error that its few insertions have at least.
            best = int(numpy.argmax(liquid.effective[there]))
            few_there = max(1.0, liquid.effective[there][best])
            known = liquid.potential_error[there][best]
            potential_error[best] = max(
                known if math.isfinite(known) else 0.0, 2.0 / math.sqrt(few_there)
            )
        return PathOfStates(
            self.temperature[there], pressure, liquid.potential[there], potential_error,
            enthalpy, error, volume, self._gas,
        )  # fmt: skip

    def values(self) -> "Found":
        """What the runs that are there have found."""
        n = len(self.temperature)
        liquid = measured(self.liquids, self.fluid, self._sizes[0])
        found = Found(
            {name: numpy.full(n, numpy.nan) for name in QUANTITIES},
            {name: numpy.full(n, numpy.nan) for name in QUANTITIES},
            list(liquid.states),
            numpy.zeros(n, bool),
        )
        there = self._good(liquid)
        for k, state in enumerate(liquid.states):
            if state == "complete" and not there[k]:
                found.states[k] = "no liquid: it has evaporated"
        if not there.any():
            return found
        potential = self._smoothed(liquid, there)
        if potential is None:
            for k in numpy.flatnonzero(there):
                found.states[k] = "no chemical potential: every insertion overlaps"
            return found
        found.smoothed = potential
        found.is_carried[there] = ~numpy.isfinite(self._path(liquid, there).potential_error)
        vapors = self._vapors(self._kept(self._near_vapors()))
        vapor = measured(vapors, self.fluid, self._sizes[0]) if vapors is not None else None
        of_vapors = [] if vapors is None else [_temperature(p.values) for p in vapors.points]
        random = numpy.random.default_rng(1)
        size = len(potential.potential)
        drawn = _draws(potential.covariance, random)
        for place, k in enumerate(numpy.flatnonzero(there)):
            state, errors = self._vapor_of(k, potential.potential[place], vapor, of_vapors)
            if state is None:
                if found.states[k] == "complete":
                    found.states[k] = errors
                continue
            self._fill(found, k, liquid, state, errors,
                       (potential.potential[place], potential.enthalpy[place]),
                       (drawn[:, place], drawn[:, size + place]), random)  # fmt: skip
        return found

    def _vapor_of(
        self, k: int, potential: float, vapor: _Measured | None, temperatures: Sequence[float]
    ) -> tuple[VaporState | None, tuple[float, float, float] | str]:
        """The vapor near saturation, and the errors of its potential, Z and energy.

        Without one: what is missing.
        """
        t = float(self.temperature[k])
        heat = self._gas * t
        second = float(self._second.value[k]) * self._volume
        near = density_of_potential(float(potential), second)
        if abs(second * near) < VIRIAL_LIMIT:
            x = second * near
            state = by_virial(heat, second, float(self._second.slope[k]) * self._volume, near)
            noise = near * self._volume * float(self._second.error[k])
            neglected = math.hypot(noise, x * x)
            of_energy = heat * near * self._volume * float(self._second.slope_error[k])
            return state, (2.0 * neglected, neglected, math.hypot(of_energy, x * x * heat))
        at = [j for j, other in enumerate(temperatures) if math.isclose(other, t, rel_tol=1e-5)]
        if not at or vapor is None:
            return None, "its vapor has not run"
        j = at[0]
        if vapor.states[j] != "complete":
            return None, f"vapor: {vapor.states[j]}"
        if not vapor.density[j] > 0.0:
            return None, "vapor: nothing was measured"
        factor = vapor.pressure[j] * self._unit / (vapor.density[j] * heat)
        if not 0.15 < factor < 1.05:
            return None, CONDENSED
        state = VaporState(
            heat, vapor.density[j], vapor.potential[j], numpy.array(factor), vapor.energy[j]
        )
        errors = (
            vapor.potential_error[j],
            factor * vapor.pressure_error[j] / vapor.pressure[j],
            vapor.energy_error[j],
        )
        return state, errors

    def _fill(
        self,
        found: "Found",
        k: int,
        liquid: _Measured,
        vapor: VaporState,
        errors: tuple[float, float, float] | str,
        potential: tuple[float, float],
        drawn: tuple[numpy.ndarray, numpy.ndarray],
        random: numpy.random.Generator,
    ) -> None:
        """Values of one temperature, and their errors from values that are redrawn within theirs."""

        def normal(value: float, error: float) -> numpy.ndarray:
            return value + error * random.standard_normal(_DRAWS)

        exact = self._results(
            k, liquid, vapor, numpy.array(potential[0]), numpy.array(potential[1]),
            numpy.array(liquid.density[k]),
        )  # fmt: skip
        noisy = VaporState(
            vapor.heat,
            vapor.density,
            normal(float(vapor.potential), float(errors[0])),
            normal(float(vapor.compressibility_factor), float(errors[1])),
            normal(float(vapor.energy), float(errors[2])),
        )
        spread = self._results(
            k, liquid, noisy, potential[0] + drawn[0], potential[1] + drawn[1],
            normal(liquid.density[k], liquid.density_error[k]),
        )  # fmt: skip
        for name, value in exact.items():
            found.values[name][k] = value
            found.errors[name][k] = (
                spread[name].std() if numpy.isfinite(spread[name]).all() else numpy.nan
            )
        if not math.isfinite(float(exact["vapor_pressure"])):
            found.states[k] = "the potentials of liquid and vapor do not meet"

    def _results(
        self,
        k: int,
        liquid: _Measured,
        vapor: VaporState,
        potential: numpy.ndarray,
        enthalpy: numpy.ndarray,
        density: numpy.ndarray,
    ) -> dict[str, numpy.ndarray]:
        start, heat = self._pressure[k], vapor.heat
        compressibility = numpy.nan_to_num(liquid.compressibility[k])
        expansion = numpy.nan_to_num(liquid.expansion[k])
        state = Liquid(start, potential, 1.0 / density, compressibility)
        p = meeting(state, vapor, self._unit)
        of_vapor = vapor.compressibility_factor * vapor.density * heat / self._unit
        factor = 1.0 + (vapor.compressibility_factor - 1.0) * p / of_vapor
        vapor_density = p * self._unit / (factor * heat)
        apart = p - start
        slope = self._unit / density * (1.0 - expansion * self.temperature[k])
        of_liquid = enthalpy + slope * apart - heat
        # With B alone energies are as densities, and Z - 1 as pressures.
        of_gas = vapor.energy * vapor_density / vapor.density + (factor - 1.0) * heat
        second = float(self._second.value[k]) * self._volume
        ideal = vapor_density * heat / self._unit
        return {
            "liquid_density": self.mass * density * (1.0 + compressibility * apart),
            "vapor_density": self.mass * vapor_density,
            "vapor_pressure": p,
            "enthalpy_of_vaporization": of_gas - of_liquid,
            "liquid_residual_enthalpy": of_liquid,
            "vapor_residual_enthalpy": of_gas,
            "virial_pressure": ideal * (1.0 + second * vapor_density),
        }


@dataclass
class Found:
    """Values and errors by quantity, and how each temperature went."""

    values: dict[str, numpy.ndarray]
    errors: dict[str, numpy.ndarray]
    states: list[str]
    #: Whether enthalpies alone know the chemical potential of the liquid.
    is_carried: numpy.ndarray
    smoothed: Smoothed | None = None

    def notes(self, temperature: numpy.ndarray) -> list[str]:
        """What is to be known of the chemical potentials."""
        if self.smoothed is None:
            return []
        carried = [f"{t:g}" for t in temperature[self.is_carried]]
        notes = []
        if carried:
            notes.append(
                f"at {', '.join(carried)} too few insertions find a place: enthalpies carry the "
                "chemical potential from other temperatures"
            )
        if self.smoothed.freedom > 0:
            notes.append(
                f"insertions and enthalpies differ by chi^2 = {self.smoothed.deviation:.1f}, where "
                f"{self.smoothed.freedom} is expected"
            )
        return notes


def _draws(covariance: numpy.ndarray, random: numpy.random.Generator) -> numpy.ndarray:
    values, vectors = numpy.linalg.eigh(covariance)
    scale = numpy.sqrt(numpy.maximum(values, 0.0))
    return random.standard_normal((_DRAWS, len(values))) * scale @ vectors.T


def _temperature(values: Mapping[str, object]) -> float:
    return float(str(values["thermostat.temperature"]).split()[0])


def measured(sweep: Sweep, fluid: Fluid, molecules: int) -> _Measured:
    """Averages of all runs, in bar, cm^3, mol and kJ, or reduced."""
    rows = sweep.rows()
    name = fluid.name
    shift = 0.0 if fluid.reduced else math.log(_MOL_CM3)

    def column(quantity: str, factor: float = 1.0) -> tuple[numpy.ndarray, numpy.ndarray]:
        found = [_value(row, quantity) for row in rows]
        values, errors = (numpy.array(part) for part in zip(*found, strict=True))
        return factor * values, factor * errors

    per_atm = 1.0 if fluid.reduced else BAR_PER_ATM
    density, density_error = column(f"density_{name}", 1.0 if fluid.reduced else 1.0 / _MOL_CM3)
    energy, energy_error = column(
        "potential_energy", (1.0 if fluid.reduced else KJ_PER_KCAL) / molecules
    )
    pressure, pressure_error = column("pressure", per_atm)
    potential, potential_error = column(f"reduced_chemical_potential_{name}")
    return _Measured(
        numpy.nan_to_num(density), density_error, energy, energy_error, pressure, pressure_error,
        potential - shift, potential_error,
        column("compressibility", 1.0 / per_atm)[0], column("thermal_expansion")[0],
        numpy.array([sum(map(_effective, point.runs)) for point in sweep.points]),
        [str(row["state"]) for row in rows],
    )  # fmt: skip


def _value(row: Mapping[str, object], name: str) -> tuple[float, float]:
    column = next((key for key in row if key == name or _is_with_unit(key, name)), None)
    if column is None or row[column] is None:
        return math.nan, math.nan
    error = row.get(f"{name}_error")
    return float(str(row[column])), math.nan if error is None else float(str(error))


def _is_with_unit(column: str, name: str) -> bool:
    return column.startswith(f"{name}/")


_CARRYING = re.compile(r"^# .*: (\S+) of \d+ insertions carry the mean$", re.MULTILINE)


def _effective(run) -> float:  # noqa: ANN001
    """How many insertions carry the mean of a run, by the file of its observer."""
    try:
        text = (run.directory / f"{run.name}.insertion.txt").read_text(encoding="utf-8")
    except OSError:
        return 0.0
    found = _CARRYING.search(text)
    return float(found.group(1)) if found else 0.0
