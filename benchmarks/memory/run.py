"""Memory of runs on one rank: a melt of two sizes, water of flexible molecules, protein in water.

    ./dev bench memory [--before CHECKOUT] [--systems melt,water,protein]

The table has two numbers for each run, divided by the number of atoms: the peak of the resident
memory of the whole process, start and checkpoint included, and its median in the second half of the
run. For the melt it also has the memory of one more atom, from the peaks of both sizes. The water has
constraints, charges by the multipole method, and lists by tolerance. So has dihydrofolate reductase
in water, repeated to 1.1 million atoms, which needs OpenMM. CHECKOUT is another checkout with a build
of `sterna-md`. Prints a table; writes benchmarks/results/memory.json.
"""

import argparse
import json
import math
import re
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "python"), str(ROOT / "benchmarks" / "support")]
sys.path += [str(ROOT / "benchmarks" / "biomolecules")]
from process import processor  # noqa: E402
from sterna.launching.launch import command_line  # noqa: E402
from sterna.launching.program import find_program  # noqa: E402
from systems import SETTINGS, Protein, Water, called, input_of  # noqa: E402
from water_lattice import write_water_lattice  # noqa: E402

RESULTS = ROOT / "benchmarks" / "results" / "memory.json"
STEPS = 12
MELT_CELLS = (40, 80)  # 256 thousand and 2 million atoms
WATER_EDGE = 72  # molecules along each edge of the box
PROTEIN_REPEATS = (4, 4, 3)
MELT = """\
[run]
steps = {steps}
timestep = 0.005
precision = "{precision}"
[start]
kind = "lattice"
lattice = "fcc"
cells = [{cells}, {cells}, {cells}]
density = 0.8442
temperature = 1.44
[[type]]
name = "A"
[interaction]
cutoff = 2.5
truncation = "truncated"
[neighbor]
skin = 0.3
[output]
thermo_interval = {steps}
"""


def write_melt(path: Path, cells: int, precision: str) -> int:
    path.write_text(MELT.format(steps=STEPS, cells=cells, precision=precision), encoding="utf-8")
    return 4 * cells**3


class LatticeWater(Water):
    """Molecules on a cubic lattice of the density of water, each turned at random."""

    def prepare(self, folder: Path, gmx: str | None) -> None:
        molecules = WATER_EDGE**3
        self.atoms = 3 * molecules
        write_water_lattice(folder / "start.extxyz", WATER_EDGE)
        text = self.INPUT.format(steps=STEPS, timestep=0.001, cutoff=0.9, molecules=molecules)
        self.write_inputs(folder, text)


class RepeatedProtein(Protein):
    """The box of the protein several times along each edge."""

    def prepare(self, folder: Path, gmx: str | None) -> None:
        self.steps = STEPS
        super().prepare(folder, gmx)
        path = input_of(folder, SETTINGS[1])
        command = [sys.executable, "-m", "sterna", "new", "replicate", path.name]
        called(folder, *command, *PROTEIN_REPEATS, "-o", path.name, "--overwrite")
        self.atoms *= math.prod(PROTEIN_REPEATS)


def measured(program: Path, path: Path) -> dict[str, float]:
    """Bytes at the peak and in the second half, and seconds."""
    command, environment = command_line(1, [path.name, "--overwrite"])
    # Without the launcher: the memory is that of the process itself.
    command = [str(program), *command[command.index(str(find_program())) + 1 :]]
    begin = time.perf_counter()
    process = subprocess.Popen(
        command, cwd=path.parent, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    peak, resident = 0, []
    while process.poll() is None:
        # The peak of getrusage would hold that of this process, before it became the other one.
        status = Path(f"/proc/{process.pid}/status").read_text(encoding="ascii")
        sizes = dict(re.findall(r"^(Vm\w+):\s+(\d+) kB", status, re.MULTILINE))
        if "VmHWM" in sizes:
            peak = 1024 * int(sizes["VmHWM"])
            resident.append(1024 * int(sizes["VmRSS"]))
        time.sleep(0.02)
    if process.returncode != 0:
        sys.exit(f"{path.name}:\n{process.stderr.read().decode()}")
    seconds = time.perf_counter() - begin
    later = statistics.median(resident[len(resident) // 2 :])
    return {"peak": peak, "later": later, "seconds": seconds}


def main() -> None:
    parser = argparse.ArgumentParser(prog="./dev bench memory", description=__doc__.splitlines()[0])
    parser.add_argument("--before", type=Path, help="another checkout, with a build of sterna-md")
    parser.add_argument("--systems", default="melt,water,protein")
    options = parser.parse_args()
    systems = options.systems.split(",")
    programs = {"now": Path(find_program())}
    if options.before:
        programs["before"] = options.before.resolve() / "build" / "src" / "app" / "sterna-md"
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        inputs = {}
        if "melt" in systems:
            for precision in ("double", "mixed"):
                for cells in MELT_CELLS:
                    path = folder / f"melt_{cells}_{precision}.toml"
                    inputs[f"melt, {precision}"] = inputs.get(f"melt, {precision}", [])
                    inputs[f"melt, {precision}"].append((path, write_melt(path, cells, precision)))
        if "water" in systems:
            water = LatticeWater("water", ("5e-4", "1e-3"), needs_gromacs=False)
            water.prepare(folder, None)
            inputs["water"] = [(input_of(folder, "sterna as gromacs"), water.atoms)]
        if "protein" in systems:
            protein = RepeatedProtein("protein", ("5e-4", "1.3e-3"), needs_gromacs=False)
            (folder / "protein").mkdir()
            protein.prepare(folder / "protein", None)
            inputs["protein"] = [(input_of(folder / "protein", SETTINGS[1]), protein.atoms)]
        for system, sizes in inputs.items():
            for build, program in programs.items():
                before = None
                for path, atoms in sizes:
                    row = {"system": system, "build": build, "atoms": atoms}
                    row |= measured(program, path)
                    if before:
                        row["slope"] = (row["peak"] - before["peak"]) / (atoms - before["atoms"])
                    rows.append(before := row)
                    print(
                        f"{system:14} {build:7} {atoms:9} atoms: peak {row['peak'] / atoms:7.1f}, "
                        f"later {row['later'] / atoms:7.1f} bytes per atom, {row['seconds']:5.1f} s"
                        + (f", slope {row['slope']:.1f}" if "slope" in row else "")
                    )
    before = ["--before", "CHECKOUT"] if options.before else []
    record = {
        "command": shlex.join(["./dev", "bench", "memory", *before, "--systems", options.systems]),
        "date": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
        "machine": processor(),
        "steps": STEPS,
        "rows": rows,
    }
    RESULTS.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
