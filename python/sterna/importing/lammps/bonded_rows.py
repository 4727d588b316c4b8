"""The tools to read styles of bonded terms, and the functions that several kinds share.

LAMMPS has no factor of 1/2 in harmonic terms, Sterna has. Angles are in degrees in both.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from sterna.importing.text import Line

LARGEST_MULTIPLICITY = 6  #: largest multiplicity of a periodic torsion


class Coefficients:
    """The words of one type's coefficients, read one after the other."""

    def __init__(self, line: Line, fields: list[str], first: int, part: str = "") -> None:
        self.line, self.fields, self.next = line, fields, first
        self.part = part  #: part of class2, if the section of the file names it
        #: Boltzmann's constant in the file's unit of energy, if that is known
        self.boltzmann: float | None = None
        self.units = ""  #: likewise
        self.style_arguments: list[str] = []  #: arguments of the command that names the style
        self.told: list[str] = []  #: for the user to know

    def number(self, what: str) -> float:
        self.next += 1
        return self.line.number_at(self.fields, self.next - 1, what)

    def word(self, what: str) -> str:
        if not self.more:
            self.line.fail(self.next, f"expected {what}; found the end of the line")
        self.next += 1
        return self.fields[self.next - 1]

    def integer(self, what: str, least: int, most: int) -> int:
        self.next += 1
        return self.line.integer_at(self.fields, self.next - 1, what, least, most)

    @property
    def more(self) -> bool:
        return self.next < len(self.fields)

    def end(self) -> None:
        if self.more:
            self.line.fail(self.next, "unexpected text behind the last coefficient")


@dataclass(frozen=True)
class Kind:
    """A table of a term's section: its key and values but the atoms."""

    section: str  #: empty: no term, only the part below
    parameters: dict[str, Any]
    order: tuple[int, ...] = ()  #: order of the style's atoms, if the term has another one
    part: str = ""  #: part of the coefficients of class2, if it is not the first

    def members(self, atoms: tuple[int, ...]) -> tuple[int, ...]:
        """The atoms of the term."""
        return tuple(atoms[k] for k in self.order) or atoms


def zero(c: Coefficients) -> list[Kind]:
    """No energy; the equilibrium value that may stand there is for other programs."""
    c.next = len(c.fields)
    return []


def cosine_powers(*values: float) -> list[Kind]:
    powers = {f"c{n}": value for n, value in enumerate(values) if value != 0.0}
    return [Kind("angle", {"potential": "cosine_polynomial"} | powers)] if powers else []


def cosine_of_difference(constant: float, scale: float, theta0: float) -> list[Kind]:
    """constant + scale cos(theta - theta0)."""
    angle = math.radians(theta0)
    values = {
        "c0": constant,
        "c1": scale * math.cos(angle),
        "s1": scale * math.sin(angle) if theta0 % 180.0 else 0.0,
    }
    if not any(values.values()):
        return []
    return [Kind("angle", {"potential": "cosine_polynomial"} | values)]


def multiple_of_angle(c: Coefficients) -> int:
    value = c.number("the multiplicity n")
    if value != int(value) or not 0.0 <= value <= LARGEST_MULTIPLICITY:
        c.line.fail(c.next - 1, f"the multiplicity n is {value:g}; expected an integer from 0 to 6")
    return int(value)


def with_parts(
    first: Callable[[Coefficients], list[Kind]],
    parts: dict[str, Callable[[Coefficients], list[Kind]]],
) -> Callable[[Coefficients], list[Kind]]:
    """Returns the coefficients of class2: those without a leading word, or a part of the others."""

    def read(c: Coefficients) -> list[Kind]:
        name = c.part or (c.fields[c.next] if c.more else "")
        if name not in parts:
            return first(c)
        c.next += 0 if c.part else 1
        # A part without energy also replaces an earlier one.
        found = parts[name](c) or [Kind("", {})]
        return [replace(one, part=name) for one in found]

    return read


