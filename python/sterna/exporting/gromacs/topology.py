"""A topology of GROMACS: types, pairs of types, kinds of molecules, and how many follow each other.

Source: GROMACS manual, "Topology file".
"""

import collections
import itertools
import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy

from sterna.exporting.gromacs.molecules import Kind, flexible, rigid
from sterna.exporting.gromacs.places import short
from sterna.exporting.gromacs.position_restraints import PositionRestraints
from sterna.exporting.gromacs.refusal import refuse, refuse_other_keys
from sterna.exporting.model import PairParameters, whole_molecule
from sterna.exporting.quantities import COULOMB, Quantities
from sterna.frames.atoms import Atoms
from sterna.frames.trajectory import Trajectory
from sterna.support.mixing import RULES, mixed_well

_SECTIONS_IN_ORDER = (
    "bonds", "angles", "dihedrals", "dihedral_restraints", "angle_restraints", "virtual_sites2",
    "virtual_sites3", "virtual_sites4", "virtual_sitesn",
)  # fmt: skip
_PER_LINE = 24  # numbers of a row of [ exclusions ] or of a table
#: e; a charge in the reduced unit of charge, whose Coulomb constant is 1.
_REDUCED_CHARGE = 1.0 / math.sqrt(COULOMB)
#: Rules of mixing that GROMACS has, and its numbers of them.
_COMBINATIONS = {"lorentz_berthelot": 2, "geometric": 3}
_ALIKE = 1e-12  # relative, of parameters that the mixing rule gives
_PAIR_KEYS = {"first", "second", "potential", "epsilon", "sigma", "mixing", "eta", "xi"}

Well = tuple[float, float]  #: epsilon in kJ/mol and sigma in nm


@dataclass
class _Run:
    """Molecules of one kind that follow each other, from atom `first` on."""

    kind: Kind
    count: int
    first: int


