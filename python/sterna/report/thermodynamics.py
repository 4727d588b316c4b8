"""The logged scalars over time, the energy by term, and the same of several runs."""

from collections.abc import Sequence

import numpy

from sterna.report.averages import average, running_average
from sterna.report.html import Markup, details, element, number, section, table
from sterna.report.plot import Series, line_plot
from sterna.results.run import Run
from sterna.support.measured import measured_text

#: Rows of a table of a plot's values; more than these are picked evenly.
MOST_ROWS = 100
#: The ones that every run has, in the order of interest; the rest follow as logged.
FIRST = ("temperature", "pressure", "total_energy", "conserved_energy", "potential_energy",
         "kinetic_energy")  # fmt: skip

#: Energies that are no term's.
_SUMS = ("pair_energy", "rotational_energy")


def label(name: str, unit: str) -> str:
    words = name.replace("_", " ")
    return f"{words}/{unit}" if unit else words


def terms(run: Run) -> list[str]:
    """The columns of energies: of force terms, of corrections beyond the cutoff, and of their
    parts.
    """
    return [c for c in run.columns if c.endswith("_energy") and c not in (*FIRST, *_SUMS)]


def part_of(column: str, columns: Sequence[str]) -> str | None:
    """The term that a column is a part of: `bonded_energy` for `bonded_harmonic_bond_energy`."""
    for other in columns:
        if other != column and column.startswith(other.removesuffix("energy")):
            return other
    return None


def scalars(run: Run) -> list[str]:
    """Columns to plot one by one: all but the terms', virials, and momenta, which stay zero."""
    first = [column for column in FIRST if column in run.columns]
    left_out = {*terms(run), *_SUMS[:1], *first}
    return first + [
        column
        for column in run.columns
        if column not in left_out
        and not column.endswith("virial")
        and not column.startswith("momentum_")
    ]


def rows_of(head: Sequence[str], columns: Sequence[numpy.ndarray], caption: str) -> Markup:
    """The values of a plot as a table that opens, of long series an even choice of rows."""
    count = len(columns[0])
    chosen = numpy.unique(numpy.linspace(0, count - 1, min(count, MOST_ROWS)).round().astype(int))
    said = "" if len(chosen) == count else f" ({len(chosen)} of {count} rows)"
    rows = [[_cell(column[k]) for column in columns] for k in chosen]
    return details(f"Values{said}", table(head, rows, caption))


def _cell(value: object) -> str:
    value = float(value)
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else number(value, 8)


def _scalar_plot(run: Run, column: str) -> Markup:
    time, values = run.values("time"), run.values(column)
    unit = run.unit_of(column)
    running = running_average(run, column)
    caption = f"{label(column, '').capitalize()}: {measured_text(*average(run, column))}"
    caption += f" {unit}" if unit else ""
    head = ("step", label("time", run.unit("time")), label(column, unit), "running average")
    return line_plot(
        caption,
        label("time", run.unit("time")),
        label(column, unit),
        [Series("logged", time, values, "thin"), Series("running average", time, running, color=1)],
        rows_of(head, (run.values("step"), time, values, running), caption),
    )


def series(run: Run, identity: str) -> Markup:
    if len(run.log) == 0:
        return section(identity, "Thermodynamics", element("p", "The log has no rows yet."))
    plots = [_scalar_plot(run, column) for column in scalars(run)]
    return section(identity, "Thermodynamics", element("div", *plots, class_="plots"))


def energies(run: Run, identity: str) -> Markup:
    """The energy of each force term, their means, and their share for each particle."""
    columns = terms(run)
    if not columns or len(run.log) == 0:
        return section(
            identity, "Energy by term", element("p", "The log has no energies of terms.")
        )
    unit = run.unit("energy")
    time = run.values("time")
    lines = []
    rows = []
    for column in columns:
        whole = part_of(column, columns)
        name = label(column.removesuffix("_energy"), "")
        if run.values(column).any():
            style = "dashed" if whole else "line"
            lines.append(Series(name, time, run.values(column), style))
        mean, error = average(run, column)
        each = None if mean is None else mean / max(run.particles, 1)
        name += f" (part of {label(whole.removesuffix('_energy'), '')})" if whole else ""
        rows.append((name, measured_text(mean, error), number(each), unit))
    caption = "Mean energy of each force term, with its standard error by blocks"
    means = table(("term", "mean (error)", "for each particle", "unit"), rows, caption)
    head = ("step", *(label(column, unit) for column in columns))
    values = rows_of(
        head,
        [run.values("step"), *(run.values(c) for c in columns)],
        "Values of the energy by term",
    )
    plot = line_plot(
        "Energy of each force term", label("time", run.unit("time")), label("energy", unit), lines,
        values,
    )  # fmt: skip
    return section(identity, "Energy by term", plot, means)


def compared(runs: Sequence[Run]) -> list[Markup]:
    """A plot for each scalar that all runs have; energies for each particle."""
    if any(len(run.log) == 0 for run in runs):
        runs = [run for run in runs if len(run.log)]
    shared = [c for c in FIRST if runs and all(c in run.columns for run in runs)]
    plots = []
    for column in shared:
        units = {run.unit_of(column) for run in runs}
        times = {run.unit("time") for run in runs}
        if len(units) > 1 or len(times) > 1:
            continue  # values in different units do not share an axis
        each = column.endswith("_energy")
        lines = [
            Series(
                f"{k}: {run.name}",
                run.values("time"),
                run.values(column) / (max(run.particles, 1) if each else 1),
            )
            for k, run in enumerate(runs, 1)
        ]
        named = label(f"{column}_for_each_particle" if each else column, "")
        plots.append(
            line_plot(
                named.capitalize(), label("time", times.pop()), label(named, units.pop()), lines
            )
        )
    return plots
