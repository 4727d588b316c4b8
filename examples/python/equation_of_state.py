"""Lattice constant, cohesive energy and bulk modulus of silicon, by ASE's equation of state.

    python examples/python/equation_of_state.py

Tersoff, Phys. Rev. B 38, 9902 (1988), gives 5.432 angstrom, -4.63 eV and 98 GPa for his T3.
"""

import numpy
import sterna
from ase.build import bulk
from ase.eos import EquationOfState
from ase.units import GPa
from sterna.ase import Calculator

settings = sterna.Input(
    interaction={"potential": "tersoff"},
    type=[{"name": "Si", "mass": 28.0855, "tersoff": "Si(C)"}],
)
calculator = Calculator(settings)
volumes, energies = [], []
for constant in numpy.linspace(5.35, 5.52, 9):
    atoms = bulk("Si", "diamond", a=constant, cubic=True) * (2, 2, 2)
    atoms.calc = calculator
    volumes.append(atoms.get_volume() / len(atoms))
    energies.append(atoms.get_potential_energy() / len(atoms))

volume, energy, modulus = EquationOfState(volumes, energies, eos="birchmurnaghan").fit()
print(f"a = {(8 * volume) ** (1 / 3):.4f} angstrom, E = {energy:.4f} eV/atom", end=", ")
print(f"B = {modulus / GPa:.1f} GPa")
