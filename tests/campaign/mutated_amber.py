"""Files of AMBER with mistakes: each import ends with an error that tells the place, or its energies
and forces are those of OpenMM, which reads the same files.

python tests/campaign/mutated_amber.py --trials 200 --seed 1
"""

import argparse
import collections
import contextlib
import io
import math
import random
import re
import sys
import tempfile
import traceback
import warnings
from pathlib import Path

from sterna.errors import SternaError
from sterna.importing import comparison
from sterna.importing.amber import judge
from sterna.importing.amber.amber_system import Choices, read_amber
from sterna.importing.molecules import Molecules
from sterna.importing.sites_on_charges import require_charges_apart

DATA = Path(__file__).resolve().parents[1] / "data" / "import"
CHOICES = Choices(0.437, "none", (1.7, 1.7, 1.7))
_TOLERANCE = 1e-5


def numbers_of(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in re.finditer(r"[-+]?\d+(?:\.\d+)?(?:E[-+]\d+)?", text)]


def with_another_number(text: str, chance: random.Random) -> str:
    """A digit, a sign or an exponent is another one; columns stay as they are."""
    begin, end = chance.choice(numbers_of(text))
    at = chance.randrange(begin, end)
    old = text[at]
    if old.isdigit():
        new = chance.choice("0123456789")
    else:
        new = {"-": "+", "+": "-", ".": chance.choice(".0"), "E": chance.choice("ED")}[old]
    return text[:at] + new + text[at + 1 :]


def with_numbers_exchanged(text: str, chance: random.Random) -> str:
    """Two numbers of the same width in one line change places."""
    for _ in range(50):
        begin, end = chance.choice(numbers_of(text))
        line = text.count("\n", 0, begin)
        others = [
            (a, b)
            for a, b in numbers_of(text)
            if b - a == end - begin and a > end and text.count("\n", 0, a) == line
        ]
        if others:
            a, b = chance.choice(others)
            return text[:begin] + text[a:b] + text[end:a] + text[begin:end] + text[b:]
    return text


def with_other_signs(text: str, chance: random.Random) -> str:
    at = chance.randrange(len(text))
    kind = chance.randrange(4)
    if kind == 0:
        return text[:at] + chance.choice("0-x%\n .*E") + text[at + 1 :]
    if kind == 1:
        return text[:at] + text[at + chance.randint(1, 20) :]
    if kind == 2:
        return text[:at] + text[at : at + chance.randint(1, 20)] + text[at:]
    return text[:at]


def with_other_lines(text: str, chance: random.Random) -> str:
    lines = text.splitlines(keepends=True)
    at, kind = chance.randrange(len(lines)), chance.randrange(3)
    if kind == 0:
        del lines[at]
    elif kind == 1:
        lines.insert(at, lines[at])
    else:
        other = chance.randrange(len(lines))
        lines[at], lines[other] = lines[other], lines[at]
    return "".join(lines)


DAMAGES = {
    "a number": with_another_number,
    "two numbers": with_numbers_exchanged,
    "signs": with_other_signs,
    "lines": with_other_lines,
}


def with_velocities(text: str) -> str:
    """A restart file: velocities and a box behind the coordinates."""
    lines = text.splitlines()
    atoms = int(lines[1].split()[0])
    rows = -(-3 * atoms // 6)
    return "\n".join([*lines[: 2 + rows], *lines[2 : 2 + rows]]) + "\n" + (
        "".join(f"{value:12.7f}" for value in (17, 17, 17, 90, 90, 90)) + "\n"
    )  # fmt: skip


def judged_by_numbers(rows: list[comparison.Row]) -> tuple[str, str]:
    """The kind of outcome, and what there is to say of it, by energies and forces of both."""
    if not all(math.isfinite(row.judge) for row in rows):
        return "taken, not finite in OpenMM", ""
    # Both sides sum charges with an error of forces, which overlaps make large.
    largest = max(abs(row.judge) for row in rows if row.name != "forces")
    apart = max(
        row.difference * (1.0 if row.name == "forces" else abs(row.judge) / largest) for row in rows
    )
    if not apart <= _TOLERANCE:
        return "wrong", "\n".join(map(str, rows))
    return "right", ""


def judged(topology: Path, places: Path) -> tuple[str, str]:
    """The kind of outcome, and what there is to say of it."""
    try:
        system = read_amber(topology, places, CHOICES)
        require_charges_apart(system)
        molecules = Molecules(system)
    except SternaError as error:
        text = str(error)
        if re.search(rf"({topology.name}|{places.name}):\d+:\d+: error: ", text):
            return "error with a place", text
        # What is not there, or ends too early, has no place.
        named = topology.name in text or places.name in text
        return ("error of the file" if named else "wrong"), text
    except Exception:
        return "wrong", traceback.format_exc()
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            source = judge.source_of(topology, places, CHOICES)
    except Exception as error:
        return "taken, refused by OpenMM", str(error)
    try:
        comparison.compare_lists(source, system)
        rows = comparison.compare(source, molecules)
    except SternaError as error:
        return "refused by the engine" if "does not run" in str(error) else "wrong", str(error)
    return judged_by_numbers(rows)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", action="store_true", help="all outcomes, one by one")
    chosen = parser.parse_args(arguments)
    chance = random.Random(chosen.seed)
    counts: collections.Counter = collections.Counter()
    wrong = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for trial in range(chosen.trials):
            molecule = chance.choice(("phenol", "alcohol"))
            texts = {
                "a.prmtop": (DATA / f"{molecule}.prmtop").read_text(),
                "a.inpcrd": (DATA / f"{molecule}.inpcrd").read_text(),
            }
            if chance.random() < 0.5:
                texts["a.rst7"] = with_velocities(texts.pop("a.inpcrd"))
            file = chance.choices(list(texts), [2, 1])[0]
            damage = chance.choice(list(DAMAGES))
            texts[file] = DAMAGES[damage](texts[file], chance)
            for path, text in texts.items():
                (folder / path).write_text(text)
            kind, said = judged(*(folder / path for path in texts))
            counts[file, damage, kind] += 1
            if kind == "wrong" or chosen.show:
                wrong.append(f"trial {trial}, {damage} of {file}: {kind}: {said}")
    for (file, damage, kind), count in sorted(counts.items()):
        print(f"{count:6} {file:10} {damage:12} {kind}")
    print(*wrong, sep="\n")
    return 1 if any(kind == "wrong" for _, _, kind in counts) else 0


if __name__ == "__main__":
    sys.exit(main())
