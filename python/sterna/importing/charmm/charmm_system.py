"""A system of CHARMM, for an input in the units "nano"."""

import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy

from sterna.errors import SternaError
from sterna.importing import coulomb
from sterna.importing.asked import run_as_asked
from sterna.importing.box import require_twice_the_cutoff
from sterna.importing.charmm.coordinates import read_crd, read_pdb
from sterna.importing.charmm.namd import Configuration, read_binary, read_namd
from sterna.importing.charmm.parameters import Parameters
from sterna.importing.charmm.psf import Psf, read_psf
from sterna.importing.charmm.terms import Terms, rmin_and_depth, special_powers
from sterna.importing.lennard_jones import NO_WELL, mixing_of, tidy
from sterna.importing.lennard_jones import Parameters as Well
from sterna.importing.molecules import are_scattered
from sterna.importing.notes import Notes
from sterna.importing.sources import CRD, PLACES, places_of
from sterna.importing.system import Atom, Residue, System, Term, term

TOPOLOGIES = (".psf", ".xpsf", ".vpsf")
PARAMETERS = (".prm", ".par", ".rtf", ".top", ".str", ".inp")
COORDINATES = (CRD, ".cor", *PLACES)
_ROOT_OF_2 = 2.0 ** (1.0 / 6.0)  #: ratio of the distance of the minimum and sigma
PDB = ".pdb"
_SAME = 1e-9  #: relative


@dataclass(frozen=True)
class Choices:
    """Choices of the user that files of CHARMM do not make."""

    cutoff: float  #: nm
    constraints: str  #: "none", "hydrogen", "all", "water"
    box: tuple[float, float, float] | None = None  #: nm; edges where files have none
    namd: Path | None = None  #: what else the run is like; cutoff and constraints are its own
    stage: int | None = None  #: which of the commands of that file; None: the last one


def files_of_charmm(files: list[Path]) -> tuple[Path, list[Path], Path] | None:
    """A PSF, parameters and a file of places; None where these are files of others."""

    def of(suffixes: tuple[str, ...]) -> list[Path]:
        return [path for path in files if path.suffix.lower() in suffixes]

    topologies, parameters, places = of(TOPOLOGIES), of(PARAMETERS), of(COORDINATES)
    if len(topologies) != 1 or len(places) != 1:
        return None
    if len(files) != 2 + len(parameters):
        return None
    for path in files:
        if not path.is_file():
            raise SternaError(f"the file {path} does not exist or is no file", status=2)
    if not parameters:
        raise SternaError(
            f"{topologies[0]} has no parameters; expected files of them, too (.prm, .par, .str)",
            status=2,
        )
    return topologies[0], parameters, places[0]


def with_namd(choices: Choices, notes: Notes) -> tuple[Choices, Configuration | None]:
    """Returns the choices with those of NAMD's configuration, and all its settings. Raises
    SternaError.
    """
    if choices.namd is None:
        return choices, None
    found = read_namd(choices.namd, notes, choices.stage)
    return replace(choices, cutoff=found.cutoff, constraints=found.constraints), found


def files_of_namd(path: Path) -> tuple[Path, list[Path], Path]:
    """A PSF, parameters and places that a configuration names. Raises SternaError."""
    found = read_namd(path, Notes())
    for what, there in (
        ("structure", found.structure),
        ("parameters", found.parameters),
        ("coordinates", found.coordinates),
    ):
        if not there:
            raise SternaError(f"{path}: error: {what} is missing", status=2)
    assert found.structure is not None and found.coordinates is not None
    return found.structure, found.parameters, found.coordinates


def read_charmm(path: Path, parameters: list[Path], places: Path, choices: Choices) -> System:
    """Raises SternaError with file, line and column."""
    notes = Notes()
    choices, asked = with_namd(choices, notes)
    psf = read_psf(path)
    known = Parameters(notes)
    for one in parameters:
        known.read(one)
    if asked is not None:
        # NAMD has keys for settings that CHARMM reads from the files.
        known.e14fac, known.is_geometric = asked.factor_14, asked.is_geometric
    builder = _Builder(psf, known, places, choices, notes, asked)
    return builder.build() if asked is None else builder.as_asked(builder.build(), asked)


