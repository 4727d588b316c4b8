"""The melted Lennard-Jones fluid that every engine of the benchmark starts from."""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy
from sterna.launching.launch import command_line

DENSITY = 0.8442
TEMPERATURE = 1.44  # of the crystal; half of it goes into melting
CUTOFF = 2.5
SKIN = 0.3
TIMESTEP = 0.005
MELTING_STEPS = 600

CELLS = {"4k": 10, "32k": 20, "108k": 30, "256k": 40, "500k": 50, "2M": 80}

STERNA_INPUT = """\
units = "reduced"

[run]
name = "melt"
steps = {steps}
timestep = {timestep}
precision = "{precision}"
seed = 87287

[start]
kind = "lattice"
lattice = "fcc"
cells = [{cells}, {cells}, {cells}]
density = {density}
temperature = {temperature}

[[type]]
name = "A"

[interaction]
cutoff = {cutoff}
truncation = "truncated"

[neighbor]
skin = {skin}

[output]
thermo_interval = {steps}
trajectory_interval = {trajectory}
trajectory_fields = ["position", "velocity"]
"""


def sterna_input(cells: int, precision: str, steps: int, trajectory: int = 0) -> str:
    """The input of a run of Sterna up to this step."""
    return STERNA_INPUT.format(
        cells=cells,
        precision=precision,
        steps=steps,
        trajectory=trajectory,
        timestep=TIMESTEP,
        density=DENSITY,
        temperature=TEMPERATURE,
        cutoff=CUTOFF,
        skin=SKIN,
    )


@dataclass
class Start:
    """Positions in [0, edge) and velocities, both in reduced units, and Sterna's checkpoint."""

    cells: int
    folder: Path

    @property
    def particles(self) -> int:
        return 4 * self.cells**3

    @property
    def checkpoint(self) -> Path:
        return self.folder / "melt.checkpoint"

    @property
    def log(self) -> Path:
        return self.folder / "melt.log.jsonl"

    def read(self) -> tuple[numpy.ndarray, numpy.ndarray, float]:
        with h5py.File(self.folder / "melt.h5md") as file:
            group = file["particles/trajectory"]
            edge = float(group["box/edges/value"][-1][0])
            return group["position/value"][-1] % edge, group["velocity/value"][-1], edge


def melt(cells: int, folder: Path, ranks: int) -> Start:
    """Melts the crystal with Sterna in double precision, where that has not been done."""
    start = Start(cells, folder)
    if (folder / "done").exists():
        return start
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    text = sterna_input(cells, "double", MELTING_STEPS, trajectory=MELTING_STEPS)
    (folder / "melt.toml").write_text(text)
    command, environment = command_line(ranks, ["melt.toml"])
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise SystemExit(f"Sterna could not melt the crystal:\n{done.stdout}{done.stderr}")
    (folder / "done").touch()
    return start


def write_rows(path: Path, header: str, template: str, *columns, footer: str = "", add=False):
    """Text rows from a template, some at a time: millions of rows fit into memory."""
    with path.open("a" if add else "w") as file:
        file.write(header)
        chunk = 100_000
        for begin in range(0, len(columns[0]), chunk):
            parts = [column[begin : begin + chunk].tolist() for column in columns]
            file.writelines(template % row for row in zip(*parts, strict=True))
        file.write(footer)
