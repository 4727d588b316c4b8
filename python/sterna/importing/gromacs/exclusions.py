"""Which atoms of a molecule do not interact as their types do.

Source: GROMACS manual, "Exclusions", and `ifunc.cpp` of GROMACS 2026. The graph in which nrexcl counts
has chemical bonds only: no SETTLE, no virtual sites, no harmonic potentials (function type 6).
"""

from sterna.importing.gromacs.functions import FUNCTIONS
from sterna.importing.gromacs.topology import MoleculeType

Pair = tuple[int, int]  #: the smaller atom first


def edges_of(kind: MoleculeType) -> set[Pair]:
    """Pairs of atoms that a chemical bond joins."""
    return {
        (min(entry.atoms), max(entry.atoms))
        for entry in kind.entries
        if entry.section in ("bonds", "constraints", "polarization")
        and FUNCTIONS[entry.section][entry.function].is_edge
    }


def excluded_pairs(kind: MoleculeType) -> set[Pair]:
    """Returns pairs at most nrexcl bonds apart, and the pairs of `[ exclusions ]`."""
    neighbors: list[list[int]] = [[] for _ in kind.atoms]
    for first, second in edges_of(kind):
        neighbors[first].append(second)
        neighbors[second].append(first)
    found = set(kind.exclusions)
    for start in range(len(kind.atoms)):
        seen, front = {start}, [start]
        for _ in range(kind.nrexcl):
            front = list({other for atom in front for other in neighbors[atom]} - seen)
            if not front:
                break
            seen.update(front)
        found.update((start, other) for other in seen if other > start)
    return found
