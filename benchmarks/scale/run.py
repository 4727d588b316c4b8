#!/usr/bin/env python3
"""A step of water on 64 to 4096 ranks, predicted: real messages, measured computing, simulated networks.

    ./dev bench scale [--record] [--computing] [--priority]
                      [--replay] [--ranks 64,512] [--minutes 30] [--add] [--check 64]

--record: runs water on one rank, for computing times down to 648 atoms, and on 8 ranks, for the bytes
of each exchange, which the formulas of regions.py and tree.py must give, and for reductions.
--replay: a cube of 10^6, 10^7 and 10^8 atoms on 64, 512 and 4096 ranks of a fat tree and of a torus,
message by message (replay.cpp), as far as --minutes go. Without either: both. --check also replays by SimGrid, which shares
links among messages, on that many ranks (apt-get install libsimgrid-dev): it takes minutes.

What it says is a prediction, not a measurement. Writes benchmarks/results/scale.json and the tables
of docs/benchmarks.md.
"""

import argparse
import concurrent.futures
import json
import os
import shlex
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "python"), str(ROOT / "tools")]
sys.path += [str(ROOT / "benchmarks" / name) for name in ("support", "biomolecules")]
import tables  # noqa: E402
from document_table import replace_block  # noqa: E402
from model import Costs, Water, fitted_factors  # noqa: E402
from network import ReplayError, build, replay  # noqa: E402
from prediction import predicted, tree_of_water  # noqa: E402
from process import Cores, EngineError, processor  # noqa: E402
from recording import (  # noqa: E402
    BASES,
    Case,
    base_input,
    computing_ns,
    count_reductions,
    exchanges_of,
    parts_of_multipole_method,
    run,
    tree_of,
    write_case,
)
from tree import Tree, work_of  # noqa: E402

RESULTS = ROOT / "benchmarks" / "results" / "scale.json"
ATOMS = (1e6, 1e7, 1e8)
RANKS = (64, 512, 4096)
NETWORKS = ("fat_tree", "torus")
#: Name, method of replay.cpp, staged, numbers reduced one by one.
METHODS = {
    "p2p, direct": ("p2p", False, False),
    "p2p, staged": ("p2p", True, False),
    "put, direct": ("put", False, False),
    "put, staged": ("put", True, False),
    "put, direct, numbers one by one": ("put", False, True),
}
#: As the program chooses it; by its key `levels`; and what costs least on one core.
CHOSEN = "chosen"
OTHER_TREES = ("levels", "of one core")
SMALL = [Case(6), Case(10), Case(14)]
ON_EIGHT = [
    *[Case(10), Case(14), Case(14, (2, 2, 2))],
    *[Case(14, (2, 2, 2), levels=2), Case(14, (2, 2, 2), levels=3)],
]
STEPS_ON_EIGHT = 40
REPEATS = 5


def say(text: str) -> None:
    print(text, flush=True)


def record_computing(folder: Path, cores: Cores) -> list[dict]:
    rows = []
    for case in SMALL:
        path = write_case(folder, case, max(20, int(8e5 / case.atoms)))
        runs = [run(path, 1, cores) for _ in range(REPEATS)]
        tree = tree_of(runs[0]["settings"], case.levels)
        times = [computing_ns(one, case.atoms) for one in runs]
        row = {"atoms": case.atoms, "top": tree.top, "levels": tree.levels, "order": tree.order}
        row |= {key: round(min(one[key] for one in times), 1) for key in times[0]}
        seconds = runs[0]["timing"]["phases"]
        names = ("lennard_jones", "bonded", "pair list", "sorting", "periodic images")
        others = sum(
            row["avg"] for name, row in seconds.items() if not name.startswith("electrostatics")
        )
        pairs = sum(seconds[name]["avg"] for name in names if name in seconds)
        row["pairs"] = round(pairs / others, 3)
        rows.append(row)
        say(f"{case.name}: {row}")
    return rows


def record_messages(folder: Path) -> list[dict]:
    rows = []
    for case in ON_EIGHT:
        result = run(write_case(folder, case, STEPS_ON_EIGHT), 8, None)
        timing, settings = result["timing"], result["settings"]
        tree = tree_of(settings, case.levels)
        rounds = predicted(case, tree, settings["skin"], timing["steps"], timing["rebuilds"])
        row = {"atoms": case.atoms, "top": tree.top, "levels": tree.levels, "order": tree.order}
        row |= {"skin": settings["skin"], "rebuilds": timing["rebuilds"], "exchanges": {}}
        for name, recorded in exchanges_of(timing).items():
            row["exchanges"][name] = {
                "rounds": recorded["rounds"],
                "messages": recorded["messages_sent"],
                "bytes": recorded["bytes_sent"],
            }
            if name in rounds:
                messages, size = rounds[name](recorded["rounds"])
                row["exchanges"][name] |= {"messages_by_formula": messages}
                row["exchanges"][name] |= {"bytes_by_formula": round(size)}
        rows.append(row)
        say(f"{case.name} on 8 ranks: {json.dumps(row['exchanges'])}")
    return rows


