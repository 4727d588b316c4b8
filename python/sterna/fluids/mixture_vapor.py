"""The vapor of a mixture that has the chemical potentials of a liquid.

Idea: ln(rho_i) + mu_i/kT is the same in both phases for each component. That of the vapor is known by
all second virial coefficients and, near a state that has run, by what they leave out there: it grows
as the square of the density, and in the pressure as its cube, like third virial coefficients.
Source: Vrabec and Hasse, Mol. Phys. 100, 3375 (2002); Moeller and Fischer, Mol. Phys. 69, 463 (1990).
Cost: none. Hazards: near the spinodal of the vapor no density has the potentials.
Others: grand canonical runs of the vapor.
"""

from dataclasses import dataclass, replace

import numpy

_ITERATIONS = 400
_NEAR = 1e-9  #: of logarithms of densities


@dataclass(frozen=True)
class MixtureLiquid:
    """A liquid at a pressure. Arrays have components last; volumes are molar.

    `potential`: ln(rho_i) + mu_i/kT. `volume`: partial molar. `compressibility`: isothermal.
    """

    pressure: float
    potential: numpy.ndarray
    volume: numpy.ndarray
    compressibility: float


@dataclass(frozen=True)
class MixtureVapor:
    """A vapor by second virial coefficients, and what a run at `density` has beyond them.

    `slope`: T dB/dT. `potential`: what the run has of mu_i/kT, `pressure` of p/kT, and `energy` of
    the potential energy for each molecule by kT; all 0 without a run. These, and `slope`, may be
    arrays of several draws.
    """

    heat: float  #: kT for each molecule
    second: numpy.ndarray
    slope: numpy.ndarray
    density: numpy.ndarray
    potential: numpy.ndarray
    pressure: numpy.ndarray
    energy: numpy.ndarray

    def of_run(
        self, excess: numpy.ndarray, pressure: numpy.ndarray, energy: numpy.ndarray
    ) -> "MixtureVapor":
        """The vapor whose run has these mu_i/kT beyond those of the ideal gas, this p/kT and this
        potential energy by kT.
        """
        with_second = self.density.sum() + self.density @ self.second @ self.density
        return replace(
            self,
            potential=excess - 2.0 * self.second @ self.density,
            pressure=pressure - with_second,
            energy=energy - self._energy_of_pairs(self.density),
        )

    def _energy_of_pairs(self, density: numpy.ndarray) -> numpy.ndarray:
        of_pairs = numpy.einsum("...i,...ij,...j->...", density, self.slope, density)
        return -of_pairs / density.sum(axis=-1)

    def _times(self, density: numpy.ndarray) -> numpy.ndarray:
        all_there = float(self.density.sum())
        return density.sum(axis=-1) / all_there if all_there > 0.0 else 0.0 * density.sum(axis=-1)

    def excess(self, density: numpy.ndarray) -> numpy.ndarray:
        """mu_i/kT beyond those of the ideal gas."""
        times = self._times(density)[..., None]
        return 2.0 * density @ self.second + self.potential * times**2

    def force(self, density: numpy.ndarray) -> numpy.ndarray:
        """p/kT."""
        of_pairs = (density @ self.second * density).sum(axis=-1)
        return density.sum(axis=-1) + of_pairs + self.pressure * self._times(density) ** 3

    def residual_enthalpy(self, density: numpy.ndarray) -> numpy.ndarray:
        """Of a molecule, beyond that of the ideal gas of the same temperature, by kT."""
        energy = self._energy_of_pairs(density) + self.energy * self._times(density) ** 2
        return energy + self.force(density) / density.sum(axis=-1) - 1.0


def meeting(
    liquid: MixtureLiquid, vapor: MixtureVapor, unit: float
) -> tuple[numpy.ndarray, numpy.ndarray]:
    """The densities of the components in the vapor that meets the liquid, and its pressure.

    They are nan where there are none. `unit`: p v by energy.
    """
    log = numpy.array(liquid.potential, float)
    with numpy.errstate(all="ignore"):
        for _ in range(_ITERATIONS):
            density = numpy.exp(log)
            pressure = vapor.force(density) * vapor.heat / unit
            apart = pressure - liquid.pressure
            work = apart * (1.0 - 0.5 * liquid.compressibility * apart)
            wanted = liquid.potential + unit / vapor.heat * liquid.volume * work[..., None]
            change = wanted - vapor.excess(density) - log
            log = log + numpy.clip(change, -1.0, 1.0)
            if not (abs(change) > 0.01 * _NEAR).any():
                break
        is_there = (abs(change) < _NEAR).all(axis=-1)
        density = numpy.where(is_there[..., None], numpy.exp(log), numpy.nan)
        return density, vapor.force(density) * vapor.heat / unit


def with_sum(
    volumes: numpy.ndarray, errors: numpy.ndarray, shares: numpy.ndarray, volume: float
) -> tuple[numpy.ndarray, numpy.ndarray]:
    """Partial molar volumes that add up to the molar one, and their covariance.

    Insertions know each of them badly, and the density knows their sum: least squares take both.
    """
    spread = errors**2
    of_sum = float((shares**2 * spread).sum())
    if not of_sum > 0.0:  # also where an error is not known, nan
        return volumes, numpy.diag(spread)
    gain = shares * spread / of_sum
    found = volumes + gain * (volume - shares @ volumes)
    return found, numpy.diag(spread) - numpy.outer(gain, shares * spread)
