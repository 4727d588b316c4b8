"""sterna.ase.Force: ASE's calculators as force terms, against themselves in ASE."""

import pytest
from engine_support import run_script, script_output

pytest.importorskip("ase")

START = """
import numpy
import sterna
from ase.build import bulk
from ase.calculators.emt import EMT
from ase.calculators.lj import LennardJones
from sterna.ase import Force
from sterna.live.core import core

settings = sterna.Input(
    units="metal",
    run={"timestep": 0.002},
    interaction={"cutoff": 4.0},
    communication={"tuning": False},
    type=[
        {"name": name, "mass": mass, "epsilon": 0.0, "sigma": 2.0}
        for name, mass in (("Cu", 63.546), ("Ag", 107.868), ("Ar", 39.948))
    ],
)


def crystal(element, a, cells, seed=3):
    atoms = bulk(element, "fcc", a=a, cubic=True) * cells
    atoms.rattle(0.1, seed=seed)
    return atoms


def simulation_of(atoms, force, **changes):
    rank, ranks = core().world()
    system = sterna.System.from_ase(atoms).share(rank, ranks)
    simulation = sterna.Simulation(settings.replace(**changes), system)
    simulation.force(force)
    return simulation


def compare(atoms, force, calculator):
    simulation = simulation_of(atoms, force)
    simulation.measure()
    other = atoms.copy()
    other.calc = calculator
    energy = other.get_potential_energy()
    assert abs(simulation.energies[force.name] - energy) < 1e-9 * abs(energy)
    assert numpy.abs(simulation.gather("force") - other.get_forces()).max() < 1e-9
    stress = -simulation.virial_tensor() / simulation.box.volume
    assert numpy.abs(stress - other.get_stress(voigt=False)).max() < 1e-8
    return simulation


argon = dict(sigma=3.4, epsilon=0.0103, rc=5.0, smooth=True)
world_ranks = core().world()[1]
"""


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_energy_forces_and_stress_are_those_of_ase(tmp_path, ranks):
    script_output(
        tmp_path,
        START
        + """
compare(crystal("Ar", 5.3, (3, 3, 3)), Force(LennardJones(**argon), name="argon"),
        LennardJones(**argon))
if world_ranks <= 2:
    alloy = crystal("Cu", 3.7, (3, 3, 3))
    alloy.symbols[::5] = "Ag"
    force = Force(EMT())
    simulation = compare(alloy, force, EMT())
    expected = "gathers: there is one rank" if world_ranks == 1 else "clusters: EMT has energies"
    assert force.way.startswith(expected), force.way
    assert abs(simulation.gather("force").sum(axis=0)).max() < 1e-9
if world_ranks == 1:
    # The ghosts of one rank are its own images.
    compare(crystal("Ar", 5.3, (3, 3, 3)), Force(LennardJones(**argon), way="clusters"),
            LennardJones(**argon))
""",
        ranks,
    )


def test_a_calculator_without_energies_of_atoms_is_gathered(tmp_path):
    script_output(
        tmp_path,
        START
        + """
class Whole(EMT):
    implemented_properties = ["energy", "forces", "stress"]

force = Force(Whole())
simulation = compare(crystal("Cu", 3.6, (3, 3, 3)), force, EMT())
assert force.way == "gathers: Whole has no energies of single atoms", force.way
simulation.run(5)
""",
        2,
    )


def test_energy_and_momentum_are_conserved_on_two_ranks(tmp_path):
    script_output(
        tmp_path,
        START
        + """
atoms = crystal("Ar", 5.3, (3, 3, 3))
force = Force(LennardJones(**argon), way="clusters")
simulation = simulation_of(atoms, force, run={"timestep": 0.005})
simulation.run(0)
first, kinetic = simulation.thermo["total_energy"], simulation.thermo["kinetic_energy"]
simulation.run(60)
taken = simulation.thermo["kinetic_energy"] - kinetic
assert taken > 0.05, taken
assert abs(simulation.thermo["total_energy"] - first) < 5e-3 * taken
momentum = simulation.gather("velocity").sum(axis=0)
assert numpy.abs(momentum).max() < 1e-9 * numpy.abs(simulation.gather("velocity")).sum()
""",
        2,
    )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("Force(EMT(), way='cluster')", "expected \"auto\", \"clusters\" or \"gathers\""),
        ("Force(EMT(), reach=-1.0)", "reach is -1.0, expected a length above 0"),
        (
            "simulation_of(crystal('Cu', 3.6, (3, 3, 3)), Force(EMT(asap_cutoff=True), way='clusters'))",
            "clusters are impossible: the reach of EMT is not known; give reach=",
        ),
        (
            "simulation_of(crystal('Cu', 3.6, (3, 3, 3)), "
            "Force(EMT(), way='clusters', reach=4.0)).measure()",
            "expected a longer cutoff",
        ),
        ("simulation_of(crystal('Cu', 3.6, (3, 3, 3)), EMT())", "ase.Force(calculator)"),
        (
            "sterna.Simulation(sterna.Input(units='reduced', run={'timestep': 0.001}, "
            "interaction={'cutoff': 2.0}), sterna.System.lattice(cells=[4, 4, 4], density=0.8)"
            ").force(Force(EMT()))",
            "expected an input with units = \"metal\"",
        ),
    ],
)  # fmt: skip
def test_mistakes_have_messages(tmp_path, call, message):
    done = run_script(tmp_path, START + call)
    assert done.returncode != 0
    assert message in done.stderr, done.stderr
