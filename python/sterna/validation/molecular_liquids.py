"""Density and heat of vaporization of molecular liquids at constant pressure.

Each liquid is minimized, melted by Langevin dynamics and brought to its pressure by stochastic cell
rescaling; then density and energy are averaged, in blocks of all runs. The gas is a single molecule
in Langevin dynamics; for rigid molecules no run is needed. The heat of vaporization is the
enthalpy of an ideal gas of these molecules less that of the liquid. If the published value contains
the energy that polarizes a molecule in the liquid, that energy is subtracted, too (H. J. C. Berendsen,
J. R. Grigera and T. P. Straatsma, J. Phys. Chem. 91, 6269 (1987)).
"""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import numpy
import typer

from sterna.frames.atoms import matrices
from sterna.frames.configuration import fill_block, random_orientations
from sterna.results.log import read_log
from sterna.support.constants import KJ_MOL_PER_K
from sterna.support.toml_text import toml_text
from sterna.validation.block_average import block_means, mean_and_error
from sterna.validation.comparison import Comparison
from sterna.validation.liquid_models import LIQUIDS, Liquid
from sterna.validation.simulation import folder_of_runs, for_each, simulate
from sterna.validation.study import (
    Equilibration,
    Folder,
    Jobs,
    JsonFile,
    Replicas,
    Study,
    finish,
)

MINIMIZATION_STEPS = 300
MELT_STEPS = 5000
ROW_INTERVAL = 20
GAS_ROW_INTERVAL = 200
BLOCKS = 10  # number of blocks of each run
LONGER = 10  # times, with --long
START_DENSITY = 0.85  # density of the start relative to the published one
GAS_BOX = 4.2  # nm: images of the molecule do not matter
DALTON = 1.66053906660e-3  # g/cm^3 of 1 u in 1 nm^3

LiquidName = StrEnum("LiquidName", {name: name for name in LIQUIDS})


def start_text(liquid: Liquid, count: int, edge: float, seed: int) -> str:
    """Extended XYZ: molecules on a lattice in a cube, turned at random."""
    centers = fill_block(count, numpy.zeros(3), numpy.full(3, edge))
    turns = matrices(random_orientations(count, seed))
    places = numpy.einsum("mij,aj->mai", turns, liquid.shape) + centers[:, None]
    lines = [f"{count * len(liquid.types)}"]
    lines.append(f'Lattice="{edge} 0 0 0 {edge} 0 0 0 {edge}" Properties=species:S:1:pos:R:3')
    for molecule in places:
        for kind, (x, y, z) in zip(liquid.types, molecule, strict=True):
            lines.append(f"{kind} {x:.6f} {y:.6f} {z:.6f}")
    return "\n".join(lines) + "\n"


def _langevin(liquid: Liquid, time_constant: float) -> dict[str, Any]:
    return {
        "thermostat": {
            "kind": "langevin",
            "temperature": liquid.temperature,
            "time_constant": time_constant,
        }
    }


def _input(
    liquid: Liquid,
    name: str,
    seed: int,
    steps: int,
    sections: dict[str, Any],
    model: str,
    count: int,
) -> str:
    """The text of an input; `sections` beside those that all have."""
    run = {"name": name, "steps": steps, "seed": seed, "precision": "mixed"}
    run |= sections.pop("run", {"timestep": liquid.timestep})
    output = {"thermo_interval": GAS_ROW_INTERVAL if name == "gas" else ROW_INTERVAL}
    head = {"units": "nano", "run": run, "output": output} | sections
    return toml_text(head) + "\n" + model.format(count=count)


def liquid_runs(liquid: Liquid, steps: int, equilibration: int, seed: int) -> list[str]:
    """Inputs that resume each other: minimization, melting, constant pressure."""
    volume = liquid.molecules * liquid.mass * DALTON / (START_DENSITY * liquid.density.value)
    start: dict[str, Any] = {"kind": "file", "file": "start.extxyz"}
    if liquid.shape is None:
        start = {
            "kind": "lattice",
            "particles": liquid.molecules,
            "density": liquid.molecules / volume,
        }
    start["temperature"] = liquid.temperature
    pressure = {
        "thermostat": {
            "kind": "stochastic_velocity_rescaling",
            "temperature": liquid.temperature,
            "time_constant": 0.5,
        },
        "barostat": {
            "kind": "stochastic_cell_rescaling",
            "pressure": liquid.pressure,
            "bulk_modulus": liquid.bulk_modulus,
            "time_constant": 1.0,
        },
    }
    minimize = {"run": {"integrator": "minimize"}, "minimize": {"force_tolerance": 1e-9}}
    melted = MINIMIZATION_STEPS + MELT_STEPS
    stages = (
        (MINIMIZATION_STEPS, minimize),
        (melted, _langevin(liquid, 0.1)),
        (melted + equilibration + steps, pressure),
    )
    return [
        _input(
            liquid, "liquid", seed, last, {"start": start} | stage, liquid.model, liquid.molecules
        )
        for last, stage in stages
    ]


def gas_runs(liquid: Liquid, steps: int, seed: int) -> list[str]:
    """Returns the lines of a run of one molecule, for whose charges Ewald sums are faster than
    cells.
    """
    lines = (line for line in liquid.model.splitlines() if not line.startswith("tail_correction"))
    model = "\n".join(lines).replace('kind = "fmm"', 'kind = "ewald"')
    start = {"kind": "file", "file": "start.extxyz", "temperature": liquid.temperature}
    sections = {"start": start} | _langevin(liquid, 0.5)
    return [_input(liquid, "gas", seed, steps, sections, model, 1)]


