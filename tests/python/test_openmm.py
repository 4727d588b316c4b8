"""Alanine dipeptide in water, term by term against OpenMM, which nobody here wrote."""

import itertools

import h5py
import numpy
import openmm
import pytest
from conftest import nightly
from openmm import app, unit
from sterna import read_log

SETTINGS = """\
units = "nano"

[run]
name = "{name}"
steps = {steps}
timestep = 0.001
constraint_tolerance = 1e-11
constraint_algorithm = "settle"      # that of OpenMM

[start]
kind = "file"
file = "{name}.extxyz"

[interaction]
cutoff = 0.85
truncation = "truncated"

[electrostatics]
kind = "{solver}"
accuracy = {accuracy}

[neighbor]
skin = 0.1

[output]
trajectory_interval = 20
trajectory_fields = ["position", "force"]

"""


def chain(force_field, names):
    """The topology of residues in a row, with the bonds of their templates."""
    topology = app.Topology()
    residues = topology.addChain()
    before = None
    for name in names:
        template = force_field._templates[name]
        residue = topology.addResidue(name, residues)
        atoms = [topology.addAtom(a.name, a.element, residue) for a in template.atoms]
        for first, second in template.bonds:
            topology.addBond(atoms[first], atoms[second])
        by_name = {atom.name: atom for atom in atoms}
        if before is not None:
            topology.addBond(before["C"], by_name["N"])
        before = by_name
    return topology


def places(topology, random):
    """Somewhere near each other where atoms are bonded, nowhere near otherwise."""
    bonded = {atom.index: [] for atom in topology.atoms()}
    for first, second in topology.bonds():
        bonded[first.index].append(second.index)
        bonded[second.index].append(first.index)
    found = {0: numpy.zeros(3)}
    waiting = [0]
    while waiting:
        atom = waiting.pop(0)
        for other in bonded[atom]:
            if other in found:
                continue
            for _ in range(10000):
                step = random.normal(size=3)
                place = found[atom] + 0.14 * step / numpy.linalg.norm(step)
                if min(numpy.linalg.norm(place - p) for p in found.values()) > 0.13:
                    break
            found[other] = place
            waiting.append(other)
    return numpy.array([found[k] for k in range(len(found))])


def solvated_dipeptide(constraints=None):
    """Topology, OpenMM's system and positions (nm): 22 atoms and water in a cube; with
    `constraints`, those of hydrogen and rigid water."""
    force_field = app.ForceField("amber14/protein.ff14SB.xml", "amber14/tip3p.xml")
    topology = chain(force_field, ["ACE", "ALA", "NME"])
    random = numpy.random.default_rng(7)
    alone = force_field.createSystem(topology, nonbondedMethod=app.NoCutoff, constraints=None)
    context = context_of(alone, places(topology, random))
    openmm.LocalEnergyMinimizer.minimize(context, 1.0)
    at = context.getState(getPositions=True).getPositions()
    modeller = app.Modeller(topology, at)
    modeller.addSolvent(force_field, model="tip3p", boxSize=openmm.Vec3(1.9, 1.9, 1.9))
    system = force_field.createSystem(
        modeller.topology,
        nonbondedMethod=app.Ewald,
        nonbondedCutoff=0.85 * unit.nanometer,
        constraints=constraints,
        rigidWater=constraints is not None,
        removeCMMotion=False,
        ewaldErrorTolerance=1e-8,
    )
    nonbonded_of(system).setUseDispersionCorrection(False)
    system.addForce(backbone_correction(topology, random))
    positions = numpy.array(modeller.positions.value_in_unit(unit.nanometer))
    # Out of the minimum: bonds, angles and torsions all pull.
    positions += random.normal(scale=0.006, size=positions.shape)
    return modeller.topology, system, positions


def backbone_correction(topology, random, edge=24):
    """A CMAP of the peptide with any table: smooth or not, the surface through it is defined."""
    force = openmm.CMAPTorsionForce()
    # The first index runs fastest there.
    force.addMap(edge, random.normal(scale=4.0, size=(edge, edge)).ravel(order="F"))
    acetyl, alanine, amide = list(topology.residues())[:3]
    of = [{atom.name: atom.index for atom in r.atoms()} for r in (acetyl, alanine, amide)]
    chain = [of[0]["C"], of[1]["N"], of[1]["CA"], of[1]["C"], of[2]["N"]]
    force.addTorsion(0, *chain[:4], *chain[1:])
    return force


