"""Energies of an imported system, term by term, and its forces, beside those of OpenMM."""

import math
import subprocess
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy

from sterna.errors import SternaError
from sterna.frames.trajectory import Trajectory
from sterna.importing import files, restraints
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
            "bonded_lennard_jones_14_energy",
        ],
        ["lennard_jones", "CustomNonbondedForce", "CustomBondForce"],
    ),
    "charges": (["electrostatics_energy", "bonded_coulomb_14_energy"], ["charges"]),
}


@dataclass
class Row:
    """One kind of term; energies in kJ/mol, and the root mean square of forces in kJ/mol/nm."""

    name: str
    sterna: float
    judge: float  #: energy by the program that the system is compared with
    difference: float  #: relative; of forces, the root mean square of the differences


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
    is_rectangular = not numpy.any(box - numpy.diag(numpy.diag(box)))
    nonbonded.setNonbondedMethod(nonbonded.Ewald if is_rectangular else nonbonded.PME)
    nonbonded.setEwaldErrorTolerance(1e-8)
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
    found, forces, positions = start.row, start.forces, start.positions
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
    sites = [k for k in range(len(forces)) if system.isVirtualSite(k)]
    forces[sites] = expected_forces[sites] = 0.0
    return [*rows, _force_row(forces, expected_forces)]


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
    positions: numpy.ndarray  #: (atoms, 3)
    forces: numpy.ndarray  #: (atoms, 3)


def start_of_sterna(
    molecules: Molecules,
    positions: numpy.ndarray,
    held_at: Reference | None = None,
    without: Iterable[str] = (),
) -> StartOfSterna:
    """Without tail corrections, thermostat and the sections of `without`; charges that act at any distance by Ewald sums, or by
    multipoles where they are many.

    `held_at`: where position restraints hold atoms; None: without restraints. Raises SternaError
    where the system does not run.
    """
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
            "run": {"steps": 0, "timestep": 0.001},
            "start": {"kind": "file", "file": "compared.extxyz"},
            "output": {
                "directory": str(folder),
                "trajectory_interval": 1,
                "trajectory_fields": ["position", "image", "force"],
            },
            "molecule": kinds,
        }
        charges = molecules.system.electrostatics
        if charges is not None and charges["kind"] == "fmm":
            count = sum(atom.charge != 0.0 for atom in molecules.system.atoms)
            solver = (
                {"kind": "ewald", "accuracy": 1e-7}
                if count <= MOST_FOR_EWALD
                else {"kind": "fmm", "accuracy": 1e-6}
            )
            sections["electrostatics"] = {**charges, **solver}
        if held_at is not None:
            sections |= restraints.sections(molecules.system, molecules.order, "held.extxyz")
            text = files.start_text(molecules, held_at.positions, held_at.box)
            (folder / "held.extxyz").write_text(text, encoding="utf-8")
        texts |= files.copies(molecules.system, folder)
        texts[folder / "compared.toml"] = toml_text(sections)
        for path, text in texts.items():
            path.write_text(text, encoding="utf-8")
        start = files.start_text(molecules, positions)
        (folder / "compared.extxyz").write_text(start, encoding="utf-8")
        done = subprocess.run(
            [find_program(), folder / "compared.toml"],
            env=program_environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise SternaError(f"the imported system does not run:\n{done.stderr}")
        frame = Trajectory(folder / "compared.h5md")[0]
        forces, kept = numpy.empty((2, *frame.force.shape))
        forces[molecules.order], kept[molecules.order] = frame.force, frame.unwrapped()
        return StartOfSterna(read_log(folder / "compared.log.jsonl").rows[0], kept, forces)
