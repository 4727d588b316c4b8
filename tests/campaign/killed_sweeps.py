"""A sweep of 40 state points on two cores that is killed at random ten times has the same table.

    python tests/campaign/killed_sweeps.py --kills 10 --seed 1

The sweep runs once without a disturbance and once with. Each kill is SIGKILL or SIGTERM to `sterna
sweep`, to a run or to a rank of one, after a random time. The campaign fails where a table differs in
a single character, or where a run is not complete in the end.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

from sterna.launching.program import find_program  # noqa: E402

INPUT = """\
[run]
steps = 2000
timestep = 0.004
seed = 5
[domain]
decomposition = "grid"
[start]
kind = "lattice"
particles = 256
density = 0.6
temperature = 1.0
[[type]]
name = "A"
[interaction]
cutoff = 2.0
[thermostat]
kind = "langevin"
temperature = 1.0
time_constant = 0.5
[output]
thermo_interval = 20
checkpoint_interval = 200
"""
STUDY = """\
input = "fluid.toml"
collect = ["pressure", "potential_energy"]
[vary]
"start.density" = {from = 0.40, to = 0.58, count = 10}
"thermostat.temperature" = [1.0, 1.2, 1.4, 1.6]
"""


def command(study: Path) -> list[str]:
    return [sys.executable, "-m", "sterna", "sweep", "--cores", "2", str(study)]


def environment() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": str(ROOT / "python"), "STERNA_MD": str(find_program())}


def started(root: int) -> list[int]:
    """Processes that a process has started, by their parents."""
    parents: dict[int, list[int]] = {}
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            stat = (folder / "stat").read_text()
        except OSError:
            continue
        parents.setdefault(int(stat.rpartition(")")[2].split()[1]), []).append(int(folder.name))
    found, new = [], [root]
    while new:
        found += new
        new = [child for parent in new for child in parents.get(parent, [])]
    return found


def disturb(study: Path, kills: int, generator: random.Random) -> None:
    for number in range(kills):
        process = subprocess.Popen(
            command(study), env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(generator.uniform(0.5, 8.0))
        if process.poll() is not None:
            print(f"kill {number + 1}: the sweep had ended")
            continue
        target = generator.choice([process.pid, generator.choice(started(process.pid))])
        how = generator.choice([signal.SIGKILL, signal.SIGTERM])
        try:
            os.kill(target, how)
        except ProcessLookupError:
            how = None
        what = "the sweep" if target == process.pid else "a process of it"
        print(f"kill {number + 1}: {what} by {how}", flush=True)
        # What is left of the sweep is asked to end, too.
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        process.wait()


def table_of(folder: Path, kills: int, generator: random.Random) -> str:
    folder.mkdir()
    (folder / "fluid.toml").write_text(INPUT)
    study = folder / "study.toml"
    study.write_text(STUDY)
    disturb(study, kills, generator)
    done = subprocess.run(
        command(study), env=environment(), capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise SystemExit(f"the sweep ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return (folder / "study" / "results.csv").read_text()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    generator = random.Random(options.seed)
    with tempfile.TemporaryDirectory(prefix="sterna-sweeps-") as folder:
        whole = table_of(Path(folder) / "whole", 0, generator)
        killed = table_of(Path(folder) / "killed", options.kills, generator)
    points = whole.count("complete")
    if points != 40 or whole != killed:
        raise SystemExit(f"the tables differ ({points} points are complete):\n{whole}\n{killed}")
    print(f"the same table of {points} state points after {options.kills} kills")


if __name__ == "__main__":
    main()
