"""A system of AMBER, for an input in the units "nano"."""

import math
import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy

from sterna.errors import SternaError
from sterna.importing import coulomb
from sterna.importing.amber.coordinates import Coordinates, box_of, problem_of, read_coordinates
from sterna.importing.amber.masks import Known
from sterna.importing.amber.mdin import RunParameters, read_mdin, restrained
from sterna.importing.amber.pairs import Coefficients
from sterna.importing.amber.prmtop import Prmtop, is_topology
from sterna.importing.amber.terms import Pair14, Terms
from sterna.importing.asked import run_as_asked
from sterna.importing.box import heights, require_twice_the_cutoff
from sterna.importing.lennard_jones import Parameters, Powers, mixing_of
from sterna.importing.molecules import are_scattered
from sterna.importing.notes import Notes
from sterna.importing.sources import PLACES, places_of
from sterna.importing.system import Atom, Reference, Residue, System, Term, term
from sterna.support.elements import SYMBOLS

_DIGITS = 1e-6  #: relative; A and B have eight digits, and LEaP mixed with fewer
_LARGEST_MASS = 1e9  #: u
TOPOLOGIES = (".prmtop", ".parm7", ".top")
COORDINATES = (".inpcrd", ".rst7", ".ncrst", ".crd", ".rst", *PLACES)


@dataclass(frozen=True)
class Choices:
    """Choices of the user that files of AMBER do not make."""

    cutoff: float  #: nm
    constraints: str  #: "none", "hydrogen", "all"; of an mdin "h-bonds", "all-bonds"
    box: tuple[float, float, float] | None = None  #: nm; edges where files have none
    #: the other settings of the run; it has its own cutoff and constraints
    mdin: Path | None = None
    reference: Path | None = None  #: a file with the places of position restraints


def files_of_amber(files: list[Path]) -> tuple[Path, Path] | None:
    """A topology and a file of places; None where these are files of others."""
    topologies = [
        path
        for path in files
        if path.suffix.lower() in TOPOLOGIES
        and (path.suffix.lower() != ".top" or is_topology(path))
    ]
    places = [path for path in files if path.suffix.lower() in COORDINATES]
    if len(files) != 2 or len(topologies) != 1 or len(places) != 1:
        return None
    for path in files:
        if not path.is_file():
            raise SternaError(f"the file {path} does not exist or is no file", status=2)
    return topologies[0], places[0]


def with_mdin(choices: Choices, notes: Notes) -> tuple[Choices, RunParameters | None]:
    """Returns the choices with those of the mdin file, and all its settings. Raises SternaError."""
    if choices.mdin is None:
        if choices.reference is not None:
            raise SternaError(
                f"{choices.reference} is the reference of position restraints, which an mdin asks for; "
                "expected --mdin, too",
                status=2,
            )
        return choices, None
    found = read_mdin(choices.mdin, notes)
    return replace(choices, cutoff=found.cutoff, constraints=found.constraints), found


def read_amber(path: Path, places: Path, choices: Choices) -> System:
    """Raises SternaError with file, line and column."""
    notes = Notes()
    choices, asked = with_mdin(choices, notes)
    builder = _Builder(Prmtop(path), places, choices, notes)
    system = builder.build()
    return system if asked is None else builder.as_asked(system, asked)


