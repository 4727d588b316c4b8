"""What a frame of a million atoms costs in XTC, while a run goes on.

    ./dev bench xtc [--ranks 2 1] [--rounds 5] [--priority]

Runs of the same steps take turns, pinned: without a trajectory, with an XTC frame in each step, with
an H5MD frame of single precision in each step. The difference of the phase "output" (on the clock,
mean of the ranks) is divided by the number of frames. Beside it: the library xdrfile, in MDAnalysis,
on the last frame in memory of one process; what writing as many bytes costs, and those of plain
floats, with and without waiting for the disk. Least of some rounds. `--folder` says where files are
written. Writes benchmarks/results/xtc.json.
"""

import argparse
import json
import os
import shlex
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy
from MDAnalysis.lib.formats.libmdaxdr import XTCFile

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "python"), str(ROOT / "benchmarks" / "support")]
from process import Cores, processor, run_process  # noqa: E402
from sterna.launching.launch import command_line  # noqa: E402
from sterna.launching.program import find_program  # noqa: E402

RESULTS = ROOT / "benchmarks" / "results" / "xtc.json"
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


def run(folder: Path, kind: str, ranks: int, cells: int, cores: Cores) -> float:
    """Time of the phase "output", in seconds."""
    text = INPUT.format(name=kind, steps=STEPS, cells=cells, output=KINDS[kind])
    (folder / f"{kind}.toml").write_text(text)
    command, environment = command_line(ranks, [f"{kind}.toml", "--overwrite"])
    at = command.index(str(find_program()))
    launcher = command[:at] if ranks > 1 else []
    run_process([*launcher, *cores.pinned(ranks, command[at:])], folder, environment)
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
    parser = argparse.ArgumentParser(prog="./dev bench xtc", description=__doc__.splitlines()[0])
    parser.add_argument("--cells", type=int, default=63, help="of four atoms along each edge")
    parser.add_argument("--ranks", type=int, nargs="+", default=[2, 1])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--folder", type=Path, help="of temporary files")
    parser.add_argument("--priority", action="store_true", help="raise that of what is measured")
    options = parser.parse_args()
    if options.priority:
        os.environ["STERNA_BENCH_PRIORITY"] = "-15"
    cores = Cores()
    frames = STEPS + 1
    runs = {ranks: {kind: [] for kind in KINDS} for ranks in options.ranks}
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        folder = Path(name)
        for _ in range(options.rounds):
            for ranks, of_kind in runs.items():
                for kind, measured in of_kind.items():
                    measured.append(run(folder, kind, ranks, options.cells, cores))
        floor = alone(folder / "xtc.xtc", options.rounds)
    print(f"{floor['atoms']} atoms, {floor['bytes']} bytes in XTC; ms a frame")
    for ranks, of_kind in runs.items():
        for kind in ("xtc", "h5md"):
            wall = 1000 * (min(of_kind[kind]) - min(of_kind["none"])) / frames
            print(f"{f'{kind} while a run lasts, ranks: {ranks}':32}{wall:8.1f}")
    for what in list(floor)[2:]:
        times = floor[what]
        print(f"{what:32}{1000 * times['wall']:8.1f} (processor {1000 * times['cpu']:.1f})")
    record = {
        "command": shlex.join(["./dev", "bench", "xtc", *sys.argv[1:]]),
        "date": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
        "machine": {"processor": processor(), "cores": len(cores.available)},
        "frames": frames,
        "output_seconds_by_ranks": runs,
        "alone": floor,
    }
    RESULTS.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
