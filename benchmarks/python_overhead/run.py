"""What Python adds to a run: 108,000 particles by sterna-md and by `sterna.Simulation`, taking turns.

Measured on one rank that is pinned to one core, in processor time, which other work on the machine
disturbs less than the clock does; least of some runs. In one process of Python, parts of 50 steps of
four simulations of the same start take turns: nobody looks; a reporter reads positions every 10
steps, with `needs` and without; the same reporter reads a view without a copy of them, between runs
of 10 steps. `--output FILE` writes all times as JSON.
"""

import argparse
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

STEPS = 50
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
KINDS = ("run", "reporter", "reporter with energies", "view between runs")


def measure_in_python(rounds: int) -> None:
    """The part in a process of its own: prints JSON."""
    import numpy
    import sterna

    seen = numpy.zeros(3)

    def look(frame: object) -> None:
        seen[:] = frame.position[0]

    simulations = {}
    for kind in KINDS:
        simulation = simulations[kind] = sterna.Simulation.from_file("melt.toml")
        if kind == "reporter":
            simulation.every(10, needs=["position"])(look)
        elif kind == "reporter with energies":
            simulation.every(10)(look)
        if kind == "run":
            simulation.run(STEPS)
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        else:
            simulation.run(STEPS)
    times: dict[str, list[float]] = {kind: [] for kind in KINDS}
    for _ in range(rounds):
        for kind, simulation in simulations.items():
            start = time.process_time()
            if kind == "view between runs":
                for _ in range(STEPS // 10):
                    simulation.run(10)
                    with simulation.view() as v:
                        seen[:] = v.position[0]
            else:
                simulation.run(STEPS)
            times[kind].append((time.process_time() - start) / STEPS)
    print(json.dumps({"times": times, "memory": memory * 1024}))


def pinned(command: list) -> list[str]:
    return ["taskset", "-c", str(max(os.sched_getaffinity(0))), *map(str, command)]


def seconds_per_step(program: str, folder: str, cells: int) -> tuple[float, int]:
    """Of a run of sterna-md, without its start: from two lengths. And its memory in bytes."""
    used = []
    for steps in (STEPS, 2 * STEPS):
        Path(folder, "melt.toml").write_text(INPUT.format(steps=steps, cells=cells))
        process = subprocess.Popen(
            pinned([program, "--overwrite", "melt.toml"]), cwd=folder, stdout=subprocess.DEVNULL
        )
        _, status, usage = os.wait4(process.pid, 0)
        if status != 0:
            raise SystemExit(f"{program} ended with status {status}")
        used.append((usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024))
    return (used[1][0] - used[0][0]) / STEPS, used[0][1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3, help="runs of each program, by turns")
    parser.add_argument("--rounds", type=int, default=4, help="parts in each process of Python")
    parser.add_argument("--cells", type=int, default=30, help="of four particles, along each edge")
    parser.add_argument("--output", type=Path)
    parser.add_argument("--in-python", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.in_python:
        measure_in_python(arguments.rounds)
        return
    program = os.environ["STERNA_MD"]
    times: dict[str, list[float]] = {name: [] for name in ("sterna-md", *KINDS)}
    memory: dict[str, list[int]] = {"sterna-md": [], "Python": []}
    for _ in range(arguments.repeats):
        with tempfile.TemporaryDirectory() as folder:
            seconds, bytes_used = seconds_per_step(program, folder, arguments.cells)
            times["sterna-md"].append(seconds)
            memory["sterna-md"].append(bytes_used)
            script = [sys.executable, Path(__file__).resolve(), "--in-python"]
            done = subprocess.run(
                pinned([*script, "--rounds", str(arguments.rounds)]),
                cwd=folder,
                check=True,
                capture_output=True,
                text=True,
            )
            found = json.loads(done.stdout)
            memory["Python"].append(found["memory"])
            for kind, values in found["times"].items():
                times[kind] += values
    particles = 4 * arguments.cells**3
    base = min(times["run"])
    print(f"{particles} particles, one rank; processor time of a step, least (median)")
    for name, values in times.items():
        least = min(values)
        print(
            f"{name:<24} {least * 1e3:8.3f} ms ({statistics.median(values) * 1e3:.3f})"
            f" {100 * (least / base - 1):+6.2f} % of run"
        )
    for name, values in memory.items():
        print(f"memory of {name:<14} {min(values) / 2**20:8.1f} MiB")
    if arguments.output:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        models = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
        record = {
            "benchmark": "python_overhead",
            "command": "./dev bench python_overhead " + " ".join(sys.argv[1:]),
            "date": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
            "machine": {
                "processor": models[0] if models else platform.processor(),
                "cores": len(os.sched_getaffinity(0)),
                "load": os.getloadavg()[0],
            },
            "particles": particles,
            "processor_seconds_per_step": times,
            "bytes": memory,
        }
        arguments.output.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
