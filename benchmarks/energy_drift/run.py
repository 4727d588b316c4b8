#!/usr/bin/env python3
"""Drift of the energy of a solvated peptide or protein at constant energy.

    ./dev bench energy_drift [--system peptide] [--smoothing 0 0.05] [--steps 100000]
                             [--equilibration 5000]

`peptide` is the system of examples/peptide.toml: 1038 atoms. `protein` is dihydrofolate reductase in
water, 23,558 atoms (../shared/data/biomolecules), by Amber99SB and TIP3P; it needs OpenMM. Bonds of
hydrogen and water are constrained, 2 fs, mixed precision, Lennard-Jones pairs that end by
"quintic_switched" from 0.8 to 0.9 nm, charges by the multipole method with an accuracy of 1e-4.
Langevin dynamics comes first, without a record. Each smoothing of the multipole method is a run, on a
core of its own.

The drift is the slope of a line through the total energy, in kT per nanosecond and degree of freedom.
Writes benchmarks/results/energy_drift.json, or energy_drift_protein.json.
"""

import argparse
import concurrent.futures
import json
import os
import re
import shlex
import shutil
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "python"), str(ROOT / "benchmarks" / "support")]
from process import processor, run_process  # noqa: E402

EXAMPLE = ROOT / "examples" / "peptide.toml"
STRUCTURE = ROOT.parent / "shared/data/biomolecules/5dfr_solv-cube_equil.pdb"
TIMESTEP = 0.002  # ps
ROW_INTERVAL = 20
TIME_LIMIT = 14400  # s, of a run
BOLTZMANN = 0.00831446261815324  # kJ/mol/K
LANGEVIN = '[thermostat]\nkind = "langevin"\ntemperature = 300\ntime_constant = 0.2\n\n'


@dataclass
class System:
    """An input, without its section [thermostat] and files that it names, in a folder."""

    name: str
    degrees_of_freedom: int

    def prepare(self, folder: Path) -> None:
        """Writes start.toml and what it names."""
        if self.name == "peptide":
            for path in (EXAMPLE.with_suffix(".extxyz"), EXAMPLE.parent / "molecules"):
                (shutil.copytree if path.is_dir() else shutil.copy)(path, folder / path.name)
            shutil.copy(EXAMPLE, folder / "start.toml")
            return
        if not STRUCTURE.is_file():
            raise SystemExit(f"no structure of the protein: {STRUCTURE.name}")
        command = [sys.executable, "-m", "sterna", "import", str(STRUCTURE), "-o", "start.toml"]
        command += ["--force-field", "amber99sb.xml", "--force-field", "tip3p.xml"]
        run_process([*command, "--cutoff", "0.9"], folder, dict(os.environ))
        path = folder / "start.toml"
        path.write_text(re.sub(r"trajectory_interval = \d+\n", "", path.read_text()))


# Three of each atom less those that constraints take (six of a water are left, and one for each bond
# of hydrogen in the solute) and the momentum of all.
SYSTEMS = (
    System("peptide", 3 * 75 - 35 + 6 * 321 - 3),
    System("protein", 3 * 2489 - 1221 + 6 * 7023 - 3),
)


def input_text(text: str, smoothing: float, steps: int, thermostat: str) -> str:
    """An input, changed."""
    for pattern, new in (
        (r"\[thermostat\]\n(?:.+\n)+\n", thermostat),
        (r"(?<=\n)steps = \d+", f'name = "run"\nsteps = {steps}\nprecision = "mixed"'),
        (
            r'"truncated"\ntail_correction = "homogeneous"',
            '"quintic_switched"\nswitch_start = 0.8',
        ),
        (r"accuracy = \S+", f"accuracy = 1e-4\nsmoothing = {smoothing}"),
        (r"thermo_interval = \d+", f"thermo_interval = {ROW_INTERVAL}"),
    ):
        text, count = re.subn(pattern, lambda match, new=new: match.expand(new), text, count=1)
        if count != 1:
            raise SystemExit(f"the input has no {pattern}")
    return text


def drift(
    system: System, smoothing: float, steps: int, equilibration: int, core: int
) -> dict[str, float]:
    """Slope, and scatter about the line in kT per degree of freedom."""
    import numpy
    from sterna import read_log

    program = os.environ["STERNA_MD"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        system.prepare(folder)
        text = (folder / "start.toml").read_text(encoding="utf-8")
        for last, thermostat, more in (
            (equilibration, LANGEVIN, []),
            (equilibration + steps, "", ["--resume"]),
        ):
            changed = input_text(text, smoothing, last, thermostat)
            (folder / "run.toml").write_text(changed, encoding="utf-8")
            command = ["taskset", "-c", str(core), program, "run.toml", *more]
            run_process(command, folder, dict(os.environ), time_limit=TIME_LIMIT)
        log = read_log(folder / "output" / "run.log.jsonl")
    part = log["step"] > equilibration
    when, energy = TIMESTEP * log["step"][part], log["total_energy"][part]
    temperature = float(log["temperature"][part].mean())
    slope, intercept = numpy.polyfit(when, energy, 1)
    unit = BOLTZMANN * temperature * system.degrees_of_freedom
    return {
        "smoothing": smoothing,
        "drift": float(1000 * slope / unit),
        "scatter": float((energy - slope * when - intercept).std() / unit),
        "temperature": temperature,
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="./dev bench energy_drift", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--system", choices=[system.name for system in SYSTEMS], default="peptide")
    parser.add_argument("--smoothing", type=float, nargs="+", default=[0.0, 0.05])
    parser.add_argument("--steps", type=int, default=100000)
    parser.add_argument("--equilibration", type=int, default=5000)
    options = parser.parse_args()
    system = next(system for system in SYSTEMS if system.name == options.system)
    cores = sorted(os.sched_getaffinity(0))
    with concurrent.futures.ThreadPoolExecutor(len(cores)) as pool:
        runs = [
            pool.submit(
                drift,
                system,
                smoothing,
                options.steps,
                options.equilibration,
                cores[n % len(cores)],
            )
            for n, smoothing in enumerate(options.smoothing)
        ]
        found = [run.result() for run in runs]
    for row in found:
        print(f"smoothing {row['smoothing']:g}: {row['drift']:.5f} kT/ns per degree of freedom")
    content = {
        "command": shlex.join(["./dev", "bench", "energy_drift", *sys.argv[1:]]),
        "date": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
        "processor": processor(),
        "system": system.name,
        "steps": options.steps,
        "timestep_ps": TIMESTEP,
        "runs": found,
    }
    more = "" if system is SYSTEMS[0] else f"_{system.name}"
    path = ROOT / "benchmarks" / "results" / f"energy_drift{more}.json"
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
