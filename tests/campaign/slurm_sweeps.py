"""A sweep of 40 state points in a Slurm of one node and under mpiexec, killed at random: one table.

    python tests/campaign/slurm_sweeps.py --kills 5 --seed 1

The sweep runs alone once. Then it runs in each of these ways, with as many disturbances each:

- "array": as a job array, by the script that `sterna sweep --slurm` writes;
- "srun": inside one job, where srun starts groups of ranks;
- "srun-pairs": the same with two ranks for each run, which are one group;
- "mpiexec": under mpiexec, inside a job;
- "mpiexec-alone": under mpiexec, without Slurm.

A disturbance cancels the job, asks its batch script to end as Slurm does before a time limit, puts it
back into the queue, or kills one of its processes. All tables must be the same, character by
character. Needs Slurm: `apt-get install slurmctld slurmd slurm-client munge`.
"""

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from killed_sweeps import INPUT, STUDY, command, environment, started
from slurm_of_one_node import Slurm, missing_programs
from sterna.launching.program import find_launcher, find_program

CORES = 2
WAYS = ("array", "srun", "srun-pairs", "mpiexec", "mpiexec-alone")
OPEN_MPI = {
    name: "1"
    for program in ("OMPI", "PRTE")
    for name in (f"{program}_ALLOW_RUN_AS_ROOT", f"{program}_ALLOW_RUN_AS_ROOT_CONFIRM")
}


def write_study(folder: Path, ranks: int, densities: int) -> Path:
    folder.mkdir()
    (folder / "fluid.toml").write_text(INPUT)
    study = folder / "study.toml"
    study.write_text(f"ranks = {ranks}\n" + STUDY.replace("count = 10", f"count = {densities}"))
    return study


def ranks_of(way: str) -> int:
    return 2 if way == "srun-pairs" else 1


def sweep(study: Path, *options: str) -> list[str]:
    return [sys.executable, "-m", "sterna", "sweep", *options, str(study)]


class InSlurm:
    """Jobs that make a sweep in one of the ways."""

    def __init__(self, slurm: Slurm, way: str, study: Path) -> None:
        self._slurm, self._way, self._study = slurm, way, study

    def start(self) -> str | None:
        """The number of a new job, or None where nothing is left to run."""
        if self._way == "array":
            done = subprocess.run(
                sweep(self._study, "--slurm"), env=environment(), capture_output=True, text=True,
                check=False,
            )  # fmt: skip
            if done.returncode != 0:
                return None
            return self._slurm.submit(self._study.parent / "study" / "sweep.sbatch")
        launcher = (
            ["srun"]
            if self._way.startswith("srun")
            else [find_launcher(find_program()), "-n", CORES]
        )
        line = " ".join(map(str, [*launcher, *sweep(self._study)]))
        output = self._study.parent / "job-%j.txt"
        return self._slurm.submit("--ntasks", CORES, "--output", output, "--wrap", line)

    def disturb(self, job: str, generator: random.Random) -> str:
        how = generator.choice(["cancel", "kill all", "time limit", "requeue", "kill a process"])
        if how == "cancel":
            self._slurm.command("scancel", job, check=False)
        elif how == "kill all":
            self._slurm.command("scancel", "--signal=KILL", "--full", job, check=False)
        elif how == "time limit":
            self._slurm.command("scancel", "--signal=TERM", "--batch", job, check=False)
        elif how == "requeue":
            self._slurm.command("scontrol", "requeue", job, check=False)
        else:
            # The daemons of Slurm itself are left alone.
            programs = [pid for pid in started(self._slurm.node) if "slurm" not in program_of(pid)]
            if programs:
                try:
                    os.kill(generator.choice(programs), signal.SIGKILL)
                except ProcessLookupError:
                    how = "a process that had ended"
        return how


def program_of(process: int) -> str:
    try:
        return Path(f"/proc/{process}/comm").read_text()
    except OSError:
        return "slurm"


