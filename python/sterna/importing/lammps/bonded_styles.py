"""Styles of LAMMPS as terms of Sterna: a function for each, of the coefficients of a type.

LAMMPS has no factor of 1/2 in harmonic terms, Sterna has. Angles are in degrees in both.
"""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sterna.importing.lammps.data_file import DataFile
from sterna.importing.text import Line

if TYPE_CHECKING:
    from sterna.importing.lammps.script import Command

LARGEST_MULTIPLICITY = 6  #: of a periodic torsion


class Coefficients:
    """The words of one type's coefficients, read one after the other."""

    def __init__(self, line: Line, fields: list[str], first: int, part: str = "") -> None:
        self.line, self.fields, self.next = line, fields, first
        self.part = part  #: of class2, where the section of the file says it
        self.boltzmann: float | None = None  #: in the energy of the units, where they are known
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
    order: tuple[int, ...] = ()  #: of the style's atoms, where the term has another one
    part: str = ""  #: of the coefficients of class2 that this is, where it isn't the first

    def members(self, atoms: tuple[int, ...]) -> tuple[int, ...]:
        """The atoms of the term."""
        return tuple(atoms[k] for k in self.order) or atoms


def _harmonic_bond(c: Coefficients) -> list[Kind]:
    stiffness, r0 = 2.0 * c.number("the stiffness"), c.number("the length at rest")
    return [Kind("bond", {"potential": "harmonic", "stiffness": stiffness, "r0": r0})]


def _morse_bond(c: Coefficients) -> list[Kind]:
    depth, alpha, r0 = c.number("the depth"), c.number("alpha"), c.number("the length at rest")
    return [Kind("bond", {"potential": "morse", "depth": depth, "alpha": alpha, "r0": r0})]


def _harmonic_angle(c: Coefficients) -> list[Kind]:
    stiffness, theta0 = 2.0 * c.number("the stiffness"), c.number("the angle at rest")
    parameters = {"potential": "harmonic", "bending_stiffness": stiffness, "theta0": theta0}
    return [Kind("angle", parameters)]


def _charmm_angle(c: Coefficients) -> list[Kind]:
    found = _harmonic_angle(c)
    stiffness, r0 = 2.0 * c.number("the Urey-Bradley stiffness"), c.number("the distance at rest")
    if stiffness != 0.0:
        parameters = {"potential": "urey_bradley", "stiffness": stiffness, "r0": r0}
        found.append(Kind("angle", parameters))
    return found


def _zero(c: Coefficients) -> list[Kind]:
    """No energy; the equilibrium value that may stand there is for other programs."""
    c.next = len(c.fields)
    return []


def _fene_bond(c: Coefficients) -> list[Kind]:
    # LAMMPS has the factor 1/2 here.
    parameters = {
        "potential": "fene",
        "stiffness": c.number("the stiffness"),
        "r_max": c.number("the largest length"),
        "epsilon": c.number("epsilon"),
        "sigma": c.number("sigma"),
    }
    return [Kind("bond", parameters)]


def _polynomial_bond(r0: float, k2: float, k3: float, k4: float) -> list[Kind]:
    """From coefficients of powers of r - r0."""
    values = {"potential": "polynomial", "stiffness": 2.0 * k2, "r0": r0, "k3": k3, "k4": k4}
    return [Kind("bond", values)]


def _class2_bond(c: Coefficients) -> list[Kind]:
    r0 = c.number("the length at rest")
    return _polynomial_bond(r0, *(c.number(f"K{n}") for n in (2, 3, 4)))


def _mm3_bond(c: Coefficients) -> list[Kind]:
    stiffness, r0 = c.number("the stiffness"), c.number("the length at rest")
    cubic = -2.55  # 1/angstrom
    return _polynomial_bond(r0, stiffness, stiffness * cubic, stiffness * 7.0 / 12.0 * cubic**2)


def _fene_expand_bond(c: Coefficients) -> list[Kind]:
    (found,) = _fene_bond(c)
    return [Kind("bond", found.parameters | {"shift": c.number("the shift")})]


