"""Whether a molecule of an imported system keeps its shape, and which shape that is.

Idea: constraints keep a molecule rigid where they are all distances of its atoms, or where no motion
but translation and rotation leaves them as they are (the rank of the rigidity matrix). The shape
follows from the constraints alone, since places in files are rounded; they only tell a shape from its
mirror image. Sources: L. Asimow and B. Roth, Trans. Am. Math. Soc. 245, 279 (1978), rigidity; W. S.
Torgerson, Psychometrika 17, 401 (1952), places from distances. Hazards: constraints that have several
shapes, of which the one that is nearest to the file is taken.
"""

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy

from sterna.importing.hydrogen_mass import HEAVIEST_HYDROGEN
from sterna.importing.site_places import place_of

_SAME = 1e-6  #: relative; of distances that contradict each other, and of angles in radians
_FLAT = 1e-12  #: relative eigenvalue below which a shape has no extent
_RANK = 1e-6  #: relative singular value below which a motion is free
_MOST_STEPS = 50


class NotRigidError(Exception):
    """The text says what keeps a molecule from being a rigid body."""


class _FreeError(Exception):
    """A number of motions inside of a molecule, and a pair whose distance is not kept."""


def shape_of(
    tables: Mapping[str, Any], masses: Sequence[float], places: numpy.ndarray
) -> numpy.ndarray:
    """Places, (atoms, 3), of the atoms and virtual sites of a molecule that keeps its shape.

    `tables`: its sections by their names; `places`: where its atoms are in the file, in one image.
    Raises NotRigidError.
    """
    names = [atom["name"] for atom in tables["atom"]]
    if len(names) == 1:
        raise NotRigidError("it is a single atom, which does not turn")
    sites = {atoms[0]: (one, atoms[1:]) for one, atoms in _lists(tables, "virtual_site")}
    heavy = [k for k, mass in enumerate(masses) if mass > 0.0]
    for k, name in enumerate(names):
        if masses[k] == 0.0 and k not in sites:
            raise NotRigidError(f"{name} has no mass and is no virtual site")
    if len(heavy) == 1:
        raise NotRigidError(f"{names[heavy[0]]} alone has mass, so that it does not turn")
    distances = _distances(tables, masses)
    shape = numpy.full((len(names), 3), numpy.nan)
    try:
        shape[heavy] = _shape(distances, heavy, names, places[heavy])
    except _FreeError as free:
        raise NotRigidError(_what_moves(tables, names, distances, free)) from None
    for site in sites:
        _set_place(site, sites, shape)
    _require_no_energy(tables, names, distances, shape)
    return shape


def _lists(tables: Mapping[str, Any], section: str) -> list[tuple[dict[str, Any], tuple[int, ...]]]:
    """Returns each term of a section with its atoms, from 0."""
    found = []
    for one in tables.get(section, []):
        lists = one["atoms"] if isinstance(one["atoms"][0], list) else [one["atoms"]]
        found += [(one, tuple(k - 1 for k in atoms)) for atoms in lists]
    return found


def _pair(first: int, second: int) -> tuple[int, int]:
    return (min(first, second), max(first, second))


def _distances(tables: Mapping[str, Any], masses: Sequence[float]) -> dict[tuple[int, int], float]:
    """The lengths that constraints keep, by their atoms."""
    found = {_pair(*atoms): one["distance"] for one, atoms in _lists(tables, "constraint")}
    which = tables.get("constrained_bonds", "none")
    for one, atoms in _lists(tables, "bond"):
        is_hydrogen = any(0.0 < masses[k] < HEAVIEST_HYDROGEN for k in atoms)
        if "r0" in one and (which == "all" or (which == "hydrogen" and is_hydrogen)):
            found.setdefault(_pair(*atoms), one["r0"])
    return found


