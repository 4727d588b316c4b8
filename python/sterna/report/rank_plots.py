"""Plots of ranks as SVG: stacked bars, and the matrix of who sent how much to whom."""

from collections.abc import Mapping, Sequence

from sterna.report.html import Markup, element, number
from sterna.report.plot import COLORS, WIDTH

#: Height of a bar, and where bars begin and end.
_ROW, _START, _END = 16, 62, 70
#: The corner and the edge of the matrix.
_CORNER, _EDGE = 46, 400


def bytes_text(count: float) -> str:
    """ "812 B", "3.4 MB": powers of 1000."""
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if count < 999.5 or unit == "TB":
            break
        count /= 1000.0
    return f"{number(float(count), 3)} {unit}"


def kept_parts(parts: Mapping[str, Sequence[float]], most: int = COLORS) -> dict[str, list[float]]:
    """Returns the parts with the largest sums, largest first; parts beyond `most` are added to
    "rest".
    """
    order = sorted(parts, key=lambda name: -sum(parts[name]))
    if len(order) <= most:
        return {name: list(parts[name]) for name in order}
    kept = {name: list(parts[name]) for name in order[: most - 1]}
    kept["rest"] = [
        sum(values) for values in zip(*(parts[n] for n in order[most - 1 :]), strict=True)
    ]
    return kept


def stacked_bars(
    caption: str,
    unit: str,
    names: Sequence[str],
    parts: Mapping[str, Sequence[float]],
    below: object = "",
) -> Markup:
    """A bar for each name, made of its values of all parts; the pointer tells each value."""
    shown = kept_parts(parts)
    sums = [sum(values[k] for values in shown.values()) for k in range(len(names))]
    scale = (WIDTH - _START - _END) / (max(sums, default=0.0) or 1.0)
    drawn = []
    for k, name in enumerate(names):
        y, x = k * _ROW + 4, float(_START)
        drawn.append(element("text", name, x=_START - 6, y=y + 10.5, class_="tick end"))
        for color, (part, values) in enumerate(shown.items()):
            width = values[k] * scale
            if width >= 0.05:
                tip = element("title", f"{name}, {part}: {number(values[k], 4)} {unit}")
                drawn.append(
                    element("rect", tip, x=f"{x:.1f}", y=y, width=f"{width:.1f}", height=_ROW - 3,
                            class_=f"bar part c{color}")
                )  # fmt: skip
            x += width
        said = f"{number(sums[k], 3)} {unit}"
        drawn.append(element("text", said, x=f"{x + 6:.1f}", y=y + 10.5, class_="tick"))
    svg = element(
        "svg", *drawn, viewBox=f"0 0 {WIDTH} {len(names) * _ROW + 8}", role="img",
        aria_label=caption, class_="bars stacked",
    )  # fmt: skip
    entries = [
        element("li", element("span", "", class_=f"swatch c{color}"), part)
        for color, part in enumerate(shown)
    ]
    legend = element("ul", *entries, class_="legend")
    return element("figure", svg, legend, element("figcaption", caption), below)


def matrix_plot(
    caption: str, size: int, cells: Sequence[tuple[int, int, float, str]], below: object = ""
) -> Markup:
    """Draws a square for each pair of `size` ranks: row, column, value, and its text.

    The pointer and the arrow keys read what is said.
    """
    edge = _EDGE / size
    most = max((value for _, _, value, _ in cells), default=0.0) or 1.0
    drawn = [element("rect", x=_CORNER, y=_CORNER, width=_EDGE, height=_EDGE, class_="ground")]
    step = next(s for s in (1, 2, 4, 8, 16, 32, 64) if size / s <= 16)
    for rank in range(0, size, step):
        at = _CORNER + (rank + 0.5) * edge
        drawn.append(element("text", rank, x=f"{at:.1f}", y=_CORNER - 6, class_="tick middle"))
        drawn.append(element("text", rank, x=_CORNER - 6, y=f"{at + 4:.1f}", class_="tick end"))
    middle = _CORNER + _EDGE / 2
    drawn.append(element("text", "to rank", x=middle, y=14, class_="label middle"))
    drawn.append(
        element("text", "from rank", x=14, y=middle, class_="label middle",
                transform=f"rotate(-90 14 {middle:g})")
    )  # fmt: skip
    gap = min(1.0, edge / 10)
    for row, column, value, said in cells:
        # The color is the square root of the value, so that small values are visible, too.
        shade = 0.12 + 0.88 * (value / most) ** 0.5
        drawn.append(
            element("rect", element("title", said), x=f"{_CORNER + column * edge:.2f}",
                    y=f"{_CORNER + row * edge:.2f}", width=f"{edge - gap:.2f}",
                    height=f"{edge - gap:.2f}", fill_opacity=f"{shade:.2f}", class_="cell c0",
                    data_at=f"{row} {column}")
        )  # fmt: skip
    svg = element(
        "svg", *drawn, viewBox=f"0 0 {_CORNER + _EDGE + 8} {_CORNER + _EDGE + 8}", role="img",
        aria_label=caption, class_="matrix", tabindex=0, data_size=size,
        data_frame=f"{_CORNER} {edge:g}",
    )  # fmt: skip
    readout = element("output", class_="readout", aria_live="polite")
    return element("figure", svg, readout, element("figcaption", caption), below)
