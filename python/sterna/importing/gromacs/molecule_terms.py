"""Terms of one kind of molecule of a topology, with its atoms counted from 0."""

import math
from dataclasses import dataclass, field

from sterna.importing.gromacs.bonded import Sum, parameters_of, terms_of
from sterna.importing.gromacs.constraints import SAME, Constraints
from sterna.importing.gromacs.exclusions import Pair, edges_of
from sterna.importing.gromacs.free_energy import MOST_COUPLED_ATOMS, FreeEnergy
from sterna.importing.gromacs.functions import FUNCTIONS
from sterna.importing.gromacs.pairs import changed_pairs, terms_of_pairs
from sterna.importing.gromacs.preprocessor import TopologyLine
from sterna.importing.gromacs.state_b import (
    Changed,
    changed_parameters,
    in_state_b,
    terms_between_states,
)
from sterna.importing.gromacs.topology import Entry, MoleculeType, Topology
from sterna.importing.gromacs.virtual_sites import ConstantTerms, sites_of, terms_of_sites
from sterna.importing.notes import Notes
from sterna.importing.system import Term, term

_BONDED = ("bonds", "angles", "dihedrals", "cmap", "dihedral_restraints", "angle_restraints")
#: Sections that mdrun passes over unless an option of the .mdp file asks for them.
_OPTIONAL = {"distance_restraints": "disre", "orientation_restraints": "orire"}
#: Restraints that Sterna does not have, and where their force constant stands.
_RESTRAINTS = {"angle_restraints_z": 1}


@dataclass
class MoleculeTerms:
    terms: list[Term]
    joined: list[Pair]  #: atoms of one molecule
    #: Special pairs that include the usual interaction of their atoms, with the lines of these
    #: pairs.
    with_all: dict[Pair, TopologyLine]
    #: Atoms and their stiffness along each axis in kJ/mol/nm^2.
    restraints: list[tuple[int, tuple[float, float, float]]] = field(default_factory=list)
    changed: list[Changed] = field(default_factory=list)  #: terms that differ in state B

    @property
    def has_constraints(self) -> bool:
        return any(one.section == "constraint" for one in self.terms)


def terms_of_molecule(
    kind: MoleculeType,
    topology: Topology,
    constraints: str,
    notes: Notes,
    coupled: FreeEnergy | None = None,
) -> MoleculeTerms:
    """`constraints`: the bonds that keep their lengths, as `Choices` has it; `coupled`: how the
    molecule is switched off, if it is.

    Raises SternaError with file and line.
    """
    sites = sites_of(kind, topology)
    for number, atom in enumerate(kind.atoms):
        if not atom.mass > 0.0 and number not in sites:
            atom.line.fail(
                None, f"the atom {number + 1} has the mass {atom.mass:g}, and is no virtual site"
            )
    constant = ConstantTerms(kind, sites)
    held = Constraints(kind, topology, constant)
    bonds = held.hold_bonds(constraints)
    water = held.hold_water() if constraints in ("hydrogen", "all") else set()
    sums = Sum()
    restraints = []
    changed: list[Changed] = []
    mutates = coupled is not None and not coupled.molecule
    other = in_state_b(kind)
    for entry in kind.entries:
        is_pair = entry.section in ("pairs", "pairs_nb")
        both = changed_parameters(entry, kind, other, topology) if mutates and not is_pair else []
        if both:
            changed += _changed_terms(entry, both, held.distances)
        elif entry.section in _BONDED and not constant.has(entry):
            _add(entry, kind, topology, sums, held.distances, bonds, water)
        elif entry.section == "position_restraints":
            restraints.append(_position_restraint(entry))
        else:
            _look_at_other(entry, notes)
    for first, second in held.distances:
        for atom in (first, second):
            if atom in sites:
                sites[atom].line.fail(
                    None, f"the virtual site {atom + 1} has a constraint to another atom"
                )
    is_apart = coupled is not None and bool(coupled.molecule) and coupled.keeps_molecule
    if is_apart and len(kind.atoms) > MOST_COUPLED_ATOMS:
        kind.line.fail(
            None,
            f"{kind.name} has {len(kind.atoms)} atoms, and each of their pairs becomes one of its own with "
            f"couple-intramol = no; expected at most {MOST_COUPLED_ATOMS}",
        )
    pairs, with_all = terms_of_pairs(kind, topology, notes, is_apart)
    if mutates:
        of_pairs = changed_pairs(kind, other, topology, notes)
        changed += of_pairs.values()
        pairs = [one for one in pairs if one.atoms not in of_pairs]
        pairs += [term("exclusion", pair) for pair in of_pairs]
    terms = [
        *sums.terms(),
        *(term("constraint", pair, distance=length) for pair, length in held.distances.items()),
        *terms_of_sites(sites),
        *pairs,
    ]
    for entry in kind.entries:
        if entry.section == "bonds" and not constant.has(entry) and entry.function != 5:
            for atom in entry.atoms:
                if atom in sites:
                    entry.line.fail(
                        None, f"the atom {atom + 1} is a virtual site, which has no bonds in Sterna"
                    )
    joined = _joined(kind, terms)
    if coupled is not None:
        # Sterna decouples a molecule from all others: parts of it must not be molecules.
        joined = [*joined, *((0, atom) for atom in range(1, len(kind.atoms)))]
    return MoleculeTerms(terms, joined, with_all, restraints, changed)


