"""What a frame of a million atoms costs in XTC, while a run goes on.

Runs of the same steps take turns: without a trajectory, with an XTC frame in each step, with an H5MD
frame of single precision in each step. The difference is divided by the number of frames: processor
time of all ranks together, which other work on the machine disturbs least, and the time on the clock
of the phase "output". Beside it: the library xdrfile, in MDAnalysis, on the last frame in memory of
one process, and what writing as many bytes costs, with and without waiting for the disk. Least of
some rounds. `--output FILE` writes all times as JSON.
"""

import argparse
import json
import os
import platform
import resource
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy
from MDAnalysis.lib.formats.libmdaxdr import XTCFile

STEPS = 8
INPUT = """\
units = "reduced"
[run]
name = "{name}"
steps = {steps}
timestep = 0.001
[start]
kind = "lattice"
lattice = "fcc"
cells = [{cells}, {cells}, {cells}]
density = 0.8442
temperature = 1.0
[[type]]
name = "A"
[interaction]
cutoff = 2.5
[communication]
tuning = false
[output]
thermo_interval = 1
{output}
"""
KINDS = {
    "none": "",
    "xtc": "xtc_interval = 1",
    "h5md": 'trajectory_interval = 1\ntrajectory_precision = "single"',
}


def run(folder: Path, kind: str, ranks: int, cells: int) -> dict[str, float]:
    """Processor time of all ranks and time of the phase "output", in seconds."""
    text = INPUT.format(name=kind, steps=STEPS, cells=cells, output=KINDS[kind])
    (folder / f"{kind}.toml").write_text(text)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        ["sterna", "run", f"{kind}.toml", "-n", str(ranks), "--overwrite"], cwd=folder, check=True,
        stdout=subprocess.DEVNULL,
    )  # fmt: skip
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    events = [json.loads(line) for line in (folder / f"{kind}.log.jsonl").open()]
    phases = next(event["phases"] for event in reversed(events) if "phases" in event)
    return {
        "cpu": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
        "output": phases.get("output", {}).get("avg", 0.0),
    }


def timed(work: Callable[[], None], rounds: int) -> dict[str, float]:
    times = []
    for _ in range(rounds):
        cpu, wall = time.process_time(), time.perf_counter()
        work()
        times.append((time.process_time() - cpu, time.perf_counter() - wall))
    return {"cpu": min(cpu for cpu, _ in times), "wall": min(wall for _, wall in times)}


def alone(path: Path, rounds: int) -> dict[str, object]:
    """The library on the last frame, and its bytes."""
    with XTCFile(str(path)) as file:
        frames = len(file)
        file.seek(frames - 1)
        frame = file.read()
    data = bytes(path.stat().st_size // frames)
    other = path.with_name("other.xtc")
    positions = numpy.ascontiguousarray(frame.x)

    def by_library() -> None:
        with XTCFile(str(other), "w") as file:
            file.write(positions, frame.box, frame.step, frame.time, frame.prec)

    def as_bytes(wait: bool) -> None:
        with other.open("wb") as file:
            file.write(data)
            file.flush()
            if wait:
                os.fsync(file.fileno())

    return {
        "atoms": len(positions),
        "bytes": len(data),
        "library": timed(by_library, rounds),
        "bytes written": timed(lambda: as_bytes(False), rounds),
        "bytes on the disk": timed(lambda: as_bytes(True), rounds),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", type=int, default=63, help="of four atoms along each edge")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    runs: dict[str, list[dict[str, float]]] = {kind: [] for kind in KINDS}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for _ in range(options.rounds):
            for kind, measured in runs.items():
                measured.append(run(folder, kind, options.ranks, options.cells))
        floor = alone(folder / "xtc.xtc", options.rounds)
    least = {
        kind: {key: min(one[key] for one in measured) for key in ("cpu", "output")}
        for kind, measured in runs.items()
    }
    frames = STEPS + 1
    print(
        f"{floor['atoms']} atoms, {floor['bytes']} bytes in XTC, {options.ranks} ranks; ms a frame"
    )
    print(f"{'':28}{'processor':>10}{'clock':>10}")
    for kind in ("xtc", "h5md"):
        cpu = 1000 * (least[kind]["cpu"] - least["none"]["cpu"]) / frames
        wall = 1000 * (least[kind]["output"] - least["none"]["output"]) / frames
        print(f"{kind + ' of the run, all ranks':28}{cpu:10.1f}{wall:10.1f}")
    for what in ("library", "bytes written", "bytes on the disk"):
        print(f"{what:28}{1000 * floor[what]['cpu']:10.1f}{1000 * floor[what]['wall']:10.1f}")
    if options.output:
        record = {
            "machine": {"processor": platform.processor() or platform.machine(),
                        "cores": os.cpu_count()},
            "ranks": options.ranks, "frames": frames, "runs": runs, "alone": floor,
        }  # fmt: skip
        options.output.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
