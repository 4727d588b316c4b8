"""A crystal in Sterna and LAMMPS, side by side: what the benchmarks of many-body potentials share.

Both start from the same positions and velocities, after steps by Sterna. They are pinned to the same
cores, one after the other in each round. Times are those of the programs' own timers of their loops.
LAMMPS runs in the style, skin and neighbor setting that a first measurement finds fastest of those
that miss no pair, Sterna with its defaults.
"""

import argparse
import json
import os
import re
import shlex
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy
from document_table import markdown_table, replace_block
from process import Cores, EngineError, find, processor, run_process
from sterna.launching.launch import command_line
from sterna.launching.program import find_program, version
from sterna.support.lammps_environment import LammpsEnvironment, find_lammps

ROOT = Path(__file__).resolve().parents[2]
STYLES = {
    "plain": [],
    "omp": ["-sf", "omp", "-pk", "omp", "1"],
    "opt": ["-sf", "opt"],
    "intel": ["-pk", "intel", "0", "mode", "double", "-sf", "intel"],
}

INPUT = """\
units = "metal"
[run]
name = "crystal"
steps = {steps}
timestep = {timestep}
precision = "{precision}"
[start]
{start}
[[type]]
{type}
mass = {mass}
[interaction]
{interaction}
[output]
thermo_interval = {steps}
{output}
"""


@dataclass(frozen=True)
class Crystal:
    """A system of one element. Lengths in angstrom, times in ps, masses in u."""

    name: str
    lattice: str  # of Sterna's [start]
    atoms_of_cell: int
    cells: int  # along each axis
    edge: float
    mass: float
    temperature: float  # of the perfect crystal at the start
    equilibration: int  # steps
    timestep: float
    type: str  # lines of Sterna's [[type]]
    interaction: str  # lines of Sterna's [interaction]
    pair_style: str  # lines of LAMMPS
    skins: tuple[float, ...]  # that LAMMPS tries
    target: float  # of the time in double precision by that of LAMMPS
    #: Their files, by name.
    files: Callable[[LammpsEnvironment], dict[str, str]]

    @property
    def atoms(self) -> int:
        return self.atoms_of_cell * self.cells**3


def potential_of_lammps(environment: LammpsEnvironment, name: str) -> str:
    """The text of a parameter file that comes with LAMMPS."""
    for folder in environment.python.parent.parent.glob("lib*/**/share/lammps/potentials"):
        return (folder / name).read_text()
    raise EngineError(f"LAMMPS has come without {name}")


def say(text: str) -> None:
    print(text, flush=True)


def run_sterna(crystal: Crystal, folder: Path, cores: Cores, ranks: int, **keys) -> list[dict]:
    """The events of the log."""
    keys = {"output": "", "precision": "double"} | keys
    text = INPUT.format(
        timestep=crystal.timestep,
        mass=crystal.mass,
        type=crystal.type,
        interaction=crystal.interaction,
        **keys,
    )
    (folder / "crystal.toml").write_text(text)
    program = str(find_program())
    command, environment = command_line(ranks, ["--overwrite", "crystal.toml"])
    at = command.index(program)
    launcher = command[:at] if ranks > 1 else []
    run_process([*launcher, *cores.pinned(ranks, command[at:])], folder, environment)
    log = (folder / "crystal.log.jsonl").read_text()
    return [json.loads(line) for line in log.splitlines()]


def equilibrate(crystal: Crystal, folder: Path, cores: Cores) -> None:
    """Writes a LAMMPS data file of the crystal after its first steps: crystal.data."""
    import h5py  # noqa: PLC0415 (only here, and not in every environment)

    count = [crystal.cells] * 3
    density = crystal.atoms_of_cell / crystal.edge**3
    run_sterna(
        crystal,
        folder,
        cores,
        1,
        steps=crystal.equilibration,
        start=f'kind = "lattice"\nlattice = "{crystal.lattice}"\ncells = {count}\n'
        f"density = {density!r}\ntemperature = {crystal.temperature}",
        output=f"trajectory_interval = {crystal.equilibration}\n"
        'trajectory_fields = ["position", "velocity"]',
    )
    with h5py.File(folder / "crystal.h5md") as file:
        particles = file["particles/trajectory"]
        position = particles["position/value"][-1] * 10.0
        velocity = particles["velocity/value"][-1] * 10.0
    edge = repr(crystal.cells * crystal.edge)
    with (folder / "crystal.data").open("w") as file:
        axes = "".join(f"0.0 {edge} {axis}lo {axis}hi\n" for axis in "xyz")
        file.write(f"crystal\n\n{crystal.atoms} atoms\n1 atom types\n\n{axes}\n")
        file.write(f"Masses\n\n1 {crystal.mass}\n")
        for section, rows, kind in (
            ("Atoms # atomic", position, "1 "),
            ("Velocities", velocity, ""),
        ):
            file.write(f"\n{section}\n\n")
            for number, row in enumerate(numpy.asarray(rows).tolist(), 1):
                file.write(f"{number} {kind}{row[0]!r} {row[1]!r} {row[2]!r}\n")


