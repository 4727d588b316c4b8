"""Kills and stops runs in all phases, starts pairs at once, and looks what is lost or left behind.

    python tests/campaign/kill_and_stop.py --trials 200 --pairs 20 --seed 1

A trial starts `sterna run` with two ranks and a timeout of 5 s, waits for a phase, and sends one
signal to a rank, the launcher or `sterna`. It fails where

- the run is not over within the timeout and some patience for a loaded machine,
- a process of the run is left, or its session folder after the next start,
- a checkpoint that was there before is gone, or the run cannot be resumed to its end,
- the log, once resumed, lacks a row that was written before, or has one twice,
- a file of an observer is not, byte for byte, that of a run that nobody disturbed.


Every observer of the table is on. There are three inputs, which trials take in turn: atoms, rigid
molecules and flexible ones, each with the observers that look at such particles. An observer
without a place in any of them is an error at the start.

A pair starts two runs in one folder at the same moment. It fails where both end well, where none
does, or where the log has lines of both.
"""

import argparse
import collections
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

from sterna.launching import processes, session  # noqa: E402
from sterna.launching.program import find_program  # noqa: E402

SETTINGS = """\
units = "reduced"

[run]
name = "melt"
steps = 600
timestep = 0.002
seed = 7

[output]
thermo_interval = 10
trajectory_interval = 100
checkpoint_interval = 50

[communication]
timeout = "5 s"

# Regions that are cut by measured times have other bits in each run.
[domain]
decomposition = "grid"
"""
STEPS = 600

ATOMS = """\
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

[thermostat]
kind = "stochastic_velocity_rescaling"
temperature = 1.44
time_constant = 0.1
"""

DUMBBELLS = """\
[start]
kind = "lattice"
lattice = "sc"
cells = [8, 8, 8]
density = 0.3
temperature = 1.5

[[component]]
name = "D"
site = [
  { kind = "lennard_jones", position = [0.3, 0, 0], mass = 1, epsilon = 1, sigma = 1 },
  { kind = "lennard_jones", position = [-0.3, 0, 0], mass = 1, epsilon = 1, sigma = 1 },
  { kind = "charge", position = [0.3, 0, 0], charge = 0.5 },
  { kind = "charge", position = [-0.3, 0, 0], charge = -0.5 },
]

[interaction]
cutoff = 2.5
electrostatics = "reaction_field"

[thermostat]
kind = "stochastic_velocity_rescaling"
temperature = 1.5
time_constant = 0.1
"""

CHAINS = """\
[start]
kind = "file"
file = "chains.extxyz"
temperature = 1.0

[[type]]
name = "A"

[[type]]
name = "B"
mass = 0.5
epsilon = 0.5

[[molecule]]
name = "chain"
count = 50
atom = [
  { name = "A1", type = "A", charge = 0.3 },
  { name = "B1", type = "B", charge = -0.3 },
  { name = "B2", type = "B", charge = -0.3 },
  { name = "A2", type = "A", charge = 0.3 },
]
[[molecule.bond]]
potential = "harmonic"
stiffness = 200
r0 = 1.0
atoms = [[1, 2], [2, 3], [3, 4]]

[[group]]
name = "ends"
select = "type A"

[[group]]
name = "inner"
select = "type B"

[interaction]
cutoff = 2.5

[electrostatics]
kind = "ewald"
"""

#: Of each observer: the kinds of particles that it looks at, and keys besides the interval.
EVERYWHERE = ("atoms", "dumbbells", "chains")
OBSERVERS = {
    "rdf": (EVERYWHERE, ""),
    "profile": (EVERYWHERE, "bins = 16"),
    "radial_profile": (EVERYWHERE, "maximum = 3.0\nbins = 16"),
    "profile_2d": (EVERYWHERE, "bins = 4\ncentered = true"),
    "flow_profile": (EVERYWHERE, 'shape = "sphere"\nmaximum = 3.0\nbins = 16'),
    "stress_profile": (("atoms",), 'shape = "map"\nbins = 4'),
    "liquid_vapor": (EVERYWHERE, "bins = 16"),
    "pressure_tensor": (EVERYWHERE, 'surface_normal = "z"'),
    "viscosity": (EVERYWHERE, ""),
    "fluctuations": (EVERYWHERE, ""),
    "derivatives": (("atoms",), ""),
    "insertion": (("dumbbells",), "insertions = 100"),
    "orientation_order": (("dumbbells",), "bins = 4"),
    "diffusion": (EVERYWHERE, ""),
    "velocity_autocorrelation": (EVERYWHERE, "length = 0.2"),
    "vibrational_spectrum": (EVERYWHERE, "length = 0.2"),
    "van_hove": (EVERYWHERE, "length = 0.2\nmaximum = 1.0\nbins = 10"),
    "van_hove_distinct": (EVERYWHERE, "length = 0.2\nmaximum = 2.0\nbins = 10"),
    "dielectric": (("dumbbells", "chains"), ""),
    "structure_factor": (EVERYWHERE, "maximum = 3.0"),
    "coordination": (("chains",), 'of = "ends"\nwith = "inner"\ndistance = 1.5'),
    "radius_of_gyration": (("chains",), ""),
    "end_to_end_distance": (("chains",), ""),
    "rmsd": (("chains",), 'groups = ["ends"]'),
    "rmsf": (("chains",), 'group = "ends"'),
    "bond_distribution": (("chains",), "minimum = 0.5\nmaximum = 1.5"),
    "angle_distribution": (("chains",), ""),
    "torsion_distribution": (("chains",), ""),
    "hydrogen_bonds": (("chains",), 'hydrogens = "inner"\nacceptors = "ends"\ndistance = 2.0'),
    "molecular_dipole": (("chains",), ""),
    "common_neighbors": (("atoms",), ""),
    "centro_symmetry": (("atoms",), "threshold = 0.5"),
}


