"""Liquid and vapor densities and the surface tension of the Lennard-Jones fluid, from a slab.

A slab of liquid between vapor is simulated in the canonical ensemble, in reduced units. The potential
is truncated and shifted at 2.5 sigma, because all three quantities are published for it without any
correction beyond the cutoff. Standard errors are those of independent runs.

The published correlations (Vrabec, Kedia, Fuchs and Hasse, Mol. Phys. 104, 1509 (2006)) are fits to
simulations. For their uncertainties, deviations of 0.2 % in the liquid density, 3 % in the vapor
density and 2 % in the surface tension are allowed.
"""

from pathlib import Path
from typing import Annotated

import numpy
import typer

from sterna.errors import SternaError
from sterna.results.log import read_log
from sterna.validation.block_average import mean_and_error
from sterna.validation.comparison import Comparison
from sterna.validation.simulation import for_each_replica, simulate
from sterna.validation.slab import read_profile, read_surface_tension
from sterna.validation.study import (
    Equilibration,
    Folder,
    Jobs,
    JsonFile,
    SeveralReplicas,
    Steps,
    Study,
    finish,
)

WIDTH = 14.0  # width of the box across the slab's normal; it has no effect above 12 sigma
LENGTH = 64.0
THICKNESS = 26.0
EQUILIBRATION_STEPS = 50000
LIQUID_HALF_WIDTH = 7.0  # slices this near the middle are liquid
VAPOR_FROM = 21.0  # and those farther are vapor

CRITICAL_TEMPERATURE = 1.0779
CRITICAL_DENSITY = 0.3190
SOURCE = "Vrabec 2006"

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


def published(temperature: float) -> dict[str, tuple[float, float]]:
    """Value and relative uncertainty of the correlations."""
    below = CRITICAL_TEMPERATURE - temperature
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
        "surface tension": (2.08 * (1 - temperature / CRITICAL_TEMPERATURE) ** 1.21, 0.02),
    }


def start(temperature: float) -> str:
    """XYZ: a crystal of the liquid's density in the middle, a dilute lattice of vapor beside it."""
    liquid, vapor = (
        published(temperature)[name][0] for name in ("liquid density", "vapor density")
    )

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
            lattice(liquid, middle - THICKNESS / 2, middle + THICKNESS / 2),
            lattice(vapor, 1.0, middle - THICKNESS / 2 - 1.0),
            lattice(vapor, middle + THICKNESS / 2 + 1.0, LENGTH - 1.0),
        ]
    )
    lines = [str(len(places)), "slab"]
    lines += ["A {:.6f} {:.6f} {:.6f}".format(*place) for place in places]
    return "\n".join(lines) + "\n"


def measure(temperature: float, replica: int, equilibration: int, steps: int, folder: Path) -> dict:
    """The three quantities of one replica, and its temperature."""
    inputs = [
        INPUT.format(
            steps=end, seed=replica + 1, width=WIDTH, length=LENGTH, temperature=temperature
        )
        + observers
        for end, observers in (
            (equilibration, ""),
            (equilibration + steps, f"{OBSERVERS}[output]\nequilibration = {equilibration}\n"),
        )
    ]
    simulate(folder, "slab", inputs, {"start.xyz": start(temperature)})
    profile = read_profile(folder / "slab.profile.txt")
    distance = abs(profile.position - LENGTH / 2)
    log = read_log(folder / "slab.log.jsonl")
    return {
        "temperature": log["temperature"][log["step"] > equilibration].mean(),
        "liquid density": profile.density[distance < LIQUID_HALF_WIDTH].mean(),
        "vapor density": profile.density[distance > VAPOR_FROM].mean(),
        "surface tension": read_surface_tension(folder / "slab.pressure_tensor.txt")[1],
    }


def validate(
    temperature: Annotated[float, typer.Option("--temperature", help="Reduced; 0.6 to 1.0.")] = 0.8,
    steps: Steps = 400_000,
    equilibration: Equilibration = EQUILIBRATION_STEPS,
    replicas: SeveralReplicas = 4,
    jobs: Jobs = None,
    folder: Folder = None,
    json_file: JsonFile = None,
) -> None:
    """Densities and surface tension of a Lennard-Jones slab, truncated and shifted at 2.5."""
    if not 0.6 <= temperature <= 1.0:
        raise SternaError(
            f"--temperature {temperature:g}: the published correlations hold between the triple "
            f"point and the critical temperature, {CRITICAL_TEMPERATURE}; from 0.6 to 1.0 the slab "
            "is a liquid whose phases are thick enough in this box",
            2,
        )
    runs = for_each_replica(
        replicas,
        jobs,
        folder,
        lambda number, own: measure(temperature, number, equilibration, steps, own),
    )
    comparisons = []
    for name, (value, relative) in published(temperature).items():
        mean, error = mean_and_error([run[name] for run in runs])
        comparisons.append(Comparison(name, mean, error, value, relative * value, SOURCE))
    finish(
        Study(
            "lj_slab",
            {
                "temperature": temperature,
                "steps": steps,
                "equilibration": equilibration,
                "replicas": replicas,
            },
            comparisons,
            {
                "particles": int(start(temperature).split(maxsplit=1)[0]),
                "box": [WIDTH, WIDTH, LENGTH],
                "measured_temperature": float(numpy.mean([run["temperature"] for run in runs])),
            },
        ),
        json_file,
    )