class Sterna:
    def __init__(self, crystal: Crystal, precision: str, folder: Path, cores: Cores) -> None:
        self.name, self.precision = f"sterna {precision}", precision
        self.crystal, self.folder, self.cores = crystal, folder, cores
        self.settings, self.version = "defaults", f"sterna {version()}"

    def run(self, ranks: int, steps: int) -> dict:
        atoms = self.crystal.atoms
        events = run_sterna(
            self.crystal,
            self.folder,
            self.cores,
            ranks,
            steps=steps,
            start='kind = "file"\nfile = "crystal.data"',
            precision=self.precision,
        )
        timing = events[-1]["timing"]
        rows = [event for event in events if event["event"] == "thermo"]
        return {
            "nanoseconds_per_atom_step": timing["seconds"] / steps / atoms * 1e9,
            "start_energy_per_atom": rows[0]["potential_energy"] / atoms,
            "total_energy_change": (rows[-1]["total_energy"] - rows[0]["total_energy"]) / atoms,
            "rebuilds": timing["rebuilds"],
            "phases": {
                name: phase["avg"] / steps / atoms * 1e9 for name, phase in timing["phases"].items()
            },
        }


class Lammps:
    def __init__(
        self,
        crystal: Crystal,
        environment: LammpsEnvironment,
        style: str,
        skin: float,
        folder: Path,
        cores: Cores,
    ) -> None:
        self.name, self.style, self.environment = "lammps", style, environment
        self.crystal, self.folder, self.cores = crystal, folder, cores
        self.skin, self.version = skin, ""
        self.settings = f"{style}, skin {skin}, neigh_modify delay 0 every 1 check yes"

    def run(self, ranks: int, steps: int) -> dict:
        (self.folder / "crystal.lmp").write_text(
            f"units metal\natom_style atomic\nread_data crystal.data\n{self.crystal.pair_style}\n"
            f"neighbor {self.skin} bin\nneigh_modify delay 0 every 1 check yes\n"
            f"fix advance all nve\ntimestep {self.crystal.timestep}\n"
            "thermo_style custom step pe\nthermo_modify format float %.12g\n"
            f"thermo {steps}\nrun {steps}\n"
        )
        launcher = [str(self.environment.mpiexec), "-n", str(ranks)] if ranks > 1 else []
        program = [self.environment.program, "-log", "none", *STYLES[self.style]]
        text, _ = run_process(
            [*launcher, *self.cores.pinned(ranks, [*program, "-in", "crystal.lmp"])],
            self.folder,
            self.environment.variables,
        )
        self.version = find(r"^LAMMPS \((.*?)\)", text, "version of LAMMPS")[0]
        loop = find(r"^Loop time of (\S+) on (\d+) procs for (\d+) steps", text, "loop time")
        energy = find(r"^ *Step +PotEng *\n *\S+ +(\S+)", text, "energy")
        dangerous = re.search(r"^Dangerous builds = (\d+)", text, re.MULTILINE)
        return {
            "nanoseconds_per_atom_step": float(loop[1]) / steps / self.crystal.atoms * 1e9,
            "start_energy_per_atom": float(energy[1]) / self.crystal.atoms,
            "rebuilds": int(find(r"^Neighbor list builds = (\d+)", text, "builds")[1]),
            "dangerous_builds": int(dangerous[1]) if dangerous else None,
        }


def fastest_lammps(candidates: list[Lammps], steps: int) -> Lammps:
    """The one with the least of two times."""
    best: dict[Lammps, float] = {}
    refused: set[str] = set()
    for _ in range(2):
        for candidate in candidates:
            if candidate.style in refused:
                continue
            try:
                m = candidate.run(1, steps)
            except EngineError as error:
                say(f"  {candidate.settings}: {str(error).splitlines()[-1]}")
                refused.add(candidate.style)
                continue
            if m["dangerous_builds"]:
                say(f"  {candidate.settings}: misses pairs")
                continue
            time_of = m["nanoseconds_per_atom_step"]
            best[candidate] = min(best.get(candidate, time_of), time_of)
    for candidate, nanoseconds in best.items():
        say(f"  {candidate.settings}: {nanoseconds:.1f} ns")
    return min(best, key=best.get)


