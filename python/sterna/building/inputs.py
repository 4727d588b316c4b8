"""Inputs as sections, and the particles that they start with."""

import subprocess
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sterna.errors import SternaError
from sterna.frames.trajectory import Trajectory, TrajectoryFrame
from sterna.launching.launch import program_environment
from sterna.launching.program import find_program
from sterna.results.outputs import outputs_of
from sterna.support.files import require_regular
from sterna.support.toml_text import toml_text


@dataclass
class Start:
    """An input, and where its run ended; before it has run, where it starts from."""

    path: Path
    sections: dict[str, Any]
    trajectory: Trajectory
    frame: TrajectoryFrame

    @property
    def units(self) -> str:
        return self.trajectory.units

    def section(self, name: str) -> dict[str, Any]:
        return self.sections.get(name, {})


def files_of(path: Path) -> list[Path]:
    """An input in TOML and the files that it names. Raises SternaError where it cannot be read."""
    sections = _sections_of(path)
    named = [sections.get("start", {}), *sections.get("molecule", [])]
    return [path, *(path.parent / section["file"] for section in named if "file" in section)]


def _sections_of(path: Path) -> dict[str, Any]:
    require_regular(path)
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SternaError(f"{path}: expected an input in TOML: {error}", status=2) from error


def read_start(path: Path) -> Start:
    """Reads an input and the last frame of its run's trajectory, or the start that it describes.

    Raises SternaError where the input is not valid or has another format than TOML.
    """
    sections = _sections_of(path)
    _read_molecule_files(sections, path.parent)
    directory, name = outputs_of(path)
    trajectory = directory / f"{name}.h5md"
    if trajectory.is_file():
        read = Trajectory(trajectory)
        if len(read) > 0 and read.description:
            turns = any(any(c["inertia"]) for c in read.description.get("components", []))
            if turns and "orientation" not in read.fields:
                raise SternaError(
                    f"{trajectory} has no orientations; run {path} with trajectory_fields = "
                    '["position", "velocity", "orientation", "angular_momentum"] in [output]',
                    2,
                )
            return Start(path, sections, read, read[-1])
    return _at_the_start(path, sections)


def _read_molecule_files(sections: dict[str, Any], folder: Path) -> None:
    for molecule in sections.get("molecule", []):
        if "file" in molecule:
            file = folder / molecule.pop("file")
            require_regular(file)
            try:
                molecule |= tomllib.loads(file.read_text(encoding="utf-8-sig"))
            except (OSError, tomllib.TOMLDecodeError) as error:
                raise SternaError(f"{file}: {error}", status=2) from error


def _at_the_start(path: Path, sections: dict[str, Any]) -> Start:
    """The engine reads or makes the start, whatever kind it is, and writes it as a trajectory."""
    fields = ["position", "velocity", "image"]
    if "component" in sections:
        fields += ["orientation", "angular_momentum"]
    with tempfile.TemporaryDirectory(prefix="sterna-new-") as folder:
        # The input is written to its folder, because it may name files relative to it.
        output = {"directory": folder, "trajectory_interval": 1, "trajectory_fields": fields}
        made = dict(sections) | {
            "run": dict(sections.get("run", {})) | {"name": "start", "steps": 0},
            "output": output,
        }
        name = "start"
        if made.get("stage"):
            # Keys that the common sections lack, such as the time step, are those of the first stage.
            first = dict(made["stage"][0])
            first["run"] = dict(first.get("run", {})) | {"steps": 0}
            first.pop("output", None)
            made["stage"] = [first]
            name = f"start.{first['name']}"
        with tempfile.NamedTemporaryFile("w", suffix=".toml", dir=path.parent, delete=True) as file:
            file.write(toml_text(made))
            file.flush()
            done = subprocess.run(
                [find_program(), file.name],
                env=program_environment(),
                capture_output=True,
                text=True,
                check=False,
            )
        if done.returncode != 0:
            raise SternaError(f"{path} does not start:\n{done.stderr.strip()}", done.returncode)
        trajectory = Trajectory(Path(folder) / f"{name}.h5md")
        return Start(path, sections, trajectory, trajectory[0])
