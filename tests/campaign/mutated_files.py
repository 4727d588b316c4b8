"""What reads files of runs, with damaged ones: each ends well or with one error that names the file.

python tests/campaign/mutated_files.py --trials 600 --seed 1
"""

import argparse
import collections
import contextlib
import functools
import io
import json
import os
import random
import shlex
import shutil
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path

from sterna.errors import SternaError
from sterna.launching.program import find_program

INPUT = """
units = "reduced"
[run]
name = "whole"
steps = 40
timestep = 0.002
[start]
kind = "lattice"
cells = [4, 4, 4]
density = 0.8442
temperature = 1.44
[[type]]
name = "A"
fraction = 0.5
[[type]]
name = "B"
fraction = 0.5
[interaction]
cutoff = 2.5
[output]
directory = "."
thermo_interval = 10
trajectory_interval = 20
xtc_interval = 20
trajectory_fields = ["position", "velocity", "image"]
[rdf]
interval = 10
[diffusion]
interval = 10
[profile]
interval = 10
axis = "z"
bins = 8
"""
WATER = """
units = "nano"
[run]
name = "water"
steps = 0
timestep = "2 fs"
[start]
kind = "lattice"
particles = 64
density = "0.998 g/cm^3"
temperature = "300 K"
[[component]]
name = "SOL"
model = "spce"
[interaction]
cutoff = "0.55 nm"
[electrostatics]
kind = "fmm"
accuracy = 1e-3
[output]
directory = "."
thermo_interval = 1
trajectory_interval = 1
trajectory_fields = ["position", "orientation"]
"""
NAME = "whole"
_VALUES = (
    None, True, -1, 0, 1, 2.5, 1e308, -1e308, 2**63, 10**400, "", "x", [], {}, [1], {"a": 1},
    float("nan"), float("inf"),
)  # fmt: skip


def make(folder: Path, sterna: list[str]) -> None:
    """The files of a run on two ranks, and of other formats."""
    (folder / f"{NAME}.toml").write_text(INPUT, encoding="utf-8")
    (folder / "water.toml").write_text(WATER, encoding="utf-8")
    for arguments in (
        ["run", f"{NAME}.toml", "-n", "2"],
        ["run", "water.toml", "-n", "1"],
        ["export", "water.h5md", "water.gro"],
        ["export", "water.h5md", "water.pdb"],
    ):
        subprocess.run([*sterna, *arguments], cwd=folder, check=True, capture_output=True)


def with_other_bytes(data: bytes, chance: random.Random) -> bytes:
    """Some bytes changed, a part taken out, doubled or cut off."""
    changed = bytearray(data)
    kind = chance.randrange(4)
    place = chance.randrange(len(changed))
    length = chance.choice((1, 2, 8, 64, 500))
    if kind == 0:
        for _ in range(chance.choice((1, 3, 20))):
            changed[chance.randrange(len(changed))] = chance.randrange(256)
    elif kind == 1:
        del changed[place : place + length]
    elif kind == 2:
        changed[place:place] = changed[place : place + length]
    else:
        del changed[place:]
    return bytes(changed)


def with_other_values(data: bytes, chance: random.Random) -> bytes:
    """A line of a log with a value somewhere inside replaced or taken out."""
    lines = data.decode().splitlines()
    number = chance.randrange(len(lines))
    event = json.loads(lines[number])
    holder = event
    while True:
        keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
        if not keys:
            break
        key = chance.choice(keys)
        inside = holder[key]
        if isinstance(inside, (dict, list)) and inside and chance.random() < 0.8:
            holder = inside
            continue
        if chance.random() < 0.3:
            del holder[key]
        else:
            holder[key] = chance.choice(_VALUES)
        break
    lines[number] = json.dumps(event)
    return ("\n".join(lines) + "\n").encode()


def with_other_arrays(path: Path, chance: random.Random) -> None:
    """An HDF5 file with an array or attribute taken out, of another shape, kind, or other numbers."""
    import h5py
    import numpy

    with h5py.File(path, "r+") as file:
        names: list[str] = []
        file.visit(names.append)
        name = chance.choice(names)
        item = file[name]
        kind = chance.randrange(6)
        if kind == 0:
            del file[name]
        elif kind == 1 and item.attrs:
            del item.attrs[chance.choice(list(item.attrs))]
        elif kind == 2 and item.attrs:
            item.attrs[chance.choice(list(item.attrs))] = chance.choice(("", "{", "[]", 7, "{}"))
        elif isinstance(item, h5py.Dataset) and kind == 3:
            del file[name]
            shape = chance.choice(((), (0,), (3,), (2, 3), (1, 1, 1), (2, 128, 2), (0, 128, 3)))
            file[name] = numpy.full(shape, chance.choice((0.0, -1.0, 1e300, numpy.nan)))
        elif (
            isinstance(item, h5py.Dataset) and kind == 4 and item.ndim and item.dtype.kind in "iuf"
        ):
            values = item[...]
            del file[name]
            file[name] = chance.choice(
                (values.astype("S"), values.astype(bool), values + 0.5, values[..., ::-1])
            )
        elif isinstance(item, h5py.Dataset) and item.dtype.kind in "iuf" and item.size:
            values = item[...]
            values.reshape(-1)[chance.randrange(values.size)] = chance.choice((-1, 0, 2**30))
            item[...] = values
        else:
            del file[name]
            file.create_group(name)


