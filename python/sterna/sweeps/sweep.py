"""Sweeps: one input at many state points, side by side on the cores, with one table of results."""

import contextlib
import csv
import fcntl
import hashlib
import itertools
import json
import math
import os
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

from sterna.errors import SternaError
from sterna.launching import launch
from sterna.results.averages import Average
from sterna.results.result import Result
from sterna.support.libraries import data_frame, library
from sterna.support.names import no_such
from sterna.support.quantity import number_and_unit
from sterna.support.toml_text import toml_text
from sterna.sweeps.groups import gather_cores, place_of_launcher, without_launcher
from sterna.sweeps.keys import refuse_unknown_keys
from sterna.sweeps.outputs import FIGURES, TABLES, parquet, require_output
from sterna.sweeps.reference import Reference
from sterna.sweeps.slurm import options_of

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

#: Keys that name a file which a run reads, besides those with "file" in their name.
_FILE_KEYS = ("table", "reference", "positions", "coordinates", "restart", "checkpoint")
_KEYS = (
    "input", "directory", "ranks", "replicas", "collect", "vary", "together", "slurm", "reference",
)  # fmt: skip
_NAME = "run"  #: name of the files of each run

Value = str | int | float | bool


@dataclass(frozen=True)
class Point:
    """A state point: the keys that vary, with its values, and one run for each replica."""

    values: Mapping[str, Value]
    runs: tuple["PointRun", ...]


@dataclass(frozen=True)
class PointRun:
    """A run of a state point. Its folder is named after its whole input."""

    directory: Path
    text: str  #: text of its input
    steps: int | None  #: steps of its last stage, if it has stages
    name: str  #: name of its files, or of those of its last stage

    @property
    def input(self) -> Path:
        return self.directory / f"{_NAME}.toml"

    @property
    def result(self) -> Result | None:
        """The results of the run; None if it has not begun."""
        log = self.directory / f"{self.name}.log.jsonl"
        return Result(self.directory, self.name, "") if log.is_file() else None

    @property
    def state(self) -> str:
        """ "waiting", or what `Result.state` says; "complete" only where all steps are done."""
        result = self.result
        if result is None:
            return "waiting"
        try:
            state = result.state
            done = result.log.events[-1].get("step", 0)
        except (SternaError, IndexError):
            return "broken off"
        if state == "complete" and self.steps is not None and done < self.steps:
            return "interrupted"
        return state