def _changed_terms(
    entry: Entry,
    both: list[tuple[tuple[float, ...], tuple[float, ...]]],
    distances: dict[Pair, float],
) -> list[Changed]:
    """`distances`: lengths that constraints keep."""
    pair = (min(entry.atoms), max(entry.atoms))
    if entry.section in ("bonds", "constraints") and pair in distances:
        lengths = {(of_a[0], of_b[0]) for of_a, of_b in both}
        for _, of_b in lengths:
            if not of_b > 0.0:
                entry.line.fail(
                    None, f"a distance in state B is {of_b:g}; expected a length above 0"
                )
        return [
            Changed("mutated_constraint", pair, (("distance", of_b),))
            for of_a, of_b in lengths
            if of_a != of_b
        ]
    return list(terms_between_states(entry, both))


def terms_between(
    topology: Topology, notes: Notes, is_changing: bool = False
) -> tuple[list[Term], dict[Pair, TopologyLine]]:
    """Returns the terms of `[ intermolecular_interactions ]`, whose atoms are numbered in the whole
    system.

    Returns special pairs with their lines besides, as `MoleculeTerms` has them. `is_changing`: whether
    parameters of a state B act.
    """
    between = topology.between
    if between is None:
        return [], {}
    molecule_of = [
        number
        for number, kind in enumerate(
            kind for kind, count in topology.molecules for _ in range(count)
        )
        for _ in kind.atoms
    ]
    sums = Sum()
    for entry in between.entries:
        if entry.values_b and is_changing:
            entry.line.fail(
                None, "terms between molecules that change to a state B are not taken over"
            )
        if FUNCTIONS[entry.section][entry.function].is_edge:
            entry.line.fail(None, "chemical bonds between molecules are an error in GROMACS, too")
        if entry.section.startswith("pairs"):
            first, second = entry.atoms
            if molecule_of[first] == molecule_of[second]:
                entry.line.fail(
                    None,
                    f"the atoms {first + 1} and {second + 1} are of one molecule; expected this pair "
                    f"in [ {entry.section} ] of its [ moleculetype ]",
                )
        elif entry.section in _BONDED:
            _add(entry, between, topology, sums, {}, set(), set())
        else:
            _look_at_other(entry, notes)
    pairs, with_all = terms_of_pairs(between, topology, notes)
    return [*sums.terms(), *pairs], with_all


