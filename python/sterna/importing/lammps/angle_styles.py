"""Angle styles of LAMMPS as terms of Sterna: a function for each, of the coefficients of a type."""

import math
from collections.abc import Callable

from sterna.importing.lammps.bonded_rows import (
    Coefficients,
    Kind,
    cosine_exponential,
    cosine_of_difference,
    cosine_powers,
    gaussian,
    multiple_of_angle,
    with_parts,
)


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
    return cosine_powers(*values)


def _cosine_angle(c: Coefficients) -> list[Kind]:
    stiffness = c.number("K")
    return cosine_powers(stiffness, stiffness)


def _cosine_squared_angle(c: Coefficients) -> list[Kind]:
    stiffness, cosine = c.number("K"), math.cos(math.radians(c.number("the angle at rest")))
    return cosine_powers(stiffness * cosine * cosine, -2.0 * stiffness * cosine, stiffness)


def _cosine_delta_angle(c: Coefficients) -> list[Kind]:
    stiffness = c.number("K")
    return cosine_of_difference(stiffness, -stiffness, c.number("the angle at rest"))


def _cosine_shift_angle(c: Coefficients) -> list[Kind]:
    depth = c.number("the depth")
    return cosine_of_difference(-0.5 * depth, -0.5 * depth, c.number("the angle at rest"))


def _fourier_angle(c: Coefficients) -> list[Kind]:
    stiffness, c0, c1, c2 = (c.number(name) for name in ("K", "C0", "C1", "C2"))
    return cosine_powers(stiffness * (c0 - c2), stiffness * c1, 2.0 * stiffness * c2)


def _cosine_periodic_angle(c: Coefficients) -> list[Kind]:
    stiffness, sign = c.number("C"), c.integer("B", -1, 1)
    n = multiple_of_angle(c)
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

    return with_parts(read, {"bb": _bond_bond, "ba": _bond_angle}) if has_cross_terms else read


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


ANGLE_STYLES: dict[str, Callable[[Coefficients], list[Kind]]] = {
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
    "cosine/shift/exp": cosine_exponential("angle", "theta0"),
    "cosine/squared/restricted": _restricted_angle,
    "cross": _cross_angle,
    "fourier/simple": _fourier_simple_angle,
    "gaussian": gaussian("angle", math.radians(1.0), 1e-8),
    "mm3": _mm3_angle,
}
