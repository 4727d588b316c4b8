"""The system that the commands of scripts, and a data file, define."""

import math
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy

from sterna.errors import SternaError
from sterna.importing.box_interval import box_interval
from sterna.importing.lammps.bonded_rows import Kind, finished
from sterna.importing.lammps.constraints import (
    check_clusters,
    read_constraints,
    rigid_water,
    third_side,
)
from sterna.importing.lammps.data_file import KINDS, MEMBERS, DataFile
from sterna.importing.lammps.fixes import dynamics_of
from sterna.importing.lammps.many_body_styles import ManyBody
from sterna.importing.lammps.pair_rows import CHARGE_ENDS
from sterna.importing.lammps.pair_styles import PairOfTypes, PairState, acts
from sterna.importing.lammps.script import Interpreter
from sterna.importing.lammps.special_pairs import neighbors, special_pairs
from sterna.importing.lammps.state import State
from sterna.importing.lennard_jones import mixing_of
from sterna.importing.split_types import split_types
from sterna.importing.system import Atom, System, Term, term
from sterna.importing.text import lines_of, read_text
from sterna.support.elements import ELEMENTS


@dataclass(frozen=True)
class _Units:
    """Names and usual numbers of a style of units."""

    name: str
    nanometer: float  #: a nanometer in its unit of length; 0 if it has none
    timestep: float
    temperature: float
    time_constant: float


_UNITS = {
    "real": _Units("real", 10.0, 1.0, 300.0, 100.0),
    "metal": _Units("metal", 10.0, 0.001, 300.0, 0.1),
    "lj": _Units("reduced", 0.0, 0.005, 1.0, 0.5),
}

_NEAR = 0.05  # u: masses of one element in two force fields

#: Coulomb's constant in kcal/mol angstrom, as LAMMPS has it, and as CHARMM does: LAMMPS's styles of
#: the CHARMM force field use the latter.
_OF_LAMMPS, _OF_CHARMM = 332.06371, 332.0716

#: Coulomb's constant in LAMMPS, by its units; 0 in "lj" units, which need no such constant.
_COULOMB = {"real": _OF_LAMMPS, "metal": 14.399645, "reduced": 0.0}

_DEFAULT_STEPS = 10000


def is_data_file(path: Path) -> bool:
    """Whether a line like "1000 atoms" stands near its beginning."""
    if not path.is_file():
        return False
    head = read_text(path)[:20000]
    return any(re.fullmatch(r"\d+ atoms", " ".join(one.fields)) for one in lines_of(path, head))


def read_lammps(
    data: Path | None,
    scripts: list[Path],
    cutoff: float,
    constraints: str | None,
    leave_out: set[str] | None = None,
) -> System:
    """`data`: None where a script makes or names the atoms. `cutoff` (nm) where no script gives one.

    `constraints`: "none", "hydrogen" or "all"; None: those of the script. `leave_out`: styles of
    fixes that are passed over. Raises SternaError with line and column.
    """
    state = State(data, list(scripts))
    if data is not None and not state.reads_data() and not scripts:
        state.read_data(data)
    Interpreter(scripts, state).run()
    state = state.ended()
    if state.data is None and data is not None:
        if state.reads_data():
            raise SternaError(
                f"{', '.join(map(str, scripts))}: read_data stands where it is not run; expected it "
                "in what the script does",
                status=2,
            )
        state.read_data(data)
    return _Builder(state, cutoff, constraints, leave_out or set()).build()


