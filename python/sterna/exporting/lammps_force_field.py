"""The force field of a run as LAMMPS has it: coefficients, what is bonded, and the input script.

What LAMMPS has no style for is refused by its name. LAMMPS finds the pairs that bonds exclude by
itself; whether these are the pairs that Sterna excludes is compared pair by pair.
"""

import itertools
import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from sterna.errors import SternaError
from sterna.exporting.lammps_terms import TERMS, Coefficients
from sterna.exporting.model import (
    LIGHTER_IS_HYDROGEN,
    PairParameters,
    atom_lists,
    bond_distances,
    ordered,
    whole_molecule,
)
from sterna.exporting.quantities import CHARGE, ENERGY, LENGTH, Quantities
from sterna.support.mixing import RULES

KINDS = ("bond", "angle", "dihedral", "improper")
_SECTIONS = ("bond", "angle", "torsion", "improper")
#: Rules of mixing that LAMMPS has.
_MIX = {
    "lorentz_berthelot": "arithmetic",
    "geometric": "geometric",
    "waldman_hagler": "sixthpower",
}
_FAR = 3  # bonds: LAMMPS has factors for pairs up to these
_ALIKE = 1e-6  # relative, of factors


@dataclass
class _Kind:
    """A [[molecule]]: its terms by kind, as types and atoms from 0."""

    name: str
    charges: list[float]
    types: list[str]
    terms: dict[str, list[tuple[int, tuple[int, ...]]]]
    bonds: set[tuple[int, int]]  #: bonds of LAMMPS, from which its exclusions follow


