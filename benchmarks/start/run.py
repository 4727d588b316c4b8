"""How long a run of two million molecules takes to start: from a checkpoint, from extended XYZ, and
from a frame of an H5MD trajectory.

    ./dev bench start [--ranks 2 1] [--rounds 3] [--systems atoms,molecules]
        [--kinds checkpoint,xyz,h5md] [--before CHECKOUT] [--cold] [--priority]

Atoms: a Lennard-Jones fluid with velocities. Molecules: two Lennard-Jones sites each, with
orientations and angular momenta. Each is made once, by a run of a lattice. The starts then take
turns, pinned. Seconds count from the start of the launcher on the clock: until the run is ready, which
is when it prints the head of its table and has yet to compute forces, and until the first step is
done. The event "started" of the log says where the time went, as the largest of all ranks. Least of
the rounds. Files are in the memory of the operating system; with `--cold` they are dropped from it
before each start, and reading the file alone is timed, too. CHECKOUT is another checkout with a build
of `sterna-md`. Writes benchmarks/results/start.json.
"""

import argparse
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import h5py
import numpy

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "python"), str(ROOT / "benchmarks" / "support")]
from process import Cores, processor, run_process  # noqa: E402
from sterna.launching.launch import command_line  # noqa: E402
from sterna.launching.program import find_program  # noqa: E402

RESULTS = ROOT / "benchmarks" / "results" / "start.json"
STEPS = 2  # of the run that makes the files
INPUT = """\
units = "reduced"
[run]
name = "{name}"
steps = {steps}
timestep = 0.002
precision = "mixed"
{start}
{particles}
[interaction]
cutoff = 2.5
[neighbor]
skin = 0.3
[communication]
tuning = false
[output]
thermo_interval = 1
{output}
"""
LATTICE = """\
[start]
kind = "lattice"
lattice = "fcc"
cells = [{cells}, {cells}, {cells}]
density = {density}
temperature = 1.0
"""
FILE = """\
[start]
kind = "file"
file = "{file}"
"""
ATOM = """\
[[type]]
name = "A"
"""
MOLECULE = """\
[[component]]
name = "M"
[[component.site]]
kind = "lennard_jones"
position = [0.0, 0.0, 0.25]
mass = 0.5
epsilon = 1.0
sigma = 1.0
[[component.site]]
kind = "lennard_jones"
position = [0.0, 0.0, -0.25]
mass = 0.5
epsilon = 1.0
sigma = 1.0
"""
SYSTEMS = {
    "atoms": {"particles": ATOM, "density": 0.8442, "fields": ["position", "velocity", "image"]},
    "molecules": {
        "particles": MOLECULE,
        "density": 0.5,
        "fields": ["position", "velocity", "image", "orientation", "angular_momentum"],
    },
}
XYZ_COLUMNS = {
    "velocity": "velo:R:3",
    "orientation": "orient:R:4",
    "angular_momentum": "angmom:R:3",
}


def program_command(
    program: Path, ranks: int, arguments: list[str], cores: Cores
) -> tuple[list[str], dict[str, str]]:
    command, environment = command_line(ranks, arguments)
    at = command.index(str(find_program()))
    launcher = command[:at] if ranks > 1 else []
    of_rank = [str(program), *command[at + 1 :]]
    return [*launcher, *cores.pinned(ranks, of_rank)], environment


def write_xyz(trajectory: Path, to: Path) -> None:
    """The last frame, with eight decimals."""
    with h5py.File(trajectory) as file, to.open("w") as out:
        frame = file["particles/trajectory"]
        edges = frame["box/edges/value"][-1]
        count = frame["position/value"].shape[1]
        named = [name for name in XYZ_COLUMNS if name in frame]
        lattice = " ".join(f"{x:.17g}" for x in numpy.diag(edges).ravel())
        properties = ":".join(["species:S:1:pos:R:3", *(XYZ_COLUMNS[name] for name in named)])
        out.write(f'{count}\nLattice="{lattice}" Properties={properties}\n')
        word = file["particles/trajectory/species"].dtype.metadata["enum"]
        name = next(iter(word))
        for begin in range(0, count, 100_000):
            rows = slice(begin, begin + 100_000)
            numbers = numpy.hstack(
                [frame[f"{field}/value"][-1, rows] for field in ("position", *named)]
            )
            line = name + " %.8f" * numbers.shape[1] + "\n"
            out.writelines(line % tuple(row) for row in numbers)


