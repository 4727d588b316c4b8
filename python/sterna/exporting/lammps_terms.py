"""Terms of flexible molecules as types of LAMMPS: the coefficients of each, in its styles.

Source: the manual of LAMMPS, the pages of the styles. LAMMPS has no factor of 1/2 in harmonic
terms, Sterna has.
"""

from collections.abc import Callable, Mapping
from typing import Any

from sterna.errors import SternaError
from sterna.exporting.quantities import (
    ENERGY,
    FORCE,
    INVERSE_LENGTH,
    LENGTH,
    QUARTIC_STIFFNESS,
    STIFFNESS,
    Quantities,
)

Table = Mapping[str, Any]
Coefficients = tuple[str, tuple]  #: a style and its numbers

_MOST_POWERS = 6
_SAME_ANGLE = 1e-4  # degrees
_POLYNOMIAL = 5  # terms of multi/harmonic


def _harmonic_bond(table: Table, q: Quantities) -> Coefficients:
    stiffness = 0.5 * q.number(table["stiffness"], STIFFNESS)
    return "harmonic", (stiffness, q.number(table["r0"], LENGTH))


def _morse_bond(table: Table, q: Quantities) -> Coefficients:
    depth, alpha = q.number(table["depth"], ENERGY), q.number(table["alpha"], INVERSE_LENGTH)
    return "morse", (depth, alpha, q.number(table["r0"], LENGTH))


def _harmonic_angle(table: Table, q: Quantities) -> Coefficients:
    return "harmonic", (0.5 * q.number(table["bending_stiffness"], ENERGY), float(table["theta0"]))


def _urey_bradley(table: Table, q: Quantities) -> Coefficients:
    stiffness = 0.5 * q.number(table["stiffness"], STIFFNESS)
    return "charmm", (0.0, 0.0, stiffness, q.number(table["r0"], LENGTH))


def _periodic_torsion(table: Table, q: Quantities) -> Coefficients:
    amplitude = q.number(table["amplitude"], ENERGY)
    return "fourier", (1, amplitude, int(table["multiplicity"]), float(table.get("phase", 0.0)))


def _opls_torsion(table: Table, q: Quantities) -> Coefficients:
    return "opls", tuple(q.number(table.get(f"v{n}", 0.0), ENERGY) for n in range(1, 5))


def _powers_of_cosine(table: Table, q: Quantities) -> Coefficients:
    """Counted from trans, odd powers have the other sign."""
    sign = -1.0 if float(table["zero_angle"]) == 180.0 else 1.0
    if float(table["zero_angle"]) not in (0.0, 180.0):
        raise SternaError(f"zero_angle = {table['zero_angle']}")
    values = [
        sign**n * q.number(table.get(f"c{n}", 0.0), ENERGY) + 0.0 for n in range(_MOST_POWERS)
    ]
    if values[_POLYNOMIAL:] == [0.0]:
        return "multi/harmonic", tuple(values[:_POLYNOMIAL])
    return "nharmonic", (len(values), *values)


def _none_or_half_a_turn(key: str, table: Table) -> float:
    """0 or 180 degrees; tables in radians that were read have other digits behind."""
    angle = float(table.get(key, 0.0)) % 360.0
    for wanted in (0.0, 180.0, 360.0):
        if abs(angle - wanted) < _SAME_ANGLE:
            return wanted % 360.0
    raise SternaError(f"{key} = {angle:g}, of which LAMMPS has 0 and 180 only")


def _harmonic_improper(table: Table, q: Quantities) -> Coefficients:
    phi0 = _none_or_half_a_turn("phi0", table)
    return "harmonic", (0.5 * q.number(table["bending_stiffness"], ENERGY), phi0)


def _periodic_improper(table: Table, q: Quantities) -> Coefficients:
    sign = 1 if _none_or_half_a_turn("phase", table) == 0.0 else -1
    return "cvff", (q.number(table["amplitude"], ENERGY), sign, int(table["multiplicity"]))


def _shifted_harmonic_bond(table: Table, q: Quantities) -> Coefficients:
    r_zero, cutoff = (q.number(table.get(key, 0.0), LENGTH) for key in ("r_zero", "cutoff"))
    if cutoff not in (0.0, r_zero):
        raise SternaError("a cutoff that is not r_zero, which LAMMPS does not have")
    values = (q.number(table["depth"], ENERGY), q.number(table["r0"], LENGTH), r_zero)
    return ("harmonic/shift/cut" if cutoff else "harmonic/shift"), values