def record_reductions(folder: Path) -> dict:
    short, long = 20, 120
    counts = [count_reductions(write_case(folder, Case(14), steps), 8) for steps in (short, long)]
    calls, size = (long_ - short_ for short_, long_ in zip(*counts, strict=True))
    return {
        "each_step": calls / (long - short),
        "bytes": round(size / calls, 1),
    }


def record(*, priority: bool, only_computing: bool) -> dict:
    if priority:
        os.environ["STERNA_BENCH_PRIORITY"] = "-5"
    cores = Cores()
    with tempfile.TemporaryDirectory(prefix="sterna-scale-") as name:
        folder = Path(name)
        for base in BASES:
            run(base_input(folder, base), 1, cores)
        recorded = {"computing": record_computing(folder, cores)}
        recorded["multipole_method"] = parts_of_multipole_method(folder, cores)
        if not only_computing:
            recorded["messages"] = record_messages(folder)
            recorded["reductions"] = record_reductions(folder)
        return recorded


def costs_of(recorded: dict) -> Costs:
    computing, messages = recorded["computing"], recorded["messages"]
    factors = fitted_factors(recorded["multipole_method"])
    others = []
    for row in computing:
        work = work_of(Tree(row["top"], row["levels"], row["order"]), row["atoms"])
        terms = sum(factors[term] * work[term] for term in work) / row["atoms"]
        # What is not in the terms: sorting, packing, excluded pairs.
        others.append(row["others"] + max(0.0, row["electrostatics"] - terms))
    migrating = []
    rebuilds = sum(row["rebuilds"] for row in messages)
    for row in messages:
        edge = (row["atoms"] * 29.9e-3 / 3) ** (1 / 3) / 2
        count = row["exchanges"]["migration"]["bytes"]
        if row["rebuilds"]:
            migrating.append(count / row["rebuilds"] / (6 * edge**2))
    return Costs(
        factors=factors,
        sizes=[row["atoms"] for row in computing],
        others=others,
        pairs=computing[-1]["pairs"] * computing[-1]["others"] / others[-1],
        rebuild_interval=len(messages) * STEPS_ON_EIGHT / rebuilds,
        skin=messages[-1]["skin"],
        migrating=sum(migrating) / len(migrating),
    )


@dataclass(frozen=True)
class Job:
    atoms: float
    ranks: int
    network: str
    tree: str
    method: str
    rebuild: bool = False


def jobs_of(atoms: float, ranks: int) -> list[Job]:
    """On 4096 ranks, which take a minute or two each, fewer."""
    many = ranks > 512
    jobs = []
    for network in NETWORKS:
        first = network == NETWORKS[0]
        compared = list(METHODS)
        if many and not (first and atoms == ATOMS[0]):
            compared = ["put, direct", "p2p, direct"] if first else ["put, direct"]
        jobs += [Job(atoms, ranks, network, CHOSEN, method) for method in compared]
        if first or not many:
            jobs += [Job(atoms, ranks, network, tree, "put, direct") for tree in OTHER_TREES]
        if not many:
            jobs.append(Job(atoms, ranks, network, CHOSEN, "put, direct", rebuild=True))
    return jobs


def importance(job: Job) -> int:
    """What is replayed first: there may be no time for all."""
    if job.tree == CHOSEN and job.method == "put, direct" and not job.rebuild:
        return 0
    if job.tree != CHOSEN and job.network == NETWORKS[0]:
        return 1
    return 2 if job.atoms == ATOMS[0] else 3


