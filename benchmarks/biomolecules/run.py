#!/usr/bin/env python3
"""A protein in water beside GROMACS, and beside another build of Sterna, by turns.

    ./dev bench biomolecules [--before CHECKOUT] [--gmx PROGRAM] [--repeats 5] [--steps 400]

Dihydrofolate reductase in water, 23,558 atoms (../shared/data/biomolecules), Amber99SB and TIP3P,
bonds of hydrogen constrained, 2 fs, cutoff 0.9 nm, velocity rescaling, mixed precision, one pinned
core. Sterna: `sterna import` of the structure, multipole method with a force error of 5e-4 asked
for. GROMACS: `pdb2gmx` of the same structure, PME with its defaults, where a `gmx` is found or
given. CHECKOUT is another checkout with a build of `sterna-md`. The time of a step is that of the
step loop, as each program reports it.

Prints a table; writes benchmarks/results/biomolecules.json.
"""

import argparse
import json
import os
import platform
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "python"), str(ROOT / "benchmarks" / "support")]
from process import Cores, EngineError, run_process  # noqa: E402

RESULTS = ROOT / "benchmarks" / "results" / "biomolecules.json"
STRUCTURE = ROOT.parent / "shared/data/biomolecules/5dfr_solv-cube_equil.pdb"
ATOMS = 23558
TIMESTEP = 0.002  # ps
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


def sterna_input(folder: Path, steps: int) -> Path:
    """The system as `sterna import` writes it, with the settings of the comparison."""
    called(
        folder,
        *[sys.executable, "-m", "sterna", "import", STRUCTURE, "-o", "imported.toml"],
        *["--force-field", "amber99sb.xml", "--force-field", "tip3p.xml", "--cutoff", "0.9"],
    )
    text = (folder / "imported.toml").read_text(encoding="utf-8")
    for pattern, wanted in (
        (r"steps = \d+", f'steps = {steps}\nprecision = "mixed"'),
        (r"accuracy = \S+", "accuracy = 5e-4"),
        (r"trajectory_interval = \d+", "trajectory_interval = 0"),
    ):
        text, count = re.subn(pattern, wanted, text, count=1)
        if count != 1:
            raise EngineError(f"sterna import wrote no {pattern}")
    path = folder / "measured.toml"
    path.write_text(text, encoding="utf-8")
    return path


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


def sterna_run(program: Path, folder: Path, cores: Cores) -> dict:
    text, _ = run_process(
        cores.pinned(1, [program, "measured.toml", "--overwrite", "--verbose"]),
        folder,
        dict(os.environ),
    )
    found = re.search(r"([\d.]+) ns per particle and step", text)
    if not found:
        raise EngineError(text)
    error = re.search(r"relative error of the forces ([\d.e-]+)", text)
    seconds = {
        row[1].strip(): float(row[2])
        for row in re.finditer(r"^([a-z_ ]+?) {2,}([\d.]+) +[\d.]+ +[\d.]+ +[\d.]+%", text, re.M)
    }
    return {
        "ns": float(found[1]),
        "force_error": float(error[1]) if error else None,
        "seconds": seconds,
    }


def gromacs_run(gmx: str, folder: Path, cores: Cores, steps: int) -> dict:
    run_process(
        cores.pinned(
            1,
            [gmx, "mdrun", "-s", "measured.tpr", "-ntmpi", "1", "-ntomp", "1", "-noconfout"]
            + ["-nsteps", str(steps), "-g", "measured.log"],
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


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--before", type=Path, help="another checkout, with a build of sterna-md")
    parser.add_argument("--gmx", default=shutil.which("gmx"), help="GROMACS (default: on PATH)")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--steps", type=int, default=400)
    options = parser.parse_args()
    if not STRUCTURE.is_file():
        print(f"needs the structure {STRUCTURE}", file=sys.stderr)
        return 1
    cores = Cores()
    programs = {"sterna": Path(os.environ["STERNA_MD"]).resolve()}
    if options.before:
        programs["sterna before"] = options.before.resolve() / "build/src/app/sterna-md"
    rows: dict[str, list[dict]] = {name: [] for name in programs}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sterna_input(folder, options.steps)
        if options.gmx:
            gromacs_input(folder, options.gmx)
            rows["gromacs"] = []
        for _ in range(options.repeats):
            for engine, program in programs.items():
                rows[engine].append(sterna_run(program, folder, cores))
            if options.gmx:
                rows["gromacs"].append(gromacs_run(options.gmx, folder, cores, options.steps))
    print(f"{'':16}{'median':>10}{'least':>10}{'most':>10}   ns for each atom and step")
    for engine, runs in rows.items():
        times = sorted(run["ns"] for run in runs)
        print(f"{engine:16}{statistics.median(times):10.0f}{times[0]:10.0f}{times[-1]:10.0f}")
    RESULTS.write_text(
        json.dumps(
            {
                "command": "./dev bench biomolecules"
                + (" --before CHECKOUT" if options.before else "")
                + (" --gmx PROGRAM" if options.gmx else "")
                + f" --repeats {options.repeats} --steps {options.steps}",
                "machine": next(
                    (
                        line.split(":", 1)[1].strip()
                        for line in Path("/proc/cpuinfo").read_text().splitlines()
                        if line.startswith("model name")
                    ),
                    platform.processor(),
                ),
                "atoms": ATOMS,
                "steps": options.steps,
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
