"""Equations of state by teqp, as the reference of a sweep."""

import difflib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy

from sterna.errors import SternaError
from sterna.support.libraries import library
from sterna.support.quantity import number_and_unit

#: The name of the Lennard-Jones fluid in a study.
LENNARD_JONES = "lennard_jones"
#: Temperature, density and pressure of its critical point (Thol et al. (2016)).
LENNARD_JONES_CRITICAL = (1.32, 0.31, 0.13006)
#: Units of pressures.
PASCAL = {"Pa": 1.0, "kPa": 1e3, "MPa": 1e6, "GPa": 1e9, "bar": 1e5, "atm": 101325.0}
_PURE = numpy.array([1.0])


@dataclass(frozen=True)
class Fluid:
    """An equation of state, and the units of its density and pressure in those of a table."""

    model: Any
    gas_constant: float  #: 1 in reduced units
    #: Values of the units of densities and pressures; "" in reduced units.
    densities: Mapping[str, float]
    pressures: Mapping[str, float]
    #: Of a temperature; 0 where there is only one phase.
    saturation_pressure: Callable[[float], float]

    def pressure(self, temperature: float, density: float) -> float:
        compression = 1.0 + float(self.model.get_Ar01(temperature, density, _PURE))
        return density * self.gas_constant * temperature * compression

    def density(self, temperature: float, pressure: float, densest: float) -> float | None:
        """The density at a pressure: that of the liquid above the pressure of coexistence.

        Between liquid and vapor, equations of state of many terms have further densities of the
        same pressure, which mean nothing.
        """
        tried = densest * numpy.geomspace(1e-7, 1.0, 600)
        off = numpy.array([self.pressure(temperature, d) - pressure for d in tried])
        rising = numpy.flatnonzero((off[:-1] < 0.0) & (off[1:] >= 0.0))
        if len(rising) == 0:
            return None
        is_liquid = pressure > self.saturation_pressure(temperature)
        k = rising[-1] if is_liquid else rising[0]
        low, high = float(tried[k]), float(tried[k + 1])
        for _ in range(60):
            middle = 0.5 * (low + high)
            if self.pressure(temperature, middle) < pressure:
                low = middle
            else:
                high = middle
        return high


def require(path: Path, name: str) -> None:
    """Raises SternaError, naming the study, where teqp or this fluid is not there."""
    teqp = library("teqp", "[reference]: teqp")
    known = [LENNARD_JONES, *sorted(file.stem for file in _files(teqp))]
    if name in known:
        return
    near = difflib.get_close_matches(name, known, 1, 0.5)
    meant = f"; did you mean {near[0]!r}?" if near else ""
    raise SternaError(
        f"{path}: [reference]: teqp has no fluid {name!r}{meant} (it has {LENNARD_JONES}, and "
        f"{len(known) - 1} others such as Argon)",
        2,
    )


def label_of(name: str) -> str:
    return "Thol et al. (2016)" if name == LENNARD_JONES else f"teqp, {name}"


def rows(
    path: Path, name: str, given: Sequence[Mapping[str, object]], fixed: Mapping[str, object]
) -> list[dict[str, object]]:
    """Pressures at the densities of a sweep's rows, or densities at their pressures.

    `fixed`: what all state points have in common, as SECTION.KEY. Raises SternaError where the
    study has no temperature, or neither density nor pressure.
    """
    fluid, densest = _fluid(name)
    found = []
    for row in given:
        state = {**{key: number_and_unit(value) for key, value in fixed.items()}, **_numbers(row)}
        temperature = _first(state, "thermostat", ".temperature", {"K": 1.0, "": 1.0})
        density = _first(state, "start.density", "", fluid.densities)
        pressure = _first(state, "barostat.pressure", "", fluid.pressures)
        if temperature is None or (density is None and pressure is None):
            raise SternaError(
                f"{path}: [reference]: teqp goes by a temperature and a density or pressure; "
                "expected thermostat.temperature, and start.density or barostat.pressure, with "
                f"{'no units' if name == LENNARD_JONES else 'units'}",
                2,
            )
        if pressure is not None:
            density = fluid.density(temperature, pressure, densest)
        found.append(_row(row, fluid, temperature, density, pressure is None))
    return found