@dataclass
class _Builder:
    prmtop: Prmtop
    places: Path
    choices: Choices
    notes: Notes = field(default_factory=Notes)

    def build(self) -> System:
        prmtop, choices = self.prmtop, self.choices
        self._require_known()
        coefficients = Coefficients(prmtop)
        masses = prmtop.numbers("MASS")
        self._require_masses(masses)
        terms = Terms(prmtop, coefficients, choices.constraints, masses)
        constant = coulomb.OF_CHARMM if prmtop.is_chamber else coulomb.OF_AMBER
        charges = [value / math.sqrt(constant) for value in prmtop.numbers("CHARGE")]
        coordinates = self._coordinates()
        box = self._box(coordinates)
        require_twice_the_cutoff(box, choices.cutoff, self.places)
        self._require_whole(coordinates, terms, box)
        names = self._type_names(coefficients, masses)
        parameters, mixing, pairs = self._lennard_jones(coefficients, names)
        residues = self._residues()
        types = [names[coefficients.types[k], masses[k]] for k in range(len(masses))]
        atoms = [
            Atom(name, types[k], charges[k], residues[k])
            for k, name in enumerate(prmtop.texts("ATOM_NAME"))
        ]
        interaction: dict[str, Any] = {
            "cutoff": choices.cutoff,
            "truncation": "truncated",
            "tail_correction": "homogeneous",
        }
        if mixing != "lorentz_berthelot":
            interaction["mixing"] = mixing
        velocities = coordinates.velocities
        if velocities is not None and not velocities.any():
            velocities = None

        def atom_name(atom: int) -> str:
            residue = residues[atom]
            return f"atom {atom + 1} ({atoms[atom].name} of {residue.name} {residue.number})"

        def molecule_name(members: list[int]) -> str:
            of_these = {residues[k] for k in members}
            first = residues[members[0]]
            name = first.name if len(of_these) == 1 else f"chain_{first.chain or first.number}"
            # The name becomes part of the name of a file.
            return re.sub(r"[^A-Za-z0-9_+-]", "_", name)

        joined = list(terms.bonds)
        special = self._special_pairs(terms, coefficients, charges)
        inside = [*joined]
        for one in (*terms.bonded, *terms.sites, *special):
            inside += [(one.atoms[0], other) for other in one.atoms[1:]]
        return System(
            units="nano",
            atoms=atoms,
            types=[
                {"name": name, "mass": mass, "sigma": sigma, "epsilon": epsilon}
                for ((_, mass), name), (sigma, epsilon) in zip(
                    names.items(), parameters, strict=True
                )
            ],
            pairs=pairs,
            terms=[
                *terms.bonded,
                *(term("constraint", pair, distance=length) for pair, length in terms.held.items()),
                *terms.sites,
                *special,
            ],
            joined=joined,
            box=box,
            positions=coordinates.positions,
            velocities=velocities,
            interaction=interaction,
            electrostatics=coulomb.electrostatics_of(constant) if any(charges) else None,
            run={"steps": 10000, "timestep": 0.002 if terms.held else 0.0005},
            thermostat={
                "kind": "stochastic_velocity_rescaling",
                "temperature": 300.0,
                "time_constant": 0.1,
            },
            temperature=300.0 if velocities is None else None,
            molecule_name=molecule_name,
            atom_name=atom_name,
            can_reorder=self._are_scattered(inside, len(atoms)),
            molecule_keys={"excluded_bonds": 0},
            not_kept=self.notes.texts(),
        )

    def as_asked(self, system: System, asked: RunParameters) -> System:
        """A system run as an mdin file asks for."""
        velocities = system.velocities if asked.line_of_velocities is not None else None
        if velocities is None and asked.line_of_velocities is not None:
            asked.line_of_velocities(
                f"irest is 1, which goes on with velocities, and {self.places} has none"
            )
        held = restrained(asked, self._known())
        return run_as_asked(
            system,
            asked,
            velocities,
            restraints=[(atom, (asked.stiffness,) * 3) for atom in held],
            reference=self._reference(system.box, bool(held)),
            reference_scaling=asked.reference_scaling,
            # Restraints have no part in the virial of sander and pmemd.
            restraint_virial="ignored",
            not_kept=self.notes.texts(),
        )

    def _known(self) -> Known:
        """The properties of atoms that masks use."""
        prmtop = self.prmtop
        starts = prmtop.integers("RESIDUE_POINTER")
        atoms = prmtop.pointers["NATOM"]
        ends = [*starts[1:], atoms + 1]
        residues = [k + 1 for k in range(len(starts)) for _ in range(ends[k] - starts[k])]
        labels = prmtop.texts("RESIDUE_LABEL")
        elements: list[str] = []
        if prmtop.has("ATOMIC_NUMBER"):
            elements = [
                SYMBOLS[number - 1] if 1 <= number <= len(SYMBOLS) else ""
                for number in prmtop.integers("ATOMIC_NUMBER")
            ]
        return Known(
            names=prmtop.texts("ATOM_NAME"),
            types=prmtop.texts("AMBER_ATOM_TYPE")
            if prmtop.has("AMBER_ATOM_TYPE")
            else [""] * atoms,
            elements=elements,
            residues=residues,
            residue_names=[labels[number - 1] for number in residues],
        )

    def _reference(self, box: numpy.ndarray, has_restraints: bool) -> Reference | None:
        path = self.choices.reference
        if path is None:
            if has_restraints:
                self.notes.tell(
                    "without --reference, restraints hold atoms where they are at the start"
                )
            return None
        if not has_restraints:
            raise SternaError(
                f"{path} is the reference of position restraints, but {self.choices.mdin} asks for "
                "none; expected ntr = 1",
                status=2,
            )
        found = self._coordinates_of(path)
        return Reference(found.positions, box if found.box is None else found.box)

    def _require_known(self) -> None:
        prmtop = self.prmtop
        if prmtop.has("IPOL") and any(prmtop.integers("IPOL")):
            prmtop.section("IPOL").fail_at(
                0, "the topology has polarizable atoms, which Sterna lacks"
            )
        if prmtop.pointers["IFPERT"] != 0:
            prmtop.fail_at_pointer(
                "IFPERT", "the topology has a perturbed system; expected IFPERT 0"
            )
        if prmtop.pointers["IFCAP"] != 0:
            prmtop.fail_at_pointer("IFCAP", "the topology has a cap of water; expected IFCAP 0")
        if prmtop.unknown:
            self.notes.tell(
                f"{prmtop.path}: sections that Sterna does not know are left out: "
                + ", ".join(prmtop.unknown)
            )
        # LEaP writes radii into all topologies; a box says that solvent is there.
        if prmtop.pointers["IFBOX"] == 0 and prmtop.has("RADII"):
            self.notes.tell(
                f"{prmtop.path}: radii of implicit solvent are not taken over: the molecule is computed "
                "in vacuum, with its periodic images"
            )

    def _require_masses(self, masses: list[float]) -> None:
        for atom, mass in enumerate(masses):
            if not 0.0 <= mass <= _LARGEST_MASS:
                self.prmtop.section("MASS").fail_at(
                    atom, f"a mass is {mass:g}; expected one of 0 to {_LARGEST_MASS:g}"
                )

    # ---- places

    def _coordinates(self) -> Coordinates:
        return self._coordinates_of(self.places)

    def _coordinates_of(self, path: Path) -> Coordinates:
        count = self.prmtop.pointers["NATOM"]
        if path.suffix.lower() not in PLACES:
            return read_coordinates(path, count, self.prmtop.pointers["IFBOX"] != 0)
        positions, box = places_of(path)
        if len(positions) != count:
            raise SternaError(
                f"{path} has {len(positions)} atoms, and the system of {self.prmtop.path} has {count}",
                status=2,
            )
        return Coordinates(path, positions, None, box)

    def _box(self, coordinates: Coordinates) -> numpy.ndarray:
        if coordinates.box is not None:
            return coordinates.box
        if self.prmtop.has("BOX_DIMENSIONS") and self.prmtop.pointers["IFBOX"] != 0:
            self.prmtop.expect("BOX_DIMENSIONS", 4, "the format of AMBER")
            beta, *lengths = self.prmtop.numbers("BOX_DIMENSIONS")
            # A truncated octahedron has the same angle three times.
            angles = [beta] * 3 if self.prmtop.pointers["IFBOX"] == 2 else [90.0, beta, 90.0]
            if any(lengths):
                problem = problem_of(lengths, angles)
                if problem is not None:
                    self.prmtop.section("BOX_DIMENSIONS").fail_at(
                        0 if "angle" in problem else 1, problem
                    )
                return box_of(lengths, angles)
        if self.choices.box is not None:
            return numpy.diag(self.choices.box)
        raise SternaError(
            f"{self.places} has no box; expected its lengths in the last line, or --box with its edges "
            "in nm, such as --box 4,4,4",
            status=2,
        )

    def _require_whole(self, coordinates: Coordinates, terms: Terms, box: numpy.ndarray) -> None:
        """Raises SternaError at a bond across the box: AMBER computes it at its full length."""
        if self.places.suffix.lower() in PLACES:
            return
        most = 0.5 * float(heights(box).min())
        x = coordinates.positions
        for first, second in terms.bonds:
            length = float(numpy.linalg.norm(x[second] - x[first]))
            if not length < most:
                coordinates.fail_at(
                    second, f"the atoms {first + 1} and {second + 1} are bonded, and {length:.6g} nm "
                    "apart, more than half of the box; expected whole molecules",
                )  # fmt: skip

    # ---- types and pairs

    def _type_names(
        self, coefficients: Coefficients, masses: list[float]
    ) -> dict[tuple[int, float], str]:
        """Names types by the type of Lennard-Jones pairs and the mass; AMBER's own names if they
        differ.
        """
        known = self.prmtop.texts("AMBER_ATOM_TYPE") if self.prmtop.has("AMBER_ATOM_TYPE") else []
        names: dict[tuple[int, float], str] = {}
        taken: set[str] = set()
        for atom, key in enumerate(zip(coefficients.types, masses, strict=True)):
            if key in names:
                continue
            first = (known[atom] if known else "") or f"T{key[0] + 1}"
            unique, number = first, 1
            while unique in taken:
                number += 1
                unique = f"{first}_{number}"
            taken.add(unique)
            names[key] = unique
        return names

    def _lennard_jones(
        self, coefficients: Coefficients, names: dict[tuple[int, float], str]
    ) -> tuple[list[Parameters], str, list[dict[str, Any]]]:
        types = [kind for kind, _ in names]
        texts = list(names.values())
        different = list(dict.fromkeys(types))
        wells = {
            (a, b): coefficients.well(a, b) for n, a in enumerate(different) for b in different[n:]
        }
        found = {
            (a, b): wells.get((types[a], types[b])) or wells[types[b], types[a]]
            for a in range(len(types))
            for b in range(a, len(types))
        }
        parameters = [found[a, a] for a in range(len(types))]
        mixing, others = mixing_of(parameters, found, _DIGITS)
        pairs = [
            {"first": texts[a], "second": texts[b], "sigma": sigma, "epsilon": epsilon}
            for (a, b), (sigma, epsilon) in others.items()
        ]
        return parameters, mixing, pairs

    def _special_pairs(
        self, terms: Terms, coefficients: Coefficients, charges: list[float]
    ) -> list[Term]:
        made = []
        for pair in sorted(terms.excluded):
            found = terms.pairs_14.get(pair)
            product = 0.0
            powers = Powers()
            if found is not None:
                powers = found.powers
                product = found.charge_factor * charges[pair[0]] * charges[pair[1]]
            if powers.c12 == powers.c6 == product == 0.0:
                made.append(term("exclusion", pair))
                continue
            assert found is not None
            sigma, epsilon = self._well_of(found, pair)
            made.append(
                term("special_pair", pair, epsilon=epsilon, sigma=sigma, charge_product=product)
            )
        return made

    @staticmethod
    def _well_of(found: Pair14, pair: tuple[int, int]) -> Parameters:
        powers = found.powers
        if powers.c12 < 0.0 or powers.c6 < 0.0 or (powers.c12 == 0.0 and powers.c6 > 0.0):
            found.section.fail_at(
                found.index, f"the 1-4 pair of the atoms {pair[0] + 1} and {pair[1] + 1} has A and B "
                "that are no well; expected A above 0 and B of at least 0",
            )  # fmt: skip
        return powers.sigma_and_epsilon("a 1-4 pair")

    # ---- residues and molecules

    def _residues(self) -> list[Residue]:
        """Returns the residue of each atom. Numbers are those of the file that LEaP read, if they
        were kept.
        """
        prmtop = self.prmtop
        starts = prmtop.integers("RESIDUE_POINTER")
        atoms = prmtop.pointers["NATOM"]
        for k, start in enumerate(starts):
            least = starts[k - 1] + 1 if k else 1
            if not least <= start <= (atoms if k else 1):
                expected = "1" if k == 0 else f"{least} to {atoms}"
                prmtop.section("RESIDUE_POINTER").fail_at(
                    k, f"the residue {k + 1} begins at the atom {start}; expected {expected}"
                )
        names = prmtop.texts("RESIDUE_LABEL")
        numbers = (
            prmtop.integers("RESIDUE_NUMBER")
            if prmtop.has("RESIDUE_NUMBER")
            else list(range(1, len(names) + 1))
        )
        blank = [""] * len(names)
        chains = prmtop.texts("RESIDUE_CHAINID") if prmtop.has("RESIDUE_CHAINID") else blank
        codes = prmtop.texts("RESIDUE_ICODE") if prmtop.has("RESIDUE_ICODE") else blank
        residues = []
        for k, start in enumerate(starts):
            end = starts[k + 1] if k + 1 < len(starts) else atoms + 1
            chain = "" if chains[k] == "*" else re.sub(r"[\s:,]", "_", chains[k])
            code = codes[k] if codes[k].isascii() and codes[k].isalpha() else ""
            residue = Residue(names[k] or "MOL", numbers[k], chain, code)
            residues += [residue] * (end - start)
        return residues

    def _are_scattered(self, joined: list[tuple[int, int]], count: int) -> bool:
        scattered = are_scattered(joined, count)
        if scattered:
            self.notes.tell(
                "the atoms of a molecule do not follow each other: molecules are sorted, and atoms "
                "have other numbers than in the topology"
            )
        return scattered
