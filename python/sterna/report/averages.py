"""Means of logged series: running ones, and those over the settled part with their errors."""

from dataclasses import dataclass

import numpy

from sterna.report.runs import Run
from sterna.validation.block_average import block_means, mean_and_error

#: Few enough that blocks of a usual run are longer than what is correlated.
BLOCKS = 16


def running_average(run: Run, column: str) -> numpy.ndarray:
    """Of the settled values up to each one; those that are not finite do not count."""
    values = run.values(column)
    finite = numpy.isfinite(values) & (run.values("step") >= first_settled_step(run))
    count = numpy.cumsum(finite)
    total = numpy.cumsum(numpy.where(finite, values, 0.0))
    return numpy.where(count > 0, total / numpy.maximum(count, 1), numpy.nan)


def first_settled_step(run: Run) -> int:
    """Where the averages of the run begin; without an end event, after a fifth of its rows."""
    over = run.timing.get("averages_over")
    if over:
        return int(over["first_step"])
    rows = run.log.rows
    return int(rows[len(rows) // 5].get("step", 0)) if rows else 0


def settled(run: Run, column: str) -> numpy.ndarray:
    """The finite values of a column from the first settled step on."""
    values = run.values(column)[run.values("step") >= first_settled_step(run)]
    return values[numpy.isfinite(values)]


@dataclass
class Line:
    """The straight line through the settled rows of a column."""

    change: float  #: along it, from the first settled row to the last
    scatter: float  #: standard deviation of the rows from it

    @property
    def drifts(self) -> bool:
        """Whether the change is more than the rows scatter; about half is chance."""
        return abs(self.change) > 2.0 * self.scatter


def line_through(run: Run, column: str) -> Line | None:
    """None where too few rows are there, or where they are constant."""
    chosen = (run.values("step") >= first_settled_step(run)) & numpy.isfinite(run.values(column))
    steps, values = run.values("step")[chosen], run.values(column)[chosen]
    if len(values) < 10 or steps[0] == steps[-1]:
        return None
    away = steps - steps.mean()
    slope, level = numpy.polyfit(away, values, 1)
    scatter = float((values - level - slope * away).std())
    if scatter <= 1e-12 * abs(level):
        return None
    return Line(float(slope * (steps[-1] - steps[0])), scatter)


def average(run: Run, column: str) -> tuple[float | None, float | None]:
    """Mean and standard error of a column: the run's own, or else by blocks of its rows.

    None where too few values are there.
    """
    own = (run.timing.get("averages") or {}).get(column)
    if own:
        return own["mean"], own.get("standard_error")
    values = settled(run, column)
    if len(values) == 0:
        return None, None
    if len(values) < 2 * BLOCKS:
        return float(values.mean()), None
    _, error = mean_and_error(block_means([values], BLOCKS))
    return float(values.mean()), error
