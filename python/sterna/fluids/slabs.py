"""Vapor-liquid equilibria of a pure fluid by slabs of liquid between vapor.

Idea: a slab finds its own vapor; densities by a fit across it, pressure and tension from its stress.
Source: G. A. Chapela et al., J. Chem. Soc. Faraday Trans. 2 73, 1133 (1977). Cost: long runs, as
pressures across a slab fluctuate. Hazards: cold vapors have few molecules, warm slabs dissolve.
Others: chemical potentials of both phases, without an interface (`grand_equilibrium`).
"""

import math
import tomllib
from pathlib import Path

import numpy

from sterna.building.new import Fluid, configuration_of, find_fluid, slab_input, slab_places
from sterna.errors import SternaError
from sterna.fluids.pair_model import CM3_MOL_PER_NM3, KJ_PER_BAR_CM3, pair_model
from sterna.fluids.second_virial import second_virial
from sterna.support.constants import BAR_PER_ATM, KJ_MOL_PER_K
from sterna.support.files import replace_text
from sterna.support.toml_text import toml_text
from sterna.sweeps.sweep import Sweep

#: The quantities of a row, with their units of real and of reduced ones.
QUANTITIES = {
    "liquid_density": ("g/cm^3", ""),
    "vapor_density": ("g/cm^3", ""),
    "vapor_pressure": ("bar", ""),
    "surface_tension": ("mN/m", ""),
    "interface_width": ("nm", ""),
    "enthalpy_of_vaporization": ("kJ/mol", ""),
    "virial_pressure": ("bar", ""),
}
_OF_RUNS = tuple(QUANTITIES)[:5]
#: From the units that averages of slabs have.
_FACTORS = {"atm": BAR_PER_ATM, "angstrom": 0.1}
#: A slab of liquid is not there below this ratio of the densities.
_LEAST_RATIO = 1.5
_NEAR_CRITICAL = 0.97  #: of the critical temperature, from which on a slab is hardly one
_STUDY = "study.toml"


def values_of(
    fluid: Fluid, sweep: Sweep, temperature: numpy.ndarray, mass: float
) -> tuple[dict[str, numpy.ndarray], dict[str, numpy.ndarray], list[str]]:
    """Values and errors by quantity, and how each temperature went; nan where nothing is known.

    Enthalpies are not there yet: they need all temperatures.
    """
    rows = sweep.rows()
    states = [str(row["state"]) for row in rows]
    values, errors = ({n: numpy.full(len(rows), numpy.nan) for n in QUANTITIES} for _ in range(2))
    for name in _OF_RUNS:
        columns = [_column(row, name) for row in rows]
        values[name], errors[name] = (numpy.array(part) for part in zip(*columns, strict=True))
    liquid, vapor = values["liquid_density"], values["vapor_density"]
    with numpy.errstate(invalid="ignore", divide="ignore"):
        has_slab = (liquid > 0.0) & (vapor > 0.0) & (liquid > _LEAST_RATIO * vapor)
    for k, (state, there) in enumerate(zip(states, has_slab, strict=True)):
        if state == "complete" and not there:
            states[k] = "no slab of liquid"
    # p = rho kT (1 + B rho) of the vapor's density says whether density and pressure agree.
    model = pair_model(fluid.name if not fluid.reduced else "lennard_jones")
    second = second_virial(model, 0, 0, temperature, 1024)
    gas = 1.0 if fluid.reduced else KJ_MOL_PER_K / KJ_PER_BAR_CM3  # bar cm^3/(mol K)
    volume = 1.0 if fluid.reduced else CM3_MOL_PER_NM3
    density, error = vapor / mass, errors["vapor_density"] / mass  # mol/cm^3
    b = volume * second.value
    ideal = density * gas * temperature
    values["virial_pressure"] = ideal * (1.0 + b * density)
    slope = gas * temperature * abs(1.0 + 2.0 * b * density)
    errors["virial_pressure"] = numpy.hypot(slope * error, ideal * density * volume * second.error)
    return values, errors, states