def _shifted_bond(ends: bool) -> Callable[[Coefficients], list[Kind]]:
    """`ends`: where the energy is 0."""

    def read(c: Coefficients) -> list[Kind]:
        values = {
            "potential": "shifted_harmonic",
            "depth": c.number("the depth"),
            "r0": c.number("the length at rest"),
            "r_zero": c.number("where the energy is 0"),
        }
        if ends and values["r_zero"] == 0.0:
            return []
        return [Kind("bond", values | ({"cutoff": values["r_zero"]} if ends else {}))]

    return read


def _nonlinear_bond(c: Coefficients) -> list[Kind]:
    epsilon, r0 = c.number("epsilon"), c.number("the length at rest")
    extension = c.number("lambda")
    if extension == 0.0:
        c.line.fail(c.next - 1, "lambda is 0; expected a number above 0")
    stiffness = 2.0 * epsilon / extension**2
    values = {"potential": "nonlinear", "stiffness": stiffness, "r0": r0}
    return [Kind("bond", values | {"extension": extension})]


def _gromos_bond(c: Coefficients) -> list[Kind]:
    stiffness, r0 = c.number("the stiffness"), c.number("the length at rest")
    parameters = {"potential": "gromos", "stiffness": 8.0 * r0 * r0 * stiffness, "r0": r0}
    return [Kind("bond", parameters)]


def _cosine_powers(*values: float) -> list[Kind]:
    powers = {f"c{n}": value for n, value in enumerate(values) if value != 0.0}
    return [Kind("angle", {"potential": "cosine_polynomial"} | powers)] if powers else []


def _cosine_of_multiple(n: int, scale: float, constant: float) -> list[Kind]:
    """constant + scale cos(n theta), as powers of the cosine (Chebyshev's polynomial)."""
    before, now = [1.0], [0.0, 1.0]
    for _ in range(n):
        twice = [0.0, *(2.0 * value for value in now)]
        for k, value in enumerate(before):
            twice[k] -= value
        before, now = now, twice
    values = [scale * value for value in before]
    values[0] += constant
    return _cosine_powers(*values)


def _cosine_angle(c: Coefficients) -> list[Kind]:
    stiffness = c.number("K")
    return _cosine_powers(stiffness, stiffness)


def _cosine_squared_angle(c: Coefficients) -> list[Kind]:
    stiffness, cosine = c.number("K"), math.cos(math.radians(c.number("the angle at rest")))
    return _cosine_powers(stiffness * cosine * cosine, -2.0 * stiffness * cosine, stiffness)


def _cosine_of_difference(constant: float, scale: float, theta0: float) -> list[Kind]:
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


def _cosine_delta_angle(c: Coefficients) -> list[Kind]:
    stiffness = c.number("K")
    return _cosine_of_difference(stiffness, -stiffness, c.number("the angle at rest"))


def _cosine_shift_angle(c: Coefficients) -> list[Kind]:
    depth = c.number("the depth")
    return _cosine_of_difference(-0.5 * depth, -0.5 * depth, c.number("the angle at rest"))


def _fourier_angle(c: Coefficients) -> list[Kind]:
    stiffness, c0, c1, c2 = (c.number(name) for name in ("K", "C0", "C1", "C2"))
    return _cosine_powers(stiffness * (c0 - c2), stiffness * c1, 2.0 * stiffness * c2)


def _multiple_of_angle(c: Coefficients) -> int:
    value = c.number("the multiplicity n")
    if value != int(value) or not 0.0 <= value <= LARGEST_MULTIPLICITY:
        c.line.fail(c.next - 1, f"the multiplicity n is {value:g}; expected an integer from 0 to 6")
    return int(value)


def _cosine_periodic_angle(c: Coefficients) -> list[Kind]:
    stiffness, sign = c.number("C"), c.integer("B", -1, 1)
    n = _multiple_of_angle(c)
    if n == 0:
        c.line.fail(c.next - 1, "the multiplicity n is 0; expected 1 to 6")
    scale = 2.0 * stiffness / n**2
    return _cosine_of_multiple(n, -scale * sign * (-1) ** n, scale)


def _polynomial_angle(theta0: float, *powers: float) -> list[Kind]:
    values = {f"c{n}": value for n, value in enumerate(powers, 2)}
    return [Kind("angle", {"potential": "polynomial", "theta0": theta0} | values)]


