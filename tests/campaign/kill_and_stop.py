"""Kills and stops runs in all phases, starts pairs at once, and looks what is lost or left behind.

    python tests/campaign/kill_and_stop.py --trials 200 --pairs 20 --seed 1

A trial starts `sterna run` with two ranks and a timeout of 5 s, waits for a phase, and sends one
signal to a rank, the launcher or `sterna`. It fails where

- the run is not over within the timeout and some patience for a loaded machine,
- a process of the run is left, or its session folder after the next start,
- a checkpoint that was there before is gone, or the run cannot be resumed to its end,
- the log, once resumed, lacks a row that was written before, or has one twice.

A pair starts two runs in one folder at the same moment. It fails where both end well, where none
does, or where the log has lines of both.
"""

import argparse
import collections
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

from sterna import processes, session  # noqa: E402
from sterna.program import find_program  # noqa: E402

INPUT = """\
units = "reduced"

[run]
name = "melt"
steps = {steps}
timestep = 0.002
seed = 7

[start]
kind = "lattice"
lattice = "fcc"
cells = [6, 6, 6]
density = 0.8442
temperature = 1.44

[[type]]
name = "LJ"

[interaction]
cutoff = 2.5

[output]
thermo_interval = 10
trajectory_interval = 100
checkpoint_interval = 50

[communication]
timeout = "5 s"
"""
STEPS = 600
TIMEOUT = 5.0  # seconds, as in the input
PATIENCE = 60.0  # seconds for the rest, on a machine that others use, too
PHASES = ("launch", "start of MPI", "reading", "running", "checkpoint", "end")
TARGETS = ("rank", "launcher", "sterna")
SIGNALS = ("SIGKILL", "SIGSTOP", "SIGTERM", "SIGINT", "SIGHUP")


class Failure(Exception):
    """A trial did not end as it should."""


def environment() -> dict[str, str]:
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("OMPI_COMM_", "PMI_", "PMIX_", "SLURM_"))
    }
    return kept | {"PYTHONPATH": str(ROOT / "python"), "STERNA_MACHINE_FILE": "none"}


def start(folder: Path, *options: str) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-m", "sterna", "run", "melt.toml", "-n", "2", *options],
        cwd=folder,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=(folder / "said").open("ab"),
        stderr=subprocess.STDOUT,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


