#!/usr/bin/env python3
"""Updates per second of molecules: one, four and six sites, at the sizes of ls1-MarDyn's examples.

    ./dev bench molecules [--cases lj,ethylene_oxide,carbon_dioxide] [--ranks 1,2]
        [--precisions double,mixed] [--repeats 3] [--priority]

lj: 108,000 single Lennard-Jones sites, density 0.8, temperature 1, cutoff 2.5.
ethylene_oxide: 55,296 molecules of three Lennard-Jones sites and a dipole, about 202 neighbors.
carbon_dioxide: 55,296 molecules of three Lennard-Jones sites and three charges, likewise.

Models and state points are those of ls1-MarDyn's examples EOX (600 K), CO2 (370 K; both at 15 mol/l)
and of a plain fluid, in the examples' units (bohr, 1000 u, hartree). A lattice is first run until it
is a fluid; then each measurement resumes from that checkpoint, pinned to the same cores, at constant
energy. Times are those of the step loop: lists, halo, forces, rotation, everything.

Prints a table; writes benchmarks/results/molecules.json after every measurement and, at the end, the
table of docs/benchmarks.md.
"""

import argparse
import json
import os
import shlex
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "python"), str(ROOT / "tools"), str(ROOT / "benchmarks" / "support")]
from document_table import markdown_table, replace_block  # noqa: E402
from process import Cores, processor, run_process  # noqa: E402
from sterna.launching.launch import command_line  # noqa: E402
from sterna.launching.program import find_program, version  # noqa: E402

RESULTS = ROOT / "benchmarks" / "results" / "molecules.json"

INPUT = """\
units = "reduced"

[run]
name = "fluid"
steps = {steps}
timestep = {timestep}
precision = "{precision}"
seed = 4711

[start]
kind = "lattice"
lattice = "fcc"
cells = [{cells}, {cells}, {cells}]
density = {density}
temperature = {temperature}

{particles}
[interaction]
cutoff = {cutoff}
truncation = "truncated"
{electrostatics}
[neighbor]
skin = {skin}

[output]
thermo_interval = {melting}
"""


def site(kind: str, position: tuple, **values: float | list) -> str:
    lines = [f"{name} = {value}" for name, value in values.items()]
    return "\n".join(
        ["[[component.site]]", f'kind = "{kind}"', f"position = {list(position)}", *lines, ""]
    )


ATOM = '[[type]]\nname = "A"\n'

ETHYLENE_OXIDE = "\n".join(
    [
        '[[component]]\nname = "EOX"\n',
        site(
            "lennard_jones", (0, 1.46711523, 0), mass=0.016, epsilon=1.96741979e-4, sigma=5.84473626
        ),
        site(
            "lennard_jones",
            (1.47398696, -0.83835156, 0),
            mass=0.014,
            epsilon=2.68352891e-4,
            sigma=6.66431081,
        ),
        site(
            "lennard_jones",
            (-1.47398696, -0.83835156, 0),
            mass=0.014,
            epsilon=2.68352891e-4,
            sigma=6.66431081,
        ),
        site("dipole", (0, 0, 0), dipole_moment=0.967443691, axis=[0, 1, 0]),
    ]
)

CARBON_DIOXIDE = "\n".join(
    [
        '[[component]]\nname = "CO2"\n',
        site("lennard_jones", (0, 0, 0), mass=0.012, epsilon=3.91811245e-5, sigma=5.31712452),
        site(
            "lennard_jones", (0, 0, -2.43188952), mass=0.016, epsilon=3.1824324e-4, sigma=5.62288233
        ),
        site(
            "lennard_jones", (0, 0, 2.43188952), mass=0.016, epsilon=3.1824324e-4, sigma=5.62288233
        ),
        site("charge", (0, 0, 0), charge=21.2),
        site("charge", (0, 0, -0.377945376), charge=-10.6),
        site("charge", (0, 0, 0.377945376), charge=-10.6),
    ]
)

MOLECULES = {
    "cells": 24,  # of four molecules: 55,296
    "density": 55296 / 345.686712**3,
    "cutoff": 33.0702,
    "skin": 2.0,
    "timestep": 0.0667516,  # 2.18 fs
    "melting": 400,
    "steps": 60,
}
CASES = {
    "lj": {
        "particles": ATOM,
        "electrostatics": "",
        "cells": 30,
        "density": 0.8,
        "temperature": 2.0,  # of the crystal: half of it goes into melting
        "cutoff": 2.5,
        "skin": 0.3,
        "timestep": 0.004,
        "melting": 600,
        "steps": 400,
    },
    "ethylene_oxide": {
        "particles": ETHYLENE_OXIDE,
        "electrostatics": 'electrostatics = "reaction_field"\n',
        "temperature": 0.0019000901,
        **MOLECULES,
    },
    "carbon_dioxide": {
        "particles": CARBON_DIOXIDE,
        "electrostatics": 'electrostatics = "truncated"\n',
        "temperature": 0.00117172223,
        **MOLECULES,
    },
}
# Million updates a second on one core, in double precision.
TARGETS = {"lj": 6.4, "ethylene_oxide": 0.385, "carbon_dioxide": 0.335}


