#!/usr/bin/env python3
"""Two builds of Sterna by turns in one table: whether a change has made anything slower.

    ./dev bench before_after --before CHECKOUT [--repeats 5] [--only lj_melt,neighbor] [--priority]

CHECKOUT is another checkout with a build of `sterna-md` and `sterna-bench` (`./dev build sterna-md
sterna-bench` in it). Each round measures a case with the other build, with this one, and with the
other one again, pinned to the same cores; the two of the other build give the noise. Runs of the
engine start from lattices, which melt at once; their time is that of the step loop. A case is slower
where the medians differ by more than 1 % and by more than the noise.

Prints a table; writes benchmarks/results/before_after.json after every case.
"""

import argparse
import json
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "python"), str(ROOT / "benchmarks" / "support")]
from process import Cores, EngineError, processor, run_process  # noqa: E402
from sterna.launching.launch import command_line  # noqa: E402

RESULTS = ROOT / "benchmarks" / "results" / "before_after.json"
SLOWER = 1.0  # percent

INPUT = """\
units = "{units}"
[run]
name = "measured"
steps = {steps}
timestep = {timestep}
precision = "{precision}"
[start]
kind = "lattice"
lattice = "{lattice}"
cells = [{cells}, {cells}, {cells}]
density = {density}
temperature = {temperature}
{particles}
[interaction]
{interaction}
[output]
thermo_interval = {steps}
"""
ATOM = '[[type]]\nname = "A"\n'
MELT = {
    "units": "reduced",
    "timestep": 0.004,
    "lattice": "fcc",
    "density": 0.8442,
    "temperature": 1.44,
    "particles": ATOM,
    "interaction": "cutoff = 2.5\n[neighbor]\nskin = 0.3",
}
MOLECULES = {"units": "real", "timestep": 1.0, "lattice": "fcc", "cells": 14, "steps": 40}
ENGINE = {
    "lj_melt 32k": {**MELT, "cells": 20, "steps": 300},
    "lj_melt 256k": {**MELT, "cells": 40, "steps": 40},
    "carbon_dioxide": {
        **MOLECULES,
        "density": 0.009,
        "temperature": 370.0,
        "particles": '[[component]]\nname = "CO2"\nmodel = "carbon_dioxide_trappe"\n',
        "interaction": 'cutoff = 14.0\nelectrostatics = "reaction_field"',
    },
    "water": {
        **MOLECULES,
        "density": 0.033,
        "temperature": 298.0,
        "particles": '[[component]]\nname = "water"\nmodel = "tip4p_2005"\n',
        "interaction": 'cutoff = 9.0\nelectrostatics = "reaction_field"',
    },
    "dipoles": {
        **MELT,
        "cells": 14,
        "steps": 40,
        "density": 0.8,
        "particles": '[[component]]\nname = "D"\n'
        '[[component.site]]\nkind = "lennard_jones"\nposition = [0.0, 0.0, 0.0]\n'
        "mass = 1.0\nepsilon = 1.0\nsigma = 1.0\n"
        '[[component.site]]\nkind = "dipole"\nposition = [0.0, 0.0, 0.0]\ndipole_moment = 1.0\n',
        "interaction": 'cutoff = 3.5\nelectrostatics = "reaction_field"',
    },
    "silicon": {
        "units": "metal",
        "timestep": 0.001,
        "lattice": "diamond",
        "cells": 16,
        "density": 0.04992,
        "temperature": 1000.0,
        "particles": '[[type]]\nname = "Si"\nmass = 28.0855\ntersoff = "Si(B)"\n',
        "interaction": 'potential = "tersoff"\nparameter_file = "silicon.tersoff"',
        "steps": 100,
    },
}
# Phys. Rev. B 37, 6991: m gamma lambda3 c d h n beta lambda2 B R D lambda1 A.
SILICON = (
    "Si(B) Si(B) Si(B) 3.0 1.0 1.3258 4.8381 2.0417 0.0 22.956 0.33675 1.3258 95.373 3.0 0.2 "
    "3.2394 3264.7\n"
)
VERBS = {
    "fmm": "fmm --charges 30000",
    "neighbor": "neighbor --no-bare --topology 1d --peers 2",
    "sparse": "sparse --no-bare --pattern grid",
    "message": "message --sizes 64,4096,262144",
    "halo_fmm": "halo_fmm",
}


