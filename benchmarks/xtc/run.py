"""What a frame of a million atoms costs in XTC, while a run goes on.

Runs of the same steps take turns: without a trajectory, with an XTC frame in each step, with an H5MD
frame of single precision in each step. The difference of the phase "output" (on the clock, mean of
the ranks) is divided by the number of frames. Beside it: the library xdrfile, in MDAnalysis, on the
last frame in memory of one process; what writing as many bytes costs, and those of plain floats,
with and without waiting for the disk. Least of some rounds. `--output FILE` writes all times as
JSON, and `--folder` says where files are written.
"""

import argparse
import json
import os
import platform
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


def run(folder: Path, kind: str, ranks: int, cells: int) -> float:
    """Time of the phase "output", in seconds."""
    text = INPUT.format(name=kind, steps=STEPS, cells=cells, output=KINDS[kind])
    (folder / f"{kind}.toml").write_text(text)
    subprocess.run(
        ["sterna", "run", f"{kind}.toml", "-n", str(ranks), "--overwrite"], cwd=folder, check=True,
        stdout=subprocess.DEVNULL,
    )  # fmt: skip
    events = [json.loads(line) for line in (folder / f"{kind}.log.jsonl").open()]
    return events[-1]["timing"]["phases"]["output"]["avg"]


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
    plain = positions.tobytes()

    def by_library() -> None:
        with XTCFile(str(other), "w") as file:
            file.write(positions, frame.box, frame.step, frame.time, frame.prec)

    def as_bytes(written: bytes, wait: bool) -> None:
        with other.open("wb") as file:
            file.write(written)
            file.flush()
            if wait:
                os.fsync(file.fileno())

    return {
        "atoms": len(positions),
        "bytes": len(data),
        "library": timed(by_library, rounds),
        "its bytes written": timed(lambda: as_bytes(data, False), rounds),
        "its bytes on the disk": timed(lambda: as_bytes(data, True), rounds),
        "plain floats written": timed(lambda: as_bytes(plain, False), rounds),
        "plain floats on the disk": timed(lambda: as_bytes(plain, True), rounds),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", type=int, default=63, help="of four atoms along each edge")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--folder", type=Path, help="of temporary files")
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    runs: dict[str, list[float]] = {kind: [] for kind in KINDS}
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        folder = Path(name)
        for _ in range(options.rounds):
            for kind, measured in runs.items():
                measured.append(run(folder, kind, options.ranks, options.cells))
        floor = alone(folder / "xtc.xtc", options.rounds)
    frames = STEPS + 1
    print(
        f"{floor['atoms']} atoms, {floor['bytes']} bytes in XTC, {options.ranks} ranks; ms a frame"
    )
    for kind in ("xtc", "h5md"):
        wall = 1000 * (min(runs[kind]) - min(runs["none"])) / frames
        print(f"{kind + ' while a run lasts':32}{wall:8.1f}")
    for what in list(floor)[2:]:
        times = floor[what]
        print(f"{what:32}{1000 * times['wall']:8.1f} (processor {1000 * times['cpu']:.1f})")
    if options.output:
        record = {
            "machine": {"processor": platform.processor() or platform.machine(),
                        "cores": os.cpu_count()},
            "ranks": options.ranks, "frames": frames, "runs": runs, "alone": floor,
        }  # fmt: skip
        options.output.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
