"""Runs of water by sterna-md: what each exchange sends, and how long computing takes."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy
from process import Cores, EngineError, run_process
from sterna.launching.launch import command_line
from sterna.launching.program import find_program
from systems import Water
from tree import Tree
from water_lattice import VOLUME, write_water_lattice

HERE = Path(__file__).resolve().parent
BASE_STEPS = 1000
#: Molecules along the edge of the waters that are brought to rest, each on its own.
BASES = (6, 10, 14)
#: Charges, leaves along an edge, levels below the top: of the trees whose parts are timed.
TIMED_TREES = [
    *[(10_000, 5, 0), (10_000, 8, 0), (10_000, 8, 1)],
    *[(100_000, 10, 0), (100_000, 16, 0), (100_000, 32, 0), (100_000, 16, 1), (100_000, 16, 2)],
]
SETTINGS = '\n[neighbor]\nbuffer = "tolerance"\n'


def base_input(folder: Path, edge: int) -> Path:
    """Molecules on a lattice, each turned at random: the start of a water to be brought to rest."""
    start = f"base_{edge}.extxyz"
    write_water_lattice(folder / start, edge)
    text = Water.INPUT.format(steps=BASE_STEPS, timestep=0.001, cutoff=0.9, molecules=edge**3)
    text = text.replace("start.extxyz", start).replace("accuracy = 1e-4", "accuracy = 1e-3")
    text = text.replace(
        "thermo_interval = 100", f"thermo_interval = 100\ntrajectory_interval = {BASE_STEPS}"
    )
    path = folder / f"base_{edge}.toml"
    path.write_text(text + SETTINGS, encoding="utf-8")
    return path


@dataclass(frozen=True)
class Case:
    """A water: `repeats` of a base along the edges; levels and order as named, or chosen."""

    base: int
    repeats: tuple[int, int, int] = (1, 1, 1)
    levels: int | None = None
    order: int | None = None

    @property
    def atoms(self) -> int:
        return 3 * self.base**3 * int(numpy.prod(self.repeats))

    @property
    def edges(self) -> tuple[float, float, float]:
        """nm."""
        x, y, z = (self.base * VOLUME ** (1 / 3) * count for count in self.repeats)
        return x, y, z

    @property
    def name(self) -> str:
        parts = [f"water_{self.base}", *map(str, self.repeats)]
        parts += [f"{key}{n}" for key, n in (("l", self.levels), ("o", self.order)) if n]
        return "_".join(parts)


def write_case(folder: Path, case: Case, steps: int) -> Path:
    """The base's last frame, repeated, with the settings of production."""
    path = folder / f"{case.name}.toml"
    done = subprocess.run(
        [sys.executable, "-m", "sterna", "new", "replicate", f"base_{case.base}.toml"]
        + [*map(str, case.repeats), "-o", path.name, "--overwrite"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise EngineError(done.stdout + done.stderr)
    text = path.read_text(encoding="utf-8")
    text = re.sub(r"steps = \d+", f"steps = {steps}", text, count=1)
    text = re.sub(r"timestep = \S+", "timestep = 0.002", text, count=1)
    text = re.sub(r"trajectory_interval = .*\n", "", text)
    more = [f"{key} = {n}\n" for key, n in (("levels", case.levels), ("order", case.order)) if n]
    text = text.replace('kind = "fmm"\n', 'kind = "fmm"\n' + "".join(more))
    path.write_text(text, encoding="utf-8")
    return path


def run(path: Path, ranks: int, cores: Cores | None) -> dict:
    """What the run says of itself at its end. `cores`: pinned there, for times."""
    command, environment = command_line(ranks, [path.name, "--overwrite", "--verbose"])
    at = command.index(str(find_program()))
    program = command[at:]
    if cores is not None:
        program = cores.pinned(ranks, program)
    command = [*(command[:at] if ranks > 1 else []), *program]
    share = processor_share(command, path.parent, dict(os.environ) | environment)
    log = path.parent / "output" / f"{path.stem}.log.jsonl"
    lines = log.read_text(encoding="utf-8").splitlines()
    start, end = json.loads(lines[0]), json.loads(lines[-1])
    return {"settings": start["settings"], "timing": end["timing"], "share": share}


def processor_share(command: list[str], folder: Path, environment: dict[str, str]) -> float:
    """Runs; which part of its time the process had a core: of a run on one rank."""
    with tempfile.TemporaryFile() as output:
        begin = time.monotonic()
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.monotonic() - begin
        if process.returncode != 0:
            output.seek(0)
            raise EngineError(output.read().decode(errors="replace")[-2000:])
    return min(1.0, (usage.ru_utime + usage.ru_stime) / seconds)


def count_reductions(path: Path, ranks: int) -> tuple[int, int]:
    """Of rank 0 in a run, with its start, and their bytes; Open MPI."""
    library = path.parent / "count_reductions.so"
    compiler = shutil.which("mpicc")
    subprocess.run(
        [compiler, "-shared", "-fPIC", "-o", library, HERE / "count_reductions.c"], check=True
    )
    counts = path.parent / "reductions"
    command, environment = command_line(ranks, [path.name, "--overwrite"])
    command[1:1] = ["-x", f"LD_PRELOAD={library}"]
    run_process(command, path.parent, dict(os.environ) | environment | {"REDUCTIONS": str(counts)})
    calls, size = map(int, counts.read_text(encoding="ascii").split())
    return calls, size


def tree_of(settings: dict, levels: int | None) -> Tree:
    """Of a cubic box; where the input does not name its levels, the water is small: it has one."""
    method = settings["terms"]["electrostatics"]["method"]
    found = re.search(r"order (\d+), \w+ precision, (\d+) x (\d+) x (\d+) leaves", method)
    if found is None:
        raise EngineError(f"no tree in: {method}")
    below = (levels or 1) - 1
    return Tree(int(found[2]) >> below, below, int(found[1]))


def exchanges_of(timing: dict) -> dict[str, dict]:
    return {row["exchange"]: row for row in timing["methods"]}


def parts_of_multipole_method(folder: Path, cores: Cores) -> list[dict]:
    """ns of the parts of one computation on one rank, of each of TIMED_TREES."""
    rows = []
    for charges, leaves, below in TIMED_TREES:
        output = folder / "fmm.json"
        program = [find_program().parent / "sterna-bench", "fmm", f"--charges={charges}"]
        options = [f"--leaves={leaves}", f"--levels={below}", "--accuracies=1e-3", "--samples=100"]
        run_process(
            cores.pinned(1, [str(item) for item in (*program, *options, "--json", output)]),
            folder,
            dict(os.environ),
        )
        (found,) = json.loads(output.read_text(encoding="utf-8"))["rows"]
        row = {"atoms": found["charges"], "top": leaves >> below, "below": below}
        row |= {"order": found["order"]}
        for part, phases in {
            "near": ("near",),
            "levels": ("m2m", "m2l", "l2l"),
            "expansions": ("p2m", "l2p"),
        }.items():
            row[part] = round(1e3 * found["charges"] * sum(found[phase] for phase in phases))
        rows.append(row)
    return rows


def computing_ns(result: dict, atoms: int) -> dict[str, float]:
    """ns for each atom and step of a run on one rank: electrostatics, and all else but output.

    Where other programs took the core for a part of the time, that part is left out.
    """
    timing = result["timing"]
    seconds = {name: row["avg"] for name, row in timing["phases"].items()}
    per = 1e9 * result["share"] / (timing["steps"] * atoms)
    left_out = ("output", "checkpoint", "observers")
    others = sum(
        value
        for name, value in seconds.items()
        if name not in left_out and not name.startswith("electrostatics")
    )
    return {"electrostatics": per * seconds["electrostatics"], "others": per * others}
