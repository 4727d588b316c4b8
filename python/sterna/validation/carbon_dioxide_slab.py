"""Liquid and vapor densities of carbon dioxide, from a slab of a molecular model.

The model of Merker, Engin, Vrabec and Hasse (three Lennard-Jones sites and a quadrupole, J. Chem.
Phys. 132, 234512 (2010)) in the canonical ensemble, with the planar correction for what lies beyond
the cutoff. Standard errors are from the blocks of independent runs. The thermostat acts on each
molecule: one that scales all velocities would make the vapor pay for the heat of the melting
crystal, and it would stay cold for long.

Its authors fitted it to the vapor pressure and the liquid density of the real fluid, with which it
is compared: the equation of Span and Wagner, J. Phys. Chem. Ref. Data 25, 1509 (1996), evaluated
with CoolProp 8.0. Allowed is how far off the fit is: 0.4 % in the liquid density, and in the vapor
density 1.8 %, that of the vapor pressure.
"""

from pathlib import Path
from typing import Annotated

import numpy
import typer

from sterna.errors import SternaError
from sterna.frames.configuration import Configuration, fill_block, random_orientations
from sterna.results.log import read_log
from sterna.validation.block_average import mean_and_error
from sterna.validation.comparison import Comparison
from sterna.validation.simulation import for_each_replica, simulate
from sterna.validation.slab import profile_between, read_profile, read_surface_tension
from sterna.validation.study import (
    Equilibration,
    Folder,
    Jobs,
    JsonFile,
    Replicas,
    Steps,
    Study,
    finish,
)

#: Temperature (K): saturated liquid and vapor density (mol/l), surface tension (mN/m).
SPAN_WAGNER = {
    220: (26.4973, 0.35941, 15.69),
    230: (25.6462, 0.52878, 13.39),
    240: (24.7415, 0.75654, 11.17),
    250: (23.7668, 1.05986, 9.03),
    260: (22.6969, 1.46370, 6.99),
}
LIQUID_UNCERTAINTY = 0.004
VAPOR_UNCERTAINTY = 0.018
PER_CUBIC_NM = 0.602214076  # number density of 1 mol/l
CELLS_ACROSS, CELLS_ALONG = 5, 11  # cells of the liquid at the start
LENGTH = 20.0  # nm
CUTOFF = 1.2  # nm
LIQUID_HALF_WIDTH = 1.6  # nm: slices this near the middle are liquid
VAPOR_FROM = 6.0  # nm: and those farther are vapor
EQUILIBRATION_STEPS = 40_000
BLOCKS = 5  # number of blocks of each replica

INPUT = """\
units = "nano"

[run]
name = "slab"
steps = {steps}
timestep = 0.003
seed = {seed}

[start]
kind = "file"
file = "start.extxyz"
temperature = {temperature}

[[component]]
name = "CO2"
model = "carbon_dioxide_merker"

[interaction]
cutoff = {cutoff}
truncation = "truncated"
tail_correction = "planar"
tail_normal = "z"

[thermostat]
kind = "langevin"
temperature = {temperature}
time_constant = 2.0
"""
OBSERVERS = """
[profile]
interval = 20
bins = 200

[pressure_tensor]
interval = 5
surface_normal = "z"
"""


