"""Runs 20 steps of every input of ls1-MarDyn below a folder that `sterna check` accepts.

    python tests/campaign/ls1_examples.py ../shared/data/ls1/examples

Inputs of more than 200,000 molecules are only checked. What is written goes to a temporary folder.
Ends with status 1 where an input that was accepted does not run.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

from sterna import read_log  # noqa: E402

STEPS = 20


def sterna(*arguments: str | Path, folder: Path, timeout: float) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", "sterna", *map(str, arguments)],
        cwd=folder,
        env=environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


def environment() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": str(ROOT / "python"), "STERNA_MACHINE_FILE": "none"}


def first_error(text: str) -> str:
    lines = [line for line in text.splitlines() if "error: " in line]
    return lines[0].partition("error: ")[2] if lines else text.strip()[-200:]


def look(path: Path, most: int, ranks: int, timeout: float) -> tuple[str, str]:
    """What came of an input, and why or how large it is."""
    folder = path.parent
    checked = sterna("check", path.name, "-n", ranks, folder=folder, timeout=timeout)
    if checked.returncode != 0:
        return "refused", first_error(checked.stdout + checked.stderr)
    found = re.search(r": (\d+) particles on ", checked.stdout)
    if found is None:
        return "FAILED", "check does not say how many molecules there are"
    size = f"{int(found[1])} molecules"
    if int(found[1]) > most:
        return "too large", size
    text = path.read_text("utf-8")
    text, changed = re.subn(r"(<production>\s*<steps>)[^<]*", rf"\g<1>{STEPS}", text, count=1)
    if changed == 0:
        return "FAILED", "no number of steps"
    # Observers and checkpoints are to have their turn, too.
    text = re.sub(r"<writefrequency>\s*\d+", "<writefrequency>10", text)
    short = path.with_name(f"short-{path.name}")
    short.write_text(text, "utf-8")
    start = time.monotonic()
    try:
        done = sterna("run", short.name, "-n", ranks, folder=folder, timeout=timeout)
    except subprocess.TimeoutExpired:
        return "FAILED", f"{size}, not over in {timeout:g} s"
    if done.returncode != 0:
        return "FAILED", f"{size}, {first_error(done.stdout + done.stderr)}"
    last = read_log(max(folder.glob("*.log.jsonl"), key=lambda log: log.stat().st_mtime)).rows[-1]
    if last["step"] != STEPS:
        return "FAILED", f"{size}, ends at step {last['step']}"
    seconds = time.monotonic() - start
    return "ran", f"{size}, temperature {last['temperature']:.4g}, {seconds:.1f} s"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("examples", type=Path)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--most", type=int, default=200_000, help="molecules")
    parser.add_argument("--timeout", type=float, default=600, help="seconds, for each input")
    parser.add_argument("--only", default="", help="inputs whose path has this")
    arguments = parser.parse_args()
    counts: dict[str, int] = {}
    with tempfile.TemporaryDirectory(prefix="ls1-examples-") as name:
        top = Path(name) / "examples"
        shutil.copytree(arguments.examples, top)
        inputs = [p for p in sorted(top.rglob("*.xml")) if "<simulation" in p.read_text("utf-8")]
        print("| input | outcome | |\n|---|---|---|")
        for path in inputs:
            relative = str(path.relative_to(top))
            if arguments.only not in relative:
                continue
            outcome, why = look(path, arguments.most, arguments.ranks, arguments.timeout)
            counts[outcome] = counts.get(outcome, 0) + 1
            print(f"| {relative} | {outcome} | {why} |", flush=True)
    print(", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items())))
    return 1 if counts.get("FAILED") else 0


if __name__ == "__main__":
    sys.exit(main())
