"""A topology and places of GROMACS as a system to import, in `units = "nano"`, which are GROMACS's."""

import itertools
import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy

from sterna.errors import SternaError
from sterna.importing.asked import run_as_asked
from sterna.importing.box_interval import box_interval
from sterna.importing.gromacs.coordinates import Coordinates, read_gro
from sterna.importing.gromacs.free_energy import FreeEnergy, with_alchemy
from sterna.importing.gromacs.functions import STATE_B, STATE_B_OF_TYPES
from sterna.importing.gromacs.groups import with_groups
from sterna.importing.gromacs.mdp import BoxMass, RunParameters, read_mdp
from sterna.importing.gromacs.molecule_terms import terms_between, terms_of_molecule
from sterna.importing.gromacs.mutation import Mutations, with_mutation
from sterna.importing.gromacs.nonbonded_types import C6_AND_C12, NonbondedTypes
from sterna.importing.gromacs.preprocessor import (
    TopologyLine,
    include_folders,
    read_defines,
    read_lines,
)
from sterna.importing.gromacs.state_b import changes
from sterna.importing.gromacs.tables import BondedTables
from sterna.importing.gromacs.topology import MoleculeType, Topology, read_topology
from sterna.importing.lennard_jones import NO_WELL, Parameters, Powers, mixing_of, tidy
from sterna.importing.notes import Notes
from sterna.importing.sites_on_charges import without_empty_pairs
from sterna.importing.system import Atom, Reference, Residue, System, Term
from sterna.support.box_mass import period_ratio

#: Truncations by which the energy of a pair differs by a constant where it is not switched.
_SHIFTED = ("shifted", "cubic_force_switched")
_MOST_SECTIONS = 256  #: [[molecule]]s of an input


@dataclass(frozen=True)
class Choices:
    """Choices of the user that the files do not make."""

    cutoff: float  #: nm
    constraints: str = "none"  #: "none", "hydrogen", "all"; of an .mdp "h-bonds", "all-bonds"
    box: tuple[float, float, float] | None = None  #: nm; edges where the file has none
    include: tuple[Path, ...] = ()  #: folders of included files
    defines: tuple[str, ...] = ()
    reference: Path | None = None  #: a GRO file with the places of position restraints
    mdp: Path | None = None  #: the other settings of the run; it has its own cutoff and constraints
    index: Path | None = None  #: an index file with groups that the .mdp file names
    truncation: str = "truncated"  #: how pairs end
    switch_start: float = 0.0  #: nm; where they are switched
    #: files of tables of bonded interactions; none: those beside the topology
    tables: tuple[Path, ...] = ()
    free_energy: FreeEnergy | None = None  #: the molecule type that the .mdp file couples


def with_mdp(choices: Choices, notes: Notes) -> tuple[Choices, RunParameters | None]:
    """Returns the choices with those of the .mdp file, and all its settings. Raises SternaError."""
    if choices.mdp is None:
        return choices, None
    found = read_mdp(choices.mdp, notes)
    return replace(
        choices,
        cutoff=found.cutoff,
        constraints=found.constraints,
        include=(*choices.include, *found.include),
        defines=(*choices.defines, *found.defines),
        truncation=found.interaction["truncation"],
        switch_start=found.interaction.get("switch_start", 0.0),
        free_energy=found.free_energy,
    ), found


def read_gromacs(path: Path, places: Path, choices: Choices) -> System:
    """Raises SternaError with file, line and column."""
    notes = Notes()
    choices, asked = with_mdp(choices, notes)
    values = read_defines(choices.defines)
    lines = read_lines(path, include_folders(choices.include), values, notes)
    topology = read_topology(path, lines, notes)
    if choices.free_energy is not None:
        _take_state_b(topology, choices.free_energy, notes)
    topology.tables = BondedTables(path.parent, choices.tables)
    if _REORDERING in values:
        _require_no_reordering(topology)
    coordinates = read_gro(places)
    for note in coordinates.notes():
        notes.tell(note)
    builder = _Builder(topology, coordinates, choices, notes)
    system = without_empty_pairs(builder.build())
    if asked is None:
        return system
    system = with_groups(_as_asked(system, asked), asked, choices.index)
    if asked.free_energy is None:
        return system
    if not asked.free_energy.molecule:
        return with_mutation(system, asked.free_energy, builder.mutations, builder.kind_of, notes)
    return with_alchemy(system, asked.free_energy, builder.coupled_atoms(), notes)