@dataclass
class Topology:
    """The topology of a run. Raises SternaError, by name, for features that GROMACS lacks."""

    sections: dict[str, Any]
    folders: list
    trajectory: Trajectory
    atoms: Atoms
    quantities: Quantities
    restraints: PositionRestraints
    runs: list[_Run] = field(default_factory=list)
    kinds: list[Kind] = field(default_factory=list)
    wells: dict[tuple[str, str], Well] = field(default_factory=dict)  #: wells of pairs of types

    def __post_init__(self) -> None:
        self.charge_unit = _REDUCED_CHARGE if self.trajectory.is_reduced else 1.0
        description = self.trajectory.description
        if "components" in description:
            if "types" in description:
                refuse("[[component]]s beside [[type]]s")
            self._of_components(description["components"])
        elif "molecules" in description:
            self._of_molecules(description["runs"])
        else:
            self._of_particles()
        self._name_types()
        self._name_molecules()

    @property
    def degrees_of_freedom(self) -> int:
        """The degrees of freedom of all atoms with mass, less constraints and the motion of the
        whole.
        """
        count = 0
        for run in self.runs:
            heavy = sum(mass > 0.0 for mass in run.kind.masses) or len(run.kind.types)
            count += run.count * (3 * heavy - len(run.kind.constraints))
        return count - 3

    # ---- what there is

    def _of_molecules(self, runs: list[list[int]]) -> None:
        pairs = PairParameters(self.sections, self.quantities)
        self._type_wells(pairs)
        masses = {
            self.trajectory.names[n]: float(mass) for n, mass in enumerate(self._masses_of_types())
        }
        first = 0
        for number, count in runs:
            table = whole_molecule(self.sections["molecule"][number], self.folders)
            kind = flexible(
                table, self.atoms, first, masses, pairs, self.quantities, self.charge_unit
            )
            self.kinds.append(kind)
            self.runs.append(_Run(kind, count, first))
            first += count * len(kind.types)

    def _masses_of_types(self) -> list[float]:
        return [one["mass"] for one in self.trajectory.description["types"]]

    def _of_particles(self) -> None:
        pairs = PairParameters(self.sections, self.quantities)
        self._type_wells(pairs)
        found: dict[str, Kind] = {}
        first = 0
        for name, same in itertools.groupby(self.atoms.type.tolist()):
            count = len(list(same))
            charge, mass = float(self.atoms.charge[first]), float(self.atoms.mass[first])
            kind = found.setdefault(
                name, Kind(name, [name], [charge * self.charge_unit], masses=[mass])
            )
            self.runs.append(_Run(kind, count, first))
            first += count
        self.kinds = list(found.values())

    def _of_components(self, components: list[dict[str, Any]]) -> None:
        if self.restraints.springs:
            refuse("[[restraint]] of rigid molecules")
        found: dict[int, Kind] = {}
        of_types: dict[str, tuple[int, Well]] = {}
        first = 0
        for number, same in itertools.groupby(self.trajectory.species.tolist()):
            count = len(list(same))
            if number not in found:
                found[number] = rigid(components[number], self.atoms, first, self.charge_unit)
                for k, name in enumerate(found[number].types):
                    of_types[name] = (
                        number, _well_of_site(components[number], self.atoms.offset[first + k])
                    )  # fmt: skip
            self.runs.append(_Run(found[number], count, first))
            first += count * len(found[number].types)
        self.kinds = list(found.values())
        self._mix_components(components, of_types)

    def _mix_components(
        self, components: list[dict[str, Any]], of_types: dict[str, tuple[int, Well]]
    ) -> None:
        """By the rule, and the factors, of each pair of components."""
        pairs = {}
        rule = self.sections["interaction"].get("mixing", RULES[0])
        for pair in self.sections.get("pair", []):
            refuse_other_keys("[[pair]]", pair, _PAIR_KEYS)
            pairs[frozenset((pair["first"], pair["second"]))] = pair
        for (a, (i, first)), (b, (j, second)) in itertools.combinations_with_replacement(
            of_types.items(), 2
        ):
            pair = pairs.get(frozenset((components[i]["name"], components[j]["name"])), {})
            epsilon, sigma = mixed_well(pair.get("mixing", rule), first, second)
            self.wells[a, b] = (
                float(pair.get("xi", 1.0)) * epsilon, float(pair.get("eta", 1.0)) * sigma
            )  # fmt: skip

    def _type_wells(self, pairs: PairParameters) -> None:
        for pair in self.sections.get("pair", []):
            if pair.get("potential", "lennard_jones") != "lennard_jones":
                refuse(f"[[pair]] of {pair['first']} and {pair['second']}: {pair['potential']!r}")
            refuse_other_keys("[[pair]]", pair, _PAIR_KEYS)
        names = dict.fromkeys(self.atoms.type.tolist())
        for a, b in itertools.combinations_with_replacement(names, 2):
            self.wells[a, b] = pairs.of_pair(a, b)

    # ---- names

    def _name_types(self) -> None:
        """Names that GROMACS takes: case does not matter there, and digits do not come first."""
        used = [a for a, b in self.wells if a == b]
        self.type_names = dict(zip(used, _unique(used, "t"), strict=True))
        masses: dict[str, float] = {}
        for kind in self.kinds:
            for name, mass in zip(kind.types, kind.masses, strict=True):
                masses.setdefault(name, mass)
        self.type_masses = masses
        #: Names of types for CMAPs, and the type that each is a copy of.
        self.copies: dict[str, str] = {}
        self.type_of: dict[int, list[str]] = {}  # types of the atoms of a kind
        known: dict[tuple[str, ...], tuple[float, ...]] = {}
        numbers: dict[tuple[float, ...], int] = {}  # numbers of tables
        for kind in self.kinds:
            names = [self.type_names[name] for name in kind.types]
            self.type_of[id(kind)] = names
            for atoms, energy in kind.cmaps:
                # CMAPs are found by types: the middle atoms of each table have one of their own.
                base = names[atoms[2]]
                if base in self.copies:
                    refuse(f"[[molecule.cmap]] of {kind.name}, two with one middle atom")
                names[atoms[2]] = f"{base}_c{numbers.setdefault(energy, len(numbers) + 1)}"
                self.copies[names[atoms[2]]] = base
            for atoms, energy in kind.cmaps:
                five = tuple(names[atom] for atom in atoms)
                if known.setdefault(five, energy) != energy:
                    refuse(f"[[molecule.cmap]] of {kind.name}, two tables for the same types")
                kind.add("cmap", atoms, 1, ())
        self.cmap_types = list(known.items())
        if len({len(energy) for energy in known.values()}) > 1:
            refuse("[[molecule.cmap]]s with tables of different sizes")

    def _name_molecules(self) -> None:
        """A molecule type for each kind, and for each way in which its atoms are held."""
        types: dict[tuple, tuple[Kind, tuple]] = {}
        split: list[tuple[int, tuple, int]] = []  # kind, springs, count
        for run in self.runs:
            for springs, count in self._alike(run):
                key = (id(run.kind), springs)
                types.setdefault(key, (run.kind, springs))
                if split and split[-1][:2] == key:
                    split[-1] = (*key, split[-1][2] + count)
                else:
                    split.append((*key, count))
        names = dict(
            zip(types, _unique([kind.name for kind, _ in types.values()], "m"), strict=True)
        )
        self.molecule_types = {names[key]: types[key] for key in types}
        self.molecules = [(names[kind, springs], count) for kind, springs, count in split]

    def _alike(self, run: _Run) -> Iterable[tuple[tuple, int]]:
        """Springs of the atoms of a molecule, and how many molecules have the same."""
        if not self.restraints.springs:
            yield (), run.count
            return
        size = len(run.kind.types)
        of_molecules = (
            tuple(
                (k, spring)
                for k in range(size)
                for spring in self.restraints.springs.get(run.first + m * size + k, ())
            )
            for m in range(run.count)
        )
        for springs, same in itertools.groupby(of_molecules):
            yield springs, len(list(same))

    # ---- the text

    @property
    def constraint_algorithm(self) -> str:
        """LINCS, or SHAKE where triangles are left that no SETTLE holds."""
        settled = self._settled()
        triangles = any(k.has_triangles() for k in self.kinds if id(k) not in settled)
        return "shake" if triangles else "lincs"

    def _settled(self) -> dict[int, tuple[int, float, float]]:
        """Kinds that are rigid water, of one shape: GROMACS has one SETTLE in a system."""
        found = {id(kind): shape for kind in self.kinds if (shape := kind.settle())}
        counts: dict[tuple[float, float], int] = {}
        for run in self.runs:
            if id(run.kind) in found:
                lengths = found[id(run.kind)][1:]
                counts[lengths] = counts.get(lengths, 0) + run.count
        if not counts:
            return {}
        most = max(counts, key=lambda lengths: counts[lengths])
        return {kind: shape for kind, shape in found.items() if shape[1:] == most}

    def _coulomb_factor(self) -> float:
        """The most frequent factor of the charges of special pairs."""
        found = collections.Counter(
            float(f"{factor:.9g}") for kind in self.kinds for factor in kind.coulomb_factors()
        )
        return found.most_common(1)[0][0] if found else 1.0

    def text(self, title: str) -> str:
        """The file."""
        # Pairs by a rule that GROMACS lacks are written one by one.
        rule = self.sections["interaction"].get("mixing", RULES[0])
        rule = rule if rule in _COMBINATIONS else RULES[0]
        lines = [
            f"; {title}, written by sterna export", "",
            "[ defaults ]", "; nbfunc  comb-rule  gen-pairs  fudgeLJ  fudgeQQ",
            f"1 {_COMBINATIONS[rule]} no 1.0 {self._coulomb_factor()!r}", "",
            "[ atomtypes ]", "; name  mass  charge  ptype  sigma  epsilon",
        ]  # fmt: skip
        all_types = [(name, self.type_names[name]) for name in self.type_names]
        original = {new: old for old, new in all_types}
        all_types += [(original[base], copy) for copy, base in self.copies.items()]
        for name, written in all_types:
            epsilon, sigma = self.wells[name, name]
            mass = self.type_masses.get(name, 0.0)
            lines.append(f"{written} {mass!r} 0.0 A {sigma!r} {epsilon!r}")
        lines += self._pairs_of_types(all_types, rule)
        for five, energy in self.cmap_types:
            edge = math.isqrt(len(energy))
            lines += ["", "[ cmaptypes ]", f"{' '.join(five)} 1 {edge} {edge} \\"]
            rows = [energy[k : k + _PER_LINE] for k in range(0, len(energy), _PER_LINE)]
            lines += [" ".join(map(repr, row)) + " \\" for row in rows[:-1]]
            lines.append(" ".join(map(repr, rows[-1])))
        settled = self._settled()
        for name, (kind, springs) in self.molecule_types.items():
            lines += self._molecule_type(name, kind, springs, settled.get(id(kind)))
        lines += ["", "[ system ]", title, "", "[ molecules ]"]
        lines += [f"{name} {count}" for name, count in self.molecules]
        return "\n".join(lines) + "\n"

    def _pairs_of_types(self, all_types: list[tuple[str, str]], rule: str) -> list[str]:
        """[ nonbond_params ] where the mixing rule does not give them."""
        rows = []
        for (a, first), (b, second) in itertools.combinations(all_types, 2):
            epsilon, sigma = self.wells.get((a, b)) or self.wells[b, a]
            depth, size = mixed_well(rule, self.wells[a, a], self.wells[b, b])
            same = math.isclose(epsilon, depth, rel_tol=_ALIKE) and (
                epsilon == 0.0 or math.isclose(sigma, size, rel_tol=_ALIKE)
            )
            if not same:
                rows.append(f"{first} {second} 1 {sigma!r} {epsilon!r}")
        head = ["", "[ nonbond_params ]", "; types  function  sigma  epsilon"]
        return head + rows if rows else []

    def _molecule_type(
        self, name: str, kind: Kind, springs: tuple, water: tuple[int, float, float] | None
    ) -> list[str]:
        first = next(run.first for run in self.runs if run.kind is kind)
        lines = ["", "[ moleculetype ]", "; name  nrexcl", f"{name} 0", "", "[ atoms ]",
                 "; nr  type  resnr  residue  atom  cgnr  charge  mass"]  # fmt: skip
        types = self.type_of[id(kind)]
        for k, (type_name, charge, mass) in enumerate(
            zip(types, kind.charges, kind.masses, strict=True), 1
        ):
            residue = int(self.atoms.residue[first + k - 1])
            number = int(self.atoms.residue_number[residue])
            code = self.atoms.insertion_code[residue]
            code = code if code.isalpha() else ""
            names = (short(self.atoms.residue_name[residue]), short(self.atoms.name[first + k - 1]))
            lines.append(
                f"{k} {type_name} {number}{code} {names[0]} {names[1]} {k} {charge!r} {mass!r}"
            )
        if kind.pairs:
            lines += ["", "[ pairs ]", *kind.pair_lines(self._coulomb_factor())]
        for section in (*_SECTIONS_IN_ORDER, "cmap"):
            if section in kind.lines:
                lines += ["", f"[ {section} ]", *kind.lines[section]]
        if water is not None:
            lines += ["", "[ settles ]", f"{water[0] + 1} 1 {water[1]!r} {water[2]!r}"]
        elif kind.constraints:
            lines += ["", "[ constraints ]"]
            lines += [f"{a + 1} {b + 1} 1 {d!r}" for (a, b), d in sorted(kind.constraints.items())]
        if springs:
            lines += ["", "[ position_restraints ]"]
            lines += [f"{k + 1} 1 {x!r} {y!r} {z!r}" for k, (x, y, z) in springs]
        if kind.exclusions:
            lines += ["", "[ exclusions ]", *_exclusions(kind)]
        return lines


