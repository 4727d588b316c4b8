"""The files that a run left: its log, the files of its observers, its trajectory."""

import fcntl
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy

from sterna.errors import SternaError
from sterna.results.averages import Averages, averages_of
from sterna.results.log import Log, read_log
from sterna.results.log_events import PLACES
from sterna.results.outputs import outputs_of
from sterna.results.tables import Table, read_table

LOG_SUFFIX = ".log.jsonl"


@dataclass
class Run:
    """A run as its files show it; `log` has at least a start event."""

    log_path: Path
    log: Log
    _arrays: dict[str, numpy.ndarray] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.log_path.name.removesuffix(LOG_SUFFIX)

    def file(self, suffix: str) -> Path:
        """A file of this run, such as `NAME.h5md` for ".h5md"; it need not exist."""
        return self.log_path.with_name(self.name + suffix)

    def events(self, kind: str) -> list[dict]:
        return [event for event in self.log.events if event.get("event") == kind]

    @cached_property
    def start(self) -> dict:
        """The last start event: a resumed run has several. Empty where none is there yet."""
        return (self.events("start") or [{}])[-1]

    @cached_property
    def settings(self) -> dict:
        return self.start.get("settings") or {}

    @cached_property
    def end(self) -> dict | None:
        """The end event, or None where the run has not come to an end since it (re)started."""
        for event in reversed(self.log.events):
            if event.get("event") == "end":
                return event
            if event.get("event") == "start":
                return None
        return None

    @cached_property
    def failure(self) -> str:
        """Returns the reason why the run ended since it (re)started; empty if it has not failed."""
        for event in reversed(self.log.events):
            if event.get("event") == "failure":
                return str(event.get("text", ""))
            if event.get("event") == "start":
                break
        return ""

    @cached_property
    def timing(self) -> dict:
        return (self.end or {}).get("timing") or {}

    @cached_property
    def state(self) -> str:
        """ "complete", "interrupted", "failed", "running", or "broken off": ended without a word."""
        if self.end:
            return str(self.end.get("status", "complete"))
        if self.failure:
            return "failed"
        return "running" if self._is_locked() else "broken off"

    def _is_locked(self) -> bool:
        """Whether a run holds the lock of these files; on a file system without locks: no."""
        if not self.file(".lock").is_file():
            return False
        try:
            with self.file(".lock").open() as lock:
                fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        except OSError:
            return False
        return False

    @cached_property
    def particles(self) -> int:
        return int(self.settings.get("particles") or 0)

    def unit(self, quantity: str) -> str:
        """The unit of "time", "energy", "temperature" or "pressure"; empty in reduced units."""
        return str((self.settings.get("units") or {}).get(quantity, ""))

    def unit_of(self, column: str) -> str:
        """The unit of a column of the log; empty where the log does not tell it."""
        return self.log.unit_of(column)

    @cached_property
    def averages(self) -> Averages:
        """Returns the averages that the run found; for a run without an end, those of its rows."""
        found = self.timing.get("averages")
        if found:
            over = {**(self.timing.get("averages_over") or {}), "particles": self.particles}
            return averages_of(found, over, {})
        return self.averages_of_rows

    @cached_property
    def averages_of_rows(self) -> Averages:
        """Returns averages of all columns of the log, over the rows of the run's own averages."""
        over = self.timing.get("averages_over")
        return self.log.averages(int(over["first_step"]) - 1 if over else None)

    @cached_property
    def columns(self) -> list[str]:
        """The logged scalars that have a number in some row."""
        return [
            column
            for column in self.log.columns
            if column not in PLACES
            and any(isinstance(row.get(column), (int, float)) for row in self.log.rows)
        ]

    def values(self, column: str) -> numpy.ndarray:
        """(rows,) of a column of the log; NaN where a row has none."""
        if column not in self._arrays:
            self._arrays[column] = self.log[column]
        return self._arrays[column]

    @cached_property
    def last_step(self) -> int:
        return max((int(event.get("step") or 0) for event in self.log.events), default=0)

    @cached_property
    def tables(self) -> list[Table]:
        """Returns the tables that the observers of this run wrote, in the order of their names."""
        paths = sorted(self.log_path.parent.glob(f"{_escaped(self.name)}.*.txt"))
        return [read_table(path, path.name[len(self.name) + 1 : -4]) for path in paths]


def _escaped(name: str) -> str:
    """The name for a pattern of files."""
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in name)


def find_run(given: Path) -> Run:
    """The run of a log, of an input file, of a folder with one log, or of the stem of its files.

    Raises SternaError where there is none, or where its log is none.
    """
    path = _log_of(given)
    log = read_log(path)
    run = Run(path, log)
    if not run.events("start"):
        raise SternaError(
            f"{path}: no start event: this is no log of a run, or the run died while it started"
        )
    return run


def _log_of(given: Path) -> Path:
    if given.is_dir():
        logs = sorted(given.glob(f"*{LOG_SUFFIX}"))
        if len(logs) != 1:
            found = ", ".join(log.name for log in logs) or "none"
            raise SternaError(f"{given}: a folder with one log is expected; logs in it: {found}", 2)
        return logs[0]
    if given.name.endswith(LOG_SUFFIX):
        path = given
    elif given.suffix in (".toml", ".xml"):
        if not given.is_file():
            raise SternaError(f"the input file {given} does not exist", 2)
        directory, name = outputs_of(given)
        path = directory / f"{name}{LOG_SUFFIX}"
    else:
        path = given.with_name(given.name + LOG_SUFFIX)
    if not path.is_file():
        hint = _nearest(path)
        raise SternaError(
            f"no run {given}: the log {path} does not exist"
            + (f"; did you mean {hint}?" if hint else ""),
            2,
        )
    return path


def _nearest(path: Path) -> Path | None:
    """The log in the same folder whose name is most like this one."""
    import difflib

    names = [log.name for log in path.parent.glob(f"*{LOG_SUFFIX}")]
    close = difflib.get_close_matches(path.name, names, 1)
    return path.with_name(close[0]) if close else None
