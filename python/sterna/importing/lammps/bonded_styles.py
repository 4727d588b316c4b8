"""Styles of LAMMPS as terms of Sterna: a function for each, of the coefficients of a type.

LAMMPS has no factor of 1/2 in harmonic terms, Sterna has. Angles are in degrees in both.
"""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sterna.importing.lammps.data_file import DataFile
from sterna.importing.text import Line

if TYPE_CHECKING:
    from sterna.importing.lammps.script import Command

LARGEST_MULTIPLICITY = 6  #: of a periodic torsion


class Coefficients:
    """The words of one type's coefficients, read one after the other."""

    def __init__(self, line: Line, fields: list[str], first: int) -> None:
        self.line, self.fields, self.next = line, fields, first

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

    def read_class2(c: Coefficients) -> list[Kind]:
        if c.more and c.fields[c.next] in ("bb", "ba"):
            return [_class2_cross(c)]
        return read(c)

    return read_class2 if has_cross_terms else read


def _class2_cross(c: Coefficients) -> Kind:
    """bb M r1 r2, or ba N1 N2 r1 r2: only where they do not act."""
    at, name = c.next, c.word("bb or ba")
    values = [c.number(f"a coefficient of {name}") for _ in range(3 if name == "bb" else 4)]
    if any(values[: 1 if name == "bb" else 2]):
        c.line.fail(
            at,
            f"{name} of angle style class2 couples the angle to its bonds, which is not taken over",
        )
    return Kind(name, {})


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
    "bond": {
        "harmonic": _harmonic_bond,
        "morse": _morse_bond,
        "fene": _fene_bond,
        "class2": _class2_bond,
        "mm3": _mm3_bond,
        "gromos": _gromos_bond,
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
    },
    "improper": {"harmonic": _harmonic_improper, "cvff": _cvff_improper},
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
