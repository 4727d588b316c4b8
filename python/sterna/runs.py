"""Runs a simulation from Python."""

import tomllib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from sterna import launch
from sterna.errors import SternaError
from sterna.log import Log, read_log


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


def run(
    input: str | Path,  # noqa: A002 - the word a user expects
    ranks: int | None = None,
    resume: bool = False,
    show: bool = False,
) -> Result:
    """Runs the input file on `ranks` ranks (default: all cores) and returns what it left.

    With `show` its output also goes to the screen. Raises SternaError, with what the run said,
    where it did not end well.
    """
    path = Path(input)
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
        [str(path), *(["--resume"] if resume else []), "--progress", "never"],
        keep(said),
        keep(errors),
    )
    if status != 0:
        text = "".join(errors).strip() or "".join(said).strip()
        raise SternaError(text or f"sterna-md ended with status {status}", status)
    with path.open("rb") as file:
        described = tomllib.load(file)
    return Result(
        directory=Path(described.get("output", {}).get("directory", ".")),
        name=described.get("run", {}).get("name") or path.stem,
        output="".join(said),
    )
