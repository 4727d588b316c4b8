#!/usr/bin/env python3
"""Counts the instructions of the inner loops in QEMU's user mode, for each instruction set.

    tests/arm/run --optimized
    cmake --build build-arm --target inner_loops
    ./dev build inner_loops
    python benchmarks/instructions/run.py --x86 build/benchmarks/inner_loops --arm build-arm/inner_loops

The number of a loop is the difference between a run with more repeats and one with fewer, divided
by what both differ in. It is the same on any machine and says nothing of how long an instruction
takes. QEMU 7.2 has no AVX-512. Needs the Debian package qemu-user, whose programs take plugins.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

LOOPS = {
    "melt_mixed": "pair within the cutoff",
    "melt_double": "pair within the cutoff",
    "near_field_single": "pair",
    "near_field_double": "pair",
    "convolution_single": "wave",
    "convolution_double": "wave",
}
PROCESSORS = {
    "x86": {"baseline": "max", "avx2": "max"},
    "arm": {
        "baseline": "max,sve=off",
        "neon": "max,sve=off",
        "sve256": "max,sve-default-vector-length=32",
        "sve512": "max,sve-default-vector-length=64",
    },
}
EMULATORS = {
    "x86": ["qemu-x86_64"],
    "arm": ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"],
}
FEW, MORE = 2, 6


def count(command: list[str], processor: str, loop: str, kernels: str, repeats: int):
    """The instructions of a run, and the units of one repeat; None if it lacks these kernels."""
    done = subprocess.run(
        [*command, loop, kernels, str(repeats)],
        env={**os.environ, "QEMU_CPU": processor},
        capture_output=True,
        text=True,
        check=False,
    )
    if "no kernels" in done.stderr:
        return None
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} {loop} {kernels}: {done.stderr.strip()}")
    instructions = done.stderr.split("instructions ")[1]
    return int(instructions), float(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--x86", metavar="PROGRAM", help="inner_loops for x86-64")
    parser.add_argument("--arm", metavar="PROGRAM", help="inner_loops for 64-bit ARM")
    parser.add_argument("--output", metavar="FILE", default="instructions.json")
    options = parser.parse_args()
    programs = {name: getattr(options, name) for name in PROCESSORS if getattr(options, name)}
    if not programs:
        parser.error("give --x86 or --arm or both")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        plugin = Path(folder) / "count_instructions.so"
        source = Path(__file__).with_name("count_instructions.c")
        subprocess.run(["cc", "-O1", "-shared", "-fPIC", source, "-o", plugin], check=True)
        for architecture, program in programs.items():
            command = [*EMULATORS[architecture], "-plugin", str(plugin), program]
            for loop, unit in LOOPS.items():
                for kernels, processor in PROCESSORS[architecture].items():
                    counted = count(command, processor, loop, kernels, FEW)
                    if counted is None:
                        continue
                    few, _ = counted
                    more, units = count(command, processor, loop, kernels, MORE)
                    row = {
                        "loop": loop,
                        "unit": unit,
                        "architecture": architecture,
                        "kernels": kernels,
                        "instructions_per_unit": round((more - few) / (MORE - FEW) / units, 3),
                    }
                    print(json.dumps(row), flush=True)
                    rows.append(row)
    result = {"command": " ".join(["python", *sys.argv]), "rows": rows}
    Path(options.output).write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
