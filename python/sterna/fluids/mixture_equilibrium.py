"""Vapor-liquid equilibria of mixtures: a liquid of given composition, and the vapor that meets it.

Idea: a liquid at constant pressure near the bubble point, with test molecules of each component, has
all chemical potentials and partial molar volumes. The vapor is known by second virial coefficients,
and from there on by a run at its density and composition. Both meet where all potentials are equal.
Source: Vrabec and Hasse, Mol. Phys. 100, 3375 (2002); Moeller and Fischer, Mol. Phys. 69, 463 (1990).
Cost: half of it is test molecules. Hazards: potentials come from insertions alone, without other
temperatures; gases above their critical temperature have a bubble point far from the first guess.
Others: slabs of mixtures.
"""

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy

from sterna.fluids.mixture_model import MixtureModel
from sterna.fluids.mixture_vapor import MixtureLiquid, MixtureVapor, meeting, with_sum
from sterna.fluids.phase_runs import CONDENSED, PhaseRuns
from sterna.fluids.second_virial import second_virial
from sterna.fluids.vapor import VIRIAL_LIMIT
from sterna.support.constants import BAR_PER_ATM, KJ_PER_KCAL
from sterna.sweeps.sweep import PointRun, Sweep

_MOL_CM3 = 0.602214076  #: molecules per cubic angstrom
_LEAST_EFFECTIVE = 200.0  #: insertions that carry a mean whose error is known
_LEAST_DENSITY = 0.6  #: of what is expected: below it a liquid has evaporated
_DRAWS = 1000
_KNOWN = 0.95  #: of the draws, below which an error is not known


@dataclass(frozen=True)
class State:
    """A temperature, and the shares of the components in the liquid."""

    temperature: float
    shares: tuple[float, ...]

    def __str__(self) -> str:
        return f"{self.temperature:g} " + "/".join(f"{share:g}" for share in self.shares)


@dataclass(frozen=True)
class _Phase:
    """Averages of one phase, in bar, cm^3, mol and kJ, or reduced. Arrays over the components.

    Errors are nan where they are not known.
    """

    density: numpy.ndarray
    density_error: float  #: of all components together, relative
    excess: numpy.ndarray  #: mu/kT beyond that of the ideal gas
    excess_error: numpy.ndarray
    volume: numpy.ndarray  #: partial molar
    volume_error: numpy.ndarray
    pressure: float
    pressure_error: float
    energy: float  #: potential, of a molecule
    energy_error: float
    compressibility: float
    expansion: float
    effective: numpy.ndarray


@dataclass
class FoundMixture:
    """Values and errors by quantity, arrays over the states, and how each state went."""

    values: dict[str, numpy.ndarray]
    errors: dict[str, numpy.ndarray]
    states: list[str]
    notes: list[str]
    shares: numpy.ndarray  #: in the liquid, a row for each state


