"""Parameters of virtual sites that the topology leaves out, as `pdb2gmx -vsite` does.

They follow from lengths of bonds and constraints and from angles at rest. Source: `vsite_parm.cpp`
(set_vsites) of GROMACS 2026. i is the site; j, k, l and m are the atoms that it is made of.
"""

import math
from dataclasses import dataclass
from typing import NoReturn

from sterna.importing.gromacs.bonded import parameters_of
from sterna.importing.gromacs.topology import Entry, MoleculeType, Topology

#: Functions whose first parameter is a length, or an angle in degrees.
_BONDS, _ANGLES = (1, 2, 3, 4, 6), (1, 2, 5)
#: How types of the masses begin that stand for CH3, NH3 and NH2.
_MASSES = ("MNH", "MCH3")


@dataclass
class _Geometry:
    """Lengths (nm) and angles (rad) at rest around a site."""

    entry: Entry
    kind: MoleculeType
    topology: Topology

    def length(self, first: int, second: int) -> float:
        for section, functions in (("bonds", _BONDS), ("constraints", (1, 2))):
            for one in self.kind.of(section):
                if one.function in functions and set(one.atoms[:2]) == {first, second}:
                    return parameters_of(one, self.kind, self.topology)[0][0]
        self.fail(f"a bond or constraint of the atoms {first + 1} and {second + 1}")

    def angle(self, first: int, middle: int, last: int) -> float:
        for one in self.kind.of("angles"):
            if one.function in _ANGLES and one.atoms in (
                (first, middle, last),
                (last, middle, first),
            ):
                return math.radians(parameters_of(one, self.kind, self.topology)[0][0])
        self.fail(f"an angle of the atoms {first + 1}, {middle + 1} and {last + 1}")

    def fail(self, what: str) -> NoReturn:
        self.entry.line.fail(
            None,
            f"this virtual site has no parameters; GROMACS derives them, and needs {what} for that",
        )

    def is_of_masses(self) -> bool:
        """Whether the last two atoms are masses that stand for a group of hydrogen."""
        types = [self.kind.atoms[k].type.upper() for k in self.entry.atoms[2:4]]
        return any(all(name.startswith(begin) for name in types) for begin in _MASSES)


def derived_parameters(entry: Entry, kind: MoleculeType, topology: Topology) -> tuple[float, ...]:
    """Returns the parameters of an entry that has none of its own. Raises SternaError with its
    line.
    """
    geometry = _Geometry(entry, kind, topology)
    make = _RULES.get((entry.section[-1], abs(entry.function)))
    if make is None:
        entry.line.fail(None, "GROMACS derives no parameters of this virtual site; expected them")
    return make(geometry)


def _group(geometry: _Geometry) -> tuple[float, float, float, float, float, float]:
    """Returns for the masses of a group X with hydrogen: the bond of j and X, the masses' distance
    from j and from the axis, and the site's coordinates along the axis and from it.
    """
    i, j, k, m = geometry.entry.atoms
    heavy = max(k, m) + 1  # the first behind the masses
    to_mass = geometry.length(j, k)
    if to_mass != geometry.length(j, m):
        geometry.fail("equal distances of both masses")
    from_axis = 0.5 * geometry.length(k, m)
    along = math.sqrt(to_mass**2 - from_axis**2)
    bond = geometry.length(j, heavy)
    if i == heavy:
        return bond, along, from_axis, bond, 0.0, 0.0
    length = geometry.length(heavy, i)
    angle = geometry.angle(j, heavy, i)
    return (
        bond, along, from_axis, bond - length * math.cos(angle), length * math.sin(angle), angle,
    )  # fmt: skip


def _in_plane(geometry: _Geometry) -> tuple[float, ...]:
    if not geometry.is_of_masses():
        geometry.entry.line.fail(
            None, "GROMACS derives parameters of such a site only from masses of CH3, NH3 and NH2; "
            "expected them",
        )  # fmt: skip
    _, along, from_axis, height, radius, _ = _group(geometry)
    return (
        0.5 * (height / along + radius / from_axis),
        0.5 * (height / along - radius / from_axis),
    )


