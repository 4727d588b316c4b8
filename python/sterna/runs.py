"""Runs a simulation from Python."""

import json
import subprocess
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from sterna import launch
from sterna.errors import SternaError
from sterna.launch import program_environment
from sterna.log import Log, read_log
from sterna.program import find_program


@dataclass
class Result:
    """What a finished run left behind."""

    directory: Path  #: where its output is
    name: str  #: the stem of its files
    output: str  #: what it printed

    @property
    def log_path(self) -> Path:
        return self.directory / f"{self.name}.log.jsonl"

    @cached_property
    def log(self) -> Log:
        """Thermodynamics over the logged steps."""
        return read_log(self.log_path)

    @property
    def trajectory(self) -> Path | None:
        """The H5MD trajectory, or None where the input asked for none."""
        path = self.directory / f"{self.name}.h5md"
        return path if path.exists() else None


def outputs_of(path: Path) -> tuple[Path, str]:
    """The directory that a run of this input writes into and the stem of its files.

    Raises SternaError, with what the program said of the input, where that is not valid.
    """
    shown = subprocess.run(
        [find_program(), "--outputs", "--", path],
        env=program_environment(),
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    if shown.returncode != 0:
        raise SternaError(shown.stderr.strip(), shown.returncode)
    outputs = json.loads(shown.stdout)
    return Path(outputs["directory"]), outputs["name"]


def run(
    input: str | Path,  # noqa: A002 - the word a user expects
    ranks: int | None = None,
    resume: bool = False,
    show: bool = False,
    overwrite: bool = False,
) -> Result:
    """Runs the input file on `ranks` ranks (default: all cores) and returns what it left.

    With `show` its output also goes to the screen. A new start keeps files of an earlier run as
    backups, `#NAME.log.jsonl.1#` and so on, or removes them with `overwrite`. Raises
    SternaError, with what the run said, where it did not end well.
    """
    directory, name = outputs_of(Path(input))
    said: list[str] = []
    errors: list[str] = []

    def keep(lines: list[str]):
        def take(line: str) -> None:
            lines.append(line)
            if show:
                print(line, end="", flush=True)

        return take

    status = launch.launch(
        ranks or launch.available_cores(),
        [
            *(["--resume"] if resume else []),
            *(["--overwrite"] if overwrite else []),
            *("--progress", "never", "--", str(input)),
        ],
        keep(said),
        keep(errors),
    )
    if status != 0:
        text = "".join(errors).strip() or "".join(said).strip()
        raise SternaError(text or f"sterna-md ended with status {status}", status)
    return Result(directory=directory, name=name, output="".join(said))
