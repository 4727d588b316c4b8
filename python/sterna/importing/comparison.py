"""Energies of an imported system, term by term, and its forces, beside those of OpenMM."""

import math
import subprocess
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy

from sterna.errors import SternaError
from sterna.frames.trajectory import Trajectory
from sterna.importing import files, restraints
from sterna.importing.bodies import Bodies, Placed
from sterna.importing.forces import nonbonded_of, number, scale_charges
from sterna.importing.lennard_jones import Powers, pairs_of_bonds
from sterna.importing.molecules import Molecules
from sterna.importing.sources import Source, openmm
from sterna.importing.system import Reference, System
from sterna.launching.launch import program_environment
from sterna.launching.program import find_program
from sterna.results.log import read_log
from sterna.support.toml_text import toml_text

#: Charges whose Ewald sums take no longer than a minute; more are summed by faster methods.
MOST_FOR_EWALD = 10000
#: Charges in a rectangular box that expansions of the highest order and the finest sums of the judges take
#: seconds for: their energies agree to about 1e-11.
MOST_FOR_ALL_DIGITS = 300
_EXACT = 1e-10  #: relative error of the forces of charges, as Sterna measures it, that is none
TOLERANCE = 1e-5  #: relative, of each energy and of the forces
# Below these a difference counts as absolute: of energies in kJ/mol, of forces in kJ/mol/nm.
_LEAST_ENERGY = _LEAST_FORCE = 1e-3

# Names in the log, and the classes of forces that they are the energy of.
_ROWS = {
    "bonds": (
        ["bonded_harmonic_bond_energy", "bonded_urey_bradley_energy"],
        ["HarmonicBondForce"],
    ),
    "angles": (["bonded_harmonic_angle_energy"], ["HarmonicAngleForce"]),
    "torsions": (
        [
            "bonded_periodic_torsion_energy",
            "bonded_periodic_improper_energy",
            "bonded_ryckaert_bellemans_torsion_energy",
            "bonded_harmonic_improper_energy",
        ],
        ["PeriodicTorsionForce", "RBTorsionForce", "CustomTorsionForce"],
    ),
    "cmap": (["bonded_cmap_energy"], ["CMAPTorsionForce"]),
    "lennard_jones": (
        [
            "lennard_jones_energy",
            "molecules_lennard_jones_energy",
            "bonded_lennard_jones_14_energy",
        ],
        ["lennard_jones", "CustomNonbondedForce", "CustomBondForce"],
    ),
    "charges": (
        ["electrostatics_energy", "molecules_coulomb_energy", "bonded_coulomb_14_energy"],
        ["charges"],
    ),
}


@dataclass
class Row:
    """One kind of term; energies in kJ/mol, and the root mean square of forces in kJ/mol/nm."""

    name: str
    sterna: float
    judge: float  #: energy by the program that the system is compared with
    difference: float  #: relative; of forces, the root mean square of the differences


#: Rigid molecules that rest have after a moment an angular momentum that is the torque times the time.
_AFTER_A_MOMENT = {"steps": 1, "timestep": 1e-6}
#: nm of a length of the input, by units; reduced ones stay, in trajectories, too.
_NANOMETERS = {"nano": 1.0, "metal": 0.1, "real": 0.1, "reduced": 1.0}


def _energy_row(name: str, sterna: float, openmm: float) -> Row:
    return Row(name, sterna, openmm, abs(sterna - openmm) / max(abs(openmm), _LEAST_ENERGY))


def _force_row(sterna: numpy.ndarray, openmm: numpy.ndarray) -> Row:
    """Returns the row of the forces on all atoms, (n, 3)."""
    size, of_openmm = root_mean_square(sterna), root_mean_square(openmm)
    apart = root_mean_square(sterna - openmm)
    return Row("forces", size, of_openmm, apart / max(of_openmm, _LEAST_FORCE))


