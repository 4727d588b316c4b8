#!/usr/bin/env python3
"""A protein in water, water and butane beside GROMACS and beside another build of Sterna, by turns.

    ./dev bench biomolecules [--systems protein,water,butane] [--before CHECKOUT] [--gmx PROGRAM]
                             [--gmx-double PROGRAM] [--repeats 5] [--steps 400] [--ranks 1,2]
                             [--priority] [--undisturbed MINUTES]

Systems: systems.py. Bonds of hydrogen constrained, 2 fs, cutoff 0.9 nm, velocity rescaling, mixed
precision, a pinned core for each rank. Sterna: once with exact lists and smaller force errors, once
as GROMACS does by default: lists by a tolerance of 0.005 kJ/mol/ps, charges with an error no larger
than that of GROMACS's PME, and a tree that is timed at the start, as GROMACS tunes its PME. The
protein is also run as the first of these with rigid water as components, whose motion needs no
constraints.
GROMACS: PME with its defaults, where a `gmx` is found or given;
`--gmx` may come again, for other builds. CHECKOUT is another checkout with a build of `sterna-md`.
The time of a step is that of the step loop, as each program reports it. The numbers of ranks of a
program run one after the other, both at the same speed of the machine; the ratio of their rates is
the median of those of a round.

Root-mean-square errors of the forces on the start: Sterna's against its own with an error of 1e-7;
with a GROMACS in double precision (`gmx_d`), GROMACS's against PME with a tolerance of 1e-12, waves
of 0.045 nm and splines of order 10.

Prints tables; writes benchmarks/results/biomolecules.json.
"""

import argparse
import json
import os
import re
import shutil
import statistics
import sys
import tempfile
import tomllib
from collections.abc import Callable
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "python"), str(ROOT / "benchmarks" / "support")]
import gromacs  # noqa: E402
from process import Cores, EngineError, processor, run_process  # noqa: E402
from sterna.launching.launch import command_line  # noqa: E402
from systems import (  # noqa: E402
    COMPONENTS,
    RUN_PARAMETERS,
    SETTINGS,
    SYSTEMS,
    TIMESTEP,
    System,
    called,
    input_of,
    replaced,
)
from undisturbed import Undisturbed, add_undisturbed_option  # noqa: E402

RESULTS = ROOT / "benchmarks" / "results" / "biomolecules.json"
REFERENCE_PARAMETERS = "ewald-rtol = 1e-12\nfourierspacing = 0.045\npme-order = 10\n"


def rms(vectors) -> float:
    return float((vectors**2).sum(axis=1).mean() ** 0.5)


def sterna_force_errors(folder: Path, unit: float) -> dict[str, float]:
    """Of each setting, in kJ/mol/nm."""
    import sterna

    def forces(text: str):
        text = replaced(text, r"steps = \d+", "steps = 0")
        path = folder / "forces.toml"
        path.write_text(text, encoding="utf-8")
        simulation = sterna.Simulation.from_file(str(path))
        simulation.run(0)
        return unit * simulation.gather("force")

    texts = {name: input_of(folder, name).read_text(encoding="utf-8") for name in SETTINGS}
    exact = replaced(texts["sterna"], r"accuracy = \S+", "accuracy = 1e-7")
    reference = forces(exact.replace('precision = "mixed"', 'precision = "double"'))
    return {name: rms(forces(text) - reference) for name, text in texts.items()}


def gromacs_forces(folder: Path, gmx: str, more: str):
    """On the atoms of the start, in kJ/mol/nm."""
    import numpy

    parameters = RUN_PARAMETERS.replace("nsteps = 100000", "nsteps = 0")
    parameters = parameters.replace("gen-vel = yes\ngen-temp = 300\n", "gen-vel = no\n")
    parameters += "continuation = yes\nnstfout = 1\n" + more
    (folder / "forces.mdp").write_text(parameters, encoding="utf-8")
    called(
        folder,
        *[gmx, "grompp", "-f", "forces.mdp", "-c", "start.gro", "-p", "start.top"],
        *["-o", "forces.tpr", "-maxwarn", "9"],
    )
    called(folder, gmx, "mdrun", "-s", "forces.tpr", "-ntmpi", "1", "-ntomp", "1", "-o", "f.trr")
    rows = re.findall(r"^ +f\[.*\{(.*)\}", called(folder, gmx, "dump", "-f", "f.trr"), re.M)
    return numpy.array([[float(number) for number in row.split(",")] for row in rows])


