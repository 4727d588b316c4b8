"""A data file and the commands of a script as a system to import."""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy

from sterna.elements import ELEMENTS
from sterna.errors import SternaError
from sterna.importing.lammps.data_file import (
    ATOM_STYLES,
    KINDS,
    LARGEST_ID,
    MEMBERS,
    DataFile,
    read_data_file,
)
from sterna.importing.lammps.script import Command, Script, read_scripts
from sterna.importing.lammps.styles import (
    PAIR_STYLES,
    STYLES,
    Coefficients,
    Kind,
    PairStyle,
    mixed,
)
from sterna.importing.lennard_jones import mixing_of
from sterna.importing.system import Atom, System, Term, term
from sterna.importing.text import Line, lines_of, read_text

_SPECIAL_BONDS = {
    "amber": ((0.0, 0.0, 0.5), (0.0, 0.0, 5.0 / 6.0)),
    "charmm": ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)),
    "dreiding": ((0.0, 0.0, 1.0), (0.0, 0.0, 1.0)),
}


PairTable = dict[tuple[int, int], tuple[float, float]]  #: epsilon and sigma


@dataclass(frozen=True)
class _Units:
    """Names and usual numbers of a style of units."""

    name: str
    nanometer: float  #: in its unit of length; 0 where it has none
    timestep: float
    temperature: float
    time_constant: float


_UNITS = {
    "real": _Units("real", 10.0, 1.0, 300.0, 100.0),
    "metal": _Units("metal", 10.0, 0.001, 300.0, 0.1),
    "lj": _Units("reduced", 0.0, 0.005, 1.0, 0.5),
}

_NEAR = 0.05  # u: masses of one element in two force fields


def is_data_file(path: Path) -> bool:
    """Whether a line like "1000 atoms" stands near its beginning."""
    if not path.is_file():
        return False
    head = read_text(path)[:20000]
    return any(re.fullmatch(r"\d+ atoms", " ".join(one.fields)) for one in lines_of(path, head))


def read_lammps(data: Path, scripts: list[Path], cutoff: float, constraints: str) -> System:
    """`cutoff` (nm) where no script gives one; `constraints`: "none", "hydrogen" or "all".

    Raises SternaError with line and column.
    """
    return _Builder(read_data_file(data), read_scripts(scripts), cutoff, constraints).build()


