"""Improper styles of LAMMPS as terms of Sterna: a function for each, of a type's coefficients."""

import math
from collections.abc import Callable
from dataclasses import replace

from sterna.importing.lammps.bonded_rows import (
    Coefficients,
    Kind,
    numbers,
    periodic,
    sign_and_multiplicity,
    with_parts,
)


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
    angles = numbers(c, ["theta23", "theta24", "theta34"])
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
    """LAMMPS takes the angles of consecutive bonds, which are 180 degrees less Sterna's angles."""
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
    phase, multiplicity = sign_and_multiplicity(c)
    return periodic("improper", amplitude, multiplicity, phase)


IMPROPER_STYLES: dict[str, Callable[[Coefficients], list[Kind]]] = {
    "harmonic": _harmonic_improper,
    "cvff": _cvff_improper,
    "umbrella": _umbrella_improper,
    "fourier": _fourier_improper,
    "inversion/harmonic": _inversion_harmonic_improper,
    "class2": with_parts(_class2_improper, {"aa": _angle_angle}),
    "distance": _distance_improper,
    "distharm": _distharm_improper,
    "sqdistharm": _sqdistharm_improper,
    "ring": _ring_improper,
    "cossq": _cossq_improper,
}
