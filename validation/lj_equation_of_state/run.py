#!/usr/bin/env python3
"""Pressure and energy of the Lennard-Jones fluid against published equations of state.

    python validation/lj_equation_of_state/run.py [--jobs 2] [--steps 40000] [--replicas 4]

Runs canonical simulations at five state points, some independent ones (replicas) each, on one rank,
prints a table and writes benchmarks/results/lj_equation_of_state.json and the table of
docs/validation.md. About 45 minutes of processor time.

How it is judged. The simulation's standard errors are from block averages over all replicas. The
equations of state are fits with errors of their own, of which the difference between two of them is a measure:

- Thol et al., J. Phys. Chem. Ref. Data 45, 023101 (2016)
- Kolafa and Nezbeda, Fluid Phase Equilib. 100, 1 (1994)

A quantity agrees where it differs from Thol et al. by at most twice the square root of
(standard error)^2 + (Thol - Kolafa and Nezbeda)^2. The stricter comparison, which takes the
equation of Thol et al. as exact, is in the table too.
"""

import argparse
import concurrent.futures
import json
import math
import os
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "python"), str(ROOT / "tools")]
from document_table import markdown_table, replace_block  # noqa: E402
from sterna import read_log, version  # noqa: E402
from sterna.launch import program_environment  # noqa: E402
from sterna.program import find_program  # noqa: E402

PARTICLES = 2048
CUTOFF = 5.0
MELTING_TEMPERATURE = 3.0
MELTING_STEPS = 2000
EQUILIBRATION_STEPS = 10000
ROW_INTERVAL = 10
BLOCKS = 10  # of each replica: 8 to 12 time units, longer than any correlation


@dataclass(frozen=True)
class StatePoint:
    """Reduced units; the published pressures and residual energies per particle were evaluated
    with teqp 0.23.2."""

    temperature: float
    density: float
    timestep: float  # short enough that its systematic error is below the statistical one
    pressure_thol: float
    energy_thol: float
    pressure_kolafa: float
    energy_kolafa: float


STATE_POINTS = [
    StatePoint(0.85, 0.776, 0.002, 0.00430, -5.51410, -0.00626, -5.51247),
    StatePoint(0.85, 0.86, 0.002, 1.26430, -6.03017, 1.26765, -6.03115),
    StatePoint(1.5, 0.5, 0.002, 0.41697, -3.32402, 0.41674, -3.32874),
    StatePoint(2.0, 0.7, 0.002, 3.03196, -4.30240, 3.02858, -4.30064),
    StatePoint(3.0, 0.9, 0.002, 13.9108, -4.1758, 13.9207, -4.1692),
]

INPUT = """\
units = "reduced"

[run]
name = "fluid"
steps = {steps}
timestep = {timestep}
seed = {seed}

[start]
kind = "lattice"
lattice = "fcc"
particles = {particles}
density = {density}
temperature = {temperature}

[[type]]
name = "A"

[interaction]
cutoff = {cutoff}
truncation = "truncated"
tail_correction = true

[thermostat]
kind = "stochastic_velocity_rescaling"
temperature = {temperature}
time_constant = 0.1

[output]
thermo_interval = {interval}
"""