@dataclass
class _Builder:
    data: DataFile
    script: Script
    cutoff: float
    constraints: str
    atoms: list[Atom] = field(default_factory=list)
    place_of: dict[int, int] = field(default_factory=dict)  #: of ids
    type_of: list[int] = field(default_factory=list)  #: from 1

    def build(self) -> System:
        self.units = self._units()
        self.masses = self._masses()
        self.names = self._names()
        self.style, self.style_command = self._pair_style()
        epsilon_sigma, of_14 = self._pairs()
        positions = self._atoms()
        velocities = self._velocities()
        terms, joined, weights = self._terms()
        lj_14, coulomb_14, keys = self._special_bonds()
        if weights and (lj_14 or coulomb_14):
            raise SternaError(
                "dihedrals give weights to 1-4 pairs, and special_bonds has factors for them, too; "
                "expected special_bonds charmm",
                status=2,
            )
        terms += self._weighted_pairs(weights, of_14)
        mixing, others = mixing_of(
            [epsilon_sigma[a, a][::-1] for a in range(len(self.names))],
            {pair: values[::-1] for pair, values in epsilon_sigma.items()},
        )
        interaction = self._interaction()
        if mixing != "lorentz_berthelot":
            interaction["mixing"] = mixing
        if self.constraints != "none":
            keys["constrained_bonds"] = self.constraints
            terms += self._rigid_water(terms)
        charged = self.style.has_charges and any(atom.charge for atom in self.atoms)
        step = self.script.last("timestep")
        return System(
            units=self.units.name,
            atoms=self.atoms,
            types=[
                {"name": name, "mass": mass, "sigma": sigma or 1.0, "epsilon": epsilon}
                for name, mass, (epsilon, sigma) in zip(
                    self.names,
                    self.masses,
                    (epsilon_sigma[a, a] for a in range(len(self.names))),
                    strict=True,
                )
            ],
            pairs=[
                {
                    "first": self.names[a],
                    "second": self.names[b],
                    "sigma": sigma or 1.0,
                    "epsilon": epsilon,
                }
                for (a, b), (sigma, epsilon) in others.items()
            ],
            terms=terms,
            joined=joined,
            box=self.data.box,
            positions=positions,
            velocities=velocities,
            interaction=interaction,
            electrostatics={"kind": "fmm", "accuracy": 1e-4} if charged else None,
            run={
                "steps": 10000,
                "timestep": self.units.timestep
                if step is None
                else step.line.number_at(["timestep", *step.arguments], 1, "the time step"),
            },
            thermostat={
                "kind": "stochastic_velocity_rescaling",
                "temperature": self.units.temperature,
                "time_constant": self.units.time_constant,
            },
            temperature=None if velocities is not None else self.units.temperature,
            molecule_name=self._molecule_name,
            atom_name=lambda atom: f"atom {atom + 1}",
            can_reorder=True,
            molecule_keys=keys,
        )

    # ---- what the script, or the file, says of the whole

    def _head(self) -> Line:
        return Line(self.data.path, 1, self.data.title)

    def _units(self) -> _Units:
        command = self.script.last("units")
        if command is not None:
            name = command.arguments[0] if command.arguments else ""
            if name not in _UNITS:
                command.fail(0, f'units "{name}" are not taken over; expected real, metal or lj')
            return _UNITS[name]
        if self.data.units:
            if self.data.units not in _UNITS:
                self._head().fail(
                    None,
                    f'units "{self.data.units}" are not taken over; expected real, metal or lj',
                )
            return _UNITS[self.data.units]
        if self.script.commands:
            return _UNITS["lj"]  # which LAMMPS has where nothing is said
        self._head().fail(
            None,
            "nothing says in which units the file is: expected `units = real` in its first line, "
            "as write_data leaves it, or an input script with the command units",
        )

    def _masses(self) -> list[float]:
        count = self.data.count("atom types")
        masses: list[float | None] = [None] * count
        for line in self.data.lines("Masses"):
            fields = line.fields
            number = self.data.type_at(line, fields, 0, "atom")
            mass = line.number_at(fields, 1, "the mass of a type")
            if mass <= 0.0:
                line.fail(1, "a mass must be positive")
            line.expect_end(fields, 2, "type mass")
            masses[number - 1] = mass
        for command in self.script.all("mass"):
            fields = [command.name, *command.arguments]
            for number in self._range(command, 0, "atom"):
                masses[number - 1] = command.line.number_at(fields, 2, "the mass of a type")
        for number, mass in enumerate(masses, 1):
            if mass is None:
                self._head().fail(None, f"the atom type {number} has no mass")
        return masses

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

    def _pair_style(self) -> tuple[PairStyle, Command | None]:
        command = self.script.last("pair_style")
        section = self.data.sections.get("Pair Coeffs") or self.data.sections.get("PairIJ Coeffs")
        expected = ", ".join(PAIR_STYLES)
        if command is not None:
            name = command.arguments[0] if command.arguments else ""
            if name not in PAIR_STYLES:
                command.fail(
                    0, f'the pair style "{name}" is not taken over; expected one of {expected}'
                )
            return PAIR_STYLES[name], command
        if section is None:
            self._head().fail(
                None,
                "the file has no pair coefficients; expected an input script with pair_style and "
                "pair_coeff",
            )
        if section.style not in PAIR_STYLES:
            section.head.fail(
                None,
                f'the pair style "{section.style}" is not taken over; expected one of {expected}'
                if section.style
                else f"nothing says which pair style this is; expected one of {expected}, as in "
                '"Pair Coeffs # lj/cut/coul/long", or an input script with pair_style',
            )
        if PAIR_STYLES[section.style].has_inner:
            section.head.fail(
                None,
                f"{section.style} is switched from an inner distance on; expected an input script "
                "with pair_style and its distances",
            )
        return PAIR_STYLES[section.style], None

    def _interaction(self) -> dict[str, Any]:
        truncation = self.style.truncation
        shift = self._pair_modify("shift", "no")
        interaction: dict[str, Any] = {}
        if self.style_command is None:
            if self.units.nanometer == 0.0:
                self._head().fail(None, "expected an input script with pair_style and its cutoff")
            interaction["cutoff"] = self.cutoff * self.units.nanometer
        else:
            line = self.style_command.line
            fields = [self.style_command.name, *self.style_command.arguments]
            if self.style.has_inner:
                interaction["switch_start"] = line.number_at(fields, 2, "the inner distance")
                interaction["cutoff"] = line.number_at(fields, 3, "the cutoff")
            else:
                interaction["cutoff"] = line.number_at(fields, 2, "the cutoff")
        if shift == "yes" and truncation == "truncated":
            truncation = "shifted"
        interaction["truncation"] = truncation
        if self._pair_modify("tail", "no") == "yes":
            interaction["tail_correction"] = "homogeneous"
        return interaction

    def _pair_modify(self, key: str, preset: str) -> str:
        value = preset
        for command in self.script.all("pair_modify"):
            for name, text in zip(command.arguments[:-1], command.arguments[1:], strict=True):
                if name == key:
                    value = text
        return value

    # ---- pairs of types

    def _range(self, command: Command, place: int, kind: str) -> range:
        """Types by a number, a label, or `m*n`."""
        text = command.arguments[place] if place < len(command.arguments) else ""
        count = self.data.count(f"{kind} types")
        if text in self.data.labels.get(kind, {}):
            number = self.data.labels[kind][text]
            return range(number, number + 1)
        if "*" in text:
            first, _, last = text.partition("*")
            limits = (first or "1", last or str(count))
        else:
            limits = (text, text)
        if not all(re.fullmatch(r"\d{1,9}", limit) for limit in limits):
            command.fail(place, f'expected {kind} types such as 2, 1*3 or *; found "{text}"')
        low, high = map(int, limits)
        if not 1 <= low <= high <= count:
            command.fail(place, f"there is no such {kind} type; expected 1 to {count}")
        return range(low, high + 1)

    def _pairs(self) -> tuple[PairTable, PairTable]:
        """Epsilon and sigma of pairs of types (first at most second, from 0), and of 1-4 pairs."""
        given: PairTable = {}
        of_14: PairTable = {}

        def take(pair: tuple[int, int], c: Coefficients) -> None:
            values = [(c.number("epsilon"), c.number("sigma"))]
            if self.style.has_pairs_14 and c.more:
                values.append((c.number("epsilon of 1-4 pairs"), c.number("sigma of 1-4 pairs")))
            for k, value in enumerate(number for two in values for number in two):
                if value < 0.0:
                    c.line.fail(c.next - 2 * len(values) + k, "expected no negative number")
            given[pair], of_14[pair] = values[0], values[-1]
            if c.more:
                c.line.fail(c.next, "cutoffs of single pairs of types are not taken over")

        for line in self.data.lines("Pair Coeffs"):
            fields = line.fields
            number = self.data.type_at(line, fields, 0, "atom") - 1
            take((number, number), Coefficients(line, fields, 1))
        for line in self.data.lines("PairIJ Coeffs"):
            fields = line.fields
            first, second = (self.data.type_at(line, fields, k, "atom") - 1 for k in (0, 1))
            take((min(first, second), max(first, second)), Coefficients(line, fields, 2))
        for command in self.script.all("pair_coeff"):
            fields = [command.name, *command.arguments]
            ranges = [self._range(command, k, "atom") for k in (0, 1)]
            # As LAMMPS: of two ranges those pairs whose first type is not above the second.
            ordered = {(a, b) for a in ranges[0] for b in ranges[1] if a <= b}
            for a, b in sorted(ordered or {(b, a) for a in ranges[0] for b in ranges[1]}):
                take((a - 1, b - 1), Coefficients(command.line, fields, 3))
        for number in range(len(self.names)):
            if (number, number) not in given:
                self._head().fail(None, f"the atom type {number + 1} has no pair coefficients")
        return self._completed(given), self._completed(of_14)

    def _completed(self, given: PairTable) -> PairTable:
        """With what mixing gives."""
        rule = self._pair_modify("mix", self.style.mixing)
        numbers = range(len(self.names))
        return {
            (a, b): given.get((a, b)) or mixed(rule, given[a, a], given[b, b])
            for a in numbers
            for b in numbers
            if a <= b
        }

    def _special_bonds(self) -> tuple[float, float, dict[str, Any]]:
        """Factors of 1-4 pairs, and the keys of a molecule that say all of it."""
        lennard_jones = coulomb = (0.0, 0.0, 0.0)
        for command in self.script.all("special_bonds"):
            words = command.arguments
            fields = [command.name, *words]
            k = 0
            while k < len(words):
                if words[k] in _SPECIAL_BONDS:
                    lennard_jones, coulomb = _SPECIAL_BONDS[words[k]]
                    k += 1
                    continue
                if words[k] in ("angle", "dihedral") and words[k + 1 : k + 2] == ["no"]:
                    k += 2
                    continue
                if words[k] not in ("lj", "coul", "lj/coul"):
                    command.fail(k, f'"{words[k]}" of special_bonds is not taken over')
                three = tuple(
                    command.line.number_at(fields, k + 2 + n, "a factor of special_bonds")
                    for n in range(3)
                )
                lennard_jones = three if "lj" in words[k] else lennard_jones
                coulomb = three if "coul" in words[k] else coulomb
                k += 4
        near = {*lennard_jones[:2], *coulomb[:2]}
        if near == {0.0}:
            if lennard_jones[2] == coulomb[2] == 1.0:
                return 1.0, 1.0, {"excluded_bonds": 2}
            keys = {
                "excluded_bonds": 3,
                "lennard_jones_14": lennard_jones[2],
                "coulomb_14": coulomb[2],
            }
            return lennard_jones[2], coulomb[2], keys
        if near == {1.0} and lennard_jones[2] == coulomb[2] == 1.0:
            return 1.0, 1.0, {"excluded_bonds": 0}
        self.script.all("special_bonds")[-1].fail(
            None,
            "factors of pairs one and two bonds apart are not taken over; expected 0, or 1 for all",
        )
        raise AssertionError

    # ---- atoms

    def _atoms(self) -> numpy.ndarray:
        section = self.data.sections["Atoms"]
        command = self.script.last("atom_style")
        style = section.style or (command.arguments[0] if command and command.arguments else "")
        if not style and len(section.lines[0].fields) in (7, 10):
            style = "full"
        if style not in ATOM_STYLES:
            section.head.fail(
                None,
                f'the atom style "{style}" is not read; expected {", ".join(ATOM_STYLES)}'
                if style
                else 'nothing says which atom style this is; expected "Atoms # full" or an input '
                "script with atom_style",
            )
        columns = ATOM_STYLES[style]
        x = len(columns)
        form = " ".join([*columns, "x", "y", "z"])
        lines = []
        for line in section.lines:
            fields = line.fields
            lines.append((line.integer_at(fields, 0, "the id of an atom", 1, LARGEST_ID), line))
        # LAMMPS writes them in any order; ids say which atoms of two molecules are alike.
        lines.sort(key=lambda one: one[0])
        positions = numpy.empty((len(lines), 3))
        images = numpy.zeros((len(lines), 3))
        for n, (identity, line) in enumerate(lines):
            fields = line.fields
            if len(fields) not in (x + 3, x + 6):
                line.fail(
                    min(x + 3, len(fields)),
                    f"expected {x + 3} columns, `{form}`, or {x + 6} with image flags; found "
                    f"{len(fields)}",
                )
            if identity in self.place_of:
                line.fail(0, f"a second atom of id {identity}")
            self.place_of[identity] = n
            number = self.data.type_at(line, fields, columns.index("type"), "atom")
            self.type_of.append(number)
            charge = 0.0
            if "charge" in columns and self.style.has_charges:
                charge = line.number_at(fields, columns.index("charge"), "the charge")
            self.atoms.append(Atom(self.names[number - 1], self.names[number - 1], charge))
            for k in range(3):
                positions[n, k] = line.number_at(fields, x + k, f"the {'xyz'[k]} coordinate")
                if len(fields) > x + 3:
                    images[n, k] = line.integer_at(
                        fields, x + 3 + k, "an image flag", -(10**6), 10**6
                    )
        return positions - self.data.lower + images @ self.data.box

    def _place(self, line: Line, fields: list[str], k: int) -> int:
        identity = line.integer_at(fields, k, "the id of an atom", 1, LARGEST_ID)
        if identity not in self.place_of:
            line.fail(k, f"there is no atom {identity}")
        return self.place_of[identity]

    def _velocities(self) -> numpy.ndarray | None:
        if "Velocities" not in self.data.sections:
            return None
        velocities = numpy.full((len(self.atoms), 3), numpy.nan)
        for line in self.data.lines("Velocities"):
            fields = line.fields
            place = self._place(line, fields, 0)
            if not numpy.isnan(velocities[place, 0]):
                line.fail(0, f"a second velocity of atom {fields[0]}")
            for k in range(3):
                velocities[place, k] = line.number_at(fields, 1 + k, "a component of the velocity")
            line.expect_end(fields, 4, "id vx vy vz")
        return velocities

    # ---- bonded terms

    def _kinds(self, kind: str) -> dict[int, list[Kind]]:
        """The terms of each type."""
        found: dict[int, list[Kind]] = {}
        styles = STYLES[kind]
        command = self.script.last(f"{kind}_style")
        section = self.data.sections.get(f"{kind.capitalize()} Coeffs")
        style = command.arguments[0] if command is not None and command.arguments else ""
        style = style or (section.style if section is not None else "")

        def take(number: int, line: Line, fields: list[str], first: int) -> None:
            name = style
            if style == "hybrid":
                name, first = (fields[first] if first < len(fields) else ""), first + 1
            if name not in styles:
                line.fail(
                    first - 1 if style == "hybrid" else None,
                    f'the {kind} style "{name}" is not taken over; expected {", ".join(styles)}'
                    if name
                    else f"nothing says which {kind} style this is; expected "
                    f'"{kind.capitalize()} Coeffs # {next(iter(styles))}" or an input script '
                    f"with {kind}_style",
                )
            coefficients = Coefficients(line, fields, first)
            found[number] = styles[name](coefficients)
            coefficients.end()

        for line in section.lines if section is not None else []:
            fields = line.fields
            take(self.data.type_at(line, fields, 0, kind), line, fields, 1)
        for command in self.script.all(f"{kind}_coeff"):
            fields = [command.name, *command.arguments]
            for number in self._range(command, 0, kind):
                take(number, command.line, fields, 2)
        return found

    def _terms(self) -> tuple[list[Term], list[tuple[int, int]], dict[tuple[int, int], float]]:
        """All terms, pairs of atoms that belong together, and the weights of 1-4 pairs."""
        terms: list[Term] = []
        joined: list[tuple[int, int]] = []
        weights: dict[tuple[int, int], float] = {}
        for kind in KINDS:
            section = f"{kind.capitalize()}s"
            lines = self.data.lines(section)
            if self.data.count(section.lower()) and section not in self.data.sections:
                self._head().fail(None, f'the section "{section}" is missing')
            kinds = self._kinds(kind) if lines else {}
            form = " ".join(["id", "type", *(f"atom{k + 1}" for k in range(MEMBERS[kind]))])
            for line in lines:
                fields = line.fields
                number = self.data.type_at(line, fields, 1, kind)
                if number not in kinds:
                    line.fail(1, f"the {kind} type {number} has no coefficients")
                atoms = tuple(self._place(line, fields, 2 + k) for k in range(MEMBERS[kind]))
                line.expect_end(fields, 2 + MEMBERS[kind], form)
                if len(set(atoms)) < len(atoms):
                    line.fail(None, f"an atom stands twice in this {kind}")
                joined += [(atoms[0], other) for other in atoms[1:]]
                for one in kinds[number]:
                    if one.section == "weight_14":
                        ends = (min(atoms[0], atoms[3]), max(atoms[0], atoms[3]))
                        weights[ends] = weights.get(ends, 0.0) + one.parameters["weight"]
                    else:
                        terms.append(term(one.section, atoms, **one.parameters))
        return terms, joined, weights

    def _weighted_pairs(
        self, weights: dict[tuple[int, int], float], of_14: PairTable
    ) -> list[Term]:
        found = []
        for (first, second), weight in weights.items():
            a, b = sorted(self.type_of[k] - 1 for k in (first, second))
            epsilon, sigma = of_14[a, b]
            product = self.atoms[first].charge * self.atoms[second].charge
            found.append(
                term(
                    "special_pair",
                    (first, second),
                    epsilon=weight * epsilon,
                    sigma=sigma or 1.0,
                    charge_product=weight * product,
                )  # fmt: skip
            )
        return found

    def _rigid_water(self, terms: list[Term]) -> list[Term]:
        """The third distance of molecules of an oxygen and two hydrogens, whose bonds are kept."""
        bonds: dict[int, dict[int, float]] = {}
        angles: dict[tuple[int, ...], float] = {}
        for one in terms:
            values = dict(one.parameters)
            if one.section == "bond":
                first, second = one.atoms
                bonds.setdefault(first, {})[second] = values["r0"]
                bonds.setdefault(second, {})[first] = values["r0"]
            elif one.section == "angle" and values["potential"] == "harmonic":
                angles[one.atoms] = values["theta0"]
        found = []
        for (first, middle, last), theta0 in angles.items():
            symbols = [self.symbols[self.type_of[k] - 1] for k in (first, middle, last)]
            if symbols != ["H", "O", "H"] or len(bonds.get(middle, {})) != len("HH"):
                continue
            a, b = bonds[middle][first], bonds[middle][last]
            distance = (a * a + b * b - 2.0 * a * b * numpy.cos(numpy.radians(theta0))) ** 0.5
            found.append(term("constraint", (first, last), distance=float(distance)))
        return found

    def _molecule_name(self, members: list[int]) -> str:
        """Its formula, carbon and hydrogen first."""
        counts: dict[str, int] = {}
        for k in members:
            symbol = self.symbols[self.type_of[k] - 1]
            counts[symbol] = counts.get(symbol, 0) + 1
        largest_formula = 60
        if "X" in counts or len(members) > largest_formula:
            return "molecule"
        order = sorted(counts, key=lambda s: ({"C": 0, "H": 1}.get(s, 2), s))
        return "".join(f"{s}{counts[s] if counts[s] > 1 else ''}" for s in order)
