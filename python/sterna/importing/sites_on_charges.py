"""Virtual sites that are always at the place of an atom, or of another site.

The solvers of charges at any distance compute each pair of charges, and none is finite there. A site
without a charge is none to them.
"""

import itertools
from dataclasses import replace
from typing import Any, NoReturn

from sterna.errors import SternaError
from sterna.importing.system import System, Term, term

_AT_ANY_DISTANCE = ("fmm", "ewald")  #: kinds of electrostatics
#: By kind of site: the keys of weights of the second, third ... atom, or of the length that must
#: not be 0.
_WEIGHTS = {"2": ("a",), "3": ("a", "b"), "3out": ("a", "b")}
_LENGTHS = {"2fd": "distance", "3fd": "distance", "3fad": "distance", "4fd": "distance",
            "4fdn": "distance"}  # fmt: skip


def require_charges_apart(system: System) -> None:
    """Raises SternaError, naming the atoms, where a charged site of a system lies on another charge."""
    if system.electrostatics is None or system.electrostatics["kind"] not in _AT_ANY_DISTANCE:
        return
    made = {one.atoms[0]: one for one in system.terms if one.section == "virtual_site"}
    found: dict[Any, int] = {}
    for site in made:
        if system.atoms[site].charge == 0.0:
            continue
        place = _place(site, made)
        rounded: Any = place
        if isinstance(place, dict):
            if len(place) == 1 and system.atoms[next(iter(place))].charge != 0.0:
                _fail(system, site, next(iter(place)))
            rounded = frozenset((atom, round(weight, 12)) for atom, weight in place.items())
        other = found.setdefault(rounded, site)
        if other != site:
            _fail(system, site, other)


def without_empty_pairs(system: System) -> System:
    """With exclusions of atoms and virtual sites that are always at one place and do not interact, as
    sites of Go models: their distance is 0, for which no kernel has a number."""
    made = {one.atoms[0]: one for one in system.terms if one.section == "virtual_site"}
    there: dict[Any, list[int]] = {}
    for site in made:
        place = _place(site, made)
        if isinstance(place, dict):
            key = frozenset((atom, round(weight, 12)) for atom, weight in place.items())
            alone = [next(iter(place))] if len(place) == 1 else []
            there.setdefault(key, alone).append(site)
    if all(len(members) < 2 for members in there.values()):
        return system
    known = {
        frozenset(one.atoms) for one in system.terms if one.section in ("exclusion", "special_pair")
    }
    epsilon = {one["name"]: one.get("epsilon", 0.0) for one in system.types}
    of_pair = {frozenset((one["first"], one["second"])): one for one in system.pairs}

    def interacts(a: int, b: int) -> bool:
        first, second = system.atoms[a], system.atoms[b]
        if first.charge != 0.0 and second.charge != 0.0:
            return True
        pair = of_pair.get(frozenset((first.type, second.type)))
        if pair is not None:
            return "potential" in pair or pair["epsilon"] != 0.0
        return epsilon[first.type] * epsilon[second.type] != 0.0

    added = [
        term("exclusion", (a, b))
        for members in there.values()
        for a, b in itertools.combinations(sorted(members), 2)
        if frozenset((a, b)) not in known and not interacts(a, b)
    ]
    return replace(system, terms=[*system.terms, *added]) if added else system


def _fail(system: System, site: int, other: int) -> NoReturn:
    raise SternaError(
        f"{system.atom_name(site)}, a virtual site, is always at the place of "
        f"{system.atom_name(other)}, and both have a charge; give one of them the charge of both",
        2,
    )


def _place(site: int, made: dict[int, Term]) -> dict[int, float] | tuple:
    """Returns the weights of the atoms whose mean a site is, or else values that identify its
    place.
    """
    if site not in made:
        return {site: 1.0}
    one = made[site]
    parts = one.atoms[1:]
    weights = _weights(dict(one.parameters), parts)
    if weights is None:
        return (parts, one.parameters)
    place: dict[int, float] = {}
    for part, weight in weights.items():
        of_part = _place(part, made)
        if not isinstance(of_part, dict):
            # A part that is no mean stands for itself.
            of_part = {part: 1.0}
        for atom, share in of_part.items():
            place[atom] = place.get(atom, 0.0) + weight * share
    return {atom: weight for atom, weight in place.items() if weight != 0.0}


def _weights(site: dict[str, Any], parts: tuple[int, ...]) -> dict[int, float] | None:
    """Returns the weights of the parts of which a site is a mean; None if it is none."""
    kind = site["kind"]
    if kind in _LENGTHS:
        return {parts[0]: 1.0} if site[_LENGTHS[kind]] == 0.0 else None
    if kind == "n":
        total = sum(site["weights"])
        weights = [weight / total for weight in site["weights"]]
    elif kind in _WEIGHTS:
        if site.get("c", 0.0) != 0.0:
            return None
        others = [site[key] for key in _WEIGHTS[kind]]
        weights = [1.0 - sum(others), *others]
    elif not any(site["position"]):
        weights = list(site["origin_weights"])
    else:
        return None
    return {atom: weight for atom, weight in zip(parts, weights, strict=True) if weight != 0.0}