def _take_state_b(topology: Topology, asked: FreeEnergy, notes: Notes) -> None:
    """Raises SternaError at a line whose state B is not taken over."""
    line = notes.first_line(STATE_B_OF_TYPES)
    if line is not None:
        line.fail(None, "types with parameters of a state B are not taken over with free-energy = yes; "
                        "expected them in the lines of a [ moleculetype ]")  # fmt: skip
    notes.withdraw(STATE_B)
    for kind, count in topology.molecules:
        if not asked.molecule or not count or not changes(kind):
            continue
        changed = next(
            (atom.line for atom in kind.atoms if atom.state_b is not None),
            next((entry.line for entry in kind.entries if entry.values_b), kind.line),
        )
        changed.fail(
            None,
            "parameters of a state B act with free-energy = yes, and are not taken over beside "
            "couple-moltype",
        )


def _as_asked(system: System, asked: RunParameters) -> System:
    """A system run as an .mdp file asks for."""
    run = run_as_asked(
        system,
        asked,
        system.velocities if asked.keeps_velocities else None,
        electrostatics=None if system.electrostatics is None else asked.electrostatics,
        reference_scaling=asked.reference_scaling if system.restraints else None,
    )
    return run if asked.box_mass is None else _with_period(run, asked.box_mass)


def _with_period(system: System, mass: BoxMass) -> System:
    """Returns the system with the barostat's period that corresponds to the box's mass."""
    masses = {kind["name"]: kind["mass"] for kind in system.types}
    heavy = sum(1 for atom in system.atoms if masses[atom.type] > 0.0)
    held = sum(1 for one in system.terms if one.section == "constraint")
    temperature = system.thermostat.get("temperature") or system.temperature
    if temperature is None:
        return system
    volume = abs(float(numpy.linalg.det(system.box)))
    period = mass.time_constant * period_ratio(
        mass.kind, mass.compressibility, volume, 3 * heavy - held - 3, temperature
    )
    barostat = {**system.sections["barostat"], "time_constant": tidy(period)}
    barostat.pop("interval", None)
    barostat |= box_interval(
        barostat, system.run["timestep"], system.sections.get("multiple_time_steps")
    )
    return replace(system, sections={**system.sections, "barostat": barostat})


#: A name that force fields such as amber19sb.ff define.
_REORDERING = "_FF_AMBER_LEAP_ATOM_REORDERING"


def _require_no_reordering(topology: Topology) -> None:
    for kind in topology.kinds.values():
        for entry in kind.entries:
            if entry.section == "dihedrals" and entry.function in (2, 4) and not entry.values:
                entry.line.fail(
                    None,
                    f"{_REORDERING} is defined, by which GROMACS changes the order of the atoms of "
                    "this improper; expected its parameters in the line",
                )


