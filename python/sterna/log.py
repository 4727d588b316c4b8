"""The log of a run: JSON lines, as columns."""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy

from sterna.errors import SternaError


class Log:
    """The rows of a log; a column, such as `log["temperature"]`, is a NumPy array over the rows.

    Rows that lack a column have NaN there. A line that a killed run left unfinished at the end is
    ignored.
    """

    def __init__(self, rows: list[dict]) -> None:
        self.rows = rows

    @property
    def columns(self) -> list[str]:
        """Names of the columns, in the order of their first appearance."""
        return list(dict.fromkeys(name for row in self.rows for name in row))

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[dict]:
        return iter(self.rows)

    def __getitem__(self, column: str) -> numpy.ndarray:
        if column not in self.columns:
            raise KeyError(f"the log has no column {column!r}, but {', '.join(self.columns)}")
        return numpy.array([row.get(column, numpy.nan) for row in self.rows])


def read_log(path: str | Path) -> Log:
    """Reads a log; raises SternaError, naming the line, where it is damaged."""
    rows = []
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines, 1):
        try:
            rows.append(json.loads(line))
        except json.JSONDecodeError as error:
            if number == len(lines):
                break
            raise SternaError(f"{path}:{number}:{error.colno}: not JSON: {error.msg}") from error
    return Log(rows)
