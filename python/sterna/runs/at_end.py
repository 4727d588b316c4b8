"""The work at the end of a run that an input asks for: the report, and files in formats of other
programs.
"""

from collections.abc import Callable
from pathlib import Path

from sterna.errors import SternaError
from sterna.results.outputs import EXPORT_SUFFIX, LOG_SUFFIX, TRAJECTORY_SUFFIX, settings_of

#: Exit statuses of runs that are complete, or were interrupted after a checkpoint.
ENDED_WELL = (0, 3)


class AtEnd:
    """`report` and `export` in [output], or what options of the command ask for.

    To be made before the run, so that the files of an earlier one are not taken for its own.
    """

    def __init__(self, input_file: Path, report: bool = False) -> None:
        """`report`: whatever the input says. Of an input that is not valid nothing is written.

        Raises SternaError, saying how to install it, where a package that a format needs is missing.
        """
        self._parts: list[_Part] = []
        try:
            outputs = settings_of(input_file)
        except SternaError:
            return  # The run says the same.
        self._parts = [_Part(part, report) for part in outputs["stages"] or [outputs]]

    def write(self, status: int, wrote: Callable[[Path], None] | None = None) -> None:
        """Writes all of it, of a run that failed, too; nothing where no run has begun.

        `status`: with which the run ended; `wrote` is called with each file. Raises SternaError with
        what could not be written.
        """
        for part in self._parts:
            part.write(status, wrote)


class _Part:
    """The same of a whole run, or of one of its stages."""

    def __init__(self, outputs: dict, report: bool) -> None:
        """`outputs`: a row of `settings_of`."""
        self._stem = Path(outputs["directory"]) / outputs["name"]
        self._report = report or outputs["report"]
        self._exports = outputs["export"]
        if self._exports:
            # NumPy is slow to load, and needed here only.
            from sterna.exporting.table import require

            require(self._exports)
        self._before = self._state()

    @property
    def _log(self) -> Path:
        return self._beside(LOG_SUFFIX)

    def _beside(self, suffix: str) -> Path:
        return self._stem.with_name(self._stem.name + suffix)

    def _state(self) -> tuple[int, ...]:
        """Returns values that distinguish the log from an earlier one; empty if there is no log."""
        try:
            found = self._log.stat()
        except OSError:
            return ()
        return found.st_ino, found.st_size, found.st_mtime_ns

    def write(self, status: int, wrote: Callable[[Path], None] | None) -> None:
        if not (self._report or self._exports) or not self._log.is_file():
            return
        if status not in ENDED_WELL and self._state() == self._before:
            return  # left from an earlier run
        exports = [self._beside(f"{EXPORT_SUFFIX}{name}") for name in self._exports]
        report = self._log if self._report else None
        write_at_end(self._beside(TRAJECTORY_SUFFIX), exports, report, wrote)


def write_at_end(
    trajectory: Path,
    exports: list[Path],
    report_on: Path | None,
    wrote: Callable[[Path], None] | None = None,
) -> None:
    """Converts the trajectory to each of these files, and writes the report on a log.

    What an earlier part of the run has left is replaced. Raises SternaError with all that could not
    be written.
    """
    problems = []
    for path in exports:
        from sterna.exporting.command import export

        try:
            export(trajectory, path, overwrite=True)
        except SternaError as error:
            problems.append(f"no {path}: {error}")
        else:
            _tell(wrote, path)
    if report_on is not None:
        from sterna.report import write_report

        try:
            _tell(wrote, write_report([report_on]))
        except SternaError as error:
            problems.append(f"no report: {error}")
    if problems:
        raise SternaError("\n".join(problems))


def _tell(wrote: Callable[[Path], None] | None, path: Path) -> None:
    if wrote is not None:
        wrote(path)
