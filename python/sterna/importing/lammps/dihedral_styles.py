"""Dihedral styles of LAMMPS as terms of Sterna: a function for each, of a type's coefficients."""

import math
from collections.abc import Callable
from typing import Any

from sterna.importing.lammps.bonded_rows import (
    Coefficients,
    Kind,
    cosine_exponential,
    multiple_of_angle,
    numbers,
    periodic,
    sign_and_multiplicity,
    with_parts,
)


def _quadratic_dihedral(c: Coefficients) -> list[Kind]:
    stiffness, phi0 = 2.0 * c.number("K"), c.number("the angle at rest")
    parameters = {"potential": "harmonic", "bending_stiffness": stiffness, "phi0": phi0}
    return [Kind("improper", parameters)] if stiffness != 0.0 else []


def _harmonic_dihedral(c: Coefficients) -> list[Kind]:
    amplitude = c.number("K")
    phase, multiplicity = sign_and_multiplicity(c)
    return periodic("torsion", amplitude, multiplicity, phase)


def _charmm_dihedral(c: Coefficients) -> list[Kind]:
    amplitude, multiplicity = c.number("K"), c.integer("the multiplicity n", 0, 6)
    phase, weight = c.number("the phase d"), c.number("the weight of the 1-4 pair")
    found = periodic("torsion", amplitude, multiplicity, phase)
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
        found += periodic("torsion", amplitude, multiplicity, c.number("the phase d"))
    return found


def _class2_dihedral(c: Coefficients) -> list[Kind]:
    """Three harmonics, 1 - cos(n phi - phase)."""
    found: list[Kind] = []
    for n in (1, 2, 3):
        amplitude, phase = c.number(f"K{n}"), c.number(f"the phase {n}")
        found += periodic("torsion", amplitude, n, math.remainder(phase + 180.0, 360.0))
    return found


def _torsion_term(potential: str, scales: dict[str, float], others: dict[str, float]) -> list[Kind]:
    """A term that is proportional to `scales`; nothing where they all are 0."""
    if not any(scales.values()):
        return []
    return [Kind("torsion", {"potential": potential} | scales | others)]


def _middle_bond_torsion(c: Coefficients) -> list[Kind]:
    scales = numbers(c, [f"middle_{n}" for n in (1, 2, 3)])
    return _torsion_term("stretch_torsion", scales, numbers(c, ["r2"]))


def _end_bond_torsion(c: Coefficients) -> list[Kind]:
    scales = numbers(c, [f"{end}_{n}" for end in ("first", "last") for n in (1, 2, 3)])
    return _torsion_term("stretch_torsion", scales, numbers(c, ["r1", "r3"]))


def _angle_torsion(c: Coefficients) -> list[Kind]:
    scales = numbers(c, [f"bend_{end}_{n}" for end in ("first", "last") for n in (1, 2, 3)])
    return _torsion_term("bend_torsion", scales, numbers(c, ["theta1", "theta2"]))


def _angle_angle_torsion(c: Coefficients) -> list[Kind]:
    scales = numbers(c, ["bend_bend"])
    return _torsion_term("bend_bend_torsion", scales, numbers(c, ["theta1", "theta2"]))


def _bond_bond_13(c: Coefficients) -> list[Kind]:
    scales = numbers(c, ["stretch_stretch"])
    return _torsion_term("stretch_stretch", scales, numbers(c, ["r1", "r3"]))


def _helix_dihedral(c: Coefficients) -> list[Kind]:
    """A (1 - cos phi) + B (1 + cos 3 phi) + C (1 + cos(phi + 45 degrees))."""
    a, b, d = (c.number(name) for name in "ABC")
    return (
        periodic("torsion", a, 1, 180.0)
        + periodic("torsion", b, 3, 0.0)
        + periodic("torsion", d, 1, -45.0)
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
            values[f"n_{angle}"] = multiple_of_angle(c)
            values[f"shift_{angle}"] = c.number(f"the shift of {angle}")
            values[f"offset_{angle}"] = c.number(f"the offset of {angle}")
        if values["amplitude"] != 0.0:
            found.append(Kind("torsion", values))
    return found


DIHEDRAL_STYLES: dict[str, Callable[[Coefficients], list[Kind]]] = {
    "harmonic": _harmonic_dihedral,
    "charmm": _charmm_dihedral,
    "charmmfsw": _charmm_dihedral,
    "opls": _opls_dihedral,
    "multi/harmonic": _powers_of_cosine(5),
    "nharmonic": _powers_of_cosine(None),
    "fourier": _fourier_dihedral,
    "quadratic": _quadratic_dihedral,
    "class2": with_parts(
        _class2_dihedral,
        {
            "mbt": _middle_bond_torsion,
            "ebt": _end_bond_torsion,
            "at": _angle_torsion,
            "aat": _angle_angle_torsion,
            "bb13": _bond_bond_13,
        },
    ),
    "cosine/shift/exp": cosine_exponential("torsion", "phi0"),
    "cosine/squared/restricted": _restricted_dihedral,
    "helix": _helix_dihedral,
    "spherical": _spherical_dihedral,
}
