"""Atoms of types of their own: for sections of an input that act on all atoms of a type."""

from collections.abc import Collection
from dataclasses import replace

from sterna.importing.system import System


def split_types(system: System, members: Collection[int], suffix: str) -> tuple[System, list[str]]:
    """A system in which no other atoms have the types of `members`, and the names of these types.

    A type that other atoms have, too, becomes two that interact alike; the suffix tells them apart.
    """
    own = {system.atoms[k].type for k in members}
    shared = {atom.type for k, atom in enumerate(system.atoms) if k not in members} & own
    names = {kind["name"] for kind in system.types}
    new: dict[str, str] = {}
    for name in sorted(own):
        new[name] = name
        while new[name] in names and name in shared:
            new[name] += suffix
        names.add(new[name])
    types = system.types + [
        kind | {"name": new[kind["name"]]} for kind in system.types if kind["name"] in shared
    ]
    pairs = []
    for pair in system.pairs:
        sides = [
            list(dict.fromkeys((pair[key], new.get(pair[key], pair[key]))))
            for key in ("first", "second")
        ]
        made = [(a, b) for a in sides[0] for b in sides[1]]
        if pair["first"] == pair["second"]:
            made = [(a, b) for a, b in made if sides[0].index(a) <= sides[0].index(b)]
        pairs += [pair | {"first": a, "second": b} for a, b in made]
    atoms = [
        replace(atom, type=new[atom.type]) if k in members else atom
        for k, atom in enumerate(system.atoms)
    ]
    return replace(system, atoms=atoms, types=types, pairs=pairs), list(dict.fromkeys(new.values()))
