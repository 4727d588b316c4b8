"""SPC/E water for Sterna and GROMACS: 31,542 atoms from the same melted start, and force errors."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import gromacs
import numpy
from process import Cores, EngineError, find, run_process
from sterna.launching.launch import command_line

MOLECULES = 10514
TIMESTEP = 0.002  # ps
CUTOFF = 1.0  # nm
MELTING_STEPS = 1500

STERNA_INPUT = """\
units = "nano"

[run]
name = "water"
steps = {steps}
timestep = {timestep}
precision = "{precision}"
seed = 4711

[start]
kind = "lattice"
particles = {molecules}
density = 33.3
temperature = 300.0

[[component]]
name = "water"
model = "spce"

[interaction]
cutoff = {cutoff}
truncation = "truncated"
{charges}
{sections}
[output]
thermo_interval = {thermo}
"""
LONG_RANGE = '\n[electrostatics]\nkind = "fmm"\naccuracy = {accuracy}\n'
REACTION_FIELD = 'electrostatics = "reaction_field"\n'
MELTING = '\n[thermostat]\nkind = "langevin"\ntemperature = 300.0\ntime_constant = 0.1\n'
# What is tried for the multipole method, from fast to exact.
ACCURACIES = (
    "1e-2",
    "5e-3",
    "3e-3",
    "2e-3",
    "1.5e-3",
    "1e-3",
    "8e-4",
    "6e-4",
    "5e-4",
    "4e-4",
    "3e-4",
    "2e-4",
    "1e-4",
)

TOPOLOGY = gromacs.water_topology(
    MOLECULES, charge=0.4238, sigma=0.316557, epsilon=0.650194, leg=0.1, base=0.1633
)
PARAMETERS = f"""\
integrator = md
dt = {TIMESTEP}
nsteps = {{steps}}
cutoff-scheme = Verlet
vdwtype = cut-off
vdw-modifier = none
rvdw = {CUTOFF}
rcoulomb = {CUTOFF}
coulombtype = {{coulomb}}
{{more}}
comm-mode = none
nstcalcenergy = 1000000
nstenergy = 1000000
nstlog = 1000000
"""
EXACT_PME = "ewald-rtol = 1e-12\nfourierspacing = 0.045\npme-order = 10"
WARM_UP = 40  # steps before GROMACS resets its counters


def sterna_text(
    steps: int, precision: str, charges: str, sections: str = "", thermo: int = 0
) -> str:
    return STERNA_INPUT.format(
        molecules=MOLECULES,
        timestep=TIMESTEP,
        cutoff=CUTOFF,
        steps=steps,
        precision=precision,
        charges=charges,
        sections=sections,
        thermo=thermo or steps,
    )


def long_range(accuracy: str) -> str:
    return LONG_RANGE.format(accuracy=accuracy)


def called(folder: Path, *command: object) -> None:
    run_process(list(map(str, command)), folder, dict(os.environ))


def melted(folder: Path, cores: Cores) -> Path:
    """A folder with water.checkpoint, its log and water.gro, made where it is not there."""
    start = folder / "water-start"
    if (start / "water.gro").exists():
        return start
    shutil.rmtree(start, ignore_errors=True)
    start.mkdir(parents=True)
    text = sterna_text(MELTING_STEPS, "mixed", long_range("1e-3"), MELTING, MELTING_STEPS)
    text += f"trajectory_interval = {MELTING_STEPS}\n"
    text += 'trajectory_fields = ["position", "orientation"]\n'
    (start / "water.toml").write_text(text)
    command, environment = command_line(len(cores.available), ["water.toml"])
    run_process(command, start, environment)
    called(start, sys.executable, "-m", "sterna", "export", "water.h5md", "all.gro")
    # Of the frames that were written, the last one.
    rows = (start / "all.gro").read_text().splitlines(keepends=True)
    (start / "water.gro").write_text("".join(rows[-(3 * MOLECULES + 3) :]))
    return start


class SternaWater:
    """Water at constant energy, from the melted start."""

    def __init__(self, program: Path, charges: str, folder: Path, cores: Cores) -> None:
        self.program, self.charges = program, charges
        self.start, self.folder, self.cores = melted(folder, cores), folder / "sterna-water", cores

    def run(self, steps: int) -> float:
        """ns for each atom and step."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        os.link(self.start / "water.checkpoint", self.folder / "water.checkpoint")
        shutil.copy(self.start / "water.log.jsonl", self.folder)
        last = MELTING_STEPS + steps
        text = sterna_text(last, "mixed", self.charges, thermo=MELTING_STEPS)
        (self.folder / "water.toml").write_text(text)
        command = self.cores.pinned(1, [self.program, "water.toml", "--resume"])
        run_process(command, self.folder, dict(os.environ))
        log = (self.folder / "water.log.jsonl").read_text().splitlines()
        timing = json.loads(log[-1])["timing"]
        if timing["steps"] != steps:
            raise EngineError(f"{timing['steps']} steps were run instead of {steps}")
        return timing["seconds"] / steps / (3 * MOLECULES) * 1e9