def _polynomial_angle_of(most: int, has_cross_terms: bool) -> Callable[[Coefficients], list[Kind]]:
    """The powers up to `most`; angles of class 2 have terms with bonds besides."""

    def read(c: Coefficients) -> list[Kind]:
        theta0 = c.number("the angle at rest")
        return _polynomial_angle(theta0, *(c.number(f"K{n}") for n in range(2, most + 1)))

    return _with_parts(read, {"bb": _bond_bond, "ba": _bond_angle}) if has_cross_terms else read


def _with_parts(
    first: Callable[[Coefficients], list[Kind]],
    parts: dict[str, Callable[[Coefficients], list[Kind]]],
) -> Callable[[Coefficients], list[Kind]]:
    """Coefficients of class2: those without a word in front, or a part of the others."""

    def read(c: Coefficients) -> list[Kind]:
        name = c.part or (c.fields[c.next] if c.more else "")
        if name not in parts:
            return first(c)
        c.next += 0 if c.part else 1
        # What has no energy is a part all the same, in place of an earlier one.
        found = parts[name](c) or [Kind("", {})]
        return [replace(one, part=name) for one in found]

    return read


def merged(before: list[Kind], new: list[Kind]) -> list[Kind]:
    """The terms of a type with new ones in place of those of the same part."""
    part = new[0].part if new else ""
    return [one for one in before if one.part != part] + new


def _bond_bond(c: Coefficients) -> list[Kind]:
    stiffness, r1, r2 = (c.number(name) for name in ("M", "r1", "r2"))
    return _stretch_stretch(stiffness, r1, r2)


def _stretch_stretch(stiffness: float, r1: float, r2: float) -> list[Kind]:
    values = {"potential": "stretch_stretch", "stretch_stretch": stiffness, "r1": r1, "r2": r2}
    return [Kind("angle", values)] if stiffness != 0.0 else []


def _stretch_bend(first: float, second: float, r1: float, r2: float, theta0: float) -> list[Kind]:
    values = {
        "potential": "stretch_bend",
        "stretch_bend_1": first,
        "stretch_bend_2": second,
        "r1": r1,
        "r2": r2,
        "theta0": theta0,
    }
    return [Kind("angle", values)] if first != 0.0 or second != 0.0 else []


def _bond_angle(c: Coefficients) -> list[Kind]:
    """The angle at rest is that of the type's first coefficients: `finished` fills it in."""
    first, second, r1, r2 = (c.number(name) for name in ("N1", "N2", "r1", "r2"))
    return _stretch_bend(first, second, r1, r2, math.nan)


def finished(kinds: list[Kind]) -> list[Kind]:
    """The terms of a type, when all its coefficients are known."""
    theta0 = next((one.parameters["theta0"] for one in kinds
                   if "theta0" in one.parameters and not one.part), 0.0)  # fmt: skip
    return [
        replace(one, parameters=one.parameters | {"theta0": theta0}) if one.part == "ba" else one
        for one in kinds
        if one.section
    ]


def _cross_angle(c: Coefficients) -> list[Kind]:
    stiffness, first, second = (c.number(name) for name in ("KSS", "KBS0", "KBS1"))
    r1, r2, theta0 = (c.number(name) for name in ("r12,0", "r32,0", "theta0"))
    return _stretch_stretch(stiffness, r1, r2) + _stretch_bend(first, second, r1, r2, theta0)


def _mm3_angle(c: Coefficients) -> list[Kind]:
    stiffness, theta0 = c.number("K"), c.number("the angle at rest")
    c.told.append(
        "angles mm3 have the forces of their energies; LAMMPS has another digit in one term, of the "
        "fourth power of the deviation"
    )
    powers = (1.0, -0.802141, 0.183837, -0.131664, 0.237090)  # per radian, as LAMMPS has them
    return _polynomial_angle(theta0, *(stiffness * power for power in powers))


def _fourier_simple_angle(c: Coefficients) -> list[Kind]:
    stiffness, scale = c.number("K"), c.number("C")
    n = c.number("the multiplicity n")
    if n not in (0.0, 1.0, 2.0):
        c.line.fail(
            c.next - 1,
            f"the multiplicity n is {n:g}; expected 0, 1 or 2: for others the forces of LAMMPS are "
            "not those of its energies",
        )
    return _cosine_of_multiple(int(n), stiffness * scale, stiffness)


