"""Time of the pair potentials: the same 32 thousand particles by each of them, taking turns.

Prints the least of some runs, in ns per particle and step, of the potential alone, on one rank that
is pinned to one core. `--output FILE` writes all of them, with the processor, as JSON.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "benchmarks" / "support"))
from process import processor  # noqa: E402

POTENTIALS = {
    "lennard_jones": {},
    "mie": {
        "epsilon": 1.0,
        "sigma": 1.0,
        "repulsive_exponent": 12,
        "attractive_exponent": 6,
    },
    "buckingham": {"amplitude": 2000.0, "rho": 0.15, "c6": 1.0},
    "born_mayer_huggins": {"amplitude": 1.0, "sigma": 1.1, "rho": 0.15, "c6": 0.5, "c8": 0.3},
    "morse": {"depth": 1.0, "alpha": 4.0, "r0": 1.1},
    "yukawa": {"strength": 2.0, "kappa": 1.5},
    "tabulated": {"table": "table.txt"},
}
STEPS = 60
CELLS = 20
INPUT = """\
[run]
name = "fluid"
steps = {steps}
timestep = 0.002
precision = "{precision}"
[start]
kind = "lattice"
cells = [{cells}, {cells}, {cells}]
density = 0.8442
temperature = 1.0
[[type]]
name = "A"
[interaction]
cutoff = 2.5
[neighbor]
skin = 0.3
[output]
thermo_interval = {steps}
"""


def table() -> str:
    """A Lennard-Jones potential as a table of a thousand points."""
    lines = []
    for k in range(1000):
        r = 0.6 + 1.9 * k / 999
        lines.append(f"{r!r} {4 * (r**-12 - r**-6)!r} {24 * (2 * r**-13 - r**-7)!r}\n")
    return "".join(lines)


def time_of(program: str, potential: str, precision: str) -> float:
    """ns per particle and step."""
    text = INPUT.format(steps=STEPS, cells=CELLS, precision=precision)
    if potential != "lennard_jones":
        keys = "".join(f"{key} = {json.dumps(v)}\n" for key, v in POTENTIALS[potential].items())
        text += f'[[pair]]\nfirst = "A"\nsecond = "A"\npotential = "{potential}"\n{keys}'
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "table.txt").write_text(table())
        Path(folder, "fluid.toml").write_text(text)
        core = str(max(os.sched_getaffinity(0)))
        subprocess.run(
            ["taskset", "-c", core, program, "fluid.toml"],
            cwd=folder,
            check=True,
            capture_output=True,
        )
        end = json.loads(Path(folder, "fluid.log.jsonl").read_text().splitlines()[-1])
    seconds = end["timing"]["phases"][potential]["avg"]
    return seconds / STEPS / (4 * CELLS**3) * 1e9


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    program = os.environ["STERNA_MD"]
    times = {precision: {name: [] for name in POTENTIALS} for precision in ("double", "mixed")}
    for _ in range(arguments.repeats):
        for precision, of_potential in times.items():
            for name, runs in of_potential.items():
                runs.append(time_of(program, name, precision))
    for name in POTENTIALS:
        double, mixed = (min(times[precision][name]) for precision in ("double", "mixed"))
        print(f"{name:<20} {double:8.1f} {mixed:8.1f}")
    if arguments.output:
        record = {"processor": processor(), "steps": STEPS, "ns_per_particle_and_step": times}
        arguments.output.write_text(json.dumps(record, indent=2) + "\n")


if __name__ == "__main__":
    main()
