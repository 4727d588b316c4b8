"""Virtual sites that are always at the place of an atom: charges at any distance do not go with them.

The solvers compute each pair of atoms, also of those whose charge is 0, and none is finite there.
"""

from typing import Any

from sterna.errors import SternaError
from sterna.importing.system import System

_AT_ANY_DISTANCE = ("fmm", "ewald")  #: kinds of electrostatics
#: By kind of site: keys of weights of the second, third ... atom; or the length that must not be 0.
_WEIGHTS = {"2": ("a",), "3": ("a", "b"), "3out": ("a", "b")}
_LENGTHS = {"2fd": "distance", "3fd": "distance", "3fad": "distance", "4fdn": "distance"}


def require_charges_apart(system: System) -> None:
    """Raises SternaError, naming the atoms, where a site of a system with charges lies on an atom."""
    if system.electrostatics is None or system.electrostatics["kind"] not in _AT_ANY_DISTANCE:
        return
    for one in system.terms:
        if one.section != "virtual_site":
            continue
        site, *made_of = one.atoms
        place = _place(dict(one.parameters))
        if place is None or place >= len(made_of):
            continue
        other = made_of[place]
        charged = [system.atoms[k].charge != 0.0 for k in (site, other)]
        raise SternaError(
            f"{system.atom_name(site)}, a virtual site, is always at the place of "
            f"{system.atom_name(other)}, "
            + (
                "and both have a charge; give one of them the charge of both"
                if all(charged)
                else "which does not go with charges in Sterna; take the site out"
            ),
            2,
        )


def _place(site: dict[str, Any]) -> int | None:
    """Which of its atoms a site is always at, from 0; None: none."""
    kind = site["kind"]
    if kind in _LENGTHS:
        return 0 if site[_LENGTHS[kind]] == 0.0 else None
    weights: list[float]
    if kind in _WEIGHTS:
        if site.get("c", 0.0) != 0.0:
            return None
        others = [site[key] for key in _WEIGHTS[kind]]
        weights = [1.0 - sum(others), *others]
    elif not any(site["position"]):
        weights = list(site["origin_weights"])
    else:
        return None
    if sorted(weights) != [0.0] * (len(weights) - 1) + [1.0]:
        return None
    return weights.index(1.0)
