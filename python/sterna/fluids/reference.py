"""What results stand beside: an equation of state, or a table of the user."""

import csv
import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy

from sterna.errors import SternaError
from sterna.support.files import require_regular
from sterna.support.libraries import library
from sterna.support.names import no_such
from sterna.sweeps.equation_of_state import LENNARD_JONES_CRITICAL, lennard_jones_guess

#: A quantity of a table: its column, and what CoolProp calls it, with the factor from SI.
_SATURATION = {
    "liquid_density": ("Dmass", 0, 1e-3),
    "vapor_density": ("Dmass", 1, 1e-3),
    "vapor_pressure": ("P", 1, 1e-5),
    "surface_tension": ("I", 0, 1e3),
}


@dataclass
class Reference:
    """Values of others, by the names of our quantities, each an array over its temperatures."""

    label: str
    temperature: numpy.ndarray
    values: dict[str, numpy.ndarray] = field(default_factory=dict)
    #: Critical temperature, density and pressure, where they are known.
    critical: tuple[float, float, float] | None = None


def wanted(given: str | None, substance: str, reduced: bool) -> tuple[str, str]:
    """The kind of reference that is asked for, and its file or fluid: "" where there is none.

    `given`: "none", a file, "coolprop:FLUID", or None for the equation of state of the substance
    where its package is installed.
    """
    if given == "none":
        return "", ""
    if given is None:
        if reduced:
            return ("teqp", "") if importlib.util.find_spec("teqp") else ("", "")
        if substance and importlib.util.find_spec("CoolProp"):
            return "coolprop", "".join(word.capitalize() for word in substance.split())
        return "", ""
    if given.startswith("coolprop:"):
        if reduced:
            raise SternaError(f"--reference {given}: lennard_jones is in reduced units", 2)
        return "coolprop", given.removeprefix("coolprop:")
    if not given.endswith(".csv"):
        raise SternaError(
            f"--reference {given}: expected FILE.csv, coolprop:FLUID such as coolprop:Argon, or none",
            2,
        )
    require_regular(Path(given))
    if not Path(given).is_file():
        raise SternaError(f"--reference {given}: the file does not exist", 2)
    return "csv", given


def saturation(
    kind: str, name: str, low: float, high: float, known: Mapping[str, str]
) -> Reference | None:
    """The coexistence of liquid and vapor between two temperatures; `known`: units of quantities."""
    if kind == "csv":
        return read_table(Path(name), known)
    if kind == "teqp":
        return _lennard_jones(low, high)
    return _by_coolprop(name, low, high) if kind else None


def read_table(path: Path, known: Mapping[str, str]) -> Reference:
    """A table of the user: a column `temperature`, and others of our names, units after a slash.

    `known`: the units of our quantities. Raises SternaError with file and line.
    """
    units = {"temperature": "K", **known}
    with path.open(newline="", encoding="utf-8-sig") as file:
        reader = csv.DictReader(file)
        names = {name: name.partition("/")[0].strip() for name in reader.fieldnames or []}
        for column, name in names.items():
            if name not in units:
                raise SternaError(f"{path}:1: {no_such('column', name, list(units))}", 2)
            unit = column.partition("/")[2].strip()
            if unit not in ("", units[name]):
                raise SternaError(
                    f'{path}:1: the column "{column}": expected {units[name] or "no unit"} after the slash',
                    2,
                )
        if "temperature" not in names.values():
            raise SternaError(f'{path}:1: the column "temperature" is missing', 2)
        columns: dict[str, list[float]] = {name: [] for name in names.values()}
        for number, line in enumerate(reader, 2):
            for name, short in names.items():
                text = line[name]
                try:
                    columns[short].append(float(text) if text else numpy.nan)
                except (TypeError, ValueError):
                    raise SternaError(f"{path}:{number}: {text!r} is no number", 2) from None
    order = numpy.argsort(columns["temperature"], kind="stable")
    temperature = numpy.array(columns.pop("temperature"))[order]
    values = {name: numpy.array(column)[order] for name, column in columns.items()}
    return Reference(path.stem, temperature, values)


