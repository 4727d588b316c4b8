"""Each way to start ranks in a Slurm of one node, and what Sterna says of it.

    python tests/campaign/slurm_launch.py build/src/app/sterna-md build-system/src/app/sterna-md

Every program runs twenty steps on two ranks: by `srun` with each of Slurm's plugins for MPI, and by
the program's own `mpiexec` in a batch job. A line each tells how many ranks joined, or the first error.
Needs Slurm: `apt-get install slurmctld slurmd slurm-client slurm-wlm-basic-plugins munge`.
"""

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from slurm_of_one_node import Slurm, missing_programs
from sterna.commands.doctor import _TRIAL
from sterna.launching import launch
from sterna.launching.program import find_launcher

RANKS = 2
PLUGINS = ("pmix", "pmi2", "none")


def ways(program: Path) -> dict[str, list[str]]:
    by_srun = {
        f"srun --mpi={name}": ["srun", f"--mpi={name}", "-n", str(RANKS)] for name in PLUGINS
    }
    return by_srun | {"mpiexec": [str(find_launcher(program)), "-n", str(RANKS)]}


def outcome(folder: Path, said: str, status: int) -> str:
    """What became of a run: its ranks, or why there was none."""
    log = folder / "trial.log.jsonl"
    events = log.read_text(encoding="utf-8").split("\n") if log.exists() else []
    started = [json.loads(line) for line in events if '"event":"start"' in line]
    if status == 0 and started:
        return f"{started[0]['ranks']} ranks ran"
    error = re.search(r"^.*error.*$", said, re.MULTILINE)
    return f"status {status}: {error[0].strip() if error else said.strip()[-300:]}"


def attempt(slurm: Slurm, start: list[str], program: Path) -> str:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "trial.toml").write_text(_TRIAL.format(directory=json.dumps(name)))
        line = shlex.join(
            [*start, str(program), "--progress", "never", "--", str(folder / "trial.toml")]
        )
        output = folder / "output.txt"
        job = slurm.submit(
            "--ntasks", RANKS, "--time", 2, "--output", output,
            "--wrap", f"{line}; echo status $? >{folder / 'status'}",
        )  # fmt: skip
        slurm.wait(job)
        status = folder / "status"
        code = int(status.read_text().split()[1]) if status.exists() else -1
        return outcome(folder, output.read_text(errors="replace"), code)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", type=Path, nargs="+")
    options = parser.parse_args()
    if missing := missing_programs():
        sys.exit(f"no Slurm here, which needs {', '.join(missing)}: see the head of this file")
    os.environ.update(launch.program_environment())
    with tempfile.TemporaryDirectory() as name, Slurm(Path(name) / "slurm", RANKS) as slurm:
        print(slurm.command("srun", "--version").strip())
        for program in map(Path.resolve, options.program):
            said = subprocess.run([program, "--methods"], capture_output=True, text=True).stdout
            print(next(line for line in said.split("\n") if "MPI" in line))
            for way, start in ways(program).items():
                print(f"  {way:20} {attempt(slurm, start, program)}", flush=True)


if __name__ == "__main__":
    main()
