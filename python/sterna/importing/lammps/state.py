"""The result of a script's commands so far: LAMMPS's state, as far as the importer needs it."""

import copy
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy

from sterna.errors import SternaError
from sterna.importing.lammps.atoms import AtomTable, read_atoms
from sterna.importing.lammps.bonded_rows import Coefficients, Kind, merged
from sterna.importing.lammps.bonded_styles import STYLES
from sterna.importing.lammps.command import Command, nearest
from sterna.importing.lammps.data_file import KINDS, PARTS, DataFile, read_data_file
from sterna.importing.lammps.lattice import Lattice
from sterna.importing.lammps.lines import joined_lines, without_comment
from sterna.importing.lammps.pair_styles import PAIR_STYLES, PairState
from sterna.importing.lammps.refused_styles import why_refused
from sterna.importing.lammps.regions import Region
from sterna.importing.lammps.variables import FormulaError
from sterna.importing.text import Line

#: Boltzmann's constant of LAMMPS, by units
BOLTZMANN = {"lj": 1.0, "real": 0.0019872067, "metal": 8.617343e-5}
#: Keywords of formulas that the box alone decides.
_FACTS_OF_BOX: dict[str, Callable[[DataFile], float]] = {
    **{f"l{axis}": lambda data, k=k: data.upper[k] - data.lower[k] for k, axis in enumerate("xyz")},
    **{f"{axis}lo": lambda data, k=k: data.lower[k] for k, axis in enumerate("xyz")},
    **{f"{axis}hi": lambda data, k=k: data.upper[k] for k, axis in enumerate("xyz")},
    "xy": lambda data: data.box[1, 0],
    "xz": lambda data: data.box[2, 0],
    "yz": lambda data: data.box[2, 1],
    "vol": lambda data: math.prod(data.upper - data.lower),
}  # fmt: skip
_BOUNDS = ("xmin", "xmax", "ymin", "ymax", "zmin", "zmax")

_HAS_PARTS = ("class2", "class2/p6")


@dataclass
class SpecialBonds:
    """Factors of pairs one, two and three bonds apart."""

    lennard_jones: tuple[float, ...] = (0.0, 0.0, 0.0)
    coulomb: tuple[float, ...] = (0.0, 0.0, 0.0)
    angles_only: bool = False  #: 1-3 pairs count only where an angle joins them
    dihedrals_only: bool = False  #: 1-4 pairs likewise
    command: Command | None = None


@dataclass
class BondedState:
    """A style of bonds, angles, dihedrals or impropers, and the terms of each type."""

    name: str
    styles: list[str]  #: the sub-styles of "hybrid", or the one
    command: Command | None
    kinds: dict[int, list[Kind]] = field(default_factory=dict)
    style_of: dict[int, str] = field(default_factory=dict)  #: style of each type


@dataclass
class Fix:
    identity: str
    group: str
    style: str
    command: Command  #: its arguments are ID, group, style, and those of the style


@dataclass
class Stage:
    """Runs with nothing changed in between."""

    commands: list[Command] = field(default_factory=list)


