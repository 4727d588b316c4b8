#!/usr/bin/env python3
"""What threads could gain over ranks at most: two runs of one rank at once beside one of two ranks.

    ./dev bench threads [--systems melt,protein,water,butane] [--repeats 5] [--priority]

Two runs at once share memory bandwidth, caches and clock, and nothing else: neither waits for the
other, copies ghosts or computes a pair twice. Half of their time is what two threads of one run
would take if all their work were divided evenly and they never met. (Threads share one copy of the
data where two runs have two, so what fits the caches once but not twice is not told apart.)

The melt has 256 thousand particles, the other systems are those of `biomolecules`, as GROMACS runs
them; mixed precision, a pinned core for each rank, by turns. Prints a table, ns for each particle
and step; writes benchmarks/results/threads.json.
"""

import argparse
import json
import os
import re
import shlex
import shutil
import statistics
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "python"), str(ROOT / "benchmarks" / "support")]
sys.path += [str(ROOT / "benchmarks" / name) for name in ("biomolecules", "lj_melt")]
from process import Cores, EngineError, processor, run_process  # noqa: E402
from start import sterna_input  # noqa: E402
from sterna.launching.launch import command_line  # noqa: E402
from sterna.launching.program import find_program  # noqa: E402
from systems import SETTINGS, SYSTEMS, input_of  # noqa: E402

RESULTS = ROOT / "benchmarks" / "results" / "threads.json"
STEPS = 200


def prepared(name: str, folder: Path, gmx: str | None) -> str:
    """The name of the input, which is then in the folder."""
    if name == "melt":
        (folder / "melt.toml").write_text(sterna_input(40, "mixed", STEPS), encoding="utf-8")
        return "melt.toml"
    system = SYSTEMS[name]
    system.steps = STEPS
    if system.missing() or (system.needs_gromacs and gmx is None):
        raise EngineError(f"{name} needs {system.missing() or 'GROMACS'}")
    system.prepare(folder, gmx)
    return input_of(folder, SETTINGS[1]).name


def step_time(folder: Path, name: str, cores: Cores, ranks: int) -> float:
    """ns for each particle and step."""
    program = find_program()
    command, environment = command_line(ranks, [name, "--overwrite"], program)
    at = command.index(str(program))
    launcher = command[:at] if ranks > 1 else []
    text, _ = run_process(
        [*launcher, *cores.pinned(ranks, command[at:])], folder, dict(os.environ) | environment
    )
    found = re.search(r"([\d.]+) ns per particle and step", text)
    if not found:
        raise EngineError(text)
    return float(found[1])


def measured(name: str, folder: Path, gmx: str | None, repeats: int) -> dict:
    cores = Cores()
    single = [Cores(), Cores()]
    for place, one in enumerate(single):
        one.available = cores.chosen(2)[place : place + 1]
    folders = [folder / "first", folder / "second"]
    folders[0].mkdir(parents=True)
    text = prepared(name, folders[0], gmx)
    shutil.copytree(folders[0], folders[1])
    times: dict[str, list] = {"one rank": [], "two runs at once": [], "two ranks": []}
    for _ in range(repeats):
        times["one rank"].append(step_time(folders[0], text, cores, 1))
        with ThreadPoolExecutor(2) as pool:
            both = list(pool.map(lambda n: step_time(folders[n], text, single[n], 1), (0, 1)))
        times["two runs at once"].append(statistics.mean(both) / 2.0)
        times["two ranks"].append(step_time(folders[0], text, cores, 2))
    gains = [
        ranks / at_once
        for ranks, at_once in zip(times["two ranks"], times["two runs at once"], strict=True)
    ]
    return {"times": times, "gain": {"median": statistics.median(gains), "rounds": gains}}


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="./dev bench threads",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    names = ["melt", *SYSTEMS]
    parser.add_argument("--systems", default=",".join(names), help=f"of {', '.join(names)}")
    parser.add_argument("--gmx", default=shutil.which("gmx"), help="prepares some inputs")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument(
        "--priority", action="store_true", help="before all other processes (needs to be root)"
    )
    options = parser.parse_args()
    chosen = options.systems.split(",")
    for name in chosen:
        if name not in names:
            parser.error(f"--systems: {name!r} is none of {', '.join(names)}")
    if options.priority:
        os.environ["STERNA_BENCH_PRIORITY"] = "-20"
    if len(Cores().available) < 2:
        parser.error("this needs two cores")
    results = {
        "command": shlex.join(["./dev", "bench", "threads", *sys.argv[1:]]),
        "date": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
        "processor": processor(),
        "systems": {},
    }
    print(f"{'':10}{'one rank':>12}{'two runs':>12}{'two ranks':>12}   threads could gain at most")
    for name in chosen:
        with tempfile.TemporaryDirectory(prefix="threads-") as folder:
            row = measured(name, Path(folder), options.gmx, options.repeats)
        results["systems"][name] = row
        medians = [statistics.median(times) for times in row["times"].values()]
        rounds = row["gain"]["rounds"]
        print(
            f"{name:10}{medians[0]:12.1f}{medians[1]:12.1f}{medians[2]:12.1f}"
            f"   {row['gain']['median'] - 1:.1%} ({min(rounds) - 1:.1%} to {max(rounds) - 1:.1%})",
            flush=True,
        )
        RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
