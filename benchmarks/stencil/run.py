#!/usr/bin/env python3
"""The stencil of examples/fortran by MPI messages, by the module sterna_comm and by coarrays.

    STERNA_MPI=system ./dev build fortran_examples
    benchmarks/stencil/run.py [--build build-system] [--sizes 8,16,32,64] [--ranks 2] [--runs 7]

The three programs run in turn, pinned to the same cores, on equal blocks; their results must be the
same, bit for bit. A run's time is its median over the steps of an exchange, packing and unpacking
included, at the slowest rank; the table has the median over the runs, and the extremes.

Results go into benchmarks/results/stencil.json and, where all three versions ran, into
docs/howto/c-and-fortran.md.
"""

import argparse
import json
import os
import platform
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "python"), str(ROOT / "tools"), str(ROOT / "benchmarks" / "support")]
from document_table import markdown_table, replace_block  # noqa: E402
from process import Cores  # noqa: E402
from sterna.launching.program import version  # noqa: E402

RESULTS = ROOT / "benchmarks" / "results" / "stencil.json"
VERSIONS = {"mpi": "MPI messages", "sterna": "module sterna_comm", "coarray": "coarrays"}
TIME_LIMIT = 300


def numbers(text: str) -> list[int]:
    return [int(word) for word in text.split(",")]


def exchange_us(
    program: Path, mpiexec: str, ranks: int, size: int, steps: int, results: Path
) -> float:
    """Microseconds of an exchange, as the program prints them; its blocks go to `results`."""
    command = [program, size, steps, results]
    done = subprocess.run(
        [ROOT / "tests/support/launch", mpiexec, str(ranks), *Cores().pinned(ranks, command)],
        capture_output=True,
        text=True,
        timeout=TIME_LIMIT,
        check=False,
    )
    words = done.stdout.split()
    if done.returncode != 0 or len(words) != 2:
        sys.exit(f"{program.name} failed:\n{done.stdout}\n{done.stderr}")
    return float(words[1])


def check_equal(results: Path, versions: list[str], ranks: int) -> None:
    for rank in range(ranks):
        blocks = {(results / f"{v}.{rank}").read_bytes() for v in versions}
        if len(blocks) != 1:
            sys.exit(f"the versions {', '.join(versions)} differ on rank {rank}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build-system", help="build folder")
    parser.add_argument(
        "--sizes", type=numbers, default=[8, 16, 32, 64], help="cells along an axis"
    )
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--output", type=Path, default=RESULTS)
    arguments = parser.parse_args()

    folder = arguments.build / "examples" / "fortran"
    versions = [v for v in VERSIONS if (folder / f"stencil_{v}").exists()]
    if "sterna" not in versions:
        sys.exit(f"no Fortran examples in {folder}: STERNA_MPI=system ./dev build fortran_examples")
    mpiexec = json.loads((arguments.build / "src/app/sterna-md.json").read_text())["mpiexec"]
    rows = []
    with tempfile.TemporaryDirectory() as name:
        for size in arguments.sizes:
            times: dict[str, list[float]] = {v: [] for v in versions}
            for _ in range(arguments.runs):
                for v in versions:
                    times[v].append(
                        exchange_us(
                            folder / f"stencil_{v}",
                            mpiexec,
                            arguments.ranks,
                            size,
                            arguments.steps,
                            Path(name),
                        )
                    )
                check_equal(Path(name), versions, arguments.ranks)
            for v in versions:
                rows.append(
                    {
                        "version": v,
                        "ranks": arguments.ranks,
                        "cells": size,
                        "bytes_of_side": 8 * size * size,
                        "median_us": statistics.median(times[v]),
                        "least_us": min(times[v]),
                        "most_us": max(times[v]),
                        "of_mpi": statistics.median(times[v]) / statistics.median(times["mpi"]),
                    }
                )
                print(json.dumps(rows[-1]), flush=True)

    mpi = subprocess.run(
        [mpiexec, "--version"], capture_output=True, text=True, check=True
    ).stdout.splitlines()[0]
    content = {
        "benchmark": "stencil",
        "command": shlex.join(["benchmarks/stencil/run.py", *sys.argv[1:]]),
        "date": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
        "machine": {"processor": platform.machine(), "cores": os.cpu_count()},
        "versions": {"sterna": version(), "mpi": mpi},
        "steps": arguments.steps,
        "runs": arguments.runs,
        "rows": rows,
    }
    arguments.output.write_text(json.dumps(content, indent=1) + "\n")
    if arguments.output.resolve() != RESULTS or len(versions) < len(VERSIONS):
        return
    table = [
        [
            VERSIONS[v],
            *(
                f"{row['median_us']:.1f} ({row['least_us']:.1f} to {row['most_us']:.1f})"
                for row in rows
                if row["version"] == v
            ),
        ]
        for v in versions
    ]
    header = ["µs an exchange", *(f"{size}³" for size in arguments.sizes)]
    replace_block(
        "howto/c-and-fortran.md",
        "stencil",
        f"`{content['command']}`, {content['date']}, {content['machine']['cores']} "
        f"cores, {arguments.ranks} ranks, {mpi}; by the size of a rank's block, medians over "
        f"{arguments.runs} runs (least to most); the results are the same, bit for bit:\n\n"
        + markdown_table(header, table),
    )


if __name__ == "__main__":
    main()
