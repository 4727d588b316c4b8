"""The energy of a molecule of `sterna validate molecular_liquids` by itself, by OpenMM.

    python tests/python/openmm_molecule.py butane 20000000

prints the mean and its standard error in kJ/mol.
"""

import math
import sys
import tomllib

import numpy
import openmm
from openmm import unit
from sterna.support.constants import KJ_MOL_PER_K
from sterna.validation.block_average import mean_and_error
from sterna.validation.liquid_models import LIQUIDS, Liquid

KELVIN = KJ_MOL_PER_K


def number(value: float | str) -> float:
    """In kJ/mol, of a number or of a text in kelvin."""
    return float(value.removesuffix(" K")) * KELVIN if isinstance(value, str) else float(value)


def lists(atoms: list) -> list[list[int]]:
    """Lists of atoms from 0, of one or several."""
    every = atoms if isinstance(atoms[0], list) else [atoms]
    return [[atom - 1 for atom in one] for one in every]


def bonds_between(bonds: list[list[int]], count: int) -> numpy.ndarray:
    """How many bonds two atoms are apart, (count, count)."""
    apart = numpy.full((count, count), 99)
    numpy.fill_diagonal(apart, 0)
    for a, b in bonds:
        apart[a, b] = apart[b, a] = 1
    for k in range(count):
        apart = numpy.minimum(apart, apart[:, k : k + 1] + apart[k : k + 1, :])
    return apart


def system_of(liquid: Liquid) -> openmm.System:
    """One molecule with all bonds constrained, without a box or cutoff."""
    model = tomllib.loads(liquid.model.format(count=1))
    types = {kind["name"]: kind for kind in model["type"]}
    (molecule,) = model["molecule"]
    atoms = molecule["atom"]
    system = openmm.System()
    for atom in atoms:
        system.addParticle(types[atom["type"]]["mass"])
    bonds = []
    for bond in molecule["bond"]:
        for a, b in lists(bond["atoms"]):
            bonds.append([a, b])
            system.addConstraint(a, b, bond["r0"])
    angles = openmm.HarmonicAngleForce()
    for angle in molecule["angle"]:
        for one in lists(angle["atoms"]):
            stiffness = number(angle["bending_stiffness"])
            angles.addAngle(*one, math.radians(angle["theta0"]), stiffness)
    torsions = openmm.RBTorsionForce()
    for torsion in molecule["torsion"]:
        v1, v2, v3 = (number(torsion[name]) for name in ("v1", "v2", "v3"))
        for one in lists(torsion["atoms"]):
            c = (v2 + (v1 + v3) / 2, (3 * v3 - v1) / 2, -v2, -2 * v3, 0.0, 0.0)
            torsions.addTorsion(*one, *c)
    nonbonded = openmm.NonbondedForce()
    apart = bonds_between(bonds, len(atoms))
    kinds = [types[atom["type"]] for atom in atoms]
    charges = [atom.get("charge", 0.0) for atom in atoms]
    epsilons = [number(kind["epsilon"]) for kind in kinds]
    for charge, kind, epsilon in zip(charges, kinds, epsilons, strict=True):
        nonbonded.addParticle(charge, kind["sigma"], epsilon)
    for a in range(len(atoms)):
        for b in range(a):
            lennard_jones, coulomb = 1.0, 1.0
            if apart[a, b] < 3:
                lennard_jones = coulomb = 0.0
            elif apart[a, b] == 3:
                lennard_jones = molecule.get("lennard_jones_14", 0.0)
                coulomb = molecule.get("coulomb_14", 0.0)
            sigma = math.sqrt(kinds[a]["sigma"] * kinds[b]["sigma"])
            epsilon = lennard_jones * math.sqrt(epsilons[a] * epsilons[b])
            nonbonded.addException(a, b, coulomb * charges[a] * charges[b], sigma, epsilon)
    for force in (angles, torsions, nonbonded):
        system.addForce(force)
    return system


def mean_energy(liquid: Liquid, steps: int, seed: int = 1) -> tuple[float, float]:
    """Of Langevin dynamics at the liquid's temperature: the mean and its standard error, kJ/mol."""
    integrator = openmm.LangevinMiddleIntegrator(liquid.temperature, 2.0, liquid.timestep)
    integrator.setRandomNumberSeed(seed)
    integrator.setConstraintTolerance(1e-6)
    platform = openmm.Platform.getPlatformByName("Reference")
    context = openmm.Context(system_of(liquid), integrator, platform)
    context.setPositions(liquid.shape)
    context.applyConstraints(1e-6)
    integrator.step(steps // 20)
    energies = []
    for _ in range(steps // 100):
        integrator.step(100)
        energy = context.getState(getEnergy=True).getPotentialEnergy()
        energies.append(energy.value_in_unit(unit.kilojoule_per_mole))
    return mean_and_error([block.mean() for block in numpy.array_split(energies, 20)])


if __name__ == "__main__":
    print(*mean_energy(LIQUIDS[sys.argv[1]], int(sys.argv[2])))
