"""What observers measured, each as the plot its field expects.

A file of functions of its first column is plotted, one of averages is a table. Kinds that want more
than that, such as the straight line of a mean square displacement, have a row in `_PLOTS`.
"""

from collections.abc import Callable, Sequence

import numpy

from sterna.report.html import Markup, element, section, table
from sterna.report.plot import Series, line_plot
from sterna.report.thermodynamics import rows_of
from sterna.results.run import Run
from sterna.results.tables import Table
from sterna.support.damage import reading
from sterna.support.measured import measured_text

#: Lines of one plot; a mixture has more pairs than a plot can hold.
MOST_LINES = 8


#: The titles of observers whose files are not named by words.
_NAMES = {"rdf": "radial distribution functions", "rmsd": "root mean square deviation"}

#: The axis for the values of all columns, if the columns are named for their subjects.
_AXES = {"rdf": "g(r)", "diffusion": "mean square displacement", "structure_factor": "S(q)"}


def _words(table_: Table) -> str:
    return _NAMES.get(table_.kind, table_.kind.replace("_", " "))


def _curves(names: Sequence[str], table_: Table) -> list[Series]:
    values = table_.values()
    x = values[:, 0]
    return [Series(name, x, values[:, table_.columns.index(name)]) for name in names]


def _in_plots(table_: Table, caption: str, y_label: str, names: Sequence[str]) -> list[Markup]:
    """Returns as many plots as the lines need, the first with the table of all values."""
    values = table_.values()
    below = rows_of(table_.columns, list(values.T), caption)
    plots = []
    for first in range(0, len(names), MOST_LINES):
        lines = _curves(names[first : first + MOST_LINES], table_)
        plots.append(line_plot(caption, table_.columns[0], y_label, lines, below))
        below = ""
    return plots


def _distribution(run: Run, table_: Table) -> list[Markup]:
    caption = "Radial distribution function"
    first = table_.values()
    peak = first[first[:, 1].argmax()]
    caption += f"; {table_.columns[1]} is greatest, {peak[1]:.4g}, at r = {peak[0]:.4g}"
    return _in_plots(table_, caption, _AXES["rdf"], table_.columns[1:])


def _profile(run: Run, table_: Table) -> list[Markup]:
    plots = []
    for group in ("density", "temperature"):
        names = [name for name in table_.columns[1:] if name.startswith(group)]
        if not names:
            continue
        unit = names[0].partition("/")[2]
        axis = f"{group}/{unit}" if unit else group
        caption = f"{group.capitalize()} along {table_.columns[0].partition('/')[0]}"
        plots += _in_plots(table_, caption, axis, names)
    return plots


def _displacement(run: Run, table_: Table) -> list[Markup]:
    """Mean square displacements with straight lines between a tenth and half of the longest time."""
    values = table_.values()
    time = values[:, 0]
    chosen = (time >= 0.1 * time[-1]) & (time <= 0.5 * time[-1])
    lines: list[Series] = []
    slopes = []
    for k, name in enumerate(table_.columns[1:]):
        y = values[:, k + 1]
        lines.append(Series(name, time, y, color=k % 8))
        if chosen.sum() < 2:
            continue
        slope, level = numpy.polyfit(time[chosen], y[chosen], 1)
        lines.append(
            Series(f"{name}, straight line", time[chosen], slope * time[chosen] + level, "dashed",
                   color=k % 8)
        )  # fmt: skip
        slopes.append(f"slope/6 of {name.partition('/')[0]}: {slope / 6:.5g}")
    caption = "Mean square displacement" + (f"; {', '.join(slopes)}" if slopes else "")
    caption += _average_said(run, "diffusion_")
    below = rows_of(table_.columns, list(values.T), caption)
    return [line_plot(caption, table_.columns[0], _AXES["diffusion"], lines, below)]


def _average_said(run: Run, beginning: str) -> str:
    """Returns the end event's text on its averages of such a name."""
    said = []
    for name, value in (run.timing.get("averages") or {}).items():
        if name.startswith(beginning):
            shown = measured_text(value["mean"], value.get("standard_error"))
            said.append(f"{name} = {shown} {value.get('unit', '')}".strip())
    return f"; the run found {', '.join(said)}" if said else ""


def _viscosity(run: Run, table_: Table) -> list[Markup]:
    values = table_.values()
    plots = []
    for k, name in enumerate(table_.columns[1:], 1):
        words = (
            "Running integral"
            if name.startswith("viscosity")
            else "Autocorrelation of the shear stress"
        )
        caption = f"{words}" + (_average_said(run, "viscosity") if k == 2 else "")
        below = rows_of(table_.columns, list(values.T), caption) if k == 1 else ""
        plots.append(line_plot(caption, table_.columns[0], name, _curves([name], table_), below))
    return plots


