"""Pressure and energy of the Lennard-Jones fluid against simulations and equations of state.

Canonical simulations in reduced units, some independent ones (replicas) of each state point. Beyond
the cutoff the potential has the homogeneous correction. Standard errors are from block averages
over all replicas, at the temperature that was asked for: what the deviation of the kinetic
temperature from it explains is taken off. The pressure has the ideal part of all N particles,
NkT/V, as that of Monte Carlo simulations has, although the center of mass rests.

What is compared:

- Monte Carlo simulations of NIST (https://mmlapps.nist.gov/srs/LJ_PURE/mc.htm), 500 particles,
  cutoff 3: the same system, so nothing is between the two but statistics. Allowed are the
  uncertainties that NIST gives at T = 0.85, density 0.776.
- The equation of state of Thol et al., J. Phys. Chem. Ref. Data 45, 023101 (2016), 2048 particles,
  cutoff 5. It is a fit with errors of its own. Allowed is how far published equations are apart: the
  standard deviation of it and those of Kolafa and Nezbeda, Fluid Phase Equilib. 100, 1 (1994), and
  of Johnson, Zollweg and Gubbins, Mol. Phys. 78, 591 (1993); all were evaluated with teqp 0.23.2.
"""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from statistics import stdev
from typing import Annotated

import numpy
import typer

from sterna.results.log import read_log
from sterna.validation.block_average import block_means, controlled_mean_and_error
from sterna.validation.comparison import Comparison
from sterna.validation.simulation import folder_of_runs, for_each, simulate
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

MELTING_TEMPERATURE = 3.0
MELTING_STEPS = 2000
EQUILIBRATION_STEPS = 10000
TIMESTEP = 0.002  # short enough that its systematic error is below the statistical one
ROW_INTERVAL = 10
# number of blocks of each replica: 8 time units by default, longer than any correlation
BLOCKS = 10


class Beside(StrEnum):
    """Whose state points."""

    all = "all"
    nist = "nist"
    thol = "thol"


@dataclass(frozen=True)
class StatePoint:
    """Published pressure and residual energy per particle, each with what is allowed for it."""

    temperature: float
    density: float
    particles: int
    cutoff: float
    source: Beside
    pressure: tuple[float, float]
    energy: tuple[float, float]

    @property
    def name(self) -> str:
        """For messages and folders."""
        return f"T{self.temperature:g}_density{self.density:g}_cutoff{self.cutoff:g}"


def _nist(temperature: float, density: float, pressure: float, energy: float) -> StatePoint:
    return StatePoint(
        temperature, density, 500, 3.0, Beside.nist, (pressure, 1.72e-3), (energy, 4.55e-4)
    )


def _thol(
    temperature: float,
    density: float,
    thol: tuple[float, float],
    kolafa_nezbeda: tuple[float, float],
    johnson: tuple[float, float],
) -> StatePoint:
    """Returns pressure and residual energy by each equation."""
    pressure, energy = (
        (values[0], stdev(values)) for values in zip(thol, kolafa_nezbeda, johnson, strict=True)
    )
    return StatePoint(temperature, density, 2048, 5.0, Beside.thol, pressure, energy)


SOURCES = {Beside.nist: "NIST Monte Carlo", Beside.thol: "Thol 2016"}
STATE_POINTS = [
    _nist(0.85, 0.776, 6.7714e-3, -5.5121),
    _nist(0.85, 0.82, 0.55355, -5.7947),
    _nist(0.85, 0.86, 1.2660, -6.0305),
    _nist(0.90, 0.776, 0.24056, -5.4689),
    _nist(0.90, 0.90, 2.5848, -6.1773),
    _thol(0.85, 0.776, (0.00430, -5.51410), (-0.00626, -5.51247), (0.01261, -5.51798)),
    _thol(0.85, 0.86, (1.26430, -6.03017), (1.26765, -6.03115), (1.26424, -6.04217)),
    _thol(1.5, 0.5, (0.41697, -3.32402), (0.41674, -3.32874), (0.42069, -3.32329)),
    _thol(2.0, 0.7, (3.03196, -4.30240), (3.02858, -4.30064), (3.05026, -4.30188)),
    _thol(3.0, 0.9, (13.9108, -4.1758), (13.9207, -4.1692), (13.9566, -4.1187)),
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


def averaged_rows(
    point: StatePoint, replica: int, equilibration: int, steps: int, folder: Path
) -> dict[str, numpy.ndarray]:
    """Returns one replica's columns of the log, after equilibration."""
    # A seed of its own: with one sequence of random numbers all points would err together.
    seed = 100 * (replica + 1) + STATE_POINTS.index(point)
    before = MELTING_STEPS + equilibration
    # The start is hot, so that it melts; a crystal of this density would last.
    stages = [
        (MELTING_STEPS, max(MELTING_TEMPERATURE, point.temperature)),
        (before + steps, point.temperature),
    ]
    inputs = [
        INPUT.format(
            steps=end,
            seed=seed,
            timestep=TIMESTEP,
            particles=point.particles,
            density=point.density,
            temperature=temperature,
            cutoff=point.cutoff,
            interval=ROW_INTERVAL,
        )
        for end, temperature in stages
    ]
    simulate(folder, "fluid", inputs)
    log = read_log(folder / "fluid.log.jsonl")
    kept = log["step"] > before
    return {name: log[name][kept] for name in ("temperature", "pressure", "potential_energy")}


def compare(point: StatePoint, replicas: list[dict[str, numpy.ndarray]]) -> list[Comparison]:
    """Pressure and residual energy per particle of a state point."""

    def means(column: str) -> numpy.ndarray:
        return block_means([rows[column] for rows in replicas], BLOCKS)

    temperature = means("temperature")
    where = f"T = {point.temperature:g}, density {point.density:g}, cutoff {point.cutoff:g}: "
    measured = {
        "pressure": (means("pressure"), point.pressure),
        "energy": (means("potential_energy") / point.particles, point.energy),
    }
    return [
        Comparison(
            where + name,
            *controlled_mean_and_error(values, temperature, point.temperature),
            *published,
            SOURCES[point.source],
        )
        for name, (values, published) in measured.items()
    ]


def validate(
    beside: Annotated[
        Beside, typer.Option("--with", help="The state points of one source, or all.")
    ] = Beside.all,
    steps: Steps = 40_000,
    equilibration: Equilibration = EQUILIBRATION_STEPS,
    replicas: Replicas = 4,
    jobs: Jobs = None,
    folder: Folder = None,
    json_file: JsonFile = None,
) -> None:
    """Pressure and energy of the Lennard-Jones fluid at ten state points."""
    with folder_of_runs(folder) as root:
        points = [p for p in STATE_POINTS if beside in (Beside.all, p.source)]
        runs = [(point, replica) for point in points for replica in range(replicas)]
        rows = for_each(
            runs,
            jobs,
            lambda run: averaged_rows(
                *run, equilibration, steps, root / f"{run[0].name}_replica{run[1]}"
            ),
            lambda run: f"{run[0].name}, replica {run[1]}",
        )
    comparisons = [
        comparison
        for number, point in enumerate(points)
        for comparison in compare(point, rows[number * replicas : (number + 1) * replicas])
    ]
    finish(
        Study(
            "lj_equation_of_state",
            {
                "with": beside.value,
                "steps": steps,
                "equilibration": equilibration,
                "replicas": replicas,
            },
            comparisons,
            {
                "timestep": TIMESTEP,
                "melting_steps": MELTING_STEPS,
                "blocks_of_each_replica": BLOCKS,
            },
        ),
        json_file,
    )
