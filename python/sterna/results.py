"""The results of a run: averages and the results of observers, as objects."""

import difflib
import json
import math
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, TypeVar

from sterna.errors import SternaError
from sterna.launch import program_environment
from sterna.measured import measured_text
from sterna.program import find_program

if TYPE_CHECKING:
    import numpy
    import pandas

    from sterna.log import Log
    from sterna.report.tables import Table

_Item = TypeVar("_Item")


@dataclass(frozen=True)
class Average:
    """The mean of a quantity over the part of a run where it has settled.

    `print` shows it as `452(17) bar`: the error of the last digits is in parentheses.
    """

    name: str
    mean: float
    error: float | None  #: standard error of the mean; None where nothing tells it
    unit: str = ""  #: unit of both; empty in reduced units
    #: Whether it had settled; None where the run does not tell.
    settled: bool | None = None
    #: The number of independent values with the same error; None if it is not known.
    independent: float | None = None

    def __float__(self) -> float:
        return self.mean

    def __str__(self) -> str:
        text = f"{measured_text(self.mean, self.error)} {self.unit}".strip()
        return text + (", not settled" if self.settled is False else "")


class Named(Mapping[str, _Item]):
    """Things by name; a name that is none of them raises KeyError, with the nearest one."""

    _what = "entry"

    def __init__(self, items: Mapping[str, _Item]) -> None:
        self._items = dict(items)

    def __getitem__(self, name: str) -> _Item:
        try:
            return self._items[name]
        except KeyError:
            raise KeyError(no_such(self._what, name, self._items)) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def _ipython_key_completions_(self) -> list[str]:
        return list(self._items)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {', '.join(self._items) or 'none'}>"


def no_such(what: str, name: object, names: Mapping | list[str]) -> str:
    """The message for a name that is not there."""
    near = difflib.get_close_matches(str(name), list(names), 1)
    meant = f"; did you mean {near[0]!r}?" if near else ""
    return f"there is no {what} {name!r}{meant} (there are: {', '.join(names) or 'none'})"


class Averages(Named[Average]):
    """Averages of a run by name, over the part where it has settled.

    >>> result.averages["density"].mean

    They are those that the run printed at its end; of a run without an end, those of its log.
    """

    _what = "average"

    def __init__(self, items: Mapping[str, Average], over: Mapping[str, object]) -> None:
        super().__init__(items)
        self._over = dict(over)

    @property
    def first_step(self) -> int:
        """The step that they begin with."""
        return int(str(self._over.get("first_step", 0)))

    @property
    def rows(self) -> int:
        """Rows of the log that were averaged."""
        return int(str(self._over.get("rows", 0)))

    @property
    def rows_left_out(self) -> int:
        """Rows before `first_step`."""
        return int(str(self._over.get("rows_left_out", 0)))

    @property
    def reason(self) -> str:
        """Why rows were left out; empty where none were, or `equilibration` says so."""
        return str(self._over.get("reason", ""))

    @property
    def settled(self) -> bool | None:
        """Whether the run has settled; None where it is too short to tell."""
        found = self._over.get("settled")
        return None if found is None else bool(found)

    @property
    def unsettled(self) -> list[str]:
        """Returns sentences on why the run has not settled."""
        found = self._over.get("unsettled", [])
        return [str(why) for why in found] if isinstance(found, list) else []

    @property
    def heading(self) -> str:
        """Says in words which values the averages are of."""
        if not self.rows:
            return "averages"
        why = f": {self.reason}" if self.reason else ""
        return f"averages over {self.rows} rows of the log from step {self.first_step} on{why}"

    def __str__(self) -> str:
        lines = [self.heading]
        lines += [f"  {name:<20} {average}" for name, average in self.items()]
        if self.unsettled:
            lines.append("the run has not settled, or is too short to tell:")
            lines += [f"  {why}" for why in self.unsettled]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th>{escape(name)}</th><td>{escape(measured_text(a.mean, a.error))}</td>"
            f"<td>{escape(a.unit)}</td></tr>"
            for name, a in self.items()
        )
        why = "".join(f"<li>{escape(reason)}</li>" for reason in self.unsettled)
        return (
            f"<table><caption>{escape(self.heading)}</caption>"
            f"<tr><th>quantity</th><th>mean (error)</th><th>unit</th></tr>{rows}</table>"
            + (
                f"<p>The run has not settled, or is too short to tell:</p><ul>{why}</ul>"
                if why
                else ""
            )
        )