def nonbonded_of(system):
    return next(f for f in system.getForces() if isinstance(f, openmm.NonbondedForce))


def context_of(system, positions):
    platform = openmm.Platform.getPlatformByName("Reference")
    context = openmm.Context(system, openmm.VerletIntegrator(0.001), platform)
    context.setPositions(positions)
    return context


def energies_and_forces(system, positions):
    """kJ/mol by kind of term, and kJ/mol/nm; charges and Lennard-Jones parts apart."""
    for group, force in enumerate(system.getForces()):
        force.setForceGroup(group)
    context = context_of(system, positions)

    def energy(**options):
        state = context.getState(getEnergy=True, **options)
        return state.getPotentialEnergy().value_in_unit(unit.kilojoule_per_mole)

    energies = {type(f).__name__: energy(groups={f.getForceGroup()}) for f in system.getForces()}
    unit_of_force = unit.kilojoule_per_mole / unit.nanometer
    forces = context.getState(getForces=True).getForces(asNumpy=True).value_in_unit(unit_of_force)
    uncharged = openmm.XmlSerializer.clone(system)
    nonbonded = nonbonded_of(uncharged)
    for k in range(nonbonded.getNumParticles()):
        _, sigma, epsilon = nonbonded.getParticleParameters(k)
        nonbonded.setParticleParameters(k, 0.0, sigma, epsilon)
    for k in range(nonbonded.getNumExceptions()):
        i, j, _, sigma, epsilon = nonbonded.getExceptionParameters(k)
        nonbonded.setExceptionParameters(k, i, j, 0.0, sigma, epsilon)
    context = context_of(uncharged, positions)
    both = energies.pop("NonbondedForce")
    energies["lennard_jones"] = energy(groups={nonbonded.getForceGroup()})
    energies["charges"] = both - energies["lennard_jones"]
    return energies, forces


def value(quantity):
    """In nm, kJ/mol, e, u, and degrees for angles."""
    if unit.is_quantity(quantity):
        if quantity.unit.is_compatible(unit.degree):
            return quantity.value_in_unit(unit.degree)
        return quantity.value_in_unit_system(unit.md_unit_system)
    return quantity