def simulate(point: StatePoint, seed: int, steps: int, folder: Path) -> None:
    """Melts the crystal, then goes on at the temperature of the state point."""
    folder.mkdir(parents=True, exist_ok=True)
    # The system is melted hot, or a crystal of this density would last.
    stages = [
        (MELTING_STEPS, max(MELTING_TEMPERATURE, point.temperature), []),
        (MELTING_STEPS + EQUILIBRATION_STEPS + steps, point.temperature, ["--resume"]),
    ]
    for end, temperature, options in stages:
        text = INPUT.format(
            steps=end,
            seed=seed,
            timestep=point.timestep,
            particles=PARTICLES,
            density=point.density,
            temperature=temperature,
            cutoff=CUTOFF,
            interval=ROW_INTERVAL,
        )
        (folder / "fluid.toml").write_text(text)
        done = subprocess.run(
            [find_program(), "fluid.toml", *options],
            cwd=folder,
            env=program_environment() | {"OMP_NUM_THREADS": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise SystemExit(f"{point}: {done.stdout}{done.stderr}")


def block_average(replicas: list[numpy.ndarray]) -> tuple[float, float]:
    """The mean and its standard error from BLOCKS consecutive blocks of each replica."""
    means = numpy.array(
        [block.mean() for values in replicas for block in numpy.array_split(values, BLOCKS)]
    )
    return means.mean(), means.std(ddof=1) / math.sqrt(len(means))


def compare(name: str, replicas: list[numpy.ndarray], thol: float, kolafa: float) -> dict:
    mean, error = block_average(replicas)
    uncertainty = math.hypot(error, thol - kolafa)
    return {
        "quantity": name,
        "mean": mean,
        "standard_error": error,
        "thol_2016": thol,
        "kolafa_nezbeda_1994": kolafa,
        "difference": mean - thol,
        "difference_in_standard_errors": (mean - thol) / error,
        "difference_in_combined_uncertainties": (mean - thol) / uncertainty,
        "within_two_standard_errors": abs(mean - thol) <= 2 * error,
        "agrees": abs(mean - thol) <= 2 * uncertainty,
    }


def averaged_rows(point: StatePoint, replica: int, steps: int, folder: Path) -> dict:
    """One replica's columns of the log, after equilibration."""
    # A seed of its own: with one sequence of random numbers all points would err together.
    simulate(point, 100 * (replica + 1) + STATE_POINTS.index(point), steps, folder)
    log = read_log(folder / "fluid.log.jsonl")
    kept = log["step"] > MELTING_STEPS + EQUILIBRATION_STEPS
    assert kept.sum() == steps // ROW_INTERVAL
    return {name: log[name][kept] for name in ("temperature", "pressure", "potential_energy")}


def evaluate(point: StatePoint, replicas: list[dict]) -> dict:
    temperature, temperature_error = block_average([rows["temperature"] for rows in replicas])
    return {
        "temperature": point.temperature,
        "density": point.density,
        "timestep": point.timestep,
        "measured_temperature": temperature,
        "measured_temperature_error": temperature_error,
        "quantities": [
            compare(
                "pressure",
                [rows["pressure"] for rows in replicas],
                point.pressure_thol,
                point.pressure_kolafa,
            ),
            compare(
                "residual energy per particle",
                [rows["potential_energy"] / PARTICLES for rows in replicas],
                point.energy_thol,
                point.energy_kolafa,
            ),
        ],
    }


def print_table(results: list[dict]) -> None:
    print(
        f"{'T':>5} {'density':>8} {'quantity':<10} {'Sterna':>10} {'+-':>8} {'Thol':>10} "
        f"{'K+N':>10} {'diff.':>9} {'/s.e.':>6} {'/comb.':>6}"
    )
    for result in results:
        for q in result["quantities"]:
            print(
                f"{result['temperature']:5.2f} {result['density']:8.3f} "
                f"{q['quantity'].split()[0]:<10} {q['mean']:10.5f} {q['standard_error']:8.5f} "
                f"{q['thol_2016']:10.5f} {q['kolafa_nezbeda_1994']:10.5f} {q['difference']:9.5f} "
                f"{q['difference_in_standard_errors']:6.1f} "
                f"{q['difference_in_combined_uncertainties']:6.1f}"
                f"{'' if q['agrees'] else '  DISAGREES'}"
            )


def document(results: list[dict]) -> str:
    """The table of docs/validation.md."""
    header = ["T", "density", "quantity", "Sterna", "Thol 2016", "Kolafa and Nezbeda 1994"]
    header += ["difference / standard error", "/ combined"]
    rows = [
        [
            f"{result['temperature']:g}",
            f"{result['density']:g}",
            q["quantity"],
            f"{q['mean']:.4f} ± {q['standard_error']:.4f}",
            f"{q['thol_2016']:.4f}",
            f"{q['kolafa_nezbeda_1994']:.4f}",
            f"{q['difference_in_standard_errors']:.1f}",
            f"{q['difference_in_combined_uncertainties']:.1f}",
        ]
        for result in results
        for q in result["quantities"]
    ]
    return markdown_table(header, rows)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=40000, help="steps that are averaged")
    parser.add_argument("--replicas", type=int, default=4, help="independent runs of each point")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    result_file = ROOT / "benchmarks" / "results" / "lj_equation_of_state.json"
    parser.add_argument(
        "--output", type=Path, default=result_file, help="the default also goes to docs/"
    )
    parser.add_argument("--folder", type=Path, help="keep the runs here")
    arguments = parser.parse_args()

    with tempfile.TemporaryDirectory() as temporary:
        folder = (arguments.folder or Path(temporary)).resolve()
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            running = [
                [
                    pool.submit(
                        averaged_rows,
                        point,
                        replica,
                        arguments.steps,
                        folder / f"point{number}_replica{replica}",
                    )
                    for replica in range(arguments.replicas)
                ]
                for number, point in enumerate(STATE_POINTS, 1)
            ]
            results = [
                evaluate(point, [run.result() for run in runs])
                for point, runs in zip(STATE_POINTS, running, strict=True)
            ]
    print_table(results)
    quantities = [q for result in results for q in result["quantities"]]
    agree = sum(q["agrees"] for q in quantities)
    strict = sum(q["within_two_standard_errors"] for q in quantities)
    print(
        f"{agree} of {len(quantities)} agree within two combined uncertainties, {strict} within "
        "two standard errors of the simulation alone"
    )
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    content = {
        "command": shlex.join(
            ["python", "validation/lj_equation_of_state/run.py"]
            + ["--steps", str(arguments.steps), "--replicas", str(arguments.replicas)]
        ),
        "sterna": version(),
        "particles": PARTICLES,
        "cutoff": CUTOFF,
        "melting_steps": MELTING_STEPS,
        "equilibration_steps": EQUILIBRATION_STEPS,
        "averaged_steps": arguments.steps,
        "replicas": arguments.replicas,
        "blocks_of_each_replica": BLOCKS,
        "state_points": results,
    }
    arguments.output.write_text(json.dumps(content, indent=1, default=lambda x: x.item()) + "\n")
    if arguments.output == result_file:
        replace_block("validation.md", "lj_equation_of_state", document(results))
    return 0 if agree == len(quantities) else 1


if __name__ == "__main__":
    sys.exit(main())
