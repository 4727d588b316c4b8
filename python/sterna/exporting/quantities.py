"""Quantities of an input as numbers: a plain one is in the input's units, a text has its own."""

import re
from typing import Any

from sterna.errors import SternaError
from sterna.support.constants import BAR_PER_ATM, BAR_PER_KJ_MOL_NM3, KJ_MOL_PER_K

_KJ_MOL_PER_EV = 96.48533212331  # CODATA 2018
COULOMB = 138.93545764438198  #: kJ/mol nm/e^2, CODATA 2018

#: The values of units in nm, kJ/mol and e.
_UNITS = {
    "nm": 1.0, "angstrom": 0.1, "Å": 0.1, "A": 0.1, "pm": 1e-3,
    "um": 1e3, "bohr": 0.0529177210903, "kJ": 1.0, "J": 1e-3, "kcal": 4.184, "cal": 4.184e-3,
    "mol": 1.0, "eV": _KJ_MOL_PER_EV, "meV": 1e-3 * _KJ_MOL_PER_EV, "hartree": 2625.4996394799,
    "K": KJ_MOL_PER_K, "e": 1.0, "rad": 1.0,
}  # fmt: skip

#: The values of the inputs' units: a length in nm, an energy in kJ/mol.
_INPUT_UNITS = {
    "reduced": (1.0, 1.0), "nano": (1.0, 1.0), "metal": (0.1, _KJ_MOL_PER_EV), "real": (0.1, 4.184),
}  # fmt: skip

#: The factors from times and pressures in an input's units to ps and bar.
_TIMES = {"reduced": 1.0, "nano": 1.0, "metal": 1.0, "real": 1e-3}
_PRESSURES = {"reduced": BAR_PER_KJ_MOL_NM3, "nano": 1.0, "metal": 1.0, "real": BAR_PER_ATM}
_TIME_UNITS = {"fs": 1e-3, "ps": 1.0, "ns": 1e3, "us": 1e6, "s": 1e12}
_PRESSURE_UNITS = {
    "bar": 1.0,
    "atm": BAR_PER_ATM,
    "Pa": 1e-5,
    "kPa": 1e-2,
    "MPa": 10.0,
    "GPa": 1e4,
}

#: Powers of a length and of an energy.
LENGTH, ENERGY, STIFFNESS, INVERSE_LENGTH, CHARGE = (1, 0), (0, 1), (-2, 1), (-1, 0), (0, 0)
FORCE, CUBIC_STIFFNESS, QUARTIC_STIFFNESS = (-1, 1), (-3, 1), (-4, 1)


class Quantities:
    """Numbers in the units of an input (`given`), as those with these factors from nm and kJ/mol."""

    def __init__(self, given: str, wanted: str, length: float, energy: float) -> None:
        self._same = given == wanted
        self._units = given
        self._given = _INPUT_UNITS[given]
        self._wanted = (length, energy)

    def number(self, value: Any, dimension: tuple[int, int]) -> float:
        """Raises SternaError for a text that is no quantity."""
        if isinstance(value, str):
            internal = _in_nm_and_kj(value)
        elif self._same:
            return float(value)  # keeps the value to the last digit
        else:
            internal = float(value) * _factor(self._given, dimension)
        return internal * _factor(self._wanted, dimension)

    def picoseconds(self, value: Any) -> float:
        """A time; a reduced one stays as it is. Raises SternaError."""
        return _of_unit(value, _TIMES[self._units], _TIME_UNITS)

    def kelvin(self, value: Any) -> float:
        """A temperature; a reduced one is that of particles whose energies are in kJ/mol."""
        return _of_unit(value, 1.0 / KJ_MOL_PER_K if self._units == "reduced" else 1.0, {"K": 1.0})

    def bar(self, value: Any) -> float:
        """A pressure; of a reduced one lengths are in nm and energies in kJ/mol."""
        return _of_unit(value, _PRESSURES[self._units], _PRESSURE_UNITS)


def _of_unit(value: Any, plain: float, units: dict[str, float]) -> float:
    """A number times `plain`, or a text with one of the units."""
    if not isinstance(value, str):
        return float(value) * plain
    found = re.fullmatch(r"\s*([-+]?[\d.]+(?:[eE][-+]?\d+)?)\s*(\S+)\s*", value)
    if found is None or found[2] not in units:
        raise SternaError(f'"{value}" of the input: expected a number and {", ".join(units)}', 2)
    return float(found[1]) * units[found[2]]


def _factor(units: tuple[float, float], dimension: tuple[int, int]) -> float:
    return units[0] ** dimension[0] * units[1] ** dimension[1]


def _in_nm_and_kj(text: str) -> float:
    found = re.fullmatch(r"\s*([-+]?[\d.]+(?:[eE][-+]?\d+)?)\s*(.*?)\s*", text)
    if found is None:
        raise SternaError(f'"{text}" of the input is no number with a unit', 2)
    value = float(found[1])
    for n, part in enumerate(found[2].split("/") if found[2] else []):
        for name in re.split(r"[\s*]+", part.strip()):
            unit = re.fullmatch(r"([^\d^-]+)(?:\^?(-?\d+))?", name)
            if name == "1":
                continue
            if unit is None or unit[1] not in _UNITS:
                raise SternaError(f'"{text}" of the input: the unit "{name}" is not known here', 2)
            value *= _UNITS[unit[1]] ** (int(unit[2] or 1) * (-1 if n else 1))
    return value
