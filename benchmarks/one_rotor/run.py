#!/usr/bin/env python3
"""What one molecule that turns costs a system of flexible ones: memory and time per atom.

    ./dev bench one_rotor [--charged] [--before CHECKOUT] [--edges 4,7] [--repeats 3]
                          [--output FILE]

Liquid butane of `examples/butane.toml`, repeated along each edge of the box, and the same with one
molecule of carbon dioxide, a rigid one with a quadrupole. It takes the place of a molecule of butane,
which the first system lacks. With `--charged` the atoms have charges, and so has the carbon dioxide,
which then has no quadrupole: the multipole method computes them. One rank, in double and in mixed precision, runs by turns. Memory of an
atom is the difference of the peaks of two sizes, divided by that of the numbers of atoms: the rest is
program and tables. Time is processor time in user mode of the whole process of the larger one, the
shortest of the repeats. CHECKOUT is another checkout with a build of `sterna-md`.

Prints a table; `--output FILE` writes all numbers as JSON.
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "python"), str(ROOT / "benchmarks" / "support")]
from process import processor  # noqa: E402
from sterna.launching.program import find_program  # noqa: E402

EXAMPLE = ROOT / "examples" / "butane.toml"
STEPS = 100
ATOMS = 4  # of a molecule of butane
ROTOR = '[[component]]\nname = "CO2"\nmodel = "{}"\n\n'
MOLECULE = '[[molecule]]\nname = "CO2"\ncount = 1\natom = [{ type = "CO2" }]\n\n'


def with_charges(text: str) -> str:
    """The input with a dipole at each end of a molecule of butane."""
    for end, middle in (("C1", "C2"), ("C4", "C3")):
        text = text.replace(f'"{end}", type = "CH3"', f'"{end}", type = "CH3", charge = 0.1')
        text = text.replace(f'"{middle}", type = "CH2"', f'"{middle}", type = "CH2", charge = -0.1')
    return f'{text}[electrostatics]\nkind = "fmm"\n'


def write_systems(folder: Path, edge: int, charged: bool) -> tuple[dict[str, Path], int]:
    """Inputs without and with the rotor, and the number of flexible atoms."""
    text = EXAMPLE.read_text(encoding="utf-8").split("[[group]]")[0]
    if charged:
        text = with_charges(text)
    rotor = ROTOR.format("carbon_dioxide_trappe" if charged else "carbon_dioxide_merker")
    text = text.replace("steps = 3000", f"steps = {STEPS}")
    lines = EXAMPLE.with_suffix(".extxyz").read_text(encoding="ascii").splitlines()
    length = float(re.search(r'Lattice="([\d.]+)', lines[1]).group(1))
    rows = [line.split() for line in lines[2:]]
    atoms = [(row[0], *map(float, row[1:4])) for row in rows]
    molecules = []
    for x in range(edge):
        for y in range(edge):
            for z in range(edge):
                moved = [
                    (a, p + x * length, q + y * length, r + z * length) for a, p, q, r in atoms
                ]
                molecules += [moved[k : k + ATOMS] for k in range(0, len(moved), ATOMS)]
    removed = molecules.pop(len(molecules) // 2)
    center = [sum(atom[axis] for atom in removed) / ATOMS for axis in (1, 2, 3)]
    paths = {}
    for name in ("flexible", "rotor"):
        own, count = text, len(molecules)
        placed = [atom for molecule in molecules for atom in molecule]
        if name == "rotor":
            own = own.replace("[[molecule]]", f"{rotor}[[molecule]]", 1)
            own = own.replace("[interaction]", f"{MOLECULE}[interaction]", 1)
            placed.append(("CO2", *center))
        own = own.replace("count = 144", f"count = {count}").replace("butane.ext", f"{name}.ext")
        box = " ".join(str(edge * length if axis % 4 == 0 else 0) for axis in range(9))
        head = f'{len(placed)}\nLattice="{box}" Properties=species:S:1:pos:R:3\n'
        body = "".join(f"{a} {x:.4f} {y:.4f} {z:.4f}\n" for a, x, y, z in placed)
        (folder / f"{name}.extxyz").write_text(head + body, encoding="ascii")
        paths[name] = folder / f"{name}.toml"
        paths[name].write_text(own, encoding="utf-8")
    return paths, ATOMS * len(molecules)


def measured(program: Path, path: Path, precision: str) -> dict[str, float]:
    """Bytes at the peak, and seconds."""
    text = path.read_text(encoding="utf-8")
    own = path.with_name(f"{path.stem}_{precision}.toml")
    own.write_text(text.replace("[run]\n", f'[run]\nprecision = "{precision}"\n'), "utf-8")
    command = [str(program), own.name, "--overwrite"]
    process = subprocess.Popen(command, cwd=path.parent, stdout=subprocess.DEVNULL)
    peak = 0
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid != 0:
            break
        status = Path(f"/proc/{process.pid}/status").read_text(encoding="ascii")
        found = re.search(r"^VmHWM:\s+(\d+) kB", status, re.MULTILINE)
        peak = max(peak, 1024 * int(found.group(1)) if found else 0)
        time.sleep(0.02)
    if status != 0:
        sys.exit(f"{own.name} has failed")
    return {"peak": peak, "seconds": usage.ru_utime}


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="./dev bench one_rotor", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--charged", action="store_true", help="atoms and rotor with charges")
    parser.add_argument("--before", type=Path, help="another checkout, with a build of sterna-md")
    parser.add_argument("--edges", default="4,7", help="boxes along each edge, of two sizes")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    edges = [int(edge) for edge in options.edges.split(",")]
    programs = {"now": Path(find_program()).resolve()}
    if options.before:
        programs["before"] = options.before.resolve() / "build" / "src" / "app" / "sterna-md"
    runs: dict[tuple[str, str, str], list[list[dict[str, float]]]] = {}
    with tempfile.TemporaryDirectory() as name:
        systems = []
        for edge in edges:
            folder = Path(name) / str(edge)
            folder.mkdir()
            systems.append(write_systems(folder, edge, options.charged))
        for _ in range(options.repeats):
            for precision in ("double", "mixed"):
                for build, program in programs.items():
                    for system in ("flexible", "rotor"):
                        sizes = [
                            measured(program, paths[system], precision) for paths, _ in systems
                        ]
                        runs.setdefault((precision, build, system), []).append(sizes)
    atoms = [count for _, count in systems]
    kind = "charged flexible" if options.charged else "flexible"
    print(f"{atoms[0]} and {atoms[1]} {kind} atoms, {STEPS} steps")
    print("precision  build   system     bytes/atom   us/(atom step)")
    rows = []
    for (precision, build, system), all_of in runs.items():
        small, large = (statistics.median(sizes[k]["peak"] for sizes in all_of) for k in (0, 1))
        best = min(sizes[1]["seconds"] for sizes in all_of)
        row = {"precision": precision, "build": build, "system": system}
        row["bytes_per_atom"] = (large - small) / (atoms[1] - atoms[0])
        row["microseconds"] = 1e6 * best / (atoms[1] * STEPS)
        rows.append(row | {"runs": all_of})
        print(
            f"{precision:10} {build:7} {system:10} {row['bytes_per_atom']:10.1f} "
            f"{row['microseconds']:13.4f}"
        )
    if options.output:
        named = ["--charged"] if options.charged else []
        named += [f"--edges {options.edges}", f"--repeats {options.repeats}"]
        named += ["--before CHECKOUT"] if options.before else []
        report = {
            "command": "./dev bench one_rotor " + " ".join(named),
            "processor": processor(),
            "atoms": atoms,
            "steps": STEPS,
            "rows": rows,
        }
        options.output.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
