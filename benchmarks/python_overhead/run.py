"""What Python adds to a run: 108,000 particles by sterna-md and by `sterna.Simulation`, taking turns.

Each kind of run is a process of its own on one rank, pinned to one core, in two lengths: the
difference of both is what the steps take, without the start. Kinds take turns, forward and
backward. In Python one call of `run` does all steps, as the program does: nobody looks; a reporter
reads positions as NumPy every 10 steps, with `needs` and without; a view shows them without a copy
between runs of 10 steps. Processor time is disturbed less by other work on the machine than the
clock is. Memory is the peak of each process. `--output FILE` writes all numbers as JSON.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "benchmarks" / "support"))
from process import processor  # noqa: E402

INPUT = """\
units = "reduced"
[run]
name = "melt"
steps = {steps}
timestep = 0.002
[start]
kind = "lattice"
cells = [{cells}, {cells}, {cells}]
density = 0.8442
temperature = 1.44
[[type]]
name = "A"
[interaction]
cutoff = 2.5
[communication]
tuning = false
[output]
thermo_interval = 1000000
"""
PROGRAM = "sterna-md"
KINDS = (PROGRAM, "run", "reporter", "reporter with energies", "view between runs")


@dataclass
class Cost:
    """Of a process, or of a step."""

    processor: float  # seconds
    clock: float
    memory: int  # bytes


def run_in_python(kind: str, steps: int) -> None:
    """What the processes of Python do."""
    import numpy
    import sterna

    seen = numpy.zeros(3)

    def look(frame: object) -> None:
        seen[:] = frame.position[0]

    simulation = sterna.Simulation.from_file("melt.toml")
    if kind == "reporter":
        simulation.every(10, needs=["position"])(look)
    elif kind == "reporter with energies":
        simulation.every(10)(look)
    if kind != "view between runs":
        simulation.run(steps)
        return
    for _ in range(steps // 10):
        simulation.run(10)
        with simulation.view() as v:
            look(v)


def cost_of(kind: str, steps: int, cells: int, core: int) -> Cost:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "melt.toml").write_text(INPUT.format(steps=steps, cells=cells))
        command = ["taskset", "-c", str(core)]
        if kind == PROGRAM:
            command += [os.environ["STERNA_MD"], "--progress", "never", "melt.toml"]
        else:
            script = str(Path(__file__).resolve())
            command += [sys.executable, script, "--in-python", kind, "--steps", str(steps)]
        began = time.perf_counter()
        process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        if status != 0:
            raise SystemExit(f"{kind} ended with status {status}")
        seconds = time.perf_counter() - began
        return Cost(usage.ru_utime + usage.ru_stime, seconds, usage.ru_maxrss * 1024)


def cost_of_a_step(kind: str, steps: int, cells: int, core: int) -> Cost:
    """From two lengths; the memory is that of the longer run."""
    short, long = (cost_of(kind, n, cells, core) for n in (steps // 5, steps))
    more = steps - steps // 5
    return Cost(
        (long.processor - short.processor) / more, (long.clock - short.clock) / more, long.memory
    )


def show(costs: dict[str, list[Cost]]) -> None:
    """Of each kind the median, and what it is more than the program by the median over turns."""
    print(f"{'':<24} processor time of a step        clock                         memory")
    for kind, found in costs.items():
        line = f"{kind:<24}"
        for name in ("processor", "clock"):
            times = [getattr(cost, name) for cost in found]
            base = [getattr(cost, name) for cost in costs[PROGRAM]]
            more = statistics.median(t / b - 1 for t, b in zip(times, base, strict=True))
            line += f" {statistics.median(times) * 1e3:9.3f} ms {100 * more:+6.2f} %  "
        print(line + f" {statistics.median(cost.memory for cost in found) / 2**20:10.1f} MiB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--turns", type=int, default=6)
    parser.add_argument("--steps", type=int, default=500, help="of the longer runs")
    parser.add_argument("--cells", type=int, default=30, help="of four particles, along each edge")
    parser.add_argument("--kinds", nargs="+", default=KINDS, choices=KINDS, metavar="KIND")
    parser.add_argument("--output", type=Path)
    parser.add_argument("--in-python", metavar="KIND", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.in_python:
        run_in_python(arguments.in_python, arguments.steps)
        return
    kinds = list(dict.fromkeys([PROGRAM, *arguments.kinds]))
    core = max(os.sched_getaffinity(0))
    costs: dict[str, list[Cost]] = {kind: [] for kind in kinds}
    for turn in range(arguments.turns):
        for kind in kinds if turn % 2 == 0 else reversed(kinds):
            costs[kind].append(cost_of_a_step(kind, arguments.steps, arguments.cells, core))
    particles = 4 * arguments.cells**3
    print(f"{particles} particles, one rank, {arguments.turns} turns; medians")
    show(costs)
    if arguments.output:
        record = {
            "benchmark": "python_overhead",
            "command": "./dev bench python_overhead " + " ".join(sys.argv[1:]),
            "date": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
            "machine": {
                "processor": processor(),
                "cores": len(os.sched_getaffinity(0)),
                "load": os.getloadavg()[0],
            },
            "particles": particles,
            "steps": arguments.steps,
            "of_a_step": {
                kind: {
                    "processor_seconds": [cost.processor for cost in found],
                    "clock_seconds": [cost.clock for cost in found],
                    "bytes": [cost.memory for cost in found],
                }
                for kind, found in costs.items()
            },
        }
        arguments.output.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