class Run:
    """A run under way, as seen from outside."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.process = start(folder)
        self.session: Path | None = None

    def over(self) -> bool:
        return self.process.poll() is not None

    def launcher(self) -> int | None:
        for pid in processes.descendants(self.process.pid):
            try:
                variables = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
                name = Path(f"/proc/{pid}/comm").read_text(encoding="utf-8").strip()
            except OSError:
                continue
            if name not in ("prterun", "mpiexec", "mpirun", "orterun", "mpiexec.hydra"):
                continue
            for variable in variables:
                if variable.startswith(f"{session.VARIABLE}=".encode()):
                    self.session = Path(variable.split(b"=", 1)[1].decode())
                    return pid
        return None

    def ranks(self) -> list[int]:
        program = find_program().resolve()
        found = processes.descendants(self.process.pid)
        return [pid for pid in found if processes.runs(pid, program)]

    def rows(self) -> list[dict]:
        """The complete lines of the log."""
        path = self.folder / "melt.log.jsonl"
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        return [json.loads(line) for line in text.split("\n")[:-1]]

    def wait_for(self, condition: Callable[[], object], what: str) -> bool:
        """False where the run was over before."""
        end = time.monotonic() + PATIENCE
        while not condition():
            if self.over():
                return False
            if time.monotonic() > end:
                raise Failure(f"no {what} in {PATIENCE:g} s")
            time.sleep(0.002)
        return True


def reach(run: Run, phase: str, chance: random.Random) -> bool:
    if phase == "launch":
        reached = run.wait_for(run.launcher, "launcher")
        time.sleep(chance.uniform(0, 0.03))
    elif phase == "start of MPI":
        reached = run.wait_for(run.launcher, "launcher") and run.wait_for(run.ranks, "ranks")
        time.sleep(chance.uniform(0, 0.08))
    elif phase == "reading":
        reached = run.wait_for(run.launcher, "launcher")
        reached = reached and run.wait_for((run.folder / "melt.log.jsonl").exists, "log")
    elif phase == "running":
        step = chance.randrange(10, STEPS - 100)
        reached = run.wait_for(run.launcher, "launcher") and run.wait_for(
            lambda: any(row.get("step", 0) >= step for row in run.rows()), f"step {step}"
        )
    elif phase == "checkpoint":
        path = run.folder / "melt.checkpoint"
        reached = run.wait_for(run.launcher, "launcher") and run.wait_for(path.exists, "checkpoint")
        before = path.stat().st_mtime_ns if reached else 0
        reached = reached and run.wait_for(
            lambda: (
                path.exists()
                and path.stat().st_mtime_ns != before
                or (path.parent / f"{path.name}.new").exists()
            ),
            "second checkpoint",
        )
    else:
        reached = run.wait_for(run.launcher, "launcher") and run.wait_for(
            lambda: any(row.get("event") == "end" for row in run.rows()), "end"
        )
        time.sleep(chance.uniform(0, 0.06))
    return reached


def wait_until(condition: Callable[[], object], seconds: float, what: str) -> None:
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise Failure(what)
        time.sleep(0.02)


def living(folder: Path) -> list[int]:
    mark = f"{session.VARIABLE}={folder}".encode()
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and mark in (entry / "environ").read_bytes().split(b"\0"):
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def look(run: Run, target: str, name: str, before: list[dict], had_checkpoint: bool) -> None:
    try:
        run.process.wait(TIMEOUT + PATIENCE)
    except subprocess.TimeoutExpired:
        raise Failure("does not end") from None
    if run.session is not None:
        path = run.session
        # Ranks without their launcher write a checkpoint first.
        wait_until(lambda: not living(path), TIMEOUT + PATIENCE, "processes are left")
        if target == "sterna" and name == "SIGKILL":
            session.remove_abandoned()  # what the next start does first
        if path.exists():
            raise Failure(f"{path} is left")
    if had_checkpoint and not list(run.folder.glob("melt.checkpoint*")):
        raise Failure("the checkpoint is gone")
    resumed = start(run.folder, "--resume")
    try:
        status = resumed.wait(TIMEOUT + 2 * PATIENCE)
    except subprocess.TimeoutExpired:
        resumed.kill()
        raise Failure("the resumed run does not end") from None
    if status != 0:
        raise Failure(f"the resumed run ended with status {status}")
    rows = [row for row in run.rows() if row.get("event") == "thermo"]
    steps = [row["step"] for row in rows]
    if steps != list(range(0, STEPS + 1, 10)):
        raise Failure(f"the log has the steps {steps}")
    if had_checkpoint:
        written = {row["step"]: row for row in rows}
        for row in before:
            if row.get("event") == "thermo" and written.get(row["step"]) != row:
                raise Failure(f"the log has lost the row of step {row['step']}")


def trial(folder: Path, phase: str, target: str, name: str, chance: random.Random) -> str:
    """What came of it: a word, or Failure."""
    (folder / "melt.toml").write_text(INPUT.format(steps=STEPS), encoding="utf-8")
    run = Run(folder)
    victim = None
    try:
        if not reach(run, phase, chance):
            return "over before"
        number = signal.Signals[name]
        ranks = run.ranks()
        victim = {
            "rank": chance.choice(ranks) if ranks else None,
            "launcher": run.launcher(),
            "sterna": run.process.pid,
        }[target]
        before = run.rows()
        had_checkpoint = (folder / "melt.checkpoint").exists()
        if victim is None:
            return "over before"
        os.kill(victim, number)
        if name == "SIGSTOP" and target == "sterna":
            time.sleep(1)  # nobody can do anything about it; it goes on where it was
            os.kill(victim, signal.SIGCONT)
        look(run, target, name, before, had_checkpoint)
        return "passed"
    finally:
        if not run.over():
            run.process.kill()
            run.process.wait()
        if run.session is not None:
            processes.send(living(run.session), signal.SIGKILL)


def pair(folder: Path) -> str:
    (folder / "melt.toml").write_text(INPUT.format(steps=STEPS), encoding="utf-8")
    two = [start(folder), start(folder)]
    try:
        statuses = [each.wait(2 * PATIENCE) for each in two]
    except subprocess.TimeoutExpired:
        raise Failure("does not end") from None
    finally:
        for each in two:
            if each.poll() is None:
                each.kill()
    if statuses.count(0) != 1:
        raise Failure(f"ended with the statuses {statuses}")
    events = [json.loads(line) for line in (folder / "melt.log.jsonl").read_text().splitlines()]
    steps = [event["step"] for event in events if event["event"] == "thermo"]
    if steps != list(range(0, STEPS + 1, 10)):
        raise Failure(f"the log has the steps {steps}")
    return "passed"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path, help="write what came of each trial to this file")
    parser.add_argument("--only", default="", help='trials whose name has this: "rank, end"')
    arguments = parser.parse_args()
    chance = random.Random(arguments.seed)
    plan = [
        (phase, target, name)
        for phase in PHASES
        for target in TARGETS
        for name in SIGNALS
        if arguments.only in f"{name} to {target}, {phase}"
    ]
    chance.shuffle(plan)
    results = []
    began = time.monotonic()

    def record(what: str, do: Callable[[Path], str]) -> None:
        folder = Path(tempfile.mkdtemp(prefix="kill-and-stop-"))
        at = time.monotonic()
        try:
            outcome = do(folder)
        except Failure as failure:
            outcome = f"FAILED: {failure} ({folder})"
        if not outcome.startswith("FAILED"):
            for path in sorted(folder.rglob("*"), reverse=True):
                path.unlink()
            folder.rmdir()
        results.append(
            {"what": what, "outcome": outcome, "seconds": round(time.monotonic() - at, 2)}
        )
        print(f"{len(results):4} {what:40} {outcome}", flush=True)

    number = 0
    while sum(result["outcome"] != "over before" for result in results) < arguments.trials:
        phase, target, name = plan[number % len(plan)]
        number += 1
        record(
            f"{name} to {target}, {phase}",
            lambda folder, p=phase, t=target, n=name: trial(folder, p, t, n, chance),
        )
    for _ in range(arguments.pairs):
        record("two starts at once", pair)
    counts = collections.Counter(result["outcome"].split(":")[0] for result in results)
    print(f"{dict(counts)} in {time.monotonic() - began:.0f} s")
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    return 1 if counts["FAILED"] else 0


if __name__ == "__main__":
    sys.exit(main())
