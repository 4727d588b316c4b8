"""Results that are rows of a table: as a DataFrame, and as a file."""

import csv
import io
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sterna.errors import SternaError
from sterna.support.files import replace_text
from sterna.support.libraries import data_frame

if TYPE_CHECKING:
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


def write_text(path: Path, text: str) -> Path:
    """Writes a file of results. Raises SternaError where that fails."""
    try:
        replace_text(path, text)
    except OSError as error:
        raise SternaError(f"{path}: cannot be written: {error.strerror}") from error
    return path