def gromacs_input(folder: Path, gmx: str) -> None:
    """`measured.tpr`."""
    (folder / "run.mdp").write_text(RUN_PARAMETERS, encoding="utf-8")
    # The protein's box is charged, and generated velocities are not meant for a production run.
    called(
        folder,
        *[gmx, "grompp", "-f", "run.mdp", "-c", "start.gro", "-p", "start.top"],
        *["-o", "measured.tpr", "-maxwarn", "9"],
    )


def sterna_run(
    program: Path, folder: Path, cores: Cores, system: System, settings: str, ranks: int
) -> dict:
    arguments = [str(input_of(folder, settings)), "--overwrite", "--verbose"]
    command, environment = command_line(ranks, arguments, program)
    at = command.index(str(program))
    launcher = command[:at] if ranks > 1 else []
    text, _ = run_process(
        [*launcher, *cores.pinned(ranks, command[at:])], folder, dict(os.environ) | environment
    )
    found = re.search(r"([\d.]+) ns per particle and step", text)
    if not found:
        raise EngineError(text)
    error = re.search(r"relative error of the forces ([\d.e-]+)", text)
    log = input_of(folder, settings).with_suffix(".log.jsonl").name
    last = (folder / "output" / log).read_text(encoding="utf-8").splitlines()[-1]
    seconds = {
        row[1].strip(): float(row[2])
        for row in re.finditer(r"^([a-z_ ]+?) {2,}([\d.]+) +[\d.]+ +[\d.]+ +[\d.]+%", text, re.M)
    }
    # Of each atom: a rigid molecule that is a component is one particle.
    molecules = tomllib.loads(input_of(folder, settings).read_text(encoding="utf-8"))["molecule"]
    particles = sum(molecule["count"] * len(molecule["atom"]) for molecule in molecules)
    return {
        "ns": float(found[1]) * particles / system.atoms,
        "force_error": float(error[1]) if error else None,
        "communication_share": json.loads(last)["timing"]["communication_share"],
        "seconds": seconds,
    }


def gromacs_run(gmx: str, folder: Path, cores: Cores, system: System, ranks: int) -> dict:
    run_process(
        cores.together(
            ranks,
            [gmx, "mdrun", "-s", "measured.tpr", "-ntmpi", ranks, "-ntomp", "1", "-noconfout"]
            + ["-nsteps", system.steps, "-g", "measured.log", "-pin", "on" if ranks > 1 else "off"],
        ),
        folder,
        dict(os.environ),
    )
    log = (folder / "measured.log").read_text(encoding="utf-8", errors="replace")
    per_day = float(re.findall(r"^Performance: +([\d.]+)", log, re.M)[-1])  # ns
    version = re.search(r"GROMACS version: +(\S+)", log)
    simd = re.search(r"SIMD instructions: +(\S+)", log)
    return {
        "ns": 86400e9 * TIMESTEP / 1000.0 / per_day / system.atoms,
        "version": version[1] if version else "",
        "simd": simd[1] if simd else "",
    }


def measured(system: System, folder: Path, programs_of_gromacs: list[str], options) -> dict:
    """The force errors and all runs of a system, by turns."""
    cores = Cores()
    folder.mkdir()
    first = programs_of_gromacs[0] if programs_of_gromacs else None
    system.prepare(folder, first)
    errors = sterna_force_errors(folder, system.force_unit)
    if first:
        gromacs_input(folder, first)
        if options.gmx_double:
            exact = gromacs_forces(folder, options.gmx_double, REFERENCE_PARAMETERS)
            errors["gromacs"] = rms(gromacs_forces(folder, first, "") - exact)
    # Name of a row: program and settings.
    names = [*SETTINGS, COMPONENTS] if system.has_components else SETTINGS
    programs = {name: (Path(os.environ["STERNA_MD"]).resolve(), name) for name in names}
    if options.before:
        programs["sterna before"] = (options.before.resolve() / "build/src/app/sterna-md", "sterna")
    engines: dict[str, Callable[[int], dict]] = {}
    for engine, (program, settings) in programs.items():
        engines[engine] = partial(sterna_run, program, folder, cores, system, settings)
    for gmx in programs_of_gromacs:
        engines[gromacs.title(gmx)] = partial(gromacs_run, gmx, folder, cores, system)
    rank_counts = [int(count) for count in options.ranks.split(",")]
    rows: dict[str, list[dict]] = {row_name(e, ranks): [] for ranks in rank_counts for e in engines}
    undisturbed = Undisturbed(cores, 60.0 * options.undisturbed)
    for _ in range(options.repeats):
        for engine, run in engines.items():
            for ranks in rank_counts:
                found, slowdown = undisturbed.run(partial(run, ranks))
                rows[row_name(engine, ranks)].append(found | {"slowdown": slowdown})
    return {
        "atoms": system.atoms,
        "steps": system.steps,
        "force_errors": errors,
        "repeated": undisturbed.repeated,
        "runs": rows,
    }