def _nonlinear_bond(table: Table, q: Quantities) -> Coefficients:
    stiffness, extension = (
        q.number(table["stiffness"], STIFFNESS), q.number(table["extension"], LENGTH)
    )  # fmt: skip
    epsilon = 0.5 * stiffness * extension**2
    return "nonlinear", (epsilon, q.number(table["r0"], LENGTH), extension)


def _stretch_stretch(table: Table, q: Quantities) -> Coefficients:
    lengths = (q.number(table[key], LENGTH) for key in ("r1", "r2"))
    stiffness = q.number(table["stretch_stretch"], STIFFNESS)
    return "cross", (stiffness, 0.0, 0.0, *lengths, 90.0)


def _stretch_bend(table: Table, q: Quantities) -> Coefficients:
    lengths = (q.number(table[key], LENGTH) for key in ("r1", "r2"))
    factors = (q.number(table.get(f"stretch_bend_{n}", 0.0), FORCE) for n in (1, 2))
    return "cross", (0.0, *factors, *lengths, float(table["theta0"]))


def _cosine_exponential(key: str) -> Callable[[Table, Quantities], Coefficients]:
    def convert(table: Table, q: Quantities) -> Coefficients:
        depth = q.number(table["depth"], ENERGY)
        return "cosine/shift/exp", (depth, float(table[key]), float(table["steepness"]))

    return convert


def _spherical_torsion(table: Table, q: Quantities) -> Coefficients:
    values: list[float] = [1, q.number(table["amplitude"], ENERGY)]
    for angle in ("phi", "theta1", "theta2"):
        values.append(int(table.get(f"n_{angle}", 0)))
        values += [float(table.get(f"{key}_{angle}", 0.0)) for key in ("shift", "offset")]
    return "spherical", tuple(values)


def _unsigned_improper(table: Table, q: Quantities) -> Coefficients:
    stiffness = 0.5 * q.number(table["bending_stiffness"], ENERGY)
    return "harmonic", (stiffness, float(table.get("phi0", 0.0)))


def _inversion_cosine(table: Table, q: Quantities) -> Coefficients:
    """Returns the coefficients of one bond; cos 2 omega is 2 cos^2 omega - 1."""
    c0, c1, c2 = (q.number(table.get(f"c{n}", 0.0), ENERGY) for n in range(3))
    return "fourier", (1.0, c0 + 0.5 * c2, c1, 0.5 * c2, 0)


def _plane_distance(table: Table, q: Quantities) -> Coefficients:
    for key in ("c0", "k1", "k3"):
        if q.number(table.get(key, 0.0), ENERGY) != 0.0:
            raise SternaError(f"{key}, which LAMMPS does not have beside k2 and k4")
    k2 = q.number(table.get("k2", 0.0), STIFFNESS)
    return "distance", (k2, q.number(table.get("k4", 0.0), QUARTIC_STIFFNESS))


#: The kind of LAMMPS and its coefficients, by section and potential.
TERMS: dict[tuple[str, str], tuple[str, Callable[[Table, Quantities], Coefficients]]] = {
    ("bond", "harmonic"): ("bond", _harmonic_bond),
    ("bond", "morse"): ("bond", _morse_bond),
    ("angle", "harmonic"): ("angle", _harmonic_angle),
    ("angle", "urey_bradley"): ("angle", _urey_bradley),
    ("torsion", "periodic"): ("dihedral", _periodic_torsion),
    ("torsion", "opls"): ("dihedral", _opls_torsion),
    ("torsion", "ryckaert_bellemans"): ("dihedral", _powers_of_cosine),
    ("bond", "shifted_harmonic"): ("bond", _shifted_harmonic_bond),
    ("bond", "nonlinear"): ("bond", _nonlinear_bond),
    ("angle", "stretch_stretch"): ("angle", _stretch_stretch),
    ("angle", "stretch_bend"): ("angle", _stretch_bend),
    ("angle", "cosine_exponential"): ("angle", _cosine_exponential("theta0")),
    ("torsion", "cosine_exponential"): ("dihedral", _cosine_exponential("phi0")),
    ("torsion", "spherical"): ("dihedral", _spherical_torsion),
    ("improper", "unsigned_harmonic"): ("improper", _unsigned_improper),
    ("improper", "inversion_cosine"): ("improper", _inversion_cosine),
    ("improper", "plane_distance"): ("improper", _plane_distance),
    ("improper", "harmonic"): ("improper", _harmonic_improper),
    ("improper", "periodic"): ("improper", _periodic_improper),
}
