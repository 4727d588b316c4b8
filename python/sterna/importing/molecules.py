"""Atoms and terms of a system as types and kinds of molecules."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from sterna.errors import SternaError
from sterna.importing.forces import Term, name_of, nonbonded_of, number
from sterna.importing.sources import Source


@dataclass
class Molecule:
    """Molecules of one kind that follow each other; `tables` are its sections by their names."""

    name: str
    count: int
    tables: dict[str, Any]

    @property
    def size(self) -> int:
        return len(self.tables["atom"])


@dataclass
class Molecules:
    """All that an input says of the particles. Raises SternaError where that cannot be said."""

    source: Source
    types: list[dict[str, Any]] = field(default_factory=list)
    type_of: list[str] = field(default_factory=list)  #: of each atom
    kinds: list[Molecule] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._force = nonbonded_of(self.source.system)
        self._atoms = list(self.source.topology.atoms())
        self._charges: list[float] = []
        self._find_types()

    @property
    def has_charges(self) -> bool:
        return any(self._charges)

    def _find_types(self) -> None:
        names: dict[tuple[float, float, float], str] = {}
        counts: dict[str, int] = {}
        for atom in self._atoms:
            charge, sigma, epsilon = map(number, self._force.getParticleParameters(atom.index))
            self._charges.append(charge)
            mass = number(self.source.system.getParticleMass(atom.index))
            # Without a well the size has no meaning, and other programs give anything.
            key = (mass, sigma, epsilon) if epsilon > 0.0 else (mass, 0.1, 0.0)
            if key not in names:
                symbol = atom.element.symbol if atom.element else "X"
                counts[symbol] = counts.get(symbol, 0) + 1
                names[key] = f"{symbol}{counts[symbol]}"
                mass, sigma, epsilon = key
                self.types.append(
                    {"name": names[key], "mass": mass, "sigma": sigma, "epsilon": epsilon}
                )
            self.type_of.append(names[key])

    def take(self, terms: Iterable[Term]) -> None:
        """Finds the molecules that the terms join."""
        terms = list(terms)
        first = self._first_atoms(terms)
        inside: dict[int, list[Term]] = {}
        for one in terms:
            inside.setdefault(first[one.atoms[0]], []).append(one)
        starts = sorted(set(first))
        names: dict[str, int] = {}
        for start, end in zip(starts, [*starts[1:], len(first)], strict=True):
            tables = self._tables(start, end, inside.get(start, []))
            if self.kinds and self.kinds[-1].tables == tables:
                self.kinds[-1].count += 1
                continue
            name = self._name(start, end)
            names[name] = names.get(name, 0) + 1
            unique = name if names[name] == 1 else f"{name}_{names[name]}"
            self.kinds.append(Molecule(unique, 1, tables))

    def _first_atoms(self, terms: Iterable[Term]) -> list[int]:
        """Of each atom, the first one of its molecule."""
        parent = list(range(len(self.type_of)))

        def root(atom: int) -> int:
            while parent[atom] != atom:
                parent[atom] = parent[parent[atom]]
                atom = parent[atom]
            return atom

        def join(first: int, second: int) -> None:
            low, high = sorted((root(first), root(second)))
            parent[high] = low

        for one in terms:
            for other in one.atoms[1:]:
                join(one.atoms[0], other)
        for first, second in self.source.topology.bonds():
            join(first.index, second.index)
        found = [root(atom) for atom in range(len(parent))]
        for atom in range(1, len(found)):
            if found[atom] != atom and found[atom] != found[atom - 1]:
                raise SternaError(
                    f"{name_of(self.source, atom)} is of the molecule of "
                    f"{name_of(self.source, found[atom])}, but does not follow its other atoms; "
                    "expected the atoms of a molecule one after the other"
                )
        return found

    def _name(self, start: int, end: int) -> str:
        atoms = self._atoms[start:end]
        residues = {atom.residue.index for atom in atoms}
        first = atoms[0].residue
        name = first.name if len(residues) == 1 else f"chain_{first.chain.id}"
        # It becomes part of the name of a file.
        return re.sub(r"[^A-Za-z0-9_+-]", "_", name)

    def _tables(self, start: int, end: int, terms: list[Term]) -> dict[str, Any]:
        tables: dict[str, Any] = {
            "excluded_bonds": 0,
            "atom": [
                {
                    "name": atom.name,
                    "type": self.type_of[atom.index],
                    "charge": self._charges[atom.index],
                }
                for atom in self._atoms[start:end]
            ],
        }
        alike: dict[tuple[str, tuple], list[list[int]]] = {}
        for one in terms:
            lists = alike.setdefault((one.section, one.parameters), [])
            lists.append([atom - start + 1 for atom in one.atoms])
        # Whatever order the other program has: molecules of one kind are told by their tables.
        for (section, parameters), lists in sorted(
            alike.items(), key=lambda item: (item[0][0], sorted(item[1]), repr(item[0][1]))
        ):
            lists.sort()
            tables.setdefault(section, []).append(
                dict(parameters) | {"atoms": lists if len(lists) > 1 else lists[0]}
            )
        return tables