def listed(choices: list[str]):
    def split(text: str) -> list[str]:
        for word in text.split(","):
            if word not in choices:
                raise argparse.ArgumentTypeError(f"{word}: not one of {', '.join(choices)}")
        return text.split(",")

    return split


def write_input(case: str, precision: str, steps: int, folder: Path) -> None:
    values = {**CASES[case], "steps": steps, "precision": precision}
    (folder / "fluid.toml").write_text(INPUT.format(**values))


def run(folder: Path, ranks: int, cores: Cores, *options: str) -> dict:
    """The timing of a run of fluid.toml, as its log tells it."""
    command, environment = command_line(ranks, ["fluid.toml", *options])
    program = command.index(str(find_program()))
    launcher = command[:program] if ranks > 1 else []
    run_process([*launcher, *cores.pinned(ranks, command[program:])], folder, environment)
    return json.loads((folder / "fluid.log.jsonl").read_text().splitlines()[-1])["timing"]


def measure(case: str, ranks: int, precision: str, start: Path, cores: Cores) -> dict:
    folder = start / "measured"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    # A run does not write into the checkpoint that it starts from, but beside it.
    os.link(start / "fluid.checkpoint", folder / "fluid.checkpoint")
    shutil.copy(start / "fluid.log.jsonl", folder)
    steps = CASES[case]["steps"]
    write_input(case, precision, CASES[case]["melting"] + steps, folder)
    timing = run(folder, ranks, cores, "--resume")
    if timing["steps"] != steps:
        sys.exit(f"{case}: {timing['steps']} steps were run instead of {steps}")
    molecules = 4 * CASES[case]["cells"] ** 3
    per_step = 1e9 / steps / molecules
    return {
        "case": case,
        "ranks": ranks,
        "precision": precision,
        "molecules": molecules,
        "million_updates_per_second": molecules * steps / timing["seconds"] * 1e-6,
        "rebuilds": timing["rebuilds"],
        "communication_share": timing["communication_share"],
        "nanoseconds_per_molecule_step": {
            name: phase["avg"] * per_step for name, phase in timing["phases"].items()
        },
        "load_average": round(os.getloadavg()[0], 2),
    }


def table(measurements: list[dict]) -> str:
    rates: dict[tuple, list[float]] = {}
    for m in measurements:
        key = (m["case"], m["molecules"], m["ranks"], m["precision"])
        rates.setdefault(key, []).append(m["million_updates_per_second"])
    rows = []
    for (case, molecules, ranks, precision), values in rates.items():
        target = TARGETS[case] if (ranks, precision) == (1, "double") else None
        median = statistics.median(values)
        rows.append(
            [
                case,
                f"{molecules:,}",
                str(ranks),
                precision,
                f"{median:.3f}",
                f"{min(values):.3f}",
                f"{max(values):.3f}",
                "" if target is None else f"{target} ({'met' if median >= target else 'missed'})",
            ]
        )
    header = ["case", "molecules", "ranks", "precision", "median", "least", "most", "target"]
    return markdown_table(header, rows)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cases", type=listed(list(CASES)), default=list(CASES))
    parser.add_argument("--ranks", type=listed(["1", "2"]), default=["1", "2"])
    parser.add_argument(
        "--precisions", type=listed(["double", "mixed"]), default=["double", "mixed"]
    )
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument(
        "--priority", action="store_true", help="before all other processes (needs to be root)"
    )
    parser.add_argument("--folder", type=Path, help="keep the fluids here for the next time")
    arguments = parser.parse_args()
    if arguments.priority:
        os.environ["STERNA_BENCH_PRIORITY"] = "-20"
    cores = Cores()
    content = {
        "command": command(),
        "date": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
        "machine": {"processor": processor(), "cores": len(cores.available)},
        "version": version(),
        "measurements": [],
    }
    with tempfile.TemporaryDirectory() as temporary:
        base = arguments.folder or Path(temporary)
        for case in arguments.cases:
            start = base / case
            if not (start / "fluid.checkpoint").exists():
                start.mkdir(parents=True, exist_ok=True)
                write_input(case, "double", CASES[case]["melting"], start)
                run(start, len(cores.available), cores)
        for _ in range(arguments.repeats):
            for case in arguments.cases:
                for ranks in map(int, arguments.ranks):
                    for precision in arguments.precisions:
                        measured = measure(case, ranks, precision, base / case, cores)
                        print(json.dumps(measured), flush=True)
                        content["measurements"].append(measured)
                        RESULTS.write_text(json.dumps(content, indent=1) + "\n")
    text = table(content["measurements"])
    print(text)
    machine = f"{content['machine']['processor']}, {content['machine']['cores']} cores"
    caption = f"`{content['command']}`, {content['date']}, {machine}; million updates per second:"
    replace_block("benchmarks.md", "molecules", f"{caption}\n\n{text}")


def command() -> str:
    """As it was typed, but for where the fluids are kept."""
    words = sys.argv[1:]
    if "--folder" in words:
        at = words.index("--folder")
        del words[at : at + 2]
    return shlex.join(["./dev", "bench", "molecules", *words])


if __name__ == "__main__":
    main()