def _by_coolprop(fluid: str, low: float, high: float) -> Reference:
    props = library("CoolProp.CoolProp", f"--reference coolprop:{fluid}", "CoolProp").PropsSI
    try:
        critical = (
            props("Tcrit", fluid), 1e-3 * props("rhomass_critical", fluid), 1e-5 * props("pcrit", fluid)
        )  # fmt: skip
        low = max(low, props("Ttriple", fluid))
    except ValueError as error:
        raise SternaError(f"--reference coolprop:{fluid}: CoolProp: {error}", 2) from error
    # Densely enough for a curve, and at whole fractions of the way for a table's temperatures.
    temperature = numpy.linspace(low, min(high, 0.9999 * critical[0]), 101)
    values = {}
    for name, (key, quality, factor) in _SATURATION.items():
        column = [_or_nan(props, key, t, quality, fluid) for t in temperature]
        values[name] = factor * numpy.array(column)
    molar = [
        _or_nan(props, "Hmolar", t, 1, fluid) - _or_nan(props, "Hmolar", t, 0, fluid)
        for t in temperature
    ]
    values["enthalpy_of_vaporization"] = 1e-3 * numpy.array(molar)
    return Reference(f"CoolProp, {fluid}", temperature, values, critical)


def _or_nan(props, key: str, temperature: float, quality: int, fluid: str) -> float:  # noqa: ANN001
    """A property of the saturated fluid; not a number where CoolProp has none, as of some tensions."""
    try:
        return float(props(key, "T", temperature, "Q", quality, fluid))
    except ValueError:
        return numpy.nan


def _lennard_jones(low: float, high: float) -> Reference:
    """The equation of state of Thol et al., J. Phys. Chem. Ref. Data 45, 023101 (2016), by teqp."""
    teqp = library("teqp", "the equation of state of the Lennard-Jones fluid")
    model = teqp.make_model({"kind": "LJ126_TholJPCRD2016", "model": {}})
    one = numpy.array([1.0])
    critical_temperature = LENNARD_JONES_CRITICAL[0]
    temperature = numpy.linspace(max(low, 0.5), min(high, 0.995 * critical_temperature), 101)
    liquid, vapor = [], []
    guess = lennard_jones_guess(1.0 - temperature[0] / critical_temperature)
    for t in temperature:
        guess = tuple(model.pure_VLE_T(t, *guess, 20))
        liquid.append(guess[0])
        vapor.append(guess[1])
    pressure = [
        r * t * (1.0 + model.get_Ar01(t, r, one)) for t, r in zip(temperature, vapor, strict=True)
    ]

    def residual_enthalpy(t: float, r: float) -> float:
        return t * (model.get_Ar10(t, r, one) + model.get_Ar01(t, r, one))

    heat = [
        residual_enthalpy(t, v) - residual_enthalpy(t, d)
        for t, d, v in zip(temperature, liquid, vapor, strict=True)
    ]
    values = {
        "liquid_density": numpy.array(liquid),
        "vapor_density": numpy.array(vapor),
        "vapor_pressure": numpy.array(pressure),
        "enthalpy_of_vaporization": numpy.array(heat),
    }
    return Reference("Thol et al. (2016)", temperature, values, LENNARD_JONES_CRITICAL)


def virials_by_coolprop(fluid: str, temperature: numpy.ndarray) -> dict[str, numpy.ndarray]:
    """B in cm^3/mol and C in cm^6/mol^2 of an equation of state. Raises SternaError."""
    props = library("CoolProp.CoolProp", f"--reference coolprop:{fluid}", "CoolProp").PropsSI
    try:
        return {
            name: factor
            * numpy.array([props(key, "T", t, "Dmolar", 1e-6, fluid) for t in temperature])
            for name, key, factor in (("B", "Bvirial", 1e6), ("C", "Cvirial", 1e12))
        }
    except ValueError as error:
        raise SternaError(f"--reference coolprop:{fluid}: CoolProp: {error}", 2) from error