def measure_liquid(
    liquid: Liquid, steps: int, equilibration: int, seed: int, folder: Path
) -> dict[str, list[float]]:
    """Means of blocks of one run: density in g/cm^3, energy in kJ/mol per molecule, temperature."""
    volume = liquid.molecules * liquid.mass * DALTON / (START_DENSITY * liquid.density.value)
    files = {}
    if liquid.shape is not None:
        files["start.extxyz"] = start_text(liquid, liquid.molecules, volume ** (1.0 / 3.0), seed)
    simulate(folder, "liquid", liquid_runs(liquid, steps, equilibration, seed), files)
    log = read_log(folder / "liquid.log.jsonl")
    part = log["step"] > MINIMIZATION_STEPS + MELT_STEPS + equilibration
    density = liquid.molecules * liquid.mass * DALTON / log["volume"][part]
    energy = log["potential_energy"][part] / liquid.molecules
    return {
        "density": block_means([density], BLOCKS).tolist(),
        "potential_energy": block_means([energy], BLOCKS).tolist(),
        "temperature": block_means([log["temperature"][part]], BLOCKS).tolist(),
    }


def measure_gas(liquid: Liquid, steps: int, seed: int, folder: Path) -> list[float]:
    """Means of blocks of the energy of a molecule by itself, kJ/mol."""
    files = {"start.extxyz": start_text(liquid, 1, GAS_BOX, seed)}
    simulate(folder, "gas", gas_runs(liquid, steps, seed), files)
    log = read_log(folder / "gas.log.jsonl")
    part = log["step"] > steps // 20
    return block_means([log["potential_energy"][part]], BLOCKS).tolist()


def compare(
    liquid: Liquid, runs: list[dict[str, list[float]]], gas: list[list[float]]
) -> list[Comparison]:
    """Compares a liquid with the literature, from the blocks of all its runs and of those of the
    gas, if there were any.
    """

    def over_runs(name: str) -> tuple[float, float]:
        return mean_and_error([value for run in runs for value in run[name]])

    def row(quantity: str, mean: float, error: float, published: Any, unit: str) -> Comparison:
        return Comparison(
            f"{liquid.name}: {quantity}",
            mean,
            error,
            published.value,
            published.uncertainty,
            published.source,
            unit=unit,
        )

    density, density_error = over_runs("density")
    energy, energy_error = over_runs("potential_energy")
    rows = [row("density", density, density_error, liquid.density, "g/cm^3")]
    if liquid.potential_energy is not None:
        published = liquid.potential_energy
        rows.append(row("potential energy", energy, energy_error, published, "kJ/mol"))
    if liquid.gas_energy is None:
        of_gas, gas_error = mean_and_error([value for run in gas for value in run])
    else:
        of_gas, gas_error = liquid.gas_energy, 0.0
    heat = of_gas - energy + KJ_MOL_PER_K * liquid.temperature - liquid.polarization
    error = float(numpy.hypot(energy_error, gas_error))
    rows.append(row("heat of vaporization", heat, error, liquid.heat_of_vaporization, "kJ/mol"))
    return rows


def validate(
    liquid: Annotated[
        LiquidName | None, typer.Option("--liquid", help="Only this one; default: all.")
    ] = None,
    steps: Annotated[
        int, typer.Option("--steps", min=1000, help="Steps that are averaged, in each run.")
    ] = 50000,
    equilibration: Equilibration = 15000,
    replicas: Replicas = 2,
    long: Annotated[
        bool, typer.Option("--long", help="Ten times the steps: for errors a third as large.")
    ] = False,
    jobs: Jobs = None,
    folder: Folder = None,
    json_file: JsonFile = None,
) -> None:
    """Densities and heats of vaporization of water models, butane and ethanol."""
    chosen = list(LIQUIDS.values()) if liquid is None else [LIQUIDS[liquid.value]]
    taken = steps * LONGER if long else steps
    tasks = [
        (one, phase, number)
        for one in chosen
        for phase in (["liquid", "gas"] if one.gas_energy is None else ["liquid"])
        for number in range(replicas)
    ]

    def measure(task: tuple[Liquid, str, int]) -> Any:
        one, phase, number = task
        place = root / one.name / f"{phase}{number}"
        if phase == "gas":
            return measure_gas(one, taken * one.gas_steps, number + 1, place)
        return measure_liquid(
            one, taken * one.slowness, equilibration * one.slowness, number + 1, place
        )

    with folder_of_runs(folder) as root:
        found = for_each(
            tasks, jobs, measure, lambda task: f"{task[0].name}, {task[1]}, replica {task[2]}"
        )
    results: dict[str, dict[str, list]] = {}
    for (one, phase, _), values in zip(tasks, found, strict=True):
        results.setdefault(one.name, {"liquid": [], "gas": []})[phase].append(values)
    options = {"liquid": liquid.value} if liquid is not None else {}
    options |= {"steps": taken, "equilibration": equilibration, "replicas": replicas}
    finish(
        Study(
            "molecular_liquids",
            options,
            [
                row
                for one in chosen
                for row in compare(one, results[one.name]["liquid"], results[one.name]["gas"])
            ],
            {"runs": results},
        ),
        json_file,
    )
