"""The report of bubble points of mixtures."""

from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING

import numpy

from sterna.report.html import element, join, section, table
from sterna.report.plot import Series, line_plot

if TYPE_CHECKING:
    from sterna.fluids.bubble_points import BubblePoints


def report_text(found: "BubblePoints") -> str:
    """An HTML page with a table and plots."""
    unit = "" if found.is_reduced else " (K)"
    head = [f"temperature{unit}", *(f"liquid share {name}" for name in found.names), "state"]
    for name, of_name in found.units.items():
        head.append(name.replace("_", " ") + (f" ({of_name})" if of_name else ""))
    cells = []
    for k, state in enumerate(found.states):
        row = [f"{found.temperature[k]:g}", *(f"{x:g}" for x in found.shares[k]), state]
        for name in found.units:
            known = found.beside.get(name)
            there = known is not None and numpy.isfinite(known[k])
            row.append(found.shown(name, k) + (f" ({known[k]:.5g})" if there else ""))
        cells.append(row)
    told = (
        f"Liquids of {', '.join(found.names)} and the vapor whose chemical potentials are theirs. The "
        "virial pressure is that of a vapor by second virial coefficients alone."
    )
    if found.label:
        told += f" In parentheses: {found.label}."
    names = ["vapor_pressure", f"vapor_share_{found.names[0]}"]
    plots = [_plot(found, name) for name in names if numpy.isfinite(found[name]).any()]
    parts = [
        section(
            "points",
            "Bubble points",
            element("p", told),
            table(head, cells, "The table"),
            *(element("p", note) for note in found.notes),
        ),
        section("plots", "Plots", element("div", *plots, class_="plots")),
    ]
    package = files("sterna.report")
    style, script, page = (
        package.joinpath(name).read_text(encoding="utf-8")
        for name in ("report.css", "report.js", "page.html")
    )
    title = f"Vapor-liquid equilibrium of {found.title}"
    links = (("points", "Bubble points"), ("plots", "Plots"))
    return Template(page).substitute(
        title=element("title", f"{title} - Sterna report"),
        heading=element("h1", title),
        style=style,
        script=script,
        content=join(parts),
        contents=element(
            "ul", *(element("li", element("a", name, href=f"#{place}")) for place, name in links)
        ),
    )


def _plot(found: "BubblePoints", name: str) -> object:
    unit = found.units[name]
    lines = []
    for number, t in enumerate(dict.fromkeys(found.temperature)):
        at = (found.temperature == t) & numpy.isfinite(found[name])
        errors = numpy.nan_to_num(found.error(name)[at])
        label = f"{t:g}" if found.is_reduced else f"{t:g} K"
        x = found.shares[at, 0]
        lines.append(Series(label, x, found[name][at], "points", number, errors))
        if found.beside:
            known = found.beside[name][at]
            lines.append(Series(f"{found.label}, {label}", x, known, "dashed", number, None))
    shown = name.replace("_", " ")
    heading = f"{shown.capitalize()} with standard errors"
    of_x = f"share of {found.names[0]} in the liquid"
    return line_plot(heading, of_x, shown + (f" ({unit})" if unit else ""), lines)