@dataclass
class _Builder:
    state: State
    cutoff: float
    constraints: str | None
    leave_out: set[str]
    atoms: list[Atom] = field(default_factory=list)
    #: lengths of bonds without an energy
    lengths_of_zero: dict[int, float] = field(default_factory=dict)

    def build(self) -> System:
        state = self.state
        state.head()  # raises an error if there are no atoms
        self.data: DataFile = state.data
        self.table = state.atoms
        if not self.table.ids:
            state.head().fail(None, "the script makes no atoms; expected create_atoms")
        self.units = self._units()
        self.masses = self._masses()
        self.names = self._names()
        self.pair = self._pair_state()
        count = len(self.names)
        self.pairs = self.pair.resolved(count, state.head(), _COULOMB[self.units.name])
        self.run_cutoff = self._cutoff()
        self.truncation = self._truncation()
        self.switch_start = self._switch_start()
        if self.truncation == "force_switched":
            state.told.append(
                "forces of lj/charmmfsw in LAMMPS are not the derivatives of its energies beyond the "
                "inner distance; Sterna has its energies, and their derivatives"
            )
        self._charges_act()
        self._make_atoms()
        self.dynamics = dynamics_of(state, self.units.name, self.leave_out)
        terms, joined, weights = self._terms()
        special = self._special(joined["bond"], joined["angle"], joined["dihedral"])
        keys = dict(special.keys)
        terms += special.terms
        terms += self._weighted_pairs(weights)
        if self.constraints not in (None, "none"):
            keys["constrained_bonds"] = self.constraints
            terms += rigid_water(terms, [self.symbols[k - 1] for k in self.table.types])
        types, pairs, mixing = self._types_and_pairs()
        for one in self.pair.many_body:
            one.check_units(self.units.name)
        interaction = self._interaction()
        if mixing != "lorentz_berthelot":
            interaction["mixing"] = mixing
        charged = any(atom.charge for atom in self.atoms)
        run, thermostat, temperature, sections = self._motion()
        barostat = self.dynamics.barostat
        if barostat:
            barostat |= box_interval(barostat, run["timestep"])
        made = System(
            units=self.units.name,
            atoms=self.atoms,
            types=types,
            pairs=pairs,
            terms=terms,
            joined=[(m[0], other) for some in joined.values() for m in some for other in m[1:]],
            box=self.data.box,
            positions=self.table.positions,
            velocities=self.table.velocities,
            interaction=interaction,
            electrostatics=self._electrostatics() if charged else None,
            run=run,
            thermostat=thermostat,
            barostat=barostat,
            sections=sections,
            parameter_files={
                key: path for one in self.pair.many_body for key, path in one.files().items()
            },
            temperature=temperature,
            molecule_name=self._molecule_name,
            atom_name=lambda atom: f"atom {atom + 1}",
            can_reorder=True,
            molecule_keys=keys,
            not_kept=state.told,
            restraints=self.dynamics.restraints,
            restraint_virial="ignored",
        )
        return self._with_groups(made)

    def _with_groups(self, system: System) -> System:
        """Returns the system with fields, and atoms at rest: sections that act on types."""
        frozen, fields = self.dynamics.frozen, self.dynamics.fields
        for members in filter(None, (frozen, *(members for _, members, _ in fields))):
            own = {system.atoms[k].type for k in members}
            if any(atom.type in own for k, atom in enumerate(system.atoms) if k not in members):
                system, _ = split_types(
                    system, members, "_frozen" if members is frozen else "_group"
                )

        def types_of(members: set[int]) -> list[str]:
            return sorted({system.atoms[k].type for k in members})

        sections: dict[str, list[dict[str, Any]]] = {}
        if frozen:
            sections["freeze"] = [{"component": name} for name in types_of(frozen)]
        for fix, members, keys in fields:
            made = keys
            if "electric_field" in keys:
                if self.charge_scale == 0.0 and any(self.table.charges):
                    fix.command.fail(
                        2,
                        "fix efield acts on charges, and the pair style has none; expected one with "
                        "charges, such as lj/cut/coul/cut",
                    )
                if not any(atom.charge for atom in system.atoms):
                    continue
                # Charges have a factor in them that LAMMPS's field does not know.
                made = {key: [x / self.charge_scale for x in value] for key, value in keys.items()}
            of_types = [{}] if members is None else [{"component": n} for n in types_of(members)]
            sections.setdefault("field", []).extend(made | one for one in of_types)
        # Gravity is a field, too.
        sections = {name: [*system.sections.get(name, []), *own] for name, own in sections.items()}
        system.sections = {**system.sections, **sections}
        return system

    # ---- what the script, or the file, says of the whole

    def _units(self) -> _Units:
        if self.state.units is not None:
            return _UNITS[self.state.units]
        if self.data.units:
            if self.data.units not in _UNITS:
                self.state.head().fail(
                    None,
                    f'units "{self.data.units}" are not taken over; expected real, metal or lj',
                )
            return _UNITS[self.data.units]
        if self.state.scripts:
            return _UNITS["lj"]  # the default of LAMMPS
        self.state.head().fail(
            None,
            "nothing says in which units the file is: expected `units = real` in its first line, "
            "as write_data leaves it, or an input script with the command units",
        )

    def _masses(self) -> list[float]:
        count = self.data.count("atom types")
        for number in range(1, count + 1):
            if number not in self.state.masses:
                self.state.head().fail(None, f"the atom type {number} has no mass")
        return [self.state.masses[number] for number in range(1, count + 1)]

    def _names(self) -> list[str]:
        labels = {number: label for label, number in self.data.labels.get("atom", {}).items()}
        self.symbols = [
            next((s for s, (m, _) in ELEMENTS.items() if abs(m - mass) < _NEAR), "X")
            if self.units.name != "reduced"
            else "X"
            for mass in self.masses
        ]
        return [
            labels.get(number, f"{symbol}{number}") for number, symbol in enumerate(self.symbols, 1)
        ]

    # ---- pairs of types

    def _pair_state(self) -> PairState:
        if self.state.pair is None:
            self.state.head().fail(
                None,
                "the file has no pair coefficients; expected an input script with pair_style and "
                "pair_coeff",
            )
        return self.state.pair

    def _acting(self) -> list[PairOfTypes]:
        """All pairs of types whose potential is not 0."""
        return [one for pairs in self.pairs.values() for one in pairs if acts(one.potential)]

    def _cutoff(self) -> float:
        """Returns the longest cutoff; cutoffs of single pairs may be shorter."""
        given = [one.cutoff for one in self._acting()] or [
            style.cutoff for style in self.pair.styles
        ]
        known = [cutoff for cutoff in given if cutoff is not None]
        if known:
            return max(known)
        if self.units.nanometer == 0.0:
            self.state.head().fail(None, "expected an input script with pair_style and its cutoff")
        return self.cutoff * self.units.nanometer

    def _truncation(self) -> str:
        """Returns the truncation of most Lennard-Jones pairs, which are then computed fastest;
        other pairs have their own.
        """
        acting = [one for one in self._acting() if one.truncation]
        plain = [one for one in acting if one.potential[0] == "lennard_jones"]
        counts = Counter(one.truncation for one in plain or acting)
        return counts.most_common(1)[0][0] if counts else "truncated"

    def _switch_start(self) -> float:
        """Returns the run's start of switching, at the share of the cutoff of a pair that is
        switched in the same way.
        """
        alike = [
            one
            for one in self._acting()
            if one.is_switched and one.truncation == self.truncation and one.cutoff is not None
        ]
        if not alike:
            return 0.0
        one = max(alike, key=lambda one: (one.potential[0] == "lennard_jones", one.cutoff))
        return (
            one.inner / one.cutoff * self.run_cutoff if one.cutoff < self.run_cutoff else one.inner
        )

    def _end_of(self, one: PairOfTypes) -> dict[str, Any]:
        """Keys of a `[[pair]]` that say how it ends, where the run ends in another way."""
        keys: dict[str, Any] = {}
        cutoff = self.run_cutoff if one.cutoff is None else one.cutoff
        if cutoff < self.run_cutoff:
            keys["cutoff"] = cutoff
        if one.truncation not in ("", self.truncation):
            keys["truncation"] = one.truncation
        if one.is_switched and (
            "truncation" in keys
            or not math.isclose(
                one.inner * self.run_cutoff, self.switch_start * cutoff, rel_tol=1e-14
            )
        ):
            keys["switch_start"] = one.inner
        return keys

    def _is_plain(self, one: PairOfTypes) -> bool:
        """Whether it is a Lennard-Jones pair that ends as the run's."""
        return one.potential[0] == "lennard_jones" and not self._end_of(one)

    def _many_body_alone(self) -> ManyBody | None:
        """The many-body style by which all types interact, if there is one."""
        everywhere = [one for one in self.pair.many_body if len(one.elements) == len(self.names)]
        if self._acting():
            return None  # the potentials are added to it
        return everywhere[0] if everywhere else None

    def _line(self):
        return self.pair.command.line if self.pair.command is not None else self.state.head()

    def _interaction(self) -> dict[str, Any]:
        alone = self._many_body_alone()
        if alone is not None:
            return {"potential": alone.style.key}
        interaction: dict[str, Any] = {"cutoff": self.run_cutoff}
        if self.switch_start:
            interaction["switch_start"] = self.switch_start
        interaction["truncation"] = self.truncation
        # A potential that ends by itself has no tail in Sterna, either.
        cut_off = [one for one in self._acting() if one.truncation]
        if self.pair.tail and any(one.style.row.has_tail for one in cut_off):
            if any(one.truncation == "shifted" for one in cut_off):
                self._line().fail(None, "pair_modify tail yes beside shift yes is not taken over")
            without = {one.style.name for one in cut_off if not one.style.row.has_tail}
            if without:
                self._line().fail(
                    None,
                    f"pair_modify tail yes beside {', '.join(sorted(without))}, which has no tail "
                    "in LAMMPS, is not taken over",
                )
            interaction["tail_correction"] = "homogeneous"
        return interaction

    def _electrostatics(self) -> dict[str, Any]:
        if self.charge_end is None:
            return {"kind": "fmm", "accuracy": 1e-4}
        name, cutoff, number, inner = self.charge_end
        try:
            keys = CHARGE_ENDS[name].keys(number, inner, cutoff)
        except ValueError as problem:
            self._line().fail(None, str(problem))
        section = {"kind": "cutoff", **keys}
        if cutoff != self.run_cutoff:
            section["cutoff"] = cutoff
        return section

    def _charges_act(self) -> None:
        """Whether charges act, and by which constant. Raises SternaError where they act between
        some types only, or to a cutoff."""
        rows = {style.name: style.row for style in self.pair.styles if style.row is not None}
        self.charge_scale = 0.0
        if self.state.stages and not self.state.kspace:
            for name, row in rows.items():
                if row.charges == "long":
                    self._line().fail(
                        None,
                        f"the pair style {name} needs a kspace_style, such as `kspace_style pppm 1e-5`: "
                        "LAMMPS does not run it without one",
                    )
        has = {k for k, q in zip(self.table.types, self.table.charges, strict=True) if q != 0.0}
        self.charge_end: tuple[str, float, float, float] | None = None
        if not has or not any(row.charges for row in rows.values()):
            if self.state.kspace and not any(row.charges == "long" for row in rows.values()):
                self.state.kspace_command.line.fail(
                    0, "kspace_style goes with a pair style of charges at any distance (coul/long)"
                )
            return
        ends = set()
        for a in sorted(has):
            for b in sorted(has):
                acting = self.pairs[min(a, b) - 1, max(a, b) - 1]
                kinds = [one.style.row.charges for one in acting if one.style.row.charges]
                ends.update(one.end_of_charges for one in acting if one.style.row.charges)
                if len(kinds) != 1:
                    self._line().fail(
                        None,
                        f"charges of the types {a} and {b} act {len(kinds)} times, those of others "
                        "once; expected coul/long, or coul/cut, between all types with charges",
                    )
        if len(ends) > 1:
            self._line().fail(
                None,
                "charges of some types end in other ways, or at other distances, than those of "
                "others, which is not taken over; expected one end, or coul/long, between all types "
                "with charges",
            )
        self.charge_end = next(iter(ends))
        if self.charge_end is not None and any(
            many.takes(a - 1, a - 1) for many in self.pair.many_body for a in has
        ):
            self._line().fail(
                None,
                "atoms of a many-body style have charges that end at a cutoff, which is not taken "
                "over; expected coul/long",
            )
        self.charge_scale = 1.0 / math.sqrt(self.state.dielectric)
        if any("charmmfsw" in name for name in rows) and self.units.name == "real":
            self.charge_scale *= math.sqrt(_OF_CHARMM / _OF_LAMMPS)

    def _types_and_pairs(self) -> tuple[list[dict[str, Any]], list[dict[str, Any]], str]:
        """`[[type]]`s, `[[pair]]`s, and the rule of mixing."""
        plain: dict[tuple[int, int], tuple[float, float]] = {}  # sigma and epsilon
        others: dict[tuple[int, int], dict[str, Any]] = {}
        added: dict[tuple[int, int], list[dict[str, Any]]] = {}
        for pair in self.pairs:
            # A potential that mixing may give precedes those that are added to it.
            acting = sorted(self._of_pair(*pair), key=lambda one: not self._is_plain(one))
            keys = [{"potential": one.potential[0], **one.potential[1], **self._end_of(one)}
                    for one in acting]  # fmt: skip
            if any(many.takes(*pair) for many in self.pair.many_body):
                plain[pair] = (1.0, 0.0)
                added[pair] = keys
                continue
            added[pair] = keys[1:]
            if not acting or self._is_plain(acting[0]):
                values = acting[0].potential[1] if acting else {}
                plain[pair] = (values.get("sigma", 1.0), values.get("epsilon", 0.0))
            else:
                others[pair] = keys[0]
        count = len(self.names)
        like = [plain.get((a, a), (1.0, 0.0)) for a in range(count)]
        # Other potentials stand in [[pair]]s whatever mixing gives.
        mixing, beside = mixing_of(like, plain)
        types = [
            {"name": name, "mass": mass, "sigma": sigma or 1.0, "epsilon": epsilon}
            for name, mass, (sigma, epsilon) in zip(self.names, self.masses, like, strict=True)
        ]
        for many in self.pair.many_body:
            for a, element in many.elements.items():
                types[a][many.style.key] = element
        if self._many_body_alone() is not None:
            for one in types:
                del one["sigma"], one["epsilon"]
            return types, [], "lorentz_berthelot"
        beside = {
            (a, b): values
            for (a, b), values in beside.items()
            if not any(many.takes(a, b) for many in self.pair.many_body)
        }
        pairs = [
            {"first": self.names[a], "second": self.names[b]}
            | (
                {"sigma": beside[a, b][0] or 1.0, "epsilon": beside[a, b][1]}
                if (a, b) in beside
                else others[a, b]
            )
            for a, b in sorted({**beside, **others})
        ]
        pairs += [
            {"first": self.names[a], "second": self.names[b], "adds": True} | keys
            for (a, b), some in sorted(added.items())
            for keys in some
        ]
        return types, pairs, mixing

    def _of_pair(self, a: int, b: int) -> list[PairOfTypes]:
        """Returns the potentials between two types, from 0, except those of charges; the types may
        be in any order.
        """
        return [one for one in self.pairs[min(a, b), max(a, b)] if acts(one.potential)]

    # ---- atoms

    def _make_atoms(self) -> None:
        for kind, charge in zip(self.table.types, self.table.charges, strict=True):
            name = self.names[kind - 1]
            self.atoms.append(Atom(name, name, charge * self.charge_scale))

    # ---- bonded terms

    def _terms(self) -> tuple[list[Term], dict[str, list[tuple[int, ...]]], dict]:
        """The terms; the atoms that each kind of them joins; weights of 1-4 pairs, which
        dihedrals give."""
        members: dict[str, list[tuple[int, tuple[int, ...]]]] = {}
        for kind in KINDS:
            members[kind] = self._members(kind)
        kinds_of_bonds, angles_off, made = self._constrained(members)
        weights: dict[tuple[int, int], float] = {}
        for kind in KINDS:
            for n, (number, atoms) in enumerate(members[kind]):
                if kind == "angle" and n in angles_off:
                    continue
                kinds = kinds_of_bonds[n] if kind == "bond" else self._kinds(kind, number)
                for one in kinds:
                    if one.section == "weight_14":
                        ends = (min(atoms[0], atoms[3]), max(atoms[0], atoms[3]))
                        weights[ends] = weights.get(ends, 0.0) + one.parameters["weight"]
                    else:
                        made.append(term(one.section, one.members(atoms), **one.parameters))
        return made, {kind: [atoms for _, atoms in some] for kind, some in members.items()}, weights

    def _kinds(self, kind: str, number: int) -> list[Kind]:
        """The terms of a type."""
        return finished(self.state.bonded[kind].kinds[number])

    def _members(self, kind: str) -> list[tuple[int, tuple[int, ...]]]:
        """Type and atoms, from 0, of each line of a section."""
        section = self.data.sections.get(f"{kind.capitalize()}s")
        lines = section.lines if section is not None else []
        created = self.state.created[kind]
        if not lines and not created:
            return []
        state = self.state.bonded[kind]
        if state is None:
            head = section.head if section is not None else self.state.head()
            head.fail(
                None,
                f"nothing says which {kind} style this is; expected "
                f'"{kind.capitalize()} Coeffs # harmonic" or an input script with {kind}_style',
            )
        form = "id type " + " ".join(f"atom{k + 1}" for k in range(MEMBERS[kind]))
        found = []
        for line in lines:
            fields = line.fields
            line.integer_at(fields, 0, f"the number of the {kind}", 0, 2**62)
            number = self.data.type_at(line, fields, 1, kind)
            if state.name == "none":
                state.kinds.setdefault(number, [])
            if number not in state.kinds:
                line.fail(1, f"the {kind} type {number} has no coefficients")
            atoms = tuple(self.table.place(line, fields, 2 + k) for k in range(MEMBERS[kind]))
            line.expect_end(fields, 2 + MEMBERS[kind], form)
            if len(set(atoms)) < len(atoms):
                line.fail(None, f"an atom stands twice in this {kind}")
            found.append((number, atoms))
        for number, ids in created:
            if state.name == "none":
                state.kinds.setdefault(number, [])
            if number not in state.kinds:
                self._line().fail(None, f"the {kind} type {number} has no coefficients")
            found.append((number, tuple(self.table.place_of[identity] for identity in ids)))
        # Replicated atoms have ids of their own.
        for copies, stride in self.table.copies:
            ids = self.table.ids
            found = [
                (number, tuple(self.table.place_of[ids[k] + c * stride] for k in atoms))
                for c in range(copies)
                for number, atoms in found
            ]
        return found

    def _constrained(
        self, members: dict[str, list[tuple[int, tuple[int, ...]]]]
    ) -> tuple[list[list[Kind]], set[int], list[Term]]:
        """The terms of each bond; the angles that constraints replace; the constraints."""
        bonds = members["bond"]
        kinds = [self._of_bond(number) for number, _ in bonds]
        fix = self.dynamics.constraints
        if fix is None:
            return kinds, set(), []
        if self.constraints is not None:
            self.state.tell(fix.command, f"fix {fix.style} is left out: --constraints is given")
            return kinds, set(), []
        wanted = read_constraints(fix, self.data)
        group = self.state.group(fix.command, 1)
        made, lengths = [], {}
        for n, (number, (a, b)) in enumerate(bonds):
            types = (self.table.types[a], self.table.types[b])
            masses = (self.masses[types[0] - 1], self.masses[types[1] - 1])
            if group is not None and not {a, b} <= group:
                continue
            if not wanted.has_bond(number, types, masses):
                continue
            r0 = next((k.parameters["r0"] for k in kinds[n] if "r0" in k.parameters), None)
            if r0 is None or r0 <= 0.0:
                fix.command.fail(None, f"the bond type {number} has no length to keep")
            # The bond stays, without an energy: it says who is a neighbor.
            kinds[n] = [Kind("bond", {"potential": "harmonic", "stiffness": 0.0, "r0": r0})]
            lengths[min(a, b), max(a, b)] = r0
            made.append(term("constraint", (a, b), distance=r0))
        joined = check_clusters(fix.command, set(lengths))
        off = set()
        for n, (number, (a, b, c)) in enumerate(members["angle"]):
            first, second = (min(a, b), max(a, b)), (min(b, c), max(b, c))
            if number not in wanted.angles or first not in lengths or second not in lengths:
                continue
            if joined[b] != {a, c}:
                continue  # Angles are kept in clusters of three atoms.
            theta0 = next((k.parameters["theta0"] for k in self._kinds("angle", number)
                           if "theta0" in k.parameters), None)  # fmt: skip
            if theta0 is None:
                fix.command.fail(None, f"the angle type {number} has no angle to keep")
            off.add(n)
            distance = third_side(lengths[first], lengths[second], theta0)
            made.append(term("constraint", (a, c), distance=distance))
        return kinds, off, list(dict.fromkeys(made))

    def _of_bond(self, number: int) -> list[Kind]:
        """Returns the terms of a bond type. A bond without an energy has one without stiffness, so
        that its atoms count as neighbors.
        """
        found = self.state.bonded["bond"].kinds[number]
        if found:
            return found
        if number not in self.lengths_of_zero:
            self.lengths_of_zero[number] = self._mean_length(number)
        r0 = self.lengths_of_zero[number]
        return [Kind("bond", {"potential": "harmonic", "stiffness": 0.0, "r0": r0})]

    def _mean_length(self, number: int) -> float:
        """Returns the mean length of the bonds of a type at the start."""
        inverse = numpy.linalg.inv(self.data.box)
        found = []
        for kind, (a, b) in self._members("bond"):
            if kind == number:
                d = self.table.positions[b] - self.table.positions[a]
                d = d - numpy.round(d @ inverse) @ self.data.box
                found.append(float(numpy.sqrt(d @ d)))
        return float(f"{max(sum(found) / len(found), 1e-3):.6g}")

    # ---- pairs few bonds apart

    def _special(self, bonds, angles, dihedrals):
        near = neighbors(len(self.atoms), bonds, self.table, self.data.box)
        return special_pairs(
            self.state.special_bonds,
            near,
            angles,
            dihedrals,
            self.table,
            [atom.charge for atom in self.atoms],
            lambda a, b: self._of_pair(a - 1, b - 1),
            self.truncation,
            self._is_plain,
            self.charge_end,
        )

    def _weighted_pairs(self, weights: dict[tuple[int, int], float]) -> list[Term]:
        """1-4 pairs of CHARMM's dihedrals: by parameters of their own, at any distance."""
        special = self.state.special_bonds
        if weights and (special.lennard_jones[2] or special.coulomb[2]):
            raise SternaError(
                "dihedrals give weights to 1-4 pairs, and special_bonds has factors for them, too; "
                "expected special_bonds charmm",
                status=2,
            )
        if weights and not any(
            style.row is not None and style.row.has_pairs_14 for style in self.pair.styles
        ):
            self._line().fail(
                None, "dihedrals give weights to 1-4 pairs; expected a pair style of CHARMM"
            )
        found = []
        for (first, second), weight in weights.items():
            a, b = sorted(self.table.types[k] - 1 for k in (first, second))
            acting = [
                one for one in self.pairs[a, b] if one.style.row and one.style.row.has_pairs_14
            ]
            values = {"epsilon": 0.0, "sigma": 1.0}
            for one in acting:
                if one.potential_14[0] != "lennard_jones":
                    self._line().fail(None, "weights of 1-4 pairs are for Lennard-Jones potentials")
                if one.potential_14[1]["epsilon"] != 0.0:
                    values = dict(one.potential_14[1])
            if any(acts(one.potential) and not self._is_plain(one) for one in acting):
                self._line().fail(
                    None,
                    "weights of 1-4 pairs are for potentials that end as those of most pairs do",
                )
            values["epsilon"] *= weight
            if self.truncation == "force_switched":
                # CHARMM's force switch shifts these, too.
                values["cutoff"] = self.run_cutoff
            product = self.atoms[first].charge * self.atoms[second].charge
            found.append(
                term("special_pair", (first, second), **values, charge_product=weight * product)
            )
        return found

    # ---- motion

    def _motion(self) -> tuple[dict, dict, float | None, dict]:
        """`[run]`, `[thermostat]`, the temperature of velocities to draw, and more sections."""
        state, dynamics = self.state, self.dynamics
        stages = state.stages
        for stage in stages[:-1]:
            for command in stage.commands:
                state.tell(
                    command,
                    f"{command.name} is left out: the input has the last run of the script only",
                )
        last = stages[-1].commands if stages else []
        timestep = self.units.timestep if state.timestep is None else state.timestep
        sections: dict[str, Any] = dict(dynamics.sections)
        if last and last[0].name == "minimize":
            command = last[0]
            dynamics.barostat = {}
            if float(command.arguments[0]) > 0.0:
                state.tell(command, "the tolerance of the energy is left out: forces end it")
            # Sterna asks for the largest component, LAMMPS for the length of the vector of all.
            tolerance = float(command.arguments[1])
            if state.norm != "inf":
                tolerance /= math.sqrt(3 * len(self.atoms) if state.norm == "two" else 3)
            sections["minimize"] = {"force_tolerance": tolerance}
            run = {"steps": int(command.arguments[2]), "integrator": "minimize"}
            return run, {}, None, sections
        steps = sum(int(command.arguments[0]) for command in last)
        run = {"steps": steps if last else _DEFAULT_STEPS, "timestep": timestep}
        if dynamics.integrator is not None:
            temperature = None if self.table.velocities is not None else state.temperature
            return run, dynamics.thermostat, temperature, sections
        thermostat = dynamics.thermostat or {
            "kind": "stochastic_velocity_rescaling",
            "temperature": self.units.temperature,
            "time_constant": self.units.time_constant,
        }
        if state.scripts:
            kelvin = " K" if self.units.nanometer else ""
            state.told.append(
                "no fix of the script moves the atoms; the input moves them, at a temperature of "
                f"{thermostat['temperature']:g}{kelvin}"
            )
        temperature = state.temperature
        if temperature is None and self.table.velocities is None:
            temperature = thermostat["temperature"]
        return run, thermostat, temperature, sections

    def _molecule_name(self, members: list[int]) -> str:
        """Returns the molecule's formula, carbon and hydrogen first."""
        counts: dict[str, int] = {}
        for k in members:
            symbol = self.symbols[self.table.types[k] - 1]
            counts[symbol] = counts.get(symbol, 0) + 1
        largest_formula = 60
        if "X" in counts or len(members) > largest_formula:
            return "molecule"
        order = sorted(counts, key=lambda s: ({"C": 0, "H": 1}.get(s, 2), s))
        return "".join(f"{s}{counts[s] if counts[s] > 1 else ''}" for s in order)
