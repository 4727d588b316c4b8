"""Pairs few bonds apart: LAMMPS's special_bonds as keys of molecules, or as lists of pairs."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import combinations_with_replacement
from typing import Any

import numpy

from sterna.importing.lammps.atoms import AtomTable
from sterna.importing.lammps.pair_rows import CHARGE_ENDS
from sterna.importing.lammps.pair_styles import PairOfTypes
from sterna.importing.lammps.state import SpecialBonds
from sterna.importing.system import Term, term

Pair = tuple[int, int]
_MOST = 3  # bonds apart

#: A pair that this part of the cutoff, or of the distance where switching begins, is enough for
#: stays within it: bonds stretch by less.
_SAFE = 0.8


@dataclass
class SpecialPairs:
    """The sections that replace special_bonds."""

    keys: dict[str, Any] = field(default_factory=dict)  #: keys of each `[[molecule]]`
    terms: list[Term] = field(default_factory=list)


@dataclass
class Neighbors:
    """Atoms by the fewest bonds between them, up to three, and how long these are."""

    bonds_apart: dict[Pair, int]
    path: dict[Pair, float]
    joined: list[list[int]]  #: for each atom, the atoms to which it is bonded

    def has_path_of_three(self, pair: Pair) -> bool:
        a, b = pair
        return any(
            c in self.joined[d] for c in self.joined[a] if c != b for d in self.joined[b] if d != a
        )


def neighbors(count: int, bonds: Iterable[Pair], table: AtomTable, box: numpy.ndarray) -> Neighbors:
    """Returns the neighbors of all atoms, from 0. Lengths are those of the start."""
    joined: list[list[int]] = [[] for _ in range(count)]
    lengths: dict[Pair, float] = {}
    inverse = numpy.linalg.inv(box)
    for a, b in bonds:
        if b not in joined[a]:
            joined[a].append(b)
            joined[b].append(a)
        d = table.positions[b] - table.positions[a]
        d = d - numpy.round(d @ inverse) @ box
        lengths[min(a, b), max(a, b)] = float(numpy.sqrt(d @ d))
    apart: dict[Pair, int] = {}
    path: dict[Pair, float] = {}
    for first in range(count):
        reached, front = {first: 0.0}, [first]
        for step in range(1, _MOST + 1):
            following = []
            for atom in front:
                for other in joined[atom]:
                    if other in reached:
                        continue
                    reached[other] = reached[atom] + lengths[min(atom, other), max(atom, other)]
                    following.append(other)
                    if first < other:
                        apart[first, other] = step
                        path[first, other] = reached[other]
            front = following
    return Neighbors(apart, path, joined)


def special_pairs(
    special: SpecialBonds,
    near: Neighbors,
    angles: Iterable[tuple[int, ...]],
    dihedrals: Iterable[tuple[int, ...]],
    table: AtomTable,
    charges: list[float],
    pair_of: Callable[[int, int], list[PairOfTypes]],
    truncation: str,
    is_plain: Callable[[PairOfTypes], bool],
    charge_end: tuple[str, float, float, float] | None,
) -> SpecialPairs:
    """`pair_of`: what acts between two types, from 1. `is_plain`: whether that is a Lennard-Jones
    pair that ends as the run's. `charge_end`: how charges end; None: they do not. Raises
    SternaError where Sterna has no counterpart."""
    of_lj, of_coulomb = special.lennard_jones, special.coulomb
    dihedrals = list(dihedrals)
    # LAMMPS counts the two angles of a dihedral, listed or not.
    ends = {
        2: {_ordered(a[0], a[2]) for a in angles}
        | {_ordered(d[k], d[k + 2]) for d in dihedrals for k in (0, 1)},
        3: {_ordered(d[0], d[3]) for d in dihedrals},
    }
    only = {2: special.angles_only, 3: special.dihedrals_only}

    def factors(pair: Pair, bonds: int) -> tuple[float, float]:
        if only.get(bonds) and pair not in ends[bonds]:
            # In a ring a pair may also be three bonds apart by another path.
            if bonds == 2 and near.has_path_of_three(pair):
                return factors(pair, 3)
            return 1.0, 1.0
        return of_lj[bonds - 1], of_coulomb[bonds - 1]

    kinds = {(a, b) for a, b in combinations_with_replacement(sorted(set(table.types)), 2)}
    otherwise = any(
        one.style.row.special != "all" or len(pair_of(a, b)) > 1
        for a, b in kinds
        for one in pair_of(a, b)
    )
    end = _End(charges, near, charge_end)
    if not special.angles_only and not special.dihedrals_only and not otherwise:
        known = _keys(of_lj, of_coulomb, truncation)
        if (
            known is not None
            and "coulomb_14" in known
            and any(
                bonds == _MOST and not end.is_product(pair, of_coulomb[2])
                for pair, bonds in near.bonds_apart.items()
            )
        ):
            known = None
        if known is not None and (
            not 0.0 < of_lj[2] < 1.0
            or all(
                _is_within(near.path[pair], pair_of(*(table.types[k] for k in pair)), is_plain)
                for pair, bonds in near.bonds_apart.items()
                if bonds == _MOST
            )
        ):
            return SpecialPairs(known)
    made = SpecialPairs({"excluded_bonds": 0})
    for pair, bonds in sorted(near.bonds_apart.items()):
        lj, coulomb = factors(pair, bonds)
        if lj == coulomb == 1.0:
            continue
        if lj == coulomb == 0.0:
            made.terms.append(term("exclusion", pair))
            continue
        made.terms.append(
            _scaled(
                special,
                pair,
                lj,
                end.keys(pair, coulomb),
                pair_of(*(table.types[k] for k in pair)),
                is_plain,
            )
        )
    return made


@dataclass
class _End:
    """The cutoff of charges, and the effect of special_bonds on pairs of them."""

    charges: list[float]
    near: Neighbors
    end: tuple[str, float, float, float] | None

    def _product(self, pair: Pair) -> float:
        return self.charges[pair[0]] * self.charges[pair[1]]

    def is_product(self, pair: Pair, factor: float) -> bool:
        """Whether the factor is one of 1/r at all distances that the pair may have."""
        if self.end is None or factor * self._product(pair) == 0.0:
            return True
        name, cutoff = self.end[:2]
        return CHARGE_ENDS[name].corrects_excluded and self.near.path[pair] < _SAFE * cutoff

    def keys(self, pair: Pair, factor: float) -> dict[str, float]:
        """Returns the keys of a special pair."""
        if self.is_product(pair, factor):
            return {"charge_product": factor * self._product(pair)}
        return {"charge_share": factor}


def _ordered(a: int, b: int) -> Pair:
    return (min(a, b), max(a, b))


def _is_within(
    length: float, pairs: list[PairOfTypes], is_plain: Callable[[PairOfTypes], bool]
) -> bool:
    """Whether a pair never comes to where its potential ends."""
    return all(
        is_plain(one) and (one.cutoff is None or length < _SAFE * one.cutoff) for one in pairs
    )


def _keys(
    lj: tuple[float, ...], coulomb: tuple[float, ...], truncation: str
) -> dict[str, Any] | None:
    """Keys of a molecule that say all of it, where there are such. Factors of pairs three bonds
    apart act at any distance in Sterna: the same as in LAMMPS where the potential is cut off only."""
    both = (*lj, *coulomb)
    for count in (0, 1, 2):
        expected = (*[0.0] * count, *[1.0] * (3 - count))
        if both == (*expected, *expected):
            return {"excluded_bonds": count}
    if set(lj[:2]) == set(coulomb[:2]) == {0.0} and (truncation == "truncated" or lj[2] == 0.0):
        if lj[2] == 1.0:
            return None  # Full pairs are cut off.
        return {"excluded_bonds": 3, "lennard_jones_14": lj[2], "coulomb_14": coulomb[2]}
    return None


def _scaled(
    special: SpecialBonds,
    pair: Pair,
    lj: float,
    of_charges: dict[str, float],
    acting: list[PairOfTypes],
    is_plain: Callable[[PairOfTypes], bool],
) -> Term:
    """Returns a pair with factors of its own, which has the cutoff of its types."""
    keys: dict[str, Any] = {"epsilon": 0.0, "sigma": 1.0}
    shares = {_share(special, lj, one) for one in acting}
    if len(shares) > 1:
        names = ", ".join(sorted(one.style.name for one in acting))
        special.command.fail(
            None,
            f"factors of special_bonds act in different ways on {names}, whose sum is not taken over",
        )
    share = next(iter(shares), 0.0)
    if share != 0.0 and len(acting) == 1 and is_plain(acting[0]):
        values = acting[0].potential[1]
        keys = {"epsilon": share * values["epsilon"], "sigma": values["sigma"]}
        if acting[0].cutoff is not None:
            keys["cutoff"] = acting[0].cutoff
    elif share != 0.0:
        keys = {"share": share}
    return term("special_pair", pair, **keys, **of_charges)


def _share(special: SpecialBonds, lj: float, acting: PairOfTypes) -> float:
    """Returns the share of one potential by a factor of special_bonds."""
    scaled = acting.style.row.special
    if scaled == "nothing":
        return 1.0
    if lj != 1.0 and scaled == "forces":
        special.command.fail(
            None,
            f"{acting.style.name} of LAMMPS scales forces by factors of special_bonds, but not "
            "energies, which is not taken over; expected 0 or 1, for both kinds of forces alike",
        )
    return lj
