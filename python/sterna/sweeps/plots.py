"""Plots and the report of a sweep: each average over the first key that varies, with its errors."""

from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

import numpy

from sterna.errors import SternaError
from sterna.support.measured import measured_text
from sterna.support.names import no_such

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from sterna.sweeps.sweep import Sweep

_OF_ERRORS = ("_error", "_error_of_blocks", "_error_of_replicas", "_settled")


@dataclass
class Curve:
    """State points that differ in the first key alone; `label` has the values of the others."""

    label: str
    x: list[float] = field(default_factory=list)
    y: list[float] = field(default_factory=list)
    error: list[float] = field(default_factory=list)
    is_reference: bool = False
    color: int = 0

    def add(self, x: float, y: float, error: float | None) -> None:
        self.x.append(x)
        self.y.append(y)
        self.error.append(error or 0.0)


def quantities(rows: list[dict[str, object]]) -> list[str]:
    """Columns of averages."""
    names = dict.fromkeys(name for row in rows for name in row)
    return [
        name
        for name in names
        if "." not in name.partition("/")[0]
        and name not in ("runs", "state")
        and not name.endswith(_OF_ERRORS)
    ]


def curves_of(
    sweep: "Sweep", rows: list[dict[str, object]], column: str
) -> tuple[str, list[Curve]]:
    """The column that is the x-axis, and what is drawn over it, of an average and its reference."""
    axes = [name for name in rows[0] if "." in name.partition("/")[0]]
    moving = [name for name in axes if len({row[name] for row in rows}) > 1] or axes
    # Keys that change together have the same information, so one of them is enough.
    first = moving[0]
    others = [name for name in moving[1:] if not _follows(rows, first, name)]
    curves: dict[tuple, Curve] = {}
    for row in rows:
        if row.get(column) is None:
            continue
        key = tuple(row[name] for name in others)
        curve = curves.setdefault(key, Curve(_label(others, key), color=len(curves)))
        x = row[first]
        name = column.partition("/")[0]
        place = float(x) if isinstance(x, (int, float)) else float(len(curve.x))
        curve.add(place, float(row[column]), row.get(f"{name}_error"))
    found = list(curves.values())
    if sweep.reference is None:
        return first, found
    references: dict[tuple, Curve] = {}
    for row in sweep.reference.rows(rows, sweep.fixed):
        if row.get(column) is None or first not in row:
            continue
        key = tuple(row.get(name) for name in others)
        label = ", ".join(filter(None, [_label(others, key), sweep.reference.label]))
        color = curves[key].color if key in curves else len(curves) + len(references)
        curve = references.setdefault(key, Curve(label, is_reference=True, color=color))
        curve.add(float(row[first]), float(row[column]), None)
    return first, found + list(references.values())


def _follows(rows: list[dict[str, object]], first: str, other: str) -> bool:
    return len({(row[first], row[other]) for row in rows}) == len({row[first] for row in rows})


def _label(names: list[str], values: tuple) -> str:
    parts = []
    for name, value in zip(names, values, strict=True):
        key, _, unit = name.partition("/")
        shown = f"{value:g}" if isinstance(value, (int, float)) else str(value)
        parts.append(f"{key.rpartition('.')[2]} {shown} {unit}".strip())
    return ", ".join(parts)


def axis_label(column: str) -> str:
    """`density (g/cm^3)`."""
    name, _, unit = column.partition("/")
    words = name.replace("_", " ").replace(".", " ")
    return f"{words} ({unit})" if unit else words


def _sorted(curve: Curve) -> tuple[numpy.ndarray, numpy.ndarray, numpy.ndarray]:
    order = numpy.argsort(curve.x, kind="stable")
    return tuple(numpy.array(values)[order] for values in (curve.x, curve.y, curve.error))


