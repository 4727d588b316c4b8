"""Where a run leaves its files, as the program tells it of an input."""

import json
import subprocess
from pathlib import Path

from sterna.errors import SternaError
from sterna.launching.launch import program_environment
from sterna.launching.program import find_program

LOG_SUFFIX = ".log.jsonl"
TRAJECTORY_SUFFIX = ".h5md"
#: Of files in formats of other programs, before the format's own: "melt.export.dcd".
EXPORT_SUFFIX = ".export."


def outputs_of(path: Path) -> tuple[Path, str]:
    """The directory that a run of this input writes into and the stem of its files.

    Raises SternaError, with what the program said of the input, where that is not valid.
    """
    outputs = settings_of(path)
    return Path(outputs["directory"]), outputs["name"]


def settings_of(path: Path) -> dict:
    """`outputs_of`, and what an input leaves to who starts its run: "report" and "export".

    Of an input with stages all this is that of the last one, and "stages" has a row for each.
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
    return json.loads(shown.stdout)
