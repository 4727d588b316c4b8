#!/usr/bin/env python3
"""A silicon crystal with Tersoff's potential in Sterna and LAMMPS, side by side in one run.

    ./dev bench tersoff [--ranks 1,2] [--steps 300] [--repeats 5] [--priority]

32768 atoms of diamond structure, the parameters of LAMMPS's own benchmark (Si(B), Phys. Rev. B 37,
6991), 1000 K at the start and some 500 K after the 1000 steps that both then begin from; time step
1 fs, constant energy. benchmarks/support/crystals.py says how they are compared.

Prints a table and the target; writes benchmarks/results/tersoff.json and the table of
docs/benchmarks.md.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / folder) for folder in ("python", "tools", "benchmarks/support")]
from crystals import Crystal, main  # noqa: E402

# Phys. Rev. B 37, 6991: m gamma lambda3 c d h n beta lambda2 B R D lambda1 A.
SILICON = (
    "Si Si Si 3.0 1.0 1.3258 4.8381 2.0417 0.0 22.956 0.33675 1.3258 95.373 3.0 0.2 3.2394 3264.7\n"
)

CRYSTAL = Crystal(
    name="silicon",
    lattice="diamond",
    atoms_of_cell=8,
    cells=16,
    edge=5.432,
    mass=28.0855,
    temperature=1000.0,
    equilibration=1000,
    timestep=0.001,
    type='name = "Si"\ntersoff = "Si(B)"',
    interaction='potential = "tersoff"',
    pair_style="pair_style tersoff\npair_coeff * * Si.tersoff Si",
    skins=(0.5, 1.0),
    target=0.35,
    files=lambda _: {"Si.tersoff": SILICON},
)

if __name__ == "__main__":
    sys.exit(main("tersoff", __doc__.splitlines()[0], [CRYSTAL]))