@dataclass
class Build:
    """A checkout with its programs, started by its own launcher."""

    root: Path

    def run(
        self, program: str, ranks: int, arguments: list[str], folder: Path, cores: Cores
    ) -> None:
        _, environment = command_line(1, [])
        launcher = [str(self.root / ".venv/bin/mpiexec"), "--oversubscribe", "--bind-to", "none"]
        command = cores.pinned(ranks, [self.root / "build/src/app" / program, *arguments])
        if ranks > 1:
            command = [*launcher, "-n", str(ranks), *command]
        run_process(command, folder, environment)

    def commit(self) -> str:
        return subprocess.run(
            ["git", "-C", str(self.root), "rev-parse", "--short", "HEAD"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()


def engine(case: str, ranks: int, precision: str, build: Build, cores: Cores) -> dict[str, float]:
    """ns per particle and step, under the name of the case."""
    values = {**ENGINE[case], "precision": precision}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "measured.toml").write_text(INPUT.format(**values))
        (folder / "silicon.tersoff").write_text(SILICON)
        build.run("sterna-md", ranks, ["measured.toml"], folder, cores)
        timing = json.loads((folder / "measured.log.jsonl").read_text().splitlines()[-1])["timing"]
    of_cell = {"fcc": 4, "diamond": 8}[values["lattice"]]
    updates = timing["steps"] * of_cell * values["cells"] ** 3
    return {f"{case}, {precision}, ranks {ranks}, ns": timing["seconds"] / updates * 1e9}


def verb(name: str, build: Build, cores: Cores) -> dict[str, float]:
    """Medians in microseconds of everything that a verb of sterna-bench measures on two ranks."""
    with tempfile.TemporaryDirectory() as folder:
        arguments = f"{VERBS[name]} --seconds 0.1 --blocks 5 --quiet --json v.json".split()
        build.run("sterna-bench", 2, arguments, Path(folder), cores)
        rows = json.loads(Path(folder, "v.json").read_text())["rows"]
    found = {}
    for row in rows:
        what = [row["method"], *(str(row[k]) for k in ("accuracy", "transport") if k in row)]
        found[f"{name} {' '.join(what)}, {row['bytes']} bytes, us"] = row["median_us"]
    return found


def measure_by_turns(
    action: Callable[[Build], dict[str, float]], before: Build, after: Build, repeats: int
) -> list[dict]:
    turns = [before, after, before]
    runs: list[dict[str, list[float]]] = [{}, {}, {}]
    for _ in range(repeats):
        for build, of_turn in zip(turns, runs, strict=True):
            for name, value in action(build).items():
                of_turn.setdefault(name, []).append(value)
    rows = []
    for name in runs[0]:
        if name not in runs[1]:
            continue  # a method that one build lacks
        first, changed, again = (of_turn[name] for of_turn in runs)
        base = statistics.median([*first, *again])
        noise = abs(statistics.median(first) - statistics.median(again)) / base * 100
        spread = (max([*first, *again]) - min([*first, *again])) / base * 100
        change = (statistics.median(changed) / base - 1) * 100
        rows.append(
            {
                "case": name,
                "before": [*first, *again],
                "after": changed,
                "change_percent": round(change, 2),
                "noise_percent": round(noise, 2),
                "spread_percent": round(spread, 1),
                "slower": change > max(SLOWER, noise),
            }
        )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--before", type=Path, required=True)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--only", help="cases whose name begins so, divided by commas")
    parser.add_argument("--priority", action="store_true", help="raise that of what is measured")
    options = parser.parse_args()
    before, after = Build(options.before.resolve()), Build(ROOT)
    if options.priority:
        os.environ["STERNA_BENCH_PRIORITY"] = "-15"
    cores = Cores()
    most = min(2, len(cores.available))
    actions: dict[str, Callable[[Build], dict[str, float]]] = {}
    for case in ENGINE:
        for precision in ("double", "mixed"):
            for ranks in range(1, most + 1):
                actions[f"{case} {precision} {ranks}"] = lambda build, of=(case, ranks, precision): (
                    engine(*of, build, cores)
                )
    if most == 2:
        for name in VERBS:
            actions[name] = lambda build, name=name: verb(name, build, cores)
    wanted = tuple(options.only.split(",")) if options.only else ("",)
    result = {
        "benchmark": "before_after",
        # The commit says which checkout it was; its path is this machine's.
        "command": "./dev bench before_after "
        + shlex.join(sys.argv[1:]).replace(str(options.before), before.commit()),
        "date": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
        "machine": {
            "processor": processor(),
            "cores": len(cores.available),
        },
        "before": before.commit(),
        "after": after.commit(),
        "rows": [],
    }
    print(f"{'case':<58} {'before':>9} {'after':>9} {'change':>8} {'noise':>7}")
    for name, action in actions.items():
        if not name.startswith(wanted):
            continue
        for row in measure_by_turns(action, before, after, options.repeats):
            result["rows"].append(row)
            print(
                f"{row['case']:<58} {statistics.median(row['before']):9.3f} "
                f"{statistics.median(row['after']):9.3f} {row['change_percent']:+7.2f}% "
                f"{row['noise_percent']:6.2f}%{' slower' if row['slower'] else ''}",
                flush=True,
            )
        RESULTS.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    try:
        main()
    except EngineError as error:
        sys.exit(f"before_after: {error}")
