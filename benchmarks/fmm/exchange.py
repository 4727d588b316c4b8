#!/usr/bin/env python3
"""Molecular dynamics of water with the fast multipole method, by each method of exchange.

    benchmarks/fmm/exchange.py [--ranks 2,8] [--methods p2p,rdma_double_buffer,shm_direct] [--repeats 5]

The system has 6912 SPC/E molecules, 20736 charges and three levels of cells. In each run one method
carries all neighbor exchanges, and methods run by turns. Each method runs twice. The plain run gives
the time of a step. In the run with `timing = "synchronized"` ranks meet before they wait for data, so
that waiting for ranks that compute is left out. It gives the time of each exchange (positions of the
halo, charges, expansions of each level): the median round, with packing and unpacking, times its
rounds a step. The results are medians over the repeats.

Writes benchmarks/results/fmm_exchange.json.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "python")]
from sterna.launching.launch import command_line  # noqa: E402
from sterna.launching.program import version  # noqa: E402

INPUT = """\
units = "nano"

[run]
name = "water"
steps = {steps}
timestep = "2 fs"

[start]
kind = "lattice"
particles = 6912
density = "0.997 g/cm^3"
temperature = "300 K"

[[component]]
name = "H2O"
model = "spce"

[interaction]
cutoff = "0.9 nm"
truncation = "truncated"

[electrostatics]
kind = "fmm"
accuracy = 1e-3
levels = 3

[domain]
decomposition = "grid"

[communication]
halo = "{method}"
fmm = "{method}"
migration = "superset"

[output]
timing = "{timing}"
directory = "."
thermo_interval = {steps}
"""


def run(folder: Path, method: str, ranks: int, steps: int, timing: str) -> dict:
    (folder / "water.toml").write_text(INPUT.format(method=method, steps=steps, timing=timing))
    command, environment = command_line(ranks, ["water.toml"])
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        sys.exit(f"{method} on {ranks} ranks failed:\n{done.stdout}\n{done.stderr}")
    timing = json.loads((folder / "water.log.jsonl").read_text().splitlines()[-1])["timing"]
    exchanges = {
        row["exchange"]: row["rounds"] * row["median_us"] / steps
        for row in timing["methods"]
        if row["exchange"] not in ("migration", "rebalancing")
    }
    return {
        "step_us": timing["seconds"] / steps * 1e6,
        "exchanges_us": exchanges,
        "waiting_us": timing.get("waiting_share", 0.0) * timing["seconds"] / steps * 1e6,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--ranks", default="2,8")
    parser.add_argument("--methods", default="p2p,rdma_double_buffer,shm_direct")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--steps", type=int, default=100)
    options = parser.parse_args()
    methods = options.methods.split(",")
    rows = []
    with tempfile.TemporaryDirectory(prefix="sterna-fmm-") as name:
        for ranks in (int(n) for n in options.ranks.split(",")):
            plain: dict[str, list[dict]] = {method: [] for method in methods}
            runs: dict[str, list[dict]] = {method: [] for method in methods}
            for repeat in range(options.repeats):
                for method in methods if repeat % 2 == 0 else reversed(methods):
                    folder = Path(name)
                    plain[method].append(run(folder, method, ranks, options.steps, "plain"))
                    runs[method].append(run(folder, method, ranks, options.steps, "synchronized"))
            for method in methods:
                steps = [r["step_us"] for r in plain[method]]
                exchanges = {
                    exchange: statistics.median(r["exchanges_us"][exchange] for r in runs[method])
                    for exchange in runs[method][0]["exchanges_us"]
                }
                sums = [sum(r["exchanges_us"].values()) for r in runs[method]]
                rows.append(
                    {
                        "method": method,
                        "ranks": ranks,
                        "step_us": statistics.median(steps),
                        "step_us_least": min(steps),
                        "step_us_most": max(steps),
                        "exchanges_us": exchanges,
                        "all_exchanges_us": statistics.median(sums),
                        "all_exchanges_us_least": min(sums),
                        "all_exchanges_us_most": max(sums),
                        "synchronized_step_us": statistics.median(
                            r["step_us"] for r in runs[method]
                        ),
                        "waiting_us": statistics.median(r["waiting_us"] for r in runs[method]),
                    }
                )
                print(
                    f"{ranks} ranks  {method:20}  step {rows[-1]['step_us']:9.0f} us  "
                    f"exchanges {rows[-1]['all_exchanges_us']:8.1f} us",
                    flush=True,
                )
    document = {
        "command": " ".join(["benchmarks/fmm/exchange.py", *sys.argv[1:]]),
        "date": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
        "program": f"sterna {version()}",
        "processor": platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "rows": rows,
    }
    (ROOT / "benchmarks/results/fmm_exchange.json").write_text(
        json.dumps(document, indent=1) + "\n"
    )


if __name__ == "__main__":
    main()
