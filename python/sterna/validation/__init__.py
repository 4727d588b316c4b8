"""Studies that compare what Sterna computes with published values: `sterna validate`.

Each module is a case: a command that runs its simulations and prints what it found beside what is
published. `CASES` lists them.
"""

from collections.abc import Callable
from dataclasses import dataclass

from sterna.validation import (
    carbon_dioxide_slab,
    constraint_energy_drift,
    lj_equation_of_state,
    lj_slab,
    molecular_liquids,
    water_energy_drift,
)


@dataclass(frozen=True)
class Case:
    """A study: its command, what it compares with what, and its processor time by default."""

    name: str
    command: Callable[..., None]
    compares: str
    published: str
    minutes: int


CASES = (
    Case(
        "lj_equation_of_state",
        lj_equation_of_state.validate,
        "pressure and energy of the Lennard-Jones fluid at ten state points",
        "Monte Carlo simulations of NIST; equation of state of Thol et al. (2016)",
        50,
    ),
    Case(
        "lj_slab",
        lj_slab.validate,
        "liquid and vapor density and surface tension of the Lennard-Jones fluid cut at 2.5",
        "correlations of Vrabec et al. (2006)",
        25,
    ),
    Case(
        "carbon_dioxide_slab",
        carbon_dioxide_slab.validate,
        "liquid and vapor density of a molecular model of carbon dioxide",
        "equation of state of Span and Wagner (1996)",
        25,
    ),
    Case(
        "water_energy_drift",
        water_energy_drift.validate,
        "conservation of energy of SPC/E water with the fast multipole method",
        "LAMMPS with PPPM, beside it (tools/install_lammps)",
        20,
    ),
    Case(
        "constraint_energy_drift",
        constraint_energy_drift.validate,
        "conservation of energy of ethanol in water with constraints, 2 fs and mixed precision",
        "a bound of 0.005 kT per ns and degree of freedom",
        30,
    ),
    Case(
        "molecular_liquids",
        molecular_liquids.validate,
        "density and heat of vaporization of TIP3P, SPC/E, TIP4P/2005, butane and ethanol",
        "simulations of others: Craven 2025, Schappals 2017, Abascal 2005 and more",
        60,
    ),
)