def inputs() -> dict[str, str]:
    """The text of each input, with all observers of the table in `src/md/observe`."""
    table = (ROOT / "src/md/observe/observer_list.inc").read_text(encoding="utf-8")
    known = re.findall(r"STERNA_OBSERVER\((\w+)\)", table)
    if set(known) != set(OBSERVERS):
        names = ", ".join(sorted(set(known) ^ set(OBSERVERS)))
        raise SystemExit(f"OBSERVERS in {__file__} and the table of observers differ: {names}")
    texts = {"atoms": ATOMS, "dumbbells": DUMBBELLS, "chains": CHAINS}
    for kind in texts:
        sections = [
            f"[{name}]\ninterval = 5\n{keys}\n"
            for name, (kinds, keys) in OBSERVERS.items()
            if kind in kinds
        ]
        texts[kind] = "\n".join([SETTINGS, texts[kind], *sections])
    return texts


def chains() -> str:
    """Fifty chains of four atoms along x, which are not on a line."""
    lines = ["200", 'Lattice="10 0 0 0 7.5 0 0 0 7.5" Properties=species:S:1:pos:R:3']
    for n in range(50):
        for k, kind in enumerate("ABBA"):
            x = 0.5 + 5.0 * (n % 2) + 0.9 * k
            y = 1.5 * (n // 2 % 5) + (0.5 if k % 2 else 0.2)
            z = 1.5 * (n // 10) + (0.4 if k > 1 else 0.2) + 0.02 * ((3 * n + k) % 5)
            lines.append(f"{kind} {x:.3f} {y:.3f} {z:.3f}")
    return "\n".join(lines) + "\n"


def write_input(folder: Path, text: str) -> None:
    (folder / "melt.toml").write_text(text, encoding="utf-8")
    (folder / "chains.extxyz").write_text(chains(), encoding="utf-8")


def results(folder: Path) -> dict[str, bytes]:
    """The files of observers."""
    return {path.name: path.read_bytes() for path in sorted(folder.glob("melt.*.txt"))}


def remove(folder: Path) -> None:
    for path in sorted(folder.rglob("*"), reverse=True):
        path.unlink()
    folder.rmdir()


def undisturbed(text: str) -> dict[str, bytes]:
    """What observers find in a run to which nothing happens."""
    folder = Path(tempfile.mkdtemp(prefix="kill-and-stop-"))
    write_input(folder, text)
    if start(folder).wait(RUN_TIME) != 0:
        said = (folder / "said").read_text(errors="replace")
        raise SystemExit(f"the undisturbed run in {folder} failed:\n{said}")
    found = results(folder)
    remove(folder)
    return found


TIMEOUT = 5.0  # seconds, as in the input
PATIENCE = 60.0  # seconds for an end, on a machine that others use, too
RUN_TIME = 600.0  # seconds for a whole run there
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
        end = time.monotonic() + RUN_TIME
        while not condition():
            if self.over():
                return False
            if time.monotonic() > end:
                raise Failure(f"no {what} in {RUN_TIME:g} s")
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


def look(
    run: Run,
    target: str,
    name: str,
    before: list[dict],
    had_checkpoint: bool,
    expected: dict[str, bytes],
) -> None:
    try:
        # What is stopped only for a moment goes on to the end of the run.
        goes_on = target == "sterna" and name == "SIGSTOP"
        run.process.wait(RUN_TIME if goes_on else TIMEOUT + PATIENCE)
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
        status = resumed.wait(RUN_TIME)
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
    found = results(run.folder)
    if found.keys() != expected.keys():
        raise Failure(f"observers wrote {sorted(found)}, expected {sorted(expected)}")
    differ = [file for file in expected if found[file] != expected[file]]
    if differ:
        raise Failure(f"observers found something else than in an undisturbed run: {differ}")


def trial(
    folder: Path,
    phase: str,
    target: str,
    name: str,
    chance: random.Random,
    text: str,
    expected: dict[str, bytes],
) -> str:
    """What came of it: a word, or Failure."""
    write_input(folder, text)
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
        look(run, target, name, before, had_checkpoint, expected)
        return "passed"
    finally:
        if not run.over():
            run.process.kill()
            run.process.wait()
        if run.session is not None:
            processes.send(living(run.session), signal.SIGKILL)


def pair(folder: Path, text: str) -> str:
    write_input(folder, text)
    two = [start(folder), start(folder)]
    try:
        statuses = [each.wait(RUN_TIME) for each in two]
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
            remove(folder)
        results.append(
            {"what": what, "outcome": outcome, "seconds": round(time.monotonic() - at, 2)}
        )
        print(f"{len(results):4} {what:48} {outcome}", flush=True)

    texts = inputs()
    expected = {kind: undisturbed(text) for kind, text in texts.items()}
    kinds = list(texts)
    number = 0
    while sum(result["outcome"] != "over before" for result in results) < arguments.trials:
        phase, target, name = plan[number % len(plan)]
        kind = kinds[number % len(kinds)]
        number += 1
        record(
            f"{name} to {target}, {phase}, {kind}",
            lambda folder, p=phase, t=target, n=name, k=kind: trial(
                folder, p, t, n, chance, texts[k], expected[k]
            ),
        )
    for _ in range(arguments.pairs):
        record("two starts at once", lambda folder: pair(folder, texts["atoms"]))
    counts = collections.Counter(result["outcome"].split(":")[0] for result in results)
    print(f"{dict(counts)} in {time.monotonic() - began:.0f} s")
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    return 1 if counts["FAILED"] else 0


if __name__ == "__main__":
    sys.exit(main())
