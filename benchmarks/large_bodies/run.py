#!/usr/bin/env python3
"""Cost of rigid bodies of many sites: a spherical body in about 10,000 atoms, and the atoms alone.

    ./dev bench large_bodies [--sites 100,250,1000,4000] [--repeats 5] [--output FILE]

One rank on one core, double and mixed precision, runs by turns. The time of a body is that of the
phase "large_bodies", which also has a pass over all atoms.

Prints medians; `--output FILE` writes all times as JSON.
"""

import argparse
import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "benchmarks" / "support"))
from process import processor  # noqa: E402

EDGE, CELLS, CUTOFF, SPACING = 8.0, 22, 1.0, 0.25
INPUT = """\
units = "nano"
[run]
name = "body"
steps = 300
timestep = "2 fs"
precision = "{precision}"
seed = 3
[start]
kind = "file"
file = "body.xyz"
temperature = "100 K"
[[type]]
name = "Ar"
mass = 39.948
epsilon = 0.9961
sigma = 0.3405
{body}
[interaction]
cutoff = 1.0
[output]
thermo_interval = 10
"""
SITE = """\
[[component.site]]
kind = "lennard_jones"
position = [{:.6f}, {:.6f}, {:.6f}]
mass = 12.0
epsilon = 0.3
sigma = 0.3
"""


def lattice(cells: int, edge: float) -> numpy.ndarray:
    places = (numpy.arange(cells) + 0.5) * edge / cells
    return numpy.array(list(itertools.product(places, repeat=3)))


def write_input(folder: Path, sites: int, precision: str) -> int:
    """Returns the number of pairs of a site and an atom within the cutoff."""
    atoms, lines, body, pairs = lattice(CELLS, EDGE), [], "", 0
    if sites > 0:
        width = 2 * round(sites ** (1 / 3)) + 2
        grid = lattice(width, width * SPACING) - width * SPACING / 2
        points = grid[numpy.argsort((grid**2).sum(axis=1), kind="stable")[:sites]]
        points = points - points.mean(axis=0)
        radius = numpy.sqrt((points**2).sum(axis=1).max())
        atoms = atoms[numpy.sqrt(((atoms - EDGE / 2) ** 2).sum(axis=1)) > radius + 0.33]
        body = '[[component]]\nname = "body"\n' + "".join(SITE.format(*p) for p in points)
        lines = [f"body {EDGE / 2} {EDGE / 2} {EDGE / 2} 1 0 0 0"]
        for point in points:
            d = atoms - EDGE / 2 - point
            pairs += int(((d**2).sum(axis=1) < CUTOFF**2).sum())
    lines += [f"Ar {x} {y} {z} 1 0 0 0" for x, y, z in atoms]
    folder.joinpath("body.xyz").write_text(
        f'{len(lines)}\nLattice="{EDGE} 0 0 0 {EDGE} 0 0 0 {EDGE}" '
        "Properties=species:S:1:pos:R:3:orient:R:4\n" + "\n".join(lines) + "\n"
    )
    text = INPUT.format(precision=precision, body=body)
    if sites > 0:
        text = text.replace("[output]", 'molecular_cutoff = "site"\n[output]')
    folder.joinpath("body.toml").write_text(text)
    return pairs


def milliseconds(program: str, folder: Path) -> tuple[float, float]:
    """Those of a step, and of the phase "large_bodies" in it."""
    core = str(max(os.sched_getaffinity(0)))
    command = ["taskset", "-c", core, program, "body.toml", "--overwrite"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    timing = json.loads((folder / "body.log.jsonl").read_text().splitlines()[-1])["timing"]
    molecules = timing["phases"].get("large_bodies", {"avg": 0.0})["avg"]
    return 1e3 * timing["seconds"] / timing["steps"], 1e3 * molecules / timing["steps"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sites", default="100,250,1000,4000")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    program = os.environ["STERNA_MD"]
    cases = [
        (precision, sites)
        for precision in ("double", "mixed")
        for sites in (0, *map(int, arguments.sites.split(",")))
    ]
    found = {case: [] for case in cases}
    with tempfile.TemporaryDirectory() as name:
        pairs = {}
        for precision, sites in cases:
            folder = Path(name, f"{precision}{sites}")
            folder.mkdir()
            pairs[sites] = write_input(folder, sites, precision)
        for _ in range(arguments.repeats):
            for precision, sites in cases:
                folder = Path(name, f"{precision}{sites}")
                found[precision, sites].append(milliseconds(program, folder))
    record = {"processor": processor(), "cases": []}
    for (precision, sites), times in found.items():
        step = statistics.median(t for t, _ in times)
        molecules = statistics.median(t for _, t in times)
        line = f"{precision:6} {sites:5} sites: {step:6.2f} ms a step"
        if sites > 0:
            line += (
                f", {molecules:5.2f} of them of the phase, {pairs[sites]} pairs within the cutoff"
            )
        print(line)
        record["cases"].append({
            "precision": precision, "sites": sites, "pairs": pairs[sites],
            "milliseconds_of_step": [t for t, _ in times],
            "milliseconds_of_body": [t for _, t in times],
        })  # fmt: skip
    if arguments.output:
        arguments.output.write_text(json.dumps(record, indent=2) + "\n")


if __name__ == "__main__":
    main()
