#!/usr/bin/env python3
"""Drift of the energy of a solvated peptide at constant energy, with and without smoothing.

    ./dev bench energy_drift [--steps 100000] [--equilibration 5000]

The system of examples/peptide.toml: 1038 atoms, bonds of hydrogen and water constrained, 2 fs, mixed
precision, Lennard-Jones pairs that end by "quintic_switched" from 0.8 to 0.9 nm, charges by the
multipole method with an accuracy of 1e-4. Langevin dynamics comes first, without a record. Both runs
go on at once, each on a core.

The drift is the slope of a line through the total energy, in kT per nanosecond and degree of freedom.
Writes benchmarks/results/energy_drift.json.
"""

import argparse
import concurrent.futures
import json
import os
import shlex
import shutil
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "python"), str(ROOT / "benchmarks" / "support")]
from process import find, processor, run_process  # noqa: E402

RESULTS = ROOT / "benchmarks" / "results" / "energy_drift.json"
EXAMPLE = ROOT / "examples" / "peptide.toml"
TIMESTEP = 0.002  # ps
ROW_INTERVAL = 20
SMOOTHING = (0.0, 0.05)
ATOMS, PEPTIDE = 1038, 75
# Three of each atom less those that constraints take (six of a water are left, 35 bonds of the
# peptide's hydrogen) and the momentum of all.
DEGREES_OF_FREEDOM = 3 * PEPTIDE - 35 + 6 * (ATOMS - PEPTIDE) // 3 - 3
BOLTZMANN = 0.00831446261815324  # kJ/mol/K
LANGEVIN = '[thermostat]\nkind = "langevin"\ntemperature = 300\ntime_constant = 0.2\n\n'


def input_text(smoothing: float, steps: int, thermostat: str) -> str:
    """The example, changed."""
    text = EXAMPLE.read_text(encoding="utf-8")
    own = find(r"^\[thermostat\]\n(?:.+\n)+\n", text, "section [thermostat]")[0]
    for old, new in (
        (own, thermostat),
        ("steps = 400", f'name = "peptide"\nsteps = {steps}\nprecision = "mixed"'),
        ('"truncated"\ntail_correction = "homogeneous"', '"quintic_switched"\nswitch_start = 0.8'),
        ("accuracy = 1e-4", f"accuracy = 1e-4\nsmoothing = {smoothing}"),
        ("thermo_interval = 10", f"thermo_interval = {ROW_INTERVAL}"),
    ):
        if text.count(old) != 1:
            raise SystemExit(f"{EXAMPLE.name} does not have once: {old}")
        text = text.replace(old, new)
    return text


def drift(smoothing: float, steps: int, equilibration: int, core: int) -> dict[str, float]:
    """Slope, and scatter about the line in kT per degree of freedom."""
    import numpy
    from sterna import read_log

    program = os.environ["STERNA_MD"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for path in (EXAMPLE.with_suffix(".extxyz"), EXAMPLE.parent / "molecules"):
            (shutil.copytree if path.is_dir() else shutil.copy)(path, folder / path.name)
        for last, thermostat, more in (
            (equilibration, LANGEVIN, []),
            (equilibration + steps, "", ["--resume"]),
        ):
            (folder / "peptide.toml").write_text(input_text(smoothing, last, thermostat))
            command = ["taskset", "-c", str(core), program, "peptide.toml", *more]
            run_process(command, folder, dict(os.environ))
        log = read_log(folder / "output" / "peptide.log.jsonl")
    part = log["step"] > equilibration
    when, energy = TIMESTEP * log["step"][part], log["total_energy"][part]
    temperature = float(log["temperature"][part].mean())
    slope, intercept = numpy.polyfit(when, energy, 1)
    unit = BOLTZMANN * temperature * DEGREES_OF_FREEDOM
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
    parser.add_argument("--steps", type=int, default=100000)
    parser.add_argument("--equilibration", type=int, default=5000)
    options = parser.parse_args()
    cores = sorted(os.sched_getaffinity(0))
    with concurrent.futures.ThreadPoolExecutor(len(cores)) as pool:
        runs = [
            pool.submit(drift, value, options.steps, options.equilibration, cores[n % len(cores)])
            for n, value in enumerate(SMOOTHING)
        ]
        found = [run.result() for run in runs]
    for row in found:
        print(f"smoothing {row['smoothing']:g}: {row['drift']:.5f} kT/ns per degree of freedom")
    content = {
        "command": shlex.join(["./dev", "bench", "energy_drift", *sys.argv[1:]]),
        "date": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
        "processor": processor(),
        "steps": options.steps,
        "timestep_ps": TIMESTEP,
        "runs": found,
    }
    RESULTS.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
