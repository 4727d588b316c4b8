"""What a run left behind, and where that is found."""

import glob
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from sterna.errors import SternaError
from sterna.results.log import Log, read_log
from sterna.results.outputs import (
    EXPORT_SUFFIX,
    LOG_SUFFIX,
    TRAJECTORY_SUFFIX,
    settings_of,
)

if TYPE_CHECKING:
    import ase
    import MDAnalysis
    import numpy
    import pandas
    from matplotlib.figure import Figure

    from sterna.frames.trajectory import Trajectory
    from sterna.results.averages import Averages
    from sterna.results.observations import Observers, Stages
    from sterna.results.run import Run


@dataclass(repr=False)
class Result:
    """The results of a finished run."""

    directory: Path  #: folder of its output
    name: str  #: the stem of its files
    output: str  #: printed output; empty if another process ran it
    #: For a run with stages, the stems of the files of each; all other data are those of the last
    #: stage.
    stems: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def stages(self) -> "Stages[Result]":
        """The results of each stage, by its name; empty for a run without stages.

        >>> result.stages["equilibrate"].averages["density"].mean
        """
        from sterna.results.observations import Stages

        return Stages(
            {stage: Result(self.directory, stem, "") for stage, stem in self.stems.items()}
        )

    @property
    def log_path(self) -> Path:
        return self.directory / f"{self.name}{LOG_SUFFIX}"

    @property
    def report(self) -> Path | None:
        """The report (`report` in [output], or `sterna report`), or None where there is none."""
        path = self.directory / f"{self.name}.report.html"
        return path if path.exists() else None

    @property
    def exports(self) -> list[Path]:
        """Files in formats of other programs (`export` in [output]) that are there."""
        return sorted(self.directory.glob(f"{glob.escape(self.name)}{EXPORT_SUFFIX}*"))

    @cached_property
    def log(self) -> Log:
        """Thermodynamics over the logged steps."""
        return read_log(self.log_path)

    @cached_property
    def averages(self) -> "Averages":
        """Means of quantities by name, with errors, over the part where the run has settled.

        >>> result.averages["density"].mean
        """
        return self._run.averages

    @cached_property
    def observers(self) -> "Observers":
        """The results of the observers, by the names of their sections.

        So `result.observers["rdf"]["r"]` is a NumPy array.
        """
        from sterna.results.observations import Observation, Observers

        return Observers({table.kind: Observation(table) for table in self._run.tables})

    @property
    def settled(self) -> bool | None:
        """Whether the run has settled; None where it is too short to tell."""
        return self.averages.settled

    @property
    def state(self) -> str:
        """ "complete", "interrupted", "failed", "running", "broken off" or "not begun"."""
        return self._run.state if self.log_path.is_file() else "not begun"

    def table(self) -> "pandas.DataFrame":
        """The rows of the log as a DataFrame of pandas.

        Raises SternaError where pandas is not installed.
        """
        return self.log.table()

    @cached_property
    def _run(self) -> "Run":
        from sterna.results.run import Run

        return Run(self.log_path, self.log)

    def __repr__(self) -> str:
        return f"<sterna.Result {self.name!r} in {str(self.directory)!r}>"

    def __str__(self) -> str:
        if not self.log_path.is_file():
            return repr(self)
        lines = [f"{self.name}: {self.state}, {self._run.last_step} steps", str(self.averages)]
        if self.observers:
            lines.append(f"observers: {', '.join(self.observers)}")
        if self.stages:
            states = [f"{name} ({stage.state})" for name, stage in self.stages.items()]
            lines.append(f"stages: {', '.join(states)}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        from html import escape

        if not self.log_path.is_file():
            return escape(repr(self))
        head = f"<p><b>{escape(self.name)}</b>: {self.state}, {self._run.last_step} steps</p>"
        names = f"<p>Observers: {escape(', '.join(self.observers))}</p>" if self.observers else ""
        return head + self.averages._repr_html_() + names

    @property
    def trajectory(self) -> Path | None:
        """The H5MD trajectory, or None where the input asked for none."""
        path = self.directory / f"{self.name}{TRAJECTORY_SUFFIX}"
        return path if path.exists() else None

    @cached_property
    def frames(self) -> "Trajectory":
        """The trajectory, frame by frame. Raises SternaError where there is none."""
        from sterna.frames.trajectory import Trajectory

        if self.trajectory is None:
            raise SternaError(
                f"{self.directory / self.name}{TRAJECTORY_SUFFIX}: the run has no trajectory; it "
                "writes one with trajectory_interval in [output]",
                2,
            )
        return Trajectory(self.trajectory)

    def picture(self, path: str | Path | None = None, frame: int = -1) -> "Figure":
        """A figure of matplotlib of the particles in their box; with `path` it is also written.

        Raises SternaError where matplotlib is not installed, or there is no such frame.
        """
        from sterna.frames.picture import draw

        figure = draw(self.frames, frame)
        if path is not None:
            figure.savefig(path, dpi=200)
        return figure

    def to_mdanalysis(self, massless: bool = True) -> "MDAnalysis.Universe":
        """See `Trajectory.to_mdanalysis`."""
        return self.frames.to_mdanalysis(massless)

    def to_ase(self, frame: int = -1, massless: bool = True) -> "ase.Atoms":
        """See `Trajectory.to_ase`."""
        return self.frames.to_ase(frame, massless)

    def to_mdtraj(self, massless: bool = True) -> object:
        """See `Trajectory.to_mdtraj`."""
        return self.frames.to_mdtraj(massless)

    def to_freud(self, frame: int = -1, massless: bool = True) -> "tuple[object, numpy.ndarray]":
        """See `Trajectory.to_freud`."""
        return self.frames.to_freud(frame, massless)


def read(run: str | Path) -> Result:
    """A run that has been made.

    `run`: its input file, its log, its trajectory, the folder of one run, or the beginning of its
    files' names. Raises SternaError where there is none.
    """
    given = Path(run)
    if given.is_dir():
        found = sorted({_stem(path) for path in given.iterdir() if _is_of_run(path)})
        if len(found) != 1:
            names = ", ".join(found) or "none"
            raise SternaError(f"{given}: expected a folder of one run; runs in it: {names}", 2)
        return Result(given, found[0], "")
    if given.suffix in (".toml", ".xml", ".mddef"):
        if not given.is_file():
            raise SternaError(f"the input file {given} does not exist", 2)
        result = result_of(settings_of(given), "")
    else:
        result = Result(given.parent, _stem(given), "")
    directory, name = result.directory, result.name
    began = any(stage.log_path.is_file() for stage in result.stages.values())
    if not began and not result.log_path.is_file() and result.trajectory is None:
        raise SternaError(
            f"no run {given}: there is neither {result.log_path} nor "
            f"{directory / name}{TRAJECTORY_SUFFIX}",
            2,
        )
    return result


def result_of(outputs: Mapping, output: str) -> Result:
    """`outputs`: of `settings_of`."""
    stems = {part["stage"]: part["name"] for part in outputs["stages"]}
    return Result(Path(outputs["directory"]), outputs["name"], output, stems)


def _is_of_run(path: Path) -> bool:
    return path.name.endswith((LOG_SUFFIX, TRAJECTORY_SUFFIX))


def _stem(path: Path) -> str:
    return path.name.removesuffix(LOG_SUFFIX).removesuffix(TRAJECTORY_SUFFIX)