class MixtureEquilibrium(PhaseRuns):
    """The study of a mixture in a folder. `sizes` as those of PhaseRuns."""

    _memory_file = "mixture-vapor-densities.json"

    def __init__(
        self, model: MixtureModel, states: Sequence[State], folder: Path, sizes: Sequence[int]
    ) -> None:
        super().__init__(model.whole(), folder, sizes)
        self.model = model
        self.points = list(states)
        self._expected = [
            model.liquid_density(s.temperature, numpy.array(s.shares)) / self._volume
            for s in self.points
        ]
        self._memory_prefix = f"{','.join(model.names)} "
        self._kinds = count = len(model.names)
        temperatures = numpy.array([s.temperature for s in self.points])
        self._second = numpy.zeros((len(self.points), count, count))
        self._second_error = numpy.zeros_like(self._second)
        self._slope, self._slope_error = numpy.zeros((2, *self._second.shape))
        for i in range(count):
            for j in range(i, count):
                found = second_virial(model.pair, i, j, temperatures, 1024)
                for a, b in ((i, j), (j, i)):
                    self._second[:, a, b] = found.value * self._volume
                    self._second_error[:, a, b] = found.error * self._volume
                    self._slope[:, a, b] = found.slope * self._volume
                    self._slope_error[:, a, b] = found.slope_error * self._volume
        self._pressure = [self._guess(state) for state in self.points]
        self.liquids = self._write_liquids()

    def _guess(self, state: State) -> float:
        """About the pressure of the bubble point, by Raoult's law, as inputs have it."""
        guess = 0.0
        for share, fluid in zip(state.shares, self.model.fluids, strict=True):
            alone = PhaseRuns(fluid, self.folder, self._sizes)
            guess += share * alone._near_pressure(state.temperature)
        return float(str(self._pressure_text(guess)).split()[0])

    def _bulk(self, t: float, purpose: str) -> dict:
        sections = json.loads(json.dumps(self.model.sections))
        for name in ("start", "thermostat"):
            sections[name]["temperature"] = self._temperature_text(t)
        return sections

    def _columns(self, points: Sequence[State], shares: Sequence[Sequence[float]]) -> dict:
        """What varies over the runs of both phases."""
        shown = [self._temperature_text(p.temperature) for p in points]
        columns = {
            "thermostat.temperature": shown,
            "start.temperature": shown,
            "run.seed": [self._seed_of(str(p)) for p in points],
        }
        for k, name in enumerate(self.model.names):
            columns[self.model.key(name)] = [float(f"{of[k]:.6g}") for of in shares]
        return columns

    def _write_liquids(self) -> Sweep:
        first = self.points[0]
        sections = self._liquid(first.temperature, self._expected[0], self._pressure[0])
        columns = self._columns(self.points, [p.shares for p in self.points])
        columns["start.density"] = [self._density(d) for d in self._expected]
        columns["barostat.pressure"] = [self._pressure_text(p) for p in self._pressure]
        return self._write("liquid", sections, columns)

    def _near_vapors(self) -> dict[str, list[float]]:
        wanted: dict[str, list[float]] = {}
        for k, liquid in enumerate(self._liquids()):
            if liquid is None:
                continue
            density, _ = meeting(self._state_of(k, liquid), self._virial(k), self._unit)
            if numpy.isnan(density).any():
                # Beyond what second coefficients describe. A dilute vapor is where a run tells more.
                density = 0.5 * numpy.exp(self._state_of(k, liquid).potential)
            size = abs(density @ self._second[k] @ density) / density.sum()
            if size >= VIRIAL_LIMIT:
                wanted[str(self.points[k])] = [float(x) for x in density]
        return wanted

    def _vapors(self, densities: Mapping[str, Sequence[float]]) -> Sweep | None:
        points = [point for point in self.points if str(point) in densities]
        if not points:
            return None
        there = [numpy.array(densities[str(point)]) for point in points]
        sections = self._text(points[0].temperature, float(there[0].sum()))
        sections["stage"][-1]["insertion"]["insertions"] = min(200, self._sizes[3])
        columns = self._columns(points, [density / density.sum() for density in there])
        columns["start.density"] = [self._density(float(d.sum())) for d in there]
        return self._write("vapor", sections, columns)

    def _met_vapors(self) -> dict[str, Sequence[float] | None]:
        found, names = self.values(), self.model.names
        met: dict[str, Sequence[float] | None] = {}
        for k, point in enumerate(self.points):
            total = found.values["vapor_density"][k] * self._per_density
            if found.states[k] == CONDENSED:
                met[str(point)] = None
            elif total > 0.0:
                met[str(point)] = [
                    float(total * found.values[f"vapor_share_{name}"][k]) for name in names
                ]
        return met

    @property
    def _per_density(self) -> float:
        """mol/cm^3 of a mol/l."""
        return 1.0 if self.model.reduced else 1e-3

    def _virial(self, k: int) -> MixtureVapor:
        none, zero = numpy.zeros(len(self.model.names)), numpy.array(0.0)
        heat = self._gas * self.points[k].temperature
        return MixtureVapor(heat, self._second[k], self._slope[k], none, none, zero, zero)

    def _liquids(self) -> list[_Phase | None]:
        """Those that are complete, and liquids."""
        found = []
        for k, phase in enumerate(self._phases(self.liquids)):
            is_liquid = phase is not None and phase.density.sum() > (
                _LEAST_DENSITY * self._expected[k]
            )
            found.append(phase if is_liquid and numpy.isfinite(phase.excess).all() else None)
        return found

    def _state_of(self, k: int, liquid: _Phase) -> MixtureLiquid:
        total = liquid.density.sum()
        volumes, _ = with_sum(
            liquid.volume, liquid.volume_error, liquid.density / total, self._unit_volume(total)
        )
        return MixtureLiquid(
            self._pressure[k],
            numpy.log(liquid.density) + liquid.excess,
            volumes,
            liquid.compressibility,
        )

    @staticmethod
    def _unit_volume(density: float) -> float:
        return 1.0 / float(density)

    def _phases(self, sweep: Sweep) -> list[_Phase | None]:
        """Averages of each state over its runs; None where one is not complete."""
        phases = []
        for row, point in zip(sweep.rows(), sweep.points, strict=True):
            phases.append(self._phase(row, point.runs) if row["state"] == "complete" else None)
        return phases

    def _phase(self, row: dict[str, object], runs: Sequence[PointRun]) -> _Phase:
        names, reduced = self.model.names, self.model.reduced

        def of_all(quantity: str, factor: float) -> tuple[numpy.ndarray, numpy.ndarray]:
            found = [_value(row, f"{quantity}_{name}") for name in names]
            values, errors = (numpy.array(part) for part in zip(*found, strict=True))
            return factor * values, factor * errors

        per_volume = 1.0 if reduced else _MOL_CM3
        per_atm = 1.0 if reduced else BAR_PER_ATM
        per_molecule = (1.0 if reduced else KJ_PER_KCAL) / self._sizes[0]
        density, density_error = of_all("density", 1.0 / per_volume)
        # A component without molecules in the box has no density, and a potential.
        density = numpy.nan_to_num(density)
        excess, excess_error = of_all("excess_chemical_potential_by_kT", 1.0)
        volume, volume_error = of_all("partial_molar_volume", per_volume)
        pressure, pressure_error = _value(row, "pressure")
        energy, energy_error = _value(row, "potential_energy")
        relative = float(density_error[density.argmax()] / density.max())
        effective = numpy.array([sum(_effective(run, name) for run in runs) for name in names])
        # Few insertions have an error that says nothing.
        excess_error = numpy.where(effective >= _LEAST_EFFECTIVE, excess_error, numpy.nan)
        return _Phase(
            density, relative, excess, excess_error, volume, volume_error,
            per_atm * pressure, per_atm * pressure_error,
            per_molecule * energy, per_molecule * energy_error,
            float(numpy.nan_to_num(_value(row, "compressibility")[0])) / per_atm,
            float(numpy.nan_to_num(_value(row, "thermal_expansion")[0])),
            effective,
        )  # fmt: skip

    def values(self) -> FoundMixture:
        """What the runs that are there have found."""
        names, count = self.model.names, len(self.points)
        quantities = quantities_of(names)
        found = FoundMixture(
            {name: numpy.full(count, numpy.nan) for name in quantities},
            {name: numpy.full(count, numpy.nan) for name in quantities},
            [str(row["state"]) for row in self.liquids.rows()],
            [],
            numpy.array([point.shares for point in self.points]),
        )
        near = self._near_vapors()
        kept = self._kept(near)
        sweep = self._vapors(kept)
        found_vapors = self._phases(sweep) if sweep is not None else []
        vapors = dict.fromkeys(near) | dict(zip(kept, found_vapors, strict=True))
        random = numpy.random.default_rng(1)
        for k, liquid in enumerate(self._liquids()):
            if liquid is None:
                if found.states[k] == "complete":
                    found.states[k] = "no liquid: it has evaporated, or every insertion overlaps"
                continue
            molecules = self._sizes[0]
            shares = liquid.density / liquid.density.sum()
            found.shares[k] = numpy.round(molecules * shares) / molecules
            self._add_notes(k, "liquid", liquid, found)
            gas = self._vapor(k, vapors)
            if isinstance(gas, str):
                found.states[k] = gas
                continue
            if gas.phase is not None:
                self._add_notes(k, "vapor", gas.phase, found)
            self._fill(k, liquid, gas, found, random)
        return found

    def _add_notes(self, k: int, where: str, phase: _Phase, found: FoundMixture) -> None:
        unknown = ~numpy.isfinite(phase.excess_error)
        few = [name for name, is_one in zip(self.model.names, unknown, strict=True) if is_one]
        if few:
            found.notes.append(
                f"at {self.points[k]} too few insertions of {', '.join(few)} find a place in the "
                f"{where}: the errors are not known"
            )

    def _vapor(self, k: int, vapors: dict[str, _Phase | None]) -> "_Vapor | str":
        """The vapor of a state, or what is missing."""
        name = str(self.points[k])
        if name not in vapors:
            return _Vapor(self._virial(k), None, self._unit)
        phase = vapors[name]
        if phase is None:
            return "its vapor has not run"
        heat = self._gas * self.points[k].temperature
        factor = phase.pressure * self._unit / (phase.density.sum() * heat)
        if not 0.15 < factor < 1.2:
            return CONDENSED
        return _Vapor(replace(self._virial(k), density=phase.density), phase, self._unit)

    def _fill(
        self,
        k: int,
        liquid: _Phase,
        gas: "_Vapor",
        found: FoundMixture,
        random: numpy.random.Generator,
    ) -> None:
        """Values of one state, and their errors from values that are redrawn within theirs.

        The potentials of one liquid share what its density does to them. How much is not known, so
        they are drawn once independent of each other and once as one, and the larger spread counts.
        """
        state = self._state_of(k, liquid)
        exact = self._results(k, liquid, state, gas.exact)
        total, count = liquid.density.sum(), len(liquid.excess)
        _, covariance = with_sum(
            liquid.volume, liquid.volume_error, liquid.density / total, self._unit_volume(total)
        )
        of_volumes = _root(covariance)
        spreads: dict[str, list[float]] = {name: [] for name in exact}
        for alike in (False, True):
            moves = random.standard_normal((_DRAWS, 1 if alike else count))
            drawn = MixtureLiquid(
                state.pressure,
                state.potential
                + liquid.excess_error * moves
                + gas.neglected(self._second_error[k], exact) * random.standard_normal((_DRAWS, 1)),
                state.volume + random.standard_normal((_DRAWS, count)) @ of_volumes.T,
                state.compressibility,
            )
            vapor = gas.drawn(random, self._slope_error[k])
            for name, several in self._results(k, liquid, drawn, vapor).items():
                spreads[name].append(_spread(several))
        for name, value in exact.items():
            found.values[name][k] = value
            found.errors[name][k] = max(spreads[name])
        heat, unit = self._gas * self.points[k].temperature, self._unit
        neglected = gas.neglected_energy(exact) * heat
        of_pressure = state.pressure * unit / total * liquid.density_error
        for name, errors in {
            "liquid_density": (exact["liquid_density"] * liquid.density_error,),
            "liquid_residual_enthalpy": (liquid.energy_error, of_pressure),
            "vapor_residual_enthalpy": (neglected,),
        }.items():
            found.errors[name][k] = math.hypot(found.errors[name][k], *errors)
        if not math.isfinite(float(exact["vapor_pressure"])):
            found.states[k] = "the potentials of liquid and vapor do not meet"

    def _results(
        self, k: int, liquid: _Phase, state: MixtureLiquid, vapor: MixtureVapor
    ) -> dict[str, numpy.ndarray]:
        density, pressure = meeting(state, vapor, self._unit)
        has_run = vapor.density.sum() > 0.0
        alone = meeting(state, self._virial(k), self._unit)[1] if has_run else pressure
        total = density.sum(axis=-1)
        apart = pressure - state.pressure
        grown = 1.0 + liquid.compressibility * apart
        heat, volume = vapor.heat, self._unit / liquid.density.sum()
        slope = volume * (1.0 - liquid.expansion * self.points[k].temperature)
        results = {
            "vapor_pressure": pressure,
            "liquid_density": liquid.density.sum() * grown / self._per_density,
            "vapor_density": total / self._per_density,
            "liquid_residual_enthalpy": (
                liquid.energy + state.pressure * volume - heat + slope * apart
            ),
            "vapor_residual_enthalpy": heat * vapor.residual_enthalpy(density),
            "virial_pressure": alone,
        }
        for j, name in enumerate(self.model.names):
            results[f"vapor_share_{name}"] = density[..., j] / total
        return results


