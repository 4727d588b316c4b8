"""The log of a run: JSON lines, as columns."""

import difflib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from sterna.errors import SternaError
from sterna.results.averages import Averages, averages_of_rows
from sterna.results.log_events import event_of
from sterna.support.files import require_regular
from sterna.support.libraries import data_frame

if TYPE_CHECKING:
    import numpy
    import pandas


class Log:
    """The thermodynamics of a run; a column, such as `log["temperature"]`, is a NumPy array.

    `rows` are the logged steps, oldest first; `events` are all lines of the log, among them the
    start, warnings, checkpoints and the end. Values that were not finite are NaN.
    """

    def __init__(self, events: list[dict]) -> None:
        self.events = events
        self.rows = [
            {name: value for name, value in event.items() if name != "event"}
            for event in events
            if event.get("event") == "thermo"
        ]

    @property
    def columns(self) -> list[str]:
        """Names of the columns, in the order of their first appearance."""
        return list(dict.fromkeys(name for row in self.rows for name in row))

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[dict]:
        return iter(self.rows)

    def __getitem__(self, column: str) -> "numpy.ndarray":
        import numpy  # not at the start of each `sterna run`

        if column not in self.columns:
            has = f"but {', '.join(self.columns)}" if self.rows else "as it has no rows"
            near = difflib.get_close_matches(column, self.columns, 1)
            meant = f"; did you mean {near[0]!r}?" if near else ""
            raise KeyError(f"the log has no column {column!r}, {has}{meant}")
        values = [row.get(column) for row in self.rows]
        return numpy.array([numpy.nan if value is None else value for value in values])

    def unit_of(self, column: str) -> str:
        """The unit of a column; empty where it has none, or the log does not tell it."""
        units: dict = {}
        averages: dict = {}
        for event in self.events:
            if event.get("event") == "start":
                units = (event.get("settings") or {}).get("units") or {}
            elif event.get("event") == "end":
                averages = (event.get("timing") or {}).get("averages") or {}
        if column.endswith(("_energy", "virial")):
            return str(units.get("energy", ""))
        if column.startswith("pressure"):
            return str(units.get("pressure", ""))
        if column in ("time", "temperature"):
            return str(units.get(column, ""))
        return str(averages.get(column, {}).get("unit", ""))

    def averages(self, equilibration: int | None = None) -> Averages:
        """Means of the columns over the part where the run has settled, with standard errors.

        Where that part begins is found from temperature, potential energy and volume, as at the end
        of a run; `equilibration`: steps that are left out instead. Raises SternaError where the
        program sterna-md is missing.
        """
        return averages_of_rows(
            self.rows, self.columns, self.unit_of, equilibration, self._particles
        )

    @property
    def _particles(self) -> int:
        """The number of particles; 0 where the log does not tell it."""
        found = 0
        for event in self.events:
            if event.get("event") == "start":
                found = int((event.get("settings") or {}).get("particles") or 0)
        return found

    def table(self) -> "pandas.DataFrame":
        """The rows as a DataFrame of pandas; raises SternaError where that is not installed."""
        return data_frame({column: self[column] for column in self.columns})

    def __repr__(self) -> str:
        steps = f", steps {self.rows[0]['step']} to {self.rows[-1]['step']}" if self.rows else ""
        return f"<sterna.Log: {len(self)} rows{steps}; {', '.join(self.columns)}>"

    def _repr_html_(self) -> str:
        from html import escape

        most = 12
        shown = self.rows if len(self) <= most else self.rows[: most // 2] + self.rows[-most // 2 :]
        cells = "".join(f"<th>{escape(column)}</th>" for column in self.columns)
        rows = "".join(
            "<tr>" + "".join(f"<td>{_shown(row.get(c))}</td>" for c in self.columns) + "</tr>"
            for row in shown
        )
        left = f", of which {len(shown)} are shown" if len(shown) < len(self) else ""
        return f"<table><caption>{len(self)} rows{left}</caption><tr>{cells}</tr>{rows}</table>"


def _shown(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str("" if value is None else value)


def read_log(path: str | Path) -> Log:
    """Reads a log; raises SternaError, naming the line, where it is damaged or cannot be read.

    A last line that a killed run left unfinished is ignored.
    """
    events = []
    require_regular(Path(path))
    try:
        lines = Path(path).read_text(encoding="utf-8", errors="replace").split("\n")
    except OSError as error:
        raise SternaError(f"{path}: the log cannot be read: {error.strerror}", 2) from error
    for number, line in enumerate(lines, 1):
        if not line and number == len(lines):
            break
        try:
            events.append(event_of(line, path, number))
        except SternaError:
            if number == len(lines):
                break
            raise
    return Log(events)
