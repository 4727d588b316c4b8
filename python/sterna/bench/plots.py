"""Draws what `sterna bench` measured: a PNG by Matplotlib and an HTML page by Plotly."""

import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sterna.errors import SternaError

if TYPE_CHECKING:
    from sterna.bench.tables import Panel


def require() -> None:
    """Raises SternaError if a plotting package is not installed."""
    missing = [name for name in ("matplotlib", "plotly") if not importlib.util.find_spec(name)]
    if missing:
        raise SternaError(
            f"--plot needs {' and '.join(missing)}: pip install {' '.join(missing)}", status=2
        )


def draw(panels: Sequence["Panel"], name: str) -> list[Path]:
    """Draws NAME.png and NAME.html: median over x, p10 to p90 as bars; a line for each method."""
    target = Path(name)
    png, html = target.with_name(f"{target.name}.png"), target.with_name(f"{target.name}.html")
    try:
        _draw_png(panels, png)
        _draw_html(panels, html)
    except OSError as error:
        raise SternaError(f"the plot could not be written: {error}") from error
    return [png, html]


def _y_label(panel: "Panel") -> str:
    return "us a round" if panel.y == "median_us" else panel.y.replace("_", " ")


def _points(panel: "Panel", line: dict) -> tuple[list, list[float], list[float], list[float]]:
    """x, y, and for the median how far p10 and p90 lie below and above it."""
    xs = list(line)
    medians = [line[x][panel.y] for x in xs]
    if panel.y != "median_us":
        return xs, medians, [0.0] * len(xs), [0.0] * len(xs)
    below = [max(0.0, m - line[x]["p10_us"]) for x, m in zip(xs, medians, strict=True)]
    above = [max(0.0, line[x]["p90_us"] - m) for x, m in zip(xs, medians, strict=True)]
    return xs, medians, below, above


def _draw_png(panels: Sequence["Panel"], path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(
        1, len(panels), figsize=(5.5 * len(panels), 4.5), squeeze=False, layout="constrained"
    )
    for panel, axis in zip(panels, axes[0], strict=True):
        for method, line in panel.series.items():
            xs, medians, below, above = _points(panel, line)
            axis.errorbar(
                xs, medians, yerr=[below, above], marker="o", capsize=3, linewidth=1.2, label=method
            )
        axis.set(title=panel.title, xlabel=panel.x_label, ylabel=_y_label(panel), yscale="log")
        axis.set_xticks(panel.xs, [str(x) for x in panel.xs])
        axis.grid(True, which="both", alpha=0.3)
    axes[0][-1].legend(fontsize="small")
    figure.savefig(path, dpi=150)
    pyplot.close(figure)


def _draw_html(panels: Sequence["Panel"], path: Path) -> None:
    from plotly.colors import qualitative
    from plotly.graph_objects import Scatter
    from plotly.subplots import make_subplots

    figure = make_subplots(rows=1, cols=len(panels), subplot_titles=[p.title for p in panels])
    colors: dict[str, str] = {}
    for column, panel in enumerate(panels, start=1):
        for method, line in panel.series.items():
            xs, medians, below, above = _points(panel, line)
            first = method not in colors
            color = colors.setdefault(
                method, qualitative.Dark24[len(colors) % len(qualitative.Dark24)]
            )
            figure.add_trace(
                Scatter(
                    x=xs,
                    y=medians,
                    error_y={"array": above, "arrayminus": below},
                    mode="lines+markers",
                    name=method,
                    legendgroup=method,
                    showlegend=first,
                    line={"color": color},
                ),
                row=1,
                col=column,
            )
        figure.update_xaxes(title=panel.x_label, row=1, col=column)
        figure.update_yaxes(type="log", title=_y_label(panel), row=1, col=column)
    # The page contains the library, so that it opens without a network.
    figure.write_html(path, include_plotlyjs=True)