def _root(covariance: numpy.ndarray) -> numpy.ndarray:
    """What makes draws of this covariance of independent ones; nan where it is not known."""
    if not numpy.isfinite(covariance).all():
        return numpy.full_like(covariance, numpy.nan)
    values, vectors = numpy.linalg.eigh(covariance)
    return vectors * numpy.sqrt(numpy.maximum(values, 0.0))


def _spread(drawn: numpy.ndarray) -> float:
    """Half of the range that 68 % of the draws are in; nan where more than a few are not known.

    Draws near the spinodal of the vapor are far off, which a standard deviation would take.
    """
    known = numpy.isfinite(drawn)
    if numpy.ndim(drawn) and known.mean() < _KNOWN:
        return math.nan
    low, high = numpy.percentile(drawn[known], [16.0, 84.0])
    return float(0.5 * (high - low))


class _Vapor:
    """A vapor with its errors."""

    def __init__(self, start: MixtureVapor, phase: _Phase | None, unit: float) -> None:
        self._start = start
        self.phase = phase
        self._unit = unit

    @property
    def exact(self) -> MixtureVapor:
        """The vapor of the averages themselves."""
        if self.phase is None:
            return self._start
        phase = self.phase
        return self._of(phase.excess, numpy.array(phase.pressure), numpy.array(phase.energy))

    def drawn(self, random: numpy.random.Generator, slope_error: numpy.ndarray) -> MixtureVapor:
        """The vapor within the errors of its averages, or of T dB/dT."""
        phase = self.phase
        if phase is None:
            moves = random.standard_normal((_DRAWS, 1, 1))
            return replace(self._start, slope=self._start.slope + slope_error * moves)
        moves = random.standard_normal((_DRAWS, len(phase.excess)))
        pressure = phase.pressure + phase.pressure_error * random.standard_normal(_DRAWS)
        energy = phase.energy + phase.energy_error * random.standard_normal(_DRAWS)
        return self._of(phase.excess + phase.excess_error * moves, pressure, energy)

    def _of(
        self, excess: numpy.ndarray, pressure: numpy.ndarray, energy: numpy.ndarray
    ) -> MixtureVapor:
        heat = self._start.heat
        return self._start.of_run(excess, pressure * self._unit / heat, energy / heat)

    def neglected(self, noise: numpy.ndarray, exact: dict[str, numpy.ndarray]) -> float:
        """The error of the potentials of a vapor that has not run: third coefficients, and the
        noise of the second ones.
        """
        if self.phase is not None:
            return 0.0
        density, x = self._size_of_pairs(exact)
        return 2.0 * math.hypot(x * x, density * float(noise.max()))

    def neglected_energy(self, exact: dict[str, numpy.ndarray]) -> float:
        """Likewise the error of the enthalpy by kT, from third coefficients."""
        if self.phase is not None:
            return 0.0
        _, x = self._size_of_pairs(exact)
        return x * x

    def _size_of_pairs(self, exact: dict[str, numpy.ndarray]) -> tuple[float, float]:
        """About the density, and B times it."""
        start = self._start
        names = [name for name in exact if name.startswith("vapor_share_")]
        shares = numpy.array([float(exact[name]) for name in names])
        # p/kT = rho (1 + B rho), and B rho is small.
        density = float(exact["vapor_pressure"]) * self._unit / start.heat
        return density, density * float(shares @ start.second @ shares)