class Molecules:
    """OpenMM's system as [[type]] and [[molecule]] sections."""

    def __init__(self, topology, system):
        self.system = system
        self.nonbonded = nonbonded_of(system)
        self.types = {}
        count = self.nonbonded.getNumParticles()
        self.particles = [
            tuple(map(value, self.nonbonded.getParticleParameters(k))) for k in range(count)
        ]
        self.names = [self.type_of(k) for k in range(count)]
        # Molecules in the order of their atoms: residues of the chain belong together.
        self.text = ""
        chains = list(topology.chains())
        peptide = [atom.index for atom in chains[0].atoms()]
        water = [[a.index for a in r.atoms()] for c in chains[1:] for r in c.residues()]
        assert peptide + [k for atoms in water for k in atoms] == list(range(count))
        labels = [atom.name for atom in topology.atoms()]
        self.molecule("dipeptide", 1, peptide, labels)
        self.molecule("water", len(water), water[0], labels)

    def type_of(self, k):
        _, sigma, epsilon = self.particles[k]
        key = (value(self.system.getParticleMass(k)), sigma, epsilon)
        return self.types.setdefault(key, f"T{len(self.types)}")

    def molecule(self, name, count, atoms, labels):
        local = {k: n + 1 for n, k in enumerate(atoms)}
        self.text += (
            f'\n[[molecule]]\nname = "{name}"\ncount = {count}\nexcluded_bonds = 0\natom = [\n'
        )
        for k in atoms:
            charge = self.particles[k][0]
            self.text += (
                f'{{name = "{labels[k]}", type = "{self.names[k]}", charge = {charge!r}}},\n'
            )
        self.text += "]\n"
        bonds = set()
        for n in range(self.system.getNumConstraints()):
            i, j, distance = map(value, self.system.getConstraintParameters(n))
            bonds |= {(i, j), (j, i)}
            self.section("constraint", local, (i, j), distance=distance)
        for force in self.system.getForces():
            if isinstance(force, openmm.HarmonicBondForce):
                for n in range(force.getNumBonds()):
                    i, j, r0, k = map(value, force.getBondParameters(n))
                    bonds |= {(i, j), (j, i)}
                    self.section("bond", local, (i, j), potential="harmonic", r0=r0, stiffness=k)
            elif isinstance(force, openmm.HarmonicAngleForce):
                for n in range(force.getNumAngles()):
                    i, j, k, theta, stiffness = map(value, force.getAngleParameters(n))
                    self.section(
                        "angle",
                        local,
                        (i, j, k),
                        potential="harmonic",
                        theta0=theta,
                        bending_stiffness=stiffness,
                    )
        for force in self.system.getForces():
            if not isinstance(force, openmm.PeriodicTorsionForce):
                continue
            for n in range(force.getNumTorsions()):
                *four, periodicity, phase, k = map(value, force.getTorsionParameters(n))
                proper = all(pair in bonds for pair in itertools.pairwise(four))
                if k == 0.0:
                    continue
                self.section(
                    "torsion" if proper else "improper",
                    local,
                    four,
                    potential="periodic",
                    amplitude=k,
                    multiplicity=periodicity,
                    phase=phase,
                )
        for force in self.system.getForces():
            if not isinstance(force, openmm.CMAPTorsionForce):
                continue
            for n in range(force.getNumTorsions()):
                number, *atoms = force.getTorsionParameters(n)
                edge, energies = force.getMapParameters(number)
                table = numpy.reshape(value(energies), (edge, edge), order="F")
                # Tables begin at 0 there and at -180 degrees here.
                table = numpy.roll(table, (edge // 2, edge // 2), axis=(0, 1))
                five = [*atoms[:4], atoms[7]]
                self.section(
                    "cmap", local, five, potential="bicubic", energy=table.ravel().tolist()
                )
        for n in range(self.nonbonded.getNumExceptions()):
            i, j, product, sigma, epsilon = map(value, self.nonbonded.getExceptionParameters(n))
            if product == 0.0 and epsilon == 0.0:
                self.section("exclusion", local, (i, j))
            else:
                self.section(
                    "special_pair",
                    local,
                    (i, j),
                    epsilon=epsilon,
                    sigma=sigma,
                    charge_product=product,
                )

    def section(self, name, local, atoms, **parameters):
        if any(k not in local for k in atoms):
            return
        self.text += f"[[molecule.{name}]]\natoms = {[local[k] for k in atoms]}\n"
        for key, given in parameters.items():
            self.text += (
                f'{key} = "{given}"\n' if isinstance(given, str) else f"{key} = {given!r}\n"
            )

    def type_text(self):
        return "".join(
            f'[[type]]\nname = "{name}"\nmass = {mass!r}\nsigma = {sigma!r}\nepsilon = {epsilon!r}\n'
            for (mass, sigma, epsilon), name in self.types.items()
        )


def run(sterna, folder, ranks, topology, system, positions, velocities=None, **settings):
    """Leaves water.log.jsonl and water.h5md in the folder."""
    molecules = Molecules(topology, system)
    edge = value(system.getDefaultPeriodicBoxVectors()[0])[0]
    columns = "species:S:1:pos:R:3" + ("" if velocities is None else ":velo:R:3")
    rows = positions if velocities is None else numpy.hstack([positions, velocities])
    with open(folder / "water.extxyz", "w") as file:
        file.write(f"{len(positions)}\n")
        file.write(f'Lattice="{edge} 0 0 0 {edge} 0 0 0 {edge}" Properties={columns}\n')
        for name, row in zip(molecules.names, rows, strict=True):
            file.write(f"{name} {' '.join(map(repr, map(float, row)))}\n")
    text = SETTINGS.format(name="water", **{"steps": 0} | settings)
    (folder / "water.toml").write_text(text + molecules.type_text() + molecules.text)
    done = sterna("run", "water.toml", "-n", ranks)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def dipeptide():
    topology, system, positions = solvated_dipeptide()
    return topology, system, positions, energies_and_forces(system, positions)


@pytest.mark.parametrize("ranks", [1, 3])
@pytest.mark.parametrize("solver, accuracy", [("ewald", 1e-7), ("fmm", 1e-6)])
def test_each_energy_and_all_forces_are_those_of_openmm(
    dipeptide, sterna, tmp_path, ranks, solver, accuracy
):
    topology, system, positions, (expected, forces) = dipeptide
    run(sterna, tmp_path, ranks, topology, system, positions, solver=solver, accuracy=accuracy)
    row = read_log(tmp_path / "water.log.jsonl").rows[0]
    assert row["bonded_harmonic_bond_energy"] == pytest.approx(
        expected["HarmonicBondForce"], rel=1e-6
    )
    assert row["bonded_harmonic_angle_energy"] == pytest.approx(
        expected["HarmonicAngleForce"], rel=1e-6
    )
    torsions = row["bonded_periodic_torsion_energy"] + row["bonded_periodic_improper_energy"]
    assert torsions == pytest.approx(expected["PeriodicTorsionForce"], rel=1e-6)
    assert row["bonded_cmap_energy"] == pytest.approx(expected["CMAPTorsionForce"], rel=1e-6)
    pairs = row["lennard_jones_energy"] + row["bonded_lennard_jones_14_energy"]
    assert pairs == pytest.approx(expected["lennard_jones"], rel=1e-6)
    charges = row["electrostatics_energy"] + row["bonded_coulomb_14_energy"]
    assert charges == pytest.approx(expected["charges"], rel=1e-6)
    with h5py.File(tmp_path / "water.h5md") as file:
        found = file["particles/trajectory/force/value"][0]
    difference = numpy.sqrt(((found - forces) ** 2).sum(axis=1).mean())
    assert difference < 1e-5 * numpy.sqrt((forces**2).sum(axis=1).mean())


@pytest.mark.parametrize("ranks", [nightly(1), 3])
def test_constrained_atoms_move_as_those_of_openmm(sterna, tmp_path, ranks):
    topology, system, positions = solvated_dipeptide(app.HBonds)
    timestep, steps = 0.001, 20
    integrator = openmm.VerletIntegrator(timestep)
    integrator.setConstraintTolerance(1e-11)
    platform = openmm.Platform.getPlatformByName("Reference")
    context = openmm.Context(system, integrator, platform)
    context.setPositions(positions)
    context.applyConstraints(1e-11)
    context.setVelocitiesToTemperature(300.0, 5)
    context.applyVelocityConstraints(1e-11)
    state = context.getState(getPositions=True, getVelocities=True, getForces=True)
    start = numpy.array(state.getPositions(asNumpy=True).value_in_unit(unit.nanometer))
    velocities = state.getVelocities(asNumpy=True).value_in_unit(unit.nanometer / unit.picosecond)
    forces = state.getForces(asNumpy=True).value_in_unit(unit.kilojoule_per_mole / unit.nanometer)
    masses = [value(system.getParticleMass(k)) for k in range(len(start))]
    # Its velocities are half a step behind. What a force along a constraint lacks here, the first
    # step's constraint forces bring.
    context.setVelocities(velocities - 0.5 * timestep * forces / numpy.array(masses)[:, None])
    integrator.step(steps)
    expected = context.getState(getPositions=True).getPositions(asNumpy=True)
    expected = numpy.array(expected.value_in_unit(unit.nanometer))

    run(
        sterna, tmp_path, ranks, topology, system, start, velocities,
        steps=steps, solver="ewald", accuracy=1e-7,
    )  # fmt: skip
    with h5py.File(tmp_path / "water.h5md") as file:
        found = file["particles/trajectory/position/value"][-1]
    edge = value(system.getDefaultPeriodicBoxVectors()[0])[0]
    difference = found - expected
    difference -= edge * numpy.round(difference / edge)
    moved = numpy.sqrt(((expected - start) ** 2).sum(axis=1).mean())
    assert moved > 0.003
    assert numpy.sqrt((difference**2).sum(axis=1).mean()) < 1e-5 * moved
    row = read_log(tmp_path / "water.log.jsonl").rows[-1]
    free = 3 * len(start) - 3 - system.getNumConstraints()
    kinetic = 2.0 * row["kinetic_energy"] / (free * 0.00831446261815324)
    assert row["temperature"] == pytest.approx(kinetic, rel=1e-9)