def _shape(
    distances: dict[tuple[int, int], float],
    heavy: list[int],
    names: list[str],
    places: numpy.ndarray,
) -> numpy.ndarray:
    """Places of the atoms with mass, about their center."""
    index = {atom: k for k, atom in enumerate(heavy)}
    kept = {(index[a], index[b]): d for (a, b), d in distances.items() if a in index and b in index}
    count = len(heavy)
    pairs = list(kept)
    lengths = numpy.array([kept[pair] for pair in pairs])
    # As many as there are pairs: also a straight molecule is rigid then, whose matrix has no full rank.
    if len(kept) == count * (count - 1) // 2:
        shape = _from_all_distances(kept, count, places)
        if numpy.linalg.matrix_rank(shape, tol=_RANK * abs(shape).max()) > 1:
            shape = _fitted(shape, pairs, lengths)
    else:
        shape = _fitted(places - places.mean(axis=0), pairs, lengths)
        free = _free_motions(shape, pairs)
        if free > 0:
            listed = [pair for pair in itertools.combinations(range(count), 2) if pair not in kept]
            raise _FreeError(free, tuple(heavy[k] for k in listed[0]))
    off = numpy.abs(_lengths(shape, pairs) - lengths) / lengths
    if off.max() > _SAME:
        worst = int(off.argmax())
        a, b = (names[heavy[k]] for k in pairs[worst])
        raise NotRigidError(
            f"its constraints contradict each other: that of {a} and {b} is {lengths[worst]:.8g}, and "
            f"the others leave {_lengths(shape, pairs)[worst]:.8g}"
        )
    return shape


def _what_moves(
    tables: Mapping[str, Any],
    names: list[str],
    distances: dict[tuple[int, int], float],
    free: _FreeError,
) -> str:
    """Names the first term of a molecule that lets it change its shape."""
    motions, pair = free.args
    text = f"constraints leave {motions} {'motion' if motions == 1 else 'motions'} inside of it: "
    for section, what in (("bond", "can stretch"), ("angle", "can bend"), ("torsion", "can turn")):
        for _, atoms in _lists(tables, section):
            if section != "bond" or _pair(*atoms) not in distances:
                return f"{text}the {section} {' '.join(names[k] for k in atoms)} {what}"
    return f"{text}the distance of {names[pair[0]]} and {names[pair[1]]} is not kept"


def _from_all_distances(
    kept: dict[tuple[int, int], float], count: int, places: numpy.ndarray
) -> numpy.ndarray:
    squares = numpy.zeros((count, count))
    for (a, b), distance in kept.items():
        squares[a, b] = squares[b, a] = distance**2
    center = numpy.eye(count) - 1.0 / count
    values, vectors = numpy.linalg.eigh(-0.5 * center @ squares @ center)
    order = numpy.argsort(values)[::-1][:3]
    values = numpy.where(values[order] > _FLAT * values[order[0]], values[order], 0.0)
    shape = numpy.zeros((count, 3))
    shape[:, : len(order)] = vectors[:, order] * numpy.sqrt(values)
    # The mirror image has the same distances.
    arms = places - places.mean(axis=0)
    if numpy.linalg.det(shape.T @ arms) < 0.0:
        shape[:, 2] *= -1.0
    return shape


def _lengths(shape: numpy.ndarray, pairs: list[tuple[int, int]]) -> numpy.ndarray:
    return numpy.array([numpy.linalg.norm(shape[b] - shape[a]) for a, b in pairs])


def _matrix(shape: numpy.ndarray, pairs: list[tuple[int, int]]) -> numpy.ndarray:
    """How each distance changes with the places, (pairs, 3 atoms)."""
    rows = numpy.zeros((len(pairs), *shape.shape))
    for row, (a, b) in zip(rows, pairs, strict=True):
        along = shape[b] - shape[a]
        along = along / numpy.linalg.norm(along)
        row[a], row[b] = -along, along
    return rows.reshape(len(pairs), -1)


def _fitted(
    shape: numpy.ndarray, pairs: list[tuple[int, int]], lengths: numpy.ndarray
) -> numpy.ndarray:
    """The places nearest to these that have these distances, by the method of Gauss and Newton."""
    for _ in range(_MOST_STEPS if pairs else 0):
        off = lengths - _lengths(shape, pairs)
        step = numpy.linalg.lstsq(_matrix(shape, pairs), off, rcond=_RANK)[0].reshape(shape.shape)
        shape = shape + step
        if abs(step).max() < 1e-15 * abs(shape).max():
            break
    return shape


