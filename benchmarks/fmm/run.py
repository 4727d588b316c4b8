#!/usr/bin/env python3
"""The fast multipole method of Sterna beside FMM3D and LAMMPS's PPPM, in one run.

    benchmarks/fmm/run.py [--charges 10000,98304,1000000] [--ranks 1,2] [--beside 98304]
        [--accuracies 1e-3,1e-4,2e-5,1e-6] [--accuracies-beside 3e-8] [--sterna-bench PROGRAM]
        [--seconds 2]

Periodic boxes of water-like molecules, charges only. Sterna and PPPM compute their forces and
energy without those inside of molecules; their errors are measured against Ewald sums for 300
charges. FMM3D knows no periodic boxes: it gets the same charges in an open box, and its error is
measured against direct sums for 300 charges. Each program has its own timer: Sterna the median of
its rounds, PPPM the sum of the rows Pair and Kspace of its table, FMM3D the best of three calls.
The two others compute the box of --beside charges, on one core, where Sterna does so at
--accuracies-beside too, as FMM3D's errors may be far below what it was asked for; for each row of
FMM3D the table says how many times as fast Sterna's fastest row is that has no larger an error. The
exponent of the cost is that of the smallest and the largest box on one rank.

Writes benchmarks/results/fmm.json.
"""

import argparse
import json
import math
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "python")]
from sterna.launching.launch import command_line  # noqa: E402
from sterna.support.lammps_environment import find_lammps  # noqa: E402

HERE = Path(__file__).resolve().parent
FMM3D_PYTHON = ROOT / ".venv-fmm3d" / "bin" / "python"


def measured_by(command: list, environment: dict | None = None) -> list[dict]:
    """The rows that a measuring script prints, one JSON object a line."""
    done = subprocess.run(
        [str(part) for part in command],
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def sterna_rows(
    options: argparse.Namespace, folder: Path, charges: int, ranks: int
) -> tuple[dict, list[dict]]:
    """The head and the rows of the table of `sterna-bench fmm`; its charges go into a file."""
    table = folder / "sterna.json"
    beside = charges == options.beside and ranks == 1
    accuracies = [options.accuracies, *([options.accuracies_beside] if beside else [])]
    command, environment = command_line(
        ranks,
        [
            "fmm",
            f"--charges={charges}",
            f"--accuracies={','.join(accuracies)}",
            f"--seconds={options.seconds}",
            f"--json={table}",
            # A round of a large box takes seconds.
            *(["--rounds=4", "--blocks=2"] if charges > 500_000 else []),
            *([f"--write={folder / 'charges'}"] if beside else []),
        ],
        options.sterna_bench,
    )
    subprocess.run(command, env=environment, check=True)
    document = json.loads(table.read_text(encoding="utf-8"))
    return document, document.pop("rows")


def exponents(rows: list[dict]) -> dict[str, float]:
    """Of time ~ charges^exponent, by the accuracy asked for."""
    found = {}
    alone = [row for row in rows if row["method"] == "fmm" and row["ranks"] == 1]
    for accuracy in sorted({row["accuracy"] for row in alone}, reverse=True):
        of_accuracy = sorted(
            (row for row in alone if row["accuracy"] == accuracy), key=lambda row: row["charges"]
        )
        first, last = of_accuracy[0], of_accuracy[-1]
        if first["charges"] == last["charges"]:
            continue
        growth = math.log(last["us_per_particle"] / first["us_per_particle"])
        found[f"{accuracy:g}"] = 1.0 + growth / math.log(last["charges"] / first["charges"])
    return found


def add_speed_over_fmm3d(rows: list[dict]) -> None:
    for other in rows:
        if other["method"] != "FMM3D":
            continue
        ours = [
            row["us_per_particle"]
            for row in rows
            if row["method"] == "fmm"
            and row["ranks"] == 1
            and row["charges"] == other["charges"]
            and row["error"] <= other["error"]
        ]
        if ours:
            other["speed_of_sterna_over_it"] = other["us_per_particle"] / min(ours)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--charges", default="10000,98304,1000000")
    parser.add_argument("--ranks", default="1,2")
    parser.add_argument("--beside", type=int, default=98304)
    parser.add_argument("--accuracies", default="1e-3,1e-4,2e-5,1e-6")
    parser.add_argument("--accuracies-beside", default="3e-8")
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--sterna-bench", type=Path, default=ROOT / "build/src/app/sterna-bench")
    parser.add_argument("--output", type=Path, default=ROOT / "benchmarks/results/fmm.json")
    options = parser.parse_args()
    rows: list[dict] = []
    document: dict = {}
    with tempfile.TemporaryDirectory(prefix="sterna-fmm-") as name:
        folder = Path(name)
        for ranks in (int(n) for n in options.ranks.split(",")):
            for charges in (int(n) for n in options.charges.split(",")):
                document, more = sterna_rows(options, folder, charges, ranks)
                rows += more
        charges = folder / "charges"
        if not charges.exists():
            print(f"no box of {options.beside} charges on one rank to put others beside")
        elif os.access(FMM3D_PYTHON, os.X_OK):
            one_thread = {**os.environ, "OMP_NUM_THREADS": "1"}
            rows += measured_by([FMM3D_PYTHON, HERE / "fmm3d_forces.py", charges], one_thread)
            add_speed_over_fmm3d(rows)
        else:
            print("FMM3D is left out: tools/install_fmm3d makes .venv-fmm3d")
        lammps, why = find_lammps()
        if lammps is not None and charges.exists():
            rows += measured_by([lammps.python, HERE / "lammps_pppm.py", charges], lammps.variables)
        elif lammps is None:
            print(f"PPPM is left out: {why}")
    document["rows"] = rows
    document["exponents"] = exponents(rows)
    document["command"] = " ".join(["benchmarks/fmm/run.py", *sys.argv[1:]])
    document["processor"] = platform.processor() or platform.machine()
    document["load_average"] = round(os.getloadavg()[0], 2)
    options.output.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    print(f"{'method':12} {'ranks':>5} {'charges':>8} {'error':>9} {'us/particle':>12}")
    for row in rows:
        faster = row.get("speed_of_sterna_over_it")
        print(
            f"{row['method']:12} {row['ranks']:5} {row['charges']:8} {row['error']:9.1e} "
            f"{row['us_per_particle']:12.2f}"
            + (f"   Sterna is {faster:.1f} times as fast" if faster else "")
        )
    for accuracy, exponent in document["exponents"].items():
        print(f"exponent of the cost at {accuracy}: {exponent:.3f}")


if __name__ == "__main__":
    main()