def averages_of(found: Mapping, over: Mapping, units: Mapping[str, str]) -> Averages:
    """Makes averages from the engine's data; `units` are those of data without units."""
    items = {}
    for name, value in found.items():
        if value.get("mean") is None:
            continue
        items[name] = Average(
            name,
            float(value["mean"]),
            value.get("standard_error"),
            str(value.get("unit") or units.get(name, "")),
            value.get("settled"),
            value.get("independent"),
        )
    return Averages(items, over)


def averages_of_log(log: "Log", equilibration: int | None = None) -> Averages:
    """Averages of a log's columns, by the engine: see `Log.averages`."""
    columns = [
        column
        for column in log.columns
        if column not in ("step", "time")
        and all(isinstance(row.get(column), (int, float)) for row in log.rows if _moves(row))
    ]
    rows = [row for row in log.rows if _moves(row)]
    if len(rows) < 2:
        return Averages({}, {})

    def plain(value: object) -> object:
        return value if isinstance(value, (int, float)) and math.isfinite(value) else None

    given = {
        "steps": [row["step"] for row in rows],
        "columns": {column: [plain(row.get(column)) for row in rows] for column in columns},
        "equilibration": equilibration,
    }
    done = subprocess.run(
        [find_program(), "--averages"],
        input=json.dumps(given),
        env=program_environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise SternaError(done.stderr.strip(), done.returncode)
    found = json.loads(done.stdout)
    units = {column: log.unit_of(column) for column in columns}
    return averages_of(found["averages"] or {}, found["averages_over"] or {}, units)


def _moves(row: Mapping) -> bool:
    """Whether a row is none of a minimization, which is no equilibrium."""
    return "largest_force" not in row


class Observation:
    """The results of an observer: columns of numbers by name.

    >>> rdf = result.observers["rdf"]
    >>> rdf["r"], rdf["A-A"]  # NumPy arrays

    A name may be with its unit, "r/nm", or without, "r". Observers that found single values, such
    as [pressure_tensor], have `averages` in place of columns.
    """

    def __init__(self, table: "Table") -> None:
        self._table = table
        self.name = table.kind
        #: Beginnings of its file: how many frames it has seen, and the like.
        self.remarks = list(table.remarks)
        #: Units of columns by name; empty where they have none.
        self.units: dict[str, str] = {}
        self._columns: dict[str, int] = {}
        self.averages: dict[str, Average] = {}
        if not table.is_curve:
            for row in table.rows:
                error = float(row[2]) if len(row) > 2 else None
                self.averages[row[0]] = Average(row[0], float(row[1]), error)
            return
        for k, column in enumerate(table.columns):
            name, _, unit = column.partition("/")
            self.units[name] = unit
            self._columns[name] = k

    @property
    def columns(self) -> list[str]:
        """The names of the columns; the others depend on the first."""
        return list(self._columns)

    def __getitem__(self, column: str) -> "numpy.ndarray":
        name = column.partition("/")[0]
        if name not in self._columns:
            raise KeyError(no_such(f"column of [{self.name}]", column, self.columns))
        return self._table.values()[:, self._columns[name]]

    def _ipython_key_completions_(self) -> list[str]:
        return self.columns

    def table(self) -> "pandas.DataFrame":
        """Columns as a DataFrame of pandas; raises SternaError where that is not installed."""
        names = [f"{n}/{u}" if u else n for n, u in self.units.items()]
        return data_frame(dict(zip(names, self._table.values().T, strict=True)))

    def __repr__(self) -> str:
        what = ", ".join(self.columns or self.averages)
        return f"<[{self.name}]: {what}; {'; '.join(self.remarks)}>"

    def __str__(self) -> str:
        if self.averages:
            lines = [f"  {name:<20} {average}" for name, average in self.averages.items()]
            return "\n".join([f"[{self.name}]", *lines])
        names = [f"{n}/{u}" if u else n for n, u in self.units.items()]
        return f"[{self.name}], {len(self._table.rows)} rows of {', '.join(names)}"


class Observers(Named[Observation]):
    """The results of a run's observers, by the names of their sections."""

    _what = "observer"


class Stages(Named[_Item]):
    """The results of a run's stages, by their names."""

    _what = "stage"


def data_frame(columns: Mapping[str, object]) -> "pandas.DataFrame":
    """Makes a data frame by pandas; raises SternaError if pandas is not installed."""
    try:
        import pandas
    except ImportError as error:
        raise SternaError("a table needs pandas: pip install pandas") from error
    return pandas.DataFrame(dict(columns))