def _column(row: dict[str, object], name: str) -> tuple[float, float]:
    """Mean and error of an average, in the units of `QUANTITIES`."""
    column = next((key for key in row if key.partition("/")[0] == name), None)
    if column is None or row[column] is None:
        return math.nan, math.nan
    factor = _FACTORS.get(column.partition("/")[2], 1.0)
    error = row.get(f"{name}_error")
    return factor * float(row[column]), math.nan if error is None else factor * float(error)


def prepare(
    model: str,
    temperatures: numpy.ndarray,
    directory: Path,
    molecules: int,
    steps: int,
    equilibration: int,
    replicas: int,
    seed: int,
) -> tuple[Fluid, Sweep, list[str]]:
    """Writes the study of all slabs: input, start files, study.toml; and what is doubtful of it.

    Raises SternaError where there is no liquid at a temperature.
    """
    fluid = find_fluid(model)
    densities = [fluid.saturated_densities(float(t)) for t in temperatures]
    unit = "" if fluid.reduced else " K"
    warnings = [
        f"{t:g}{unit} is above {_NEAR_CRITICAL:g} of the critical temperature of {fluid.name}, about "
        f"{fluid.critical_temperature:g}{unit}: the slab may dissolve"
        for t in temperatures
        if t > _NEAR_CRITICAL * fluid.critical_temperature
    ]
    try:
        directory.mkdir(parents=True, exist_ok=True)
        starts = []
        for t, (liquid, vapor) in zip(temperatures, densities, strict=True):
            if vapor <= 0.0:
                # Guggenheim's law has no vapor at half of the critical temperature: some molecules
                # leave the liquid by themselves.
                warnings.append(
                    f"{t:g}{unit} is so cold that the vapor has hardly any molecules: its density "
                    "and pressure will have large errors"
                )
            box, places = slab_places(fluid, molecules, liquid, vapor)
            name = f"start-{t:g}-{molecules}-{seed}.extxyz"
            if not (directory / name).is_file():
                configuration_of(fluid, box, places, seed).write(directory / name)
            # Runs are two folders deeper.
            starts.append(f"../../{name}")
        sections = _input(fluid, float(temperatures[0]), steps, equilibration, seed)
        replace_text(directory / "slab.toml", toml_text(sections))
        shown = [float(t) if fluid.reduced else f"{t:g} K" for t in temperatures]
        study = {
            "input": "slab.toml",
            "directory": "runs",
            "replicas": replicas,
            "together": [
                {"thermostat.temperature": shown, "start.temperature": shown, "start.file": starts}
            ],
        }
        replace_text(directory / _STUDY, toml_text(study))
    except OSError as error:
        raise SternaError(f"{directory}: cannot be written: {error.strerror}") from error
    return fluid, Sweep(directory / _STUDY), warnings


def _input(fluid: Fluid, temperature: float, steps: int, equilibration: int, seed: int) -> dict:
    """The staged input of `sterna new slab`, with a thermostat for both phases and their fit."""
    purpose = f"A slab of {fluid.name}, written by `sterna vle`."
    sections = tomllib.loads(slab_input(fluid, "start", temperature, purpose))
    sections["run"] |= {"steps": equilibration, "seed": seed}
    value = sections["thermostat"]["temperature"]
    # One that scales all velocities would let the vapor pay for what the liquid gains.
    time = 1.0 if fluid.reduced else "1 ps"
    sections["thermostat"] = {"kind": "langevin", "temperature": value, "time_constant": time}
    sections["output"]["checkpoint_interval"] = max(1000, min(20_000, steps // 10))
    sections["output"]["thermo_interval"] = max(1, min(1000, steps // 20))
    last = sections["stage"][-1]
    last["run"]["steps"] = steps
    last.pop("profile")
    last["liquid_vapor"] = {"interval": 20}
    return sections
