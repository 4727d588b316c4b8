#!/usr/bin/env python3
"""Makes spinodal.json: who sends how many particles to whom while a fluid falls apart.

A homogeneous Lennard-Jones fluid at the critical density is put below the critical temperature,
where it separates into liquid and vapor (spinodal decomposition). Regions for P ranks hold equally
many particles (recursive bisection, cut anew in each frame), so particles change their rank because
they move and because regions do: the two exchanges of seed 3. One run serves every P, since the
regions are laid over its trajectory.

    spinodal.py --sterna-md build/src/app/sterna-md [--launch "mpiexec -n 2"] [--particles 20000]
"""

import argparse
import json
import shlex
import subprocess
import tempfile
from pathlib import Path

import h5py
import numpy as np

INPUT = """
[run]
name = "spinodal"
steps = {steps}
timestep = 0.005
seed = 3
precision = "mixed"

[start]
kind = "random"
particles = {particles}
density = 0.32
temperature = {temperature}

[[type]]
name = "A"

[interaction]
cutoff = 2.5

[thermostat]
kind = "stochastic_velocity_rescaling"
temperature = {temperature}
time_constant = 0.1

[output]
directory = "."
thermo_interval = {steps}
trajectory_interval = {interval}
"""


def owners(positions: np.ndarray, ranks: int) -> np.ndarray:
    """Rank of each particle: parts are cut along x, y, z in turn, where the counts are equal."""
    owner = np.empty(len(positions), dtype=np.int32)

    def cut(members: np.ndarray, first: int, count: int, axis: int) -> None:
        if count == 1:
            owner[members] = first
            return
        left = count // 2
        place = len(members) * left // count
        order = np.argpartition(positions[members, axis], place)
        cut(members[order[:place]], first, left, (axis + 1) % 3)
        cut(members[order[place:]], first + left, count - left, (axis + 1) % 3)

    cut(np.arange(len(positions)), 0, ranks, 0)
    return owner


def moves(frames: np.ndarray, ranks: int) -> list[list[list[int]]]:
    """By round: [from, to, particles] for each pair of ranks that exchanges any, ascending."""
    rounds = []
    before = owners(frames[0], ranks)
    for positions in frames[1:]:
        after = owners(positions, ranks)
        moved = before != after
        pairs, counts = np.unique(
            np.stack([before[moved], after[moved]]), axis=1, return_counts=True
        )
        rounds.append([[int(a), int(b), int(n)] for (a, b), n in zip(pairs.T, counts, strict=True)])
        before = after
    return rounds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sterna-md", required=True, type=Path)
    parser.add_argument("--launch", default="", help="command that starts the ranks")
    parser.add_argument("--particles", type=int, default=20000)
    parser.add_argument("--steps", type=int, default=1500)
    parser.add_argument("--interval", type=int, default=20, help="steps between two exchanges")
    parser.add_argument("--rounds", type=int, default=12, help="the last ones of the run are kept")
    parser.add_argument("--temperature", type=float, default=0.8)
    parser.add_argument("--ranks", type=int, nargs="+", default=[2, 4, 8, 16, 32])
    parser.add_argument("--output", type=Path, default=Path(__file__).with_name("spinodal.json"))
    arguments = parser.parse_args()

    with tempfile.TemporaryDirectory() as folder:
        text = INPUT.format(**vars(arguments))
        (Path(folder) / "spinodal.toml").write_text(text, encoding="utf-8")
        command = [*shlex.split(arguments.launch), str(arguments.sterna_md.resolve())]
        subprocess.run([*command, "spinodal.toml"], cwd=folder, check=True)
        with h5py.File(next(Path(folder).glob("*.h5md"))) as file:
            frames = file["particles/trajectory/position/value"][-arguments.rounds - 1 :]

    described = {
        "description": "particles that change their rank, for each round [from, to, count]",
        "made_by": "benchmarks/patterns/spinodal.py",
        "particles": arguments.particles,
        "density": 0.32,
        "temperature": arguments.temperature,
        "steps_before": arguments.steps - arguments.rounds * arguments.interval,
        "steps_between_rounds": arguments.interval,
        "cutoff": 2.5,
    }
    lines = [f"  {json.dumps(key)}: {json.dumps(value)}," for key, value in described.items()]
    patterns = []
    for ranks in arguments.ranks:
        rounds = moves(frames, ranks)
        each = ",\n".join("      " + json.dumps(one, separators=(",", ":")) for one in rounds)
        patterns.append(f'    {{"ranks": {ranks}, "rounds": [\n{each}\n    ]}}')
        moved = sum(count for one in rounds for _, _, count in one) / len(rounds) / ranks
        partners = sum(len(one) for one in rounds) / len(rounds) / ranks
        print(f"{ranks} ranks: {moved:.0f} particles to {partners:.1f} ranks, each in a round")
    lines.append('  "patterns": [\n' + ",\n".join(patterns) + "\n  ]")
    arguments.output.write_text("{\n" + "\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