class Sweep:
    """A study: an input, keys of it that vary, and the runs that come of them.

    >>> sweep = sterna.Sweep("study.toml")
    >>> sweep.run()
    >>> sweep.table()  # a DataFrame of pandas

    Raises SternaError, naming the key, where the file is not as expected. Nothing runs yet.
    """

    def __init__(self, path: str | os.PathLike) -> None:
        self.path = Path(path)
        study = _read(self.path)
        for key in study:
            if key not in _KEYS:
                raise SternaError(f"{self.path}: {no_such('key', key, list(_KEYS))}", 2)
        name = study.get("input")
        if not isinstance(name, str):
            raise SternaError(f'{self.path}: "input" is missing: the input file that is varied', 2)
        folder = self.path.parent
        self.input = folder / name
        self._base = _with_paths(_read(self.input), self.input.parent.absolute())
        self.directory = folder / str(study.get("directory", self.path.stem))
        self.ranks = _count(self.path, study, "ranks", 1)
        self.replicas = _count(self.path, study, "replicas", 1)
        self.collect = study.get("collect")
        if self.collect is not None and not _is_list_of(self.collect, str):
            raise SternaError(f'{self.path}: "collect" is no list of names of averages', 2)
        self.slurm = options_of(self.path, study)
        self.reference = Reference.of(self.path, study)
        self.points = tuple(self._point(values) for values in _grid(self.path, study))
        if not self.points:
            raise SternaError(f"{self.path}: nothing varies: [vary] or [[together]] is missing", 2)
        seen: dict[tuple[str, int | None], Path] = {}
        for run in self.runs:
            identity = run.directory.name.rpartition("-")[2], run.steps
            if identity in seen:
                why = (
                    ". Replicas have seeds of their own, which count up from run.seed"
                    if self.replicas > 1
                    else ""
                )
                raise SternaError(
                    f"{self.path}: two runs are the same: {seen[identity]} and {run.directory}{why}",
                    2,
                )
            seen[identity] = run.directory

    @property
    def keys(self) -> list[str]:
        """The keys that vary, as SECTION.KEY."""
        return list(self.points[0].values)

    @property
    def runs(self) -> Iterator[PointRun]:
        """All runs, those of each state point together."""
        return (run for point in self.points for run in point.runs)

    def _point(self, values: Mapping[str, Value]) -> Point:
        runs = []
        for replica in range(self.replicas):
            sections = json.loads(json.dumps(self._base))
            for key, value in values.items():
                _set(self.path, sections, key, value)
            run_section = sections.setdefault("run", {})
            if self.replicas > 1:
                run_section["seed"] = int(run_section.get("seed", 1)) + replica
                for stage in sections.get("stage", []):
                    if "seed" in stage.get("run", {}):
                        stage["run"]["seed"] += replica
            run_section.pop("name", None)
            sections.setdefault("output", {}).pop("directory", None)
            last = (sections.get("stage") or [{}])[-1]
            name = f"{_NAME}.{last['name']}" if "name" in last else _NAME
            # More steps at the end go on with the run that is there, all else makes another one.
            ending = last["run"] if "steps" in last.get("run", {}) else run_section
            steps = ending.pop("steps", None)
            text = json.dumps(sections, sort_keys=True)
            identity = hashlib.sha256(text.encode()).hexdigest()[:12]
            if steps is not None:
                ending["steps"] = steps
            directory = self.directory / "-".join([*map(_in_a_name, values.values()), identity])
            run_section["name"] = _NAME
            sections["output"]["directory"] = str(directory.absolute())
            known = steps if isinstance(steps, int) else None
            runs.append(PointRun(directory, toml_text(sections), known, name))
        return Point(values, tuple(runs))

    def make_directory(self) -> None:
        """Makes the folder of all runs; raises SternaError where that cannot be."""
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise SternaError(
                f"{self.path}: the folder {self.directory} cannot be made: {error.strerror}"
            ) from error

    def run(
        self,
        tell: Callable[[str], None] | None = print,
        cores: int | None = None,
        only: str | None = None,
    ) -> bool:
        """Runs what is missing, as many at a time as the cores have ranks for.

        Under a launcher (mpiexec, srun) all of its processes call it, and each group of `ranks` of
        them makes one run at a time. `only`: the name of the folder of one run; several processes
        may run others of the same sweep. `tell` gets a line for each run that ends. Returns whether
        all of these runs are complete: one that fails is told and does not end the others. Runs that
        were killed go on from their checkpoints. Raises SternaError where another process runs this
        sweep, and where no input has a key that is to vary.
        """
        tell = tell or (lambda _: None)
        try:
            return self._run(tell, cores, only)
        except (KeyboardInterrupt, SystemExit):
            tell("stopped; the same command goes on with what is missing")
            raise

    def _run(self, tell: Callable[[str], None], cores: int | None, only: str | None) -> bool:
        refuse_unknown_keys(self.path, self._base, next(self.runs).text, self.keys)
        self.make_directory()
        runs = list(self.runs)
        if only is not None:
            runs = [run for run in runs if run.directory.name == only]
            if not runs:
                names = [run.directory.name for run in self.runs]
                raise SternaError(f"{self.path}: {no_such('run', only, names)}", 2)
        place = place_of_launcher() if only is None else None
        if place is not None:
            if not gather_cores(place, self.ranks, self.directory):
                return True
            cores = self.ranks
        with _Lock(self.directory / "sweep.lock", shared=only is not None or place is not None):
            scheduler = _Scheduler(self, runs, tell, cores)
            with scheduler:
                return scheduler.run()

    @staticmethod
    def is_complete(run: PointRun) -> bool:
        """Whether a run has done all of its steps with the input that the study has now."""
        return run.state == "complete" and run.input.is_file() and run.input.read_text() == run.text

    def rows(self) -> list[dict[str, object]]:
        """The table as a list of rows by column: keys that vary, then what was collected.

        Of each average there are its mean over the runs, `_error` and whether it has `_settled`.
        The error is the larger one of those that blocks and the spread of replicas tell;
        `_error_of_blocks` and `_error_of_replicas` are the two. `runs` counts complete ones.
        """
        found = [(point, [r for r in point.runs if r.state == "complete"]) for point in self.points]
        averages = [(p, runs, [_averages(run) for run in runs]) for p, runs in found]
        names = self.collect or list(
            dict.fromkeys(name for _, _, each in averages for a in each for name in a)
        )
        every = {name for _, _, each in averages for a in each for name in a}
        if every and (wrong := self.not_collected(every)):
            raise SternaError(wrong)
        return [self._row(*found, names) for found in averages]

    def not_collected(self, every: Collection[str]) -> str:
        """Says which name in `collect` is none of these averages; empty where all of them are."""
        wrong = [name for name in self.collect or [] if name not in every]
        what = no_such("average", wrong[0], sorted(every)) if wrong else ""
        return f"{self.path}: collect: {what}" if wrong else ""

    def _row(
        self,
        point: Point,
        runs: Sequence[PointRun],
        averages: Sequence[Mapping[str, Average]],
        names: Sequence[str],
    ) -> dict[str, object]:
        row: dict[str, object] = {}
        for key, value in point.values.items():
            number, unit = number_and_unit(value)
            row[f"{key}/{unit}" if unit else key] = value if number is None else number
        row["runs"] = len(runs)
        row["state"] = _state_of([run.state for run in point.runs])
        for name in names:
            row |= _columns(name, [a[name] for a in averages if name in a])
        return row

    def table(self) -> "pandas.DataFrame":
        """The rows as a DataFrame of pandas; raises SternaError where that is not installed."""
        rows = self.rows()
        names = dict.fromkeys(name for row in rows for name in row)
        return data_frame({name: [row.get(name) for row in rows] for name in names})

    def write_table(self, path: str | os.PathLike | None = None) -> Path:
        """Writes the table as CSV, or as Parquet where the name ends so (with pyarrow).

        Default: results.csv in the folder of the sweep. Returns its path.
        """
        to = Path(path) if path is not None else self.directory / "results.csv"
        require_output(to, TABLES)
        rows = self.rows()
        names = list(dict.fromkeys(name for row in rows for name in row))
        temporary = to.with_name(f".{to.name}.{os.getpid()}.new")
        try:
            if to.suffix == ".parquet":
                columns = {name: [row.get(name) for row in rows] for name in names}
                parquet().write_table(library("pyarrow", "Parquet").table(columns), temporary)
            else:
                with temporary.open("w", newline="", encoding="utf-8") as file:
                    writer = csv.DictWriter(file, names, restval="")
                    writer.writeheader()
                    writer.writerows(rows)
            temporary.replace(to)
        except OSError as error:
            raise SternaError(f"{to}: the table cannot be written: {error.strerror}") from error
        finally:
            temporary.unlink(missing_ok=True)
        return to

    @property
    def fixed(self) -> dict[str, object]:
        """The common values of all state points: values of the input by SECTION.KEY."""
        found: dict[str, object] = {}
        for name, section in self._base.items():
            tables = section if isinstance(section, list) else [section]
            for table in tables[:1]:
                if isinstance(table, dict):
                    found |= {f"{name}.{key}": value for key, value in table.items()}
        return found

    def plot(self, *averages: str) -> "Figure":
        """A figure of matplotlib with a plot of each of these averages (none: of all), with errors.

        Raises SternaError where matplotlib is not installed, or an average is not there.
        """
        from sterna.sweeps.plots import figure

        return figure(self, list(averages) or None)

    def write_plot(self, path: str | os.PathLike) -> Path:
        """Writes the figure of `plot`: .png, .pdf or .svg. Returns its path.

        Raises SternaError where it cannot be written, or no run is complete.
        """
        to = Path(path)
        require_output(to, FIGURES)
        made = self.plot()
        try:
            made.savefig(to)
        except OSError as error:
            raise SternaError(f"{to}: the plot cannot be written: {error.strerror}") from error
        return to

    def write_report(self, path: str | os.PathLike | None = None) -> Path:
        """Writes an HTML file with the table and plots with error bars. Default: report.html in its
        folder.

        Returns its path; raises SternaError where it cannot be written.
        """
        from sterna.sweeps.plots import write_report

        return write_report(self, None if path is None else Path(path))

    def write_batch_script(self) -> tuple[Path, int]:
        """Writes a script for `sbatch` of Slurm: a job array with a task for each missing run.

        Returns the script and the number of runs; raises SternaError where none is missing.
        """
        from sterna.sweeps.slurm import write_batch_script

        refuse_unknown_keys(self.path, self._base, next(self.runs).text, self.keys)
        return write_batch_script(self)

    def __repr__(self) -> str:
        return f"<sterna.Sweep {str(self.path)!r}: {len(self.points)} state points>"

    def __str__(self) -> str:
        lines = [f"{len(self.points)} state points, {self.replicas} run(s) each"]
        for point in self.points:
            values = ", ".join(f"{key} = {value}" for key, value in point.values.items())
            lines.append(f"  {values}: {_state_of([run.state for run in point.runs])}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        from html import escape

        rows = self.rows()
        names = list(dict.fromkeys(name for row in rows for name in row))
        head = "".join(f"<th>{escape(name)}</th>" for name in names)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(_shown(row.get(n)))}</td>" for n in names) + "</tr>"
            for row in rows
        )
        return f"<table><tr>{head}</tr>{body}</table>"


