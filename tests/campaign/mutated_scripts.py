"""Damages random scripts of LAMMPS and their data files, and has each imported.

A trial is well where the import is an error with file and line, or gives what LAMMPS itself makes of
the damaged files: energies by term, forces, box, positions, velocities, masses and charges. What
LAMMPS does not run, but is taken over, is counted apart.

    python tests/campaign/mutated_scripts.py --trials 200 --seed 1
"""

import argparse
import collections
import random
import re
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))

import lammps_scripts
from sterna.errors import SternaError
from sterna.support.lammps_environment import find_lammps

#: Words that take the place of others.
_PIECES = ["", "x", "-1", "0", "2", "1e999", "nan", "1_0", "0x10", "*", "1*", "$", "${x9}", "&", "#",
           '"', "all", "yes", "no", "Atoms", "lj/cut", "harmonic", "99999999999999999999", "é", "1.5.2",
           "+3", "3d0", "\n"]  # fmt: skip


def damaged(text: str, numbers: random.Random) -> str:
    """With one word replaced, or a line doubled, taken out, or moved."""
    lines = text.split("\n")
    way = numbers.random()
    k = numbers.randrange(len(lines) - 1)
    if way < 0.15:
        del lines[k]
    elif way < 0.25:
        lines.insert(k, lines[k])
    elif way < 0.35:
        lines.insert(numbers.randrange(len(lines)), lines.pop(k))
    else:
        words = list(re.finditer(r"\S+", text))
        word = numbers.choice(words)
        piece = numbers.choice([*_PIECES, numbers.choice(words).group(), word.group()[:-1]])
        return text[: word.start()] + piece + text[word.end() :]
    return "\n".join(lines)


def trial(number: int, seed: int, environment) -> tuple[str, str, str]:
    """The file that was damaged, what came of it, and more of it."""
    numbers = random.Random(f"{seed} {number}")
    case, _ = lammps_scripts.make(numbers.randrange(1000))
    file = numbers.choice(["in.random", *case.files])
    if file == "in.random":
        case.script = damaged(case.script, numbers)
    else:
        case.files[file] = damaged(case.files[file], numbers)
    # LAMMPS runs what stands before the last run.
    head, sign, _ = case.script.rpartition("\nrun 0")
    script = f"{head}\n" if sign else case.script
    lammps_scripts.make = lambda _seed: (case, script)
    with tempfile.TemporaryDirectory() as name:
        try:
            outcome = lammps_scripts.run(0, Path(name), environment)
        except SternaError as error:
            return file, "error outside of the import", str(error)
        except Exception as error:  # what no user may see
            return file, "CRASH", repr(error)
    if outcome.kind == "refused" and not re.search(r"^\S+:\d+:(\d+:)? error: ", outcome.text):
        return file, "error without a place", outcome.text
    return file, outcome.kind, outcome.text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    environment, why = find_lammps()
    if environment is None:
        raise SystemExit(f"no LAMMPS: {why}")
    make = lammps_scripts.make
    counts: collections.Counter = collections.Counter()
    for number in range(arguments.first, arguments.first + arguments.trials):
        lammps_scripts.make = make
        file, kind, text = trial(number, arguments.seed, environment)
        counts[file, kind] += 1
        print(number, file, kind, text.replace("\n", " | ")[:300], flush=True)
    for (file, kind), count in sorted(counts.items()):
        print(f"{file:12} {kind:28} {count}")


if __name__ == "__main__":
    main()
