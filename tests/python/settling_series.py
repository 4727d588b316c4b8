"""Synthetic series that have settled, with a mean that is known, and ones that have not."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy

SETTLED = (
    "white noise",
    "correlated",
    "relaxing",
    "outlier at the start",
    "both",
    "outliers anywhere",
    "oscillating",
    "another level at first",
)
UNSETTLED = (
    "drifting",
    "relaxing slowly",
    "step",
    "random walk",
    "oscillating slowly",
    "drifting late",
)


@dataclass
class Series:
    """Values, and whether they are those of a system that has settled, to a mean of 0."""

    kind: str
    settled: bool
    values: numpy.ndarray


def correlated(count: int, time: float, random: numpy.random.Generator) -> numpy.ndarray:
    """Noise of variance 1 whose correlation falls to 1/e in `time` values."""
    share = numpy.exp(-1.0 / time) if time > 0.0 else 0.0
    noise = numpy.sqrt(1.0 - share**2) * random.normal(size=count)
    values = numpy.empty(count)
    values[0] = random.normal()
    for k in range(1, count):
        values[k] = share * values[k - 1] + noise[k]
    return values


def _settled(kind: str, random: numpy.random.Generator) -> numpy.ndarray:
    count = int(random.integers(100, 256))
    # Worth at least 25 independent values.
    time = random.uniform(0.0, count / 60.0)
    if kind == "white noise":
        time = 0.0
    if kind == "correlated":
        time = count / random.uniform(50.0, 70.0)
    values = correlated(count, time, random)
    place = numpy.arange(count)
    sign = random.choice([-1.0, 1.0])
    if kind == "relaxing":
        relaxation = random.uniform(1.0, count / 25.0)
        values += sign * random.uniform(2.0, 40.0) * numpy.exp(-place / relaxation)
    if kind == "outlier at the start":
        values[0] += sign * random.uniform(10.0, 200.0)
    if kind == "both":
        relaxation = random.uniform(2.0, count / 25.0)
        values += random.uniform(3.0, 10.0) * numpy.exp(-place / relaxation)
        values[0] -= random.uniform(50.0, 300.0)
    if kind == "outliers anywhere":
        values += 8.0 * random.normal(size=count) * (random.random(count) < 0.02)
    if kind == "oscillating":
        period = random.uniform(4.0, count / 20.0)
        wave = numpy.sin(2.0 * numpy.pi * (place / period + random.random()))
        values = random.uniform(0.3, 1.0) * values + random.uniform(1.0, 3.0) * wave
    if kind == "another level at first":
        values[: int(count * random.uniform(0.05, 0.3))] += sign * random.uniform(3.0, 8.0)
    return values


def _unsettled(kind: str, random: numpy.random.Generator) -> numpy.ndarray:
    count = int(random.integers(100, 256))
    time = random.uniform(0.0, count / 60.0)
    values = correlated(count, time, random)
    share = numpy.exp(-1.0 / time)
    # What the standard error of the mean would be without what follows.
    error = numpy.sqrt((1.0 + share) / (1.0 - share) / count)
    part = numpy.arange(count) / count
    sign = random.choice([-1.0, 1.0])
    if kind == "drifting":
        values += sign * error * random.uniform(20.0, 80.0) * part
    if kind == "relaxing slowly":
        change = numpy.exp(-part / random.uniform(0.5, 2.0)) / (1.0 - numpy.exp(-1.0))
        values += sign * error * random.uniform(20.0, 80.0) * change
    if kind == "step":
        behind = int(count * random.uniform(0.5, 0.8))
        values[behind:] += sign * error * random.uniform(15.0, 60.0)
    if kind == "random walk":
        values = correlated(count, count * random.uniform(2.0, 10.0), random) + 0.1 * values
    if kind == "oscillating slowly":
        wave = numpy.sin(2.0 * numpy.pi * (part * random.uniform(0.5, 1.5) + random.random()))
        values += random.uniform(1.0, 4.0) * wave
    if kind == "drifting late":
        values += sign * error * random.uniform(20.0, 60.0) * numpy.maximum(0.0, 2.0 * part - 1.0)
    return values


def synthetic_series(count: int, seed: int) -> Iterator[Series]:
    """Half of them settled; all kinds in turn."""
    for number in range(count // 2):
        random = numpy.random.default_rng([seed, number])
        kind = SETTLED[number % len(SETTLED)]
        yield Series(kind, True, _settled(kind, random))
        kind = UNSETTLED[number % len(UNSETTLED)]
        yield Series(kind, False, _unsettled(kind, random))