def compare(source: Source, molecules: Molecules) -> list[Row]:
    """Energies and forces of the start, with constraints kept, Ewald sums (in triclinic boxes PME) on both sides.

    Without tail corrections, in which OpenMM counts pairs of a particle with itself.
    """
    system = openmm().XmlSerializer.clone(source.system)
    nonbonded = nonbonded_of(system)
    # OpenMM has one constant of Coulomb's law.
    charges = molecules.system.electrostatics or {}
    scale_charges(system, 1.0 / math.sqrt(charges.get("permittivity", 1.0)))
    # OpenMM's Ewald sums are for rectangular boxes only.
    box = source.box
    has_ewald = is_rectangular(box)
    nonbonded.setNonbondedMethod(nonbonded.Ewald if has_ewald else nonbonded.PME)
    count = sum(
        number(nonbonded.getParticleParameters(k)[0]) != 0.0
        for k in range(nonbonded.getNumParticles())
    )
    few = has_ewald and count <= MOST_FOR_ALL_DIGITS
    nonbonded.setEwaldErrorTolerance(1e-13 if few else 1e-8)
    nonbonded.setUseDispersionCorrection(False)
    for force in system.getForces():
        if isinstance(force, openmm().CustomNonbondedForce):
            force.setUseLongRangeCorrection(False)
    for group, force in enumerate(system.getForces()):
        force.setForceGroup(group)
        if isinstance(force, openmm().HarmonicBondForce):
            _take_out_bonds_of_sites(force, system)
    context = _context(system, source.positions)
    context.applyConstraints(1e-9)
    nanometer = openmm().unit.nanometer
    state = context.getState(getPositions=True)
    positions = numpy.array(state.getPositions(asNumpy=True).value_in_unit(nanometer))
    # If OpenMM's constraints have not converged, Sterna moves atoms further, so both are compared
    # there.
    start = start_of_sterna(molecules, positions)
    found, forces, positions = start.row, start.forces, start.positions.copy()
    # If an atom is less than a rounding error below 0, OpenMM's lists of neighbors lose pairs.
    positions[numpy.abs(positions) < 1e-12] = 0.0
    context.setPositions(positions)
    context.computeVirtualSites()
    state = context.getState(getForces=True, getEnergy=True)
    unit_of_force = openmm().unit.kilojoule_per_mole / nanometer
    expected_forces = numpy.array(state.getForces(asNumpy=True).value_in_unit(unit_of_force))
    expected: dict[str, float] = {}
    for force in system.getForces():
        if not isinstance(force, openmm().NonbondedForce):
            name = type(force).__name__
            expected[name] = expected.get(name, 0.0) + _energy(context, force)
    # Ewald sums take most of the time, so their energy is found by subtracting the other energies.
    with_charges = number(state.getPotentialEnergy()) - sum(expected.values())
    for k in range(nonbonded.getNumParticles()):
        _, sigma, epsilon = nonbonded.getParticleParameters(k)
        nonbonded.setParticleParameters(k, 0.0, sigma, epsilon)
    for k in range(nonbonded.getNumExceptions()):
        first, second, _, sigma, epsilon = nonbonded.getExceptionParameters(k)
        nonbonded.setExceptionParameters(k, first, second, 0.0, sigma, epsilon)
    nonbonded.setNonbondedMethod(nonbonded.CutoffPeriodic)
    expected["lennard_jones"] = _energy(_context(system, positions), nonbonded)
    expected["charges"] = with_charges - expected["lennard_jones"]
    rows = []
    for name, (mine, theirs) in _ROWS.items():
        if any(key in expected for key in theirs):
            rows.append(
                _energy_row(
                    name,
                    sum(found.get(key, 0.0) for key in mine),
                    sum(expected.get(key, 0.0) for key in theirs),
                )
            )
    # OpenMM tells the forces on virtual sites, too, which act on their atoms already.
    sites = [k for k in range(len(expected_forces)) if system.isVirtualSite(k)]
    expected_forces[sites] = 0.0
    forces[start.rows_of(sites)] = 0.0
    return [*rows, _force_row(forces, start.like(expected_forces))]


