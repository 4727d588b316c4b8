"""Packages of others that are installed only where somebody needs them."""

import importlib
from collections.abc import Mapping
from types import ModuleType
from typing import TYPE_CHECKING

from sterna.errors import SternaError

if TYPE_CHECKING:
    import pandas


def library(module: str, purpose: str, package: str = "") -> ModuleType:
    """A module; raises SternaError, saying how to install it, where it is missing.

    `purpose`: who needs it; `package`: its name on PyPI, where that is another one.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        name = module.split(".")[0]
        # The text names no extra of Sterna, because pip does not know Sterna if ./dev built it.
        raise SternaError(
            f"{purpose} needs {name}, which is not installed: pip install {package or name}"
        ) from error


def data_frame(columns: Mapping[str, object]) -> "pandas.DataFrame":
    """By pandas; raises SternaError where that is not installed."""
    try:
        import pandas
    except ImportError as error:
        raise SternaError("a table needs pandas: pip install pandas") from error
    return pandas.DataFrame(dict(columns))
