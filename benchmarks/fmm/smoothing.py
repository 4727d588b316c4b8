#!/usr/bin/env python3
"""Drift of the energy of rigid water with and without overlapping cells (smoothing), at low order.

    benchmarks/fmm/smoothing.py drift [--accuracies 1e-2,1e-3] [--smoothing 0,0.05,0.1]
    benchmarks/fmm/smoothing.py time [--accuracies 1e-2,1e-3] [--smoothing 0,0.05,0.1]

`drift`: SPC/E water at 300 K and constant energy, time step 2 fs, each run from the same positions,
orientations and velocities. A row has the order that the accuracy led to and the error of the forces
measured at the start. It also has the slope of a line through the total energy, per ns, and the
scatter about that line, both relative to the kinetic energy.
`time`: runs of a larger box by turns; microseconds in the electrostatics for each charge and step.

Both write their rows to benchmarks/results/fmm_smoothing.json and leave those of the other.
"""

import argparse
import json
import os
import platform
import statistics
import sys
import tempfile
import time
from pathlib import Path

import numpy

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "python")]
from sterna.frames.configuration import Configuration, read_last_frame  # noqa: E402
from sterna.launching.program import version  # noqa: E402
from sterna.results.log import read_log  # noqa: E402
from sterna.validation.simulation import for_each, simulate  # noqa: E402
from sterna.validation.water_energy_drift import (  # noqa: E402
    CONSTANT_ENERGY,
    CUTOFF,
    EQUILIBRATION,
    TEMPERATURE,
    draw_start,
    drift,
    find_water,
)

RESULT = ROOT / "benchmarks/results/fmm_smoothing.json"
ROW_INTERVAL = 10
TIMESTEP = 0.002  # ps

# The last section of both is [electrostatics].
CELLS = "accuracy = {accuracy}\nsmoothing = {smoothing}\n"


def equilibrated(options: argparse.Namespace, root: Path) -> Configuration:
    text = (EQUILIBRATION + CELLS).format(
        steps=options.equilibration,
        molecules=options.molecules,
        temperature=TEMPERATURE,
        cutoff=CUTOFF,
        accuracy="1e-3",
        smoothing="0",
    )
    simulate(root / "liquid", "liquid", [text])
    return read_last_frame(root / "liquid" / "liquid.h5md", ["H2O"])


def run_text(steps: int, accuracy: str, smoothing: str) -> str:
    return (CONSTANT_ENERGY + CELLS).format(
        steps=steps,
        interval=ROW_INTERVAL,
        cutoff=CUTOFF,
        accuracy=accuracy,
        smoothing=smoothing,
    )


def events(file: Path) -> dict[str, dict]:
    """The last event of each kind in a log."""
    lines = (json.loads(line) for line in file.read_text(encoding="utf-8").splitlines())
    return {line["event"]: line for line in lines if "event" in line}


