"""Bonded terms, constraints, exclusions and 1-4 pairs of a PSF with its parameters.

Source: CHARMM's documentation, parmfile.info, struct.info and lonepair.info; B. R. Brooks et al.,
J. Comput. Chem. 30, 1545 (2009). CHARMM's constants have no factor of 1/2.
"""

import itertools
import math
from dataclasses import dataclass, field
from typing import Any

from sterna.importing.charmm.parameters import Entry as Parameter
from sterna.importing.charmm.parameters import Parameters, fail_missing
from sterna.importing.charmm.psf import Entry, LonePair, Psf
from sterna.importing.hydrogen_mass import HEAVIEST_HYDROGEN
from sterna.importing.lennard_jones import Powers
from sterna.importing.system import Term, term

KILOCALORIE = 4.184  #: kJ
ANGSTROM = 0.1  #: nm
#: The factor from kcal/mol/A^2 without a factor of 1/2 to kJ/mol/nm^2 with it.
SPRING = 2.0 * KILOCALORIE / ANGSTROM**2
_OXYGEN = (15.9, 16.1)  #: u

Pair = tuple[int, int]


def pair_of(first: int, second: int) -> Pair:
    return min(first, second), max(first, second)


@dataclass
class Terms:
    """The terms of all atoms, which are counted from 0; lengths in nm, energies in kJ/mol.

    Raises SternaError, with its place, at what Sterna does not have or has no parameters.
    """

    psf: Psf
    parameters: Parameters
    types: list[str]  #: type of each atom
    constraints: str  #: "none"; "hydrogen", "all", with which water is rigid; "water"
    terms: list[Term] = field(default_factory=list)
    bonds: set[Pair] = field(default_factory=set)  #: bonds without those of lone pairs
    held: dict[Pair, float] = field(default_factory=dict)
    excluded: set[Pair] = field(default_factory=set)
    pairs_14: set[Pair] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._sites = {one.site: one for one in self.psf.lone_pairs}
        self._neighbors: dict[int, set[int]] = {}
        entries = [
            one for one in self.psf.lists["NBOND"] if self._sites.keys().isdisjoint(one.atoms)
        ]
        for one in entries:
            first, second = one.atoms
            self.bonds.add(pair_of(first, second))
            self._neighbors.setdefault(first, set()).add(second)
            self._neighbors.setdefault(second, set()).add(first)
        self._waters = self._find_water()
        self._bonds(entries)
        self._angles()
        self._dihedrals()
        self._impropers()
        self._cmaps()
        self.terms += [
            term("constraint", pair, distance=length) for pair, length in self.held.items()
        ]
        self._lone_pairs()
        self._pairs()

    def _kinds(self, atoms: tuple[int, ...]) -> tuple[str, ...]:
        return tuple(self.types[atom] for atom in atoms)

    def _of(self, found: Parameter | None, entry: Entry, what: str) -> Parameter:
        if found is None:
            fail_missing(entry.line, entry.word, self.parameters, what, self._kinds(entry.atoms))
        return found

    def _is_hydrogen(self, atom: int) -> bool:
        return 0.0 < self.psf.atoms[atom].mass < HEAVIEST_HYDROGEN

    def _find_water(self) -> set[int]:
        """Oxygen atoms with two hydrogen atoms and no other bonds."""
        found = set()
        for atom, around in self._neighbors.items():
            if not _OXYGEN[0] < self.psf.atoms[atom].mass < _OXYGEN[1] or len(around) != 2:
                continue
            if all(self._is_hydrogen(k) and self._neighbors[k] <= {atom, *around} for k in around):
                found.add(atom)
        return found

    # ---- bonds and angles

    def _is_held(self, first: int, second: int) -> bool:
        if self.constraints == "all":
            return True
        if self.constraints == "water":
            around = self._neighbors[first] | self._neighbors[second] | {first, second}
            return not self._waters.isdisjoint(around) and len(around) == 3
        is_hydrogen = self._is_hydrogen(first) or self._is_hydrogen(second)
        return self.constraints == "hydrogen" and is_hydrogen

    def _bonds(self, entries: list[Entry]) -> None:
        for one in entries:
            found = self._of(self.parameters.bond(self._kinds(one.atoms)), one, "bond")
            stiffness, length = found.values
            if stiffness < 0.0 or length <= 0.0:
                found.line.fail(
                    2, f"a bond has K = {stiffness:g} and b0 = {length:g}; expected K of at least 0 and "
                    "b0 above 0",
                )  # fmt: skip
            pair = pair_of(*one.atoms)
            if self._is_held(*pair):
                self.held[pair] = ANGSTROM * length
            elif stiffness > 0.0:
                self.terms.append(
                    term(
                        "bond", pair, potential="harmonic", stiffness=SPRING * stiffness,
                        r0=ANGSTROM * length,
                    )
                )  # fmt: skip

    def _angles(self) -> None:
        for one in self.psf.lists["NTHETA"]:
            if not self._sites.keys().isdisjoint(one.atoms):
                continue
            found = self._of(self.parameters.angle(self._kinds(one.atoms)), one, "angle")
            stiffness, angle = found.values[:2]
            if stiffness < 0.0 or not 0.0 <= angle <= 180.0:
                found.line.fail(
                    3, f"an angle has K = {stiffness:g} and theta0 = {angle:g}; expected K of at least 0 "
                    "and 0 to 180 degrees",
                )  # fmt: skip
            first, middle, last = one.atoms
            if self._holds(first, middle, last, angle):
                continue
            if stiffness > 0.0:
                self.terms.append(
                    term(
                        "angle", one.atoms, potential="harmonic",
                        bending_stiffness=2.0 * KILOCALORIE * stiffness, theta0=angle,
                    )
                )  # fmt: skip
            if len(found.values) == 4 and found.values[2] != 0.0:
                spring, length = found.values[2:]
                if spring < 0.0 or length <= 0.0:
                    found.line.fail(5, "a Urey-Bradley term with K or S0 below 0")
                self.terms.append(
                    term(
                        "angle", one.atoms, potential="urey_bradley", stiffness=SPRING * spring,
                        r0=ANGSTROM * length,
                    )
                )  # fmt: skip

    def _holds(self, first: int, middle: int, last: int, angle: float) -> bool:
        """Whether constraints hold the angle of water; makes the third one where it is missing."""
        if middle not in self._waters:
            return False
        legs = [self.held.get(pair_of(middle, k)) for k in (first, last)]
        if None in legs:
            return False
        a, b = legs
        squared = a * a + b * b - 2.0 * a * b * math.cos(math.radians(angle))
        self.held.setdefault(pair_of(first, last), math.sqrt(squared))
        return True

    # ---- dihedrals

    def _dihedrals(self) -> None:
        seen: set[tuple[int, ...]] = set()
        for one in self.psf.lists["NPHI"]:
            if not self._sites.keys().isdisjoint(one.atoms):
                continue
            if one.atoms in seen or one.atoms[::-1] in seen:
                one.fail(
                    "a second dihedral of the same atoms, which CHARMM counts twice and NAMD once; "
                    "expected each one once, as all multiplicities of its types apply"
                )
            seen.add(one.atoms)
            found = self.parameters.dihedral(self._kinds(one.atoms))
            if found is None:
                self._of(None, one, "dihedral")
            assert found is not None
            for each in found:
                amplitude, multiplicity, phase = each.values
                if amplitude == 0.0:
                    continue
                if multiplicity == 0.0:
                    self._harmonic(one, each, amplitude, phase)
                else:
                    self._periodic("torsion", one, amplitude, multiplicity, phase)

    def _impropers(self) -> None:
        for one in self.psf.lists["NIMPHI"]:
            found = self._of(self.parameters.improper(self._kinds(one.atoms)), one, "improper")
            amplitude = found.values[0]
            # Some files leave out the multiplicity, which is 0.
            multiplicity = found.values[1] if len(found.values) == 3 else 0.0
            if multiplicity != int(multiplicity) or not 0 <= multiplicity <= 6:
                found.line.fail(
                    5, f"the multiplicity is {multiplicity:g}; expected an integer of 0 to 6"
                )
            if amplitude == 0.0:
                continue
            if multiplicity == 0.0:
                self._harmonic(one, found, amplitude, found.values[-1])
            else:
                self._periodic("improper", one, amplitude, multiplicity, found.values[-1])

    def _harmonic(self, one: Entry, found: Parameter, amplitude: float, phase: float) -> None:
        if amplitude < 0.0:
            found.line.fail(4, f"an improper has K = {amplitude:g}; expected at least 0")
        self.terms.append(
            term(
                "improper", one.atoms, potential="harmonic",
                bending_stiffness=2.0 * KILOCALORIE * amplitude, phi0=math.remainder(phase, 360.0),
            )
        )  # fmt: skip

    def _periodic(
        self, section: str, one: Entry, amplitude: float, multiplicity: float, phase: float
    ) -> None:
        self.terms.append(
            term(
                section, one.atoms, potential="periodic", amplitude=KILOCALORIE * amplitude,
                multiplicity=int(multiplicity), phase=math.remainder(phase, 360.0),
            )
        )  # fmt: skip

    def _cmaps(self) -> None:
        for one in self.psf.lists["NCRTERM"]:
            phi, psi = one.atoms[:4], one.atoms[4:]
            if phi[1:] != psi[:3] or len({*phi, *psi}) != 5:
                one.fail("expected a CMAP of two dihedrals that share three atoms")
            types = self._kinds(one.atoms)
            found = self.parameters.cmaps.get(types)
            if found is None:
                # Either dihedral may stand in reverse order.
                for first, second in itertools.product((1, -1), repeat=2):
                    found = found or self.parameters.cmaps.get(
                        types[:4][::first] + types[4:][::second]
                    )
            found = self._of(found, one, "CMAP")
            energy = tuple(KILOCALORIE * value for value in found.values)
            self.terms.append(term("cmap", (*phi, psi[3]), potential="bicubic", energy=energy))

    # ---- lone pairs

    def _lone_pairs(self) -> None:
        for one in self.psf.lone_pairs:
            if self.psf.atoms[one.site].mass != 0.0:
                one.line.fail(None, f"the lone pair {one.site + 1} has a mass; expected 0")
            if not self._sites.keys().isdisjoint(one.hosts):
                one.line.fail(None, "a lone pair of another lone pair is not taken over")
            if one.distance == 0.0:
                one.line.fail(3, "a lone pair at the place of its host; expected a distance")
            atoms, values = _site_of(one)
            self.terms.append(term("virtual_site", atoms, **values))

    # ---- pairs

    def _pairs(self) -> None:
        """Atoms up to two bonds apart do not interact; three bonds apart they are 1-4 pairs."""
        by_graph: set[Pair] = set(self.bonds)
        for around in self._neighbors.values():
            by_graph |= {pair_of(*ends) for ends in itertools.combinations(sorted(around), 2)}
        apart = set()
        for first, second in self.bonds:
            for a in self._neighbors[first] - {second}:
                apart |= {pair_of(a, d) for d in self._neighbors[second] - {first} if d != a}
        self.pairs_14 = apart - by_graph
        # A lone pair has the exclusions of its host.
        carried: dict[int, list[int]] = {}
        for one in self.psf.lone_pairs:
            carried.setdefault(one.hosts[0], []).append(one.site)
        self.excluded = set(by_graph)
        for first, second in by_graph:
            for a in (first, *carried.get(first, ())):
                self.excluded |= {pair_of(a, b) for b in (second, *carried.get(second, ()))}
        for host, sites in carried.items():
            self.excluded |= {pair_of(*ends) for ends in itertools.combinations((host, *sites), 2)}
        for one in self.psf.lone_pairs:
            self.excluded |= {pair_of(one.site, host) for host in one.hosts}
        for one in self.psf.excluded:
            self.excluded.add(pair_of(*one.atoms))
        self.pairs_14 -= self.excluded