def quantities_of(names: Sequence[str]) -> dict[str, tuple[str, str]]:
    """The quantities of a row, with their units of real and of reduced ones."""
    return (
        {"vapor_pressure": ("bar", "")}
        | {f"vapor_share_{name}": ("", "") for name in names}
        | {
            "liquid_density": ("mol/l", ""),
            "vapor_density": ("mol/l", ""),
            "liquid_residual_enthalpy": ("kJ/mol", ""),
            "vapor_residual_enthalpy": ("kJ/mol", ""),
            "virial_pressure": ("bar", ""),
        }
    )


def _value(row: dict[str, object], name: str) -> tuple[float, float]:
    column = next((key for key in row if key == name or key.startswith(f"{name}/")), None)
    if column is None or row[column] is None:
        return math.nan, math.nan
    error = float(str(row.get(f"{name}_error") or math.nan))
    # Fewer than two blocks have the error 0, which is none.
    return float(str(row[column])), error if error > 0.0 else math.nan


def _effective(run: PointRun, name: str) -> float:
    """How many insertions of a component carry the mean of a run, by the file of its observer."""
    try:
        text = (run.directory / f"{run.name}.insertion.txt").read_text(encoding="utf-8")
    except OSError:
        return 0.0
    found = re.search(
        rf"^# {re.escape(name)}: (\S+) of \d+ insertions carry the mean$", text, re.MULTILINE
    )
    return float(found.group(1)) if found else 0.0
