"""A sweep as a job array of Slurm: one task of the array for each run that is missing."""

import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from sterna.errors import SternaError

if TYPE_CHECKING:
    from sterna.sweeps.sweep import Sweep

_RESERVED = ("array", "ntasks", "n", "a")
_LIST = "runs.txt"


def write_batch_script(sweep: "Sweep") -> tuple[Path, int]:
    """Writes the script for `sbatch`, and the list of runs that it reads.

    Options of sbatch are those of [slurm] in the study. Returns the script and how many runs there
    are; raises SternaError where nothing is left to run.
    """
    missing = [run.directory.name for run in sweep.runs if not sweep.is_complete(run)]
    if not missing:
        raise SternaError(f"{sweep.path}: all runs are complete; nothing is left for Slurm")
    folder = sweep.directory.absolute()
    sweep.make_directory()
    (folder / _LIST).write_text("".join(f"{name}\n" for name in missing), encoding="utf-8")
    options = {
        "job-name": sweep.path.stem,
        "array": f"1-{len(missing)}",
        "nodes": 1,
        "ntasks": sweep.ranks,
        "output": str(folder / "slurm-%A_%a.txt"),
        # Some time before the limit runs write a checkpoint, so that another array goes on.
        "signal": "B:TERM@120",
        **sweep.slurm,
    }
    lines = [f"#SBATCH --{_option(name, value)}" for name, value in options.items()]
    study = shlex.quote(str(sweep.path.absolute()))
    text = "\n".join(
        [
            "#!/bin/bash",
            *lines,
            f"# Written by `sterna sweep {sweep.path.name} --slurm`. Each task of the array is one run.",
            f"# Afterwards `sterna sweep {sweep.path.name} --status` writes the table.",
            f'run=$(sed -n "${{SLURM_ARRAY_TASK_ID}}p" {shlex.quote(str(folder / _LIST))})',
            f'exec {shlex.quote(sys.executable)} -m sterna sweep {study} --only "$run"',
        ]
    )
    script = folder / "sweep.sbatch"
    script.write_text(f"{text}\n", encoding="utf-8")
    script.chmod(0o755)
    return script, len(missing)


def options_of(path: Path, study: Mapping) -> dict[str, object]:
    """[slurm] of a study: long options of sbatch without dashes. Raises SternaError."""
    given = study.get("slurm", {})
    if not isinstance(given, Mapping):
        raise SternaError(f"{path}: expected [slurm] as a table of options of sbatch", 2)
    for name, value in given.items():
        if name in _RESERVED:
            raise SternaError(
                f'{path}: [slurm]: "{name}" is what the sweep itself says; expected other options of '
                "sbatch, such as time or partition",
                2,
            )
        if not isinstance(value, (str, int, float, bool)) or "\n" in str(value):
            raise SternaError(f"{path}: [slurm]: {name} is {value!r}, expected a text or number", 2)
    return dict(given)


def _option(name: str, value: object) -> str:
    return name if value is True else f"{name}={value}"