def _restricted_angle(c: Coefficients) -> list[Kind]:
    stiffness, theta0 = 2.0 * c.number("K"), c.number("the angle at rest")
    values = {"potential": "restricted", "bending_stiffness": stiffness, "theta0": theta0}
    return [Kind("angle", values)] if stiffness != 0.0 else []


_SMALLEST_STEEPNESS = 1e-3  #: below which LAMMPS takes an expansion


def _cosine_exponential(section: str, key: str) -> Callable[[Coefficients], list[Kind]]:
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
            return _cosine_of_difference(-0.5 * depth, -0.5 * depth, at_rest)
        return _periodic("torsion", -0.5 * depth, 1, at_rest)

    return read


def _boltzmann(c: Coefficients) -> float:
    if c.boltzmann is None:
        c.line.fail(None, "expected the command units before: the style has a temperature")
    return c.boltzmann


def _gaussian(section: str, unit: float, least: float) -> Callable[[Coefficients], list[Kind]]:
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


def _periodic(section: str, amplitude: float, multiplicity: int, phase: float) -> list[Kind]:
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


def _quadratic_dihedral(c: Coefficients) -> list[Kind]:
    stiffness, phi0 = 2.0 * c.number("K"), c.number("the angle at rest")
    parameters = {"potential": "harmonic", "bending_stiffness": stiffness, "phi0": phi0}
    return [Kind("improper", parameters)] if stiffness != 0.0 else []


def _sign_and_multiplicity(c: Coefficients) -> tuple[float, int]:
    sign = c.integer("the sign d", -1, 1)
    if sign == 0:
        c.line.fail(c.next - 1, "the sign d is 0; expected 1 or -1")
    return (0.0 if sign == 1 else 180.0), c.integer("the multiplicity n", 0, 6)


def _harmonic_dihedral(c: Coefficients) -> list[Kind]:
    amplitude = c.number("K")
    phase, multiplicity = _sign_and_multiplicity(c)
    return _periodic("torsion", amplitude, multiplicity, phase)


def _charmm_dihedral(c: Coefficients) -> list[Kind]:
    amplitude, multiplicity = c.number("K"), c.integer("the multiplicity n", 0, 6)
    phase, weight = c.number("the phase d"), c.number("the weight of the 1-4 pair")
    found = _periodic("torsion", amplitude, multiplicity, phase)
    return found if weight == 0.0 else [*found, Kind("weight_14", {"weight": weight})]


def _opls_dihedral(c: Coefficients) -> list[Kind]:
    values = {f"v{n}": c.number(f"K{n}") for n in range(1, 5)}
    return [Kind("torsion", {"potential": "opls"} | values)] if any(values.values()) else []


def _powers_of_cosine(count: int | None) -> Callable[[Coefficients], list[Kind]]:
    def read(c: Coefficients) -> list[Kind]:
        terms = count or c.integer("the number of terms", 1, 6)
        values = {f"c{n}": c.number(f"A{n + 1}") for n in range(terms)}
        if not any(values.values()):
            return []
        parameters = {"potential": "ryckaert_bellemans", "zero_angle": 0.0}
        return [Kind("torsion", parameters | values)]

    return read


def _fourier_dihedral(c: Coefficients) -> list[Kind]:
    found: list[Kind] = []
    for _ in range(c.integer("the number of terms", 1, 100)):
        amplitude, multiplicity = c.number("K"), c.integer("the multiplicity n", 0, 6)
        found += _periodic("torsion", amplitude, multiplicity, c.number("the phase d"))
    return found


def _class2_dihedral(c: Coefficients) -> list[Kind]:
    """Three harmonics, 1 - cos(n phi - phase)."""
    found: list[Kind] = []
    for n in (1, 2, 3):
        amplitude, phase = c.number(f"K{n}"), c.number(f"the phase {n}")
        found += _periodic("torsion", amplitude, n, math.remainder(phase + 180.0, 360.0))
    return found


def _torsion_term(potential: str, scales: dict[str, float], others: dict[str, float]) -> list[Kind]:
    """A term that is proportional to `scales`; nothing where they all are 0."""
    if not any(scales.values()):
        return []
    return [Kind("torsion", {"potential": potential} | scales | others)]