def _add(
    entry: Entry,
    kind: MoleculeType,
    topology: Topology,
    sums: Sum,
    distances: dict[Pair, float],
    bonds: set[Pair],
    water: set[tuple[int, int, int]],
) -> None:
    """`distances`: lengths that constraints keep; `bonds`: the pairs that became bonds."""
    pair = (min(entry.atoms), max(entry.atoms))
    is_bond = entry.section == "bonds" and FUNCTIONS["bonds"][entry.function].is_edge
    if (
        is_bond
        and pair in bonds
        and math.isclose(parameters_of(entry, kind, topology)[0][0], distances[pair], rel_tol=SAME)
    ):
        return
    for one in terms_of(entry, kind, topology):
        if one.section == "bond" and pair in distances:
            r0 = dict(one.parameters).get("r0")
            if r0 is None or not math.isclose(r0, distances[pair], rel_tol=SAME):
                length = "" if r0 is None else f" of {r0:g} nm"
                entry.line.fail(
                    None,
                    f"the atoms {pair[0] + 1} and {pair[1] + 1} have a bond{length} beside a "
                    f"constraint of {distances[pair]:g} nm, whose constant energy Sterna leaves out",
                )
            continue
        is_angle = dict(one.parameters).get("potential") == "harmonic"
        if entry.section == "angles" and entry.atoms in water and is_angle:
            continue
        sums.add(one, entry)


def _position_restraint(entry: Entry) -> tuple[int, tuple[float, float, float]]:
    if entry.function == 2:
        entry.line.fail(
            1, "flat-bottomed position restraints are not taken over; expected function type 1"
        )
    for place, value in enumerate(entry.values):
        if value < 0.0:
            entry.fail_at(
                place, f"a force constant is {value:g}; expected one that is not negative"
            )
    x, y, z = entry.values
    return entry.atoms[0], (x, y, z)


def _look_at_other(entry: Entry, notes: Notes) -> None:
    """Raises SternaError for an entry with an effect that is not imported."""
    section = entry.section
    if section in _OPTIONAL:
        notes.tell(
            f"[ {section} ] are left out, as in GROMACS without {_OPTIONAL[section]} in the .mdp "
            "file",
            entry.line,
        )
    elif section in _RESTRAINTS:
        if entry.values[_RESTRAINTS[section]] != 0.0:
            entry.line.fail(None, f"the section [ {section} ] is not taken over; take it out")
    elif section.endswith("polarization"):
        entry.line.fail(None, f"the section [ {section} ] is not taken over: Sterna has no "
                              "polarizable atoms")  # fmt: skip


def _joined(kind: MoleculeType, terms: list[Term]) -> list[Pair]:
    """Bonds; where parts that no bond or term joins lie between each other, they are joined, too."""
    bonds = edges_of(kind)
    bonds |= {(entry.atoms[0], k) for entry in kind.of("settles") for k in entry.atoms[1:]}
    joined = sorted(bonds)
    parent = list(range(len(kind.atoms)))

    def root(atom: int) -> int:
        while parent[atom] != atom:
            parent[atom] = parent[parent[atom]]
            atom = parent[atom]
        return atom

    pairs = [(one.atoms[0], other) for one in terms for other in one.atoms[1:]]
    for first, second in (*joined, *pairs):
        low, high = sorted((root(first), root(second)))
        parent[high] = low
    parts = [root(atom) for atom in range(len(parent))]
    follows = all(part in (n, before) for n, (part, before) in
                  enumerate(zip(parts[1:], parts, strict=False), 1))  # fmt: skip
    if follows:
        return joined
    # Heavy atoms decide, since hydrogen that is joined to one is bonded to it.
    heaviest: dict[int, int] = {}
    for atom, part in enumerate(parts):
        before = heaviest.setdefault(part, atom)
        if kind.atoms[atom].mass > kind.atoms[before].mass:
            heaviest[part] = atom
    first, *others = heaviest.values()
    return joined + [(first, other) for other in others]