def compare_lists(source: Source, system: System) -> tuple[int, int]:
    """The numbers of exclusions and of 1-4 pairs, which are those of OpenMM, pair by pair.

    Raises SternaError, naming the atoms, where a pair is another one.
    """
    mine: dict[tuple[int, ...], tuple[float, Powers]] = {}
    for one in system.terms:
        if one.section not in ("exclusion", "special_pair"):
            continue
        values = dict(one.parameters)
        powers = Powers.of(values.get("sigma", 1.0), values.get("epsilon", 0.0))
        mine[tuple(sorted(one.atoms))] = values.get("charge_product", 0.0), powers
    theirs = {}
    force = nonbonded_of(source.system)
    of_bonds = pairs_of_bonds(source.system)
    for n in range(force.getNumExceptions()):
        first, second, product, sigma, epsilon = map(number, force.getExceptionParameters(n))
        powers = Powers.of(sigma, epsilon) + of_bonds.get(frozenset((first, second)), Powers())
        theirs[tuple(sorted((first, second)))] = product, powers
    for pair in sorted(mine.keys() | theirs.keys()):
        if pair not in mine or pair not in theirs:
            who = "Sterna" if pair in mine else "OpenMM"
            raise SternaError(f"{_names(system, pair)} do not interact as others, for {who} only")
        (charges, powers), (others, of_judge) = mine[pair], theirs[pair]
        same = math.isclose(charges, others, rel_tol=TOLERANCE, abs_tol=1e-9)
        if not (same and _are_alike(powers, of_judge)):
            raise SternaError(
                f"{_names(system, pair)} have the product of charges {charges:.8g} and {powers}; "
                f"{others:.8g} and {of_judge} for OpenMM"
            )
    empty = sum(1 for product, powers in mine.values() if product == powers.c12 == powers.c6 == 0.0)
    return empty, len(mine) - empty


def _are_alike(first: Powers, second: Powers) -> bool:
    """Compares each part of the powers at a usual distance."""
    repulsion, attraction = 0.3**-12, 0.3**-6  # nm
    size = repulsion * second.c12 + attraction * second.c6
    apart = repulsion * abs(first.c12 - second.c12) + attraction * abs(first.c6 - second.c6)
    return apart <= TOLERANCE * size + 1e-9


def _names(system: System, pair: tuple[int, ...]) -> str:
    return " and ".join(system.atom_name(atom) for atom in pair)


def _take_out_bonds_of_sites(force: Any, system: Any) -> None:
    """Removes the bonds of extra points, which are no forces in AMBER: `forces` does not import
    them.
    """
    for n in range(force.getNumBonds()):
        first, second, r0, _ = force.getBondParameters(n)
        if system.isVirtualSite(first) or system.isVirtualSite(second):
            force.setBondParameters(n, first, second, r0, 0.0)


def root_mean_square(vectors: numpy.ndarray) -> float:
    return float(numpy.sqrt((vectors**2).sum(axis=1).mean())) if len(vectors) else 0.0


def _context(system: Any, positions: numpy.ndarray) -> Any:
    mm = openmm()
    platform = mm.Platform.getPlatformByName("Reference")
    try:
        context = mm.Context(system, mm.VerletIntegrator(0.001), platform)
        context.setPositions(positions)
    except mm.OpenMMException as error:
        raise SternaError(f"OpenMM does not compute this system: {error}") from error
    return context


def _energy(context: Any, force: Any) -> float:
    state = context.getState(getEnergy=True, groups={force.getForceGroup()})
    return number(state.getPotentialEnergy())


@dataclass
class StartOfSterna:
    """Sterna's results for a start, with constraints kept, in the order of the system's atoms."""

    row: dict[str, float]  #: row of the log
    positions: numpy.ndarray  #: (atoms, 3), of the atoms of rigid molecules, too
    #: (atoms, 3); where there are rigid molecules, (2 particles, 3): forces, and torques over sizes
    forces: numpy.ndarray
    bodies: Bodies | None = None
    placed: Placed | None = None  #: its particles, of which some are bodies

    def like(self, forces: numpy.ndarray) -> numpy.ndarray:
        """Forces on atoms in the form of `forces`."""
        if self.bodies is None or self.placed is None:
            return forces
        return self.bodies.forces_of(self.placed, forces)

    def rows_of(self, atoms: list[int]) -> list[int]:
        """The rows of `forces` that are of these atoms alone."""
        if self.bodies is None:
            return atoms
        particles, lone = self.bodies.lone()
        return particles[numpy.isin(lone, atoms)].tolist()


def is_rectangular(box: numpy.ndarray) -> bool:
    """Whether the vectors of a box, its rows, lie along the axes."""
    return not numpy.any(box - numpy.diag(numpy.diag(box)))


def _solvers(charges: int, in_rectangle: bool) -> list[dict[str, Any]]:
    """Solvers of so many charges, of which the first one counts that is exact, or else the last one."""
    if charges > MOST_FOR_EWALD:
        return [{"kind": "fmm", "accuracy": 1e-6}]
    if charges > MOST_FOR_ALL_DIGITS or not in_rectangle:
        return [{"kind": "ewald", "accuracy": 1e-7}]
    # Expansions about few cells, or of molecules larger than cells, converge slowly.
    highest = {"kind": "fmm", "accuracy": 1e-6, "order": 32, "precision": "double"}
    return [highest, {"kind": "ewald", "accuracy": 1e-8}]