@dataclass
class _Builder:
    psf: Psf
    parameters: Parameters
    places: Path
    choices: Choices
    notes: Notes
    asked: Configuration | None = None
    types: list[str] = field(default_factory=list)

    def build(self) -> System:
        psf, choices = self.psf, self.choices
        self._types()
        terms = Terms(psf, self.parameters, self.types, choices.constraints)
        positions, box = self._places()
        require_twice_the_cutoff(box, choices.cutoff, self.places)
        masses = [atom.mass for atom in psf.atoms]
        self._require_masses({one.site for one in psf.lone_pairs})
        names = self._type_names(masses)
        wells, mixing, pairs = self._lennard_jones(names)
        residues = [
            Residue(
                atom.residue, atom.residue_number, re.sub(r"[\s:,]", "_", atom.segment),
                atom.insertion_code,
            )
            for atom in psf.atoms
        ]  # fmt: skip
        atoms = [
            Atom(atom.name, names[self.types[k], masses[k]], atom.charge, residues[k])
            for k, atom in enumerate(psf.atoms)
        ]
        interaction: dict[str, Any] = {
            "cutoff": choices.cutoff,
            "truncation": "truncated",
            "tail_correction": "homogeneous",
        }
        if mixing != "lorentz_berthelot":
            interaction["mixing"] = mixing
        self._tell()
        joined = [*terms.bonds, *((one.site, one.hosts[0]) for one in psf.lone_pairs)]
        made = [*terms.terms, *self._special_pairs(terms)]
        inside = [(one.atoms[0], other) for one in made for other in one.atoms[1:]]
        scattered = are_scattered([*joined, *inside], len(atoms))
        if scattered:
            self.notes.tell(
                "the atoms of a molecule do not follow each other: molecules are sorted, and atoms "
                "have other numbers than in the PSF"
            )

        def atom_name(atom: int) -> str:
            one = psf.atoms[atom]
            return f"atom {atom + 1} ({one.name} of {one.residue} {one.residue_number})"

        def molecule_name(members: list[int]) -> str:
            first = residues[members[0]]
            same = len({residues[k] for k in members}) == 1
            name = first.name if same else f"chain_{first.chain or first.number}"
            # The name becomes part of the name of a file.
            return re.sub(r"[^A-Za-z0-9_+-]", "_", name)

        return System(
            units="nano",
            atoms=atoms,
            types=[
                {"name": name, "mass": mass, "sigma": sigma, "epsilon": epsilon}
                for ((_, mass), name), (sigma, epsilon) in zip(names.items(), wells, strict=True)
            ],
            pairs=pairs,
            terms=made,
            joined=joined,
            box=box,
            positions=positions,
            velocities=None,
            interaction=interaction,
            electrostatics=self._electrostatics() if any(a.charge for a in atoms) else None,
            run={"steps": 10000, "timestep": 0.002 if terms.held else 0.0005},
            thermostat={
                "kind": "stochastic_velocity_rescaling",
                "temperature": 300.0,
                "time_constant": 0.1,
            },
            temperature=300.0,
            molecule_name=molecule_name,
            atom_name=atom_name,
            can_reorder=scattered,
            molecule_keys={"excluded_bonds": 0},
            not_kept=self.notes.texts(),
        )

    def as_asked(self, system: System, asked: Configuration) -> System:
        """A system run as a configuration of NAMD asks for."""
        if system.electrostatics is not None and not asked.has_ewald:
            message = "charges need PME on: those that NAMD ends at a cutoff are not taken over"
            if asked.line_of_ewald is not None:
                asked.line_of_ewald.fail(None, message)
            raise SternaError(f"{asked.path}: error: {message}; the preset is off", status=2)
        velocities = None
        if asked.binary_velocities is not None and "timestep" in asked.run:
            velocities = read_binary(asked.binary_velocities, len(system.atoms), "velocities")
        return run_as_asked(system, asked, velocities)

    def _electrostatics(self) -> dict[str, Any]:
        """NAMD's constant is Sterna's to 3e-7."""
        if self.asked is not None:
            return {"kind": "fmm", "accuracy": 1e-4}
        return coulomb.electrostatics_of(coulomb.OF_CHARMM)

    def _tell(self) -> None:
        if self.asked is not None:
            return
        line = self.parameters.line_of_options
        if line is not None:
            self.notes.tell(
                "cutoff and switching of NONBONDED are presets of CHARMM and not taken over: pairs are "
                "cut off at --cutoff, with a tail correction", line,
            )  # fmt: skip

    def _require_masses(self, sites: set[int]) -> None:
        for k, atom in enumerate(self.psf.atoms):
            if atom.mass == 0.0 and k not in sites:
                atom.line.fail(
                    7, f"the atom {k + 1} ({atom.name}) has no mass, and is no lone pair of !NUMLP"
                )

    # ---- types and pairs

    def _types(self) -> None:
        """Names of types; a PSF without XPLOR has the numbers of MASS lines."""
        known = self.parameters
        for atom in self.psf.atoms:
            kind = atom.type
            if re.fullmatch(r"\d+", kind, re.ASCII) and kind not in known.nonbonded:
                if int(kind) not in known.numbers:
                    atom.line.fail(
                        5, f"the type has the number {kind}, which no MASS line of the parameters has; "
                        "expected the file of residues (.rtf), too",
                    )  # fmt: skip
                kind = known.numbers[int(kind)]
            if kind not in known.nonbonded:
                names = ", ".join(str(path) for path in known.paths)
                atom.line.fail(5, f"the type {kind} has no line of NONBONDED in {names}")
            self.types.append(kind)

    def _type_names(self, masses: list[float]) -> dict[tuple[str, float], str]:
        names: dict[tuple[str, float], str] = {}
        taken: set[str] = set()
        for key in zip(self.types, masses, strict=True):
            if key in names:
                continue
            unique, number = key[0], 1
            while unique in taken:
                number += 1
                unique = f"{key[0]}_{number}"
            taken.add(unique)
            names[key] = unique
        return names

    def _well(self, first: str, second: str) -> Well:
        radius, depth = rmin_and_depth(self.parameters, first, second, False)
        if depth == 0.0 or radius == 0.0:
            return NO_WELL
        return tidy(radius / _ROOT_OF_2), tidy(depth)

    def _lennard_jones(
        self, names: dict[tuple[str, float], str]
    ) -> tuple[list[Well], str, list[dict[str, Any]]]:
        kinds = [kind for kind, _ in names]
        texts = list(names.values())
        known: dict[tuple[str, str], Well] = {}
        found = {}
        for a in range(len(kinds)):
            for b in range(a, len(kinds)):
                key = (kinds[a], kinds[b])
                if key not in known:
                    known[key] = known[key[::-1]] = self._well(*key)
                found[a, b] = known[key]
        wells = [found[a, a] for a in range(len(kinds))]
        mixing, others = mixing_of(wells, found, _SAME)
        pairs = [
            {"first": texts[a], "second": texts[b], "sigma": sigma, "epsilon": epsilon}
            for (a, b), (sigma, epsilon) in others.items()
        ]
        return wells, mixing, pairs

    def _special_pairs(self, terms: Terms) -> list[Term]:
        made = [term("exclusion", pair) for pair in sorted(terms.excluded)]
        exclude = "scaled1-4" if self.asked is None else self.asked.exclude
        if exclude == "1-4":
            made += [term("exclusion", pair) for pair in sorted(terms.pairs_14)]
        if exclude != "scaled1-4":
            return made
        for pair in sorted(terms.pairs_14):
            first, second = (self.types[k] for k in pair)
            powers = special_powers(self.parameters, first, second, True)
            charges = [self.psf.atoms[k].charge for k in pair]
            product = self.parameters.e14fac * charges[0] * charges[1]
            if powers.c12 == powers.c6 == product == 0.0:
                made.append(term("exclusion", pair))
                continue
            sigma, epsilon = powers.sigma_and_epsilon("a 1-4 pair")
            made.append(
                term("special_pair", pair, epsilon=epsilon, sigma=sigma, charge_product=product)
            )
        return made

    # ---- places

    def _places(self) -> tuple[numpy.ndarray, numpy.ndarray]:
        count = len(self.psf.atoms)
        box = None
        if self.places.suffix.lower() == PDB:
            positions, box = read_pdb(self.places)
        elif self.places.suffix.lower() in PLACES:
            positions, box = places_of(self.places)
        else:
            positions = read_crd(self.places)
        if self.asked is not None and self.asked.box is not None:
            box = self.asked.box
        if self.asked is not None and self.asked.binary_coordinates is not None:
            positions = read_binary(self.asked.binary_coordinates, count, "coordinates")
        if len(positions) != count:
            raise SternaError(
                f"{self.places} has {len(positions)} atoms, and the system of {self.psf.path} has "
                f"{count}",
                status=2,
            )
        if box is None:
            if self.choices.box is None:
                where = "a CRYST1 line, or " if self.places.suffix.lower() in PLACES else ""
                raise SternaError(
                    f"{self.places} has no box; expected {where}--box with its edges in nm, such as "
                    "--box 4,4,4",
                    status=2,
                )
            box = numpy.diag(self.choices.box)
        return positions, box
