"""Bonded terms, constraints, exclusions and 1-4 pairs of a topology of AMBER.

Source: https://ambermd.org/FileFormats.php and the AMBER manual; for files of CHAMBER M. F. Crowley,
M. J. Williamson and R. C. Walker, Int. J. Quantum Chem. 109, 3767 (2009). AMBER's constants have no
factor of 1/2.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

from sterna.importing.amber.extra_points import sites_of
from sterna.importing.amber.pairs import KILOCALORIE, Coefficients
from sterna.importing.amber.phases import rounded_phase
from sterna.importing.amber.prmtop import Prmtop, Section
from sterna.importing.lennard_jones import Powers
from sterna.importing.system import Term, term

ANGSTROM = 0.1  #: nm
#: The factor from kcal/mol/A^2 without a factor of 1/2 to kJ/mol/nm^2 with it.
_SPRING = 2.0 * KILOCALORIE / ANGSTROM**2
_MOST_MULTIPLICITY = 6
_SCEE, _SCNB = 1.2, 2.0  #: values for files without these sections

Pair = tuple[int, int]


@dataclass
class Pair14:
    """The interaction of two atoms at the ends of torsions."""

    powers: Powers
    charge_factor: float  #: factor of the product of their charges
    section: Section
    index: int  #: index of the torsion


@dataclass
class Terms:
    """The terms of all atoms, which are counted from 0; lengths in nm, energies in kJ/mol.

    Raises SternaError, with its place, at what Sterna does not have.
    """

    prmtop: Prmtop
    coefficients: Coefficients
    #: Bonds that keep their lengths: "none"; "hydrogen", "all", with which water is rigid; "h-bonds",
    #: "all-bonds" of an mdin file.
    constraints: str
    masses: list[float]
    bonded: list[Term] = field(default_factory=list)
    sites: list[Term] = field(default_factory=list)
    bonds: dict[Pair, float] = field(default_factory=dict)  #: lengths by atoms
    held: dict[Pair, float] = field(default_factory=dict)  #: constraints
    excluded: set[Pair] = field(default_factory=set)
    pairs_14: dict[Pair, Pair14] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._bonds()
        self.sites = sites_of(self.prmtop, self.masses, self.bonds)
        self._points = {one.atoms[0] for one in self.sites}
        self.bonded = [
            one for one in self.bonded if self._points.isdisjoint(one.atoms)
        ]  # AMBER takes out terms of extra points.
        self.held = {
            pair: length for pair, length in self.held.items() if self._points.isdisjoint(pair)
        }
        water = self._hold_water()
        self.bonded += self._angles(water)
        self._torsions()
        if self.prmtop.is_chamber:
            self._urey_bradley()
            self._impropers()
        self._cmaps()
        self._exclusions()

    # ---- lists

    def _lists(
        self, name: str, members: int, types: int, factor: int
    ) -> Iterator[tuple[Section, int, list[int], int]]:
        """Entries of atoms and a type, both from 0, and the index of their first number.

        `factor`: 3 where atoms are written as 3 times their number from 0, 1 where from 1. Signs are
        left to the caller: atoms are those of the absolute values.
        """
        section = self.prmtop.section(name)
        numbers = self.prmtop.integers(name)
        if len(numbers) % (members + 1) != 0:
            section.head.fail(
                1, f"{name} has {len(numbers)} values; expected a multiple of {members + 1}"
            )
        atoms_of_all = self.prmtop.pointers["NATOM"]
        for start in range(0, len(numbers), members + 1):
            atoms = []
            for k in range(members):
                number = numbers[start + k]
                is_signed = factor == 3 and members == 4 and k >= 2
                atom = abs(number) // 3 if factor == 3 else number - 1
                if (number < 0 and not is_signed) or not 0 <= atom < atoms_of_all or (
                    factor == 3 and number % 3 != 0
                ):  # fmt: skip
                    most = 3 * atoms_of_all - 3 if factor == 3 else atoms_of_all
                    kind = "a multiple of 3 from 0" if factor == 3 else "a number from 1"
                    section.fail_at(
                        start + k, f"{name} has the atom {number}; expected {kind} to {most}"
                    )
                if atom in atoms:
                    section.fail_at(start + k, f"{name} has an entry with the same atom twice")
                atoms.append(atom)
            kind_of = numbers[start + members]
            if not 1 <= kind_of <= types:
                section.fail_at(
                    start + members, f"{name} has the type {kind_of}; expected 1 to {types}"
                )
            yield section, start, atoms, kind_of - 1

    def _signs(self, name: str, start: int) -> tuple[bool, bool]:
        """Whether the third and the fourth atom of a torsion are negative."""
        values = self.prmtop.section(name).values
        return values[start + 2].startswith("-"), values[start + 3].startswith("-")

    # ---- bonds and angles

    def _bonds(self) -> None:
        stiffness = self.prmtop.numbers("BOND_FORCE_CONSTANT")
        lengths = self.prmtop.numbers("BOND_EQUIL_VALUE")
        for name, which in (
            ("BONDS_INC_HYDROGEN", ("hydrogen", "all", "h-bonds", "all-bonds")),
            ("BONDS_WITHOUT_HYDROGEN", ("all", "all-bonds")),
        ):
            for section, start, atoms, kind in self._lists(name, 2, len(lengths), 3):
                pair = (min(atoms), max(atoms))
                length = ANGSTROM * lengths[kind]
                if length <= 0.0 or stiffness[kind] < 0.0:
                    section.fail_at(
                        start + 2, f"bonds of this type have K = {stiffness[kind]:g} and r0 = "
                        f"{lengths[kind]:g}; expected r0 above 0 and K of at least 0",
                    )  # fmt: skip
                self.bonds[pair] = length
                if self.constraints in which:
                    before = self.held.setdefault(pair, length)
                    if before != length:
                        section.fail_at(start, "a second bond of these atoms with another length")
                else:
                    self.bonded.append(
                        term(
                            "bond", pair, potential="harmonic",
                            stiffness=_SPRING * stiffness[kind], r0=length,
                        )
                    )  # fmt: skip

    def _hold_water(self) -> set[tuple[int, frozenset[int]]]:
        """Makes water rigid whose bonds keep their lengths and whose hydrogen atoms have no bond.

        Returns the angles that do not change any more, the middle atom first.
        """
        if self.constraints not in ("hydrogen", "all"):
            return set()
        angles = {}
        values = self.prmtop.numbers("ANGLE_EQUIL_VALUE")
        for _, _, (first, middle, last), kind in self._lists(
            "ANGLES_INC_HYDROGEN", 3, len(values), 3
        ):
            angles[middle, frozenset((first, last))] = values[kind]
        joined: dict[int, set[int]] = {}
        for first, second in self.bonds:
            joined.setdefault(first, set()).add(second)
            joined.setdefault(second, set()).add(first)
        rigid = set()
        for (oxygen, ends), angle in angles.items():
            first, second = sorted(ends)
            is_water = (
                15.9 < self.masses[oxygen] < 16.1
                and joined.get(oxygen, set()) - self._points == ends
                and all(joined[k] <= {oxygen, *ends} and self.masses[k] < 4.5 for k in ends)
            )
            if not is_water:
                continue
            a, b = (self.held.get((min(oxygen, k), max(oxygen, k))) for k in (first, second))
            if a is None or b is None or (first, second) in self.held:
                continue
            squared = a * a + b * b - 2.0 * a * b * math.cos(angle)
            self.held[first, second] = math.sqrt(squared)
            rigid.add((oxygen, ends))
        return rigid

    def _angles(self, rigid: set[tuple[int, frozenset[int]]]) -> Iterator[Term]:
        stiffness = self.prmtop.numbers("ANGLE_FORCE_CONSTANT")
        angles = self.prmtop.numbers("ANGLE_EQUIL_VALUE")
        for name in ("ANGLES_INC_HYDROGEN", "ANGLES_WITHOUT_HYDROGEN"):
            for section, start, atoms, kind in self._lists(name, 3, len(angles), 3):
                if stiffness[kind] == 0.0 or not self._points.isdisjoint(atoms):
                    continue
                angle = math.degrees(angles[kind])
                if not 0.0 <= angle <= 180.0 + 1e-4 or stiffness[kind] < 0.0:
                    section.fail_at(
                        start + 3, f"angles of this type have K = {stiffness[kind]:g} and "
                        f"{angles[kind]:g} rad; expected an angle up to pi and K of at least 0",
                    )  # fmt: skip
                if (atoms[1], frozenset((atoms[0], atoms[2]))) in rigid:
                    continue
                yield term(
                    "angle", tuple(atoms), potential="harmonic",
                    bending_stiffness=2.0 * KILOCALORIE * stiffness[kind], theta0=min(angle, 180.0),
                )  # fmt: skip

    # ---- torsions

    def _torsions(self) -> None:
        prmtop = self.prmtop
        amplitudes = prmtop.numbers("DIHEDRAL_FORCE_CONSTANT")
        multiplicities = prmtop.numbers("DIHEDRAL_PERIODICITY")
        phases = prmtop.numbers("DIHEDRAL_PHASE")
        scales = []
        for name, preset in (("SCEE_SCALE_FACTOR", _SCEE), ("SCNB_SCALE_FACTOR", _SCNB)):
            preset = 1.0 if prmtop.is_chamber else preset
            known = prmtop.has(name)
            scales.append(prmtop.numbers(name) if known else [preset] * len(phases))
        for name in ("DIHEDRALS_INC_HYDROGEN", "DIHEDRALS_WITHOUT_HYDROGEN"):
            for section, start, atoms, kind in self._lists(name, 4, len(phases), 3):
                for k in (2, 3):
                    if atoms[k] == 0:
                        section.fail_at(
                            start + k, "the first atom stands where a sign tells of the 1-4 pair, and 0 "
                            "has none; expected the torsion in reverse order",
                        )  # fmt: skip
                has_no_pair, is_improper = self._signs(name, start)
                if not has_no_pair and not is_improper:
                    self._add_14(section, start, atoms, scales[0][kind], scales[1][kind])
                if amplitudes[kind] == 0.0 or not self._points.isdisjoint(atoms):
                    continue
                multiplicity = _multiplicity(prmtop, kind, multiplicities[kind], phases[kind])
                # LEaP orders impropers so that their third atom is the central one.
                is_chain = all(
                    (min(pair), max(pair)) in self.bonds
                    for pair in zip(atoms, atoms[1:], strict=False)
                )
                self.bonded.append(
                    term(
                        "torsion" if is_chain else "improper", tuple(atoms), potential="periodic",
                        amplitude=KILOCALORIE * amplitudes[kind], multiplicity=multiplicity,
                        phase=_phase(phases[kind]),
                    )
                )  # fmt: skip

    def _add_14(
        self, section: Section, start: int, atoms: list[int], scee: float, scnb: float
    ) -> None:
        first, last = atoms[0], atoms[3]
        kinds = self.coefficients.types
        powers = self.coefficients.powers_of_14(kinds[first], kinds[last])
        if scee < 0.0 or scnb < 0.0:
            section.fail_at(start + 4, "torsions of this type have a SCEE or SCNB below 0")
        # AMBER takes a factor of 0 as no interaction.
        scaled = Powers(powers.c12 / scnb, powers.c6 / scnb) if scnb > 0.0 else Powers()
        factor = 1.0 / scee if scee > 0.0 else 0.0
        pair = (min(first, last), max(first, last))
        before = self.pairs_14.get(pair)
        if before is not None:
            # AMBER computes the pair once for each such torsion.
            scaled += before.powers
            factor += before.charge_factor
        self.pairs_14[pair] = Pair14(scaled, factor, section, start)

    def _urey_bradley(self) -> None:
        prmtop = self.prmtop
        if not prmtop.has("CHARMM_UREY_BRADLEY"):
            return
        stiffness = prmtop.numbers("CHARMM_UREY_BRADLEY_FORCE_CONSTANT")
        lengths = prmtop.numbers("CHARMM_UREY_BRADLEY_EQUIL_VALUE")
        (count, types) = _counts(prmtop, "CHARMM_UREY_BRADLEY_COUNT", 2)
        prmtop.expect("CHARMM_UREY_BRADLEY", 3 * count, "CHARMM_UREY_BRADLEY_COUNT")
        for name in ("CHARMM_UREY_BRADLEY_FORCE_CONSTANT", "CHARMM_UREY_BRADLEY_EQUIL_VALUE"):
            prmtop.expect(name, types, "CHARMM_UREY_BRADLEY_COUNT")
        joined: dict[int, set[int]] = {}
        for first, second in self.bonds:
            joined.setdefault(first, set()).add(second)
            joined.setdefault(second, set()).add(first)
        for section, start, (first, second), kind in self._lists(
            "CHARMM_UREY_BRADLEY", 2, types, 1
        ):
            if stiffness[kind] == 0.0 or (min(first, second), max(first, second)) in self.held:
                continue
            middle = min(joined.get(first, set()) & joined.get(second, set()), default=None)
            if middle is None or lengths[kind] <= 0.0 or stiffness[kind] < 0.0:
                section.fail_at(
                    start, "a Urey-Bradley term of atoms that no third one joins, or with r0 or K "
                    "below 0",
                )  # fmt: skip
            self.bonded.append(
                term(
                    "angle", (first, middle, second), potential="urey_bradley",
                    stiffness=_SPRING * stiffness[kind], r0=ANGSTROM * lengths[kind],
                )
            )  # fmt: skip

    def _impropers(self) -> None:
        prmtop = self.prmtop
        if not prmtop.has("CHARMM_IMPROPERS"):
            return
        stiffness = prmtop.numbers("CHARMM_IMPROPER_FORCE_CONSTANT")
        phases = prmtop.numbers("CHARMM_IMPROPER_PHASE")
        (count,) = _counts(prmtop, "CHARMM_NUM_IMPROPERS", 1)
        (types,) = _counts(prmtop, "CHARMM_NUM_IMPR_TYPES", 1)
        prmtop.expect("CHARMM_IMPROPERS", 5 * count, "CHARMM_NUM_IMPROPERS")
        for name in ("CHARMM_IMPROPER_FORCE_CONSTANT", "CHARMM_IMPROPER_PHASE"):
            prmtop.expect(name, types, "CHARMM_NUM_IMPR_TYPES")
        for section, start, atoms, kind in self._lists("CHARMM_IMPROPERS", 4, types, 1):
            if stiffness[kind] == 0.0:
                continue
            if stiffness[kind] < 0.0:
                section.fail_at(start + 4, f"impropers of this type have K = {stiffness[kind]:g}")
            self.bonded.append(
                term(
                    "improper", tuple(atoms), potential="harmonic",
                    bending_stiffness=2.0 * KILOCALORIE * stiffness[kind],
                    phi0=math.remainder(math.degrees(phases[kind]), 360.0),
                )
            )  # fmt: skip

    def _cmaps(self) -> None:
        prmtop = self.prmtop
        for begin in ("", "CHARMM_"):
            if not prmtop.has(f"{begin}CMAP_COUNT"):
                for name in prmtop.sections:
                    if name.startswith(f"{begin}CMAP_") and name != f"{begin}CMAP_COMMENT":
                        prmtop.section(f"{begin}CMAP_COUNT")
                continue
            count, types = _counts(prmtop, f"{begin}CMAP_COUNT", 2)
            sizes = prmtop.integers(f"{begin}CMAP_RESOLUTION")
            prmtop.expect(f"{begin}CMAP_RESOLUTION", types, f"{begin}CMAP_COUNT")
            prmtop.expect(f"{begin}CMAP_INDEX", 6 * count, f"{begin}CMAP_COUNT")
            tables = []
            for kind, size in enumerate(sizes):
                name = f"{begin}CMAP_PARAMETER_{kind + 1:02d}"
                prmtop.expect(name, size * size, f"{begin}CMAP_RESOLUTION")
                tables.append(tuple(KILOCALORIE * value for value in prmtop.numbers(name)))
            for _, _, atoms, kind in self._lists(f"{begin}CMAP_INDEX", 5, types, 1):
                self.bonded.append(
                    term("cmap", tuple(atoms), potential="bicubic", energy=tables[kind])
                )

    # ---- pairs

    def _exclusions(self) -> None:
        prmtop = self.prmtop
        counts = prmtop.integers("NUMBER_EXCLUDED_ATOMS")
        listed = prmtop.integers("EXCLUDED_ATOMS_LIST")
        section = prmtop.section("EXCLUDED_ATOMS_LIST")
        atoms = prmtop.pointers["NATOM"]
        place = 0
        for atom, count in enumerate(counts):
            if count < 0 or place + count > len(listed):
                prmtop.section("NUMBER_EXCLUDED_ATOMS").fail_at(
                    atom, f"NUMBER_EXCLUDED_ATOMS has {count}; EXCLUDED_ATOMS_LIST has "
                    f"{len(listed) - place} more",
                )  # fmt: skip
            for k in range(place, place + count):
                number = listed[k]
                # An atom without partners has one 0.
                if number == 0:
                    continue
                if not 1 <= number <= atoms or number - 1 == atom:
                    section.fail_at(
                        k, f"the atom {atom + 1} excludes {number}; expected another one of 1 to "
                        f"{atoms}",
                    )  # fmt: skip
                self.excluded.add((min(atom, number - 1), max(atom, number - 1)))
            place += count
        if place != len(listed):
            section.head.fail(
                1, f"EXCLUDED_ATOMS_LIST has {len(listed)} values; expected {place}, by "
                "NUMBER_EXCLUDED_ATOMS",
            )  # fmt: skip
        # AMBER excludes an extra point from the atoms that define it, and from the other point of
        # its oxygen.
        of_oxygen: dict[int, set[int]] = {}
        for one in self.sites:
            of_oxygen.setdefault(one.atoms[1], set()).update(one.atoms)
        for together in of_oxygen.values():
            for point in together & self._points:
                self.excluded |= {(min(point, k), max(point, k)) for k in together - {point}}
        for pair, found in self.pairs_14.items():
            if pair not in self.excluded:
                found.section.fail_at(
                    found.index, f"the atoms {pair[0] + 1} and {pair[1] + 1} are a 1-4 pair by this "
                    "torsion, but are not in EXCLUDED_ATOMS_LIST: AMBER would count them twice",
                )  # fmt: skip


def _counts(prmtop: Prmtop, name: str, count: int) -> list[int]:
    prmtop.expect(name, count, "the format of AMBER")
    numbers = prmtop.integers(name)
    for k, number in enumerate(numbers):
        if number < 0:
            prmtop.section(name).fail_at(k, f"{name} has {number}; expected at least 0")
    return numbers


def _multiplicity(prmtop: Prmtop, kind: int, value: float, phase: float) -> int:
    number = round(value)
    # Older files have a minus sign where further terms follow; of these phases it changes nothing.
    if number < 0 and abs(math.sin(rounded_phase(phase))) < 1e-3:
        value, number = -value, -number
    if abs(value - number) > 1e-3 or not 1 <= number <= _MOST_MULTIPLICITY:
        prmtop.section("DIHEDRAL_PERIODICITY").fail_at(
            kind, f"DIHEDRAL_PERIODICITY has {value:g}; expected an integer of 1 to "
            f"{_MOST_MULTIPLICITY} of torsions with an energy",
        )  # fmt: skip
    return number


def _phase(radians: float) -> float:
    """Returns the phase in degrees, -180 to 180."""
    return math.remainder(math.degrees(rounded_phase(radians)), 360.0)
