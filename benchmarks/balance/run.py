#!/usr/bin/env python3
"""Regions of equal computing time beside equal boxes, where matter is unevenly spread.

    ./dev bench balance [--parts imbalance,speed,exchange] [--cases slab,droplet,...] [--ranks 2,4,8]

imbalance: the processor's time of forces and lists, slowest rank over mean, from step 500 on, for a
    grid, bisection and sampling; on any number of ranks, also on more than there are cores.
speed: wall time of the step loop on 2 ranks, the grid beside "auto", by turns.
exchange: the two particle exchanges of these runs, of particles that moved and of particles whose
    region changed its owner, with every method: messages and volume of the busiest rank, time.

Results go into benchmarks/results/balance.json, each part as it is measured; the tables of
docs/howto/load-balancing.md are made from that file.
"""

import argparse
import json
import os
import platform
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "python"), str(ROOT / "tools")]
from document_table import markdown_table, replace_block  # noqa: E402
from start import CASES, write_input, write_start  # noqa: E402
from sterna.launching.launch import command_line, program_environment  # noqa: E402
from sterna.launching.program import find_program, version  # noqa: E402

RESULTS = ROOT / "benchmarks" / "results" / "balance.json"
DECOMPOSITIONS = ["grid", "bisection", "sampling"]
# Steps: so many that the start, when exchange methods take turns and regions are cut, does not
# decide; for the drop to fly apart; for clusters to form.
STEPS = {
    "slab": 6000,
    "droplet": 6000,
    "channel": 6000,
    "spinodal": 6000,
    "explosion": 1500,
    "uniform": 6000,
}
SETTLED = 500
TIME_LIMIT = 600


def run(folder: Path, ranks: int, name: str) -> list[dict]:
    """The events of the log of a run of NAME.toml."""
    command, environment = command_line(ranks, [f"{name}.toml"])
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=TIME_LIMIT,
        check=False,
    )
    if done.returncode != 0:
        sys.exit(f"{name} on {ranks} ranks failed:\n{done.stdout}\n{done.stderr}")
    return [json.loads(line) for line in (folder / f"{name}.log.jsonl").read_text().splitlines()]


def settled_imbalance(events: list[dict]) -> float:
    """Computing time of the slowest rank over the mean, all measurements from step 500 on."""
    most = mean = 0.0
    last = 0
    for event in events:
        if event["event"] != "balance" or "computing_ms" not in event:
            continue
        if last >= SETTLED:
            most += event["computing_ms"]["most"] * (event["step"] - last)
            mean += event["computing_ms"]["mean"] * (event["step"] - last)
        last = event["step"]
    timing = events[-1]["timing"]
    if most == 0.0:
        return timing["balance"]["imbalance"]
    return most / mean


def measure_imbalance(folder: Path, cases: list[str], ranks: list[int], store: dict) -> None:
    for case in cases:
        particles = write_start(case, folder)
        for n in ranks:
            for decomposition in DECOMPOSITIONS:
                name = f"{case}_{n}_{decomposition}"
                write_input(case, folder, name, STEPS[case], decomposition)
                events = run(folder, n, name)
                balance = events[-1]["timing"]["balance"]
                entry = {
                    "particles": particles,
                    "steps": STEPS[case],
                    "imbalance": settled_imbalance(events),
                    "cuts": balance["cuts"],
                    "rolled_back": balance["rolled_back"],
                    "moved_particles": balance["moved_particles"],
                    "balance_seconds": events[-1]["timing"]["phases"].get(
                        "load balance", {"max": 0.0}
                    )["max"],
                    "loop_seconds": events[-1]["timing"]["seconds"],
                }
                store.setdefault("imbalance", {})[name] = entry
                print(name, json.dumps(entry), flush=True)


def measure_speed(folder: Path, cases: list[str], repeats: int, store: dict) -> None:
    for case in cases:
        particles = write_start(case, folder)
        seconds: dict[str, list[float]] = {"grid": [], "auto": []}
        cuts = 0
        for repeat in range(repeats):
            for decomposition in ("grid", "auto") if repeat % 2 == 0 else ("auto", "grid"):
                write_input(case, folder, decomposition, STEPS[case], decomposition)
                timing = run(folder, 2, decomposition)[-1]["timing"]
                seconds[decomposition].append(timing["seconds"])
                if decomposition == "auto":
                    cuts = timing["balance"]["cuts"]
        entry = {"particles": particles, "steps": STEPS[case], "seconds": seconds, "cuts": cuts}
        ratios = [g / a for g, a in zip(seconds["grid"], seconds["auto"], strict=True)]
        entry["speed_of_auto_over_grid"] = statistics.median(ratios)
        entry["least"], entry["most"] = min(ratios), max(ratios)
        store.setdefault("speed", {})[case] = entry
        print(case, json.dumps(entry), flush=True)


