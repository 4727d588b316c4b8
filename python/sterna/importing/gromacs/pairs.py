"""Pairs of atoms of a molecule that do not interact as their types do.

Source: GROMACS manual, "Pair interactions"; `toppush.cpp` (push_bond) of GROMACS 2026. A line of
`[ pairs ]` acts besides what its atoms do to each other; only exclusions take that away. Sterna has one
special pair of two atoms, in place of all else, so that all of it is summed.
"""

import itertools
from dataclasses import dataclass, replace

from sterna.importing.gromacs.exclusions import Pair, excluded_pairs
from sterna.importing.gromacs.preprocessor import TopologyLine
from sterna.importing.gromacs.state_b import Changed
from sterna.importing.gromacs.topology import Entry, MoleculeType, Topology
from sterna.importing.lennard_jones import Powers
from sterna.importing.notes import Notes
from sterna.importing.system import Term, term


@dataclass
class _Sum:
    line: TopologyLine
    powers: Powers = Powers()
    product: float = 0.0  #: product of charges

    def add(self, powers: Powers, product: float) -> None:
        self.powers += powers
        self.product += product


def changed_pairs(
    kind: MoleculeType, other: MoleculeType, topology: Topology, notes: Notes
) -> dict[Pair, Changed]:
    """Special pairs that differ between both states; `other`: the molecule in state B."""
    excluded = excluded_pairs(kind)
    sums: dict[Pair, tuple[_Sum, _Sum]] = {}
    for entry in kind.entries:
        if entry.section not in ("pairs", "pairs_nb"):
            continue
        pair = (min(entry.atoms), max(entry.atoms))
        of_a, of_b = sums.setdefault(pair, (_Sum(entry.line), _Sum(entry.line)))
        of_a.add(*_parameters(entry, kind, topology, notes))
        in_b = replace(entry, values=entry.values_b or entry.values)
        of_b.add(*_parameters(in_b, other, topology, notes))
    made = {}
    for pair, (of_a, of_b) in sums.items():
        if (of_a.powers, of_a.product) == (of_b.powers, of_b.product):
            continue
        if pair not in excluded:
            of_a.line.fail(
                None,
                f"the atoms {pair[0] + 1} and {pair[1] + 1} have a pair of their own that changes to a "
                "state B, and are not excluded, which is not taken over",
            )
        keys: list[tuple[str, float]] = []
        for prefix, one in (("", of_a), ("to_", of_b)):
            found = dict(_special(pair, one).parameters)
            if found.get("epsilon"):
                keys += [(f"{prefix}epsilon", found["epsilon"]), (f"{prefix}sigma", found["sigma"])]
            if found.get("charge_product"):
                keys.append((f"{prefix}charge_product", found["charge_product"]))
        made[pair] = Changed("mutated_pair", pair, tuple(keys))
    return made


def terms_of_pairs(
    kind: MoleculeType, topology: Topology, notes: Notes, is_apart: bool = False
) -> tuple[list[Term], dict[Pair, TopologyLine]]:
    """Exclusions and special pairs; and lines of pairs that are not excluded.

    `is_apart`: all pairs become exclusions or special pairs, without a cutoff, as GROMACS does it for a
    molecule that is decoupled (generate_LJCpairsNB). Raises SternaError with the line of a pair.
    """
    excluded = excluded_pairs(kind)
    sums: dict[Pair, _Sum] = {}
    for entry in kind.entries:
        if entry.section in ("pairs", "pairs_nb"):
            pair = (min(entry.atoms), max(entry.atoms))
            one = sums.setdefault(pair, _Sum(entry.line))
            one.add(*_parameters(entry, kind, topology, notes))
            if pair not in excluded and not is_apart:
                notes.tell(
                    "a pair of [ pairs ] is not excluded, so that its atoms interact in both ways, "
                    "as in GROMACS; without a cutoff in Sterna",
                    entry.line,
                )
    if is_apart:
        for pair in itertools.combinations(range(len(kind.atoms)), 2):
            if pair not in excluded:
                sums.setdefault(pair, _Sum(kind.line))
    for pair, one in sums.items():
        if pair not in excluded:
            first, second = (kind.atoms[k] for k in pair)
            one.add(topology.types.powers(first.type, second.type), first.charge * second.charge)
    made = [_special(pair, one) for pair, one in sums.items()]
    made += [term("exclusion", pair) for pair in sorted(excluded - sums.keys())]
    if is_apart:
        return made, {}
    return made, {pair: one.line for pair, one in sums.items() if pair not in excluded}


def _special(pair: Pair, one: _Sum) -> Term:
    c6, c12 = one.powers.c6, one.powers.c12
    if c6 == c12 == one.product == 0.0:
        return term("exclusion", pair)
    if c6 < 0.0 or c12 < 0.0 or (c12 == 0.0 and c6 > 0.0):
        one.line.fail(
            None,
            f"the atoms {pair[0] + 1} and {pair[1] + 1} have C6 = {c6:.6g} and C12 = {c12:.6g} "
            "(kJ/mol and nm); Sterna has pairs that repel at short distances",
        )
    sigma, epsilon = one.powers.sigma_and_epsilon("a pair")
    return term("special_pair", pair, epsilon=epsilon, sigma=sigma, charge_product=one.product)


def _parameters(
    entry: Entry, kind: MoleculeType, topology: Topology, notes: Notes
) -> tuple[Powers, float]:
    """Returns the Lennard-Jones part of one line, and the product of charges."""
    defaults = topology.defaults
    first, second = (kind.atoms[k] for k in entry.atoms)
    if entry.section == "pairs_nb":
        qi, qj, v, w = _checked(entry, 2, topology)
        return defaults.powers(v, w), qi * qj
    if entry.function == 2 and entry.values:
        fudge, qi, qj, v, w = _checked(entry, 3, topology)
        return defaults.powers(v, w), fudge * qi * qj
    product = defaults.fudge_coulomb * first.charge * second.charge
    if entry.values:
        return defaults.powers(*_checked(entry, 0, topology)), product
    powers = topology.types.powers_14(first.type, second.type)
    if powers is None:
        entry.line.fail(
            None,
            f"there are no parameters in it, and no [ pairtypes ] for {first.type} {second.type} "
            "(gen-pairs is no)",
        )
    if entry.function == 2:
        notes.tell(
            "a line of [ pairs ] of function type 2 without parameters has charges only, as in "
            "GROMACS",
            entry.line,
        )
        return Powers(), product
    return powers, product


def _checked(entry: Entry, place: int, topology: Topology) -> tuple[float, ...]:
    """The values of the line, of which two from `place` on are of Lennard and Jones."""
    v, w = entry.values[place : place + 2]
    if w < 0.0:
        entry.fail_at(place + 1, f"a Lennard-Jones parameter is {w:g}; expected 0 or more")
    if v < 0.0 and topology.defaults.rule == 1:
        entry.fail_at(place, f"C6 is {v:g}; expected 0 or more")
    return entry.values
