"""The start of an input that was not run, as a trajectory of one frame."""

import contextlib
import subprocess
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sterna.errors import SternaError
from sterna.frames.trajectory import Trajectory
from sterna.launching.launch import program_environment
from sterna.launching.program import find_program
from sterna.support.damage import reading
from sterna.support.toml_text import toml_text

#: Keys with names of files, relative to the folder of the input.
_FILES = (
    ("start", "file"), ("start", "header"), ("interaction", "parameter_file"), ("molecule", "file"),
    ("pair", "table"), ("restraint", "reference_file"),
)  # fmt: skip
#: Keys of a [[molecule]] that its file cannot have.
_OF_THE_INPUT = ("name", "count", "residue_numbers", "chains", "file")
_FIELDS = ["position", "velocity"]
_OF_RIGID = ["orientation", "angular_momentum"]


def sections_of(path: Path) -> dict[str, Any]:
    """Returns the sections of an input. Raises SternaError if it is no TOML file."""
    with reading(path, "this is no input in TOML"):
        return tomllib.loads(path.read_text(encoding="utf-8"))


@contextlib.contextmanager
def start_of(path: Path) -> Iterator[Trajectory]:
    """The start of this input, computed in a temporary folder, for as long as the block lasts.

    Raises SternaError, with what the program said, where the input is not valid.
    """
    sections = sections_of(path)
    for section, key in _FILES:
        tables = sections.get(section, [])
        for table in tables if isinstance(tables, list) else [tables]:
            if key in table:
                table[key] = str((path.parent / table[key]).resolve())
    fields = _FIELDS + (_OF_RIGID if "component" in sections else [])
    with tempfile.TemporaryDirectory(prefix="sterna-export-") as name:
        folder = Path(name)
        sections["run"] = sections.get("run", {}) | {"steps": 0, "name": path.stem}
        sections["output"] = {
            "directory": name, "trajectory_interval": 1, "trajectory_fields": fields,
        }  # fmt: skip
        # An input has a largest size, and as it is written here it is longer.
        for n, molecule in enumerate(sections.get("molecule", [])):
            own = {key: molecule.pop(key) for key in list(molecule) if key not in _OF_THE_INPUT}
            if "file" in molecule:
                molecule |= own
            else:
                molecule["file"] = str(folder / f"molecule{n}.toml")
                Path(molecule["file"]).write_text(toml_text(own), encoding="utf-8")
        given = folder / path.name
        given.write_text(toml_text(sections), encoding="utf-8")
        done = subprocess.run(
            [find_program(), given], env=program_environment(), capture_output=True, text=True,
            check=False,
        )  # fmt: skip
        if done.returncode != 0:
            raise SternaError(f"{path} does not run:\n{done.stderr}", 2)
        yield Trajectory(folder / f"{path.stem}.h5md")
