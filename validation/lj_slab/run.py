#!/usr/bin/env python3
"""Liquid and vapor densities and the surface tension of the Lennard-Jones fluid, from a slab.

    python validation/lj_slab/run.py [--jobs 2] [--steps 400000] [--replicas 4]

A slab of liquid between vapor, in the canonical ensemble, with the potential truncated and shifted
at 2.5 sigma, for which all three are published without any correction beyond the cutoff; some
independent runs (replicas). Prints a table and writes benchmarks/results/lj_slab.json and the table
of docs/validation.md. About 25 minutes of processor time.

How it is judged. The published correlations (Vrabec, Kedia, Fuchs and Hasse, Mol. Phys. 104, 1509
(2006)) are fits to simulations with uncertainties of their own, for which 0.2 % in the liquid
density, 3 % in the vapor density and 2 % in the surface tension are allowed. A quantity agrees where
it differs by at most twice the square root of (standard error)^2 + (uncertainty of the fit)^2.
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
from pathlib import Path

import numpy

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "python"), str(ROOT / "tools")]
from document_table import markdown_table, replace_block  # noqa: E402
from sterna import read_log, version  # noqa: E402
from sterna.launch import program_environment  # noqa: E402
from sterna.program import find_program  # noqa: E402

TEMPERATURE = 0.8
WIDTH = 14.0  # of the box across the slab's normal; more than 12 sigma, where its effect ends
LENGTH = 64.0
THICKNESS = 26.0
EQUILIBRATION_STEPS = 50000
LIQUID_HALF_WIDTH = 7.0  # slices this near the middle are liquid
VAPOR_FROM = 21.0  # and those farther are vapor

CRITICAL_TEMPERATURE = 1.0779
CRITICAL_DENSITY = 0.3190

INPUT = """\
units = "reduced"

[run]
name = "slab"
steps = {steps}
timestep = 0.004
seed = {seed}

[start]
kind = "file"
file = "start.xyz"
box = [{width}, {width}, {length}]
temperature = {temperature}

[[type]]
name = "A"

[interaction]
cutoff = 2.5
truncation = "shifted"

[thermostat]
kind = "stochastic_velocity_rescaling"
temperature = {temperature}
time_constant = 0.5
"""
OBSERVERS = """
[profile]
interval = 20
bins = 256

[pressure_tensor]
interval = 5
surface_normal = "z"
"""


def published() -> dict[str, tuple[float, float]]:
    """Value and relative uncertainty of the correlations."""
    below = CRITICAL_TEMPERATURE - TEMPERATURE
    root, power = below ** (1 / 3), below**1.5
    return {
        "liquid density": (
            CRITICAL_DENSITY + 0.5649 * root + 0.1314 * below + 0.0413 * power,
            0.002,
        ),
        "vapor density": (
            CRITICAL_DENSITY - 0.5649 * root + 0.2128 * below + 0.0702 * power,
            0.03,
        ),
        "surface tension": (2.08 * (1 - TEMPERATURE / CRITICAL_TEMPERATURE) ** 1.21, 0.02),
    }


def start(path: Path) -> int:
    """A crystal of the liquid's density in the middle, a dilute lattice of vapor beside it."""
    expected = published()

    def lattice(density: float, low: float, high: float) -> numpy.ndarray:
        across = max(1, round(WIDTH * density ** (1 / 3)))
        along = max(1, round((high - low) * density * WIDTH**2 / across**2))
        x, y, z = numpy.meshgrid(
            (numpy.arange(across) + 0.5) * WIDTH / across,
            (numpy.arange(across) + 0.5) * WIDTH / across,
            low + (numpy.arange(along) + 0.5) * (high - low) / along,
            indexing="ij",
        )
        return numpy.stack([x.ravel(), y.ravel(), z.ravel()], axis=1)

    middle = LENGTH / 2
    places = numpy.concatenate(
        [
            lattice(expected["liquid density"][0], middle - THICKNESS / 2, middle + THICKNESS / 2),
            lattice(expected["vapor density"][0], 1.0, middle - THICKNESS / 2 - 1.0),
            lattice(expected["vapor density"][0], middle + THICKNESS / 2 + 1.0, LENGTH - 1.0),
        ]
    )
    with path.open("w") as file:
        file.write(f"{len(places)}\nslab\n")
        for place in places:
            file.write("A {:.6f} {:.6f} {:.6f}\n".format(*place))
    return len(places)