def _numbers(c: Coefficients, names: list[str]) -> dict[str, float]:
    return {name: c.number(name) for name in names}


def _middle_bond_torsion(c: Coefficients) -> list[Kind]:
    scales = _numbers(c, [f"middle_{n}" for n in (1, 2, 3)])
    return _torsion_term("stretch_torsion", scales, _numbers(c, ["r2"]))


def _end_bond_torsion(c: Coefficients) -> list[Kind]:
    scales = _numbers(c, [f"{end}_{n}" for end in ("first", "last") for n in (1, 2, 3)])
    return _torsion_term("stretch_torsion", scales, _numbers(c, ["r1", "r3"]))


def _angle_torsion(c: Coefficients) -> list[Kind]:
    scales = _numbers(c, [f"bend_{end}_{n}" for end in ("first", "last") for n in (1, 2, 3)])
    return _torsion_term("bend_torsion", scales, _numbers(c, ["theta1", "theta2"]))


def _angle_angle_torsion(c: Coefficients) -> list[Kind]:
    scales = _numbers(c, ["bend_bend"])
    return _torsion_term("bend_bend_torsion", scales, _numbers(c, ["theta1", "theta2"]))


def _bond_bond_13(c: Coefficients) -> list[Kind]:
    scales = _numbers(c, ["stretch_stretch"])
    return _torsion_term("stretch_stretch", scales, _numbers(c, ["r1", "r3"]))


def _helix_dihedral(c: Coefficients) -> list[Kind]:
    """A (1 - cos phi) + B (1 + cos 3 phi) + C (1 + cos(phi + 45 degrees))."""
    a, b, d = (c.number(name) for name in "ABC")
    return (
        _periodic("torsion", a, 1, 180.0)
        + _periodic("torsion", b, 3, 0.0)
        + _periodic("torsion", d, 1, -45.0)
    )


def _restricted_dihedral(c: Coefficients) -> list[Kind]:
    stiffness, phi0 = 2.0 * c.number("K"), c.number("the angle at rest")
    values = {"potential": "restricted", "bending_stiffness": stiffness, "phi0": phi0}
    return [Kind("torsion", values)] if stiffness != 0.0 else []


def _spherical_dihedral(c: Coefficients) -> list[Kind]:
    found: list[Kind] = []
    for _ in range(c.integer("the number of terms", 1, 100)):
        values: dict[str, Any] = {"potential": "spherical", "amplitude": c.number("C")}
        for angle in ("phi", "theta1", "theta2"):
            values[f"n_{angle}"] = _multiple_of_angle(c)
            values[f"shift_{angle}"] = c.number(f"the shift of {angle}")
            values[f"offset_{angle}"] = c.number(f"the offset of {angle}")
        if values["amplitude"] != 0.0:
            found.append(Kind("torsion", values))
    return found


def _harmonic_improper(c: Coefficients) -> list[Kind]:
    stiffness, phi0 = 2.0 * c.number("K"), c.number("the angle at rest")
    if stiffness == 0.0:
        return []
    # LAMMPS has the absolute value of the angle: two minima, unless it is 0 or 180.
    potential = "harmonic" if phi0 in (0.0, 180.0) else "unsigned_harmonic"
    parameters = {"potential": potential, "bending_stiffness": stiffness, "phi0": phi0}
    return [Kind("improper", parameters)]


#: Each of the three bonds of a center against the plane of the two others; the center is the first.
_THREE_BONDS = ((0, 1, 2, 3), (0, 3, 1, 2), (0, 2, 3, 1))


def _inversion_cosine(c0: float, c1: float, c2: float) -> list[Kind]:
    values = {"potential": "inversion_cosine", "c0": c0, "c1": c1, "c2": c2}
    return [Kind("improper", values)] if c0 or c1 or c2 else []


def _umbrella_improper(c: Coefficients) -> list[Kind]:
    stiffness, omega0 = c.number("K"), c.number("the angle at rest")
    if omega0 == 0.0:
        return _inversion_cosine(stiffness, -stiffness, 0.0)
    cosine, sine = math.cos(math.radians(omega0)), math.sin(math.radians(omega0))
    if omega0 % 180.0 == 0.0:
        c.line.fail(c.next - 1, f"the angle at rest is {omega0:g}; expected 0, or one with a sine")
    scale = 0.5 * stiffness / sine**2
    return _inversion_cosine(scale * cosine**2, -2.0 * scale * cosine, scale)