def start(temperature: int, seed: int) -> Configuration:
    """A crystal of the liquid's density in the middle, a dilute lattice of vapor beside it.

    In the crystal each of the four molecules of a cubic cell lies along another diagonal, as in dry
    ice, so that none overlap.
    """
    liquid, vapor, _ = SPAN_WAGNER[temperature]
    edge = (4.0 / (liquid * PER_CUBIC_NM)) ** (1.0 / 3.0)
    across, thickness = CELLS_ACROSS * edge, CELLS_ALONG * edge
    basis = numpy.array([[1, 1, 1], [3, 3, 1], [3, 1, 3], [1, 3, 3]]) / 4
    diagonal = numpy.array([[1, 1, 1], [-1, 1, 1], [1, -1, 1], [-1, -1, 1]]) / numpy.sqrt(3.0)
    counts = (CELLS_ACROSS, CELLS_ACROSS, CELLS_ALONG)
    cells = numpy.stack(numpy.meshgrid(*map(numpy.arange, counts), indexing="ij"), -1)
    places = ((cells.reshape(-1, 1, 3) + basis) * edge).reshape(-1, 3)
    places[:, 2] += 0.5 * (LENGTH - thickness)
    # The rotation that turns z into a direction d by the shortest way: w = 1 + d_z, and z x d.
    turns = numpy.column_stack(
        [1.0 + diagonal[:, 2], -diagonal[:, 1], diagonal[:, 0], numpy.zeros(4)]
    )
    turns /= numpy.linalg.norm(turns, axis=1, keepdims=True)
    height = 0.5 * (LENGTH - thickness) - 0.6
    count = round(vapor * PER_CUBIC_NM * across**2 * height)
    low = fill_block(count, numpy.zeros(3), numpy.array([across, across, height]))
    box = numpy.array([across, across, LENGTH])
    positions = numpy.vstack([places, low, box - low])
    orientations = numpy.vstack(
        [numpy.tile(turns, (len(places) // 4, 1)), random_orientations(2 * count, seed)]
    )
    return Configuration(box, ["CO2"] * len(positions), positions, orientations)


def measure(temperature: int, replica: int, equilibration: int, steps: int, folder: Path) -> dict:
    """The blocks of one replica: densities in mol/l, surface tension."""
    folder.mkdir(parents=True, exist_ok=True)
    start(temperature, replica + 1).write(folder / "start.extxyz")
    ends = [equilibration + steps * block // BLOCKS for block in range(BLOCKS + 1)]
    inputs = [
        INPUT.format(steps=end, seed=replica + 1, temperature=temperature, cutoff=CUTOFF)
        + (f"{OBSERVERS}[output]\nequilibration = {equilibration}\n" if end > equilibration else "")
        for end in ends
    ]
    files = {"start.extxyz": (folder / "start.extxyz").read_text(encoding="utf-8")}
    simulate(folder, "slab", inputs, files, keep=["profile.txt", "pressure_tensor.txt"])
    profiles = [read_profile(folder / f"slab.{n + 1}.profile.txt") for n in range(BLOCKS)]
    blocks = [profiles[0], *map(profile_between, profiles, profiles[1:])]
    distance = abs(profiles[0].position - 0.5 * LENGTH)
    log = read_log(folder / "slab.log.jsonl")
    return {
        "temperature": float(log["temperature"][log["step"] > equilibration].mean()),
        "liquid": [
            float(block.density[distance < LIQUID_HALF_WIDTH].mean() / PER_CUBIC_NM)
            for block in blocks
        ],
        "vapor": [
            float(block.density[distance > VAPOR_FROM].mean() / PER_CUBIC_NM) for block in blocks
        ],
        "surface_tension_mN_per_m": read_surface_tension(
            folder / f"slab.{BLOCKS}.pressure_tensor.txt"
        )[1],
    }


def validate(
    temperature: Annotated[
        int, typer.Option("--temperature", help="In K: 220, 230, 240, 250 or 260.")
    ] = 240,
    steps: Steps = 200_000,
    equilibration: Equilibration = EQUILIBRATION_STEPS,
    replicas: Replicas = 2,
    jobs: Jobs = None,
    folder: Folder = None,
    json_file: JsonFile = None,
) -> None:
    """Liquid and vapor density of carbon dioxide from a slab of a molecular model."""
    if temperature not in SPAN_WAGNER:
        there = ", ".join(map(str, SPAN_WAGNER))
        raise SternaError(f"--temperature {temperature}: the published densities are at {there}", 2)
    runs = for_each_replica(
        replicas,
        jobs,
        folder,
        lambda number, own: measure(temperature, number, equilibration, steps, own),
    )
    liquid, vapor, tension = SPAN_WAGNER[temperature]
    source = "Span and Wagner 1996"
    comparisons = [
        Comparison(
            f"{phase} density",
            *mean_and_error([value for run in runs for value in run[phase]]),
            value,
            relative * value,
            source,
            unit="mol/l",
        )
        for phase, value, relative in (
            ("liquid", liquid, LIQUID_UNCERTAINTY),
            ("vapor", vapor, VAPOR_UNCERTAINTY),
        )
    ]
    configuration = start(temperature, 1)
    finish(
        Study(
            "carbon_dioxide_slab",
            {
                "temperature": temperature,
                "steps": steps,
                "equilibration": equilibration,
                "replicas": replicas,
            },
            comparisons,
            {
                "molecules": len(configuration),
                "box_nm": configuration.box.tolist(),
                "cutoff_nm": CUTOFF,
                "blocks_of_each_replica": BLOCKS,
                "experimental_surface_tension_mN_per_m": tension,
                "runs": runs,
            },
        ),
        json_file,
    )
