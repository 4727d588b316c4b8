"""Virtual sites of GROMACS as `[[molecule.virtual_site]]`s, and bonded terms that they make constant.

Source: GROMACS manual, "Virtual interaction sites"; `vsite_parm.cpp` of GROMACS 2026, whose grompp
takes out bonded terms between a site and what it is made of, as their energy is constant.
"""

from dataclasses import dataclass
from typing import Any

from sterna.importing.gromacs.derived_sites import derived_parameters
from sterna.importing.gromacs.preprocessor import TopologyLine
from sterna.importing.gromacs.topology import Entry, MoleculeType, Site, Topology
from sterna.importing.system import Term, term

_FIXED_DISTANCE = ("3fd", "3fad", "4fd", "4fdn")
_CLEANED_ANGLES = (1, 2, 5, 6, 9, 10)
_CLEANED_DIHEDRALS = (1, 2, 9)


#: The kinds in the order in which GROMACS computes sites: positions in this order, forces in
#: reverse.
_ORDER = ("1", "2", "2fd", "3", "3fd", "3fad", "3out", "4fd", "4fdn", "n")


@dataclass(frozen=True)
class SiteOf:
    """A virtual site: its kind, and the atoms and sites that it is made of."""

    kind: str
    atoms: tuple[int, ...]
    parameters: dict[str, Any]
    line: TopologyLine
    of_gromacs: str  #: the kind there, of `_ORDER`


def sites_of(kind: MoleculeType, topology: Topology) -> dict[int, SiteOf]:
    """Returns the sites by atom. Raises SternaError, with its line, for a site that Sterna
    lacks.
    """
    found: dict[int, SiteOf] = {}
    made = [(entry.atoms[0], _from_entry(entry, kind, topology)) for entry in kind.entries
            if entry.section.startswith("virtual_sites")]  # fmt: skip
    made += [(site.atom, _from_weights(site)) for site in kind.sites]
    for atom, site in made:
        if atom in found:
            site.line.fail(0, f"the atom {atom + 1} is a virtual site already")
        found[atom] = site
    for atom, site in found.items():
        for other in site.atoms:
            if other in found and not _is_before(found[other], site):
                site.line.fail(
                    None,
                    f"the virtual site {atom + 1} is made of {other + 1}, which is one itself, and "
                    f"of a kind that GROMACS does not compute before this one: its order is "
                    f"{', '.join(_ORDER)}, and sites of one kind do not follow from each other",
                )
        if kind.atoms[atom].mass != 0.0:
            kind.atoms[atom].line.fail(
                None, f"the atom {atom + 1} is a virtual site, and has a mass; expected 0"
            )
    return found


def _is_before(first: SiteOf, second: SiteOf) -> bool:
    return _ORDER.index(first.of_gromacs) < _ORDER.index(second.of_gromacs)


def _from_entry(entry: Entry, kind_of_molecule: MoleculeType, topology: Topology) -> SiteOf:
    atoms, values, line = entry.atoms[1:], entry.values, entry.line
    what = (entry.section[-1], abs(entry.function))
    if not values and what[0] != "1":
        values = derived_parameters(entry, kind_of_molecule, topology)
    if what == ("1", 1):
        return SiteOf("n", atoms, {"weights": (1.0,)}, line, "1")
    if what == ("2", 1):
        return SiteOf("2", atoms, {"a": values[0]}, line, "2")
    if what == ("2", 2):
        return SiteOf("2fd", atoms, {"distance": values[0]}, line, "2fd")
    if what == ("3", 1):
        return SiteOf("3", atoms, {"a": values[0], "b": values[1]}, line, "3")
    if what == ("3", 2):
        return SiteOf("3fd", atoms, {"a": values[0], "distance": values[1]}, line, "3fd")
    if what == ("3", 3):
        return SiteOf("3fad", atoms, {"angle": values[0], "distance": values[1]}, line, "3fad")
    if what == ("3", 4):
        parameters = {"a": values[0], "b": values[1], "c": values[2]}
        return SiteOf("3out", atoms, parameters, line, "3out")
    kind = "4fd" if what == ("4", 1) else "4fdn"
    parameters = {"a": values[0], "b": values[1], "distance": values[2]}
    return SiteOf(kind, atoms, parameters, line, kind)


