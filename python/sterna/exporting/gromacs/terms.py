"""Bonded terms and virtual sites as lines of GROMACS: section, function type, parameters.

Source: GROMACS manual, "Topology file"; docs/howto/flexible-molecules.md for Sterna's formulas. All
lengths are in nm, energies in kJ/mol, angles in degrees.
"""

from collections.abc import Callable
from typing import Any

from sterna.exporting.gromacs.refusal import refuse
from sterna.exporting.quantities import (
    CUBIC_STIFFNESS,
    ENERGY,
    INVERSE_LENGTH,
    LENGTH,
    QUARTIC_STIFFNESS,
    STIFFNESS,
    Quantities,
)

_HALF_TURN = 180.0
_MOST_POWERS_OF_AN_ANGLE = 5
_PLAIN = (0, 0)  # an angle, or a factor


class Term:
    """A table of an input whose values are taken one by one, so that none is passed over."""

    def __init__(self, where: str, table: dict[str, Any], quantities: Quantities) -> None:
        self.where = where
        self._table = table
        self._quantities = quantities
        self._taken = {"atoms", "potential", "kind"}

    def take(self, key: str, dimension: tuple[int, int], preset: float | None = None) -> float:
        """A value in GROMACS's units; `preset` where it is not given."""
        self._taken.add(key)
        value = self._table[key] if preset is None else self._table.get(key, preset)
        return self._quantities.number(value, dimension)

    def require_zero(self, key: str, dimension: tuple[int, int]) -> None:
        """Raises SternaError for a part of the potential that GROMACS lacks."""
        if self.take(key, dimension, 0.0) != 0.0:
            refuse(f"{self.where} with {key} = {self._table[key]!r}")

    def require_all_taken(self) -> None:
        """Raises SternaError where a key is left."""
        for key in self._table:
            if key not in self._taken:
                refuse(f"{self.where} with {key}")


Line = tuple[str, int, tuple[float | int, ...]]  #: section, function type, parameters


def _harmonic_bond(term: Term) -> Line:
    return "bonds", 1, (term.take("r0", LENGTH), term.take("stiffness", STIFFNESS))


def _morse_bond(term: Term) -> Line:
    return "bonds", 3, (
        term.take("r0", LENGTH), term.take("depth", ENERGY), term.take("alpha", INVERSE_LENGTH),
    )  # fmt: skip


def _gromos_bond(term: Term) -> Line:
    r0, stiffness = term.take("r0", LENGTH), term.take("stiffness", STIFFNESS)
    return "bonds", 2, (r0, stiffness / (2.0 * r0 * r0))


def _polynomial_bond(term: Term) -> Line:
    r0, stiffness = term.take("r0", LENGTH), term.take("stiffness", STIFFNESS)
    cubic = term.take("k3", CUBIC_STIFFNESS, 0.0)
    term.require_zero("k4", QUARTIC_STIFFNESS)
    if stiffness == 0.0 and cubic != 0.0:
        refuse(f"{term.where} with k3 and without stiffness")
    return "bonds", 4, (r0, 0.5 * stiffness, 2.0 * cubic / stiffness if cubic else 0.0)


def _fene_bond(term: Term) -> Line:
    term.require_zero("epsilon", ENERGY)
    term.take("sigma", LENGTH, 0.0)
    term.require_zero("shift", LENGTH)
    return "bonds", 7, (term.take("r_max", LENGTH), term.take("stiffness", STIFFNESS))


def _flat_bottom_bond(term: Term) -> Line:
    distances = (term.take(key, LENGTH) for key in ("r_lower", "r_upper", "r_linear"))
    return "bonds", 10, (*distances, term.take("stiffness", STIFFNESS))


def _angle(function: int) -> Callable[[Term], Line]:
    def convert(term: Term) -> Line:
        stiffness = term.take("bending_stiffness", ENERGY)
        return "angles", function, (term.take("theta0", _PLAIN), stiffness)

    return convert


def _polynomial_angle(term: Term) -> Line:
    theta0 = term.take("theta0", _PLAIN)
    for n in (5, 6):
        term.require_zero(f"c{n}", ENERGY)
    powers = (term.take(f"c{n}", ENERGY, 0.0) for n in range(_MOST_POWERS_OF_AN_ANGLE))
    return "angles", 6, (theta0, *powers)


def _urey_bradley(term: Term) -> Line:
    spring = (term.take("r0", LENGTH), term.take("stiffness", STIFFNESS))
    return "angles", 5, (0.0, 0.0, *spring)


def _periodic(function: int) -> Callable[[Term], Line]:
    def convert(term: Term) -> Line:
        phase, amplitude = term.take("phase", _PLAIN, 0.0), term.take("amplitude", ENERGY)
        return "dihedrals", function, (phase, amplitude, int(term.take("multiplicity", _PLAIN)))

    return convert


def _opls_torsion(term: Term) -> Line:
    return "dihedrals", 5, tuple(term.take(f"v{n}", ENERGY, 0.0) for n in range(1, 5))


def _ryckaert_bellemans(term: Term) -> Line:
    """Counted from cis, odd powers have the other sign."""
    zero = term.take("zero_angle", _PLAIN)
    if zero not in (0.0, _HALF_TURN):
        refuse(f"{term.where} with zero_angle = {zero:g}")
    sign = 1.0 if zero == _HALF_TURN else -1.0
    return "dihedrals", 3, tuple(sign**n * term.take(f"c{n}", ENERGY, 0.0) for n in range(6))


def _dihedral_about(function: int) -> Callable[[Term], Line]:
    def convert(term: Term) -> Line:
        phi0 = term.take("phi0", _PLAIN, 0.0)
        return "dihedrals", function, (phi0, term.take("bending_stiffness", ENERGY))

    return convert


