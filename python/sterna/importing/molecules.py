"""Atoms and terms of a system as kinds of molecules."""

import itertools
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from sterna.errors import SternaError
from sterna.importing.system import Residue, System, Term, summed


def are_scattered(joined: Iterable[tuple[int, int]], count: int) -> bool:
    """Returns true if atoms of other molecules come between the joined atoms of a molecule."""
    first = list(range(count))

    def root(atom: int) -> int:
        while first[atom] != atom:
            first[atom] = first[first[atom]]
            atom = first[atom]
        return atom

    for pair in joined:
        low, high = sorted(map(root, pair))
        first[high] = low
    found = [root(atom) for atom in range(count)]
    return any(found[atom] not in (atom, found[atom - 1]) for atom in range(1, count))


@dataclass
class Molecule:
    """Molecules of one kind that follow each other; `tables` are its sections by their names."""

    name: str
    count: int
    tables: dict[str, Any]
    #: The number and the insertion code of each molecule, or none.
    residue_numbers: list[tuple[int, str]] = field(default_factory=list)
    chains: list[str] = field(default_factory=list)  #: likewise

    @property
    def size(self) -> int:
        return len(self.tables["atom"])

    def add_labels(self, residues: "list[Residue]") -> None:
        """Adds the labels of one more molecule, whose atoms are in these residues."""
        if not residues:
            return
        if len(set(residues)) == 1:
            self.residue_numbers.append((residues[0].number, residues[0].insertion_code))
        self.chains.append(residues[0].chain)

    def labels(self) -> dict[str, str]:
        """Keys of its `[[molecule]]`."""
        made = {}
        if self.residue_numbers:
            made["residue_numbers"] = _ranges(self.residue_numbers)
        if any(self.chains):
            runs = [(name or "-", len(list(same))) for name, same in itertools.groupby(self.chains)]
            made["chains"] = (
                runs[0][0]
                if len(runs) == 1
                else " ".join(f"{name}:{count}" for name, count in runs)
            )
        return made


def _ranges(numbers: list[tuple[int, str]]) -> str:
    """21:23 52A 601 from 21, 22, 23, 52A, 601."""
    parts = []
    # A number with a letter is in no range.
    for _, same in itertools.groupby(
        enumerate(numbers), lambda item: (item[1][0] - item[0], item[0] if item[1][1] else -1)
    ):
        run = [number for _, number in same]
        number, code = run[0]
        parts.append(f"{number}:{run[-1][0]}" if len(run) > 1 else f"{number}{code}")
    return " ".join(parts)


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
        atoms_of: list[list[int]] = []  # atoms of each kind
        known: dict[str, int] = {}  # kinds by their tables
        for start, atoms in members.items():
            tables = self._tables(atoms, inside.get(start, []))
            residues = [r for k in atoms if (r := self.system.atoms[k].residue) is not None]
            if not self.system.can_reorder and self.kinds and self.kinds[-1].tables != tables:
                known.clear()
            text = repr(tables)
            if text in known:
                self.kinds[known[text]].count += 1
                self.kinds[known[text]].add_labels(residues)
                atoms_of[known[text]] += atoms
                continue
            known[text] = len(self.kinds)
            name = self.system.molecule_name(atoms)
            names[name] = names.get(name, 0) + 1
            unique = name if names[name] == 1 else f"{name}_{names[name]}"
            self.kinds.append(Molecule(unique, 1, tables))
            self.kinds[-1].add_labels(residues)
            atoms_of.append(list(atoms))
        for kind in self.kinds:
            for atom in kind.tables["atom"]:
                # The name of the molecule is the default.
                if atom.get("residue") == kind.name and "residue_number" not in atom:
                    del atom["residue"]
        self.order = [atom for atoms in atoms_of for atom in atoms]

    def _first_atoms(self) -> list[int]:
        """Returns for each atom the first atom of its molecule."""
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
        residues = [self.system.atoms[k].residue for k in atoms]
        for atom, residue in zip(tables["atom"], residues, strict=True):
            if atom["charge"] is None:
                del atom["charge"]
            if residue is None:
                continue
            atom["residue"] = residue.name
            if len(set(residues)) > 1:
                atom["residue_number"] = residue.number
                if residue.insertion_code:
                    atom["insertion_code"] = residue.insertion_code
            if residue.chain != residues[0].chain:
                atom["chain"] = residue.chain
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
