"""A topology of GROMACS as it stands in its files: sections, entries and their lines.

Nothing is looked up here. Source: `topio.cpp`, `topdirs.cpp` and `toppush.cpp` of GROMACS 2026.
"""

import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

from sterna.errors import SternaError
from sterna.importing.gromacs.bonded_types import BondedTypes
from sterna.importing.gromacs.cmap_types import CmapTypes
from sterna.importing.gromacs.functions import FUNCTIONS, MEMBERS, STATE_B, TYPE_SECTIONS
from sterna.importing.gromacs.nonbonded_types import Defaults, NonbondedTypes
from sterna.importing.gromacs.preprocessor import TopologyLine
from sterna.importing.gromacs.tables import BondedTables
from sterna.importing.notes import Notes

_PARAMETER_SECTIONS = (
    "atomtypes", "bondtypes", "constrainttypes", "pairtypes", "angletypes", "dihedraltypes",
    "nonbond_params", "implicit_genborn_params", "implicit_surface_params", "cmaptypes",
)  # fmt: skip
_MOLECULE_SECTIONS = (*MEMBERS, "virtual_sitesn", "exclusions")
_SECTIONS = (
    "defaults", *_PARAMETER_SECTIONS, "moleculetype", "atoms", *_MOLECULE_SECTIONS, "system",
    "molecules", "intermolecular_interactions",
)  # fmt: skip
_BEFORE = {
    **dict.fromkeys(_PARAMETER_SECTIONS, ("atomtypes",)),
    "atomtypes": ("defaults",),
    "moleculetype": ("atomtypes",),
    "atoms": ("moleculetype",),
    **dict.fromkeys(_MOLECULE_SECTIONS, ("atoms",)),
    "exclusions": ("bonds", "constraints", "settles"),
    "system": ("moleculetype",),
    "molecules": ("system",),
    "intermolecular_interactions": ("molecules",),
}
_MOST_ATOMS = 10**9


