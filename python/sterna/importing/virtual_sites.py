"""Virtual sites of an OpenMM system as `[[molecule.virtual_site]]`s.

What OpenMM has made of the virtual sites of GROMACS, the extra points of AMBER and the lone pairs of
CHARMM comes by the same way. Source: OpenMM user guide, "Virtual Sites".
"""

import itertools
import math
from collections.abc import Iterator
from typing import Any

from sterna.errors import SternaError
from sterna.importing.sources import Source, openmm
from sterna.importing.system import Term, term

_SAME = 1e-9  # weights as other programs write them


def is_site(source: Source, atom: int) -> bool:
    return bool(source.system.isVirtualSite(atom))


def made_of(source: Source, atom: int) -> list[int]:
    """The atoms that a virtual site is made of."""
    site = source.system.getVirtualSite(atom)
    return [site.getParticle(k) for k in range(site.getNumParticles())]


def _two(site: Any, _name: str) -> dict[str, Any]:
    return {"kind": "2", "a": site.getWeight(1)}


def _three(site: Any, _name: str) -> dict[str, Any]:
    return {"kind": "3", "a": site.getWeight(1), "b": site.getWeight(2)}


def _out_of_plane(site: Any, _name: str) -> dict[str, Any]:
    return {
        "kind": "3out",
        "a": site.getWeight12(),
        "b": site.getWeight13(),
        "c": site.getWeightCross(),
    }


def _local(site: Any, name: str) -> dict[str, Any]:
    place = tuple(site.getLocalPosition().value_in_unit(openmm().unit.nanometer))
    origin, along_x, along_y = (
        list(weights)
        for weights in (site.getOriginWeights(), site.getXWeights(), site.getYWeights())
    )
    others = along_x[2:]
    is_of_first = math.isclose(origin[0], 1.0, abs_tol=_SAME) and not any(origin[1:])
    if is_of_first and not any(others) and not any(place[1:]):
        # Colinear lone pairs of CHARMM: the other atoms only make axes that nothing is along.
        return {"kind": "2fd", "distance": math.copysign(1.0, along_x[1]) * place[0]}
    if site.getNumParticles() != 3:
        raise SternaError(
            f"{name} is a virtual site of {site.getNumParticles()} atoms by local coordinates; "
            "Sterna has those of three"
        )
    return {
        "kind": "local",
        "origin_weights": tuple(origin),
        "x_weights": tuple(along_x),
        "y_weights": tuple(along_y),
        "position": place,
    }


_CONVERTERS = {
    "TwoParticleAverageSite": _two,
    "ThreeParticleAverageSite": _three,
    "OutOfPlaneSite": _out_of_plane,
    "LocalCoordinatesSite": _local,
}


def terms_of_sites(source: Source, names: Any) -> Iterator[Term]:
    """`names` gives the name of an atom, for messages. Raises SternaError, naming the features that
    Sterna lacks.
    """
    for atom in range(source.system.getNumParticles()):
        if not is_site(source, atom):
            continue
        site = source.system.getVirtualSite(atom)
        kind = type(site).__name__
        if kind not in _CONVERTERS:
            raise SternaError(
                f"{names(atom)} is a virtual site of the kind {kind}, which Sterna does not take "
                "over; it does " + ", ".join(_CONVERTERS)
            )
        parents = made_of(source, atom)
        for parent in parents:
            if is_site(source, parent):
                raise SternaError(
                    f"{names(atom)} is a virtual site that is made of another one, {names(parent)}"
                )
        values = _CONVERTERS[kind](site, names(atom))
        size = 2 if values["kind"] == "2fd" else len(parents)
        yield term("virtual_site", (atom, *parents[:size]), **values)


def require_exclusions(source: Source, nonbonded: Any, names: Any) -> None:
    """A site does not interact with its atoms, nor with other sites of its first one.

    Raises SternaError where such a pair does in OpenMM, which leaves that to its users.
    """
    together: dict[int, list[int]] = {}
    for atom in range(source.system.getNumParticles()):
        if is_site(source, atom):
            together.setdefault(made_of(source, atom)[0], []).append(atom)
    pairs = {
        frozenset((atom, parent))
        for sites in together.values()
        for atom in sites
        for parent in made_of(source, atom)
    }
    for sites in together.values():
        pairs |= {frozenset(pair) for pair in itertools.combinations(sites, 2)}
    for n in range(nonbonded.getNumExceptions()):
        first, second, *_ = nonbonded.getExceptionParameters(n)
        pairs.discard(frozenset((first, second)))

    def acts(first: int, second: int) -> bool:
        unit = openmm().unit
        charges, _, wells = zip(*map(nonbonded.getParticleParameters, (first, second)), strict=True)
        return all(charge / unit.elementary_charge for charge in charges) or all(
            well / unit.kilojoule_per_mole for well in wells
        )

    for first, second in sorted(map(sorted, pairs)):
        if acts(first, second):
            raise SternaError(
                f"{names(first)} and {names(second)}, a virtual site and what it is made of, "
                "interact; expected an exclusion"
            )