def _exclusions(kind: Kind) -> list[str]:
    of_atoms: dict[int, list[int]] = {}
    for a, b in sorted(kind.exclusions):
        of_atoms.setdefault(a, []).append(b)
    return [
        " ".join([str(a + 1), *(str(b + 1) for b in others[k : k + _PER_LINE])])
        for a, others in of_atoms.items()
        for k in range(0, len(others), _PER_LINE)
    ]


def _well_of_site(component: dict[str, Any], place: numpy.ndarray) -> Well:
    """Returns the well of the Lennard-Jones site at a place of a rigid molecule, or none."""
    here = [
        site for site in component["sites"]
        if numpy.abs(numpy.array(site["position"]) - place).max() <= 1e-9
    ]  # fmt: skip
    for site in component["sites"]:
        if site["kind"] not in ("lennard_jones", "charge"):
            refuse(f"[[component]] {component['name']} with a {site['kind']}")
    wells = [site for site in here if site["kind"] == "lennard_jones"]
    if len(wells) > 1:
        refuse(f"[[component]] {component['name']} with two Lennard-Jones sites at one place")
    return (wells[0]["epsilon"], wells[0]["sigma"]) if wells else (0.0, 0.1)


def _unique(names: list[str], prefix: str) -> list[str]:
    """Names of letters, digits and a few signs, each once whatever its case."""
    taken: set[str] = set()
    found = []
    for name in names:
        plain = "".join(c if c.isascii() and (c.isalnum() or c in "_+-") else "_" for c in name)
        if not plain or not plain[0].isalpha():
            plain = prefix + plain
        unique, number = plain, 1
        while unique.lower() in taken:
            number += 1
            unique = f"{plain}_{number}"
        taken.add(unique.lower())
        found.append(unique)
    return found