def _from_weights(site: Site) -> SiteOf:
    total = sum(site.weights.values())
    atoms = tuple(site.weights)
    parts = tuple(weight / total for weight in site.weights.values())
    if site.atom in atoms:
        site.line.fail(None, "a virtual site is made of itself")
    if len(atoms) == 2:
        return SiteOf("2", atoms, {"a": parts[1]}, site.line, "n")
    if len(atoms) == 3:
        return SiteOf("3", atoms, {"a": parts[1], "b": parts[2]}, site.line, "n")
    return SiteOf("n", atoms, {"weights": parts}, site.line, "n")


def terms_of_sites(sites: dict[int, SiteOf]) -> list[Term]:
    return [
        term("virtual_site", (atom, *site.atoms), kind=site.kind, **site.parameters)
        for atom, site in sites.items()
    ]


class ConstantTerms:
    """Bonded terms that grompp takes out, since virtual sites make them constant."""

    def __init__(self, kind: MoleculeType, sites: dict[int, SiteOf]) -> None:
        self._every = set(sites)
        averaged = {site.atom for site in kind.sites}
        self._sites = {atom: site for atom, site in sites.items() if atom not in averaged}
        self._constrained = {
            (min(entry.atoms[:2]), max(entry.atoms[:2]))
            for entry in kind.entries
            if entry.section in ("constraints", "settles")
        }

    def has(self, entry: Entry) -> bool:
        if self._every.isdisjoint(entry.atoms):
            return False
        if entry.section == "bonds" and entry.function <= 4:
            return self._is_constant_bond(entry, False)
        if entry.section == "constraints":
            return self._is_constant_bond(entry, True)
        if entry.section == "angles" and entry.function in _CLEANED_ANGLES:
            return self._is_constant_angle(entry)
        if entry.section == "dihedrals" and entry.function in _CLEANED_DIHEDRALS:
            return self._is_constant_dihedral(entry)
        return False

    def _are_constrained(self, atoms: tuple[int, ...]) -> bool:
        return all(
            (min(a, b), max(a, b)) in self._constrained
            for a, b in zip(atoms, (*atoms[1:], atoms[0]), strict=True)
        )

    def _is_constant_bond(self, entry: Entry, is_constraint: bool) -> bool:
        for atom, other in (entry.atoms, entry.atoms[::-1]):
            site = self._sites.get(atom)
            if site is None or other in self._every or other != site.atoms[0]:
                continue
            if site.kind in _FIXED_DISTANCE or (is_constraint and site.kind == "3out"):
                return True
        made_of = self._common(entry, strict=True)
        if made_of is None:
            return False
        kinds = [self._sites[atom].kind for atom in entry.atoms if atom in self._sites]
        places = [made_of.index(atom) for atom in entry.atoms if atom not in self._every]
        fixed = all(kind in _FIXED_DISTANCE for kind in kinds) and all(k < 2 for k in places)
        return fixed or self._are_constrained(made_of)

    def _is_constant_angle(self, entry: Entry) -> bool:
        made_of = self._common(entry, strict=True)
        if made_of is None:
            return False
        kinds = [self._sites[atom].kind for atom in entry.atoms if atom in self._sites]
        places = [made_of.index(atom) for atom in entry.atoms if atom not in self._every]
        fixed = all(kind == "3fad" for kind in kinds) and all(k < 2 for k in places)
        return fixed or self._are_constrained(made_of)

    def _is_constant_dihedral(self, entry: Entry) -> bool:
        return self._common(entry, strict=False) is not None

    def _common(self, entry: Entry, strict: bool) -> tuple[int, ...] | None:
        """Atoms that all sites of a term are made of, where its other atoms are among them.

        `strict`: whether sites made of different numbers of atoms differ; of dihedrals grompp does
        not ask.
        """
        sites = [self._sites[atom] for atom in entry.atoms if atom in self._sites]
        if not sites:
            return None
        first = sites[0].atoms
        for site in sites[1:]:
            if len(site.atoms) == len(first):
                if not set(site.atoms) <= set(first):
                    return None
            elif strict:
                return None
        others = [atom for atom in entry.atoms if atom not in self._every]
        return first if set(others) <= set(first) else None