@dataclass
class State:
    data_path: Path | None  #: given by the user
    scripts: list[Path] = field(default_factory=list)
    data: DataFile | None = None
    atoms: AtomTable | None = None
    units: str | None = None
    atom_style: str | None = None
    dielectric: float = 1.0
    timestep: float | None = None
    pair: PairState | None = None
    bonded: dict[str, BondedState | None] = field(
        default_factory=lambda: dict.fromkeys(KINDS, None)
    )
    special_bonds: SpecialBonds = field(default_factory=SpecialBonds)
    kspace: str | None = None
    kspace_command: Command | None = None
    masses: dict[int, float] = field(default_factory=dict)
    groups: dict[str, set[int] | str] = field(default_factory=dict)  #: places; or why not known
    regions: dict[str, Region] = field(default_factory=dict)
    lattice: Lattice = field(default_factory=Lattice)
    templates: dict[str, Command] = field(default_factory=dict)  #: the commands that name them
    #: Type and ids of the bonded terms of molecules that create_atoms has placed.
    created: dict[str, list[tuple[int, tuple[int, ...]]]] = field(
        default_factory=lambda: {kind: [] for kind in KINDS}
    )
    fixes: dict[str, Fix] = field(default_factory=dict)
    temperature: float | None = None  #: temperature of velocities to draw
    norm: str = "two"  #: norm of forces in minimizations
    stages: list[Stage] = field(default_factory=list)
    fresh: bool = True  #: something has changed since the last run
    has_moved_box: bool = False  #: a run may have changed the box
    told: list[str] = field(default_factory=list)  #: notes for the user
    at_run: "State | None" = None  #: the state at the last run, since later commands change nothing
    #: the state before the command clear, if a run came before it
    before_clear: "State | None" = None

    def copy(self) -> "State":
        """Returns a copy that shares commands, lines of files and stages."""
        made = copy.copy(self)
        for name in ("masses", "groups", "regions", "fixes"):
            setattr(made, name, dict(getattr(self, name)))
        made.created = {kind: list(terms) for kind, terms in self.created.items()}
        made.pair, made.bonded = copy.deepcopy(self.pair), copy.deepcopy(self.bonded)
        made.data, made.atoms = copy.copy(self.data), copy.copy(self.atoms)
        made.data.counts, table = dict(self.data.counts), made.atoms
        for name in ("ids", "types", "molecules", "charges", "copies"):
            setattr(table, name, list(getattr(table, name)))
        table.place_of, table.positions = dict(table.place_of), table.positions.copy()
        if table.velocities is not None:
            table.velocities = table.velocities.copy()
        if table.exact is not None:
            table.exact = table.exact.copy()
        return made

    def ended(self) -> "State":
        """Returns the state that a whole script gives: that of its last run, if it has a run."""
        if self.data is None and self.before_clear is not None:
            return self.before_clear
        return self.at_run or self

    def changed(self, _what: str) -> None:
        """The next run is of another stage."""
        self.fresh = True

    def tell(self, command: Command, text: str) -> None:
        whole = f"{command.line.path}:{command.line.number}: {text}"
        if whole not in self.told:
            self.told.append(whole)  # A command of a loop tells it once.

    def need_data(self, command: Command) -> DataFile:
        """The data file, which is read now where no script reads it."""
        if self.data is None and self.data_path is not None and not self.reads_data():
            self.read_data(self.data_path)
        if self.data is None:
            command.line.fail(
                0, f"expected read_data or create_box before {command.name}: there are no atoms yet"
            )
        return self.data

    def reads_data(self) -> bool:
        """Whether a script has the command read_data or create_box."""
        first_words = (
            without_comment(line.text).split()[:1]
            for path in self.scripts
            for line in joined_lines(path)
        )
        return any(words in (["read_data"], ["create_box"]) for words in first_words)

    def read_data(self, path: Path, skips_coefficients: bool = False) -> None:
        """Raises SternaError with line and column."""
        self.data = read_data_file(path)
        data = self.data
        for line in data.lines("Masses"):
            fields = line.fields
            number = data.type_at(line, fields, 0, "atom")
            mass = line.number_at(fields, 1, "the mass of a type")
            if mass <= 0.0:
                line.fail(1, "a mass must be positive")
            line.expect_end(fields, 2, "type mass")
            self.masses[number] = mass
        if not skips_coefficients:
            self._coefficients_of_file()
        self.atoms = read_atoms(data, self.atom_style)

    def _coefficients_of_file(self) -> None:
        data = self.data
        for name in ("Pair Coeffs", "PairIJ Coeffs"):
            section = data.sections.get(name)
            if section is None:
                continue
            if self.pair is None:
                if self.scripts and section.style not in PAIR_STYLES:
                    continue  # A script that names no style for it is an error at the end.
                self.pair = PairState.of_section(section)
            count = 1 if name == "Pair Coeffs" else 2
            for line in section.lines:
                fields = line.fields
                types = [data.type_at(line, fields, k, "atom") - 1 for k in range(count)]
                of_all = data.count("atom types")
                self.pair.take([(min(types), max(types))], line, fields, count, of_all)
        for kind in KINDS:
            section = data.sections.get(f"{kind.capitalize()} Coeffs")
            if section is None:
                continue
            if self.bonded[kind] is None:
                if self.scripts and section.style not in (*STYLES[kind], "hybrid"):
                    continue
                self.bonded[kind] = BondedState(section.style, [section.style], None)
            for line in section.lines:
                fields = line.fields
                number = data.type_at(line, fields, 0, kind)
                self.take_bonded(kind, number, Coefficients(line, fields, 1))
        for name, (kind, part) in PARTS.items():
            if self.bonded[kind] is None and data.lines(name):
                data.sections[name].head.fail(None, f"expected {kind.capitalize()} Coeffs before")
            for line in data.lines(name):
                number = data.type_at(line, line.fields, 0, kind)
                self.take_bonded(kind, number, Coefficients(line, line.fields, 1, part))

    def take_bonded(self, kind: str, number: int, coefficients: Coefficients) -> None:
        """The coefficients of one type, by the present style."""
        state, styles = self.bonded[kind], STYLES[kind]
        line, name, place = coefficients.line, state.name, None
        if name == "hybrid":
            place = coefficients.next
            name = coefficients.word(f"a {kind} style")
            if state.command is not None and name not in (*state.styles, "none", "zero", "skip"):
                line.fail(place, f'the style "{name}" is not one of {kind}_style hybrid')
            if name == "skip":
                line.fail(place, f"skip of {kind}_style hybrid is not taken over")
        if name not in styles:
            taken = ", ".join(one for one in styles if one not in ("zero", "none"))
            line.fail(
                place,
                f'the {kind} style "{name}" is not taken over{why_refused(name)}; expected {taken}'
                if name
                else f"nothing says which {kind} style this is; expected "
                f'"{kind.capitalize()} Coeffs # {next(iter(styles))}" or an input script '
                f"with {kind}_style",
            )
        if coefficients.part and name not in _HAS_PARTS:
            line.fail(None, f"the {kind} style {name} has no coefficients of this section")
        units = self.units or (self.data.units if self.data is not None else "") or "lj"
        coefficients.boltzmann, coefficients.units = BOLTZMANN.get(units), units
        if state.command is not None and state.name != "hybrid":
            coefficients.style_arguments = state.command.arguments
        found = styles[name](coefficients)
        coefficients.end()
        self.told += [text for text in coefficients.told if text not in self.told]
        if state.style_of.get(number) != name:
            state.kinds.pop(number, None)
        state.style_of[number] = name
        state.kinds[number] = merged(state.kinds.get(number, []), found)

    def group(self, command: Command, k: int) -> set[int] | None:
        """Places of a group's atoms; None: all."""
        name = command.word(k, "a group")
        if name == "all":
            return None
        if name not in self.groups:
            command.fail(k, f'there is no group "{name}"{nearest(name, [*self.groups, "all"])}')
        members = self.groups[name]
        if isinstance(members, str):
            command.fail(k, f"the group {name} is not known: {members}")
        everything = self.atoms is not None and len(members) == len(self.atoms.ids)
        return None if everything else members

    def fact(self, name: str) -> float | None:
        """What a keyword of formulas stands for; None: there is no such keyword. Raises
        FormulaError where it is not known."""
        if name not in _FACTS_OF_BOX and name != "atoms":
            return None
        if self.data is None:
            raise FormulaError(f"{name} stands before there is a box")
        if name == "atoms":
            return float(len(self.atoms.ids))
        if self.has_moved_box:
            raise FormulaError(f"{name} is not known: a run has changed the box")
        return float(_FACTS_OF_BOX[name](self.data))

    def fact_of_group(self, name: str, words: list[str]) -> float | None:
        """The value of a function of a group; None: it is not evaluated. Raises FormulaError."""
        if self.data is None:
            raise FormulaError(f"{name} stands before there is a box")
        group = words[0] if words else ""
        members = set(range(len(self.atoms.ids))) if group == "all" else self.groups.get(group)
        if members is None:
            raise FormulaError(f'there is no group "{group}"')
        if isinstance(members, str):
            raise FormulaError(f"the group {group} is not known: {members}")
        chosen = sorted(members)
        if name == "bound" and len(words) == 2 and words[1] in _BOUNDS and chosen:
            if self.stages:
                raise FormulaError("where atoms are after a run is not known")
            axis = "xyz".index(words[1][0])
            found = self.wrapped()[chosen, axis]
            return float(found.min() if words[1].endswith("min") else found.max())
        if len(words) != 1 or name == "bound":
            return None
        if name == "count":
            return float(len(chosen))
        if name == "charge":
            return float(sum(self.atoms.charges[k] for k in chosen))
        missing = {self.atoms.types[k] for k in chosen} - self.masses.keys()
        if missing:
            raise FormulaError(f"the atom type {min(missing)} has no mass")
        return float(sum(self.masses[self.atoms.types[k]] for k in chosen))

    def wrapped(self) -> numpy.ndarray:
        """Returns the positions of atoms in the box, (atoms, 3), in the coordinates of scripts."""
        if self.atoms.exact is not None:
            return self.atoms.exact
        box = self.data.box
        parts = self.atoms.positions @ numpy.linalg.inv(box)
        return self.data.lower + self.atoms.positions - numpy.floor(parts) @ box

    def head(self) -> Line:
        """Returns the line to which messages about missing commands point."""
        if self.data is None:
            raise SternaError("the script makes no atoms; expected read_data", status=2)
        return Line(self.data.path, 1, self.data.title)