def simulate(replica: int, steps: int, folder: Path) -> dict[str, float]:
    """The three quantities of one replica."""
    folder.mkdir(parents=True, exist_ok=True)
    particles = start(folder / "start.xyz")
    for end, observers, options in [
        (EQUILIBRATION_STEPS, "", []),
        (EQUILIBRATION_STEPS + steps, OBSERVERS, ["--resume"]),
    ]:
        text = INPUT.format(
            steps=end,
            seed=replica + 1,
            width=WIDTH,
            length=LENGTH,
            temperature=TEMPERATURE,
        )
        (folder / "slab.toml").write_text(text + observers)
        done = subprocess.run(
            [find_program(), "slab.toml", *options],
            cwd=folder,
            env=program_environment() | {"OMP_NUM_THREADS": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise SystemExit(f"replica {replica}: {done.stdout}{done.stderr}")
    z, density, temperature = numpy.loadtxt(folder / "slab.profile.txt", unpack=True)
    distance = abs(z - LENGTH / 2)
    log = read_log(folder / "slab.log.jsonl")
    tension = {
        words[0]: float(words[1])
        for words in map(str.split, (folder / "slab.pressure_tensor.txt").open())
        if words[0] == "surface_tension"
    }
    return {
        "particles": particles,
        "temperature": log["temperature"][log["step"] > EQUILIBRATION_STEPS].mean(),
        "liquid density": density[distance < LIQUID_HALF_WIDTH].mean(),
        "vapor density": density[distance > VAPOR_FROM].mean(),
        "surface tension": tension["surface_tension"],
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=400000, help="averaged, in each replica")
    parser.add_argument("--replicas", type=int, default=4)
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    result_file = ROOT / "benchmarks" / "results" / "lj_slab.json"
    parser.add_argument(
        "--output", type=Path, default=result_file, help="the default also goes to docs/"
    )
    parser.add_argument("--folder", type=Path, help="keep the runs here")
    arguments = parser.parse_args()

    with tempfile.TemporaryDirectory() as temporary:
        folder = (arguments.folder or Path(temporary)).resolve()
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            runs = list(
                pool.map(
                    lambda replica: simulate(
                        replica, arguments.steps, folder / f"replica{replica}"
                    ),
                    range(arguments.replicas),
                )
            )
    results = []
    for name, (value, relative) in published().items():
        values = numpy.array([run[name] for run in runs])
        error = values.std(ddof=1) / math.sqrt(len(values))
        results.append(
            {
                "quantity": name,
                "mean": values.mean(),
                "standard_error": error,
                "published": value,
                "published_uncertainty": relative * value,
                "agrees": bool(
                    abs(values.mean() - value) <= 2 * math.hypot(error, relative * value)
                ),
            }
        )
    header = ["quantity", "Sterna", "Vrabec 2006", "difference", "agrees"]
    rows = [
        [
            result["quantity"],
            f"{result['mean']:.4f} ± {result['standard_error']:.4f}",
            f"{result['published']:.4f} ± {result['published_uncertainty']:.4f}",
            f"{100 * (result['mean'] / result['published'] - 1):+.1f} %",
            "yes" if result["agrees"] else "no",
        ]
        for result in results
    ]
    table = markdown_table(header, rows)
    print(table)
    content = {
        "command": shlex.join(
            ["python", "validation/lj_slab/run.py", "--steps", str(arguments.steps)]
            + ["--replicas", str(arguments.replicas)]
        ),
        "sterna": version(),
        "temperature": TEMPERATURE,
        "particles": runs[0]["particles"],
        "box": [WIDTH, WIDTH, LENGTH],
        "equilibration_steps": EQUILIBRATION_STEPS,
        "averaged_steps": arguments.steps,
        "measured_temperature": numpy.mean([run["temperature"] for run in runs]),
        "results": results,
    }
    arguments.output.write_text(json.dumps(content, indent=1, default=lambda x: x.item()) + "\n")
    if arguments.output == result_file:
        replace_block("validation.md", "lj_slab", table)
    return 0 if all(result["agrees"] for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