def merged(before: list[Kind], new: list[Kind]) -> list[Kind]:
    """Returns the terms of a type, with new terms in place of those of the same part."""
    part = new[0].part if new else ""
    return [one for one in before if one.part != part] + new


def finished(kinds: list[Kind]) -> list[Kind]:
    """The terms of a type, when all its coefficients are known."""
    theta0 = next((one.parameters["theta0"] for one in kinds
                   if "theta0" in one.parameters and not one.part), 0.0)  # fmt: skip
    return [
        replace(one, parameters=one.parameters | {"theta0": theta0}) if one.part == "ba" else one
        for one in kinds
        if one.section
    ]


_SMALLEST_STEEPNESS = 1e-3  #: below which LAMMPS takes an expansion


def cosine_exponential(section: str, key: str) -> Callable[[Coefficients], list[Kind]]:
    def read(c: Coefficients) -> list[Kind]:
        depth, at_rest = c.number("the depth"), c.number("the angle at rest")
        steepness = c.number("a")
        if abs(steepness) >= _SMALLEST_STEEPNESS:
            values = {"potential": "cosine_exponential", "depth": depth, key: at_rest,
                      "steepness": steepness}  # fmt: skip
            return [Kind(section, values)] if depth != 0.0 else []
        if steepness != 0.0:
            c.line.fail(
                c.next - 1,
                f"a is {steepness:g}; expected 0, or {_SMALLEST_STEEPNESS:g} off it: LAMMPS has an "
                "approximation between, whose forces are not those of its energies",
            )
        if section == "angle":
            return cosine_of_difference(-0.5 * depth, -0.5 * depth, at_rest)
        return periodic("torsion", -0.5 * depth, 1, at_rest)

    return read


def _boltzmann(c: Coefficients) -> float:
    if c.boltzmann is None:
        c.line.fail(None, "expected the command units before: the style has a temperature")
    return c.boltzmann


def gaussian(section: str, unit: float, least: float) -> Callable[[Coefficients], list[Kind]]:
    """`unit`: of the term's widths, in that of LAMMPS, which keeps the sum at `least` or more."""

    def read(c: Coefficients) -> list[Kind]:
        c.told.append(
            f"{section}s gaussian grow on where the sum of the Gaussians falls below {least:g}; in "
            f"LAMMPS the energy is flat there, {-math.log(least):.0f} times kT above that of a sum of 1"
        )
        values = {"potential": "gaussian"}
        values["thermal_energy"] = _boltzmann(c) * c.number("the temperature")
        for k in range(1, 1 + c.integer("the number of terms", 1, 3)):
            values[f"area{k}"] = c.number("A") / unit
            values[f"width{k}"] = c.number("the width") / unit
            values[f"center{k}"] = c.number("the center")
        return [Kind(section, values)]

    return read


def periodic(section: str, amplitude: float, multiplicity: int, phase: float) -> list[Kind]:
    if amplitude == 0.0:
        return []
    if multiplicity == 0:
        constant = amplitude * (1.0 + math.cos(math.radians(phase)))
        return _constant(constant)
    parameters = {
        "potential": "periodic",
        "amplitude": amplitude,
        "multiplicity": multiplicity,
        "phase": phase,
    }
    return [Kind(section, parameters)]


def _constant(value: float) -> list[Kind]:
    """An energy that depends on nothing, which counts all the same."""
    parameters = {"potential": "ryckaert_bellemans", "zero_angle": 0.0, "c0": value}
    return [Kind("torsion", parameters)] if value != 0.0 else []


def sign_and_multiplicity(c: Coefficients) -> tuple[float, int]:
    sign = c.integer("the sign d", -1, 1)
    if sign == 0:
        c.line.fail(c.next - 1, "the sign d is 0; expected 1 or -1")
    return (0.0 if sign == 1 else 180.0), c.integer("the multiplicity n", 0, 6)


def numbers(c: Coefficients, names: list[str]) -> dict[str, float]:
    return {name: c.number(name) for name in names}