def _fourier_improper(c: Coefficients) -> list[Kind]:
    stiffness, c0, c1, c2 = (c.number(name) for name in ("K", "C0", "C1", "C2"))
    of_all = c.integer("all", 0, 1) if c.more else 1
    found = _inversion_cosine(stiffness * (c0 - c2), stiffness * c1, 2.0 * stiffness * c2)
    orders = _THREE_BONDS if of_all else _THREE_BONDS[:1]
    return [replace(one, order=order) for one in found for order in orders]


def _inversion_harmonic_improper(c: Coefficients) -> list[Kind]:
    """The mean of three springs."""
    stiffness, omega0 = c.number("K"), c.number("the angle at rest")
    values = {"potential": "inversion", "bending_stiffness": 2.0 / 3.0 * stiffness}
    if stiffness == 0.0:
        return []
    return [Kind("improper", values | {"omega0": omega0}, order) for order in _THREE_BONDS]


_SECOND_IS_CENTER = (1, 0, 2, 3)


def _class2_improper(c: Coefficients) -> list[Kind]:
    stiffness, chi0 = 2.0 * c.number("K"), c.number("the angle at rest")
    values = {"potential": "wilson", "bending_stiffness": stiffness, "chi0": chi0}
    # The bonds to the atoms 3, 4 and 1 are right-handed where the angle is above 0.
    return [Kind("improper", values, (1, 2, 3, 0))] if stiffness != 0.0 else []


def _angle_angle(c: Coefficients) -> list[Kind]:
    """Angles 1-2-3, 1-2-4, 3-2-4; products of the first and the third, and so on."""
    m3, m2, m4 = (c.number(f"M{n}") for n in (1, 2, 3))
    angles = _numbers(c, ["theta23", "theta24", "theta34"])
    values = {"potential": "angle_angle", "m2": m2, "m3": m3, "m4": m4} | angles
    return [Kind("improper", values, _SECOND_IS_CENTER)] if m2 or m3 or m4 else []


def _plane_distance(c0: float, k1: float, k2: float, k4: float) -> list[Kind]:
    values = {"c0": c0, "k1": k1, "k2": k2, "k4": k4}
    if not any(values.values()):
        return []
    return [Kind("improper", {"potential": "plane_distance"} | values)]


def _distance_improper(c: Coefficients) -> list[Kind]:
    return _plane_distance(0.0, 0.0, c.number("K2"), c.number("K4"))


def _distharm_improper(c: Coefficients) -> list[Kind]:
    stiffness, d0 = c.number("K"), c.number("the distance at rest")
    return _plane_distance(stiffness * d0**2, -2.0 * stiffness * d0, stiffness, 0.0)


def _sqdistharm_improper(c: Coefficients) -> list[Kind]:
    stiffness, square = c.number("K"), c.number("the square of the distance at rest")
    return _plane_distance(stiffness * square**2, 0.0, -2.0 * stiffness * square, stiffness)


def _ring_improper(c: Coefficients) -> list[Kind]:
    """In LAMMPS the angles are those of bonds that follow each other: 180 degrees less ours."""
    stiffness, chi0 = c.number("K"), c.number("the angle at rest")
    values = {"potential": "ring", "bending_stiffness": stiffness, "theta0": 180.0 - chi0}
    return [Kind("improper", values, _SECOND_IS_CENTER)] if stiffness != 0.0 else []


def _cossq_improper(c: Coefficients) -> list[Kind]:
    """K/2 cos^2(theta - theta0) of the angle between two vectors."""
    stiffness, theta0 = c.number("K"), c.number("the angle at rest")
    if theta0 != 0.0:
        c.line.fail(
            c.next - 1,
            f"the angle at rest is {theta0:g}; expected 0: for others the forces of LAMMPS are not "
            "those of its energies",
        )
    values = {"potential": "vector_angle", "amplitude": 0.25 * stiffness, "multiplicity": 2}
    return [Kind("improper", values)] if stiffness != 0.0 else []


