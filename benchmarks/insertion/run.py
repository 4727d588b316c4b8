#!/usr/bin/env python3
"""Cost of test molecules: a liquid of 4,000 molecules with and without [insertion], by turns.

    ./dev bench insertion [--repeats 5] [--output FILE]

One rank on one core. Each run has ten samples of 1,000 insertions, one orientation each. The other run
has the same steps and no [insertion]; the difference is the time of the insertions.

Prints the median time of 1,000 insertions, in steps; `--output FILE` writes all times as JSON.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "benchmarks" / "support"))
from process import processor  # noqa: E402

INPUT = """\
units = "nano"
[run]
name = "liquid"
steps = 50
timestep = "1 fs"
[start]
kind = "lattice"
particles = 4000
density = "{density}"
temperature = "{temperature}"
[[component]]
name = "molecule"
model = "{model}"
[interaction]
cutoff = "{cutoff}"
tail_correction = true
{charges}
[thermostat]
kind = "stochastic_velocity_rescaling"
temperature = "{temperature}"
time_constant = "0.2 ps"
[output]
thermo_interval = 50
"""
INSERTION = """\
[insertion]
interval = 5
insertions = 1000
orientations = 1
"""
LIQUIDS = {
    "ethylene oxide, reaction field": {
        "model": "ethylene_oxide", "density": "17 mol/l", "temperature": "375 K",
        "cutoff": "1.4 nm", "charges": 'electrostatics = "reaction_field"',
    },
    "SPC/E water, multipole method": {
        "model": "spce", "density": "55.3 mol/l", "temperature": "300 K",
        "cutoff": "0.9 nm", "charges": '[electrostatics]\nkind = "fmm"',
    },
}  # fmt: skip


def seconds_of_loop(program: str, text: str) -> tuple[float, int]:
    """The time of the steps of a run, and how many there were."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "liquid.toml").write_text(text)
        core = str(max(os.sched_getaffinity(0)))
        command = ["taskset", "-c", core, program, "liquid.toml"]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
        end = json.loads(Path(folder, "liquid.log.jsonl").read_text().splitlines()[-1])
    return end["timing"]["seconds"], end["timing"]["steps"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    program = os.environ["STERNA_MD"]
    record = {"processor": processor(), "liquids": {}}
    for name, keys in LIQUIDS.items():
        text = INPUT.format(**keys)
        of_step, of_insertions = [], []
        for _ in range(arguments.repeats):
            plain, steps = seconds_of_loop(program, text)
            whole, _ = seconds_of_loop(program, text + INSERTION)
            of_step.append(plain / steps)
            of_insertions.append((whole - plain) / (steps // 5))
        in_steps = statistics.median(of_insertions) / statistics.median(of_step)
        print(f"{name}: 1,000 insertions take the time of {in_steps:.1f} steps")
        record["liquids"][name] = {
            "seconds_of_step": of_step,
            "seconds_of_1000_insertions": of_insertions,
            "insertions_in_steps": in_steps,
        }
    if arguments.output:
        arguments.output.write_text(json.dumps(record, indent=2) + "\n")


if __name__ == "__main__":
    main()
