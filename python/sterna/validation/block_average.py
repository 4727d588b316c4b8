"""Standard errors of correlated series, and their reduction by a variable of known mean.

Idea: means of blocks longer than the correlation time are independent; their scatter gives the
standard error of the mean. Where blocks also have a quantity whose true mean is known (the kinetic
temperature of a canonical run), what its deviation explains is taken off the mean and the error.
Paper: H. Flyvbjerg and H. G. Petersen, J. Chem. Phys. 91, 461 (1989); S. S. Lavenberg and
P. D. Welch, Manage. Sci. 27, 322 (1981).
Cost: one pass. Hazards: blocks shorter than the correlation time make the error too small, and of
few blocks it is itself known badly: to 1 / sqrt(2 (blocks - 1)). Another wins where the
correlation time is wanted: the integral of the autocorrelation function.
"""

import math
from collections.abc import Sequence

import numpy


def mean_and_error(values: Sequence[float]) -> tuple[float, float]:
    """The mean of independent values and its standard error; raises ValueError for fewer than 2."""
    values = numpy.asarray(values, float)
    if len(values) < 2:
        raise ValueError("a standard error needs at least two values")
    return float(values.mean()), float(values.std(ddof=1) / math.sqrt(len(values)))


def block_means(series: Sequence[numpy.ndarray], blocks: int) -> numpy.ndarray:
    """Means of `blocks` consecutive blocks of (nearly) equal length of each series."""
    return numpy.array(
        [block.mean() for values in series for block in numpy.array_split(values, blocks)]
    )


def controlled_mean_and_error(
    values: numpy.ndarray, control: numpy.ndarray, expected: float
) -> tuple[float, float]:
    """The mean of `values` where that of `control` is `expected`, and its standard error.

    Both are means of the same independent blocks; the slope of the regression is from them too,
    for which two degrees of freedom are taken off. Raises ValueError for fewer than 4 blocks.
    """
    if len(values) < 4:
        raise ValueError("a regression needs at least four blocks")
    deviation = control - control.mean()
    square = float(deviation @ deviation)
    slope = float(deviation @ values) / square if square > 0.0 else 0.0
    away = expected - float(control.mean())
    rest = values - values.mean() - slope * deviation
    variance = float(rest @ rest) / (len(values) - 2)
    spread = 1.0 / len(values) + (away**2 / square if square > 0.0 else 0.0)
    return float(values.mean()) + slope * away, math.sqrt(variance * spread)
