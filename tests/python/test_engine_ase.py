"""sterna.ase.Calculator against ASE's own Lennard-Jones and finite differences."""

import pytest
from engine_support import run_script, script_output

pytest.importorskip("ase")

ARGON = """
import numpy
import sterna
from ase.build import bulk
from ase.calculators.lj import LennardJones
from sterna.ase import Calculator

sigma, epsilon, cutoff = 3.405, 0.0103, 7.0
settings = sterna.Input(
    interaction={"cutoff": cutoff, "truncation": "shifted"},
    neighbor={"skin": 0.3},
    communication={"tuning": False},
    type=[{"name": "Ar", "mass": 39.948, "sigma": sigma, "epsilon": epsilon}],
)
theirs = LennardJones(sigma=sigma, epsilon=epsilon, rc=cutoff, smooth=False)
atoms = bulk("Ar", "fcc", a=5.3, cubic=True) * (4, 4, 4)
atoms.rattle(0.1, seed=3)
"""


@pytest.mark.parametrize("ranks", [1, 2])
def test_energy_forces_and_stress_are_those_of_ase(tmp_path, ranks):
    text = (
        ARGON
        + """
def compare(atoms):
    mine, other = atoms.copy(), atoms.copy()
    mine.calc, other.calc = calculator, theirs
    assert abs(mine.get_potential_energy() - other.get_potential_energy()) < 1e-7
    assert numpy.abs(mine.get_forces() - other.get_forces()).max() < 1e-9
    assert numpy.abs(mine.get_stress() - other.get_stress()).max() < 1e-11

calculator = Calculator(settings)
compare(atoms)
squeezed = atoms.copy()
squeezed.set_cell(atoms.cell * 0.95, scale_atoms=True)
compare(squeezed)
squeezed.calc = calculator
assert (squeezed.get_stress()[:3] < 0).all()  # negative under compression
moved = squeezed.copy()
moved.positions += [100.0, -3.0, 0.2]  # ASE wraps nothing
compare(moved)
sheared = atoms.copy()
sheared.set_cell(atoms.cell.array @ [[1, 0.02, 0], [0, 1, 0.03], [0.01, 0, 1]], scale_atoms=True)
compare(sheared)  # its cell lies in no frame of Sterna's
"""
    )
    script_output(tmp_path, text, ranks)


def test_a_relaxation_by_ase_ends_in_the_perfect_lattice(tmp_path):
    text = (
        ARGON
        + """
from ase.optimize import FIRE
perfect = bulk("Ar", "fcc", a=5.3, cubic=True) * (4, 4, 4)
perfect.calc = Calculator(settings)
energy = perfect.get_potential_energy()
atoms.calc = Calculator(settings)
assert atoms.get_potential_energy() > energy + 0.1
FIRE(atoms, logfile=None).run(fmax=1e-4, steps=300)
assert abs(atoms.get_potential_energy() - energy) < 1e-4
"""
    )
    script_output(tmp_path, text)


def test_what_the_calculator_cannot_do_is_said(tmp_path):
    text = (
        ARGON
        + """
from ase import Atoms
for call, text in (
    (lambda: Calculator(settings.replace(units="real")), 'expected an input with units = "metal"'),
    (lambda: Calculator(settings.replace(component=[{"name": "x"}])), "rigid molecules"),
    (lambda: Atoms("Ar2", [[0, 0, 0], [0, 0, 4.0]], calculator=Calculator(settings)).get_forces(),
     "periodic in all directions"),
    (lambda: Atoms("Kr", cell=[20] * 3, pbc=True, calculator=Calculator(settings)).get_forces(),
     "no [[type]] with the name 'Kr'"),
):
    try:
        call()
    except ValueError as error:
        assert text in str(error), error
    else:
        raise AssertionError(text)
"""
    )
    done = run_script(tmp_path, text)
    assert done.returncode == 0, done.stderr
