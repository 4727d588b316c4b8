"""The log of a run: JSON lines, as columns."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from sterna.errors import SternaError
from sterna.files import require_regular
from sterna.log_events import event_of

if TYPE_CHECKING:
    import numpy


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
            raise KeyError(f"the log has no column {column!r}, {has}")
        values = [row.get(column) for row in self.rows]
        return numpy.array([numpy.nan if value is None else value for value in values])


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