def _fixed_distance(geometry: _Geometry) -> tuple[float, ...]:
    i, j, k, m = geometry.entry.atoms
    first = geometry.length(j, k) * math.sin(geometry.angle(i, j, k))
    second = geometry.length(j, m) * math.sin(geometry.angle(i, j, m))
    return first / (first + second), -geometry.length(i, j)


def _fixed_angle(geometry: _Geometry) -> tuple[float, ...]:
    i, j, k, _ = geometry.entry.atoms
    degrees = math.degrees(geometry.angle(i, j, k))
    return 360.0 - degrees if geometry.entry.function < 0 else degrees, geometry.length(i, j)


def _outside(geometry: _Geometry) -> tuple[float, ...]:
    i, j, k, m = geometry.entry.atoms
    sign = -1.0 if geometry.entry.function < 0 else 1.0
    if geometry.is_of_masses():
        _, along, from_axis, height, radius, _ = _group(geometry)
        # Hydrogen is spread evenly around the axis.
        x, y = radius * math.cos(math.radians(30.0)), radius * math.sin(math.radians(30.0))
        return (
            0.5 * (height / along - y / from_axis),
            0.5 * (height / along + y / from_axis),
            sign * x / (2.0 * along * from_axis),
        )
    to_first, to_second = geometry.length(j, k), geometry.length(j, m)
    length = geometry.length(i, j)
    between = geometry.angle(k, j, m)
    cosine, sine = math.cos(between), math.sin(between)
    first = length * math.cos(geometry.angle(i, j, k))
    second = length * math.cos(geometry.angle(i, j, m))
    height = length**2 - (first**2 - 2.0 * first * second * cosine + second**2) / sine**2
    if height < 0.0:
        geometry.fail("angles that three bonds can have")
    return (
        (first + (first * cosine - second) * cosine / sine**2) / to_first,
        (second + (second * cosine - first) * cosine / sine**2) / to_second,
        -sign * math.sqrt(height) / (to_first * to_second * sine),
    )


def _four(geometry: _Geometry) -> tuple[float, ...]:
    i, j, *others = geometry.entry.atoms
    angles = [geometry.angle(i, j, k) for k in others]
    lengths = [geometry.length(j, k) for k in others]
    p, q, r = (a * math.sin(b) for a, b in zip(lengths, angles, strict=True))
    cosines = []
    for n in (1, 2):
        between = geometry.angle(others[0], j, others[n])
        cosines.append(
            (math.cos(between) - math.cos(angles[0]) * math.cos(angles[n]))
            / (math.sin(angles[0]) * math.sin(angles[n]))
        )
    if max(map(abs, cosines)) > 1.0:
        geometry.fail("angles that four bonds can have")
    second, third = cosines
    sine, other = math.sqrt(1.0 - second**2), math.sqrt(1.0 - third**2)
    return (
        -p / (q * second - p + q * sine * (r * third - p) / (r * other)),
        -p / (r * third - p + r * other * (q * second - p) / (q * sine)),
        -geometry.length(i, j),
    )


def _four_normal(geometry: _Geometry) -> tuple[float, ...]:
    i, j, *others = geometry.entry.atoms
    p, q, r = (-geometry.length(j, k) * math.cos(geometry.angle(i, j, k)) for k in others)
    if q == 0.0 or r == 0.0:
        geometry.fail("angles that are not 90 degrees")
    return p / q, p / r, geometry.length(i, j)


_RULES = {
    ("3", 1): _in_plane,
    ("3", 2): _fixed_distance,
    ("3", 3): _fixed_angle,
    ("3", 4): _outside,
    ("4", 1): _four,
    ("4", 2): _four_normal,
}