def available_methods() -> list[str]:
    text = subprocess.run(
        [str(find_program()), "--methods"],
        env=program_environment(),
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    section = re.split(r"(?m)^sparse.*$", text, maxsplit=1)[-1]
    names = []
    for line in section.splitlines():
        if re.match(r"^\S", line):
            break
        if found := re.match(r"^  (\w+) +works ", line):
            names.append(found.group(1))
    return names


def measure_exchange(folder: Path, cases: list[str], ranks: list[int], store: dict) -> None:
    methods = available_methods()
    for case in cases:
        write_start(case, folder)
        for n in ranks:
            for method in methods:
                name = f"{case}_{n}_{method}"
                # Cut every 25 steps, so that both exchanges have many rounds.
                domain = "rebalance_interval = 25"
                write_input(case, folder, name, 750, "sampling", domain, method)
                timing = run(folder, n, name)[-1]["timing"]
                for row in timing["methods"]:
                    if row["exchange"] not in ("migration", "rebalancing"):
                        continue
                    entry = {
                        "case": case,
                        "ranks": n,
                        "exchange": row["exchange"],
                        "method": method,
                        "rounds": row["rounds"],
                        "messages_of_busiest_rank": row["busiest_messages_sent"] / row["rounds"],
                        "bytes_of_busiest_rank": row["busiest_bytes_sent"] / row["rounds"],
                        "median_us": row["median_us"],
                    }
                    store.setdefault("exchange", {})[f"{name}_{row['exchange']}"] = entry
                    print(json.dumps(entry), flush=True)


def write_tables(store: dict) -> None:
    rows = []
    by_case: dict[tuple[str, int], dict[str, dict]] = {}
    for name, entry in store.get("imbalance", {}).items():
        case, ranks, decomposition = name.split("_")
        by_case.setdefault((case, int(ranks)), {})[decomposition] = entry
    for (case, ranks), entries in by_case.items():
        rows.append(
            [case, str(entries["grid"]["particles"]), str(ranks)]
            + [f"{entries[d]['imbalance']:.3f}" for d in DECOMPOSITIONS]
            + [str(entries[d]["cuts"]) for d in DECOMPOSITIONS[1:]]
        )
    header = ["case", "particles", "ranks", *DECOMPOSITIONS, "cuts of bisection", "of sampling"]
    replace_block("howto/load-balancing.md", "imbalance", markdown_table(header, rows))
    rows = [
        [
            case,
            str(entry["steps"]),
            f"{statistics.median(entry['seconds']['grid']):.3f}",
            f"{statistics.median(entry['seconds']['auto']):.3f}",
            f"{entry['speed_of_auto_over_grid']:.3f}",
            f"{entry['least']:.3f} to {entry['most']:.3f}",
            str(len(entry["seconds"]["grid"])),
        ]
        for case, entry in store.get("speed", {}).items()
    ]
    header = ["case", "steps", "grid, s", "auto, s", "speed-up", "spread", "runs each"]
    replace_block("howto/load-balancing.md", "speed", markdown_table(header, rows))
    rows = [
        [
            entry["case"],
            str(entry["ranks"]),
            {"migration": "moved", "rebalancing": "region changed"}[entry["exchange"]],
            entry["method"],
            str(entry["rounds"]),
            f"{entry['messages_of_busiest_rank']:.1f}",
            f"{entry['bytes_of_busiest_rank'] / 1e3:.2f}",
            f"{entry['median_us']:.0f}",
        ]
        for entry in store.get("exchange", {}).values()
    ]
    header = ["case", "ranks", "particles", "method", "rounds", "messages", "kB", "us"]
    replace_block("howto/load-balancing.md", "exchange", markdown_table(header, rows))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--parts", default="imbalance,speed,exchange")
    parser.add_argument("--cases", default=",".join(CASES))
    parser.add_argument("--ranks", default="2,4,8")
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    cases = arguments.cases.split(",")
    if unknown := set(cases) - set(CASES):
        parser.error(f"no case {', '.join(sorted(unknown))}; there are: {', '.join(CASES)}")
    ranks = [int(n) for n in arguments.ranks.split(",")]
    store = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    store["about"] = {
        "program": f"sterna {version()}",
        "time": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
    }
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for part in arguments.parts.split(","):
            if part == "imbalance":
                measure_imbalance(folder, cases, ranks, store)
            elif part == "speed":
                measure_speed(folder, cases, arguments.repeats, store)
            elif part == "exchange":
                measure_exchange(folder, cases, ranks, store)
            elif part == "tables":
                pass
            else:
                parser.error(f"no part {part}; there are: imbalance, speed, exchange, tables")
            RESULTS.write_text(json.dumps(store, indent=1) + "\n")
    write_tables(store)


if __name__ == "__main__":
    main()
