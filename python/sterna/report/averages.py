"""Means of logged series: running means, and means over the settled part with their errors."""

from dataclasses import dataclass

import numpy

from sterna.results.run import Run


def running_average(run: Run, column: str) -> numpy.ndarray:
    """Returns the average of the settled values up to each one; values that are not finite do not
    count.
    """
    values = run.values(column)
    finite = numpy.isfinite(values) & (run.values("step") >= first_settled_step(run))
    count = numpy.cumsum(finite)
    total = numpy.cumsum(numpy.where(finite, values, 0.0))
    return numpy.where(count > 0, total / numpy.maximum(count, 1), numpy.nan)


def first_settled_step(run: Run) -> int:
    """Returns the step at which the run's averages begin; without an end event, those of its rows
    so far.
    """
    return run.averages.first_step


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
    """Returns None if there are too few rows, or if they are constant."""
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
    """Mean and standard error of a column: the run's own, or else of its rows.

    None where too few values are there.
    """
    found = run.averages.get(column) or run.averages_of_rows.get(column)
    return (found.mean, found.error) if found else (None, None)
