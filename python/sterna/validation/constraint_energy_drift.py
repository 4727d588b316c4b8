"""Conservation of energy of flexible molecules in rigid water, with constraints and long steps.

Ethanol (OPLS-AA) in SPC/E water at 300 K, bonds of hydrogen and water constrained, 2 fs, mixed
precision, the fast multipole method at its default accuracy: minimized, brought to 300 K by
Langevin dynamics, then at constant energy. The drift is the slope of a line through the total
energy, in kT per nanosecond and degree of freedom.
"""

from pathlib import Path
from typing import Annotated

import numpy
import typer

from sterna.results.log import read_log
from sterna.support.constants import KJ_MOL_PER_K
from sterna.validation import ethanol
from sterna.validation.block_average import mean_and_error
from sterna.validation.comparison import Comparison
from sterna.validation.simulation import for_each_replica, simulate
from sterna.validation.study import (
    Equilibration,
    Folder,
    Jobs,
    JsonFile,
    SeveralReplicas,
    Study,
    finish,
)

EDGE = 7  # sites of the lattice of the start; three in a row are one ethanol or three waters
SPACING = 0.3105  # nm: water of 0.997 g/cm^3
SOLUTES = 4
TEMPERATURE = 300.0
TIMESTEP = 0.002  # ps
MINIMIZATION_STEPS = 200
EQUILIBRATION_STEPS = 5000
ROW_INTERVAL = 20
LARGEST_DRIFT = 0.005  # kT/ns per degree of freedom

# Relative to their center, nm, in the order of the molecule's atoms.
WATER = numpy.array([[0.0, 0.0, 0.0], [0.081649, 0.057736, 0.0], [-0.081649, 0.057736, 0.0]])
WATER_TYPES = ("OW", "HW", "HW")

INPUT = (
    """\
units = "nano"

[run]
name = "drift"
steps = {steps}
timestep = {timestep}
integrator = "{integrator}"
precision = "mixed"
seed = {seed}

[start]
kind = "file"
file = "start.extxyz"
temperature = {temperature}

{thermostat}
[output]
thermo_interval = {interval}

[interaction]
cutoff = 0.9
truncation = "switched"
switch_start = 0.8
mixing = "geometric"

[electrostatics]
kind = "fmm"

"""
    + ethanol.TYPE_SECTIONS
    + """
[[type]]
name = "OW"
mass = 15.9994
sigma = 0.3166
epsilon = 0.650

[[type]]
name = "HW"
mass = 1.008
sigma = 0.1
epsilon = 0

[[molecule]]
name = "ethanol"
count = {solutes}
constrained_bonds = "hydrogen"
"""
    + ethanol.MOLECULE
    + """
[[molecule]]
name = "water"
count = {waters}
atom = [
  {{ type = "OW", charge = -0.8476 }},
  {{ type = "HW", charge = 0.4238 }},
  {{ type = "HW", charge = 0.4238 }},
]
constraint = [
  {{ distance = 0.1, atoms = [[1, 2], [1, 3]] }},
  {{ distance = 0.16329931618554522, atoms = [2, 3] }},
]
exclusion = [{{ atoms = [[1, 2], [1, 3], [2, 3]] }}]
"""
)

LANGEVIN = """\
[thermostat]
kind = "langevin"
temperature = 300
time_constant = 0.2
"""


def molecules() -> tuple[int, int]:
    """Ethanol and water."""
    return SOLUTES, EDGE**3 - 3 * SOLUTES


def degrees_of_freedom() -> int:
    """Three of each atom less constraints (six of an ethanol, three of a water) and momentum."""
    solutes, waters = molecules()
    return solutes * (27 - 6) + waters * 6 - 3


