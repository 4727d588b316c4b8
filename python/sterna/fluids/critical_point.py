"""Fits to coexistence: critical point, vapor pressures, enthalpies of vaporization.

Idea: rho_l - rho_v = A (T_c - T)^0.325 and (rho_l + rho_v)/2 = rho_c + B (T_c - T), straight lines
after a power; ln p = a + b/T (+ c ln T), whose slope gives the enthalpy of vaporization by Clapeyron,
dh = T (v_v - v_l) dp/dT. Errors by fits to values that are redrawn within theirs.
Source: J. S. Rowlinson and F. L. Swinton, Liquids and Liquid Mixtures (Butterworth, 1982), chapter 3;
the exponent that of simple fluids, 0.325. Cost: none. Hazards: the laws hold near the critical point;
below 0.75 of it the straight diameter bends. Others: finite-size scaling of grand canonical runs.
"""

from dataclasses import dataclass

import numpy

EXPONENT = 0.325
_LOWEST = 0.75  #: of the critical temperature, from which on points count where there are enough
_DRAWS = 1000
_ITERATIONS = 8  #: of the fit of pressures, each by at most a factor e


@dataclass(frozen=True)
class Measured:
    """A value with its standard error."""

    value: float
    error: float


@dataclass(frozen=True)
class CriticalPoint:
    """The critical temperature, density and pressure, in the units of what they were fitted to."""

    temperature: Measured
    density: Measured
    pressure: Measured
    used: int  #: number of temperatures that the fit of densities has taken
    covariance: numpy.ndarray  #: (3, 3) of the three


@dataclass(frozen=True)
class Coexistence:
    """Densities and pressure of both phases with errors; arrays over the temperatures."""

    temperature: numpy.ndarray
    liquid: numpy.ndarray
    liquid_error: numpy.ndarray
    vapor: numpy.ndarray
    vapor_error: numpy.ndarray
    pressure: numpy.ndarray
    pressure_error: numpy.ndarray

    def drawn(self, random: numpy.random.Generator) -> "Coexistence":
        """Values that are drawn within their errors."""

        def moved(values: numpy.ndarray, errors: numpy.ndarray) -> numpy.ndarray:
            return values + errors * random.standard_normal(len(values))

        return Coexistence(
            self.temperature,
            moved(self.liquid, self.liquid_error), self.liquid_error,
            moved(self.vapor, self.vapor_error), self.vapor_error,
            moved(self.pressure, self.pressure_error), self.pressure_error,
        )  # fmt: skip

    def part(self, chosen: numpy.ndarray) -> "Coexistence":
        """Only the temperatures of this mask."""
        return Coexistence(*(values[chosen] for values in vars(self).values()))


def _line(
    x: numpy.ndarray, y: numpy.ndarray, errors: numpy.ndarray, columns: numpy.ndarray | None = None
) -> numpy.ndarray:
    """Coefficients of the columns (default: 1 and x) by weighted least squares."""
    matrix = numpy.column_stack([numpy.ones_like(x), x]) if columns is None else columns
    weights = 1.0 / numpy.maximum(errors, 1e-300)
    return numpy.linalg.lstsq(matrix * weights[:, None], y * weights, rcond=None)[0]


def _densities(points: Coexistence) -> tuple[float, float] | None:
    """Critical temperature and density, or None where the points have none."""
    gap = points.liquid - points.vapor
    if (gap <= 0.0).any():
        return None
    power = 1.0 / EXPONENT
    of_gap = numpy.hypot(points.liquid_error, points.vapor_error)
    start, slope = _line(points.temperature, gap**power, power * gap ** (power - 1.0) * of_gap)
    if slope >= 0.0:
        return None
    critical = -start / slope
    middle = 0.5 * (points.liquid + points.vapor)
    density, _ = _line(critical - points.temperature, middle, 0.5 * of_gap)
    return float(critical), float(density)