def _series(run: Run, table_: Table) -> list[Markup]:
    """A quantity of each group against time, with the averages that the run printed."""
    names = table_.columns[1:]
    unit = names[0].partition("/")[2]
    caption = f"{_words(table_).capitalize()} in time" + _average_said(run, table_.kind)
    return _in_plots(table_, caption, f"{_words(table_)}/{unit}" if unit else _words(table_), names)


def _density(run: Run, table_: Table) -> list[Markup]:
    """Probability densities with the place of the highest peak."""
    values = table_.values()
    peak = values[values[:, 1].argmax()]
    name, _, unit = table_.columns[0].partition("/")
    caption = f"{_words(table_).capitalize()}; {table_.columns[1]} is most often at {peak[0]:.4g}"
    density = f"probability density of the {name}" + (f", 1/{unit}" if unit else "")
    return _in_plots(table_, f"{caption} {unit}".strip(), density, table_.columns[1:])


def _structure(run: Run, table_: Table) -> list[Markup]:
    values = table_.values()
    peak = values[values[:, 1].argmax()]
    caption = (
        f"Structure factor; {table_.columns[1]} is greatest, {peak[1]:.4g}, at q = {peak[0]:.4g}"
    )
    return _in_plots(table_, caption, _AXES["structure_factor"], table_.columns[1:])


def _any_curve(run: Run, table_: Table) -> list[Markup]:
    caption = table_.remarks[0] if table_.remarks else _words(table_)
    return _in_plots(table_, caption[:1].upper() + caption[1:], _words(table_), table_.columns[1:])


_PLOTS: dict[str, Callable[[Run, Table], list[Markup]]] = {
    "rdf": _distribution,
    "profile": _profile,
    "diffusion": _displacement,
    "viscosity": _viscosity,
    "structure_factor": _structure,
    "radius_of_gyration": _series,
    "end_to_end_distance": _series,
    "molecular_dipole": _series,
    "rmsd": _series,
    "hydrogen_bonds": _series,
    "bond_distribution": _density,
    "angle_distribution": _density,
    "torsion_distribution": _density,
}


def _averages(table_: Table) -> Markup:
    """A file of named averages."""
    rows = []
    for row in table_.rows:
        error = float(row[2]) if len(row) > 2 else None
        rows.append((row[0], measured_text(float(row[1]), error)))
    caption = f"Averages of {_words(table_)}"
    return table((table_.columns[0], "mean (error)"), rows, caption)


def results(run: Run, identity: str) -> Markup:
    """A part for each file that an observer wrote."""
    pieces = []
    for table_ in run.tables:
        heading = element("h4", _words(table_).capitalize())
        remark = element("p", f"{'; '.join(table_.remarks)} ({table_.path.name})", class_="note")
        if not table_.rows:
            body: object = element("p", "No samples.")
        elif table_.is_curve:
            with reading(table_.path, "this file of an observer is damaged"):
                drawn = _PLOTS.get(table_.kind, _any_curve)(run, table_)
            body = element("div", *drawn, class_="plots")
        else:
            body = _averages(table_)
        pieces.append(element("div", heading, remark, body, class_="observer"))
    if not pieces:
        why = "Observers write their files when a run ends." if run.end is None else (
            "The input asks for no observers.")  # fmt: skip
        pieces = [element("p", why)]
    return section(identity, "Observers", *pieces)


def compared(runs: Sequence[Run]) -> list[Markup]:
    """Functions that all runs measured, with the same columns, in one plot each."""
    plots = []
    for first in runs[0].tables:
        same = [
            next(
                (t for t in run.tables if (t.kind, t.columns) == (first.kind, first.columns)), None
            )
            for run in runs
        ]
        if not first.is_curve or not all(t is not None and t.is_curve for t in same):
            continue
        for name in first.columns[1 : 1 + MOST_LINES]:
            lines = []
            for k, (run, t) in enumerate(zip(runs, same, strict=True), 1):
                curve = _curves([name], t)[0]
                lines.append(Series(f"{k}: {run.name}", curve.x, curve.y))
            plots.append(
                line_plot(
                    f"{_words(first).capitalize()}: {name}",
                    first.columns[0],
                    _AXES.get(first.kind, name),
                    lines,
                )
            )
    return plots