def figure(sweep: "Sweep", names: list[str] | None = None) -> "Figure":
    """Makes a matplotlib plot with error bars for each of these averages; None: for all.

    Raises SternaError where matplotlib is not installed, or an average is not there.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise SternaError("plots need matplotlib: pip install matplotlib") from error
    rows = sweep.rows()
    columns = _columns(sweep, rows, names)
    made = Figure(figsize=(6.4, 3.6 * len(columns)), layout="constrained")
    for number, column in enumerate(columns):
        axes = made.add_subplot(len(columns), 1, number + 1)
        first, curves = curves_of(sweep, rows, column)
        for curve in curves:
            x, y, error = _sorted(curve)
            color = f"C{curve.color % 10}"
            label = curve.label or None
            if curve.is_reference:
                axes.plot(x, y, "--", color=color, label=label)
            else:
                axes.errorbar(x, y, error, fmt="o-", capsize=3, color=color, label=label)
        axes.set_xlabel(axis_label(first))
        axes.set_ylabel(axis_label(column))
        if any(curve.label for curve in curves):
            axes.legend()
    return made


def _columns(sweep: "Sweep", rows: list[dict[str, object]], names: list[str] | None) -> list[str]:
    known = quantities(rows)
    if not known:
        raise SternaError(f"{sweep.path}: no run is complete: there is nothing to plot")
    if names is None:
        return known
    by_name = {column.partition("/")[0]: column for column in known}
    for name in names:
        if name not in by_name:
            raise SternaError(f"{sweep.path}: {no_such('average', name, sorted(by_name))}", 2)
    return [by_name[name] for name in names]


def write_report(sweep: "Sweep", output: Path | None = None) -> Path:
    """Writes an HTML file with the table and a plot of each average; returns its path.

    Default: report.html in the folder of the sweep. Raises SternaError where it cannot be written.
    """
    from sterna.report.html import element, join, section, table
    from sterna.report.page import refuse_other_files
    from sterna.report.plot import Series, line_plot

    path = output or sweep.directory / "report.html"
    refuse_other_files(path)
    rows = sweep.rows()
    axes = [name for name in rows[0] if "." in name.partition("/")[0]]
    columns = quantities(rows)
    head = [*axes, "runs", "state", *columns]
    cells = [
        [
            *(_text(row[name]) for name in axes),
            row["runs"],
            row["state"],
            *(_measured(row, column) for column in columns),
        ]
        for row in rows
    ]
    plots = []
    for column in columns:
        first, curves = curves_of(sweep, rows, column)
        lines = []
        for curve in curves:
            x, y, error = _sorted(curve)
            style = "dashed" if curve.is_reference else "points"
            whiskers = None if curve.is_reference else error
            lines.append(Series(curve.label or column, x, y, style, curve.color % 8, whiskers))
        name = column.partition("/")[0].replace("_", " ")
        plots.append(line_plot(f"{name.capitalize()} with standard errors", first, column, lines))
    package = files("sterna.report")
    style, script, page = (
        package.joinpath(name).read_text(encoding="utf-8")
        for name in ("report.css", "report.js", "page.html")
    )
    title = f"Sweep {sweep.path.stem}"
    told = f"{len(sweep.points)} state points of {sweep.input.name}, {sweep.replicas} run(s) each"
    parts = [
        section("points", "State points", element("p", told), table(head, cells, "The table")),
        section("plots", "Plots", element("div", *plots, class_="plots")),
    ]
    links = [("points", "State points"), ("plots", "Plots")]
    text = Template(page).substitute(
        title=element("title", f"{title} - Sterna report"),
        heading=element("h1", title),
        style=style,
        script=script,
        content=join(parts),
        contents=element(
            "ul", *(element("li", element("a", name, href=f"#{place}")) for place, name in links)
        ),
    )
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise SternaError(f"{path}: the report cannot be written: {error.strerror}") from error
    return path


def _text(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _measured(row: dict[str, object], column: str) -> str:
    value = row.get(column)
    if value is None:
        return "–"
    name = column.partition("/")[0]
    text = measured_text(float(value), row.get(f"{name}_error"))
    return text + (" (not settled)" if row.get(f"{name}_settled") is False else "")
