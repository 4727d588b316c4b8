"""Molecules whose atoms and terms have parameters of a state B: what changes between both states.

Source: GROMACS manual, "Free energy interactions" and "Topology file"; `toppush.cpp` (push_atom, push_bond)
of GROMACS 2026. Parameters of terms change in proportion to lambda. A line without parameters has those of
the types of its atoms in each state.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from sterna.importing.gromacs.bonded import parameters_of
from sterna.importing.gromacs.functions import FUNCTIONS
from sterna.importing.gromacs.topology import Entry, MoleculeType, Topology, TopologyAtom

#: Sections, potentials and parameters of functions that may change, in GROMACS's order.
_CHANGING: dict[tuple[str, int], tuple[str, str, tuple[str, ...]]] = {
    ("bonds", 1): ("bond", "harmonic", ("r0", "stiffness")),
    ("bonds", 6): ("bond", "harmonic", ("r0", "stiffness")),
    ("angles", 1): ("angle", "harmonic", ("theta0", "bending_stiffness")),
    ("dihedrals", 1): ("torsion", "periodic", ("phase", "amplitude", "multiplicity")),
    ("dihedrals", 2): ("improper", "harmonic", ("phi0", "bending_stiffness")),
    ("dihedrals", 3): ("torsion", "ryckaert_bellemans", tuple(f"c{n}" for n in range(6))),
    ("dihedrals", 4): ("improper", "periodic", ("phase", "amplitude", "multiplicity")),
    ("dihedrals", 9): ("torsion", "periodic", ("phase", "amplitude", "multiplicity")),
}
_UREY_BRADLEY = ("angles", 5)
_MULTIPLICITY, _MOST_MULTIPLICITY = 2, 6  #: the place of a multiplicity, and its largest value

Values = tuple[float, ...]


@dataclass(frozen=True)
class Changed:
    """A `[[mutated_term]]`, constraint or pair of a molecule, with atoms counted from 0."""

    section: str
    atoms: tuple[int, ...]
    keys: tuple[tuple[str, Any], ...]


def changes(kind: MoleculeType) -> bool:
    """Whether an atom or an entry of the molecule has a state B of its own."""
    return any(atom.state_b is not None for atom in kind.atoms) or any(
        entry.values_b for entry in kind.entries
    )


def in_state_b(kind: MoleculeType) -> MoleculeType:
    """The same molecule with the types, charges and parameters of state B."""

    def atom_of(atom: TopologyAtom) -> TopologyAtom:
        if atom.state_b is None:
            return atom
        name, charge, mass = atom.state_b
        return replace(atom, type=name, charge=charge, mass=mass)

    return replace(
        kind,
        atoms=[atom_of(atom) for atom in kind.atoms],
        entries=[
            replace(entry, values=entry.values_b) if entry.values_b else entry
            for entry in kind.entries
        ],
    )


def changed_parameters(
    entry: Entry, kind: MoleculeType, other: MoleculeType, topology: Topology
) -> list[tuple[Values, Values]]:
    """Parameters of the terms of an entry in both states; nothing if they are the same.

    `other`: the molecule in state B.
    """
    if entry.section not in ("bonds", "constraints", "angles", "dihedrals"):
        _require_same(entry)
        return []
    of_a = parameters_of(entry, kind, topology)
    of_b = parameters_of(replace(entry, values=entry.values_b or entry.values), other, topology)
    if of_a == of_b:
        return []
    if len(of_a) != len(of_b):
        entry.line.fail(
            None,
            f"it has {len(of_a)} terms in state A and {len(of_b)} in state B, which GROMACS refuses, "
            "too",
        )
    key = (entry.section, entry.function)
    if entry.section != "constraints" and key not in _CHANGING and key != _UREY_BRADLEY:
        name = FUNCTIONS[entry.section][entry.function].name
        entry.line.fail(None, f"a {name} that changes to a state B is not taken over")
    return list(zip(of_a, of_b, strict=True))


def _require_same(entry: Entry) -> None:
    if entry.values_b:
        name = FUNCTIONS[entry.section][abs(entry.function)].name
        entry.line.fail(None, f"a {name} that changes to a state B is not taken over")


def terms_between_states(entry: Entry, both: list[tuple[Values, Values]]) -> Iterator[Changed]:
    """The changed terms of an entry."""
    for of_a, of_b in both:
        if (entry.section, entry.function) == _UREY_BRADLEY:
            yield from _term(entry, ("angle", "harmonic", ("theta0", "bending_stiffness")),
                             of_a[:2], of_b[:2])  # fmt: skip
            yield from _term(
                entry, ("angle", "urey_bradley", ("r0", "stiffness")), of_a[2:], of_b[2:]
            )
            continue
        yield from _term(entry, _CHANGING[entry.section, entry.function], of_a, of_b)


def _term(
    entry: Entry, what: tuple[str, str, tuple[str, ...]], of_a: Values, of_b: Values
) -> Iterator[Changed]:
    section, potential, names = what
    if "multiplicity" in names:
        of_a, of_b = _periodic(entry, of_a, of_b)
    elif potential != "ryckaert_bellemans":
        for value in (of_a[1], of_b[1]):
            if value < 0.0:
                entry.fail_at(1, f"a force constant is {value:g}; expected 0 or more")
        if of_a[1] == of_b[1] == 0.0:
            return
        if section == "bond" or potential == "urey_bradley":
            for value in (of_a[0], of_b[0]):
                if not value > 0.0:
                    entry.fail_at(0, f"a length at rest is {value:g}; expected a number above 0")
    parameters, values_a, values_b = list(names), list(of_a), list(of_b)
    if potential == "ryckaert_bellemans":
        parameters, values_a, values_b = [*names, "zero_angle"], [*of_a, 180.0], [*of_b, 180.0]
    yield Changed(
        "mutated_term",
        entry.atoms,
        (
            ("section", section), ("potential", potential), ("parameters", tuple(parameters)),
            ("from", tuple(values_a)), ("to", tuple(values_b)),
        ),
    )  # fmt: skip


def _periodic(entry: Entry, of_a: Values, of_b: Values) -> tuple[Values, Values]:
    number = of_a[_MULTIPLICITY]
    if number != of_b[_MULTIPLICITY]:
        entry.fail_at(
            _MULTIPLICITY, "the multiplicity differs in both states, which GROMACS refuses, too"
        )
    if number != int(number) or not 1 <= abs(number) <= _MOST_MULTIPLICITY:
        entry.fail_at(
            _MULTIPLICITY,
            f"the multiplicity is {number:g}; expected an integer up to {_MOST_MULTIPLICITY}",
        )
    # cos(-n phi - phase) is cos(n phi + phase).
    sign = 1.0 if number > 0.0 else -1.0
    return tuple((sign * values[0], values[1], abs(number)) for values in (of_a, of_b))  # type: ignore[return-value]
