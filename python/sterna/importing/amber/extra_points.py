"""Extra points of water, whose frames are rules of AMBER and do not stand in its files.

Source: W. L. Jorgensen et al., J. Chem. Phys. 79, 926 (1983) for the site of TIP4P, between the
hydrogen atoms; M. W. Mahoney and W. L. Jorgensen, J. Chem. Phys. 112, 8910 (2000) for the two of TIP5P,
which lie on the other side of the oxygen, 109.47 degrees apart. LEaP places them so.
"""

import math
from typing import NoReturn

from sterna.importing.amber.prmtop import Prmtop
from sterna.importing.system import Term, term

_OXYGEN = (15.9, 16.1)  #: u
_HYDROGEN = (0.9, 4.5)  #: u
#: Half of the angle between two lone pairs, as in the source of AMBER.
_HALF_ANGLE = math.radians(54.735)


def sites_of(
    prmtop: Prmtop, masses: list[float], lengths: dict[tuple[int, int], float]
) -> list[Term]:
    """Virtual sites of all atoms without mass.

    `lengths`: in nm, of all bonds by their atoms. Raises SternaError at an extra point of another
    molecule than water.
    """
    neighbors: dict[int, list[int]] = {}
    for first, second in lengths:
        neighbors.setdefault(first, []).append(second)
        neighbors.setdefault(second, []).append(first)
    of_oxygen: dict[int, list[int]] = {}
    for atom, mass in enumerate(masses):
        if mass > 0.0:
            continue
        near = neighbors.get(atom, [])
        if len(near) != 1 or not _OXYGEN[0] < masses[near[0]] < _OXYGEN[1]:
            _fail(prmtop, atom)
        of_oxygen.setdefault(near[0], []).append(atom)
    terms = []
    for oxygen, points in of_oxygen.items():
        hydrogens = sorted(k for k in neighbors[oxygen] if masses[k] > 0.0)
        are_hydrogens = all(_HYDROGEN[0] < masses[k] < _HYDROGEN[1] for k in hydrogens)
        if len(hydrogens) != 2 or not are_hydrogens or len(points) > 2:
            _fail(prmtop, points[0])
        first, second = hydrogens
        leg = lengths[min(oxygen, first), max(oxygen, first)]
        base = lengths.get((first, second))
        if base is None or leg != lengths[min(oxygen, second), max(oxygen, second)]:
            _fail(prmtop, points[0])
        height = math.sqrt(max(leg**2 - 0.25 * base**2, 0.0))
        if height == 0.0:
            _fail(prmtop, points[0])
        distances = [lengths[min(oxygen, k), max(oxygen, k)] for k in points]
        if len(points) == 1:
            weight = 0.5 * distances[0] / height
            terms.append(
                term(
                    "virtual_site", (points[0], oxygen, first, second), kind="3", a=weight, b=weight
                )
            )
            continue
        for sign, point, distance in zip((-1.0, 1.0), points, distances, strict=True):
            weight = -0.5 * math.cos(_HALF_ANGLE) * distance / height
            terms.append(
                term(
                    "virtual_site", (point, oxygen, first, second), kind="3out", a=weight, b=weight,
                    c=sign * math.sin(_HALF_ANGLE) * distance / (base * height),
                )
            )  # fmt: skip
    return terms


def _fail(prmtop: Prmtop, atom: int) -> NoReturn:
    name = prmtop.texts("ATOM_NAME")[atom]
    prmtop.section("MASS").fail_at(
        atom, f"the atom {atom + 1} ({name}) has no mass; Sterna takes over extra points of water "
        "with an oxygen, two hydrogen atoms that are bonded to each other, and one or two sites",
    )  # fmt: skip