def write(kind: str, options: argparse.Namespace, rows: list[dict]) -> None:
    document = json.loads(RESULT.read_text(encoding="utf-8")) if RESULT.is_file() else {}
    document[kind] = {
        "command": " ".join(["benchmarks/fmm/smoothing.py", *sys.argv[1:]]),
        "date": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
        "program": f"sterna {version()}",
        "processor": platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "molecules": options.molecules,
        "steps": options.steps,
        "rows": rows,
    }
    RESULT.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def measure_drift(options: argparse.Namespace, root: Path) -> None:
    liquid = equilibrated(options, root)
    water = find_water()
    cases = [
        (accuracy, smoothing, replica)
        for replica in range(options.replicas)
        for accuracy in options.accuracies
        for smoothing in options.smoothing
    ]

    def measure(case: tuple[str, str, int]) -> dict:
        accuracy, smoothing, replica = case
        folder = root / f"{accuracy}-{smoothing}-{replica}"
        text = run_text(options.steps, accuracy, smoothing)
        start = draw_start(liquid, water, replica + 1).extended_xyz()
        simulate(folder, "drift", [text], {"start.extxyz": start})
        log = read_log(folder / "drift.log.jsonl")
        ps = TIMESTEP * log["step"]
        found = drift(ps, log["total_energy"], log["kinetic_energy"])
        length = float(ps[-1] - ps[0])
        electrostatics = events(folder / "drift.log.jsonl")["start"]["settings"]["terms"][
            "electrostatics"
        ]
        return {
            "accuracy": float(accuracy),
            "smoothing": float(smoothing),
            "order": electrostatics["order"],
            "measured_error": electrostatics["measured_error"],
            "drift_per_ns": found["drift"] * 1000.0 / length,
            "scatter": found["scatter"],
        }

    runs = for_each(cases, options.jobs, measure, lambda case: f"{case[0]} {case[1]} {case[2]}")
    rows = []
    for accuracy in options.accuracies:
        for smoothing in options.smoothing:
            same = [
                run
                for run in runs
                if (run["accuracy"], run["smoothing"]) == (float(accuracy), float(smoothing))
            ]
            drifts = [run["drift_per_ns"] for run in same]
            rows.append(
                same[0]
                | {
                    "drift_per_ns": float(numpy.sqrt(numpy.mean(numpy.square(drifts)))),
                    "drifts_per_ns": drifts,
                    "scatter": statistics.mean(run["scatter"] for run in same),
                }
            )
            row = rows[-1]
            print(
                f"accuracy {accuracy:>5}  smoothing {smoothing:>5}  order {row['order']:2}  "
                f"error {row['measured_error']:.1e}  drift {row['drift_per_ns']:.2e} / ns  "
                f"scatter {row['scatter']:.2e}"
            )
    write("drift", options, rows)


def measure_time(options: argparse.Namespace, root: Path) -> None:
    start = draw_start(equilibrated(options, root), find_water(), 1).extended_xyz()
    cases = [(a, s) for a in options.accuracies for s in options.smoothing]
    times: dict[tuple[str, str], list[float]] = {case: [] for case in cases}
    found = {}
    for repeat in range(options.repeats):
        for case in cases if repeat % 2 == 0 else reversed(cases):
            folder = root / f"{case[0]}-{case[1]}-{repeat}"
            simulate(folder, "drift", [run_text(options.steps, *case)], {"start.extxyz": start})
            log = events(folder / "drift.log.jsonl")
            found[case] = log["start"]["settings"]["terms"]["electrostatics"]
            seconds = log["end"]["timing"]["phases"]["electrostatics"]["avg"]
            times[case].append(1e6 * seconds / options.steps / (3 * options.molecules))
    rows = []
    for case in cases:
        rows.append(
            {
                "accuracy": float(case[0]),
                "smoothing": float(case[1]),
                "method": found[case]["method"],
                "measured_error": found[case]["measured_error"],
                "us_per_charge": statistics.median(times[case]),
                "us_per_charge_least": min(times[case]),
                "us_per_charge_most": max(times[case]),
            }
        )
        print(f"accuracy {case[0]}  smoothing {case[1]}  {rows[-1]['us_per_charge']:.2f} us")
    write("time", options, rows)


def main() -> None:
    def names(text: str) -> list[str]:
        return text.split(",")

    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", choices=["drift", "time"])
    parser.add_argument("--accuracies", type=names, default=["1e-2", "1e-3"])
    parser.add_argument("--smoothing", type=names, default=["0", "0.05", "0.1"])
    parser.add_argument("--molecules", type=int, help="512; 8788 for time")
    parser.add_argument("--steps", type=int, help="10000; 40 for time")
    parser.add_argument("--equilibration", type=int, help="steps; 10000, 2000 for time")
    parser.add_argument("--replicas", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--folder", type=Path, help="keeps the runs")
    options = parser.parse_args()
    options.molecules = options.molecules or (512 if options.what == "drift" else 8788)
    options.steps = options.steps or (10000 if options.what == "drift" else 40)
    options.equilibration = options.equilibration or (10000 if options.what == "drift" else 2000)
    measure = measure_drift if options.what == "drift" else measure_time
    with tempfile.TemporaryDirectory(prefix="sterna-smoothing-") as name:
        measure(options, (options.folder or Path(name)).resolve())


if __name__ == "__main__":
    main()
