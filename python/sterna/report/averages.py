"""Means of logged series: running ones, and those over the settled part with their errors."""

import numpy

from sterna.report.runs import Run
from sterna.validation.block_average import block_means, mean_and_error

#: Few enough that blocks of a usual run are longer than what is correlated.
BLOCKS = 16


def running_average(run: Run, column: str) -> numpy.ndarray:
    """Of the settled values up to each one; those that are not finite do not count."""
    values = run.log[column]
    finite = numpy.isfinite(values) & (run.log["step"] >= first_settled_step(run))
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
    values = run.log[column][run.log["step"] >= first_settled_step(run)]
    return values[numpy.isfinite(values)]


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