def _site_of(one: LonePair) -> tuple[tuple[int, ...], dict[str, Any]]:
    """Atoms and keys of a virtual site."""
    distance = ANGSTROM * one.distance
    if len(one.hosts) == 2:
        if one.angle != 0.0:
            one.line.fail(4, "a part of the hosts' distance (SCALe) is not taken over; expected 0")
        return (one.site, *one.hosts), {"kind": "2fd", "distance": -distance}
    first, second, third = one.hosts
    # Below 0 it is a bisector: along the middle of the two other hosts.
    along = (-1.0, 0.0, 1.0) if distance > 0.0 else (-1.0, 0.5, 0.5)
    angle, turn = math.radians(one.angle), math.radians(180.0 - one.dihedral)
    place = (
        math.cos(angle), math.sin(angle) * math.cos(turn), math.sin(angle) * math.sin(turn),
    )  # fmt: skip
    return (one.site, first, third, second), {
        "kind": "local",
        "origin_weights": (1.0, 0.0, 0.0),
        "x_weights": along,
        "y_weights": (0.0, -1.0, 1.0),
        "position": tuple(0.0 if abs(value) < 1e-10 else abs(distance) * value for value in place),
    }


def special_powers(parameters: Parameters, first: str, second: str, is_14: bool) -> Powers:
    """Returns the powers of two types, in kJ/mol and nm, with the parameters of 1-4 pairs if there
    are any.
    """
    radius, depth = rmin_and_depth(parameters, first, second, is_14)
    c6 = 2.0 * depth * radius**6
    return Powers(0.5 * c6 * radius**6, c6)


def rmin_and_depth(
    parameters: Parameters, first: str, second: str, is_14: bool
) -> tuple[float, float]:
    """Distance of the minimum in nm and its depth in kJ/mol."""
    key = (first, second)
    found = parameters.nbfix.get(key) or parameters.nbfix.get(key[::-1])
    if found is not None:
        # Without parameters of their own, 1-4 pairs take those of all other pairs.
        depth, radius = found.values[2:] if is_14 and len(found.values) == 4 else found.values[:2]
        return ANGSTROM * radius, KILOCALORIE * abs(depth)
    depths, radii = [], []
    for kind in key:
        values = parameters.nonbonded[kind].values
        _, depth, radius = values[3:] if is_14 and len(values) == 6 else values[:3]
        depths.append(abs(depth))
        radii.append(radius)
    mixed = 2.0 * math.sqrt(radii[0] * radii[1]) if parameters.is_geometric else sum(radii)
    return ANGSTROM * mixed, KILOCALORIE * math.sqrt(depths[0] * depths[1])
