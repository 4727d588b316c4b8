#!/usr/bin/env python3
"""The fast multipole method of Sterna beside FMM3D and LAMMPS's PPPM, in one run.

    benchmarks/fmm/run.py [--charges 100000] [--sterna-bench PROGRAM] [--seconds 2]

A periodic box of water-like molecules, charges only, on one core. Sterna and PPPM compute its
forces and energy without those inside of molecules; their errors are measured against Ewald sums
for 300 charges. FMM3D knows no periodic boxes: it gets the same charges in an open box, and its
error is measured against direct sums for 300 charges. Each program has its own timer: Sterna the
median of its rounds, PPPM the sum of the rows Pair and Kspace of its table, FMM3D the best of three
calls.

Writes benchmarks/results/fmm.json.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "python")]
from sterna.lammps_environment import find_lammps  # noqa: E402

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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--charges", type=int, default=100000)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--sterna-bench", type=Path, default=ROOT / "build/src/app/sterna-bench")
    parser.add_argument("--output", type=Path, default=ROOT / "benchmarks/results/fmm.json")
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory(prefix="sterna-fmm-") as folder:
        charges, table = Path(folder) / "charges", Path(folder) / "sterna.json"
        subprocess.run(
            [
                options.sterna_bench,
                "fmm",
                f"--charges={options.charges}",
                f"--seconds={options.seconds}",
                f"--write={charges}",
                f"--json={table}",
            ],
            check=True,
        )
        document = json.loads(table.read_text(encoding="utf-8"))
        rows += document["rows"]
        if os.access(FMM3D_PYTHON, os.X_OK):
            one_thread = {**os.environ, "OMP_NUM_THREADS": "1"}
            rows += measured_by([FMM3D_PYTHON, HERE / "fmm3d_forces.py", charges], one_thread)
        else:
            print("FMM3D is left out: tools/install_fmm3d makes .venv-fmm3d")
        lammps, why = find_lammps()
        if lammps is not None:
            rows += measured_by([lammps.python, HERE / "lammps_pppm.py", charges], lammps.variables)
        else:
            print(f"PPPM is left out: {why}")
    document["rows"] = rows
    document["command"] = " ".join(["benchmarks/fmm/run.py", *sys.argv[1:]])
    document["processor"] = platform.processor() or platform.machine()
    document["load_average"] = round(os.getloadavg()[0], 2)
    options.output.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    print(f"{'method':12} {'accuracy':>9} {'error':>9} {'us/particle':>12}")
    for row in rows:
        print(
            f"{row['method']:12} {row['accuracy']:9.0e} {row['error']:9.1e} "
            f"{row['us_per_particle']:12.2f}"
        )


if __name__ == "__main__":
    main()
