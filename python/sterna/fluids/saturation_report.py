"""The text and the report of vapor-liquid equilibria."""

import math
from typing import TYPE_CHECKING

import numpy

from sterna.fluids.report_page import heading_of, page
from sterna.report.html import element, table
from sterna.report.plot import Series, line_plot
from sterna.support.measured import measured_text

if TYPE_CHECKING:
    from sterna.fluids.saturation import Saturation


_TOLD = {
    "slab": (
        "Slabs of {} in equilibrium with their vapor. Enthalpies of vaporization are those that "
        "Clapeyron's equation gives by the fit of all vapor pressures."
    ),
    "grand-equilibrium": (
        "Liquid and vapor of {} at the pressure where their chemical potentials meet. Enthalpies "
        "by Clapeyron's equation come from the fit of all vapor pressures: a check of the others."
    ),
}


def _head(found: "Saturation", name: str) -> str:
    return heading_of(name, found.units[name])


def _deviation(found: "Saturation", name: str, k: int) -> str:
    value = found.deviation(name)[k]
    return "" if math.isnan(value) else f"{100.0 * value:+.1f} %"


def text_of(found: "Saturation") -> str:
    """A table for a terminal: a block for each quantity, then the critical point."""
    unit = "" if found.is_reduced else " K"
    label = found.reference.label if found.reference is not None else ""
    lines = []
    for k, t in enumerate(found.temperature):
        if found.states[k] != "complete":
            lines.append(f"{t:g}{unit}: {found.states[k]}")
    for name in found.units:
        lines.append(_head(found, name))
        for k, t in enumerate(found.temperature):
            far = _deviation(found, name, k)
            beside = f"  {far} from {label}" if far else ""
            lines.append(f"  {t:g}{unit}".ljust(12) + found.shown(name, k).ljust(18) + beside)
    lines += _critical_lines(found) + found.notes
    return "\n".join(line.rstrip() for line in lines)


def _critical_lines(found: "Saturation") -> list[str]:
    point = found.critical
    if point is None:
        return [
            "no critical point: the fit needs vapor pressures beyond their errors, and densities, at two "
            "temperatures at least"
        ]
    unit = "" if found.is_reduced else " K"
    names = (
        ("critical temperature", point.temperature, unit),
        ("critical density", point.density, f" {found.units['liquid_density']}"),
        ("critical pressure", point.pressure, f" {found.units['vapor_pressure']}"),
    )
    known = found.reference.critical if found.reference is not None else None
    lines = []
    for number, (name, measured, of_name) in enumerate(names):
        text = f"{name:<22}{measured_text(measured.value, measured.error)}{of_name}".rstrip()
        lines.append(text + (f" ({found.reference.label}: {known[number]:.5g})" if known else ""))
    lines.append(f"(by the densities at {point.used} temperatures)")
    return lines


def report_text(found: "Saturation") -> str:
    """An HTML page with table, plots and critical point."""
    unit = "" if found.is_reduced else " (K)"
    label = found.reference.label if found.reference is not None else ""
    names = list(found.units)
    head = [f"temperature{unit}", "state", *(_head(found, name) for name in names)]
    cells = []
    for k, t in enumerate(found.temperature):
        row = [f"{t:g}", found.states[k]]
        for name in names:
            far = _deviation(found, name, k)
            row.append(found.shown(name, k) + (f" ({far})" if far else ""))
        cells.append(row)
    plots = [_plot(found, name) for name in names if numpy.isfinite(found[name]).any()]
    told = _TOLD[found.method].format(found.model)
    told += " The virial pressure is that of the vapor's density by the second virial coefficient."
    if label:
        told += f" In parentheses: how far a value is from {label}."
    critical = (element("p", line) for line in [*_critical_lines(found), *found.notes])
    return page(
        f"Vapor-liquid equilibrium of {found.model}",
        {
            "Temperatures": (element("p", told), table(head, cells, "The table")),
            "Critical point": tuple(critical),
            "Plots": (element("div", *plots, class_="plots"),),
        },
    )


def _plot(found: "Saturation", name: str) -> object:
    here = numpy.isfinite(found[name])
    errors = numpy.nan_to_num(found.error(name)[here])
    lines = [Series(found.model, found.temperature[here], found[name][here], "points", 0, errors)]
    reference = found.reference
    if reference is not None and name in reference.values:
        there = numpy.isfinite(reference.values[name])
        lines.append(
            Series(
                reference.label,
                reference.temperature[there],
                reference.values[name][there],
                "dashed",
                1,
                None,
            )  # fmt: skip
        )
    title = f"{name.replace('_', ' ').capitalize()} with standard errors"
    return line_plot(title, "temperature", _head(found, name), lines)
