"""Chemical potentials along a path of temperatures, by insertions and enthalpies together.

Idea: d(mu/kT) = h d(1/kT) + v/kT dp. So enthalpies, which every run knows to a part in a thousand,
carry a chemical potential from one temperature to the next. Least squares over all temperatures take
both: insertions that find a place at the warm end serve the cold end, where they find none.
Source: Gibbs and Helmholtz; J. S. Rowlinson and F. L. Swinton, Liquids and Liquid Mixtures
(Butterworth, 1982), chapter 2. Cost: none. Hazards: few or far temperatures have integrals that are
not exact; their error is that of polynomials of two degrees. Others: gradual insertion.
"""

from dataclasses import dataclass

import numpy

_NODES = 12  #: of an integral between two temperatures
_POINTS = 4  #: that a polynomial goes through
_INEXACT = 0.5  #: of the difference of two polynomials: the standard error of an integral


@dataclass(frozen=True)
class Path:
    """States of a liquid by rising temperature; arrays. `gas`: the constant in units of h/T.

    `potential`: ln(rho) + mu/kT of insertions, an infinite error where they carried nothing.
    `enthalpy`: u + p v without kinetic energies, per molecule. `volume`: v in units of h/p.
    """

    temperature: numpy.ndarray
    pressure: numpy.ndarray
    potential: numpy.ndarray
    potential_error: numpy.ndarray
    enthalpy: numpy.ndarray
    enthalpy_error: numpy.ndarray
    volume: numpy.ndarray
    gas: float


@dataclass(frozen=True)
class Smoothed:
    """Potentials and enthalpies that belong together, with the covariance of all of both.

    `deviation`: the sum of squares of what the insertions are off, in their errors, and `freedom` how
    many of them are one too many: both are alike where errors are what they say.
    """

    potential: numpy.ndarray
    enthalpy: numpy.ndarray
    covariance: numpy.ndarray  #: (2 n, 2 n): potentials, then enthalpies
    deviation: float
    freedom: int


def integral_weights(temperature: numpy.ndarray, k: int, gas: float) -> numpy.ndarray:
    """(2, n) weights of h: its integral over 1/kT from temperature k to k + 1, and the same less well.

    The first one has a cubic through the four nearest temperatures, or what there is; the second one a
    degree less, of two temperatures a straight line in 1/T in place of one in T.
    """
    low, high = temperature[k], temperature[k + 1]
    x, w = numpy.polynomial.legendre.leggauss(_NODES)
    t = 0.5 * (low + high) + 0.5 * (high - low) * x
    w = -0.5 * (high - low) * w / (gas * t**2)
    order = numpy.argsort(abs(temperature - 0.5 * (low + high)), kind="stable")
    weights = numpy.zeros((2, len(temperature)))
    for row, count in enumerate((min(_POINTS, len(order)), min(_POINTS, len(order)) - 1)):
        chosen = order[:count]
        if count == 1:
            half = 0.5 * (1.0 / high - 1.0 / low) / gas
            weights[row, [k, k + 1]] = half
            break
        for j in chosen:
            others = temperature[chosen[chosen != j]]
            basis = numpy.prod((t[:, None] - others) / (temperature[j] - others), axis=1)
            weights[row, j] = basis @ w
    return weights


def smoothed(path: Path) -> Smoothed:
    """Potentials by least squares. At least one of the path's needs a finite error."""
    n = len(path.temperature)
    if n == 1:
        covariance = numpy.diag([path.potential_error[0] ** 2, path.enthalpy_error[0] ** 2])
        return Smoothed(path.potential.copy(), path.enthalpy.copy(), covariance, 0.0, 0)
    # Unknown: the first potential, all enthalpies, and what each integral is off.
    of_potential = numpy.zeros((n, 2 * n))
    of_potential[:, 0] = 1.0
    fixed = numpy.zeros(n)
    inexact = numpy.zeros(n - 1)
    volume = path.volume / (path.gas * path.temperature)
    for k in range(n - 1):
        best, other = integral_weights(path.temperature, k, path.gas)
        of_potential[k + 1 :, 1 : n + 1] += best
        of_potential[k + 1 :, n + 1 + k] = 1.0
        step = path.pressure[k + 1] - path.pressure[k]
        fixed[k + 1 :] += 0.5 * (volume[k] + volume[k + 1]) * step
        inexact[k] = _INEXACT * abs((best - other) @ path.enthalpy)
    of_enthalpy = numpy.zeros((n, 2 * n))
    of_enthalpy[:, 1 : n + 1] = numpy.eye(n)
    of_inexact = numpy.zeros((n - 1, 2 * n))
    of_inexact[:, n + 1 :] = numpy.eye(n - 1)
    used = numpy.isfinite(path.potential_error)
    matrix = numpy.vstack([of_potential[used], of_enthalpy, of_inexact])
    wanted = numpy.concatenate([(path.potential - fixed)[used], path.enthalpy, numpy.zeros(n - 1)])
    errors = numpy.concatenate([path.potential_error[used], path.enthalpy_error, inexact])
    errors = numpy.maximum(errors, 1e-12)
    scaled = matrix / errors[:, None]
    found = numpy.linalg.lstsq(scaled, wanted / errors, rcond=None)[0]
    both = numpy.vstack([of_potential, of_enthalpy])
    covariance = both @ numpy.linalg.inv(scaled.T @ scaled) @ both.T
    deviation = float((((matrix @ found - wanted) / errors) ** 2).sum())
    return Smoothed(
        fixed + of_potential @ found,
        of_enthalpy @ found,
        covariance,
        deviation,
        int(used.sum()) - 1,
    )