def _free_motions(shape: numpy.ndarray, pairs: list[tuple[int, int]]) -> int:
    """The number of motions besides those of the whole that leave all distances as they are."""
    straight = numpy.linalg.matrix_rank(shape - shape.mean(axis=0), tol=_RANK * abs(shape).max())
    of_the_whole = 5 if straight < 2 else 6
    if not pairs:
        return shape.size - of_the_whole
    values = numpy.linalg.svd(_matrix(shape, pairs), compute_uv=False)
    return int(shape.size - of_the_whole - (values > _RANK * values[0]).sum())


def _set_place(
    site: int,
    sites: dict[int, tuple[dict[str, Any], tuple[int, ...]]],
    shape: numpy.ndarray,
) -> None:
    """Sets the place of a virtual site, which may be made of others."""
    rule, parts = sites[site]
    for part in parts:
        if numpy.isnan(shape[part]).any() and part in sites:
            _set_place(part, sites, shape)
    shape[site] = place_of(rule, shape[list(parts)])


def _require_no_energy(
    tables: Mapping[str, Any],
    names: list[str],
    distances: dict[tuple[int, int], float],
    shape: numpy.ndarray,
) -> None:
    """Raises NotRigidError where a term of the molecule has an energy, which a component does not have."""
    for section in ("bond", "angle", "torsion", "improper", "cmap", "special_pair"):
        for one, atoms in _lists(tables, section):
            if section == "bond" and _pair(*atoms) in distances:
                continue
            if not _is_at_rest(section, one, shape[list(atoms)]):
                of = " ".join(names[k] for k in atoms)
                what = section.replace("_", " ")
                kind = f' of the kind "{one["potential"]}"' if "potential" in one else ""
                raise NotRigidError(
                    f"the {what} {of}{kind} has an energy, and a component has none inside"
                )


def _is_at_rest(section: str, one: dict[str, Any], places: numpy.ndarray) -> bool:
    """Whether a term has no energy in this shape."""
    potential = one.get("potential")
    if section == "special_pair":
        return not any(one.get(key, 1.0) for key in ("charge_product", "epsilon")) and not (
            one.get("share") or one.get("charge_share")
        )
    if section == "bond" and potential == "harmonic":
        length = numpy.linalg.norm(places[1] - places[0])
        return one["stiffness"] == 0.0 or abs(length - one["r0"]) < _SAME * length
    if section == "angle" and potential == "harmonic":
        first, second = places[0] - places[1], places[2] - places[1]
        angle = numpy.arctan2(numpy.linalg.norm(numpy.cross(first, second)), first @ second)
        at_rest = abs(angle - numpy.radians(one["theta0"])) < _SAME
        return one["bending_stiffness"] == 0.0 or at_rest
    return False


def excluded_pairs(tables: Mapping[str, Any]) -> set[tuple[int, int]]:
    """Pairs of atoms, from 0, that do not interact as particles of their types do."""
    count = len(tables["atom"])
    found = {_pair(*atoms) for _, atoms in _lists(tables, "exclusion")}
    found |= {_pair(*atoms) for _, atoms in _lists(tables, "special_pair")}
    most = tables.get("excluded_bonds", 3)
    if most < 0:
        return found
    # A virtual site has the bonds of the first of its atoms, and no pair with those it is made of.
    sites = {atoms[0]: atoms[1:] for _, atoms in _lists(tables, "virtual_site")}
    at = {site: parts[0] for site, parts in sites.items()}
    found |= {_pair(site, part) for site, parts in sites.items() for part in parts}
    neighbors: list[set[int]] = [set() for _ in range(count)]
    for _, (a, b) in _lists(tables, "bond"):
        neighbors[a].add(b)
        neighbors[b].add(a)
    for atom in range(count):
        near, front = {atom}, {atom}
        for _ in range(most):
            front = {k for one in front for k in neighbors[one]} - near
            near |= front
        for other in range(count):
            if at.get(other, other) in near:
                found |= {_pair(one, other) for one in range(count)
                          if at.get(one, one) == atom and one != other}  # fmt: skip
    return found
