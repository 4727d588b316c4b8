"""The text files of observers: lines that begin with #, the last of which names the columns."""

from dataclasses import dataclass
from pathlib import Path

import numpy

from sterna.errors import SternaError


@dataclass
class Table:
    """A file of an observer.

    `kind` is the part of its name that tells the observer; `remarks` are the first comment lines.
    """

    kind: str
    path: Path
    remarks: list[str]
    columns: list[str]
    rows: list[list[str]]

    @property
    def is_curve(self) -> bool:
        """Whether it holds functions of its first column, and no list of named averages."""
        return bool(self.rows) and _is_number(self.rows[0][0])

    def values(self) -> numpy.ndarray:
        """(rows, columns); only of a curve."""
        return numpy.array(self.rows, float)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def read_table(path: Path, kind: str) -> Table:
    """Raises SternaError, naming the line, where the file is damaged."""
    comments, rows = [], []
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise SternaError(f"{path}: cannot be read: {error}") from error
    columns: list[str] = []
    for number, line in enumerate(lines, 1):
        if line.startswith("#"):
            comments.append(line.lstrip("# "))
            continue
        if not line.strip():
            continue
        cells = line.split()
        columns = columns or (comments.pop().split() if comments else [])
        if len(cells) != len(columns):
            raise SternaError(
                f"{path}:{number}: {len(columns)} columns expected ({' '.join(columns)}), "
                f"not {len(cells)}"
            )
        if len(columns) < 2:
            raise SternaError(f"{path}:{number}: at least two columns expected: {line.strip()}")
        # Functions of the first column, or a name in each line and its average.
        of_numbers = cells if _is_number((rows or [cells])[0][0]) else cells[1:3]
        if not all(map(_is_number, of_numbers)):
            raise SternaError(f"{path}:{number}: numbers expected: {line.strip()}")
        rows.append(cells)
    return Table(kind, path, comments, columns, rows)