@dataclass(frozen=True, slots=True)
class TopologyAtom:
    """A line of `[ atoms ]`."""

    name: str
    type: str
    residue: str
    residue_number: int
    insertion_code: str
    charge: float
    mass: float
    line: TopologyLine
    state_b: tuple[str, float, float] | None = None  #: type, charge and mass, if they differ


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of a section of a molecule; `values` are parameters of state A, or none at all."""

    section: str
    function: int
    atoms: tuple[int, ...]  #: atoms from 0
    values: tuple[float, ...]
    line: TopologyLine
    values_b: tuple[float, ...] = ()  #: of state B, if they differ

    def fail_at(self, place: int, message: str) -> NoReturn:
        """Raises SternaError at a parameter, counted from 0; at the line where it has none."""
        self.line.fail(MEMBERS[self.section] + 1 + place if self.values else None, message)


@dataclass(slots=True)
class Site:
    """A line of `[ virtual_sitesn ]`: weights of atoms, not normalized."""

    atom: int
    weights: dict[int, float]
    line: TopologyLine


@dataclass
class MoleculeType:
    """The contents of a `[ moleculetype ]`."""

    name: str
    nrexcl: int
    line: TopologyLine
    atoms: list[TopologyAtom] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    sites: list[Site] = field(default_factory=list)
    exclusions: set[tuple[int, int]] = field(default_factory=set)  #: the smaller atom first

    def of(self, section: str) -> list[Entry]:
        return [entry for entry in self.entries if entry.section == section]


@dataclass
class Topology:
    path: Path
    defaults: Defaults = field(default_factory=Defaults)
    types: NonbondedTypes = field(default_factory=NonbondedTypes)
    bonded: BondedTypes = field(default_factory=BondedTypes)
    cmaps: CmapTypes = field(default_factory=CmapTypes)
    kinds: dict[str, MoleculeType] = field(default_factory=dict)
    molecules: list[tuple[MoleculeType, int]] = field(default_factory=list)
    between: MoleculeType | None = None  #: `[ intermolecular_interactions ]`, of all atoms
    tables: BondedTables = field(default_factory=lambda: BondedTables(Path()))


def read_topology(path: Path, lines: Iterable[TopologyLine], notes: Notes) -> Topology:
    """Raises SternaError with file, line and column."""
    parser = _Parser(Topology(path), notes)
    for line in lines:
        parser.read(line)
    return parser.finished()


class _Parser:
    def __init__(self, topology: Topology, notes: Notes) -> None:
        self._topology = topology
        self._notes = notes
        self._seen: set[str] = set()
        self._section = ""
        self._molecule: MoleculeType | None = None
        self._last: TopologyLine | None = None
        self._has_defaults = False

    def read(self, line: TopologyLine) -> None:
        self._last = line
        text = line.text.strip()
        if text.startswith("["):
            self._begin(line, text[1:].split("]")[0].strip())
            return
        if not self._section:
            # GROMACS passes over it. Its force fields have titles there, between asterisks.
            if not text.startswith("*"):
                self._notes.tell(
                    "text before the first section is passed over, as in GROMACS", line
                )
            return
        fields = line.fields
        section = self._section
        if section == "defaults":
            self._defaults(line, fields)
        elif section == "atomtypes":
            self._topology.types.add_type(line, fields, self._notes)
        elif section in ("nonbond_params", "pairtypes"):
            self._topology.types.add_pair(section, line, fields, self._notes)
        elif section in TYPE_SECTIONS:
            names = self._topology.types.bonded_names
            self._topology.bonded.add(section, line, fields, names, self._notes)
        elif section == "cmaptypes":
            names = self._topology.types.bonded_names
            self._topology.cmaps.add(line, fields, names, self._notes)
        elif section == "moleculetype":
            self._moleculetype(line, fields)
        elif section == "atoms":
            self._atom(line, fields)
        elif section == "exclusions":
            self._exclusions(line, fields)
        elif section == "virtual_sitesn":
            self._site(line, fields)
        elif section == "molecules":
            self._molecules(line, fields)
        elif section == "intermolecular_interactions":
            line.fail(0, "expected a section such as [ bonds ] behind this one")
        elif section in MEMBERS:
            self._entry(section, line, fields)
        # A name, and parameters of implicit solvent, which GROMACS does not have any more.

    def finished(self) -> Topology:
        path = self._topology.path
        for section, hint in (
            ("defaults", "; it usually comes by #include of forcefield.itp"),
            ("moleculetype", ""),
            ("molecules", ""),
        ):
            if section not in self._seen:
                raise SternaError(
                    f"{path}: error: the section [ {section} ] is missing{hint}", status=2
                )
        if not self._topology.molecules:
            assert self._last is not None
            self._last.fail(None, "the section [ molecules ] has no molecules")
        return self._topology

    # ---- sections

    def _begin(self, line: TopologyLine, name: str) -> None:
        section = _section_of(name)
        if section is None:
            line.fail(None, _unknown("section", name, _SECTIONS))
        if section == "defaults" and "defaults" in self._seen:
            line.fail(None, "a second section [ defaults ]")
        if "moleculetype" in self._seen and section in (*_PARAMETER_SECTIONS, "defaults"):
            line.fail(
                None, f"the section [ {section} ] must stand before the first [ moleculetype ]"
            )
        needed = _BEFORE.get(section, ())
        if needed and self._seen.isdisjoint(needed):
            names = " or ".join(f"[ {each} ]" for each in needed)
            line.fail(None, f"the section [ {section} ] stands before {names}, which it needs")
        if section in ("atoms", *_MOLECULE_SECTIONS) and self._molecule is None:
            line.fail(None, f"the section [ {section} ] is of no [ moleculetype ]")
        if section == "molecules":
            self._molecule = None
        if section == "intermolecular_interactions":
            self._begin_between(line)
        elif self._topology.between is not None:
            self._check_between(line, section)
        self._seen.add(section)
        self._section = section

    def _begin_between(self, line: TopologyLine) -> None:
        between = self._topology.between
        if between is None:
            atoms = [
                atom
                for kind, count in self._topology.molecules
                for _ in range(count)
                for atom in kind.atoms
            ]
            between = MoleculeType("the whole system", 0, line, atoms)
            self._topology.between = between
        self._molecule = between

    def _check_between(self, line: TopologyLine, section: str) -> None:
        """GROMACS has only terms there that are no chemical bonds and of more than one atom."""
        allowed = ("bonds", "pairs", "pairs_nb", "angles", "dihedrals")
        restraints = [each for each in MEMBERS if each.endswith(("restraints", "restraints_z"))]
        if section not in (*allowed, *restraints) or section == "position_restraints":
            line.fail(
                None,
                f"[ intermolecular_interactions ] has no [ {section} ]; expected "
                + ", ".join(f"[ {each} ]" for each in allowed),
            )

    def _defaults(self, line: TopologyLine, fields: list[str]) -> None:
        if self._has_defaults:
            line.fail(None, "a second line of [ defaults ]")
        self._has_defaults = True
        self._topology.defaults = Defaults.read(line, fields)
        self._topology.types.defaults = self._topology.defaults

    # ---- molecules

    def _moleculetype(self, line: TopologyLine, fields: list[str]) -> None:
        name = fields[0]
        nrexcl = line.integer_at(fields, 1, "nrexcl, the number of excluded bonds", 0, _MOST_ATOMS)
        if name in self._topology.kinds:
            line.fail(0, f"a second [ moleculetype ] of the name {name}")
        self._molecule = MoleculeType(name, nrexcl, line)
        self._topology.kinds[name] = self._molecule

    def _current(self, line: TopologyLine) -> MoleculeType:
        if self._molecule is None:
            line.fail(None, f"a line of [ {self._section} ] before a [ moleculetype ] has a name")
        return self._molecule

    def _atom(self, line: TopologyLine, fields: list[str]) -> None:
        molecule = self._current(line)
        next_number = len(molecule.atoms) + 1
        number = line.integer_at(fields, 0, "the number of an atom", -_MOST_ATOMS, _MOST_ATOMS)
        if number != next_number:
            line.fail(0, f"the number of an atom is {fields[0]}; expected {next_number}")
        if len(fields) < 6:
            line.fail(len(fields), "expected number, type, residue number, residue, name and group")
        line.integer_at(fields, 5, "the charge group", -_MOST_ATOMS, _MOST_ATOMS)
        types = self._topology.types.types
        if fields[1] not in types:
            line.fail(1, _unknown("atom type", fields[1], types))
        kind = types[fields[1]]
        residue = re.fullmatch(r"([+-]?\d{1,9})([^\d\s])?", fields[2], re.ASCII)
        if residue is None:
            line.fail(
                2, f'the residue number is "{fields[2]}"; expected a number such as 52 or 52A'
            )
        charge, mass = kind.charge, kind.mass
        state_b = None
        if len(fields) > 6:
            charge = line.number_at(fields, 6, "the charge")
        if len(fields) > 7:
            mass = line.number_at(fields, 7, "the mass")
        if len(fields) > 8:
            state_b = self._state_b(line, fields, (fields[1], charge, mass))
        molecule.atoms.append(
            TopologyAtom(
                fields[4],
                fields[1],
                fields[3],
                int(residue[1]),
                residue[2] or "",
                charge,
                mass,
                line,
                state_b,
            )
        )

    def _state_b(
        self, line: TopologyLine, fields: list[str], state_a: tuple[str, float, float]
    ) -> tuple[str, float, float] | None:
        types = self._topology.types.types
        if fields[8] not in types:
            line.fail(8, _unknown("atom type", fields[8], types))
        kind = types[fields[8]]
        charge, mass = kind.charge, kind.mass
        if len(fields) > 9:
            charge = line.number_at(fields, 9, "the charge of state B")
        if len(fields) > 10:
            mass = line.number_at(fields, 10, "the mass of state B")
        line.expect_end(fields, 11, "nr type resnr residue atom cgnr charge mass typeB qB mB")
        state_b = (fields[8], charge, mass)
        if state_b == state_a:
            return None
        self._notes.tell(STATE_B, line)
        return state_b

    def _numbers(self, line: TopologyLine, fields: list[str], count: int) -> tuple[int, ...]:
        molecule = self._current(line)
        if not molecule.atoms:
            line.fail(0, f"[ {self._section} ] of {molecule.name}, which has no atoms so far")
        return tuple(
            line.integer_at(fields, k, "the number of an atom", 1, len(molecule.atoms)) - 1
            for k in range(count)
        )

    def _entry(self, section: str, line: TopologyLine, fields: list[str]) -> None:
        count = MEMBERS[section]
        atoms = self._numbers(line, fields, count)
        if section == "settles":
            if atoms[0] + 3 > len(self._current(line).atoms):
                line.fail(0, "SETTLE needs two more atoms behind this one")
            atoms = (atoms[0], atoms[0] + 1, atoms[0] + 2)
        if len(set(atoms)) < len(atoms) and section != "angle_restraints":
            line.fail(None, f"an atom stands twice in this line of [ {section} ]")
        functions = FUNCTIONS[section]
        function = 1
        if len(fields) > count:
            function = line.integer_at(fields, count, "the function type", -99, 99)
        if abs(function) not in functions or (function < 0 and not _has_parity(section, function)):
            known = ", ".join(map(str, functions))
            line.fail(
                count, f"there is no function type {function} of [ {section} ]; expected {known}"
            )
        values = [line.number_at(fields, k, "a parameter") for k in range(count + 1, len(fields))]
        if function < 0 and values:
            self._notes.tell(
                "the sign of a function type has no meaning beside parameters, as in GROMACS", line
            )
        values_b: tuple[float, ...] = ()
        if section != "cmap":
            self._count_parameters(section, function, values, line)
            count = functions[abs(function)].parameters
            if values[count:] != values[: len(values) - count]:
                values_b = tuple(values[count:])
            values = values[:count]
        self._current(line).entries.append(
            Entry(section, function, atoms, tuple(values), line, values_b)
        )

    def _count_parameters(
        self, section: str, function: int, values: list[float], line: TopologyLine
    ) -> None:
        known = FUNCTIONS[section][abs(function)]
        both = known.parameters + known.parameters_b
        can_be_absent = bool(known.types) or section.startswith("virtual_sites")
        absent = (0,) if can_be_absent else ()
        if len(values) not in (*absent, known.parameters, both):
            expected = f"{known.parameters} or {both}" if known.parameters_b else known.parameters
            line.fail(
                None,
                f"a {known.name} ([ {section} ], function type {function}) has {len(values)} "
                f"parameters; expected {expected}",
            )
        if len(values) == both > known.parameters and values[: known.parameters_b] != list(
            values[known.parameters :]
        ):
            self._notes.tell(STATE_B, line)

    def _exclusions(self, line: TopologyLine, fields: list[str]) -> None:
        molecule = self._current(line)
        first = line.integer_at(fields, 0, "the number of an atom", -_MOST_ATOMS, _MOST_ATOMS)
        if not 1 <= first <= len(molecule.atoms):
            self._notes.tell(
                f"[ exclusions ] of the atom {first}, which {molecule.name} does not have: GROMACS "
                "passes over the line",
                line,
            )
            return
        for k in range(1, len(fields)):
            other = line.integer_at(fields, k, "the number of an atom", 1, len(molecule.atoms))
            if other != first:
                molecule.exclusions.add((min(first, other) - 1, max(first, other) - 1))

    def _site(self, line: TopologyLine, fields: list[str]) -> None:
        molecule = self._current(line)
        (atom,) = self._numbers(line, fields, 1)
        function = line.integer_at(fields, 1, "the function type", 1, 3)
        weights: dict[int, float] = {}
        step = 2 if function == 3 else 1
        for k in range(2, len(fields), step):
            other = line.integer_at(fields, k, "the number of an atom", 1, len(molecule.atoms)) - 1
            weight = 1.0
            if function == 2:
                weight = molecule.atoms[other].mass
            elif function == 3:
                weight = line.number_at(fields, k + 1, "the weight of an atom")
                if weight < 0.0:
                    line.fail(k + 1, "a weight is negative")
            weights[other] = weights.get(other, 0.0) + weight
        if not weights:
            line.fail(len(fields), "expected the atoms that the site is made of")
        if sum(weights.values()) <= 0.0:
            line.fail(None, "the weights of the atoms add up to 0")
        molecule.sites.append(Site(atom, weights, line))

    def _molecules(self, line: TopologyLine, fields: list[str]) -> None:
        kinds = self._topology.kinds
        alike = [name for name in kinds if name.lower() == fields[0].lower()]
        if fields[0] in kinds:
            name = fields[0]
        elif len(alike) == 1:
            (name,) = alike
        else:
            line.fail(0, _unknown("molecule type", fields[0], kinds))
        count = line.integer_at(fields, 1, "the number of molecules", 0, _MOST_ATOMS)
        if not kinds[name].atoms:
            line.fail(0, f"the molecule type {name} has no atoms")
        self._topology.molecules.append((kinds[name], count))


def _has_parity(section: str, function: int) -> bool:
    """Whether a negative function type stands for the mirror image."""
    return section == "virtual_sites3" and function in (-3, -4)


def _section_of(name: str) -> str | None:
    """GROMACS takes no notice of case, hyphens and underscores."""
    plain = re.sub(r"[-_]", "", name).lower()
    plain = re.sub(r"^dummies(?=[1234n]$)", "virtualsites", plain)
    return next((each for each in _SECTIONS if each.replace("_", "") == plain), None)


def _unknown(what: str, name: str, known: Iterable[str]) -> str:
    names = list(known)
    near = difflib.get_close_matches(name, names, 1)
    hint = f'did you mean "{near[0]}"?' if near else f"there are {', '.join(names[:8])}"
    return f'unknown {what} "{name}"; {hint}'
