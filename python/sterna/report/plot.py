"""Plots as SVG: lines over an axis, and horizontal bars. They need no script to be seen."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy

from sterna.report.html import Markup, element, number

WIDTH, HEIGHT = 480, 270
LEFT, RIGHT, TOP, BOTTOM = 72, 22, 12, 44
#: What a digit of a tick needs at most, and the label of its axis. Letters are larger on a phone:
#: report.css.
DIGIT, AXIS_LABEL = 9, 26
#: Beyond this many points a line keeps only the extremes of each piece.
MOST_POINTS = 600
#: The style sheet has this many colors; further lines repeat them.
COLORS = 8


@dataclass
class Series:
    """A line of a plot; `style` is "line", "dashed", "thin" or "points".

    `error`: of each value, drawn as a stroke over it.
    """

    label: str
    x: numpy.ndarray
    y: numpy.ndarray
    style: str = "line"
    color: int | None = None
    error: numpy.ndarray | None = None

    def reach(self) -> numpy.ndarray:
        """Returns the values with the ends of their error bars."""
        if self.error is None:
            return self.y
        return numpy.concatenate([self.y - self.error, self.y + self.error])


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Round numbers between two values, at most about `most`."""
    raw = (high - low) / most
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= raw * 0.999)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [k * step for k in range(first, last + 1)]


def _range(arrays: Sequence[numpy.ndarray], margin: float) -> tuple[float, float]:
    finite = [array[numpy.isfinite(array)] for array in arrays]
    values = numpy.concatenate(finite) if finite else numpy.array([])
    if len(values) == 0:
        return 0.0, 1.0
    low, high = float(values.min()), float(values.max())
    # The values are constant, or differ only by rounding.
    if high - low <= 1e-12 * max(abs(low), abs(high)):
        width = abs(high) * 1e-3 or 1.0
        return low - width, high + width
    return low - margin * (high - low), high + margin * (high - low)


def _tick_label(value: float, step: float) -> str:
    """Formats a tick with as many digits as distinguish it from the next."""
    if value == 0.0:
        return "0"
    largest, least = math.floor(math.log10(abs(value))), math.floor(math.log10(step))
    if least >= -4 and largest < 6:
        return f"{value:.{max(0, -least)}f}"
    return f"{value:.{min(max(0, largest - least), 10)}e}"