def start_text(seed: int) -> str:
    """Extended XYZ: molecules on a lattice, water in any orientation."""
    random = numpy.random.default_rng(seed)
    rows = [(x, y) for x in range(EDGE) for y in range(EDGE)]
    # Far from each other in the plane across their rows.
    chosen = [rows[number * len(rows) // SOLUTES] for number in range(SOLUTES)]
    lines = []
    for x, y in chosen:
        center = SPACING * numpy.array([1.5, x + 0.5, y + 0.5])
        for kind, place in zip(ethanol.TYPES, ethanol.SHAPE + center, strict=True):
            lines.append(f"{kind} {place[0]:.6f} {place[1]:.6f} {place[2]:.6f}")
    for x in range(EDGE):
        for row in rows:
            if x < 3 and row in chosen:
                continue
            turn = numpy.linalg.qr(random.normal(size=(3, 3)))[0]
            center = SPACING * (numpy.array([x, *row]) + 0.5)
            for kind, place in zip(WATER_TYPES, WATER @ turn.T + center, strict=True):
                lines.append(f"{kind} {place[0]:.6f} {place[1]:.6f} {place[2]:.6f}")
    edge = EDGE * SPACING
    lattice = f"{edge} 0 0 0 {edge} 0 0 0 {edge}"
    header = f'{len(lines)}\nLattice="{lattice}" Properties=species:S:1:pos:R:3\n'
    return header + "\n".join(lines) + "\n"


def drift(time: numpy.ndarray, total: numpy.ndarray) -> dict[str, float]:
    """Slope in kT/ns and scatter about the line in kT, both per degree of freedom; kJ/mol, ps."""
    unit = KJ_MOL_PER_K * TEMPERATURE * degrees_of_freedom()
    slope, intercept = numpy.polyfit(time, total, 1)
    scatter = (total - slope * time - intercept).std()
    return {"drift": float(1000.0 * slope / unit), "scatter": float(scatter / unit)}


def measure(seed: int, steps: int, equilibration: int, folder: Path) -> dict[str, float]:
    """Measures one replica."""
    solutes, waters = molecules()
    begin = MINIMIZATION_STEPS + equilibration

    def text(integrator: str, last_step: int, thermostat: str = "") -> str:
        return INPUT.format(
            integrator=integrator,
            steps=last_step,
            timestep=TIMESTEP,
            seed=seed,
            temperature=TEMPERATURE,
            thermostat=thermostat,
            interval=ROW_INTERVAL,
            solutes=solutes,
            waters=waters,
        )

    inputs = [
        text("minimize", MINIMIZATION_STEPS).replace(
            "[output]", "[minimize]\nforce_tolerance = 1e-9\n\n[output]"
        ),
        text("velocity_verlet", begin, LANGEVIN),
        text("velocity_verlet", begin + steps),
    ]
    simulate(folder, "drift", inputs, {"start.extxyz": start_text(seed)})
    log = read_log(folder / "drift.log.jsonl")
    part = log["step"] > begin
    return drift(TIMESTEP * log["step"][part], log["total_energy"][part]) | {
        "temperature": float(log["temperature"][part].mean())
    }


def validate(
    steps: Annotated[int, typer.Option("--steps", min=100, help="Steps of 2 fs.")] = 100000,
    equilibration: Equilibration = EQUILIBRATION_STEPS,
    replicas: SeveralReplicas = 2,
    jobs: Jobs = None,
    folder: Folder = None,
    json_file: JsonFile = None,
) -> None:
    """Drift of the energy of ethanol in water with constraints, 2 fs and mixed precision."""
    runs = for_each_replica(
        replicas, jobs, folder, lambda number, own: measure(number + 1, steps, equilibration, own)
    )
    mean, error = mean_and_error([abs(run["drift"]) for run in runs])
    finish(
        Study(
            "constraint_energy_drift",
            {"steps": steps, "equilibration": equilibration, "replicas": replicas},
            [
                Comparison(
                    "drift of the total energy per degree of freedom",
                    mean,
                    error,
                    LARGEST_DRIFT,
                    0.0,
                    "bound set for this engine",
                    unit="kT/ns",
                    at_most=True,
                )
            ],
            {
                "temperature": TEMPERATURE,
                "timestep_ps": TIMESTEP,
                "atoms": 9 * SOLUTES + 3 * molecules()[1],
                "degrees_of_freedom": degrees_of_freedom(),
                "runs": runs,
            },
        ),
        json_file,
    )
