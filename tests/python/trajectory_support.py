"""Runs whose trajectories several tests look at."""

import resource
import signal
import subprocess
from pathlib import Path

import numpy
from conftest import sterna_environment
from sterna.launching.program import find_program

# A triclinic cell of SPC/E water, tilted along each axis.
EDGES = numpy.array([[1.55, 0.0, 0.0], [0.31, 1.5, 0.0], [-0.2, 0.37, 1.45]])
WATER = """\
units = "nano"
[run]
name = "water"
steps = 12
timestep = 0.001
[start]
kind = "file"
file = "water_start.extxyz"
temperature = 300
[[component]]
name = "H2O"
model = "spce"
[interaction]
cutoff = 0.6
truncation = "truncated"
electrostatics = "reaction_field"
[output]
thermo_interval = 4
trajectory_interval = 4
trajectory_fields = ["position", "velocity", "image", "orientation", "angular_momentum"]
"""
BUTANE = """\
units = "real"
[run]
name = "butane"
steps = 20
timestep = 0.5
[start]
kind = "file"
file = "butane_start.extxyz"
temperature = 300
[[type]]
name = "CH3"
mass = 15.035
epsilon = "98 K"
sigma = 3.75
[[type]]
name = "CH2"
mass = 14.027
epsilon = "46 K"
sigma = 3.95
[[molecule]]
name = "butane"
count = 20
constrained_bonds = "all"
atom = [
  { name = "C1", type = "CH3" },
  { name = "C2", type = "CH2" },
  { name = "C3", type = "CH2" },
  { name = "C4", type = "CH3" },
]
[[molecule.bond]]
potential = "harmonic"
stiffness = "520 kcal/mol/angstrom^2"
r0 = 1.54
atoms = [[1, 2], [2, 3], [3, 4]]
[interaction]
cutoff = 8.0
truncation = "truncated"
[output]
thermo_interval = 10
trajectory_interval = 10
trajectory_fields = ["position", "velocity", "force"]
"""
MIXTURE = """\
units = "reduced"
[run]
name = "mixture"
steps = 8
timestep = 0.002
[start]
kind = "lattice"
lattice = "fcc"
cells = [3, 3, 3]
density = 0.7
temperature = 1.0
[[type]]
name = "A"
mass = 1.0
fraction = 0.5
[[type]]
name = "B"
mass = 2.0
fraction = 0.5
[interaction]
cutoff = 2.0
[output]
trajectory_interval = 2
trajectory_fields = ["position", "velocity"]
"""


def lattice_points(count: int, edges: numpy.ndarray) -> numpy.ndarray:
    side = int(numpy.ceil(count ** (1 / 3)))
    grid = numpy.stack(numpy.meshgrid(*[numpy.arange(side)] * 3, indexing="ij"), -1).reshape(-1, 3)
    return ((grid[:count] + 0.3) / side) @ edges


def start_of(points: numpy.ndarray, edges: numpy.ndarray, names: list[str]) -> str:
    lattice = " ".join(map(repr, edges.ravel().tolist()))
    rows = [
        f"{name} {' '.join(map(repr, row))}"
        for name, row in zip(names, points.tolist(), strict=True)
    ]
    return f'{len(rows)}\nLattice="{lattice}" Properties=species:S:1:pos:R:3\n' + "\n".join(rows)


def make_runs(folder: Path) -> None:
    """The runs `water`, `butane` and `mixture`."""
    points = lattice_points(64, EDGES)
    (folder / "water_start.extxyz").write_text(start_of(points, EDGES, ["H2O"] * 64))
    # Molecules of zigzags, those near the border across it.
    zigzag = numpy.array([[0, 0, 0], [1.26, 0.885, 0], [2.52, 0, 0], [3.78, 0.885, 0]])
    edges = numpy.diag([20.0, 21.0, 22.0])
    centers = lattice_points(20, edges)
    points = (centers[:, None] + [3.0, 0.0, 0.0] + zigzag).reshape(-1, 3)
    text = start_of(points, edges, ["CH3", "CH2", "CH2", "CH3"] * 20)
    (folder / "butane_start.extxyz").write_text(text)
    for name, text in (("water", WATER), ("butane", BUTANE), ("mixture", MIXTURE)):
        (folder / f"{name}.toml").write_text(text)
        subprocess.run(
            [find_program(), f"{name}.toml"], cwd=folder, env=sterna_environment(), check=True,
            stdout=subprocess.DEVNULL,
        )  # fmt: skip


def run_with_small_files(folder: Path, name: str, most: int) -> subprocess.CompletedProcess:
    """A run on one rank, no file of which may have more bytes: like a disk that fills up."""

    def small_files() -> None:
        # Without the signal, writing beyond the limit is an error like that of a full disk.
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    return subprocess.run(
        [find_program(), name], cwd=folder, env=sterna_environment(),
        preexec_fn=small_files, capture_output=True, text=True, check=False,
    )  # fmt: skip