class GromacsWater:
    """The same beside it. GROMACS takes its own velocities."""

    def __init__(self, name: str, program: str, coulomb: str, folder: Path, cores: Cores) -> None:
        self.program, self.coulomb = program, coulomb
        self.start, self.folder, self.cores = melted(folder, cores), folder / name, cores
        self.version = ""

    def prepare(self, steps: int, more: str) -> Path:
        """The file that mdrun takes."""
        self.folder.mkdir(exist_ok=True)
        text = PARAMETERS.format(steps=steps, coulomb=self.coulomb, more=more)
        (self.folder / "water.mdp").write_text(text)
        (self.folder / "water.top").write_text(TOPOLOGY)
        made = self.folder / "water.tpr"
        called(
            self.folder,
            *[self.program, "grompp", "-f", "water.mdp", "-c", self.start / "water.gro"],
            *["-p", "water.top", "-o", made, "-maxwarn", "2"],
        )
        return made

    def run(self, steps: int) -> float:
        """ns for each atom and step."""
        made = self.prepare(steps + WARM_UP - 1, "gen-vel = yes\ngen-temp = 300")
        command = [self.program, "mdrun", "-s", made, "-g", "water.log", "-noconfout"]
        command += ["-resetstep", WARM_UP, "-ntmpi", 1, "-ntomp", 1, "-pin", "off"]
        run_process(self.cores.pinned(1, command), self.folder, dict(os.environ))
        log = (self.folder / "water.log").read_text(errors="replace")
        wall = find(r"^ +Time: +\S+ +(\S+)", log, "wall time of GROMACS")
        calls = find(r"^ Force +\d+ +\d+ +(\d+)", log, "number of force computations")
        version = find(r"^GROMACS version: +(\S+)", log, "version of GROMACS")
        vectors = find(r"^SIMD instructions: +(\S+)", log, "SIMD level of GROMACS")
        self.version = f"GROMACS {version[1]} ({vectors[1]})"
        return float(wall[1]) / int(calls[1]) / (3 * MOLECULES) * 1e9

    def forces(self, more: str = "") -> numpy.ndarray:
        """On the molecules of the start, kJ/mol/nm."""
        made = self.prepare(0, f"continuation = yes\nnstfout = 1\n{more}")
        called(
            self.folder,
            *[self.program, "mdrun", "-s", made, "-ntmpi", "1", "-ntomp", "1", "-o", "forces.trr"],
        )
        dumped = subprocess.run(
            [self.program, "dump", "-f", "forces.trr"],
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        rows = re.findall(r"^ +f\[.*\{(.*)\}", dumped, re.M)
        forces = numpy.array([[float(number) for number in row.split(",")] for row in rows])
        return forces.reshape(MOLECULES, 3, 3).sum(axis=1)


def sterna_forces(folder: Path, cores: Cores, charges: str, precision: str) -> numpy.ndarray:
    """On the molecules of the start, kJ/mol/nm."""
    import sterna

    checkpoint = melted(folder, cores) / "water.checkpoint"
    text = sterna_text(MELTING_STEPS, precision, charges)
    simulation = sterna.Simulation.resume(checkpoint, sterna.Input(tomllib.loads(text)))
    simulation.run(0)
    return simulation.gather("force")


def relative_error(forces: numpy.ndarray, exact: numpy.ndarray) -> float:
    """Of the forces on the molecules: root mean square, by that of the forces."""
    return float(numpy.sqrt(((forces - exact) ** 2).sum() / (exact**2).sum()))
