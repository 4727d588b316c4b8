"""Virtual sites that are always at the place of another atom: charges at any distance do not go with them.

The solvers compute each pair of atoms, also of those whose charge is 0, and none is finite there.
"""

from typing import Any, NoReturn

from sterna.errors import SternaError
from sterna.importing.system import System

_AT_ANY_DISTANCE = ("fmm", "ewald")  #: kinds of electrostatics
#: By kind of site: keys of weights of the second, third ... atom; or the length that must not be 0.
_WEIGHTS = {"2": ("a",), "3": ("a", "b"), "3out": ("a", "b")}
_LENGTHS = {"2fd": "distance", "3fd": "distance", "3fad": "distance", "4fdn": "distance"}


def require_charges_apart(system: System) -> None:
    """Raises SternaError, naming the atoms, where a site of a system with charges lies on another atom."""
    if system.electrostatics is None or system.electrostatics["kind"] not in _AT_ANY_DISTANCE:
        return
    sites: dict[Any, int] = {}
    for one in system.terms:
        if one.section != "virtual_site":
            continue
        site, *made_of = one.atoms
        parameters = dict(one.parameters)
        weights = _weights(parameters, made_of)
        if weights is None:
            other = sites.setdefault((tuple(made_of), one.parameters), site)
        elif len(weights) == 1:
            (other,) = weights
        else:
            rounded = frozenset((atom, round(weight, 12)) for atom, weight in weights.items())
            other = sites.setdefault(rounded, site)
        if other != site:
            _fail(system, site, other)


def _fail(system: System, site: int, other: int) -> NoReturn:
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


def _weights(site: dict[str, Any], made_of: list[int]) -> dict[int, float] | None:
    """Of the atoms whose mean a site is; None: it is none."""
    kind = site["kind"]
    if kind in _LENGTHS:
        return {made_of[0]: 1.0} if site[_LENGTHS[kind]] == 0.0 else None
    if kind in _WEIGHTS:
        if site.get("c", 0.0) != 0.0:
            return None
        others = [site[key] for key in _WEIGHTS[kind]]
        weights = [1.0 - sum(others), *others]
    elif not any(site["position"]):
        weights = list(site["origin_weights"])
    else:
        return None
    return {atom: weight for atom, weight in zip(made_of, weights, strict=True) if weight != 0.0}