@dataclass
class _Builder:
    topology: Topology
    coordinates: Coordinates
    choices: Choices
    notes: Notes
    atoms: list[Atom] = field(default_factory=list)
    #: Names of types by the type of GROMACS and the mass.
    names: dict[tuple[str, float], str] = field(default_factory=dict)
    terms: list[Term] = field(default_factory=list)
    joined: list[tuple[int, int]] = field(default_factory=list)
    restraints: list[tuple[int, tuple[float, float, float]]] = field(default_factory=list)
    kind_of: list[MoleculeType] = field(default_factory=list)  #: molecule type of each atom
    #: Special pairs that stand for an interaction with a cutoff, too, and their lines.
    with_all: list[tuple[int, int, TopologyLine]] = field(default_factory=list)
    mutations: Mutations = field(default_factory=Mutations)

    def build(self) -> System:
        self._require_count()
        has_constraints = self._molecules()
        between, with_all = terms_between(
            self.topology, self.notes, self.choices.free_energy is not None
        )
        self.terms += between
        self.with_all += [(first, second, line) for (first, second), line in with_all.items()]
        self._compare_names()
        box = self._box()
        self._require_within_cutoff(box)
        parameters, mixing, pairs = self._lennard_jones()
        interaction: dict[str, Any] = {
            "cutoff": self.choices.cutoff,
            "truncation": "truncated",
            "tail_correction": "homogeneous",
        }
        if mixing != "lorentz_berthelot":
            interaction["mixing"] = mixing
        velocities = self.coordinates.velocities
        if velocities is not None and not velocities.any():
            velocities = None
        has_charges = any(atom.charge for atom in self.atoms)
        return System(
            units="nano",
            atoms=self.atoms,
            types=[
                {"name": name, "mass": mass, "sigma": sigma, "epsilon": epsilon}
                for ((_, mass), name), (sigma, epsilon) in zip(
                    self.names.items(), parameters, strict=True
                )
            ],
            pairs=pairs,
            terms=self.terms,
            joined=self.joined,
            box=box,
            positions=self.coordinates.positions,
            velocities=velocities,
            interaction=interaction,
            electrostatics={"kind": "fmm", "accuracy": 1e-4} if has_charges else None,
            run={"steps": 10000, "timestep": 0.002 if has_constraints else 0.0005},
            thermostat={
                "kind": "stochastic_velocity_rescaling",
                "temperature": 300.0,
                "time_constant": 0.1,
            },
            temperature=300.0 if velocities is None else None,
            molecule_name=self._molecule_name,
            atom_name=self._atom_name,
            can_reorder=self._is_interleaved(),
            # GROMACS excludes no virtual site from anything by itself.
            molecule_keys={
                "excluded_bonds": -1 if any(t.section == "virtual_site" for t in self.terms) else 0
            },
            not_kept=self.notes.texts(),
            restraints=self.restraints,
            reference=self._reference(box),
        )

    def coupled_atoms(self) -> set[int]:
        """Returns the atoms of the molecule type that the .mdp file couples.

        Raises SternaError at its line if there are none.
        """
        asked = self.choices.free_energy
        if asked is None:
            return set()
        found = {k for k, kind in enumerate(self.kind_of) if asked.has(kind.name)}
        if not found:
            asked.require_molecule([kind.name for kind, count in self.topology.molecules if count])
        return found

    def _is_interleaved(self) -> bool:
        """Whether molecules must be sorted by kind, since an input has a limit of sections."""
        runs = [kind.name for kind, count in self.topology.molecules if count]
        if sum(1 for _ in itertools.groupby(runs)) <= _MOST_SECTIONS:
            return False
        self.notes.tell(
            f"molecules of different kinds follow each other more than {_MOST_SECTIONS} times, which "
            "is the most that an input has: they are sorted by kind, and atoms are numbered anew"
        )
        return True

    def _require_count(self) -> None:
        count = sum(len(kind.atoms) * number for kind, number in self.topology.molecules)
        found = len(self.coordinates.positions)
        if count != found:
            raise SternaError(
                f"{self.coordinates.path} has {found} atoms, and the system of "
                f"{self.topology.path} has {count}",
                status=2,
            )

    def _molecules(self) -> bool:
        """Atoms and terms of all molecules. Returns whether there are constraints."""
        made = {}
        has_constraints = False
        for kind, count in self.topology.molecules:
            if count == 0:
                continue
            if kind.name not in made:
                asked = self.choices.free_energy
                coupled = asked if asked is not None and _is_changed(kind, asked) else None
                made[kind.name] = terms_of_molecule(
                    kind, self.topology, self.choices.constraints, self.notes, coupled
                )
            of_kind = made[kind.name]
            has_constraints = has_constraints or of_kind.has_constraints
            types = [self._type_name(atom.type, atom.mass) for atom in kind.atoms]
            asked = self.choices.free_energy
            if asked is not None and not asked.molecule and changes(kind):
                self.mutations.terms[kind.name] = of_kind.changed
                self.mutations.atoms[kind.name] = [
                    (types[k], atom.charge, atom.mass) if atom.state_b is None
                    else (self._type_name(atom.state_b[0], atom.mass), *atom.state_b[1:])
                    for k, atom in enumerate(kind.atoms)
                ]  # fmt: skip
            starts = _residue_starts(kind)
            for _ in range(count):
                first = len(self.atoms)
                self.terms += [
                    Term(one.section, tuple(first + atom for atom in one.atoms), one.parameters)
                    for one in of_kind.terms
                ]
                self.with_all += [
                    (first + a, first + b, line) for (a, b), line in of_kind.with_all.items()
                ]
                self.joined += [(first + a, first + b) for a, b in of_kind.joined]
                self.restraints += [(first + atom, values) for atom, values in of_kind.restraints]
                self.atoms += self._atoms(kind, types, starts, first)
                self.kind_of += [kind] * len(kind.atoms)
        return has_constraints

    def _require_within_cutoff(self, box: numpy.ndarray) -> None:
        """Checks that special pairs, which have no cutoff in Sterna, give the results of
        GROMACS.
        """
        positions, how = self.coordinates.positions, self.choices.truncation
        kinds = {name: kind for (kind, _), name in self.names.items()}  # types of GROMACS
        for first, second, line in self.with_all:
            types = [kinds[self.atoms[k].type] for k in (first, second)]
            has_wells = self.topology.types.powers(*types) != Powers()
            names = f"{self._atom_name(first)} and {self._atom_name(second)}"
            if has_wells and how in _SHIFTED:
                line.fail(
                    None,
                    f"{names} are not excluded and have a pair of their own: Sterna does not do both "
                    "where vdw-modifier shifts energies; expected None or Potential-switch, or an "
                    "exclusion",
                )
            apart = positions[second] - positions[first]
            apart -= numpy.rint(apart @ numpy.linalg.inv(box)) @ box
            is_switched = has_wells and self.choices.switch_start > 0.0
            limit = self.choices.switch_start if is_switched else self.choices.cutoff
            if not numpy.linalg.norm(apart) < limit:
                end = "where switching begins" if is_switched else "the cutoff"
                line.fail(
                    None,
                    f"{names} are not excluded and have a pair of their own, and are farther apart "
                    f"than {end}: Sterna cannot do both",
                )

    def _atoms(
        self, kind: MoleculeType, types: list[str], starts: list[int], first: int
    ) -> list[Atom]:
        atoms = []
        residue = None
        for k, atom in enumerate(kind.atoms):
            if starts[k] == k:
                # grompp numbers residues anew; a GRO file has the numbers that users know.
                number = self.coordinates.residue_numbers[first + k]
                residue = Residue(
                    atom.residue,
                    atom.residue_number if number is None else number,
                    "",
                    atom.insertion_code if atom.insertion_code.isalpha() else "",
                )
            atoms.append(Atom(atom.name, types[k], atom.charge, residue))
        return atoms

    def _type_name(self, name: str, mass: float) -> str:
        """A type of GROMACS becomes several types if masses differ."""
        key = (name, mass)
        if key not in self.names:
            taken, number, unique = set(self.names.values()), 1, name
            while unique in taken:
                number += 1
                unique = f"{name}_{number}"
            self.names[key] = unique
        return self.names[key]

    def _lennard_jones(self) -> tuple[list[Parameters], str, list[dict[str, Any]]]:
        """Parameters of types, the mixing rule, and `[[pair]]`s."""
        types = [name for name, _ in self.names]
        names = list(self.names.values())
        different = list(dict.fromkeys(types))
        of_types = {
            (a, b): _well(self.topology.types, a, b)
            for n, a in enumerate(different)
            for b in different[n:]
        }
        found = {}
        for a, first in enumerate(types):
            for b in range(a, len(types)):
                key = (first, types[b])
                found[a, b] = of_types.get(key) or of_types[key[::-1]]
        parameters = [found[a, a] for a in range(len(types))]
        mixing, others = mixing_of(parameters, found)
        pairs = [
            {"first": names[a], "second": names[b], "sigma": sigma, "epsilon": epsilon}
            for (a, b), (sigma, epsilon) in others.items()
        ]
        return parameters, mixing, pairs

    def _compare_names(self) -> None:
        different = [
            k
            for k, (mine, theirs) in enumerate(zip(self.atoms, self.coordinates.names, strict=True))
            if mine.name[:5] != theirs
        ]
        if different:
            k = different[0]
            self.notes.tell(
                f"{len(different)} names of atoms differ between {self.topology.path} and "
                f"{self.coordinates.path}, such as {self.atoms[k].name} and "
                f"{self.coordinates.names[k]} of atom {k + 1}: those of the topology are taken"
            )

    def _box(self) -> numpy.ndarray:
        if self.coordinates.box is not None:
            return self.coordinates.box
        if self.choices.box is None:
            raise SternaError(
                f"{self.coordinates.path} has no box; expected its edges in the last line, or "
                "--box with its edges in nm, such as --box 4,4,4",
                status=2,
            )
        return numpy.diag(self.choices.box)

    def _reference(self, box: numpy.ndarray) -> Reference | None:
        path = self.choices.reference
        if path is None:
            return None
        if not self.restraints:
            raise SternaError(
                f"{path} is the reference of position restraints, but the topology has none; does "
                "it need --define POSRES?",
                status=2,
            )
        found = read_gro(path)
        if len(found.positions) != len(self.atoms):
            raise SternaError(
                f"{path} has {len(found.positions)} atoms, and the system has {len(self.atoms)}",
                status=2,
            )
        return Reference(found.positions, box if found.box is None else found.box)

    def _molecule_name(self, members: list[int]) -> str:
        """Returns the name of its only residue, or else of the molecule type."""
        residues = {self.atoms[k].residue for k in members}
        residue = self.atoms[members[0]].residue
        assert residue is not None
        name = residue.name if len(residues) == 1 else self.kind_of[members[0]].name
        # The name becomes part of the name of a file.
        return re.sub(r"[^A-Za-z0-9_+-]", "_", name)

    def _atom_name(self, atom: int) -> str:
        residue = self.atoms[atom].residue
        assert residue is not None
        return f"atom {atom + 1} ({self.atoms[atom].name} of {residue.name} {residue.number})"


