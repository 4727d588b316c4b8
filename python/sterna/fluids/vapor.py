"""The vapor that has a given chemical potential: by virial coefficients, or from a run near it.

Idea: along an isotherm d(mu/kT) = Z dln(p), and Z = 1 + (Z_0 - 1) p/p_0 about a state 0 whose Z_0 and
mu_0 are known. That is exact to the second virial coefficient, and at the state itself.
Source: Vrabec and Hasse, Mol. Phys. 100, 3375 (2002); with a run at constant volume and test
molecules in place of one whose number of molecules changes, Moeller and Fischer, Mol. Phys. 69, 463
(1990). Cost: none. Hazards: far from the state 0 of a dense vapor Z is not linear.
Others: grand canonical runs of the vapor.
"""

from dataclasses import dataclass

import numpy

#: Up to this size of B rho the second virial coefficient alone is the vapor: its pressure is then that
#: of Thol's equation of state for Lennard-Jones to 3 in 10,000.
VIRIAL_LIMIT = 0.05
_ITERATIONS = 60


@dataclass(frozen=True)
class VaporState:
    """A state of the vapor; numbers, or arrays of the same shape. Volumes are molar.

    `heat` is kT per molecule, `potential` ln(rho) + mu/kT, `energy` the potential energy.
    """

    heat: float
    density: numpy.ndarray
    potential: numpy.ndarray
    compressibility_factor: numpy.ndarray  #: p v/kT
    energy: numpy.ndarray


@dataclass(frozen=True)
class Liquid:
    """A liquid at a pressure, by which its potential changes. `compressibility`: isothermal."""

    pressure: numpy.ndarray
    potential: numpy.ndarray
    volume: numpy.ndarray
    compressibility: numpy.ndarray


def by_virial(heat: float, second: float, slope: float, density: float) -> VaporState:
    """The state of this density by B and T dB/dT."""
    x = second * density
    return VaporState(
        heat,
        numpy.array(density),
        numpy.array(numpy.log(density) + 2.0 * x),
        numpy.array(1.0 + x),
        numpy.array(-heat * slope * density),
    )


def density_of_potential(potential: float, second: float) -> float:
    """About the density of a vapor that has this ln(rho) + mu/kT, by Z = 1 + B p/kT.

    Good to 0.8 % at 0.64 and to 13 % at 0.87 of the critical temperature (Lennard-Jones).
    """
    fugacity = numpy.exp(potential)  # by kT
    y = min(-second * fugacity, 0.999 / numpy.e)
    if y <= 0.0:
        return float(fugacity)
    x = y
    for _ in range(_ITERATIONS):
        x = y * numpy.exp(x)
    return float(-x / second / (1.0 - min(x, 0.9)))


def meeting(liquid: Liquid, vapor: VaporState, unit: float) -> numpy.ndarray:
    """The pressure at which both have one potential; nan where there is none. `unit`: p v by energy."""
    start = vapor.compressibility_factor * vapor.density * vapor.heat / unit
    factor = vapor.compressibility_factor - 1.0
    per_heat = unit * liquid.volume / vapor.heat
    log = numpy.log(start)
    for _ in range(_ITERATIONS):
        p = numpy.exp(log)
        apart = p - liquid.pressure
        of_liquid = liquid.potential + per_heat * apart * (
            1.0 - 0.5 * liquid.compressibility * apart
        )
        of_vapor = vapor.potential + numpy.log(p / start) + factor * (p / start - 1.0)
        slope = 1.0 + factor * p / start - per_heat * p * (1.0 - liquid.compressibility * apart)
        slope = numpy.where(slope > 0.05, slope, numpy.nan)
        log = log + numpy.clip((of_liquid - of_vapor) / slope, -1.0, 1.0)
    return numpy.exp(log)