@dataclass
class ForceField:
    """The force field of a run. `types` are numbered from 1 in the order in which they were met."""

    sections: dict[str, Any]
    folders: list[Path]
    quantities: Quantities
    masses: dict[str, float]
    types: dict[str, dict[Coefficients | tuple, int]] = field(
        default_factory=lambda: {kind: {} for kind in KINDS}
    )
    rigid: dict[str, set[int]] = field(default_factory=lambda: {kind: set() for kind in KINDS})
    kinds: list[_Kind] = field(default_factory=list)
    #: factors of 1-4 pairs
    factors: list[float | None] = field(default_factory=lambda: [None, None])

    def __post_init__(self) -> None:
        self._refuse_other_potentials()
        self.given = {one["name"]: one for one in self.sections.get("type", [])}
        self.pair_parameters = PairParameters(self.sections, self.quantities)
        molecules = [whole_molecule(m, self.folders) for m in self.sections.get("molecule", [])]
        self.kinds = [self._kind(molecule) for molecule in molecules]
        # If no pair gives the factor, it is that of the molecules.
        for k, key in enumerate(("lennard_jones_14", "coulomb_14")):
            if self.factors[k] is None:
                self.factors[k] = max((float(m.get(key, 0.0)) for m in molecules), default=0.0)

    # ---- pairs of types

    def _refuse_other_potentials(self) -> None:
        interaction = self.sections.get("interaction", {})
        if interaction.get("potential", "lennard_jones") != "lennard_jones":
            _refuse(f"[interaction] potential = {interaction['potential']!r}")
        for pair in self.sections.get("pair", []):
            if pair.get("potential", "lennard_jones") != "lennard_jones":
                _refuse(f"[[pair]] of {pair['first']} and {pair['second']}: {pair['potential']!r}")
            for key in ("cutoff", "truncation", "switch_start"):
                if key in pair:
                    _refuse(f"[[pair]] of {pair['first']} and {pair['second']}: {key} of its own")
            if pair.get("adds", False):
                _refuse(f"[[pair]] of {pair['first']} and {pair['second']}: a sum of potentials")
        if interaction.get("tail_correction", "none") == "planar":
            _refuse("[interaction] tail_correction = 'planar'")
        charges = self.sections.get("electrostatics", {})
        if charges.get("kind", "none") not in ("none", "fmm", "ewald"):
            _refuse(f"[electrostatics] kind = {charges['kind']!r}")

    @property
    def has_charges(self) -> bool:
        """Whether charges act."""
        return "electrostatics" in self.sections

    # ---- molecules

    def _kind(self, molecule: dict[str, Any]) -> _Kind:
        name = molecule["name"]
        if "virtual_site" in molecule:
            _refuse(f"[[molecule.virtual_site]] of {name}")
        if "cmap" in molecule:
            _refuse(f"[[molecule.cmap]] of {name}")
        atoms = molecule["atom"]
        types = [atom["type"] for atom in atoms]
        charges = [
            self.quantities.number(
                atom.get("charge", self.given[atom["type"]].get("charge", 0.0)), CHARGE
            )
            for atom in atoms
        ]
        made = _Kind(name, charges, types, {kind: [] for kind in KINDS}, set())
        for section in _SECTIONS:
            for table in molecule.get(section, []):
                self._add(made, section, table, molecule.get("constrained_bonds", "none"))
        made.terms["angle"] = self._joined_angles(made.terms["angle"])
        self._add_constraints(made, molecule)
        self._compare_pairs(made, molecule)
        return made

    def _joined_angles(self, terms: list) -> list[tuple[int, tuple[int, ...]]]:
        """Joins an angle and a spring between the same atoms into one term of the style charmm."""
        coefficients = {number: key for key, number in self.types["angle"].items()}
        springs = {atoms: n for n, atoms in terms if coefficients[n][0] == "charmm"}
        found = []
        for number, atoms in terms:
            spring = springs.get(atoms, springs.get(atoms[::-1]))
            if coefficients[number][0] == "harmonic" and spring is not None:
                both = (*coefficients[number][1], *coefficients[spring][1][2:])
                found.append((self._type("angle", ("charmm", both)), atoms))
                springs.pop(atoms, None)
                springs.pop(atoms[::-1], None)
            elif coefficients[number][0] == "harmonic":
                found.append((number, atoms))
        return found + [(number, atoms) for atoms, number in springs.items()]

    def _type(self, kind: str, coefficients: Coefficients, is_rigid: bool = False) -> int:
        numbers = self.types[kind]
        number = numbers.setdefault((*coefficients, is_rigid), len(numbers) + 1)
        if is_rigid:
            self.rigid[kind].add(number)
        return number

    def _add(self, made: _Kind, section: str, table: dict, constrained: str) -> None:
        potential = table["potential"]
        if (section, potential) not in TERMS:
            _refuse(f"[[molecule.{section}]] of {made.name}: {potential!r}")
        kind, convert = TERMS[section, potential]
        try:
            coefficients = convert(table, self.quantities)
        except SternaError as error:
            _refuse(f"[[molecule.{section}]] of {made.name}: {error}")
        for atoms in atom_lists(table["atoms"]):
            light = any(self.masses[made.types[a]] < LIGHTER_IS_HYDROGEN for a in atoms)
            is_rigid = kind == "bond" and (
                constrained == "all" or (constrained == "hydrogen" and light)
            )
            made.terms[kind].append((self._type(kind, coefficients, is_rigid), atoms))
            if kind == "bond":
                made.bonds.add(ordered(atoms))

    def _add_constraints(self, made: _Kind, molecule: dict[str, Any]) -> None:
        """Adds constraints as bonds without stiffness; the longest side of a triangle becomes an
        angle.
        """
        given = [
            (self.quantities.number(table["distance"], LENGTH), ordered(atoms))
            for table in molecule.get("constraint", [])
            for atoms in atom_lists(table["atoms"])
        ]
        length = {atoms: distance for distance, atoms in given}
        for table in molecule.get("bond", []):
            for atoms in atom_lists(table["atoms"]):
                length.setdefault(ordered(atoms), self.quantities.number(table["r0"], LENGTH))
        for distance, (a, b) in sorted(given):
            if (a, b) in made.bonds:
                _refuse(f"[[molecule.constraint]] of {made.name} between atoms of a bond")
            middle = _neighbors(made.bonds, a) & _neighbors(made.bonds, b)
            if middle:
                c = min(middle)
                x, y = length[ordered((a, c))], length[ordered((b, c))]
                cosine = (x * x + y * y - distance * distance) / (2.0 * x * y)
                angle = math.degrees(math.acos(max(-1.0, min(1.0, cosine))))
                number = self._type("angle", ("harmonic", (0.0, angle)), True)
                made.terms["angle"].append((number, (a, c, b)))
            else:
                number = self._type("bond", ("harmonic", (0.0, distance)), True)
                made.terms["bond"].append((number, (a, b)))
                made.bonds.add((a, b))

    # ---- pairs of atoms of a molecule

    def _compare_pairs(self, made: _Kind, molecule: dict[str, Any]) -> None:
        """Whether LAMMPS leaves out and weakens the same pairs; finds the factors of 1-4 pairs."""
        near = int(molecule.get("excluded_bonds", 3))
        real_bonds = {
            ordered(atoms)
            for table in molecule.get("bond", [])
            for atoms in atom_lists(table["atoms"])
        }
        usual = (float(molecule.get("lennard_jones_14", 0.0)), float(molecule.get("coulomb_14", 0)))
        # Pairs three bonds apart that have a factor act, whatever else excludes them.
        mine = bond_distances(real_bonds, len(made.types), max(near, _FAR if any(usual) else 0))
        theirs = bond_distances(made.bonds, len(made.types), _FAR)
        excluded = {
            ordered(atoms)
            for table in molecule.get("exclusion", [])
            for atoms in atom_lists(table["atoms"])
        }
        special = {
            ordered(atoms): table
            for table in molecule.get("special_pair", [])
            for atoms in atom_lists(table["atoms"])
        }
        for pair in {*mine, *theirs, *excluded, *special}:
            if pair in special:
                found = self._factors_of(made, pair, special[pair], usual)
            elif any(usual) and mine.get(pair) == _FAR:
                found = list(usual)
            elif pair in excluded or mine.get(pair, near + 1) <= near:
                found = [0.0, 0.0]
            else:
                found = [1.0, 1.0]
            distance = theirs.get(pair, _FAR + 1)
            for k in (0, 1):
                acts = self._strength(made, pair)[k] != 0.0
                if not acts or found[k] is None:
                    continue
                if distance == _FAR and self.factors[k] is None:
                    self.factors[k] = found[k]
                wanted = self.factors[k] if distance == _FAR else float(distance > _FAR)
                if abs(found[k] - wanted) > _ALIKE:
                    names = " and ".join(str(atom + 1) for atom in pair)
                    _refuse(
                        f"the {('Lennard-Jones', 'Coulomb')[k]} interaction of the atoms {names} "
                        f"of {made.name}, whose factor {found[k]:g} no special_bonds gives"
                    )

    def _strength(self, made: _Kind, pair: tuple[int, int]) -> tuple[float, float]:
        a, b = pair
        charge = made.charges[a] * made.charges[b] if self.has_charges else 0.0
        return self.pair_parameters.of_pair(made.types[a], made.types[b])[0], charge

    def _factors_of(
        self, made: _Kind, pair: tuple[int, int], table: dict, usual: tuple[float, float]
    ) -> list[float | None]:
        """Returns the factors of a [[molecule.special_pair]], whose parameters must be multiples of
        the usual ones.
        """
        factors: list[float | None] = list(usual)
        epsilon, sigma = self.pair_parameters.of_pair(*(made.types[a] for a in pair))
        strength, charge = self._strength(made, pair)
        if "epsilon" in table:
            own = self.quantities.number(table["epsilon"], ENERGY)
            own_sigma = self.quantities.number(table["sigma"], LENGTH)
            if own == 0.0:
                factors[0] = 0.0
            elif strength == 0.0 or abs(own_sigma - sigma) > _ALIKE * sigma:
                names = " and ".join(str(atom + 1) for atom in pair)
                _refuse(f"[[molecule.special_pair]] of {made.name}: sigma of the atoms {names}")
            else:
                factors[0] = own / epsilon
        elif "share" in table:
            factors[0] = float(table["share"])
        if "charge_product" in table and self.has_charges:
            product = float(table["charge_product"])
            if charge == 0.0 and product != 0.0:
                _refuse(f"[[molecule.special_pair]] of {made.name}: charges of atoms without one")
            factors[1] = product / charge if charge else None
        return factors

    # ---- texts

    def style(self, kind: str) -> str:
        """The argument of the command for its style, such as "hybrid harmonic morse"."""
        names = list(dict.fromkeys(coefficients[0] for coefficients in self.types[kind]))
        return names[0] if len(names) == 1 else "hybrid " + " ".join(names)

    def coefficient_lines(self, kind: str) -> list[str]:
        """The section of a data file."""
        if not self.types[kind]:
            return []
        style = self.style(kind)
        lines = ["", f"{kind.capitalize()} Coeffs # {style.split()[0]}", ""]
        for (name, values, _), number in self.types[kind].items():
            words = [name] if style.startswith("hybrid") else []
            lines.append(" ".join([str(number), *words, *map(repr, values)]))
        return lines

    def pair_lines(self, type_names: list[str]) -> list[str]:
        """Coefficients of types, or of all pairs where mixing does not give them."""
        style = self.pair_style().split()[0]
        rule = self.sections["interaction"].get("mixing", RULES[0])
        if not self.sections.get("pair") and rule in _MIX:
            rows = [(f"{n}", name, name) for n, name in enumerate(type_names, 1)]
            head = f"Pair Coeffs # {style}"
        else:
            numbered = list(enumerate(type_names, 1))
            rows = [
                (f"{i} {j}", a, b)
                for (i, a), (j, b) in itertools.combinations_with_replacement(numbered, 2)
            ]
            head = f"PairIJ Coeffs # {style}"
        lines = ["", head, ""]
        for numbers, a, b in rows:
            epsilon, sigma = self.pair_parameters.of_pair(a, b)
            lines.append(f"{numbers} {epsilon!r} {sigma!r}")
        return lines

    def pair_style(self) -> str:
        """Returns the pair style with its distances. Raises SternaError if LAMMPS has none."""
        interaction = self.sections["interaction"]
        ending = interaction.get("truncation", "shifted")
        cutoff = self.quantities.number(interaction["cutoff"], LENGTH)
        inner = interaction.get("switch_start")
        inner = None if inner is None else self.quantities.number(inner, LENGTH)
        if ending in ("truncated", "shifted"):
            return f"lj/cut{'/coul/long' * self.has_charges} {cutoff!r}"
        if self.has_charges and ending == "switched":
            return f"lj/charmm/coul/long {inner!r} {cutoff!r} {cutoff!r}"
        if self.has_charges and ending == "force_switched":
            return f"lj/charmmfsw/coul/long {inner!r} {cutoff!r} {cutoff!r}"
        if not self.has_charges and ending == "cubic_force_switched":
            return f"lj/gromacs {inner!r} {cutoff!r}"
        with_charges = "with charges" if self.has_charges else "without charges"
        _refuse(f"[interaction] truncation = {ending!r} {with_charges}")

    def script(self, data: str, units: str) -> str:
        """Commands that make LAMMPS compute the same energies from the data file."""
        interaction = self.sections["interaction"]
        # Where LAMMPS lacks the rule, the data file has all pairs.
        mix = _MIX.get(interaction.get("mixing", RULES[0]), "arithmetic")
        lines = [f"units {units}", "atom_style full", f"pair_style {self.pair_style()}"]
        lines += [f"{kind}_style {self.style(kind)}" for kind in KINDS if self.types[kind]]
        modify = f"pair_modify mix {mix}"
        ending = interaction.get("truncation", "shifted")
        if ending in ("truncated", "shifted"):
            modify += f" shift {'yes' if ending == 'shifted' else 'no'}"
        if interaction.get("tail_correction", "none") == "homogeneous":
            modify += " tail yes"
        lines.append(modify)
        lj, coulomb = self.factors
        if self.kinds:
            lines.append(f"special_bonds lj 0.0 0.0 {lj!r} coul 0.0 0.0 {coulomb!r}")
        if self.has_charges:
            permittivity = float(self.sections["electrostatics"].get("permittivity", 1.0))
            if permittivity != 1.0:
                lines.append(f"dielectric {permittivity!r}")
            lines.append("kspace_style pppm 1e-5")
        lines.append(f"read_data {data}")
        rigid = [
            " ".join([kind[0], *map(str, sorted(self.rigid[kind]))])
            for kind in ("bond", "angle")
            if self.rigid[kind]
        ]
        if rigid:
            lines.append(f"fix constraints all shake 1e-8 100 0 {' '.join(rigid)}")
        step = self.sections.get("run", {}).get("timestep")
        if isinstance(step, (int, float)) and self.sections.get("units") == units:
            lines.append(f"timestep {step!r}")
        return "\n".join(lines) + "\n"

    def bonded_rows(self, kind: str, runs: list[list[int]]) -> list[str]:
        """Lines of a section such as Bonds. `runs`: numbers of kinds, and how many molecules."""
        lines: list[str] = []
        first = 1
        for number, count in runs:
            molecule = self.kinds[number]
            for _ in range(count):
                for type_number, atoms in molecule.terms[kind]:
                    ids = " ".join(str(first + atom) for atom in atoms)
                    lines.append(f"{len(lines) + 1} {type_number} {ids}")
                first += len(molecule.types)
        return lines


def _refuse(what: str) -> NoReturn:
    raise SternaError(
        f"{what} has no style in LAMMPS that is written; --no-force-field leaves the force field "
        "out",
        2,
    )


def _neighbors(bonds: set[tuple[int, int]], atom: int) -> set[int]:
    return {b if a == atom else a for a, b in bonds if atom in (a, b)}
