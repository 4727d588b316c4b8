"""Distances of atoms that stay as they are: those of the file, and bonds that --constraints names.

Source: GROMACS manual, "Constraint algorithms". As its grompp does, exclusions are made before bonds
become constraints, and harmonic potentials (function type 6) are no bonds.
"""

import math

from sterna.importing.gromacs.bonded import parameters_of
from sterna.importing.gromacs.exclusions import Pair, edges_of
from sterna.importing.gromacs.topology import Entry, MoleculeType, Topology
from sterna.importing.gromacs.virtual_sites import ConstantTerms
from sterna.importing.hydrogen_mass import HEAVIEST_HYDROGEN

_BONDS = (1, 2, 3, 4)  #: function types with a length that grompp makes constraints of
_OXYGEN = (15.9, 16.1)  #: u
_SAME = 1e-9  #: relative, of distances


class Constraints:
    """Distances of pairs of atoms of a kind of molecule."""

    def __init__(self, kind: MoleculeType, topology: Topology, constant: ConstantTerms) -> None:
        self._kind = kind
        self._topology = topology
        self.distances: dict[Pair, float] = {}
        self._sites = constant
        for entry in kind.entries:
            if entry.section == "constraints" and not constant.has(entry):
                ((distance,),) = parameters_of(entry, kind, topology)
                self._add(entry, entry.atoms[0], entry.atoms[1], distance, 0)
            elif entry.section == "settles":
                if not entry.values:
                    entry.line.fail(None, "SETTLE needs the distances O-H and H-H")
                oxygen, first, second = entry.atoms
                self._add(entry, oxygen, first, entry.values[0], 0)
                self._add(entry, oxygen, second, entry.values[0], 0)
                self._add(entry, first, second, entry.values[1], 1)

    def _add(self, entry: Entry, first: int, second: int, distance: float, place: int) -> None:
        if not distance > 0.0:
            entry.fail_at(place, f"a distance is {distance:g}; expected a length above 0")
        pair = (min(first, second), max(first, second))
        before = self.distances.setdefault(pair, distance)
        if not math.isclose(before, distance, rel_tol=_SAME):
            entry.line.fail(
                None,
                f"the atoms {pair[0] + 1} and {pair[1] + 1} have a constraint of {before:g} nm "
                f"already, and another one of {distance:g} nm",
            )

    def hold_bonds(self, which: str) -> set[Pair]:
        """Makes constraints of bonds; `which`: "none", "hydrogen" or "all". Returns their atoms."""
        held: set[Pair] = set()
        for entry in self._kind.entries:
            pair = (min(entry.atoms), max(entry.atoms))
            if which == "none" or entry.section != "bonds" or entry.function not in _BONDS:
                continue
            if which == "hydrogen" and not any(self._is_hydrogen(atom) for atom in pair):
                continue
            if self._sites.has(entry):
                continue
            held.add(pair)
            if pair not in self.distances:
                values = parameters_of(entry, self._kind, self._topology)[0]
                self._add(entry, *pair, values[0], 0)
        return held

    def _is_hydrogen(self, atom: int) -> bool:
        return 0.0 < self._kind.atoms[atom].mass < HEAVIEST_HYDROGEN

    def hold_water(self) -> set[tuple[int, int, int]]:
        """Makes water rigid whose bonds keep their lengths. Returns the atoms of its angles."""
        joined: dict[int, set[int]] = {}
        for first, second in edges_of(self._kind):
            joined.setdefault(first, set()).add(second)
            joined.setdefault(second, set()).add(first)
        held = set()
        for entry in self._kind.entries:
            if entry.section != "angles" or entry.function not in (1, 5):
                continue
            first, middle, last = entry.atoms
            is_water = (
                _OXYGEN[0] < self._kind.atoms[middle].mass < _OXYGEN[1]
                and joined.get(middle) == {first, last}
                and all(self._is_hydrogen(k) and len(joined[k]) == 1 for k in (first, last))
            )
            legs = [self.distances.get((min(middle, k), max(middle, k))) for k in (first, last)]
            pair = (min(first, last), max(first, last))
            if not is_water or None in legs or pair in self.distances:
                continue
            (values, *_) = parameters_of(entry, self._kind, self._topology)
            a, b = legs
            squared = a * a + b * b - 2.0 * a * b * math.cos(math.radians(values[0]))
            self._add(entry, first, last, math.sqrt(squared), 0)
            held.add(entry.atoms)
        return held