def _row(
    row: Mapping[str, object],
    fluid: Fluid,
    temperature: float,
    density: float | None,
    finds_pressure: bool,
) -> dict[str, object]:
    made = {column: value for column, value in row.items() if "." in column.partition("/")[0]}
    for column in row:
        name, _, unit = column.partition("/")
        if density is None:
            continue
        if name == "pressure" and finds_pressure and unit in fluid.pressures:
            made[column] = fluid.pressure(temperature, density) / fluid.pressures[unit]
        if name == "density" and unit in fluid.densities:
            made[column] = density / fluid.densities[unit]
    return made


def _numbers(row: Mapping[str, object]) -> dict[str, tuple[float | None, str]]:
    """Values of the keys that vary, with their units."""
    columns = ((column.partition("/"), value) for column, value in row.items())
    return {
        key: (float(value), unit)
        for (key, _, unit), value in columns
        if "." in key and isinstance(value, (int, float))
    }


def _first(
    state: Mapping[str, tuple[float | None, str]],
    begin: str,
    end: str,
    units: Mapping[str, float],
) -> float | None:
    for key, (value, unit) in state.items():
        if key.startswith(begin) and key.endswith(end) and value is not None and unit in units:
            return value * units[unit]
    return None


def _fluid(name: str) -> tuple[Fluid, float]:
    """The equation of state of a fluid, and the largest density at which it is asked."""
    teqp = library("teqp", "[reference]: teqp")
    if name == LENNARD_JONES:
        model = teqp.make_model({"kind": "LJ126_TholJPCRD2016", "model": {}})

        def coexistence(temperature: float) -> float:
            if temperature >= LENNARD_JONES_CRITICAL[0]:
                return 0.0
            below = 1.0 - temperature / LENNARD_JONES_CRITICAL[0]
            vapor = float(model.pure_VLE_T(temperature, *lennard_jones_guess(below), 20)[1])
            return vapor * temperature * (1.0 + float(model.get_Ar01(temperature, vapor, _PURE)))

        return Fluid(model, 1.0, {"": 1.0}, {"": 1.0}, coexistence), 1.1
    model = teqp.build_multifluid_model([name], teqp.get_datapath())
    file = next(file for file in _files(teqp) if file.stem == name)
    known = json.loads(file.read_text(encoding="utf-8"))
    mass = float(known["EOS"][0]["molar_mass"])
    densities = {"g/cm^3": 1e3 / mass, "kg/m^3": 1.0 / mass, "mol/l": 1e3}
    # Liquids are at most about 1.3 times as dense as at their triple point.
    densest = 1.3 * float(known["STATES"]["triple_liquid"]["rhomolar"])

    def saturation_pressure(temperature: float) -> float:
        fit = known["ANCILLARIES"].get("pS") or known["ANCILLARIES"]["pV"]
        if temperature >= fit["T_r"]:
            return 0.0
        below = 1.0 - temperature / fit["T_r"]
        total = sum(n * below**t for n, t in zip(fit["n"], fit["t"], strict=True))
        return float(fit["reducing_value"] * numpy.exp(fit["T_r"] / temperature * total))

    gas_constant = float(model.get_R(_PURE))
    return Fluid(model, gas_constant, densities, PASCAL, saturation_pressure), densest


def lennard_jones_guess(below: float) -> tuple[float, float]:
    """Where to begin the search for the densities of liquid and vapor, at 1 - T/T_critical."""
    density = LENNARD_JONES_CRITICAL[1]
    mean, half = 1.0 + 0.75 * below, 1.75 * numpy.cbrt(below)
    return density * (mean + half), max(1e-4, density * (mean - half))


def _files(teqp: ModuleType) -> list[Path]:
    return list((Path(teqp.get_datapath()) / "dev" / "fluids").glob("*.json"))