def measure(crystal: Crystal, cores: Cores, ranks: list[int], arguments) -> tuple[Lammps, list]:
    """The measurements of all rounds."""
    environment, why = find_lammps()
    if environment is None:
        raise EngineError(f"no LAMMPS: {why}")
    measurements: list[dict] = []
    with tempfile.TemporaryDirectory(prefix="sterna-crystal-") as name:
        folder = Path(name)
        for file, text in crystal.files(environment).items():
            (folder / file).write_text(text)
        equilibrate(crystal, folder, cores)
        say(f"choosing the settings of LAMMPS ({crystal.name}, 1 rank)")
        candidates = [
            Lammps(crystal, environment, style, skin, folder, cores)
            for style in STYLES
            for skin in crystal.skins
        ]
        lammps = fastest_lammps(candidates, max(20, arguments.steps // 6))
        engines = [
            Sterna(crystal, "double", folder, cores),
            lammps,
            Sterna(crystal, "mixed", folder, cores),
        ]
        for number in range(1, arguments.repeats + 1):
            for count in ranks:
                line = []
                for engine in engines:
                    m = engine.run(count, arguments.steps)
                    place = {"system": crystal.name, "ranks": count, "round": number}
                    load = {"load_average": round(os.getloadavg()[0], 2)}
                    measurements.append(place | {"engine": engine.name} | m | load)
                    line.append(f"{engine.name} {m['nanoseconds_per_atom_step']:.1f}")
                say(f"round {number}, {count} rank(s): " + ", ".join(line))
    energies = [m["start_energy_per_atom"] for m in measurements]
    if max(energies) - min(energies) > 1e-5 * abs(energies[0]):
        raise EngineError(f"the engines start from different energies: {sorted(set(energies))}")
    return lammps, measurements


def main(name: str, document: str, crystals: list[Crystal]) -> int:
    """`./dev bench NAME`: measures, prints tables and targets, writes the result file and the
    block of docs/benchmarks.md."""
    parser = argparse.ArgumentParser(prog=f"./dev bench {name}", description=document)
    parser.add_argument("--ranks", default="1,2", help="such as 1 or 1,2")
    names = [crystal.name for crystal in crystals]
    parser.add_argument("--systems", default=",".join(names), help=f"of {', '.join(names)}")
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument(
        "--priority",
        action="store_true",
        help="put the runs before all other work of this machine (Linux, root)",
    )
    result_file = ROOT / "benchmarks" / "results" / f"{name}.json"
    parser.add_argument("--output", type=Path, default=result_file)
    arguments = parser.parse_args()
    ranks = [int(count) for count in arguments.ranks.split(",")]
    chosen_systems = arguments.systems.split(",")
    if unknown := [one for one in chosen_systems if one not in names]:
        parser.error(f"there is no system {unknown[0]}; expected {', '.join(names)}")
    crystals = [crystal for crystal in crystals if crystal.name in chosen_systems]
    cores = Cores()
    if max(ranks) > len(cores.available):
        parser.error(f"{max(ranks)} ranks need as many cores, but here are {len(cores.available)}")
    if arguments.priority:
        os.environ["STERNA_BENCH_PRIORITY"] = "-20"

    is_one_of_several = len(names) > 1
    rows, targets, measurements, lammps_of = [], [], [], {}
    for crystal in crystals:
        lammps, measured = measure(crystal, cores, ranks, arguments)
        lammps_of[crystal.name] = lammps
        measurements += measured
        ratio = {}
        for count in ranks:
            times: dict[str, list[float]] = {}
            for m in measured:
                if m["ranks"] == count:
                    times.setdefault(m["engine"], []).append(m["nanoseconds_per_atom_step"])
            peer = statistics.median(times["lammps"])
            for engine, of in times.items():
                median = statistics.median(of)
                ratio[count, engine] = median / peer
                figures = [f"{f:.1f}" for f in (median, min(of), max(of))]
                cells = [str(count), engine, *figures, f"{median / peer:.3f}"]
                rows.append(([crystal.name] if is_one_of_several else []) + cells)
        value = ratio[ranks[0], "sterna double"]
        targets.append({"system": crystal.name, "at_most": crystal.target, "value": value})
    header = ["ranks", "engine", "median", "least", "most", "/ LAMMPS"]
    table = markdown_table((["system"] if is_one_of_several else []) + header, rows)
    verdicts = "\n\n".join(
        (f"{t['system']}, " if is_one_of_several else "")
        + f"{ranks[0]} rank: double / LAMMPS at most {t['at_most']}: {t['value']:.3f}, "
        + ("met." if t["value"] <= t["at_most"] else "missed.")
        for t in targets
    )
    say(f"\nns per atom and step\n\n{table}\n{verdicts}")

    versions = sorted({f"sterna {version()}", *(lammps.version for lammps in lammps_of.values())})
    settings = {system: lammps.settings for system, lammps in lammps_of.items()}
    content = {
        "command": f"./dev bench {name} " + shlex.join(sys.argv[1:]),
        "date": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
        "processor": processor(),
        "cores": len(cores.available),
        "atoms": {crystal.name: crystal.atoms for crystal in crystals},
        "steps": arguments.steps,
        "versions": versions,
        "lammps": settings,
        "targets": targets,
        "measurements": measurements,
    }
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.write_text(json.dumps(content, indent=1) + "\n")
    if arguments.output.resolve() == result_file:
        chosen = "; ".join(
            (f"{system}: " if is_one_of_several else "") + text for system, text in settings.items()
        )
        replace_block(
            "benchmarks.md",
            name,
            f"`{content['command'].strip()}`, {content['date']}, {processor()}, "
            f"{content['cores']} cores; {', '.join(versions)}; LAMMPS: {chosen}. "
            f"ns per atom and step:\n\n{table}\n{verdicts}",
        )
    return 0