class System:
    """The files of one system, each of which a run can start from."""

    def __init__(self, name: str, cells: int, folder: Path, cores: Cores) -> None:
        self.name, self.folder = name, folder / name
        self.settings = SYSTEMS[name]
        self.molecules = 4 * cells**3
        origin = self.folder / "origin"
        origin.mkdir(parents=True)
        start = LATTICE.format(cells=cells, density=self.settings["density"])
        fields = json.dumps(self.settings["fields"])
        output = f"trajectory_interval = {STEPS}\ntrajectory_fields = {fields}"
        self.write_input(origin / "run.toml", STEPS, start, output)
        command, environment = program_command(
            Path(find_program()), len(cores.available), ["run.toml", "--overwrite"], cores
        )
        run_process(command, origin, environment)
        self.files = {
            "checkpoint": origin / "run.checkpoint",
            "xyz": origin / "start.extxyz",
            "h5md": origin / "run.h5md",
        }
        write_xyz(self.files["h5md"], self.files["xyz"])
        for file in self.files.values():
            with file.open("rb") as opened:
                os.fsync(opened.fileno())

    def write_input(self, path: Path, steps: int, start: str, output: str = "") -> None:
        text = INPUT.format(
            name=path.stem,
            steps=steps,
            start=start,
            particles=self.settings["particles"],
            output=output,
        )
        path.write_text(text)

    def size(self, kind: str) -> int:
        return self.files[kind].stat().st_size

    def read_alone(self, kind: str) -> float:
        """Seconds of one process that only reads the file, from the disk."""
        drop_from_memory(self.files[kind])
        block = bytearray(1 << 22)
        begin = time.perf_counter()
        with self.files[kind].open("rb", buffering=0) as file:
            while file.readinto(block):
                pass
        return time.perf_counter() - begin

    def start(self, kind: str, program: Path, ranks: int, cold: bool, cores: Cores) -> dict:
        """Seconds of one start, and the parts of it."""
        place = self.folder / kind
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        if kind == "checkpoint":
            # A run never changes the file of a checkpoint, it replaces it.
            os.link(self.files[kind], place / "run.checkpoint")
            cells = round((self.molecules / 4) ** (1 / 3))
            start = LATTICE.format(cells=cells, density=self.settings["density"])
            self.write_input(place / "run.toml", STEPS + 1, start)
        else:
            self.write_input(place / "run.toml", 1, FILE.format(file=self.files[kind]))
        if cold:
            drop_from_memory(self.files[kind])
        arguments = ["run.toml", "--resume" if kind == "checkpoint" else "--overwrite"]
        command, environment = program_command(program, ranks, arguments, cores)
        last = STEPS + 1 if kind == "checkpoint" else 1
        seconds, said = {}, []
        begin = time.perf_counter()
        with subprocess.Popen(
            command,
            cwd=place,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        ) as process:
            for line in process.stdout:
                now = time.perf_counter() - begin
                said.append(line)
                first = line.split()[:1]
                if first == ["step"]:
                    seconds.setdefault("ready", now)
                elif "ready" in seconds and first == [str(last)]:
                    seconds.setdefault("first_step", now)
        if process.returncode != 0 or len(seconds) != 2:
            sys.exit("".join(said))
        for line in (place / "run.log.jsonl").open():
            event = json.loads(line)
            if event["event"] == "started":
                seconds["parts"] = event["seconds"]
        return seconds


def drop_from_memory(path: Path) -> None:
    with path.open("rb") as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def least(rounds: list[dict]) -> dict:
    best = min(rounds, key=lambda one: one["first_step"])
    return {
        "ready": min(one["ready"] for one in rounds),
        **{k: best[k] for k in best if k != "ready"},
    }


def main() -> None:
    parser = argparse.ArgumentParser(prog="./dev bench start", description=__doc__.splitlines()[0])
    parser.add_argument("--cells", type=int, default=80, help="of four molecules along each edge")
    parser.add_argument("--ranks", type=int, nargs="+", default=[2, 1])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--systems", default="atoms,molecules")
    parser.add_argument("--kinds", default="checkpoint,xyz,h5md")
    parser.add_argument("--before", type=Path, help="another checkout, with a build of sterna-md")
    parser.add_argument("--cold", action="store_true", help="read files from the disk")
    parser.add_argument("--folder", type=Path, help="of temporary files")
    parser.add_argument("--priority", action="store_true", help="raise that of what is measured")
    options = parser.parse_args()
    if options.priority:
        os.environ["STERNA_BENCH_PRIORITY"] = "-15"
    cores = Cores()
    programs = {"now": Path(find_program())}
    if options.before:
        programs["before"] = options.before.resolve() / "build" / "src" / "app" / "sterna-md"
    rows = []
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        for system_name in options.systems.split(","):
            system = System(system_name, options.cells, Path(name), cores)
            cases = [
                {"system": system_name, "kind": kind, "ranks": ranks, "build": build, "rounds": []}
                for kind in options.kinds.split(",")
                for ranks in options.ranks
                for build in programs
            ]
            for _ in range(options.rounds):
                for case in cases:
                    case["rounds"].append(
                        system.start(
                            case["kind"],
                            programs[case["build"]],
                            case["ranks"],
                            options.cold,
                            cores,
                        )
                    )
            for case in cases:
                size = system.size(case["kind"])
                case |= {
                    "molecules": system.molecules,
                    "bytes": size,
                    "least": least(case["rounds"]),
                }
                if options.cold:
                    case["read_alone"] = system.read_alone(case["kind"])
                rows.append(case)
                print_case(case)
    before = ["--before", "CHECKOUT"] if options.before else []
    given = [word for word in sys.argv[1:] if word not in ("--before", str(options.before))]
    record = {
        "command": shlex.join(["./dev", "bench", "start", *given, *before]),
        "date": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
        "machine": {"processor": processor(), "cores": len(cores.available)},
        "cases": rows,
    }
    RESULTS.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def print_case(case: dict) -> None:
    best = case["least"]
    text = (
        f"{case['system']:10}{case['kind']:11}{case['build']:7} ranks: {case['ranks']} "
        f" ready {best['ready']:6.2f} s, first step {best['first_step']:6.2f} s"
    )
    for part, seconds in best.get("parts", {}).items():
        text += f", {part} {seconds:.2f}"
    reading = best.get("parts", {}).get("reading", 0)
    if reading > 0:
        text += f", {case['bytes'] / reading / 1e6:.0f} MB/s"
    if "read_alone" in case:
        text += f" (alone {case['bytes'] / case['read_alone'] / 1e6:.0f} MB/s)"
    print(text, flush=True)


if __name__ == "__main__":
    main()
