#!/usr/bin/env python3
"""Sterna beside the peers that are there, by turns, on the systems of one table.

    ./dev bench peers [--gmx PROGRAM ...] [--gmx-double PROGRAM] [--lammps-intel PROGRAM]
                      [--ls1 PROGRAM] [--cases "mixed_melt,water"] [--repeats 5] [--priority]
                      [--undisturbed MINUTES]

Lennard-Jones melt (32,000 and 256,000 atoms), SPC/E water (31,542 atoms, cutoff 1 nm, 2 fs) with
long-range charges and with a reaction field, carbon dioxide and ethylene oxide (16,384 molecules).
GROMACS is that on the path, or any builds of it that --gmx names; LAMMPS is that of
tools/install_lammps in its fastest styles, and a build with the INTEL package that --lammps-intel
names; ls1-MarDyn is the program that --ls1 names. A peer that is not there is left out, and told.
All engines of a case start from the same positions, pinned to the same core; each round runs them one
after the other. Times are those of the engines' own timers of their loops, ns for each atom (carbon
dioxide, ethylene oxide: each molecule) and step.

For water with long-range charges Sterna takes the fastest accuracy at which its forces on the
molecules are as good as those of GROMACS's PME. The relative error of Sterna is against its own forces
with 1e-7, that of PME against PME with a tolerance of 1e-12, both in double precision. That needs
--gmx-double; without it the accuracy is 5e-4.

A wanted ratio to GROMACS is one to a build for AVX-512; beside another build none is shown.

A ratio is that of medians; beside it stand the least and the most of the ratios within a round.
Writes benchmarks/results/peers.json after every case and, where all cases were measured, the table
of docs/benchmarks.md.
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
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "python"), str(ROOT / "tools")]
sys.path += [str(ROOT / "benchmarks" / name) for name in ("support", "lj_melt")]
import engines  # noqa: E402
import gromacs  # noqa: E402
import ls1  # noqa: E402
import water  # noqa: E402
from document_table import markdown_table, replace_block  # noqa: E402
from process import Cores, EngineError, processor  # noqa: E402
from start import CELLS, SKIN, melt  # noqa: E402
from sterna.launching.program import find_program, version  # noqa: E402
from undisturbed import Undisturbed, add_undisturbed_option  # noqa: E402

RESULTS = ROOT / "benchmarks" / "results" / "peers.json"
WATER_STEPS, FLUID_STEPS = 300, 60
MELT_STEPS = {"32k": 1000, "256k": 200}
NO_PEER_ACCURACY = "5e-4"


@dataclass
class Engine:
    """One column of a case: a name, and a run that returns ns for each atom and step."""

    name: str
    run: Callable[[], float]
    told: Callable[[], str] = str  # its version, after a run


@dataclass
class Comparison:
    """Two engines of a case, and the ratio of their times that is wanted, if any is."""

    sterna: str
    peer: str
    wanted: float | None


@dataclass
class Case:
    """A system, and who runs it."""

    name: str
    engines: list[Engine] = field(default_factory=list)
    comparisons: list[Comparison] = field(default_factory=list)
    notes: dict = field(default_factory=dict)

    def compare(self, sterna: str, peer: Engine, wanted: float | None) -> None:
        if peer not in self.engines:
            self.engines.append(peer)
        self.comparisons.append(Comparison(sterna, peer.name, wanted))


@dataclass
class Peers:
    """The programs that are there, where they work, and how they are run."""

    gromacs: list[str]
    gromacs_double: str | None
    lammps_intel: str | None
    ls1: str | None
    folder: Path
    cores: Cores

    def start(self, size: str):
        return melt(CELLS[size], self.folder / f"start-{size}", len(self.cores.available))


def say(text: str) -> None:
    print(text, flush=True)


def melt_engine(engine, name: str, size: str, ranks: int, peers: Peers) -> Engine:
    """An engine of benchmarks/lj_melt."""
    engine.prepare(peers.start(size))

    def run() -> float:
        return engine.run(ranks, MELT_STEPS[size]).nanoseconds

    return Engine(name, run, lambda: engine.version)


def gromacs_names(peers: Peers) -> list[tuple[str, str]]:
    """Each program with its name in the table."""
    return [(program, gromacs.title(program)) for program in peers.gromacs]


def mixed_melt(peers: Peers) -> Case:
    case = Case("melt 32k, mixed")
    # In Sterna's reduced units, what GROMACS allows in argon's.
    tolerance = engines.GROMACS_TOLERANCE / engines.ARGON_EPSILON * engines.ARGON_TIME
    for name, lists in (("sterna, lists by tolerance", tolerance), ("sterna", None)):
        engine = engines.Sterna("mixed", peers.folder, peers.cores, tolerance=lists)
        case.engines.append(melt_engine(engine, name, "32k", 1, peers))
    for program, name in gromacs_names(peers):
        for wide in (False, True):
            folder = peers.folder / name.replace(" ", "_")
            engine = engines.Gromacs(
                20 if wide else 25, wide, "MPI ranks", folder, peers.cores, program=program
            )
            title = f"{name}, list radius {2.5 + SKIN:g}" if wide else f"{name}, automatic buffer"
            peer = melt_engine(engine, title, "32k", 1, peers)
            # Lists by tolerance are what GROMACS has; the exact ones stand beside them.
            case.compare("sterna, lists by tolerance", peer, 0.60 if wide else 0.80)
            case.compare("sterna", peer, 0.60 if wide else 0.80)
    return case


def double_melt(peers: Peers) -> Case:
    case = Case("melt 32k, double")
    engine = engines.Sterna("double", peers.folder, peers.cores)
    case.engines.append(melt_engine(engine, "sterna", "32k", 1, peers))
    neighbor = "delay 0 every 5 check yes"
    try:
        for style in ("opt", "omp"):
            lammps = engines.Lammps(style, neighbor, peers.folder, peers.cores)
            peer = melt_engine(lammps, f"lammps {style}", "32k", 1, peers)
            # 0.40 of the INTEL package, which takes 0.49 of `opt` where it was measured first.
            case.compare("sterna", peer, None if peers.lammps_intel else 0.40 * 0.49)
    except EngineError as error:
        say(str(error))
    if peers.lammps_intel:
        lammps = engines.Lammps(
            "intel", neighbor, peers.folder, peers.cores, program=peers.lammps_intel
        )
        case.compare("sterna", melt_engine(lammps, "lammps intel", "32k", 1, peers), 0.40)
    return case


def scaling(peers: Peers) -> Case:
    case = Case("melt 256k, mixed, 2 ranks")
    one, two = (
        melt_engine(
            engines.Sterna("mixed", peers.folder, peers.cores), f"sterna, {text}", "256k", n, peers
        )
        for n, text in ((1, "1 rank"), (2, "2 ranks"))
    )
    case.engines = [two]
    if len(peers.cores.available) > 1:
        case.compare(two.name, one, 1 / 1.95)
    return case


def water_accuracy(peers: Peers) -> tuple[str, dict]:
    """The accuracy of Sterna that is as exact as GROMACS, and the errors of both."""
    if not peers.gromacs or not peers.gromacs_double:
        return NO_PEER_ACCURACY, {}
    double = water.GromacsWater(
        "gmx-double", peers.gromacs_double, "PME", peers.folder, peers.cores
    )
    single = water.GromacsWater("gmx", peers.gromacs[0], "PME", peers.folder, peers.cores)
    errors = {
        "gromacs": water.relative_error(single.forces(), double.forces(water.EXACT_PME)),
    }
    forces = partial(water.sterna_forces, peers.folder, peers.cores)
    exact = forces(water.long_range("1e-7"), "double")
    for accuracy in water.ACCURACIES:
        error = water.relative_error(forces(water.long_range(accuracy), "mixed"), exact)
        errors[f"sterna {accuracy}"] = error
        if error <= errors["gromacs"]:
            return accuracy, errors
    return water.ACCURACIES[-1], errors


def water_case(name: str, charges: str, coulomb: str, wanted: float, peers: Peers) -> Case:
    case = Case(name)
    engine = water.SternaWater(find_program(), charges, peers.folder, peers.cores)
    case.engines.append(Engine("sterna", partial(engine.run, WATER_STEPS)))
    for program, title in gromacs_names(peers):
        place = f"{title}-{coulomb}".replace(" ", "_")
        peer = water.GromacsWater(place, program, coulomb, peers.folder, peers.cores)
        case.compare(
            "sterna",
            Engine(title, partial(peer.run, WATER_STEPS), lambda peer=peer: peer.version),
            wanted,
        )
    return case


def long_range_water(peers: Peers) -> Case:
    accuracy, errors = water_accuracy(peers)
    case = water_case("water, long range", water.long_range(accuracy), "PME", 0.85, peers)
    case.notes = {"accuracy": accuracy, "errors": errors}
    return case


def reaction_field_water(peers: Peers) -> Case:
    name = "water, reaction field"
    return water_case(name, water.REACTION_FIELD, "Reaction-Field", 0.70, peers)


def fluid_case(fluid: str, wanted: float, peers: Peers) -> Case:
    case = Case(fluid)
    if not ls1.INPUTS.is_dir():
        say(f"{fluid}: left out, there is no {ls1.INPUTS}")
        return case
    engine = ls1.SternaFluid(fluid, find_program(), peers.folder, peers.cores)
    case.engines.append(Engine("sterna", partial(engine.run, FLUID_STEPS)))
    if peers.ls1:
        peer = ls1.Ls1Fluid(fluid, peers.ls1, peers.folder, peers.cores)
        case.compare("sterna", Engine("ls1", partial(peer.run, FLUID_STEPS)), wanted)
    return case


CASES: dict[str, Callable[[Peers], Case]] = {
    "mixed_melt": mixed_melt,
    "double_melt": double_melt,
    "water": long_range_water,
    "reaction_field": reaction_field_water,
    "ethylene_oxide": lambda peers: fluid_case("ethylene oxide", 1 / 4.5, peers),
    "carbon_dioxide": lambda peers: fluid_case("carbon dioxide", 1 / 5.5, peers),
    "scaling": scaling,
}


def measure(case: Case, repeats: int, undisturbed: Undisturbed) -> dict:
    """The times of each engine, round after round; one that fails is left out from then on."""
    times: dict[str, list[float]] = {engine.name: [] for engine in case.engines}
    failures = {}
    for number in range(1, repeats + 1):
        for engine in case.engines:
            if engine.name in failures:
                continue
            try:
                times[engine.name].append(undisturbed.run(engine.run)[0])
            except EngineError as error:
                failures[engine.name] = str(error)
                say(f"{case.name}: {engine.name} is left out: {error}")
        line = ", ".join(f"{name} {all_[-1]:.1f}" for name, all_ in times.items() if all_)
        say(f"{case.name}, round {number} of {repeats}: {line}")
    return {
        "times": {name: values for name, values in times.items() if name not in failures},
        "failures": failures,
        "versions": {engine.name: engine.told() for engine in case.engines},
        **case.notes,
    }


def compared(case: Case, measured: dict) -> list[dict]:
    """Ratios of the medians, and the spread of those of a round."""
    rows = []
    for pair in case.comparisons:
        own, peer = (measured["times"].get(name) for name in (pair.sterna, pair.peer))
        if not own or not peer:
            continue
        rounds = [a / b for a, b in zip(own, peer, strict=True)]
        version = measured["versions"][pair.peer]
        # What is wanted is meant for the best build.
        is_best = "GROMACS" not in version or "AVX_512" in version
        rows.append(
            {
                "sterna": pair.sterna,
                "peer": pair.peer,
                "ratio": statistics.median(own) / statistics.median(peer),
                "least": min(rounds),
                "most": max(rounds),
                "wanted": pair.wanted if is_best else None,
            }
        )
    return rows


def verdict(ratio: float, wanted: float | None) -> tuple[str, str]:
    if wanted is None:
        return "", ""
    return f"{wanted:.3f}", "met" if ratio <= wanted else "missed"


def table(results: dict) -> str:
    header = ["case", "engine", "ns", "beside", "ns", "ratio", "in a round", "wanted", ""]
    rows = []
    for name, measured in results["cases"].items():
        medians = {engine: statistics.median(times) for engine, times in measured["times"].items()}
        for row in measured["ratios"]:
            own, peer = row["sterna"], row["peer"]
            rows.append(
                [
                    name,
                    own,
                    f"{medians[own]:.1f}",
                    peer,
                    f"{medians[peer]:.1f}",
                    f"{row['ratio']:.3f}",
                    f"{row['least']:.3f} to {row['most']:.3f}",
                    *verdict(row["ratio"], row["wanted"]),
                ]
            )
        if not measured["ratios"]:
            rows += [[name, engine, f"{ns:.1f}", *[""] * 6] for engine, ns in medians.items()]
    return markdown_table(header, rows)


def caption(results: dict) -> str:
    """What was measured where."""
    found = {
        version
        for measured in results["cases"].values()
        for version in measured["versions"].values()
        if version
    }
    text = f"`{results['command']}`, {results['date']}, {results['processor']}"
    programs = ", ".join(sorted(found | {"sterna " + results["sterna"]}))
    return f"{text}; {programs}. ns for each atom, or each molecule, and step:"


def command_text() -> str:
    """As it was typed, but for the places of programs and of starts."""
    words = sys.argv[1:]
    if "--folder" in words:
        at = words.index("--folder")
        del words[at : at + 2]
    for at, word in enumerate(words[:-1]):
        if word in ("--gmx", "--gmx-double", "--lammps-intel", "--ls1"):
            words[at + 1] = "PROGRAM"
    return shlex.join(["./dev", "bench", "peers", *words])


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="./dev bench peers",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--gmx", action="append", default=[], help="a build of GROMACS; may be repeated"
    )
    parser.add_argument("--gmx-double", default=shutil.which("gmx_d"), help="for the force error")
    parser.add_argument("--lammps-intel", help="a build of LAMMPS that has the INTEL package")
    parser.add_argument("--ls1", help="the program MarDyn")
    parser.add_argument("--cases", default=",".join(CASES), help=f"of {', '.join(CASES)}")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--folder", type=Path, help="keep the melted starts here for the next time")
    parser.add_argument(
        "--priority", action="store_true", help="before all other processes (needs to be root)"
    )
    add_undisturbed_option(parser, "for a case")
    options = parser.parse_args()
    names = options.cases.split(",")
    for name in names:
        if name not in CASES:
            parser.error(f"--cases: {name!r} is none of {', '.join(CASES)}")
    if options.priority:
        os.environ["STERNA_BENCH_PRIORITY"] = "-20"
    found = shutil.which("gmx")
    programs_of_gromacs = options.gmx or ([found] if found else [])
    if not programs_of_gromacs:
        say("no GROMACS: there is no gmx on the path, and --gmx names none")
    if not options.lammps_intel:
        say("no LAMMPS with the INTEL package: --lammps-intel names none")
    if not options.ls1:
        say("no ls1-MarDyn: --ls1 names none")
    if not ls1.INPUTS.is_dir() and {"ethylene_oxide", "carbon_dioxide"} & set(names):
        say(f"no inputs of ls1-MarDyn, for ethylene oxide and carbon dioxide: {ls1.INPUTS}")
    results = {
        "command": command_text(),
        "date": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
        "processor": processor(),
        "sterna": version(),
        "cases": {},
    }
    with tempfile.TemporaryDirectory(prefix="peers-") as temporary:
        folder = (options.folder or Path(temporary)).resolve()
        peers = Peers(
            programs_of_gromacs,
            options.gmx_double,
            options.lammps_intel,
            options.ls1,
            folder,
            Cores(),
        )
        for name in names:
            case = CASES[name](peers)
            undisturbed = Undisturbed(peers.cores, 60.0 * options.undisturbed)
            measured = measure(case, options.repeats if case.engines else 0, undisturbed)
            measured["repeated"] = undisturbed.repeated
            measured["ratios"] = compared(case, measured)
            results["cases"][case.name] = measured
            RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    text = table(results)
    say(f"\n{text}")
    if names == list(CASES):
        replace_block("benchmarks.md", "peers", f"{caption(results)}\n\n{text}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
