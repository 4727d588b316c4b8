"""Relaxes the atoms and the cell of a strained silicon crystal with ASE and Sterna.

    python examples/python/relax.py

Tersoff, Phys. Rev. B 38, 9902 (1988), gives 5.432 angstrom and -4.63 eV for the perfect crystal.
"""

import sterna
from ase.build import bulk
from ase.filters import UnitCellFilter
from ase.optimize import LBFGS
from sterna.ase import Calculator

settings = sterna.Input(
    interaction={"potential": "tersoff"},
    type=[{"name": "Si", "mass": 28.0855, "tersoff": "Si(C)"}],
)
atoms = bulk("Si", "diamond", a=5.5, cubic=True) * (2, 2, 2)
atoms.set_cell(atoms.cell.array @ [[1.01, 0.01, 0], [0, 0.99, 0], [0, 0.01, 1]], scale_atoms=True)
atoms.rattle(0.05, seed=1)
atoms.calc = Calculator(settings)

LBFGS(UnitCellFilter(atoms), logfile=None).run(fmax=0.01, steps=200)
constant = (atoms.get_volume() / (len(atoms) / 8)) ** (1 / 3)
print(f"a = {constant:.3f} angstrom, E = {atoms.get_potential_energy() / len(atoms):.2f} eV/atom")
print("angles", atoms.cell.angles().round(2))
