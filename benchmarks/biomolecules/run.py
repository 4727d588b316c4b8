#!/usr/bin/env python3
"""A protein in water beside GROMACS, and beside another build of Sterna, by turns.

    ./dev bench biomolecules [--before CHECKOUT] [--gmx PROGRAM] [--gmx-double PROGRAM]
                             [--repeats 5] [--steps 400] [--ranks 1,2] [--priority]

Dihydrofolate reductase in water, 23,558 atoms (../shared/data/biomolecules), Amber99SB and TIP3P,
bonds of hydrogen constrained, 2 fs, cutoff 0.9 nm, velocity rescaling, mixed precision, a pinned
core for each rank. Sterna: `sterna import` of the structure; once with exact lists and a relative force error of
5e-4, once as GROMACS does by default: lists by a tolerance of 0.005 kJ/mol/ps and charges with an
error as large as that of GROMACS's PME. GROMACS: `pdb2gmx` of the same structure, PME with its
defaults, where a `gmx` is found or given; `--gmx` may come again, for other builds. CHECKOUT is another checkout with a build of `sterna-md`.
The time of a step is that of the step loop, as each program reports it.

Root-mean-square errors of the forces on the start: Sterna's against its own with an error of 1e-7;
with a GROMACS in double precision (`gmx_d`), GROMACS's against PME with a tolerance of 1e-12, waves
of 0.045 nm and splines of order 10.

Prints a table; writes benchmarks/results/biomolecules.json.
"""

import argparse
import json
import os
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "python"), str(ROOT / "benchmarks" / "support")]
from process import Cores, EngineError, processor, run_process  # noqa: E402
from sterna.launch import command_line  # noqa: E402

RESULTS = ROOT / "benchmarks" / "results" / "biomolecules.json"
STRUCTURE = ROOT.parent / "shared/data/biomolecules/5dfr_solv-cube_equil.pdb"
ATOMS = 23558
TIMESTEP = 0.002  # ps
# Of Sterna: accuracy of the charges, section [neighbor].
SETTINGS = {
    "sterna": ("5e-4", ""),
    "sterna as gromacs": ("1.3e-3", '[neighbor]\nbuffer = "tolerance"\n'),
}
REFERENCE_PARAMETERS = "ewald-rtol = 1e-12\nfourierspacing = 0.045\npme-order = 10\n"
RUN_PARAMETERS = f"""\
integrator = md
dt = {TIMESTEP}
nsteps = 100000
cutoff-scheme = Verlet
coulombtype = PME
rcoulomb = 0.9
rvdw = 0.9
DispCorr = EnerPres
constraints = h-bonds
tcoupl = v-rescale
tc-grps = System
tau-t = 0.1
ref-t = 300
gen-vel = yes
gen-temp = 300
"""