def _run(path: Path, text: str) -> tuple[dict[str, float], float]:
    """The first row of the log of this input, and the error of the forces of charges that Sterna
    measured."""
    path.write_text(text, encoding="utf-8")
    done = subprocess.run(
        [find_program(), path],
        env=program_environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise SternaError(f"the imported system does not run:\n{done.stderr}")
    log = read_log(path.with_suffix(".log.jsonl"))
    start = next(event for event in log.events if event["event"] == "start")
    of_charges = start["settings"]["terms"].get("electrostatics") or {}
    return log.rows[0], float(of_charges.get("measured_error") or 0.0)


def start_of_sterna(
    molecules: Molecules,
    positions: numpy.ndarray,
    held_at: Reference | None = None,
    without: Iterable[str] = (),
) -> StartOfSterna:
    """Without tail corrections, thermostat and the sections of `without`; charges that act at any distance
    by multipoles of the highest order where they are few, by Ewald sums, or by multipoles where they are
    many.

    `positions`: those of all atoms, from which rigid molecules follow. `held_at`: where position
    restraints hold particles; None: without restraints. Raises SternaError where the system does not run.
    """
    bodies = molecules.system.bodies
    placed = None if bodies is None else bodies.placed(positions)
    with tempfile.TemporaryDirectory(prefix="sterna-import-") as name:
        folder = Path(name)
        sections = dict(files.settings(molecules.system, "compared.extxyz"))
        kinds, texts = files.molecule_sections(molecules, folder / "compared.toml")
        for name in (
            "thermostat", "barostat", "drift_control", "minimize", "multiple_time_steps", *without,
        ):  # fmt: skip
            sections.pop(name, None)
        sections["interaction"].pop("tail_correction", None)
        sections |= {
            "run": {"steps": 0, "timestep": 0.001} if bodies is None else _AFTER_A_MOMENT,
            "start": {"kind": "file", "file": "compared.extxyz"},
            "output": {
                "directory": str(folder),
                "trajectory_interval": 1,
                "trajectory_fields": ["position", "image", "force"]
                + ([] if bodies is None else ["angular_momentum"]),
            },
            "molecule": kinds,
        }
        charges = molecules.system.electrostatics
        solvers: list[dict[str, Any]] = [{}]
        if charges is not None and charges["kind"] == "fmm":
            atoms = (molecules.system if bodies is None else bodies.original).atoms
            count = sum(atom.charge != 0.0 for atom in atoms)
            solvers = _solvers(count, is_rectangular(molecules.system.box))
        if held_at is not None:
            sections |= restraints.sections(molecules.system, molecules.order, "held.extxyz")
            text = files.start_text(molecules, held_at.positions, held_at.box)
            (folder / "held.extxyz").write_text(text, encoding="utf-8")
        texts |= files.copies(molecules.system, folder)
        for path, text in texts.items():
            path.write_text(text, encoding="utf-8")
        if placed is None:
            start = files.start_text(molecules, positions)
        else:
            start = files.start_text(molecules, placed.centers, None, placed.orientations)
        (folder / "compared.extxyz").write_text(start, encoding="utf-8")
        for solver in solvers:
            if charges is not None:
                sections["electrostatics"] = {**charges, **solver}
            row, error = _run(folder / "compared.toml", toml_text(sections))
            if error < _EXACT:
                break
        frames = Trajectory(folder / "compared.h5md")
        forces, kept, torques = numpy.zeros((3, *frames[0].force.shape))
        forces[molecules.order], kept[molecules.order] = frames[0].force, frames[0].unwrapped()
        if bodies is None or placed is None:
            return StartOfSterna(row, kept, forces)
        length = _NANOMETERS[molecules.system.units]
        torques[molecules.order] = frames[1].angular_momentum / frames[1].time
        torques /= length * bodies.sizes()[:, None]
        placed = replace(placed, centers=kept / length)
        forces = numpy.concatenate([forces, torques])
        return StartOfSterna(row, bodies.positions_of(placed), forces, bodies, placed)
