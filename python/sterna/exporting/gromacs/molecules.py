"""Kinds of molecules as GROMACS's molecule types: what their atoms do to each other.

Pairs of atoms that do not interact as their types do are written one by one (`nrexcl` is 0).
Parameters are in each line, so that tables of types are only needed for CMAPs.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy

from sterna.exporting.gromacs.refusal import refuse, refuse_other_keys
from sterna.exporting.gromacs.terms import line_of_site, line_of_term, require_order
from sterna.exporting.model import (
    LIGHTER_IS_HYDROGEN,
    PairParameters,
    atom_lists,
    bond_distances,
    ordered,
)
from sterna.exporting.quantities import CHARGE, ENERGY, LENGTH, Quantities
from sterna.frames.atoms import Atoms

Pair = tuple[int, int]  #: atoms of a molecule from 0, the smaller one first

_SECTIONS = ("bond", "angle", "torsion", "improper")
_KEYS = {
    "name", "count", "residue_numbers", "chains", "file", "excluded_bonds", "lennard_jones_14",
    "coulomb_14", "constrained_bonds", "hydrogen_mass", "atom", "bond", "angle", "torsion", "improper",
    "cmap", "special_pair", "exclusion", "constraint", "virtual_site",
}  # fmt: skip
_14 = 3  # bonds
_SAME_LENGTH = 1e-9  # relative
_SAME_PRODUCT = 1e-9  # relative, of charges
_SAME_INERTIA = 1e-6  # relative
_ON_A_LINE = 1e-6  # distance of sites from a line, relative to the distance of the masses
_MOST_MASSES = 3  # number of masses of a rigid molecule that constraints hold


@dataclass
class Kind:
    """A kind of molecule; atoms count from 0."""

    name: str
    types: list[str]  #: types of its atoms, by the names of the input
    charges: list[float]
    lines: dict[str, list[str]] = field(default_factory=dict)  #: lines by section
    exclusions: set[Pair] = field(default_factory=set)
    #: The parameters of pairs that replace those of the types: sigma, epsilon, and a product of
    #: charges.
    pairs: dict[Pair, tuple[float, float, float]] = field(default_factory=dict)
    constraints: dict[Pair, float] = field(default_factory=dict)  #: lengths
    masses: list[float] = field(default_factory=list)
    #: Tables of energies: five atoms, and the table row after row.
    cmaps: list[tuple[tuple[int, ...], tuple[float, ...]]] = field(default_factory=list)

    def add(
        self, section: str, atoms: Iterable[int], function: int, values: Iterable[float]
    ) -> None:
        """A line of a section."""
        numbers = [str(atom + 1) for atom in atoms]
        line = " ".join([*numbers, str(function), *(repr(value) for value in values)])
        self.lines.setdefault(section, []).append(line)

    def add_pair(self, pair: Pair, epsilon: float, sigma: float, product: float) -> None:
        """Adds parameters that replace those of the types of two atoms, and a product of two
        charges.
        """
        self.exclusions.add(pair)
        if epsilon != 0.0 or product != 0.0:
            self.pairs[pair] = (sigma if epsilon else 0.0, epsilon, product)

    def coulomb_factors(self) -> list[float]:
        """Returns the factors of charges in the pairs, if their charges determine one."""
        products = ((self.charges[a] * self.charges[b], own) for (a, b), (_, _, own)
                    in self.pairs.items())  # fmt: skip
        return [own / usual for usual, own in products if usual != 0.0]

    def pair_lines(self, factor: float) -> list[str]:
        """Rows of [ pairs ]. `factor`: fudgeQQ, with which GROMACS multiplies the charges.

        They are of function type 1, as force fields have them, where that factor gives the charges.
        """
        lines = []
        for (a, b), (sigma, epsilon, product) in self.pairs.items():
            usual = factor * self.charges[a] * self.charges[b]
            if math.isclose(product, usual, rel_tol=_SAME_PRODUCT):
                lines.append(f"{a + 1} {b + 1} 1 {sigma!r} {epsilon!r}")
            else:
                lines.append(f"{a + 1} {b + 1} 2 1.0 {product!r} 1.0 {sigma!r} {epsilon!r}")
        return lines

    def settle(self) -> tuple[int, float, float] | None:
        """The first atom and both lengths, where three constraints make the molecule rigid water."""
        if len(self.constraints) != 3:
            return None
        atoms = sorted({atom for pair in self.constraints for atom in pair})
        first = atoms[0]
        if atoms != [first, first + 1, first + 2]:
            return None
        one, other, far = (self.constraints[ordered(p)] for p in
                           ((atoms[0], atoms[1]), (atoms[0], atoms[2]), (atoms[1], atoms[2])))  # fmt: skip
        alike = math.isclose(one, other, rel_tol=_SAME_LENGTH)
        return (
            (first, one, far)
            if alike and self.masses[first + 1] == self.masses[first + 2]
            else None
        )

    def has_triangles(self) -> bool:
        """Whether constraints form one, which LINCS does not converge for."""
        near: dict[int, set[int]] = {}
        for a, b in self.constraints:
            near.setdefault(a, set()).add(b)
            near.setdefault(b, set()).add(a)
        return any(near[a] & near[b] for a, b in self.constraints)


def flexible(
    table: dict[str, Any],
    atoms: Atoms,
    first: int,
    type_masses: dict[str, float],
    pairs: PairParameters,
    quantities: Quantities,
    charge_unit: float,
) -> Kind:
    """A [[molecule]]. `first`: the number of the first atom of one; `charge_unit` in e.

    Raises SternaError, with its name, for what GROMACS does not have.
    """
    name = table["name"]
    refuse_other_keys(f"[[molecule]] {name}:", table, _KEYS)
    size = len(table["atom"])
    rows = slice(first, first + size)
    charges = (atoms.charge[rows] * charge_unit).tolist()
    made = Kind(name, atoms.type[rows].tolist(), charges, masses=atoms.mass[rows].tolist())
    made.constraints = _constraints(table, made.types, type_masses, quantities)
    _add_terms(made, table, quantities)
    sites = _add_sites(made, table, quantities)
    _add_pairs(made, table, sites, pairs, quantities, charge_unit)
    return made


def _constraints(
    table: dict[str, Any], types: list[str], type_masses: dict[str, float], quantities: Quantities
) -> dict[Pair, float]:
    found = {
        ordered(atoms): quantities.number(one["distance"], LENGTH)
        for one in table.get("constraint", [])
        for atoms in atom_lists(one["atoms"])
    }
    kept = table.get("constrained_bonds", "none")
    for bond in table.get("bond", []):
        for atoms in atom_lists(bond["atoms"]):
            is_light = any(type_masses[types[atom]] < LIGHTER_IS_HYDROGEN for atom in atoms)
            if "r0" in bond and (kept == "all" or (kept == "hydrogen" and is_light)):
                found.setdefault(ordered(atoms), quantities.number(bond["r0"], LENGTH))
    return found


def _add_terms(made: Kind, table: dict[str, Any], quantities: Quantities) -> None:
    for section in _SECTIONS:
        for one in table.get(section, []):
            target, function, values = line_of_term(section, made.name, one, quantities)
            for atoms in atom_lists(one["atoms"]):
                # A bond that keeps its length has no energy.
                if section != "bond" or ordered(atoms) not in made.constraints:
                    made.add(target, atoms, function, values)
    for one in table.get("cmap", []):
        refuse_other_keys(
            f"[[molecule.cmap]] of {made.name}:", one, {"atoms", "potential", "energy"}
        )
        if one["potential"] != "bicubic":
            refuse(f"[[molecule.cmap]] of {made.name}, potential = {one['potential']!r}")
        energy = tuple(quantities.number(value, ENERGY) for value in one["energy"])
        made.cmaps += [(atoms, energy) for atoms in atom_lists(one["atoms"])]


def _add_sites(
    made: Kind, table: dict[str, Any], quantities: Quantities
) -> dict[int, tuple[int, ...]]:
    """Returns the atoms and sites of which each virtual site is made."""
    sites: dict[int, tuple[int, ...]] = {}
    kinds: dict[int, str] = {}
    for one in table.get("virtual_site", []):
        line = None if one["kind"] == "n" else line_of_site(made.name, one, quantities)
        for site, *others in atom_lists(one["atoms"]):
            sites[site], kinds[site] = tuple(others), one["kind"]
            if line is None:
                _add_mean(made, site, others, one)
            else:
                section, function, values = line
                made.add(section, (site, *others), function, values)
    for site, made_of in sites.items():
        for part in made_of:
            if part in sites:
                require_order(made.name, kinds[part], kinds[site])
    return sites


def _add_mean(made: Kind, site: int, others: list[int], table: dict[str, Any]) -> None:
    where = f"[[molecule.virtual_site]] of {made.name}, kind = 'n'"
    refuse_other_keys(where, table, {"atoms", "kind", "weights"})
    if min(table["weights"]) < 0.0:
        refuse(f"{where}, with a weight below 0")
    pairs = " ".join(
        f"{atom + 1} {float(weight)!r}"
        for atom, weight in zip(others, table["weights"], strict=True)
    )
    made.lines.setdefault("virtual_sitesn", []).append(f"{site + 1} 3 {pairs}")


def _made_of(atom: int, sites: dict[int, tuple[int, ...]]) -> list[int]:
    """Returns the atoms with mass that determine a site, those of its first part first."""
    if atom not in sites:
        return [atom]
    return [k for part in sites[atom] for k in _made_of(part, sites)]


def _pairs_by_bonds(
    bonds: set[Pair], count: int, most: int, sites: dict[int, tuple[int, ...]]
) -> dict[Pair, int]:
    """A virtual site has the bonds of the first atom that it is made of, 0 bonds away."""
    pairs = bond_distances(bonds, count, most)
    if not sites:
        return pairs
    at = [[atom] for atom in range(count)]
    for site in sites:
        at[_made_of(site, sites)[0]].append(site)
    found = {
        ordered((a, b)): distance
        for (first, second), distance in pairs.items()
        for a in at[first]
        for b in at[second]
    }
    for together in at:
        found |= {(a, b): 0 for a in together for b in together if a < b}
    return found


def _add_pairs(
    made: Kind,
    table: dict[str, Any],
    sites: dict[int, tuple[int, ...]],
    parameters: PairParameters,
    quantities: Quantities,
    charge_unit: float,
) -> None:
    near = int(table.get("excluded_bonds", 3))
    factors = (float(table.get("lennard_jones_14", 0.0)), float(table.get("coulomb_14", 0.0)))
    bonds = {ordered(atoms) for one in table.get("bond", []) for atoms in atom_lists(one["atoms"])}
    found = _pairs_by_bonds(bonds, len(made.types), max(near, _14 if any(factors) else 0), sites)
    made.exclusions = {pair for pair, distance in found.items() if distance <= near}
    made.exclusions |= {
        ordered(atoms) for one in table.get("exclusion", []) for atoms in atom_lists(one["atoms"])
    }
    special: dict[Pair, dict[str, Any]] = {}
    if any(factors):
        special = {pair: {} for pair, distance in found.items() if distance == _14}
    for site, made_of in sites.items() if near >= 0 else ():
        for atom in {*made_of, *_made_of(site, sites)}:
            made.exclusions.add(ordered((site, atom)))
            special.pop(ordered((site, atom)), None)
    for one in table.get("special_pair", []):
        refuse_other_keys(f"[[molecule.special_pair]] of {made.name}:", one,
                          {"atoms", "epsilon", "sigma", "charge_product"})  # fmt: skip
        special |= {ordered(atoms): one for atoms in atom_lists(one["atoms"])}
    for pair, own in special.items():
        first, second = pair
        if "epsilon" in own:
            epsilon = quantities.number(own["epsilon"], ENERGY)
            sigma = quantities.number(own["sigma"], LENGTH)
        else:
            epsilon, sigma = parameters.of_pair(made.types[first], made.types[second])
            epsilon *= factors[0]
        product = factors[1] * made.charges[first] * made.charges[second]
        if "charge_product" in own:
            product = quantities.number(own["charge_product"], CHARGE) * charge_unit**2
        made.add_pair(pair, epsilon, sigma, product)


def rigid(component: dict[str, Any], atoms: Atoms, first: int, charge_unit: float) -> Kind:
    """A [[component]] of one to three masses: constraints between them, virtual sites for the rest.

    `component`: as the trajectory describes it; `first`: the number of the first atom of one.
    Raises SternaError for what GROMACS does not have.
    """
    name = component["name"]
    size = int(numpy.count_nonzero(atoms.molecule == atoms.molecule[first]))
    rows = slice(first, first + size)
    made = Kind(
        name, atoms.type[rows].tolist(), (atoms.charge[rows] * charge_unit).tolist(),
        masses=atoms.mass[rows].tolist(),
    )  # fmt: skip
    places = atoms.offset[rows]
    made.exclusions = {(a, b) for a in range(size) for b in range(a + 1, size)}
    heavy = [k for k in range(size) if made.masses[k] > 0.0]
    _require_inertia(component, places, numpy.array(made.masses))
    if len(heavy) > _MOST_MASSES:
        refuse(f"[[component]] {name}, a rigid molecule of {len(heavy)} masses")
    frame = places[heavy[1:]] - places[heavy[0]]
    if len(heavy) == _MOST_MASSES:
        normal = numpy.cross(*frame)
        if numpy.linalg.norm(normal) <= _ON_A_LINE * numpy.linalg.norm(frame) ** 2:
            refuse(f"[[component]] {name}, a rigid molecule of three masses on a line")
    for k, a in enumerate(heavy):
        for b in heavy[k + 1 :]:
            made.constraints[ordered((a, b))] = float(numpy.linalg.norm(places[a] - places[b]))
    for k in range(size):
        if k not in heavy:
            _add_rigid_site(made, k, heavy, frame, places[k] - places[heavy[0]])
    return made


def _require_inertia(
    component: dict[str, Any], places: numpy.ndarray, masses: numpy.ndarray
) -> None:
    """Raises SternaError if the moments of inertia differ from those of the masses."""
    squares = (masses[:, None] * places**2).sum(axis=0)
    of_masses = squares.sum() - squares
    given = numpy.array(component["inertia"], float)
    if (abs(given - of_masses) > _SAME_INERTIA * of_masses.max(initial=0.0)).any():
        refuse(f"[[component]] {component['name']} with inertia = {component['inertia']}")


def _add_rigid_site(
    made: Kind, site: int, heavy: list[int], frame: numpy.ndarray, place: numpy.ndarray
) -> None:
    """A site without mass at `place` from the first mass; `frame` goes to the others."""
    weights = numpy.zeros(0)
    if len(heavy) > 1:
        basis = frame
        if len(heavy) == _MOST_MASSES:
            basis = numpy.vstack([frame, numpy.cross(*frame)])
        weights = numpy.linalg.lstsq(basis.T, place, rcond=None)[0]
    size = float(numpy.linalg.norm(frame)) if len(heavy) > 1 else 0.0
    reached = weights @ basis if len(weights) else numpy.zeros(3)
    if numpy.linalg.norm(reached - place) > _ON_A_LINE * max(size, float(numpy.linalg.norm(place))):
        refuse(f"[[component]] {made.name} with a site beside the line of its masses")
    values = weights.tolist()
    members = (site, *heavy)
    if len(heavy) == _MOST_MASSES:
        if abs(values[2]) * numpy.linalg.norm(basis[2]) <= _ON_A_LINE * size:
            made.add("virtual_sites3", members, 1, values[:2])
        else:
            made.add("virtual_sites3", members, 4, values)
    else:
        made.add("virtual_sites2", members, 1, values)
