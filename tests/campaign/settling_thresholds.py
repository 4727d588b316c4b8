"""Thresholds of the test that tells whether the quantities of a run have settled, by simulation.

    python tests/campaign/settling_thresholds.py [--series 500000] [--cosines 24]

Series have settled, and are 60 correlation times long: the shortest that are worth 30 independent
values. The statistics of src/md/observe/settling.cpp exceed the printed numbers in 2 % of them
(stationarity) and in 3.3 % (the share of the lowest cosines in the variance), divided by the number of
quantities that are tested, from 1 to 4.
"""

import argparse

import numpy

MOST = 4  #: quantities of a run that tell whether it has settled
LEVEL_OF_TEST, LEVEL_OF_SHARE = 0.02, 0.033
WALK = 10.0
TOGETHER = 20000


def ranks_of_series(count: int, series: int, random: numpy.random.Generator) -> numpy.ndarray:
    """Ranks, with a mean of zero, of noise whose correlation falls to 1/e in a 60th of its length."""
    share = numpy.exp(-60.0 / count)
    values = random.normal(size=(count, series))
    values[1:] *= numpy.sqrt(1.0 - share**2)
    for k in range(1, count):
        values[k] += share * values[k - 1]
    return values.argsort(axis=0).argsort(axis=0) - 0.5 * (count - 1)


def statistics_of(count: int, cosines: int, series: int, random) -> tuple[list, list]:
    """Of each series what the test compares, and the share of the lowest 12 cosines."""
    orders = numpy.arange(1, cosines + 1)[:, None]
    waves = numpy.cos(numpy.pi * orders / count * (numpy.arange(count) + 0.5))
    weights = 1.0 / (1.0 + (WALK / (numpy.pi * orders)) ** 2)
    compared, shares = [], []
    for _ in range(0, series, TOGETHER):
        ranks = ranks_of_series(count, TOGETHER, random)
        squares = 2.0 / count * (waves @ ranks) ** 2
        compared.extend(squares.sum(axis=0) / (weights * squares).sum(axis=0))
        shares.extend(squares[:12].sum(axis=0) / (ranks**2).sum(axis=0))
    return compared, shares


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--series", type=int, default=500_000)
    parser.add_argument("--cosines", type=int, help="only so many (10 to 24)")
    asked = parser.parse_args()
    for cosines in [asked.cosines] if asked.cosines else range(10, 25):
        # As many values as make the engine take so many cosines; a long series has 24.
        count = 3 * cosines if cosines < 24 else 250
        random = numpy.random.default_rng(cosines)
        compared, shares = statistics_of(count, cosines, asked.series, random)
        of_test = [numpy.quantile(compared, 1.0 - LEVEL_OF_TEST / m) for m in range(1, MOST + 1)]
        text = f"{cosines} cosines: " + ", ".join(f"{x:.3f}" for x in of_test)
        if cosines == 24:
            of_share = [
                numpy.quantile(shares, 1.0 - LEVEL_OF_SHARE / m) for m in range(1, MOST + 1)
            ]
            text += "; shares: " + ", ".join(f"{x:.3f}" for x in of_share)
        print(text, flush=True)


if __name__ == "__main__":
    main()