def _thinned(x: numpy.ndarray, y: numpy.ndarray) -> tuple[numpy.ndarray, numpy.ndarray]:
    """Every value of a short line; of each piece of a long one the least and the greatest."""
    if len(x) <= MOST_POINTS:
        return x, y
    keep: list[int] = [0]
    for piece in numpy.array_split(numpy.arange(len(x)), MOST_POINTS // 2):
        keep += sorted({int(piece[y[piece].argmin()]), int(piece[y[piece].argmax()])})
    keep.append(len(x) - 1)
    chosen = numpy.unique(keep)
    return x[chosen], y[chosen]


class _Axes:
    """The frame of a plot and the way from values to its pixels."""

    def __init__(self, series: Sequence[Series]) -> None:
        self.x = _range([line.x for line in series], 0.0)
        self.y = _range([line.reach() for line in series], 0.05)
        marks = ticks(*self.y, most=5)
        step = marks[1] - marks[0] if len(marks) > 1 else 1.0
        self.y_ticks = [(value, _tick_label(value, step)) for value in marks]
        longest = max((len(text) for _, text in self.y_ticks), default=0)
        self.left = max(LEFT, AXIS_LABEL + DIGIT * longest)

    def to_x(self, value: numpy.ndarray | float) -> numpy.ndarray | float:
        low, high = self.x
        return self.left + (value - low) / (high - low) * (WIDTH - self.left - RIGHT)

    def to_y(self, value: numpy.ndarray | float) -> numpy.ndarray | float:
        low, high = self.y
        return HEIGHT - BOTTOM - (value - low) / (high - low) * (HEIGHT - TOP - BOTTOM)

    def grid(self, x_label: str, y_label: str) -> list[Markup]:
        pieces = []
        floor, roof = HEIGHT - BOTTOM, TOP
        marks = ticks(*self.x)
        step = marks[1] - marks[0] if len(marks) > 1 else 1.0
        for value in marks:
            at = f"{self.to_x(value):.1f}"
            pieces.append(element("line", x1=at, x2=at, y1=roof, y2=floor, class_="grid"))
            pieces.append(
                element("text", _tick_label(value, step), x=at, y=floor + 16, class_="tick middle")
            )
        for value, text in self.y_ticks:
            at = self.to_y(value)
            ends = {"x1": self.left, "x2": WIDTH - RIGHT, "y1": f"{at:.1f}", "y2": f"{at:.1f}"}
            pieces.append(element("line", **ends, class_="grid"))
            pieces.append(
                element("text", text, x=self.left - 6, y=f"{at + 4:.1f}", class_="tick end")
            )
        middle = (self.left + WIDTH - RIGHT) / 2
        pieces.append(element("text", x_label, x=middle, y=HEIGHT - 8, class_="label middle"))
        center = (TOP + floor) / 2
        pieces.append(
            element(
                "text",
                y_label,
                x=14,
                y=center,
                class_="label middle",
                transform=f"rotate(-90 14 {center:g})",
            )
        )
        return pieces

    def line(self, series: Series, color: int) -> list[Markup]:
        return self._strokes(series, color) + self._line(series, color)

    def _strokes(self, series: Series, color: int) -> list[Markup]:
        if series.error is None:
            return []
        return [
            element(
                "line",
                x1=f"{self.to_x(x):.1f}",
                x2=f"{self.to_x(x):.1f}",
                y1=f"{self.to_y(y - error):.1f}",
                y2=f"{self.to_y(y + error):.1f}",
                class_=f"thin c{color}",
            )
            for x, y, error in zip(series.x, series.y, series.error, strict=True)
            if numpy.isfinite([x, y, error]).all() and error > 0.0
        ]

    def _line(self, series: Series, color: int) -> list[Markup]:
        finite = numpy.isfinite(series.x) & numpy.isfinite(series.y)
        x, y = series.x[finite], series.y[finite]
        named = {"class_": f"{series.style} c{color}", "data_label": series.label}
        if series.style == "points" or len(x) == 1:
            named["class_"] = f"points c{color}"
            return [
                element("circle", cx=f"{self.to_x(a):.1f}", cy=f"{self.to_y(b):.1f}", r=3, **named)
                for a, b in zip(*_thinned(x, y), strict=True)
            ]
        x, y = _thinned(x, y)
        points = " ".join(
            f"{a:.1f},{b:.1f}" for a, b in zip(self.to_x(x), self.to_y(y), strict=True)
        )
        return [element("polyline", points=points, **named)]


def line_plot(
    caption: str, x_label: str, y_label: str, series: Sequence[Series], below: object = ""
) -> Markup:
    """A figure of lines with the sentence `caption`; `below` is put under it, such as a table."""
    axes = _Axes(series)
    colors = [k % COLORS if line.color is None else line.color for k, line in enumerate(series)]
    drawn = axes.grid(x_label, y_label)
    for line, color in zip(series, colors, strict=True):
        drawn += axes.line(line, color)
    frame = f"{axes.left} {WIDTH - RIGHT} {HEIGHT - BOTTOM} {TOP}"
    svg = element(
        "svg",
        *drawn,
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        role="img",
        aria_label=caption,
        class_="plot",
        tabindex=0,
        data_frame=frame,
        data_range=" ".join(repr(float(v)) for v in (*axes.x, *axes.y)),
        data_x=x_label,
    )
    legend = _legend(series, colors) if len(series) > 1 else ""
    title = element("figcaption", caption)
    readout = element("output", class_="readout", aria_live="polite")
    return element("figure", svg, legend, readout, title, below)


def _legend(series: Sequence[Series], colors: Sequence[int]) -> Markup:
    entries = []
    for line, color in zip(series, colors, strict=True):
        stroke = element("line", x1=0, x2=24, y1=6, y2=6, class_=f"{line.style} c{color}")
        if line.style == "points":
            stroke = element("circle", cx=12, cy=6, r=3, class_=f"points c{color}")
        key = element("svg", stroke, viewBox="0 0 24 12", class_="key", aria_hidden="true")
        entries.append(element("li", key, line.label))
    return element("ul", *entries, class_="legend")


@dataclass
class Bar:
    """A row of a bar plot; `low` and `high` are drawn as a line over the bar's end."""

    label: str
    value: float
    low: float | None = None
    high: float | None = None
    color: int = 0
    marked: float | None = None  #: a second value, drawn as a stroke


def bar_plot(caption: str, unit: str, bars: Sequence[Bar], below: object = "") -> Markup:
    """Horizontal bars from zero on, each with its name and value beside it."""
    row, start, end = 22, 150, 90
    most = max((max(b.value, b.high or 0.0, b.marked or 0.0) for b in bars), default=0.0) or 1.0
    scale = (WIDTH - start - end) / most
    drawn = []
    for k, bar in enumerate(bars):
        y = k * row + 4
        drawn.append(element("text", bar.label, x=start - 6, y=y + 12, class_="tick end"))
        drawn.append(
            element(
                "rect",
                x=start,
                y=y,
                height=row - 6,
                width=f"{bar.value * scale:.1f}",
                class_=f"bar c{bar.color}",
            )
        )
        reach = bar.value
        if bar.low is not None and bar.high is not None:
            reach = max(reach, bar.high)
            drawn.append(
                element(
                    "path",
                    d=f"M{start + bar.low * scale:.1f} {y + row / 2 - 3:g}"
                    f"H{start + bar.high * scale:.1f}",
                    class_="whisker",
                )
            )
        if bar.marked is not None:
            reach = max(reach, bar.marked)
            drawn.append(
                element(
                    "path", d=f"M{start + bar.marked * scale:.1f} {y - 1}v{row - 4}", class_="mark"
                )
            )
        drawn.append(
            element(
                "text",
                f"{number(bar.value, 3)} {unit}".strip(),
                x=f"{start + reach * scale + 6:.1f}",
                y=y + 12,
                class_="tick",
            )
        )
    svg = element(
        "svg",
        *drawn,
        viewBox=f"0 0 {WIDTH} {len(bars) * row + 8}",
        role="img",
        aria_label=caption,
        class_="bars",
    )
    return element("figure", svg, element("figcaption", caption), below)