def called(folder: Path, *command: object) -> str:
    done = subprocess.run(
        list(map(str, command)), cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise EngineError(f"{shlex.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def sterna_inputs(folder: Path, steps: int) -> None:
    """The system as `sterna import` writes it, with the settings of the comparison."""
    called(
        folder,
        *[sys.executable, "-m", "sterna", "import", STRUCTURE, "-o", "imported.toml"],
        *["--force-field", "amber99sb.xml", "--force-field", "tip3p.xml", "--cutoff", "0.9"],
    )
    text = (folder / "imported.toml").read_text(encoding="utf-8")
    for pattern, wanted in (
        (r"steps = \d+", f'steps = {steps}\nprecision = "mixed"'),
        (r"trajectory_interval = \d+", "trajectory_interval = 0"),
    ):
        text = replaced(text, pattern, wanted)
    for name, (accuracy, section) in SETTINGS.items():
        measured = replaced(text, r"accuracy = \S+", f"accuracy = {accuracy}")
        input_of(folder, name).write_text(measured + "\n" + section, encoding="utf-8")


def replaced(text: str, pattern: str, wanted: str) -> str:
    text, count = re.subn(pattern, wanted, text, count=1)
    if count != 1:
        raise EngineError(f"the input has no {pattern}")
    return text


def input_of(folder: Path, settings: str) -> Path:
    return folder / (settings.replace(" ", "_") + ".toml")


def rms(vectors) -> float:
    return float((vectors**2).sum(axis=1).mean() ** 0.5)


def sterna_force_errors(folder: Path) -> dict[str, float]:
    """Of each setting, in kJ/mol/nm."""
    import sterna

    def forces(text: str):
        text = replaced(text, r"steps = \d+", "steps = 0")
        path = folder / "forces.toml"
        path.write_text(text, encoding="utf-8")
        simulation = sterna.Simulation.from_file(str(path))
        simulation.run(0)
        return simulation.gather("force")

    texts = {name: input_of(folder, name).read_text(encoding="utf-8") for name in SETTINGS}
    exact = replaced(texts["sterna"], r"accuracy = \S+", "accuracy = 1e-7")
    reference = forces(exact.replace('precision = "mixed"', 'precision = "double"'))
    return {name: rms(forces(text) - reference) for name, text in texts.items()}


def gromacs_forces(folder: Path, gmx: str, more: str):
    """On the atoms of the start, in kJ/mol/nm."""
    import numpy

    parameters = RUN_PARAMETERS.replace("nsteps = 100000", "nsteps = 0")
    parameters = parameters.replace("gen-vel = yes\ngen-temp = 300\n", "gen-vel = no\n")
    parameters += "continuation = yes\nnstfout = 1\n" + more
    (folder / "forces.mdp").write_text(parameters, encoding="utf-8")
    called(
        folder,
        *[gmx, "grompp", "-f", "forces.mdp", "-c", "named.gro", "-p", "named.top"],
        *["-o", "forces.tpr", "-maxwarn", "9"],
    )
    called(folder, gmx, "mdrun", "-s", "forces.tpr", "-ntmpi", "1", "-ntomp", "1", "-o", "f.trr")
    rows = re.findall(r"^ +f\[.*\{(.*)\}", called(folder, gmx, "dump", "-f", "f.trr"), re.M)
    return numpy.array([[float(number) for number in row.split(",")] for row in rows])


def gromacs_input(folder: Path, gmx: str) -> None:
    """`measured.tpr`. GROMACS has other names for the atoms of the last residue."""
    text = STRUCTURE.read_text(encoding="utf-8")
    (folder / "named.pdb").write_text(
        text.replace(" OT1 ", " OC1 ").replace(" OT2 ", " OC2 "), encoding="utf-8"
    )
    (folder / "run.mdp").write_text(RUN_PARAMETERS, encoding="utf-8")
    called(
        folder,
        *[gmx, "pdb2gmx", "-f", "named.pdb", "-ff", "amber99sb", "-water", "tip3p", "-ignh"],
        *["-o", "named.gro", "-p", "named.top", "-i", "posre.itp"],
    )
    # The box is charged, and generated velocities are not meant for a production run.
    called(
        folder,
        *[gmx, "grompp", "-f", "run.mdp", "-c", "named.gro", "-p", "named.top"],
        *["-o", "measured.tpr", "-maxwarn", "9"],
    )


def sterna_run(program: Path, folder: Path, cores: Cores, settings: str, ranks: int) -> dict:
    arguments = [str(input_of(folder, settings)), "--overwrite", "--verbose"]
    command, environment = command_line(ranks, arguments, program)
    at = command.index(str(program))
    launcher = command[:at] if ranks > 1 else []
    text, _ = run_process(
        [*launcher, *cores.pinned(ranks, command[at:])], folder, dict(os.environ) | environment
    )
    found = re.search(r"([\d.]+) ns per particle and step", text)
    if not found:
        raise EngineError(text)
    error = re.search(r"relative error of the forces ([\d.e-]+)", text)
    log = input_of(folder, settings).with_suffix(".log.jsonl").name
    last = (folder / "output" / log).read_text(encoding="utf-8").splitlines()[-1]
    seconds = {
        row[1].strip(): float(row[2])
        for row in re.finditer(r"^([a-z_ ]+?) {2,}([\d.]+) +[\d.]+ +[\d.]+ +[\d.]+%", text, re.M)
    }
    return {
        "ns": float(found[1]),
        "force_error": float(error[1]) if error else None,
        "communication_share": json.loads(last)["timing"]["communication_share"],
        "seconds": seconds,
    }


def gromacs_run(gmx: str, folder: Path, cores: Cores, steps: int, ranks: int) -> dict:
    run_process(
        cores.together(
            ranks,
            [gmx, "mdrun", "-s", "measured.tpr", "-ntmpi", ranks, "-ntomp", "1", "-noconfout"]
            + ["-nsteps", steps, "-g", "measured.log", "-pin", "on" if ranks > 1 else "off"],
        ),
        folder,
        dict(os.environ),
    )
    log = (folder / "measured.log").read_text(encoding="utf-8", errors="replace")
    per_day = float(re.findall(r"^Performance: +([\d.]+)", log, re.M)[-1])  # ns
    version = re.search(r"GROMACS version: +(\S+)", log)
    simd = re.search(r"SIMD instructions: +(\S+)", log)
    return {
        "ns": 86400e9 * TIMESTEP / 1000.0 / per_day / ATOMS,
        "version": version[1] if version else "",
        "simd": simd[1] if simd else "",
    }


def gromacs_title(gmx: str) -> str:
    """With the instruction set that it was built for, which tells builds apart."""
    told = subprocess.run([gmx, "--version"], capture_output=True, text=True, check=False)
    simd = re.search(r"SIMD instructions: +(\S+)", told.stdout + told.stderr)
    return f"gromacs {simd[1]}" if simd else "gromacs"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--before", type=Path, help="another checkout, with a build of sterna-md")
    parser.add_argument(
        "--gmx", action="append", help="a GROMACS; again for another (default: on PATH)"
    )
    parser.add_argument("--gmx-double", default=shutil.which("gmx_d"), help="for the force error")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--ranks", default="1", help="numbers of ranks, with commas (default: 1)")
    parser.add_argument(
        "--priority", action="store_true", help="before all other processes (needs to be root)"
    )
    options = parser.parse_args()
    if options.priority:
        os.environ["STERNA_BENCH_PRIORITY"] = "-20"
    programs_of_gromacs = options.gmx or [found for found in [shutil.which("gmx")] if found]
    counts = [int(count) for count in options.ranks.split(",")]
    if not STRUCTURE.is_file():
        print(f"needs the structure {STRUCTURE}", file=sys.stderr)
        return 1
    cores = Cores()
    # Name of a row: program and settings.
    programs = {name: (Path(os.environ["STERNA_MD"]).resolve(), name) for name in SETTINGS}
    if options.before:
        programs["sterna before"] = (options.before.resolve() / "build/src/app/sterna-md", "sterna")
    engines: dict[str, Callable[[], dict]] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sterna_inputs(folder, options.steps)
        errors = sterna_force_errors(folder)
        for ranks in counts:
            on = f", {ranks} ranks" if ranks > 1 else ""
            for engine, (program, settings) in programs.items():
                engines[engine + on] = partial(sterna_run, program, folder, cores, settings, ranks)
            for gmx in programs_of_gromacs:
                engines[gromacs_title(gmx) + on] = partial(
                    gromacs_run, gmx, folder, cores, options.steps, ranks
                )
        if programs_of_gromacs:
            gromacs_input(folder, programs_of_gromacs[0])
            if options.gmx_double:
                exact = gromacs_forces(folder, options.gmx_double, REFERENCE_PARAMETERS)
                single = gromacs_forces(folder, programs_of_gromacs[0], "")
                errors["gromacs"] = rms(single - exact)
        rows: dict[str, list[dict]] = {engine: [] for engine in engines}
        for _ in range(options.repeats):
            for engine, run in engines.items():
                rows[engine].append(run())
    print(f"{'':30}{'median':>10}{'least':>10}{'most':>10}   ns for each atom and step")
    for engine, runs in rows.items():
        times = sorted(run["ns"] for run in runs)
        share = [run["communication_share"] for run in runs if "communication_share" in run]
        told = f"   communication {statistics.median(share):.1%}" if share else ""
        print(f"{engine:30}{statistics.median(times):10.0f}{times[0]:10.0f}{times[-1]:10.0f}{told}")
    for engine, error in errors.items():
        print(f"force error of {engine}: {error:.2f} kJ/mol/nm")
    RESULTS.write_text(
        json.dumps(
            {
                "command": "./dev bench biomolecules"
                + (" --before CHECKOUT" if options.before else "")
                + " --gmx PROGRAM" * len(options.gmx or [])
                + (" --gmx-double PROGRAM" if options.gmx_double else "")
                + f" --repeats {options.repeats} --steps {options.steps} --ranks {options.ranks}"
                + (" --priority" if options.priority else ""),
                "machine": processor(),
                "atoms": ATOMS,
                "steps": options.steps,
                "force_errors": errors,
                "runs": rows,
            },
            indent=1,
        )
        + "\n",
        encoding="utf-8",
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
