"""Atoms and terms of a system as kinds of molecules."""

from dataclasses import dataclass, field
from typing import Any

from sterna.errors import SternaError
from sterna.importing.system import System, Term, summed


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
    """The kinds of molecules of a system, and its atoms in their order.

    Raises SternaError where the atoms of a molecule do not follow each other, and may not be put
    into another order.
    """

    system: System
    kinds: list[Molecule] = field(default_factory=list)
    order: list[int] = field(default_factory=list)  #: the system's atoms, kind after kind

    def __post_init__(self) -> None:
        first = self._first_atoms()
        members: dict[int, list[int]] = {}
        for atom, start in enumerate(first):
            members.setdefault(start, []).append(atom)
        inside: dict[int, list[Term]] = {}
        for one in summed(self.system.terms):
            inside.setdefault(first[one.atoms[0]], []).append(one)
        names: dict[str, int] = {}
        atoms_of: list[list[int]] = []  # of each kind
        known: dict[str, int] = {}  # kinds by their tables
        for start, atoms in members.items():
            tables = self._tables(atoms, inside.get(start, []))
            if not self.system.can_reorder and self.kinds and self.kinds[-1].tables != tables:
                known.clear()
            text = repr(tables)
            if text in known:
                self.kinds[known[text]].count += 1
                atoms_of[known[text]] += atoms
                continue
            known[text] = len(self.kinds)
            name = self.system.molecule_name(atoms)
            names[name] = names.get(name, 0) + 1
            unique = name if names[name] == 1 else f"{name}_{names[name]}"
            self.kinds.append(Molecule(unique, 1, tables))
            atoms_of.append(list(atoms))
        self.order = [atom for atoms in atoms_of for atom in atoms]

    def _first_atoms(self) -> list[int]:
        """Of each atom, the first one of its molecule."""
        parent = list(range(len(self.system.atoms)))

        def root(atom: int) -> int:
            while parent[atom] != atom:
                parent[atom] = parent[parent[atom]]
                atom = parent[atom]
            return atom

        def join(first: int, second: int) -> None:
            low, high = sorted((root(first), root(second)))
            parent[high] = low

        for one in self.system.terms:
            for other in one.atoms[1:]:
                join(one.atoms[0], other)
        for first, second in self.system.joined:
            join(first, second)
        found = [root(atom) for atom in range(len(parent))]
        if self.system.can_reorder:
            return found
        for atom in range(1, len(found)):
            if found[atom] != atom and found[atom] != found[atom - 1]:
                raise SternaError(
                    f"{self.system.atom_name(atom)} is of the molecule of "
                    f"{self.system.atom_name(found[atom])}, but does not follow its other atoms; "
                    "expected the atoms of a molecule one after the other"
                )
        return found

    def _tables(self, atoms: list[int], terms: list[Term]) -> dict[str, Any]:
        place = {atom: k + 1 for k, atom in enumerate(atoms)}
        tables: dict[str, Any] = dict(self.system.molecule_keys) | {
            "atom": [
                {"name": atom.name, "type": atom.type, "charge": atom.charge}
                for atom in (self.system.atoms[k] for k in atoms)
            ],
        }
        alike: dict[tuple[str, tuple], list[list[int]]] = {}
        for one in terms:
            lists = alike.setdefault((one.section, one.parameters), [])
            lists.append([place[atom] for atom in one.atoms])
        # Whatever order the other program has: molecules of one kind are told by their tables.
        for (section, parameters), lists in sorted(
            alike.items(), key=lambda item: (item[0][0], sorted(item[1]), repr(item[0][1]))
        ):
            lists.sort()
            tables.setdefault(section, []).append(
                dict(parameters) | {"atoms": lists if len(lists) > 1 else lists[0]}
            )
        if "bond" not in tables:
            tables.pop("constrained_bonds", None)
        return tables
