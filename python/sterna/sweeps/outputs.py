"""Files that a sweep is asked to write, looked at before its runs begin."""

import os
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from sterna.errors import SternaError
from sterna.support.files import require_regular
from sterna.support.libraries import library

TABLES = (".csv", ".parquet")
FIGURES = (".png", ".pdf", ".svg")


def require_output(path: Path, kinds: Sequence[str]) -> None:
    """Raises SternaError where the file could not be written, or has none of these suffixes.

    The packages that write it must be there, too.
    """
    if path.suffix.lower() not in kinds:
        raise SternaError(f"{path}: expected a name that ends in {' or '.join(kinds)}", 2)
    if not path.parent.is_dir():
        raise SternaError(f"{path}: the folder {path.parent} does not exist", 2)
    require_regular(path)
    if path.is_dir():
        raise SternaError(f"{path} is a folder; expected a file", 2)
    if not os.access(path.parent, os.W_OK):
        raise SternaError(f"{path}: the folder {path.parent} may not be written to", 2)
    if path.suffix.lower() == ".parquet":
        parquet()
    if path.suffix.lower() in FIGURES:
        library("matplotlib", "a plot")


def parquet() -> ModuleType:
    """The module that writes Parquet; raises SternaError where it is not installed."""
    return library("pyarrow.parquet", "Parquet", "pyarrow")
