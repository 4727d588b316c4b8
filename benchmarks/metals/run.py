#!/usr/bin/env python3
"""Copper by the embedded-atom method in Sterna and LAMMPS, side by side in one run.

    ./dev bench metals [--ranks 1,2] [--steps 300] [--repeats 5] [--priority]

32000 atoms as in LAMMPS's own benchmark (in.eam): 1600 K at the start and some 800 K after the steps
that both then begin from, time step 5 fs, constant energy. The functions are those of Cu_u3.eam, 500
points, and of Cu_mishin1.eam.alloy, 10001 points, which come with LAMMPS.
benchmarks/support/crystals.py says how they are compared.

Prints a table and the targets; writes benchmarks/results/metals.json and the table of
docs/benchmarks.md.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / folder) for folder in ("python", "tools", "benchmarks/support")]
from crystals import Crystal, main, potential_of_lammps  # noqa: E402


def copper(name: str, file: str, pair_style: str) -> Crystal:
    return Crystal(
        name=name,
        lattice="fcc",
        atoms_of_cell=4,
        cells=20,
        edge=3.615,
        mass=63.55,
        temperature=1600.0,
        equilibration=200,
        timestep=0.005,
        type='name = "Cu"',
        interaction=f'potential = "embedded_atom"\nembedded_atom_file = "{file}"',
        pair_style=pair_style,
        skins=(0.5, 1.0),
        target=0.35,
        files=lambda environment: {file: potential_of_lammps(environment, file)},
    )


CRYSTALS = [
    copper("Cu_u3", "Cu_u3.eam", "pair_style eam\npair_coeff 1 1 Cu_u3.eam"),
    copper(
        "Cu_mishin1",
        "Cu_mishin1.eam.alloy",
        "pair_style eam/alloy\npair_coeff * * Cu_mishin1.eam.alloy Cu",
    ),
]

if __name__ == "__main__":
    sys.exit(main("metals", __doc__.splitlines()[0], CRYSTALS))