def _bending_torsion(term: Term) -> Line:
    return "dihedrals", 11, (1.0, *(term.take(f"c{n}", ENERGY, 0.0) for n in range(5)))


def _stretch_stretch(term: Term) -> Line:
    lengths = (term.take(key, LENGTH) for key in ("r1", "r2"))
    return "angles", 3, (*lengths, term.take("stretch_stretch", STIFFNESS))


def _stretch_outer(term: Term) -> Line:
    lengths = (term.take(key, LENGTH) for key in ("r1", "r2", "r3"))
    return "angles", 4, (*lengths, term.take("stretch_stretch", STIFFNESS))


def _linear_angle(term: Term) -> Line:
    return "angles", 9, (term.take("share", _PLAIN), term.take("stiffness", STIFFNESS))


def _flat_bottom_torsion(term: Term) -> Line:
    angles = (term.take("phi0", _PLAIN), term.take("half_width", _PLAIN, 0.0))
    return "dihedral_restraints", 1, (*angles, term.take("bending_stiffness", ENERGY))


def _vector_angle(term: Term) -> Line:
    """GROMACS has 1 - cos(n (theta - theta0)) in place of the sum."""
    number = int(term.take("multiplicity", _PLAIN))
    theta0 = (term.take("phase", _PLAIN, 0.0) - _HALF_TURN) / number
    return "angle_restraints", 1, (theta0, term.take("amplitude", ENERGY), number)


#: The functions that write a term, by section and potential of the input.
TERMS: dict[tuple[str, str], Callable[[Term], Line]] = {
    ("bond", "harmonic"): _harmonic_bond,
    ("bond", "morse"): _morse_bond,
    ("bond", "gromos"): _gromos_bond,
    ("bond", "polynomial"): _polynomial_bond,
    ("bond", "fene"): _fene_bond,
    ("bond", "flat_bottom"): _flat_bottom_bond,
    ("angle", "harmonic"): _angle(1),
    ("angle", "cosine_squared"): _angle(2),
    ("angle", "restricted"): _angle(10),
    ("angle", "polynomial"): _polynomial_angle,
    ("angle", "urey_bradley"): _urey_bradley,
    ("angle", "stretch_stretch"): _stretch_stretch,
    ("angle", "stretch_outer"): _stretch_outer,
    ("angle", "linear"): _linear_angle,
    ("torsion", "flat_bottom"): _flat_bottom_torsion,
    ("torsion", "periodic"): _periodic(9),
    ("torsion", "opls"): _opls_torsion,
    ("torsion", "ryckaert_bellemans"): _ryckaert_bellemans,
    ("torsion", "restricted"): _dihedral_about(10),
    ("torsion", "bending_torsion"): _bending_torsion,
    ("improper", "harmonic"): _dihedral_about(2),
    ("improper", "periodic"): _periodic(4),
    ("improper", "vector_angle"): _vector_angle,
}


#: Section, function type, and keys in the order of the line, by kind of site.
_SITES: dict[str, tuple[str, int, tuple[tuple[str, tuple[int, int]], ...]]] = {
    "2": ("virtual_sites2", 1, (("a", _PLAIN),)),
    "2fd": ("virtual_sites2", 2, (("distance", LENGTH),)),
    "3": ("virtual_sites3", 1, (("a", _PLAIN), ("b", _PLAIN))),
    "3fd": ("virtual_sites3", 2, (("a", _PLAIN), ("distance", LENGTH))),
    "3fad": ("virtual_sites3", 3, (("angle", _PLAIN), ("distance", LENGTH))),
    "3out": ("virtual_sites3", 4, (("a", _PLAIN), ("b", _PLAIN), ("c", INVERSE_LENGTH))),
    "4fd": ("virtual_sites4", 1, (("a", _PLAIN), ("b", _PLAIN), ("distance", LENGTH))),
    "4fdn": ("virtual_sites4", 2, (("a", _PLAIN), ("b", _PLAIN), ("distance", LENGTH))),
}


#: Kinds of sites in the order in which GROMACS computes them.
_ORDER_OF_SITES = (*_SITES, "n")


def require_order(molecule: str, part: str, kind: str) -> None:
    """Raises SternaError where GROMACS does not compute sites of the kind `part` before the others."""
    if _ORDER_OF_SITES.index(part) >= _ORDER_OF_SITES.index(kind):
        refuse(
            f"[[molecule.virtual_site]] of {molecule}, kind = {kind!r}, made of one of kind {part!r}"
        )


def line_of_term(
    section: str, molecule: str, table: dict[str, Any], quantities: Quantities
) -> Line:
    """Returns the line of a bonded term. Raises SternaError if GROMACS has no such potential."""
    where = f"[[molecule.{section}]] of {molecule}, potential = {table['potential']!r}"
    convert = TERMS.get((section, table["potential"]))
    if convert is None:
        refuse(where)
    term = Term(where, table, quantities)
    line = convert(term)
    term.require_all_taken()
    return line


def line_of_site(molecule: str, table: dict[str, Any], quantities: Quantities) -> Line:
    """Returns the line of a virtual site. Raises SternaError if GROMACS has no such kind."""
    where = f"[[molecule.virtual_site]] of {molecule}, kind = {table['kind']!r}"
    if table["kind"] not in _SITES:
        refuse(where)
    section, function, keys = _SITES[table["kind"]]
    term = Term(where, table, quantities)
    values = tuple(term.take(key, dimension) for key, dimension in keys)
    term.require_all_taken()
    return section, function, values
