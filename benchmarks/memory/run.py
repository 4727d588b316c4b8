"""Memory of runs on one rank: a melt of two sizes, and water of flexible molecules.

    ./dev bench memory [--before CHECKOUT] [--systems melt,water]

Peak of the resident memory of the whole process, start and checkpoint included, and the median of
what it has in the second half of its time, both divided by the number of atoms. Of the melt also the
slope between the peaks of both sizes: what an atom more costs. The water has constraints, charges by
the multipole method, and lists by tolerance. CHECKOUT is another checkout with a build of
`sterna-md`. Prints a table; writes benchmarks/results/memory.json.
"""

import argparse
import json
import re
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "python"), str(ROOT / "benchmarks" / "support")]
from process import processor  # noqa: E402
from sterna.launch import command_line  # noqa: E402
from sterna.program import find_program  # noqa: E402

RESULTS = ROOT / "benchmarks" / "results" / "memory.json"
STEPS = 12
MELT_CELLS = (40, 80)  # 256 thousand and 2 million atoms
WATER_EDGE = 72  # molecules along each edge of the box
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
WATER = """\
units = "nano"
[run]
steps = {steps}
precision = "mixed"
timestep = 0.001
[start]
kind = "file"
file = "water.extxyz"
temperature = 300.0
[interaction]
cutoff = 0.9
truncation = "truncated"
[neighbor]
buffer = "tolerance"
[output]
thermo_interval = {steps}
[electrostatics]
kind = "fmm"
accuracy = 1e-3
[[type]]
name = "O"
mass = 15.9994
sigma = 0.315061
epsilon = 0.6364
[[type]]
name = "H"
mass = 1.008
sigma = 0.1
epsilon = 0.0
[[molecule]]
name = "HOH"
count = {molecules}
excluded_bonds = 0
[[molecule.atom]]
name = "O"
type = "O"
charge = -0.834
[[molecule.atom]]
name = "H1"
type = "H"
charge = 0.417
[[molecule.atom]]
name = "H2"
type = "H"
charge = 0.417
[[molecule.constraint]]
distance = 0.09572
atoms = [[1, 2], [1, 3]]
[[molecule.constraint]]
distance = 0.15139
atoms = [2, 3]
[[molecule.exclusion]]
atoms = [[1, 2], [1, 3], [2, 3]]
"""


def write_melt(path: Path, cells: int, precision: str) -> int:
    path.write_text(MELT.format(steps=STEPS, cells=cells, precision=precision), encoding="utf-8")
    return 4 * cells**3


def write_water(path: Path, edge: int) -> int:
    """Molecules on a cubic lattice of the density of water, each turned at random."""
    molecules = edge**3
    spacing = (29.9e-3) ** (1 / 3)  # nm, of 29.9 cubic angstrom for each
    random = numpy.random.default_rng(1)
    along = numpy.arange(edge) * spacing
    oxygen = numpy.stack(numpy.meshgrid(along, along, along, indexing="ij"), -1).reshape(-1, 3)
    axes = numpy.linalg.qr(random.normal(size=(molecules, 3, 3)))[0]
    x, y = 0.5 * 0.15139, (0.09572**2 - (0.5 * 0.15139) ** 2) ** 0.5
    arms = numpy.array([[0, 0, 0], [x, y, 0], [-x, y, 0]])
    places = oxygen[:, None, :] + numpy.einsum("ak,mkc->mac", arms, axes)
    length = edge * spacing
    with path.with_name("water.extxyz").open("w", encoding="utf-8") as file:
        file.write(f'{3 * molecules}\nLattice="{length} 0 0 0 {length} 0 0 0 {length}" ')
        file.write("Properties=species:S:1:pos:R:3\n")
        for molecule in places:
            for name, (a, b, c) in zip("OHH", molecule, strict=True):
                file.write(f"{name} {a:.5f} {b:.5f} {c:.5f}\n")
    path.write_text(WATER.format(steps=STEPS, molecules=molecules), encoding="utf-8")
    return 3 * molecules


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
    parser.add_argument("--systems", default="melt,water")
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
            path = folder / "water.toml"
            inputs["water"] = [(path, write_water(path, WATER_EDGE))]
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
    record = {
        "command": shlex.join(["./dev", "bench", "memory", *sys.argv[1:]]),
        "date": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
        "machine": processor(),
        "steps": STEPS,
        "rows": rows,
    }
    RESULTS.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
