"""The formats that trajectories are exported to, a row for each."""

import importlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy

from sterna.errors import SternaError
from sterna.frames.atoms import AtomFrame, Atoms
from sterna.frames.trajectory import Trajectory, TrajectoryFrame
from sterna.support.libraries import library

#: Names of the modules in `formats`, each with a `FORMAT`, in the order of the documentation.
MODULES = ("xtc", "trr", "dcd", "gsd", "extxyz", "lammpstrj", "data", "top", "xml", "pdb", "gro")


@dataclass
class Export:
    """The data to write: `numbers` of the frames, and the atoms, of which `chosen` were taken."""

    trajectory: Trajectory
    numbers: list[int]
    all_atoms: Atoms
    chosen: numpy.ndarray | None
    centers: bool  #: rigid molecules are points with orientations
    name: str = ""  #: name of the file
    force_field: bool = True  #: whether formats that can hold it have it
    #: The sections of an input and the folders of its files, if the trajectory is only the input's
    #: start.
    given_input: tuple[dict[str, Any], list[Path]] | None = None
    #: Texts of files beside it, by the endings that replace the file's suffix.
    beside: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)  #: notes on features that the format lacks

    def __post_init__(self) -> None:
        self.atoms = self.all_atoms if self.chosen is None else self.all_atoms.subset(self.chosen)

    def frames(self) -> Iterator[AtomFrame]:
        """The atoms, frame after frame."""
        for frame in self.particle_frames():
            yield self.all_atoms.at(frame, self.chosen)

    def particle_frames(self) -> Iterator[TrajectoryFrame]:
        """Yields all data of the trajectory, whatever was chosen. Raises ValueError if they are not
        finite.
        """
        for frame in self.trajectory.frames(self.numbers):
            for name in ("edges", "position", "velocity", "force", "orientation"):
                values = getattr(frame, name)
                if values is not None and not numpy.isfinite(values).all():
                    raise ValueError(f"{name} of step {frame.step} has numbers that are not finite")
            yield frame

    def beside_paths(self, output: Path) -> dict[Path, str]:
        """The files beside `output`, with their texts."""
        return {output.with_name(output.stem + end): text for end, text in self.beside.items()}

    @property
    def times(self) -> numpy.ndarray:
        return self.trajectory.times[self.numbers]

    @property
    def steps(self) -> numpy.ndarray:
        return self.trajectory.steps[self.numbers]

    def scale(self, per_nm: float) -> float:
        """Returns the factor from the file's lengths to others; reduced lengths stay as they
        are.
        """
        return 1.0 if self.trajectory.is_reduced else per_nm


@dataclass(frozen=True)
class Format:
    """A row: one format."""

    suffix: str  #: suffix of the names of its files
    description: str
    write: Callable[[Path, Export], None]
    single: bool = False  #: a file holds one frame
    is_system: bool = False  #: it holds the force field, too
    aliases: tuple[str, ...] = ()  #: other suffixes
    last_step: int | None = None  #: the last one that a frame can have
    needs: str = ""  #: a package of others, by the name that it has on PyPI and is imported by

    def require(self) -> None:
        """Raises SternaError, saying how to install it, where the package is missing."""
        if self.needs:
            library(self.needs, f"exporting to .{self.suffix}")


def formats() -> list[Format]:
    """All rows."""
    return [importlib.import_module(f"sterna.exporting.formats.{m}").FORMAT for m in MODULES]


def format_of(path: Path, name: str | None) -> Format:
    """The format of this name, else of the name of the file. Raises SternaError."""
    wanted = (name or path.suffix).lower().lstrip(".")
    for known in formats():
        if wanted in (known.suffix, *known.aliases):
            return known
    names = ", ".join(f".{known.suffix}" for known in formats())
    raise SternaError(
        f"{name or path}: expected a file whose name ends in one of {names}, or --format", 2
    )


def require(names: Iterable[str]) -> None:
    """Raises SternaError if packages for these formats are missing, with a list of them."""
    missing = {}
    for name in names:
        known = format_of(Path(), name)
        try:
            known.require()
        except SternaError as error:
            missing.setdefault(known.needs, str(error))
    if missing:
        raise SternaError("\n".join(missing.values()))
