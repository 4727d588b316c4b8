"""The units of LAMMPS's files, by the manual's page on `units`."""

from dataclasses import dataclass

from sterna.frames.trajectory import Trajectory

_KJ_PER_KCAL = 4.184
_KJ_MOL_PER_EV = 96.48533212331  # CODATA 2018


@dataclass(frozen=True)
class LammpsUnits:
    """Factors from nm, ps, u and kJ/mol."""

    name: str
    length: float
    velocity: float
    force: float


REDUCED = LammpsUnits("lj", 1.0, 1.0, 1.0)
REAL = LammpsUnits("real", 10.0, 0.01, 0.1 / _KJ_PER_KCAL)
METAL = LammpsUnits("metal", 10.0, 10.0, 0.1 / _KJ_MOL_PER_EV)


def lammps_units(trajectory: Trajectory) -> LammpsUnits:
    """Returns the units of the run's input if LAMMPS has them; otherwise `real`."""
    if trajectory.is_reduced:
        return REDUCED
    return METAL if trajectory.units == "metal" else REAL