def _is_changed(kind: MoleculeType, asked: FreeEnergy) -> bool:
    return asked.has(kind.name) if asked.molecule else changes(kind)


def _well(types: NonbondedTypes, first: str, second: str) -> Parameters:
    """Sigma and epsilon. Raises SternaError with the line of the parameters where there are none."""
    v, w = types.parameters(first, second)
    powers = types.defaults.powers(v, w)
    if powers.c6 == powers.c12 == 0.0:
        return NO_WELL
    if powers.c6 < 0.0 or powers.c12 <= 0.0:
        types.line_of(first, second).fail(
            None,
            f"pairs of the types {first} and {second} have C6 = {powers.c6:.6g} and C12 = "
            f"{powers.c12:.6g} (kJ/mol and nm); Sterna has pairs that repel at short distances",
        )
    if types.defaults.rule == C6_AND_C12 or powers.c6 == 0.0:
        return powers.sigma_and_epsilon(f"{first} and {second}")
    return v, w


def _residue_starts(kind: MoleculeType) -> list[int]:
    """Returns for each atom the first atom of its residue."""
    starts: list[int] = []
    for k, atom in enumerate(kind.atoms):
        before = kind.atoms[k - 1] if k else None
        same = before is not None and (
            (before.residue, before.residue_number, before.insertion_code)
            == (atom.residue, atom.residue_number, atom.insertion_code)
        )
        starts.append(starts[-1] if same else k)
    return starts
