"""Short runs of a Lennard-Jones fluid: do their stated errors hold, and are unsettled ones found?

    python tests/campaign/settling_runs.py --seeds 10

Fluids of 108 particles at six state points begin as crystals that melt at once. The judge of their
means is a run of the same state point that is forty times as long. Other runs are heated, or
compressed, until their end.
"""

import argparse
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

import sterna  # noqa: E402

STEPS = 10000
TIMES = 40  #: as long is the run that judges
STATES = [(density, t) for density in (0.5, 0.65, 0.8) for t in (1.4, 1.8)]
QUANTITIES = ("temperature", "pressure", "potential_energy")


def settings(density: float, temperature: float, seed: int, steps: int) -> dict:
    """A fluid that a Langevin bath keeps at its temperature."""
    return {
        "run": {"steps": steps, "timestep": 0.004, "seed": seed},
        "start": {
            "kind": "lattice", "lattice": "fcc", "cells": [3, 3, 3], "density": density,
            "temperature": temperature,
        },
        "type": [{"name": "A"}],
        "interaction": {"cutoff": 2.5},
        "thermostat": [{"kind": "langevin", "temperature": temperature, "time_constant": 1.0}],
        "output": {"thermo_interval": max(20, steps // 2000)},
    }  # fmt: skip


def heated(seed: int) -> dict:
    """Cold at its start, and still far below the temperature of its bath at its end."""
    found = settings(0.7, 0.6, seed, 1500)
    found["thermostat"][0] |= {"temperature": 1.5, "time_constant": 8.0}
    found["output"]["thermo_interval"] = 5
    return found


def compressed(seed: int) -> dict:
    """A gas whose pressure grows until the end."""
    found = settings(0.3, 1.5, seed, 4000)
    found["barostat"] = {
        "kind": "stochastic_cell_rescaling", "pressure": 0.4, "end_pressure": 4.0,
        "time_constant": 1.0, "bulk_modulus": 3.0,
    }  # fmt: skip
    return found


def run(name: str, values: dict) -> "sterna.Averages":
    with tempfile.TemporaryDirectory(prefix="sterna-settling-") as folder:
        values["output"]["directory"] = folder
        path = Path(folder) / f"{name}.toml"
        sterna.Input(**values).write(path)
        return sterna.run(path, ranks=1).averages


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10, help="runs of each state point")
    parser.add_argument(
        "--flags-only", action="store_true", help="leave out the long runs that judge"
    )
    parser.add_argument("--first", type=int, default=1, help="the first seed")
    asked = parser.parse_args()
    seeds = range(asked.first, asked.first + asked.seeds)
    flagged: dict[str, list[bool]] = defaultdict(list)
    covered: dict[str, list[bool]] = defaultdict(list)
    left_out: list[float] = []
    for density, temperature in STATES:
        judge = None
        if not asked.flags_only:
            judge = run("judge", settings(density, temperature, 1000, TIMES * STEPS))
        for seed in seeds:
            averages = run("fluid", settings(density, temperature, seed, STEPS))
            flagged["fluids"].append(averages.settled is False)
            left_out.append(averages.rows_left_out / (averages.rows + averages.rows_left_out))
            if averages.settled is False:
                print(
                    f"density {density}, temperature {temperature}, seed {seed}: {averages.unsettled}"
                )
            for name in QUANTITIES if judge else ():
                error = (averages[name].error ** 2 + judge[name].error ** 2) ** 0.5
                covered[name].append(abs(averages[name].mean - judge[name].mean) < error)
        print(f"density {density}, temperature {temperature}: done", flush=True)
    for kind, made in (("heated", heated), ("compressed", compressed)):
        for seed in seeds:
            averages = run(kind, made(seed))
            flagged[kind].append(averages.settled is False)
            if averages.settled is not False:
                print(f"{kind}, seed {seed}, is not flagged:\n{averages}")
    for name, of_runs in covered.items():
        print(f"{name}: within the error in {sum(of_runs)} of {len(of_runs)} fluids")
    for kind, of_runs in flagged.items():
        print(f"{kind}: {sum(of_runs)} of {len(of_runs)} flagged as not settled")
    print(f"left out of fluids: {100 * min(left_out):.0f} to {100 * max(left_out):.0f} %")


if __name__ == "__main__":
    main()