def _shown(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else "" if value is None else str(value)


class _Lock:
    """The lock of one process, or of several that share it; it ends with them, however they end."""

    def __init__(self, path: Path, shared: bool) -> None:
        self._path = path
        self._how = fcntl.LOCK_SH if shared else fcntl.LOCK_EX

    def __enter__(self) -> None:
        self._file = self._path.open("w")
        try:
            fcntl.flock(self._file, self._how | fcntl.LOCK_NB)
        except BlockingIOError:
            self._file.close()
            raise SternaError(f"{self._path.parent}: this sweep is running already") from None

    def __exit__(self, *_: object) -> None:
        self._file.close()


class _Scheduler:
    """Runs side by side; those that it has started are asked to stop where it is left early.

    Each run has a claim, so that processes that share a sweep make each run once.
    """

    def __init__(
        self, sweep: Sweep, runs: Sequence[PointRun], tell: Callable[[str], None], cores: int | None
    ) -> None:
        self._sweep = sweep
        self._runs = list(runs)
        self._tell = tell
        self._places = max(1, (cores or launch.available_cores()) // sweep.ranks)
        self._running: dict[subprocess.Popen, tuple[PointRun, IO]] = {}
        self._done = 0
        self._total = len(self._runs)
        self._has_told_of_names = False

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: object) -> None:
        for process in self._running:
            process.send_signal(signal.SIGTERM)
        for process, (_run, claim) in self._running.items():
            process.wait()
            claim.close()

    def run(self) -> bool:
        # Runs that have begun are finished first.
        waiting = sorted(self._runs, key=lambda run: run.state == "waiting")
        complete = [run for run in waiting if self._sweep.is_complete(run)]
        self._done = len(complete)
        if complete:
            self._tell(f"{self._done} of {self._total} runs are complete already")
        waiting = [run for run in waiting if run not in complete]
        failed = 0
        while waiting or self._running:
            while waiting and len(self._running) < self._places:
                # A run whose sweep was killed may still go on by itself.
                free = next((run for run in waiting if run.state != "running"), None)
                if free is None:
                    break
                waiting.remove(free)
                claim = _claimed(free)
                if claim is None:
                    continue  # Another process of this sweep makes it.
                if self._sweep.is_complete(free):
                    self._done += 1
                    claim.close()
                else:
                    self._running[self._start(free)] = (free, claim)
            ended = [process for process in self._running if process.poll() is not None]
            for process in ended:
                run, claim = self._running.pop(process)
                failed += not self._end(process, run)
                claim.close()
            if not ended:
                time.sleep(0.05)
        return failed == 0

    def _start(self, run: PointRun) -> subprocess.Popen:
        temporary = run.input.with_suffix(".new")
        temporary.write_text(run.text, encoding="utf-8")
        temporary.replace(run.input)
        resume = any(run.directory.glob(f"{_NAME}.*checkpoint*"))  # checkpoints of any stage
        options = ["--resume"] if resume else ["--overwrite"]
        command = [sys.executable, "-m", "sterna", "run", "-n", str(self._sweep.ranks), *options]
        with (run.directory / "output.txt").open("ab") as output:
            return subprocess.Popen(
                [*command, "--progress", "never", "--", run.input.absolute()],
                env=without_launcher(),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def _end(self, process: subprocess.Popen, run: PointRun) -> bool:
        """Tells how a run ended; whether it did so well."""
        if process.returncode == 0 and run.state == "complete":
            self._done += 1
            self._tell(f"{self._done} of {self._total}: {run.directory.name}")
            if not self._has_told_of_names:
                # A misspelt name is told with the first run, not after the last one.
                averages = _averages(run)
                wrong = self._sweep.not_collected(averages) if averages else ""
                if wrong:
                    self._tell(f"warning: {wrong}")
                self._has_told_of_names = True
            return True
        output = ""
        with contextlib.suppress(OSError):
            output = (run.directory / "output.txt").read_text(encoding="utf-8", errors="replace")
        lines = [line.strip() for line in output.splitlines() if line.strip()]
        errors = [line for line in lines if "error: " in line or line.startswith("sterna")]
        why = (errors or lines or [f"exit status {process.returncode}"])[-1]
        self._tell(f"failed: {run.directory.name}: {why} (see {run.directory / 'output.txt'})")
        return False


def _claimed(run: PointRun) -> IO | None:
    """A file that is locked while this process makes the run; None where another one does."""
    run.directory.mkdir(parents=True, exist_ok=True)
    claim = (run.directory / "claim.lock").open("w")
    try:
        fcntl.flock(claim, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        claim.close()
        return None
    return claim


def _averages(run: PointRun) -> Mapping[str, Average]:
    result = run.result
    return result.averages if result else {}


def _state_of(states: Sequence[str]) -> str:
    return next((state for state in states if state != "complete"), "complete")


def _columns(name: str, averages: Sequence[Average]) -> dict[str, object]:
    """Returns the columns of one quantity, from the runs of a state point."""
    if not averages:
        return {}
    count = len(averages)
    mean = math.fsum(a.mean for a in averages) / count
    squares = [a.error**2 for a in averages if a.error is not None]
    of_blocks = math.sqrt(math.fsum(squares)) / count if len(squares) == count else None
    of_replicas = None
    if count > 1:
        spread = math.fsum((a.mean - mean) ** 2 for a in averages) / (count - 1)
        of_replicas = math.sqrt(spread / count)
    settled = [a.settled for a in averages if a.settled is not None]
    column = f"{name}/{averages[0].unit}" if averages[0].unit else name
    found: dict[str, object] = {
        column: mean,
        f"{name}_error": max((e for e in (of_blocks, of_replicas) if e is not None), default=None),
        f"{name}_settled": all(settled) if len(settled) == count else None,
    }
    if count > 1:
        found |= {f"{name}_error_of_blocks": of_blocks, f"{name}_error_of_replicas": of_replicas}
    return found


def _read(path: Path) -> dict:
    try:
        with path.open("rb") as file:
            return tomllib.load(file)
    except OSError as error:
        raise SternaError(f"{path}: cannot be read: {error.strerror}", 2) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SternaError(f"{path}: not TOML: {error}", 2) from error


def _with_paths(sections: object, folder: Path) -> object:
    """Files that an input names, in the folder where they are: its copies lie elsewhere."""
    if isinstance(sections, list):
        return [_with_paths(item, folder) for item in sections]
    if not isinstance(sections, dict):
        return sections
    found = {}
    for key, value in sections.items():
        is_name = isinstance(value, str) and ("file" in key or key in _FILE_KEYS)
        names_file = is_name and (folder / value).is_file()
        found[key] = str(folder / value) if names_file else _with_paths(value, folder)
    return found


def _count(path: Path, study: Mapping, key: str, default: int) -> int:
    value = study.get(key, default)
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise SternaError(f'{path}: "{key}" is {value!r}, expected a whole number from 1 on', 2)
    return value


def _is_list_of(value: object, kind: type) -> bool:
    return isinstance(value, list) and all(isinstance(item, kind) for item in value)


def _grid(path: Path, study: Mapping) -> list[dict[str, Value]]:
    """All combinations of what varies: each key of [vary], and each [[together]] as one."""
    axes: list[list[dict[str, Value]]] = []
    vary = study.get("vary", {})
    together = study.get("together", [])
    if not isinstance(vary, Mapping) or not _is_list_of(together, dict):
        raise SternaError(f"{path}: expected [vary] and [[together]] as tables", 2)
    for key, given in _flat(vary).items():
        axes.append([{key: value} for value in _values(path, key, given)])
    for table in together:
        columns = {key: _values(path, key, given) for key, given in _flat(table).items()}
        counts = {key: len(values) for key, values in columns.items()}
        if len(set(counts.values())) > 1:
            raise SternaError(f"{path}: [[together]] needs as many values of each key: {counts}", 2)
        axes.append([dict(zip(columns, row, strict=True)) for row in zip(*columns.values())])  # noqa: B905
    grid: list[dict[str, Value]] = []
    for parts in itertools.product(*axes) if axes else []:
        point: dict[str, Value] = {}
        for part in parts:
            if point.keys() & part.keys():
                raise SternaError(
                    f"{path}: {', '.join(point.keys() & part.keys())} varies twice", 2
                )
            point |= part
        grid.append(point)
    return grid


_RANGE = ("from", "to", "count", "step")


def _flat(table: Mapping, before: str = "") -> dict[str, object]:
    """Keys with dots of tables in tables, but for those that are ranges."""
    flat: dict[str, object] = {}
    for key, value in table.items():
        name = f"{before}{key}"
        if isinstance(value, Mapping) and not (value and set(value) <= set(_RANGE)):
            flat |= _flat(value, f"{name}.")
        else:
            flat[name] = value
    return flat


def _values(path: Path, key: str, given: object) -> list[Value]:
    """A list as it is; {from, to, count} or {from, to, step} as numbers, with their unit."""
    if isinstance(given, list):
        if given and all(isinstance(value, (str, int, float)) for value in given):
            return given
    elif isinstance(given, Mapping) and {"from", "to"} <= set(given) <= set(_RANGE):
        first, unit = number_and_unit(given["from"])
        last, unit_of_last = number_and_unit(given["to"])
        if first is not None and last is not None and unit == unit_of_last:
            count = _count_of_range(given, first, last, unit)
            if count > 0:
                step = (last - first) / max(count - 1, 1)
                numbers = [float(f"{first + k * step:.12g}") for k in range(count)]
                return [f"{number:.12g} {unit}" for number in numbers] if unit else numbers
    raise SternaError(
        f"{path}: {key} is {given!r}, expected a list of values, or a range: "
        '{from = "85 K", to = "100 K", count = 4}, or "step" in place of "count"',
        2,
    )


def _count_of_range(given: Mapping, first: float, last: float, unit: str) -> int:
    if "step" not in given:
        count = given.get("count")
        return count if isinstance(count, int) and not isinstance(count, bool) else 0
    step, unit_of_step = number_and_unit(given["step"])
    if "count" in given or not step or unit_of_step != unit or (last - first) / step < 0:
        return 0
    return round((last - first) / step) + 1


def _set(path: Path, sections: dict, key: str, value: Value) -> None:
    """Sets the value of SECTION.KEY; for several sections of a kind SECTION.NAME.KEY, or by number
    from 0.
    """
    *place, last = key.split(".")
    if len(place) > 1 and place[0] not in sections:
        raise SternaError(f"{path}: {key}: {no_such('section', place[0], list(sections))}", 2)
    at: object = sections
    for k, name in enumerate(place):
        if isinstance(at, list):
            at = _item(path, key, at, name)
        elif isinstance(at, dict):
            at = at.setdefault(name, {})
        is_last = k == len(place) - 1
        if is_last and isinstance(at, list) and len(at) == 1:
            at = at[0]
    if not isinstance(at, dict):
        count = len(at) if isinstance(at, list) else 0
        raise SternaError(
            f"{path}: {key}: the input has {count} such sections: say which by its name or its "
            "number from 0, as in type.A.epsilon",
            2,
        )
    at[last] = value


def _item(path: Path, key: str, items: list, name: str) -> object:
    for item in items:
        if isinstance(item, dict) and item.get("name") == name:
            return item
    with contextlib.suppress(ValueError, IndexError):
        return items[int(name)]
    names = [str(item.get("name", number)) for number, item in enumerate(items)]
    raise SternaError(f"{path}: {key}: {no_such('section', name, names)}", 2)


def _in_a_name(value: Value) -> str:
    """Formats a value as a part of a folder's name."""
    return "".join(c if c.isalnum() or c in "._+-" else "_" for c in str(value))[:40]
