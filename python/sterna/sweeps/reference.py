"""The reference of a sweep: a table of experiments, or an equation of state."""

import csv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sterna.errors import SternaError
from sterna.support.files import require_regular
from sterna.support.libraries import library
from sterna.support.names import no_such
from sterna.support.quantity import number_and_unit
from sterna.sweeps import equation_of_state
from sterna.sweeps.equation_of_state import PASCAL

#: What results may stand beside: a study has one of them.
_SOURCES = ("csv", "coolprop", "teqp")
_KEYS = (*_SOURCES, "label")
#: The properties of CoolProp, in SI: the name, and the value of the table's unit.
_PROPERTIES = {
    "density": ("Dmass", {"g/cm^3": 1e3, "kg/m^3": 1.0}),
    "heat_capacity_p": ("Cpmolar", {"J/(mol K)": 1.0}),
    "heat_capacity_v": ("Cvmolar", {"J/(mol K)": 1.0}),
    "compressibility": ("isothermal_compressibility", {"1/bar": 1e-5, "1/atm": 1 / 101325.0}),
    "thermal_expansion": ("isobaric_expansion_coefficient", {"1/K": 1.0}),
    "viscosity": ("viscosity", {"mPa*s": 1e-3, "Pa*s": 1.0}),
}

Row = Mapping[str, object]


@dataclass(frozen=True)
class Reference:
    """[reference] of a study."""

    path: Path  #: path of the study
    table: Path | None = None  #: CSV with the columns of the sweep's table
    fluid: str = ""  #: name of the fluid in CoolProp or teqp
    by_teqp: bool = False
    label: str = ""

    @classmethod
    def of(cls, path: Path, study: Mapping) -> "Reference | None":
        """Raises SternaError, naming the key, where it is not as expected."""
        given = study.get("reference")
        if given is None:
            return None
        if not isinstance(given, Mapping):
            raise SternaError(f"{path}: expected [reference] as a table", 2)
        for key, value in given.items():
            if key not in _KEYS:
                raise SternaError(f"{path}: [reference]: {no_such('key', key, list(_KEYS))}", 2)
            if not isinstance(value, str) or not value:
                raise SternaError(f"{path}: [reference]: {key} is {value!r}, expected a text", 2)
        sources = [key for key in _SOURCES if key in given]
        if len(sources) != 1:
            raise SternaError(f"{path}: [reference]: expected one of {', '.join(_SOURCES)}", 2)
        name = given[sources[0]]
        if sources[0] == "csv":
            table = path.parent / name
            _read_numbers(table)  # what is wrong in it is told before the runs
            return cls(path, table=table, label=given.get("label") or table.stem)
        if sources[0] == "teqp":
            equation_of_state.require(path, name)
            label = given.get("label") or equation_of_state.label_of(name)
            return cls(path, fluid=name, by_teqp=True, label=label)
        _coolprop()
        return cls(path, fluid=name, label=given.get("label") or f"CoolProp, {name}")

    def rows(self, rows: Sequence[Row], fixed: Mapping[str, object]) -> list[dict[str, object]]:
        """Rows with columns that the sweep's table has as well, each with a value of the reference.

        `fixed`: what all state points have in common, as SECTION.KEY. Raises SternaError.
        """
        if self.table is not None:
            return self._read_table(rows)
        if self.by_teqp:
            return equation_of_state.rows(self.path, self.fluid, rows, fixed)
        return [self._by_coolprop(row, fixed) for row in rows]

    def _read_table(self, rows: Sequence[Row]) -> list[dict[str, object]]:
        known = {column for row in rows for column in row}
        names, found = _read_numbers(self.table)
        for name in names:
            if name not in known:
                raise SternaError(f"{self.table}:1: {no_such('column', name, sorted(known))}", 2)
        return found

    def _by_coolprop(self, row: Row, fixed: Mapping[str, object]) -> dict[str, object]:
        props = _coolprop()
        state = _state(row, fixed)
        if state is None:
            raise SternaError(
                f"{self.path}: [reference]: coolprop goes by a temperature and a pressure; expected "
                "thermostat.temperature in K and barostat.pressure"
            )
        temperature, pressure = state
        keys = [column for column in row if "." in column]
        found: dict[str, object] = {column: row[column] for column in keys}
        for column in row:
            name, _, unit = column.partition("/")
            key, factors = _PROPERTIES.get(name, ("", {}))
            if unit not in factors:
                continue
            try:
                value = props(key, "T", temperature, "P", pressure, self.fluid)
            except ValueError as error:
                raise SternaError(f"{self.path}: [reference]: CoolProp: {error}") from error
            found[column] = value / factors[unit]
        return found


def _coolprop() -> Callable[..., float]:
    return library("CoolProp.CoolProp", "[reference]: coolprop", "CoolProp").PropsSI


def _read_numbers(path: Path) -> tuple[list[str], list[dict[str, object]]]:
    """Names of columns of a table, and its rows. Raises SternaError with file and line."""
    require_regular(path)
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            lines = list(csv.reader(file))
    except OSError as error:
        raise SternaError(f"[reference]: {path} cannot be read: {error.strerror}", 2) from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise SternaError(f"{path}: no table of the kind CSV: {error}", 2) from error
    if len(lines) < 2:
        raise SternaError(
            f"{path}:1: expected names of columns, as in results.csv, and rows of numbers below", 2
        )
    names, *below = lines
    found: list[dict[str, object]] = []
    for number, line in enumerate(below, 2):
        if len(line) > len(names):
            raise SternaError(
                f"{path}:{number}: {len(line)} values, expected {len(names)}, one of each column", 2
            )
        try:
            found.append(
                {name: float(text) for name, text in zip(names, line, strict=False) if text.strip()}
            )
        except ValueError as error:
            raise SternaError(f"{path}:{number}: {error}", 2) from error
    return names, [row for row in found if row]


def _state(row: Row, fixed: Mapping[str, object]) -> tuple[float, float] | None:
    """Temperature in K and pressure in Pa of a state point."""
    temperature = pressure = None
    texts = dict(fixed)
    for column, value in row.items():
        key, _, unit = column.partition("/")
        if "." in key:
            texts[key] = f"{value} {unit}".strip()
    for key, value in texts.items():
        number, unit = number_and_unit(value)
        if number is None:
            continue
        if key.startswith("thermostat") and key.endswith(".temperature") and unit in ("K", ""):
            temperature = number
        if key == "barostat.pressure" and (unit or "bar") in PASCAL:
            pressure = number * PASCAL[unit or "bar"]
    if temperature is None or pressure is None:
        return None
    return temperature, pressure
