"""Quantities of an input as numbers: a plain one is in the input's units, a text has its own."""

import re
from typing import Any

from sterna.errors import SternaError

_KJ_MOL_PER_EV = 96.48533212331  # CODATA 2018
_KJ_MOL_PER_K = 0.00831446261815324

#: What a unit is in nm, kJ/mol and e.
_UNITS = {
    "nm": 1.0, "angstrom": 0.1, "Å": 0.1, "A": 0.1, "pm": 1e-3,
    "kJ": 1.0, "J": 1e-3, "kcal": 4.184, "cal": 4.184e-3, "mol": 1.0, "eV": _KJ_MOL_PER_EV,
    "K": _KJ_MOL_PER_K, "e": 1.0, "rad": 1.0,
}  # fmt: skip

#: Of the units of inputs: a length in nm, an energy in kJ/mol.
_INPUT_UNITS = {
    "reduced": (1.0, 1.0), "nano": (1.0, 1.0), "metal": (0.1, _KJ_MOL_PER_EV), "real": (0.1, 4.184),
}  # fmt: skip

#: Powers of a length and of an energy.
LENGTH, ENERGY, STIFFNESS, INVERSE_LENGTH, CHARGE = (1, 0), (0, 1), (-2, 1), (-1, 0), (0, 0)


class Quantities:
    """Numbers in the units of an input (`given`), as those with these factors from nm and kJ/mol."""

    def __init__(self, given: str, wanted: str, length: float, energy: float) -> None:
        self._same = given == wanted
        self._given = _INPUT_UNITS[given]
        self._wanted = (length, energy)

    def number(self, value: Any, dimension: tuple[int, int]) -> float:
        """Raises SternaError for a text that is no quantity."""
        if isinstance(value, str):
            internal = _in_nm_and_kj(value)
        elif self._same:
            return float(value)  # to the last digit
        else:
            internal = float(value) * _factor(self._given, dimension)
        return internal * _factor(self._wanted, dimension)


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
