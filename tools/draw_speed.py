#!/usr/bin/env python3
"""Draws docs/pictures/speed.svg from benchmarks/results: time of a step beside other engines.

    .venv/bin/pip install -r tools/requirements/pictures.txt
    .venv/bin/python tools/draw_speed.py [--check]

Bars are medians of all repeated runs of one side-by-side benchmark on one rank, whiskers the least
and the most. With --check nothing is written; the exit status is 1 where the file is old.
"""

import argparse
import io
import json
import statistics
import sys
from pathlib import Path

import matplotlib

matplotlib.use("svg")
from matplotlib import pyplot  # noqa: E402

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "docs" / "pictures" / "speed.svg"
#: File, title of a panel, and the engines in it with their labels and colors.
PANELS = (
    (
        "lj_melt",
        "Lennard-Jones liquid, 256 000 atoms",
        (
            ("lammps", "LAMMPS, double", "#9aa5b1"),
            ("sterna double", "Sterna, double", "#148a96"),
            ("gromacs", "GROMACS, mixed", "#9aa5b1"),
            ("sterna mixed", "Sterna, mixed", "#148a96"),
        ),
    ),
    (
        "tersoff",
        "Silicon (Tersoff), 32 768 atoms",
        (
            ("lammps", "LAMMPS, double", "#9aa5b1"),
            ("sterna double", "Sterna, double", "#148a96"),
            ("sterna mixed", "Sterna, mixed", "#148a96"),
        ),
    ),
)


def times_of(result: dict, engine: str) -> list[float]:
    """Nanoseconds for each atom and step of the runs of an engine on one rank."""
    found = [
        row["nanoseconds_per_atom_step"]
        for row in result["measurements"]
        if row["engine"] == engine and row["ranks"] == 1
    ]
    if not found:
        raise SystemExit(f"no run of {engine!r} on one rank")
    return found


def drawn() -> str:
    """The plot as SVG."""
    pyplot.rcParams.update({"svg.hashsalt": "sterna", "svg.fonttype": "none", "font.size": 10})
    pyplot.rcParams["font.family"] = "sans-serif"
    figure, panels = pyplot.subplots(1, len(PANELS), figsize=(9.0, 2.6), layout="constrained")
    for axes, (file, title, engines) in zip(panels, PANELS, strict=True):
        path = ROOT / "benchmarks" / "results" / f"{file}.json"
        result = json.loads(path.read_text(encoding="utf-8"))
        for place, (engine, _, color) in enumerate(reversed(engines)):
            times = times_of(result, engine)
            median = statistics.median(times)
            spread = [[median - min(times)], [max(times) - median]]
            axes.barh(place, median, color=color, xerr=spread, height=0.65, ecolor="#444")
            axes.annotate(
                f"{median:.0f}",
                (max(times), place),
                (6, 0),
                textcoords="offset points",
                va="center",
            )
        axes.set_yticks(range(len(engines)), [label for _, label, _ in reversed(engines)])
        axes.set_title(title, fontsize=10)
        axes.set_xlabel("ns per atom and step, one core (less is better)")
        axes.margins(x=0.15)
        axes.spines[["top", "right"]].set_visible(False)
    text = io.StringIO()
    figure.savefig(text, format="svg", facecolor="white", metadata={"Date": None})
    return text.getvalue()


def main() -> int:
    """Returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing")
    text = drawn()
    if not parser.parse_args().check:
        TARGET.write_text(text, encoding="utf-8")
        return 0
    if TARGET.read_text(encoding="utf-8") != text:
        print(
            f"old: {TARGET.relative_to(ROOT)}; write it with {Path(__file__).name}", file=sys.stderr
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