def row_name(engine: str, ranks: int) -> str:
    """The name of a row."""
    return f"{engine}, {ranks} ranks" if ranks > 1 else engine


def show_scaling(engine: str, runs: dict[str, list[dict]]) -> None:
    """How many times as fast as one rank more of them are."""
    for other, of_other in runs.items():
        if not re.fullmatch(rf"{re.escape(engine)}, \d+ ranks", other):
            continue
        ratios = sorted(
            one["ns"] / more["ns"] for one, more in zip(runs[engine], of_other, strict=True)
        )
        print(
            f"{other}: {statistics.median(ratios):.2f} times the rate of one "
            f"({ratios[0]:.2f} to {ratios[-1]:.2f})"
        )


def show(name: str, result: dict) -> None:
    print(f"{name:30}{'median':>10}{'least':>10}{'most':>10}   ns for each atom and step")
    for engine, runs in result["runs"].items():
        times = sorted(run["ns"] for run in runs)
        share = [run["communication_share"] for run in runs if "communication_share" in run]
        told = f"   communication {statistics.median(share):.1%}" if share else ""
        print(f"{engine:30}{statistics.median(times):10.0f}{times[0]:10.0f}{times[-1]:10.0f}{told}")
    for engine in result["runs"]:
        show_scaling(engine, result["runs"])
    for engine, error in result["force_errors"].items():
        print(f"force error of {engine}: {error:.2f} kJ/mol/nm")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--systems", default=",".join(SYSTEMS), help=f"of {', '.join(SYSTEMS)}")
    parser.add_argument("--before", type=Path, help="another checkout, with a build of sterna-md")
    parser.add_argument("--gmx", action="append", help="a GROMACS; again for others (or on PATH)")
    parser.add_argument("--gmx-double", default=shutil.which("gmx_d"), help="for the force error")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--ranks", default="1,2", help="numbers of ranks, with commas")
    parser.add_argument(
        "--priority", action="store_true", help="before all other processes (needs to be root)"
    )
    add_undisturbed_option(parser, "for a system")
    options = parser.parse_args()
    names = options.systems.split(",")
    for name in names:
        if name not in SYSTEMS:
            parser.error(f"--systems: {name!r} is none of {', '.join(SYSTEMS)}")
    if options.priority:
        os.environ["STERNA_BENCH_PRIORITY"] = "-20"
    programs_of_gromacs = options.gmx or [found for found in [shutil.which("gmx")] if found]
    results = {
        "command": f"./dev bench biomolecules --systems {options.systems}"
        + (" --before CHECKOUT" if options.before else "")
        + " --gmx PROGRAM" * len(options.gmx or [])
        + (" --gmx-double PROGRAM" if options.gmx_double else "")
        + f" --repeats {options.repeats} --steps {options.steps} --ranks {options.ranks}"
        + (" --priority" if options.priority else "")
        + (f" --undisturbed {options.undisturbed:g}" if options.undisturbed else ""),
        "machine": processor(),
        "systems": {},
    }
    present = []
    for name in names:
        if absent := SYSTEMS[name].missing():
            print(f"{name}: left out, there is no {absent}", file=sys.stderr)
        elif SYSTEMS[name].needs_gromacs and not programs_of_gromacs:
            print(f"{name}: left out, it needs a GROMACS", file=sys.stderr)
        else:
            present.append(name)
    with tempfile.TemporaryDirectory() as temporary:
        for name in present:
            system = SYSTEMS[name]
            system.steps = options.steps
            result = measured(system, Path(temporary) / name, programs_of_gromacs, options)
            results["systems"][name] = result
            show(name, result)
            RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
