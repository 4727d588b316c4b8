"""Styles of LAMMPS as terms of Sterna: a function for each, of the coefficients of a type.

LAMMPS has no factor of 1/2 in harmonic terms, Sterna has. Angles are in degrees in both.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sterna.importing.text import Line


class Coefficients:
    """The words of one type's coefficients, read one after the other."""

    def __init__(self, line: Line, fields: list[str], first: int) -> None:
        self.line, self.fields, self.next = line, fields, first

    def number(self, what: str) -> float:
        self.next += 1
        return self.line.number_at(self.fields, self.next - 1, what)

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

    section: str
    parameters: dict[str, Any]


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


def _periodic(section: str, amplitude: float, multiplicity: int, phase: float) -> list[Kind]:
    """Nothing where it is a constant."""
    if amplitude == 0.0 or multiplicity == 0:
        return []
    parameters = {
        "potential": "periodic",
        "amplitude": amplitude,
        "multiplicity": multiplicity,
        "phase": phase,
    }
    return [Kind(section, parameters)]


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


def _harmonic_improper(c: Coefficients) -> list[Kind]:
    stiffness, phi0 = 2.0 * c.number("K"), c.number("the angle at rest")
    if phi0 not in (0.0, 180.0):
        # LAMMPS has the absolute value of the angle: two minima.
        c.line.fail(c.next - 1, "an improper with another angle at rest than 0 is not taken over")
    if stiffness == 0.0:
        return []
    parameters = {"potential": "harmonic", "bending_stiffness": stiffness, "phi0": phi0}
    return [Kind("improper", parameters)]


def _cvff_improper(c: Coefficients) -> list[Kind]:
    amplitude = c.number("K")
    phase, multiplicity = _sign_and_multiplicity(c)
    return _periodic("improper", amplitude, multiplicity, phase)


STYLES: dict[str, dict[str, Callable[[Coefficients], list[Kind]]]] = {
    "bond": {"harmonic": _harmonic_bond, "morse": _morse_bond},
    "angle": {"harmonic": _harmonic_angle, "charmm": _charmm_angle},
    "dihedral": {
        "harmonic": _harmonic_dihedral,
        "charmm": _charmm_dihedral,
        "charmmfsw": _charmm_dihedral,
        "opls": _opls_dihedral,
        "multi/harmonic": _powers_of_cosine(5),
        "nharmonic": _powers_of_cosine(None),
        "fourier": _fourier_dihedral,
    },
    "improper": {"harmonic": _harmonic_improper, "cvff": _cvff_improper},
}


@dataclass(frozen=True)
class PairStyle:
    """How pairs end and mix; the distances that a script gives with the style, before those of
    charges, are `cutoff` or `inner` and `cutoff`."""

    truncation: str
    has_charges: bool
    has_inner: bool = False
    has_pairs_14: bool = False  #: epsilon and sigma of 1-4 pairs behind those of all others
    mixing: str = "geometric"  #: where pair_modify does not say


PAIR_STYLES = {
    "lj/cut": PairStyle("truncated", False),
    "lj/cut/coul/long": PairStyle("truncated", True),
    "lj/gromacs": PairStyle("cubic_force_switched", False, has_inner=True),
    "lj/charmm/coul/long": PairStyle(
        "switched", True, has_inner=True, has_pairs_14=True, mixing="arithmetic"
    ),
    "lj/charmmfsw/coul/long": PairStyle(
        "force_switched", True, has_inner=True, has_pairs_14=True, mixing="arithmetic"
    ),
}


def mixed(rule: str, first: Sequence[float], second: Sequence[float]) -> tuple[float, float]:
    """Of epsilon and sigma by `pair_modify mix`."""
    (e1, s1), (e2, s2) = first, second
    if (e1, s1) == (e2, s2):
        return e1, s1
    if rule == "sixthpower":
        sixth = s1**6 + s2**6
        epsilon = 2.0 * (e1 * e2) ** 0.5 * s1**3 * s2**3 / sixth if sixth > 0.0 else 0.0
        return epsilon, (0.5 * sixth) ** (1 / 6)
    return (e1 * e2) ** 0.5, 0.5 * (s1 + s2) if rule == "arithmetic" else (s1 * s2) ** 0.5
