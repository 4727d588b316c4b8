"""What the observers of a run found, and what its stages left behind, as objects."""

from typing import TYPE_CHECKING

from sterna.results.averages import Average
from sterna.results.tables import Table
from sterna.support.libraries import data_frame
from sterna.support.names import Item, Named, no_such

if TYPE_CHECKING:
    import numpy
    import pandas


class Observation:
    """What an observer found: columns of numbers by name.

    >>> rdf = result.observers["rdf"]
    >>> rdf["r"], rdf["A-A"]  # NumPy arrays

    A name may be with its unit, "r/nm", or without, "r". Observers that found single values, such
    as [pressure_tensor], have `averages` in place of columns.
    """

    def __init__(self, table: Table) -> None:
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
        """Names of the columns; the first is what the others depend on."""
        return list(self._columns)

    def __getitem__(self, column: str) -> "numpy.ndarray":
        name, _, unit = column.partition("/")
        if name not in self._columns or unit not in ("", self.units[name]):
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
    """What the observers of a run found, by the names of their sections."""

    _what = "observer"


class Stages(Named[Item]):
    """What the stages of a run left behind, by their names."""

    _what = "stage"