def replay_one(program: Path, costs: Costs, job: Job, steps: int, end: float) -> dict | None:
    """None: there was no time."""
    if time.time() > end:
        return None
    water = Water(job.atoms, job.ranks, costs)
    tree = tree_of_water(water, job.tree)
    name, staged, one_by_one = METHODS[job.method]
    plan = water.plan(tree, staged=staged, one_by_one=one_by_one, rebuild=job.rebuild)
    row = vars(job) | {"cells": str(tree)}
    row["reduced_bytes"] = water.partition(tree).reduced_bytes()
    try:
        result = replay(program, plan, job.network, name, steps, max(1.0, end - time.time()))
    except ReplayError as error:
        say(f"{job}: {error}")
        return None
    row["ms"] = round(1e3 * result.step, 4)
    row["parts_ms"] = {part: round(1e3 * s, 4) for part, s in result.parts.items()}
    serial = Water(job.atoms, 1, costs)
    row["one_rank_ms"] = round(1e3 * costs.serial(serial.tree(), job.atoms), 1)
    row["replayed_in_s"] = round(result.took, 1)
    say(f"{job}: {tree}: {row['ms']} ms, {row['parts_ms']}, in {result.took:.0f} s")
    return row


def check(folder: Path, costs: Costs, ranks: int) -> list[dict]:
    """The same plans by SimGrid."""
    ours, theirs = build(folder, "replay"), build(folder, "check_by_simgrid", "-lsimgrid")
    rows = []
    for atoms in ATOMS[:2]:
        water = Water(atoms, ranks, costs)
        plan = water.plan(tree_of_water(water, CHOSEN))
        for network in NETWORKS:
            for method in ("p2p", "put"):
                row = {"atoms": atoms, "ranks": ranks, "network": network, "method": method}
                for name, program in (("replay", ours), ("simgrid", theirs)):
                    result = replay(program, plan, network, method)
                    sent = sum(s for part, s in result.parts.items() if part != "computing")
                    row[f"{name}_ms"] = round(1e3 * result.step, 4)
                    row[f"{name}_exchanges_ms"] = round(1e3 * sent, 4)
                    row[f"{name}_took_s"] = round(result.took, 1)
                rows.append(row)
                say(f"check: {row}")
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(prog="./dev bench scale", description=__doc__.splitlines()[0])
    parser.add_argument("--record", action="store_true")
    parser.add_argument(
        "--computing", action="store_true", help="record computing times again, nothing else"
    )
    parser.add_argument("--replay", action="store_true")
    parser.add_argument("--check", type=int, metavar="RANKS", help="by SimGrid, too")
    parser.add_argument("--ranks", default=",".join(map(str, RANKS)), help="of the replays")
    parser.add_argument("--add", action="store_true", help="to the replays that there are")
    parser.add_argument("--minutes", type=float, default=30.0, help="for all replays")
    parser.add_argument("--priority", action="store_true", help="runs get more of the cores")
    options = parser.parse_args()
    if not (options.record or options.computing or options.replay or options.check):
        options.record = options.replay = True
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {"benchmark": "scale"}
    given = shlex.join(["./dev", "bench", "scale", *sys.argv[1:]])
    stamp = {"command": given, "date": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())}
    try:
        if options.record or options.computing:
            stamp |= {"machine": processor()}
            before = results.get("recorded", {}) if options.computing else {}
            if before:
                stamp["command"] = f"{before['command']}; {stamp['command']}"
            recorded = record(priority=options.priority, only_computing=options.computing)
            results["recorded"] = before | stamp | recorded
            RESULTS.write_text(json.dumps(results, indent=1) + "\n")
        costs = costs_of(results["recorded"])
        results["costs"] = vars(costs)
        with tempfile.TemporaryDirectory(prefix="sterna-scale-") as name:
            if options.check:
                results["check"] = stamp | {"rows": check(Path(name), costs, options.check)}
            if options.replay:
                program = build(Path(name), "replay")
                chosen = [int(count) for count in options.ranks.split(",")]
                jobs = [job for ranks in RANKS for atoms in ATOMS for job in jobs_of(atoms, ranks)]
                before = results["predicted"] if options.add else {"rows": []}
                known = [{key: row[key] for key in vars(jobs[0])} for row in before["rows"]]
                missing = [job for job in jobs if vars(job) not in known]
                jobs_now = sorted((j for j in missing if j.ranks in chosen), key=importance)
                end = time.time() + 60 * options.minutes
                with concurrent.futures.ProcessPoolExecutor(os.cpu_count()) as pool:
                    done = [
                        pool.submit(replay_one, program, costs, job, 2, end) for job in jobs_now
                    ]
                    rows = before["rows"] + [row for future in done if (row := future.result())]
                if options.add:
                    stamp["command"] = f"{before['command']}; {stamp['command']}"
                results["predicted"] = stamp | {"rows": rows, "left_out": len(jobs) - len(rows)}
    except EngineError as error:
        sys.exit(str(error))
    RESULTS.write_text(json.dumps(results, indent=1) + "\n")
    text = tables.text_of(results)
    say(text)
    replace_block("benchmarks.md", "scale", text)


if __name__ == "__main__":
    main()
