"""Results that are rows of a table: as a DataFrame, and as a file."""

import csv
import io
import math
import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sterna.errors import SternaError
from sterna.support.files import replace_text
from sterna.support.libraries import data_frame
from sterna.support.measured import measured_text

if TYPE_CHECKING:
    import numpy
    import pandas


class Rows:
    """What has `rows()`: dictionaries that all have the same keys."""

    def rows(self) -> list[dict[str, Any]]:
        raise NotImplementedError

    def table(self) -> "pandas.DataFrame":
        """The rows as a DataFrame of pandas; raises SternaError where that is not installed."""
        rows = self.rows()
        return data_frame({name: [row[name] for row in rows] for name in rows[0]})

    def write_csv(self, path: str | os.PathLike) -> Path:
        """Writes the rows. Raises SternaError where that fails."""
        rows = self.rows()
        text = io.StringIO(newline="")
        writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        return write_text(Path(path), text.getvalue())


class MeasuredRows(Rows):
    """Rows of states with quantities that have errors, which a report can be made of.

    `units` of the quantities, `states`: how each row went.
    """

    units: dict[str, str]
    states: list[str]
    _values: dict[str, "numpy.ndarray"]
    _errors: dict[str, "numpy.ndarray"]

    def __getitem__(self, name: str) -> "numpy.ndarray":
        return self._values[name]

    def error(self, name: str) -> "numpy.ndarray":
        """Standard errors of a quantity; nan where nothing tells them."""
        return self._errors[name]

    @property
    def is_complete(self) -> bool:
        """Whether all runs are complete and have found both phases."""
        return all(state == "complete" for state in self.states)

    def shown(self, name: str, k: int) -> str:
        """A value with its error, `0.7570(35)`; `0.757(?)` where that is not known."""
        value, error = float(self._values[name][k]), float(self._errors[name][k])
        is_unknown = math.isfinite(value) and not math.isfinite(error)
        return measured_text(value, error) + ("(?)" if is_unknown else "")

    def _cells(self, k: int) -> Iterable[tuple[str, float | str]]:
        """The quantities of a row by their columns; what is not known is empty."""
        for name, unit in self.units.items():
            yield f"{name}/{unit}" if unit else name, _number(self._values[name][k])
            yield f"{name}_error", _number(self._errors[name][k])

    def _report_text(self) -> str:
        raise NotImplementedError

    def write_report(self, path: str | os.PathLike) -> Path:
        """Writes an HTML file with tables and plots. Raises SternaError where that fails."""
        return write_text(Path(path), self._report_text())


def _number(value: float) -> float | str:
    return float(value) if math.isfinite(value) else ""


def write_text(path: Path, text: str) -> Path:
    """Writes a file of results. Raises SternaError where that fails."""
    try:
        replace_text(path, text)
    except OSError as error:
        raise SternaError(f"{path}: cannot be written: {error.strerror}") from error
    return path