class Readers:
    """All doors that a damaged file may come in by, in this process."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def report(self) -> None:
        from sterna.report import write_report

        write_report([self.folder / f"{NAME}.log.jsonl"], self.folder / "out.report.html")

    def watch(self) -> None:
        from rich.console import Console
        from sterna.commands.watch import watch

        watch(self.folder / f"{NAME}.log.jsonl", [], 1.0, True, Console(file=io.StringIO()))

    def log(self) -> None:
        from sterna.results.log import read_log

        log = read_log(self.folder / f"{NAME}.log.jsonl")
        for column in log.columns:
            log[column]

    def export(self, suffix: str) -> None:
        from sterna.exporting.command import export

        export(self.folder / f"{NAME}.h5md", self.folder / f"out.{suffix}", overwrite=True)

    def trajectory(self) -> None:
        from sterna.frames.trajectory import Trajectory

        for frame in Trajectory(self.folder / f"{NAME}.h5md"):
            frame.unwrapped()

    def last_frame(self) -> None:
        from sterna.frames.configuration import read_last_frame

        read_last_frame(self.folder / f"{NAME}.h5md", ["A", "B"])

    def structure(self, suffix: str) -> None:
        """What `sterna import --model` reads."""
        from sterna.importing.rigid import match

        match(self.folder / f"water.{suffix}", {"SOL": "spce"})

    def start(self) -> None:
        """A run that starts from the trajectory, in a process of its own."""
        path = self.folder / "again.toml"
        text = INPUT.split("[rdf]")[0].replace("cells = [4, 4, 4]\ndensity = 0.8442\n", "")
        text = text.replace('kind = "lattice"', f'kind = "file"\nfile = "{NAME}.h5md"')
        path.write_text(text.replace('name = "whole"', 'name = "again"'), encoding="utf-8")
        command = [find_program(), "--check", path]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        if done.returncode not in (0, 2):
            raise RuntimeError(f"status {done.returncode}: {done.stderr}")
        if done.returncode == 2:
            raise SternaError(done.stdout)


def cases(folder: Path) -> list[tuple[str, str, Callable[[], None]]]:
    """Kind of damage, name of the file, and what reads it."""
    readers = Readers(folder)
    log, h5md = f"{NAME}.log.jsonl", f"{NAME}.h5md"
    found: list[tuple[str, str, Callable[[], None]]] = []
    for damage in ("values", "values", "bytes"):
        found += [(damage, log, do) for do in (readers.report, readers.watch, readers.log)]
        found += [(damage, log, functools.partial(readers.export, "data"))]
    for damage in ("arrays", "bytes"):
        found.append((damage, h5md, readers.start))
        found += [(damage, h5md, do) for do in (readers.trajectory, readers.report)]
        found += [(damage, h5md, readers.last_frame)]
        for suffix in ("gro", "pdb", "data", "lammpstrj", "extxyz"):
            found.append((damage, h5md, functools.partial(readers.export, suffix)))
    for kind in ("rdf", "diffusion", "profile"):
        found.append(("bytes", f"{NAME}.{kind}.txt", readers.report))
    for suffix in ("gro", "pdb"):
        read = functools.partial(readers.structure, suffix)
        found.append(("bytes", f"water.{suffix}", read))
    return found


def outcome_of(name: str, do: Callable[[], None]) -> str:
    """ "well", "error", or what is wrong."""
    try:
        with contextlib.redirect_stderr(io.StringIO()):
            do()
    except SternaError as error:
        return "error" if name in str(error) else f"no name of the file in: {error}"
    except Exception:
        return traceback.format_exc()
    return "well"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sterna", default=shlex.join([sys.executable, "-m", "sterna"]))
    chosen = parser.parse_args(arguments)
    chance = random.Random(chosen.seed)
    counts: collections.Counter = collections.Counter()
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        whole, folder = Path(name) / "whole", Path(name) / "damaged"
        whole.mkdir()
        make(whole, shlex.split(chosen.sterna))
        for trial in range(chosen.trials):
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(whole, folder)
            damage, file, do = chance.choice(cases(folder))
            path = folder / file
            if damage == "arrays":
                with_other_arrays(path, chance)
            else:
                change = with_other_bytes if damage == "bytes" else with_other_values
                path.write_bytes(change(path.read_bytes(), chance))
            found = outcome_of(file.partition(".")[0], do)
            kind = found if found in ("well", "error") else "wrong"
            counts[damage, file, kind] += 1
            if kind == "wrong":
                wrong.append(f"trial {trial}, {damage} of {file}: {found}")
    for (damage, file, kind), count in sorted(counts.items()):
        print(f"{count:6} {damage:8} {file:22} {kind}")
    print(*wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    sys.exit(main())
