"""The free energy of a restraint on a molecule without interactions, relative to 1 mol/l.

Idea: such a molecule feels nothing but the restraint. So the ratio of its standard volume, with all
orientations where the restraint holds them, to what the restraint leaves of both is a product of
integrals over single variables.
Source: Boresch, Tettinger, Leitgeb and Karplus, J. Phys. Chem. B 107, 9535 (2003). Their equation 32
is the limit of stiff restraints; the integrals here are by quadrature. Cost: none. Hazards: a molecule
that fits into its place in several equivalent ways is held in one of them.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sterna.errors import SternaError
from sterna.free_energies.fields import FieldsFile

_NODES = 200
_WIDTHS = 12.0  #: standard deviations beyond which a weight is nothing
#: How many variables of each kind a restraint of places has, and one of orientations, too.
_OF_PLACE = {"distance": 1}
_OF_ORIENTATION = {"distance": 1, "angle": 2, "torsion": 3}
_CHAIN = "abcdef"


@dataclass(frozen=True)
class RestraintFreeEnergy:
    """What it costs to hold a molecule without interactions, beside its standard state."""

    #: In units of k T.
    free_energy: float
    #: k T, in the unit of energy of the file.
    thermal_energy: float
    #: The volume of a molecule in the standard state.
    standard_volume: float
    #: Names of the biases that hold the molecule.
    biases: list[str]
    #: Whether its orientation is held, too.
    is_oriented: bool

    def text(self) -> str:
        """A row with its columns' names."""
        return (
            "#! FIELDS free_energy thermal_energy standard_volume\n"
            f"{self.free_energy:.6f} {self.thermal_energy:.6g} {self.standard_volume:.6g}\n"
        )


@dataclass(frozen=True)
class _Part:
    """A bias, and the variable that it acts on."""

    bias: str
    kind: str  #: of the variable
    groups: tuple[str, ...]
    center: float
    stiffness: float  #: by k T
    is_wall: bool

    def __str__(self) -> str:
        return f"{self.bias} of a {self.kind}"


def restraint_free_energy(
    file: FieldsFile, thermal_energy: float | None = None, standard_volume: float | None = None
) -> RestraintFreeEnergy:
    """The free energy of holding a molecule, from the head of a `NAME.colvar`.

    The biases with a stiffness above 0 are the restraint. It is of one `distance` ("harmonic", or a
    "wall" with `side = "above"`), or that of Boresch et al.: harmonic biases of one distance, two
    angles and three torsions of six groups. `thermal_energy` is k T and `standard_volume` that of a
    molecule, where the file does not say them; without mol/l, in reduced units, the latter is 1.
    Raises SternaError where there is no such restraint.
    """
    thermal = thermal_energy if thermal_energy is not None else file.number("kT")
    if thermal is None:
        raise SternaError(f"{file.path}: it does not say the temperature: give --temperature")
    volume = standard_volume if standard_volume is not None else file.number("standard_volume")
    volume = 1.0 if volume is None else volume
    parts = _parts(file, thermal)
    counts = {part.kind: 0 for part in parts}
    for part in parts:
        counts[part.kind] += 1
    if counts not in (_OF_PLACE, _OF_ORIENTATION):
        raise SternaError(
            f"{file.path}: expected a restraint of one distance, or of one distance, two angles and "
            f"three torsions; there are: {', '.join(map(str, parts)) or 'none'}"
        )
    left = math.prod(_INTEGRALS[part.kind](part) for part in parts)
    is_oriented = counts == _OF_ORIENTATION
    if is_oriented:
        _check_chain(file, parts)
        whole = 8.0 * math.pi**2 * volume
    else:
        whole = volume / (4.0 * math.pi)
    return RestraintFreeEnergy(
        math.log(whole / left), thermal, volume, [part.bias for part in parts], is_oriented
    )


def _parts(file: FieldsFile, thermal: float) -> list[_Part]:
    parts = []
    for name, kind in file.constants.items():
        bias = name.removesuffix(".kind")
        if bias == name:
            continue
        stiffness = file.number(f"{bias}.stiffness")
        if stiffness == 0.0:
            continue
        variable = file.constants.get(f"{bias}.variable", "")
        of = file.constants.get(f"variable.{variable}")
        if of is None:
            raise SternaError(
                f"{file.path}: it does not say what kind of variable {variable!r} is: another program "
                "or an earlier version of Sterna wrote it"
            )
        is_wall = kind == "wall" and of == "distance"
        center = file.number(f"{bias}.upper_wall" if is_wall else f"{bias}.center")
        if not (is_wall or kind == "harmonic") or stiffness is None or center is None:
            raise SternaError(
                f"{file.path}: the bias {bias!r} is no restraint: expected harmonic ones, or of a "
                'distance a wall with side = "above"'
            )
        groups = tuple(file.constants.get(f"variable.{variable}.groups", "").split(","))
        parts.append(_Part(bias, of, groups, center, stiffness / thermal, is_wall))
    return parts


def _integral(
    part: _Part, least: float, largest: float, measure: Callable[[np.ndarray], np.ndarray]
) -> float:
    """Of the weight of a bias and a measure, between these values of the variable."""
    reach = _WIDTHS / math.sqrt(part.stiffness)
    low = least if part.is_wall else max(least, part.center - reach)
    edges = [low, min(max(part.center, low), largest), min(largest, part.center + reach)]
    total = 0.0
    for a, b in zip(edges[:-1], edges[1:], strict=True):
        x, w = np.polynomial.legendre.leggauss(_NODES)
        x = 0.5 * (a + b) + 0.5 * (b - a) * x
        away = x - part.center
        if part.is_wall:
            away = np.maximum(away, 0.0)
        total += 0.5 * (b - a) * float(w @ (np.exp(-0.5 * part.stiffness * away**2) * measure(x)))
    return total


#: Integrals over the variables of a restraint, by kind.
_INTEGRALS: dict[str, Callable[[_Part], float]] = {
    "distance": lambda part: _integral(part, 0.0, math.inf, np.square),
    "angle": lambda part: _integral(part, 0.0, math.pi, np.sin),
    "torsion": lambda part: _integral(
        part, part.center - math.pi, part.center + math.pi, np.ones_like
    ),
}


def _check_chain(file: FieldsFile, parts: list[_Part]) -> None:
    """The integrals are those of the inner coordinates of a chain of six groups.

    With c, b, a of the surroundings and A, B, C of the molecule these are the distance a A, the angles
    b a A and a A B, and the torsions c b a A, b a A B and a A B C.
    """
    of = {kind: [part.groups for part in parts if part.kind == kind] for kind in _OF_ORIENTATION}
    ends = {groups for torsion in of["torsion"] for groups in (torsion, torsion[::-1])}
    for middle in of["torsion"]:
        b, a, other_a, other_b = middle
        angles = {(b, a, other_a), (a, other_a, other_b)}
        before = [groups[0] for groups in ends if groups[1:] == (b, a, other_a)]
        after = [groups[3] for groups in ends if groups[:3] == (a, other_a, other_b)]
        if (
            set(of["distance"][0]) == {a, other_a}
            and all(groups in angles or groups[::-1] in angles for groups in of["angle"])
            and len(before) == len(after) == 1
            and len({*before, *middle, *after}) == len(_CHAIN)
            and len({frozenset(groups) for groups in of["angle"]}) == len(angles)
        ):
            return
    raise SternaError(
        f"{file.path}: expected the variables of a chain of six groups {_CHAIN}, whose middle is the "
        "distance (c d): angles (b c d) and (c d e), torsions (a b c d), (b c d e) and (c d e f)"
    )