def pressure_law(points: Coexistence) -> numpy.ndarray | None:
    """a, b and c of ln p = a + b/T + c ln T; c is 0 of fewer than five points.

    Weighted least squares in p itself: in ln p a pressure that is too high by chance would have more
    weight. None where fewer than two pressures are beyond twice their errors.
    """
    t, p = points.temperature, points.pressure
    errors = numpy.maximum(points.pressure_error, 1e-12 * abs(p))
    good = p > 2.0 * errors
    if good.sum() < 2:
        return None
    columns = numpy.column_stack(
        [numpy.ones_like(t), 1.0 / t, numpy.log(t)][: 3 if good.sum() > 4 else 2]
    )
    found = _line(t[good], numpy.log(p[good]), errors[good] / p[good], columns[good])
    with numpy.errstate(all="ignore"):
        for _ in range(_ITERATIONS):
            fitted = numpy.exp(columns @ found)
            if not numpy.isfinite(fitted).all():
                return None
            change = _line(t, p - fitted, errors, columns * fitted[:, None])
            found = found + change * min(1.0, 1.0 / max(1e-300, abs(columns @ change).max()))
    return numpy.concatenate([found, numpy.zeros(3 - len(found))])


def log_pressure(law: numpy.ndarray, temperature: numpy.ndarray | float) -> numpy.ndarray:
    """ln p of a law at these temperatures."""
    return law[0] + law[1] / temperature + law[2] * numpy.log(temperature)


def critical_point(points: Coexistence, seed: int = 1, draws: int = _DRAWS) -> CriticalPoint | None:
    """The critical point by the laws above, or None where the points have none.

    Temperatures below 0.75 of the critical one are left out where three others are there.
    """
    if len(points.temperature) < 2:
        return None
    first = _densities(points)
    if first is None:
        return None
    near = points.temperature >= _LOWEST * first[0]
    chosen = near if near.sum() >= 3 else numpy.ones_like(near)
    used = points.part(chosen)
    random = numpy.random.default_rng(seed)
    values = _all_three(used, points)
    if values is None:
        return None
    redrawn = []
    for _ in range(draws):
        drawn = points.drawn(random)
        found = _all_three(drawn.part(chosen), drawn)
        if found is not None:
            redrawn.append(found)
    if len(redrawn) < draws // 2:
        return None
    # Few points make wide tails, which a covariance by quantiles would not see, and one without
    # the farthest draws does.
    table = numpy.array(redrawn)
    middle = numpy.median(table, axis=0)
    spread = numpy.median(abs(table - middle), axis=0)
    inside = (abs(table - middle) <= 8.0 * numpy.maximum(spread, 1e-300)).all(axis=1)
    covariance = numpy.cov(table[inside].T)
    errors = numpy.sqrt(numpy.diag(covariance))
    measured = [Measured(v, float(e)) for v, e in zip(values, errors, strict=True)]
    return CriticalPoint(*measured, int(chosen.sum()), covariance)


def _all_three(near: Coexistence, points: Coexistence) -> tuple[float, float, float] | None:
    found, law = _densities(near), pressure_law(points)
    if found is None or law is None or not 0.0 < found[0] < 3.0 * points.temperature.max():
        return None
    return (*found, float(numpy.exp(log_pressure(law, found[0]))))


def clapeyron(points: Coexistence, seed: int = 1) -> tuple[numpy.ndarray, numpy.ndarray] | None:
    """T (1/rho_v - 1/rho_l) dp/dT at each temperature and its error, in units of p/rho.

    The slope is that of the law of all pressures, the pressure that of the law as well.
    """

    def values(of: Coexistence) -> numpy.ndarray | None:
        law = pressure_law(of)
        if law is None or (of.vapor <= 0.0).any() or (of.liquid <= 0.0).any():
            return None
        t = of.temperature
        slope = numpy.exp(log_pressure(law, t)) * (-law[1] / t**2 + law[2] / t)
        return t * (1.0 / of.vapor - 1.0 / of.liquid) * slope

    found = values(points)
    if found is None:
        return None
    random = numpy.random.default_rng(seed)
    draws = [d for d in (values(points.drawn(random)) for _ in range(_DRAWS)) if d is not None]
    if len(draws) < _DRAWS // 2:
        return None
    low, high = numpy.quantile(numpy.array(draws), [0.1587, 0.8413], axis=0)
    return found, 0.5 * (high - low)