def in_slurm(slurm: Slurm, way: str, study: Path, kills: int, generator: random.Random) -> None:
    jobs = InSlurm(slurm, way, study)
    for number in range(kills):
        job = jobs.start()
        if job is None:
            print(f"{way} {number + 1}: nothing was left to run")
            break
        time.sleep(generator.uniform(2.0, 9.0))
        print(f"{way} {number + 1}: {jobs.disturb(job, generator)}", flush=True)
        time.sleep(generator.uniform(0.0, 6.0))
        slurm.command("scancel", job, check=False)
        slurm.wait(job)
    # What single processes lost is run once more.
    for _ in range(2):
        job = jobs.start()
        if job is not None:
            slurm.wait(job)


def under_mpiexec(study: Path, kills: int, generator: random.Random) -> None:
    launcher = [str(find_launcher(find_program())), "-n", str(CORES), "--map-by", ":OVERSUBSCRIBE"]
    for number in range(kills):
        process = subprocess.Popen(
            [*launcher, *sweep(study)], env=environment(), stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        time.sleep(generator.uniform(1.0, 9.0))
        how = generator.choice([signal.SIGKILL, signal.SIGTERM])
        target = generator.choice([process.pid, generator.choice(started(process.pid))])
        try:
            os.kill(target, how)
        except ProcessLookupError:
            how = None
        what = "mpiexec" if target == process.pid else "a process of it"
        print(f"mpiexec-alone {number + 1}: {what} by {how}", flush=True)
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        process.wait()
    done = subprocess.run(
        [*launcher, *sweep(study)], env=environment(), capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise SystemExit(f"mpiexec ended with {done.returncode}:\n{done.stdout}{done.stderr}")


def table_of(study: Path) -> str:
    """Written now from the runs, as after a job array."""
    subprocess.run(sweep(study, "--status"), env=environment(), check=True, capture_output=True)
    return (study.parent / "study" / "results.csv").read_text()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--densities", type=int, default=10, help="with four temperatures each")
    parser.add_argument("--way", action="append", choices=WAYS, help="default: all")
    options = parser.parse_args()
    lacking = missing_programs()
    if lacking:
        raise SystemExit(
            f"skipped: there is no {', '.join(lacking)} here "
            "(apt-get install slurmctld slurmd slurm-client munge)"
        )
    os.environ.update(OPEN_MPI)
    os.environ.update(environment())
    generator = random.Random(options.seed)
    folder = Path(tempfile.mkdtemp(prefix="sterna-slurm-"))
    expected = {}
    ways = options.way or list(WAYS)
    points = 4 * options.densities
    for ranks in sorted({ranks_of(way) for way in ways}):
        study = write_study(folder / f"alone-{ranks}", ranks, options.densities)
        subprocess.run(command(study), env=environment(), check=True, stdout=subprocess.DEVNULL)
        expected[ranks] = table_of(study)
        if expected[ranks].count("complete") != points:
            raise SystemExit(f"the undisturbed sweep is not complete:\n{expected[ranks]}")
        print(f"{ranks} rank(s): the table of a sweep that nobody disturbed is there", flush=True)
    failed = []
    with Slurm(folder / "slurm", CORES) as slurm:
        for way in ways:
            begin = time.monotonic()
            ranks = ranks_of(way)
            study = write_study(folder / way, ranks, options.densities)
            if way == "mpiexec-alone":
                under_mpiexec(study, options.kills, generator)
            else:
                in_slurm(slurm, way, study, options.kills, generator)
            same = table_of(study) == expected[ranks]
            failed += [] if same else [way]
            verdict = "the same table" if same else "ANOTHER TABLE"
            print(f"{way}: {verdict} after {time.monotonic() - begin:.0f} s", flush=True)
    if failed:
        raise SystemExit(f"other tables: {', '.join(failed)}; see {folder}")
    shutil.rmtree(folder)
    print(f"the same table of {points} state points in {len(ways)} ways")


if __name__ == "__main__":
    main()