def _cvff_improper(c: Coefficients) -> list[Kind]:
    amplitude = c.number("K")
    phase, multiplicity = _sign_and_multiplicity(c)
    return _periodic("improper", amplitude, multiplicity, phase)


STYLES: dict[str, dict[str, Callable[[Coefficients], list[Kind]]]] = {
    "bond": {
        "harmonic": _harmonic_bond,
        "morse": _morse_bond,
        "fene": _fene_bond,
        "class2": _class2_bond,
        "mm3": _mm3_bond,
        "gromos": _gromos_bond,
        "fene/expand": _fene_expand_bond,
        "harmonic/shift": _shifted_bond(ends=False),
        "harmonic/shift/cut": _shifted_bond(ends=True),
        "nonlinear": _nonlinear_bond,
        "gaussian": _gaussian("bond", 1.0, 1e-10),
    },
    "angle": {
        "harmonic": _harmonic_angle,
        "charmm": _charmm_angle,
        "cosine": _cosine_angle,
        "cosine/squared": _cosine_squared_angle,
        "cosine/delta": _cosine_delta_angle,
        "cosine/shift": _cosine_shift_angle,
        "cosine/periodic": _cosine_periodic_angle,
        "fourier": _fourier_angle,
        "quartic": _polynomial_angle_of(4, has_cross_terms=False),
        "class2": _polynomial_angle_of(4, has_cross_terms=True),
        "class2/p6": _polynomial_angle_of(6, has_cross_terms=True),
        "cosine/shift/exp": _cosine_exponential("angle", "theta0"),
        "cosine/squared/restricted": _restricted_angle,
        "cross": _cross_angle,
        "fourier/simple": _fourier_simple_angle,
        "gaussian": _gaussian("angle", math.radians(1.0), 1e-8),
        "mm3": _mm3_angle,
    },
    "dihedral": {
        "harmonic": _harmonic_dihedral,
        "charmm": _charmm_dihedral,
        "charmmfsw": _charmm_dihedral,
        "opls": _opls_dihedral,
        "multi/harmonic": _powers_of_cosine(5),
        "nharmonic": _powers_of_cosine(None),
        "fourier": _fourier_dihedral,
        "quadratic": _quadratic_dihedral,
        "class2": _with_parts(
            _class2_dihedral,
            {
                "mbt": _middle_bond_torsion,
                "ebt": _end_bond_torsion,
                "at": _angle_torsion,
                "aat": _angle_angle_torsion,
                "bb13": _bond_bond_13,
            },
        ),
        "cosine/shift/exp": _cosine_exponential("torsion", "phi0"),
        "cosine/squared/restricted": _restricted_dihedral,
        "helix": _helix_dihedral,
        "spherical": _spherical_dihedral,
    },
    "improper": {
        "harmonic": _harmonic_improper,
        "cvff": _cvff_improper,
        "umbrella": _umbrella_improper,
        "fourier": _fourier_improper,
        "inversion/harmonic": _inversion_harmonic_improper,
        "class2": _with_parts(_class2_improper, {"aa": _angle_angle}),
        "distance": _distance_improper,
        "distharm": _distharm_improper,
        "sqdistharm": _sqdistharm_improper,
        "ring": _ring_improper,
        "cossq": _cossq_improper,
    },
}
for _styles in STYLES.values():
    _styles["zero"] = _zero
    _styles["none"] = _zero


def type_range(data: DataFile, command: "Command", place: int, kind: str) -> range:
    """Types by a number, a label, or `m*n`."""
    text = command.word(place, f"{kind} types")
    count = data.count(f"{kind} types")
    if text in data.labels.get(kind, {}):
        number = data.labels[kind][text]
        return range(number, number + 1)
    if "*" in text:
        first, _, last = text.partition("*")
        limits = (first or "1", last or str(count))
    else:
        limits = (text, text)
    if not all(re.fullmatch(r"\d{1,9}", limit) for limit in limits):
        command.fail(place, f'expected {kind} types such as 2, 1*3 or *; found "{text}"')
    low, high = map(int, limits)
    if not 1 <= low <= high <= count:
        command.fail(place, f"there is no such {kind} type; expected 1 to {count}")
    return range(low, high + 1)
