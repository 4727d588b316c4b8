"""Charges an ion in periodic boxes of water of two sizes, and corrects what it costs for the boxes.

    python benchmarks/net_charge/run.py --output benchmarks/results/net_charge.json

The raw free energies of charging differ by the images of the ion and by the volume that it keeps free
of water. With `sterna.free_energies.net_charge_correction` they have to agree. Sodium is that of Joung
and Cheatham, J. Phys. Chem. B 112, 9020 (2008), in SPC/E water, whose relative permittivity is 71
(Smith and van Gunsteren, J. Chem. Phys. 100, 3169 (1994)). Both boxes have the density of water.
"""

import argparse
import json
import math
import platform
import tempfile
import time
from pathlib import Path

import numpy as np
import sterna
from sterna.free_energies import (
    free_energies_of_states,
    net_charge_correction,
    quadrupole_trace,
    read_states,
)

STATES = 11
DENSITY = 33.3  #: molecules in nm^3
OXYGEN, HYDROGEN = -0.8476, 0.4238
BOND, ANGLE = 0.1, math.radians(109.47)
#: Where the distribution of oxygens around sodium begins.
RADIUS = 0.2
WATER = np.array(
    [[0.0, 0.0, 0.0], [BOND, 0.0, 0.0], [BOND * math.cos(ANGLE), BOND * math.sin(ANGLE), 0.0]]
)

INPUT = """\
units = "nano"
[run]
name = "ion"
steps = {steps}
timestep = 0.002
seed = {seed}
[start]
kind = "file"
file = "ion.extxyz"
temperature = 298.15
[[type]]
name = "NA"
mass = 22.98977
sigma = 0.21595
epsilon = 1.475465
[[type]]
name = "OW"
mass = 15.9994
sigma = 0.316557
epsilon = 0.650194
[[type]]
name = "HW"
mass = 1.008
sigma = 0.1
epsilon = 0.0
[[molecule]]
name = "sodium"
count = 1
atom = [{{ type = "NA", charge = 1.0 }}]
[[molecule]]
name = "water"
count = {waters}
atom = [
  {{ name = "OW", type = "OW", charge = -0.8476 }},
  {{ name = "H1", type = "HW", charge = 0.4238 }},
  {{ name = "H2", type = "HW", charge = 0.4238 }},
]
[[molecule.constraint]]
distance = 0.1
atoms = [[1, 2], [1, 3]]
[[molecule.constraint]]
distance = 0.163299
atoms = [2, 3]
[[molecule.exclusion]]
atoms = [[1, 2], [1, 3], [2, 3]]
[interaction]
cutoff = 0.6
truncation = "shifted"
[electrostatics]
kind = "fmm"
accuracy = 1e-4
[thermostat]
kind = "langevin"
temperature = 298.15
time_constant = 1.0
[alchemy]
molecules = ["sodium"]
charges = {charges}
state = {state}
interval = 25
[output]
directory = {folder}
thermo_interval = 5000
[[stage]]
name = "settle"
[stage.run]
timestep = 0.0005
steps = 8000
[[stage]]
name = "produce"
"""


def write_start(folder: Path, cells: int, seed: int) -> float:
    """An ion and waters of random orientations on a cubic lattice; returns the edge."""
    edge = (cells**3 / DENSITY) ** (1.0 / 3.0)
    generator = np.random.default_rng(seed)
    points = np.stack(np.meshgrid(*3 * [np.arange(cells)], indexing="ij"), axis=-1).reshape(-1, 3)
    points = (points + 0.5) * edge / cells
    lines = [f"NA {' '.join(f'{x:.5f}' for x in points[0])}"]
    for point in points[1:]:
        turn, _ = np.linalg.qr(generator.normal(size=(3, 3)))
        for name, place in zip(("OW", "HW", "HW"), WATER @ turn + point, strict=True):
            lines.append(f"{name} {' '.join(f'{x:.5f}' for x in place % edge)}")
    head = f'Lattice="{edge} 0 0 0 {edge} 0 0 0 {edge}" Properties=species:S:1:pos:R:3'
    (folder / "ion.extxyz").write_text("\n".join([str(len(lines)), head, *lines]) + "\n")
    return edge


def charge(folder: Path, cells: int, steps: int, seed: int) -> dict:
    """The raw free energy of charging, with the standard error of MBAR."""
    files = []
    for state in range(STATES):
        own = folder / f"{cells}-{state}"
        own.mkdir()
        edge = write_start(own, cells, seed)
        text = INPUT.format(
            steps=steps, seed=seed + state, waters=cells**3 - 1, state=state,
            charges=[round(1.0 - k / (STATES - 1), 3) for k in range(STATES)],
            folder=json.dumps(str(own)),
        )  # fmt: skip
        (own / "ion.toml").write_text(text)
        sterna.run(own / "ion.toml", ranks=1)
        files.append(read_states(own / "ion.produce.dhdl.xvg").from_time(20.0))
    found = free_energies_of_states(files)
    for line in found.warnings:
        print(f"{cells}: {line}", flush=True)
    return {
        "solvent_molecules": cells**3 - 1,
        "edge": edge,
        "raw": found.thermal_energy * float(found.free_energy[-1]),
        "error": found.thermal_energy * float(found.error[-1]),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--steps", type=int, default=50000)
    parser.add_argument("--cells", type=int, nargs="+", default=(4, 6))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    begin = time.process_time()
    trace = quadrupole_trace([OXYGEN, HYDROGEN, HYDROGEN], WATER)
    record = {
        "command": f"python benchmarks/net_charge/run.py --steps {options.steps} --seed {options.seed}",
        "date": time.strftime("%Y-%m-%d"),
        "machine": platform.machine(),
        "unit": "kJ/mol, nm, e",
        "charge": 1.0, "permittivity": 71.0, "radius": RADIUS, "solvent_quadrupole": trace,
        "boxes": [],
    }  # fmt: skip
    with tempfile.TemporaryDirectory() as name:
        for cells in options.cells:
            box = charge(Path(name), cells, options.steps, options.seed)
            found = net_charge_correction(
                [box["edge"]] * 3, 0.0, 1.0, permittivity=71.0, radius=RADIUS,
                solvent_molecules=box["solvent_molecules"], solvent_quadrupole=trace,
            )  # fmt: skip
            box |= {
                "images": found.images,
                "excluded_volume": found.excluded_volume,
                "solvent": found.solvent,
                "corrected": box["raw"] + found.total,
            }
            record["boxes"].append(box)
            print(json.dumps(box), flush=True)
    print(f"{time.process_time() - begin:.0f} s in Python")
    if options.output:
        options.output.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
