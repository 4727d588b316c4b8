"""Whether a change keeps every bit: runs the examples with two builds and compares what they write.

    python tests/campaign/same_bits.py --before CHECKOUT [--steps 40] [--ranks 1,2] [--only spce,melt]

CHECKOUT is another checkout with a build of `sterna-md`. Each example runs for some steps with both
builds, in both precisions and on each number of ranks. Then both builds continue from the checkpoint
of the other checkout for as many steps again. Trajectories, checkpoints and the files of observers
must have the same bytes, logs the same numbers except times. Regions are those of the regular grid,
as those that are cut by measured time cannot be repeated.

Ends with status 1 where anything differs.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

from sterna.launching.launch import command_line, find_program  # noqa: E402

EXAMPLES = ROOT / "examples"
FIELDS = ["position", "velocity", "force", "image"]
TIME_LIMIT = 300
# What a log says of the clock and of the machine's mood.
OF_THE_CLOCK = {"time_of_day", "seconds", "timing", "program", "computing_ms", "imbalance"}


def short_input(text: str, steps: int, precision: str) -> str:
    """The example with so many steps, everything written often, and regions that repeat."""
    fields = [*FIELDS, "orientation"] if "[[component]]" in text else FIELDS
    settings = {
        "run": {"steps": steps, "precision": f'"{precision}"'},
        "domain": {"decomposition": '"grid"'},
        "output": {
            "thermo_interval": max(1, steps // 8),
            "trajectory_interval": max(1, steps // 4),
            "trajectory_fields": json.dumps(fields),
            "checkpoint_interval": max(1, steps // 2),
        },
    }
    for section, values in settings.items():
        for key, value in values.items():
            text = re.sub(rf"^{key} *=.*\n", "", text, flags=re.MULTILINE)
            line = f"[{section}]\n{key} = {value}\n"
            text, found = re.subn(
                rf"^\[{section}\].*\n", lambda _, line=line: line, text, flags=re.MULTILINE
            )
            if found == 0:
                text += "\n" + line
    return re.sub(r"^interval *=.*", "interval = 5", text, flags=re.MULTILINE)


def run(program: Path, ranks: int, folder: Path, arguments: list[str]) -> str:
    """Empty, or why the run failed."""
    command, environment = command_line(ranks, arguments, program)
    environment["STERNA_MACHINE_FILE"] = "none"
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=TIME_LIMIT,
        check=False,
    )
    return "" if done.returncode == 0 else (done.stdout + done.stderr).strip()[-500:]


def log_numbers(path: Path) -> list[dict]:
    events = []
    for line in path.read_text("utf-8").splitlines():
        event = json.loads(line)
        kept = {key: value for key, value in event.items() if key not in OF_THE_CLOCK}
        if event["event"] == "end":
            kept["averages"] = event["timing"].get("averages")  # a minimization has none
            kept["rebuilds"] = event["timing"].get("rebuilds")
        events.append(kept)
    return events


def difference(before: Path, after: Path) -> str:
    """Which files of the two folders differ, and where the logs do; empty: none."""
    found = []
    names = sorted({file.name for folder in (before, after) for file in folder.iterdir()})
    for name in names:
        first, second = before / name, after / name
        if not (first.exists() and second.exists()):
            found.append(f"only one wrote {name}")
        elif name.endswith(".log.jsonl"):
            for row, (was, now) in enumerate(
                zip(log_numbers(first), log_numbers(second), strict=False), start=1
            ):
                keys = [key for key in was | now if was.get(key) != now.get(key)]
                if keys:
                    found.append(f"line {row} of {name} in {', '.join(keys)}")
                    break
            else:
                if len(log_numbers(first)) != len(log_numbers(second)):
                    found.append(f"{name} in its number of lines")
        elif first.read_bytes() != second.read_bytes():
            found.append(name)
    return ", ".join(found)


def compare(
    example: Path, before: Path, after: Path, ranks: int, precision: str, steps: int
) -> tuple[str, str]:
    """What came of one example: "same", "differs" or "refused", and why."""
    with tempfile.TemporaryDirectory() as name:
        folders = [Path(name, "before"), Path(name, "after")]
        # Both run at this place: the checkpoint of a stage has the path of the one before it.
        place = Path(name, "place")
        said = []
        for folder, program in zip(folders, (before, after), strict=True):
            shutil.copytree(EXAMPLES, place)
            text = short_input(example.read_text("utf-8"), steps, precision)
            (place / example.name).write_text(text, "utf-8")
            said.append(run(program, ranks, place, [example.name]))
            place.rename(folder)
        if said[0] or said[1]:
            same = bool(said[0]) and bool(said[1])
            return ("refused" if same else "differs"), said[0] or said[1]
        if found := difference(*(folder / "output" for folder in folders)):
            return "differs", found
        # Both go on from what the other checkout wrote.
        shutil.rmtree(folders[1])
        shutil.copytree(folders[0], folders[1])
        for folder, program in zip(folders, (before, after), strict=True):
            folder.rename(place)
            text = (place / example.name).read_text("utf-8")
            text = re.sub(r"^steps = .*", f"steps = {2 * steps}", text, flags=re.MULTILINE)
            (place / example.name).write_text(text, "utf-8")
            failure = run(program, ranks, place, [example.name, "--resume"])
            place.rename(folder)
            if failure:
                return "differs", f"when resumed: {failure}"
        found = difference(*(folder / "output" for folder in folders))
        return ("differs", f"when resumed: {found}") if found else ("same", "")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--before", type=Path, required=True, help="a checkout with a build")
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--ranks", default="1,2")
    parser.add_argument("--precision", default="double,mixed")
    parser.add_argument("--only", default="", help="examples whose name has one of these in it")
    options = parser.parse_args()
    before = options.before.resolve() / "build" / "src" / "app" / "sterna-md"
    after = find_program().resolve()
    wanted = options.only.split(",")
    examples = [
        path
        for path in sorted(EXAMPLES.glob("*.toml"))
        if any(part in path.stem for part in wanted)
    ]
    if not examples:
        sys.exit(f"same_bits: no example has {' or '.join(wanted)} in its name")
    outcomes = []
    for example in examples:
        for precision in options.precision.split(","):
            for ranks in map(int, options.ranks.split(",")):
                outcome, why = compare(example, before, after, ranks, precision, options.steps)
                outcomes.append(outcome)
                what = f"{example.stem}, {precision}, ranks {ranks}"
                print(f"{what:<48} {outcome}{': ' if why else ''}{why}", flush=True)
    counts = {outcome: outcomes.count(outcome) for outcome in ("same", "refused", "differs")}
    print(", ".join(f"{count} {outcome}" for outcome, count in counts.items()))
    sys.exit(1 if counts["differs"] or not counts["same"] else 0)


if __name__ == "__main__":
    main()
