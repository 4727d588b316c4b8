"""The report of bubble points of mixtures."""

from typing import TYPE_CHECKING

import numpy

from sterna.fluids.report_page import heading_of, page
from sterna.report.html import element, table
from sterna.report.plot import Series, line_plot

if TYPE_CHECKING:
    from sterna.fluids.bubble_points import BubblePoints


def report_text(found: "BubblePoints") -> str:
    """An HTML page with a table and plots."""
    unit = "" if found.is_reduced else " (K)"
    head = [f"temperature{unit}", *(f"liquid share {name}" for name in found.names), "state"]
    for name, of_name in found.units.items():
        head.append(heading_of(name, of_name))
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
    notes = (element("p", note) for note in found.notes)
    return page(
        f"Vapor-liquid equilibrium of {found.title}",
        {
            "Bubble points": (element("p", told), table(head, cells, "The table"), *notes),
            "Plots": (element("div", *plots, class_="plots"),),
        },
    )


def _plot(found: "BubblePoints", name: str) -> object:
    # Of two components the first share says all, and lines connect the reference.
    is_binary = len(found.names) == 2
    lines = []
    temperatures = list(dict.fromkeys(found.temperature))
    for number, t in enumerate(temperatures):
        at = numpy.flatnonzero(found.temperature == t)
        at = at[numpy.argsort(found.shares[at, 0], kind="stable")]
        label = f"{t:g}" if found.is_reduced else f"{t:g} K"
        here = at[numpy.isfinite(found[name][at])]
        errors = numpy.nan_to_num(found.error(name)[here])
        x = found.shares[:, 0]
        lines.append(Series(label, x[here], found[name][here], "points", number, errors))
        if found.beside:
            there = at[numpy.isfinite(found.beside[name][at])]
            style, color = (
                ("dashed", number) if is_binary else ("points", number + len(temperatures))
            )
            known = found.beside[name][there]
            lines.append(Series(f"{found.label}, {label}", x[there], known, style, color, None))
    heading = f"{name.replace('_', ' ').capitalize()} with standard errors"
    of_x = f"share of {found.names[0]} in the liquid"
    return line_plot(heading, of_x, heading_of(name, found.units[name]), lines)
