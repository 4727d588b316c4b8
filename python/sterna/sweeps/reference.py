"""The reference of a sweep: a table of experiments, or an equation of state."""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sterna.errors import SternaError
from sterna.support.names import no_such
from sterna.support.quantity import number_and_unit

_KEYS = ("csv", "coolprop", "label")
#: The properties of CoolProp, in SI: the name, and the value of the table's unit.
_PROPERTIES = {
    "density": ("Dmass", {"g/cm^3": 1e3, "kg/m^3": 1.0}),
    "heat_capacity_p": ("Cpmolar", {"J/(mol K)": 1.0}),
    "heat_capacity_v": ("Cvmolar", {"J/(mol K)": 1.0}),
    "compressibility": ("isothermal_compressibility", {"1/bar": 1e-5, "1/atm": 1 / 101325.0}),
    "thermal_expansion": ("isobaric_expansion_coefficient", {"1/K": 1.0}),
    "viscosity": ("viscosity", {"mPa*s": 1e-3, "Pa*s": 1.0}),
}
_PASCAL = {"Pa": 1.0, "kPa": 1e3, "MPa": 1e6, "GPa": 1e9, "bar": 1e5, "atm": 101325.0}

Row = Mapping[str, object]


@dataclass(frozen=True)
class Reference:
    """[reference] of a study."""

    path: Path  #: path of the study
    table: Path | None = None  #: CSV with the columns of the sweep's table
    fluid: str = ""  #: name of the fluid in CoolProp
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
        if ("csv" in given) == ("coolprop" in given):
            raise SternaError(f'{path}: [reference]: expected either "csv" or "coolprop"', 2)
        table = path.parent / given["csv"] if "csv" in given else None
        if table is not None and not table.is_file():
            raise SternaError(f"{path}: [reference]: {table} does not exist", 2)
        fluid = given.get("coolprop", "")
        label = given.get("label") or (f"CoolProp, {fluid}" if fluid else table.stem)
        return cls(path, table, fluid, label)

    def rows(self, rows: Sequence[Row], fixed: Mapping[str, object]) -> list[dict[str, object]]:
        """Rows with columns that the sweep's table has as well, each with a value of the reference.

        `fixed`: what all state points have in common, as SECTION.KEY. Raises SternaError.
        """
        if self.table is not None:
            return self._read_table(rows)
        return [self._by_coolprop(row, fixed) for row in rows]

    def _read_table(self, rows: Sequence[Row]) -> list[dict[str, object]]:
        known = {column for row in rows for column in row}
        with self.table.open(newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file)
            names = reader.fieldnames or []
            for name in names:
                if name not in known:
                    raise SternaError(f"{self.table}:1: {no_such('column', name, sorted(known))}")
            found = []
            for number, line in enumerate(reader, 2):
                try:
                    found.append({name: float(line[name]) for name in names if line[name]})
                except (TypeError, ValueError) as error:
                    raise SternaError(f"{self.table}:{number}: {error}") from error
        return found

    def _by_coolprop(self, row: Row, fixed: Mapping[str, object]) -> dict[str, object]:
        try:
            from CoolProp.CoolProp import PropsSI
        except ImportError as error:
            raise SternaError(
                "[reference]: coolprop needs CoolProp: pip install CoolProp"
            ) from error
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
                value = PropsSI(key, "T", temperature, "P", pressure, self.fluid)
            except ValueError as error:
                raise SternaError(f"{self.path}: [reference]: CoolProp: {error}") from error
            found[column] = value / factors[unit]
        return found


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
        if key == "barostat.pressure" and (unit or "bar") in _PASCAL:
            pressure = number * _PASCAL[unit or "bar"]
    if temperature is None or pressure is None:
        return None
    return temperature, pressure
