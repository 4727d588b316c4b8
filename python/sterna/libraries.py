"""Packages of others that are installed only where somebody needs them."""

import importlib
from types import ModuleType

from sterna.errors import SternaError


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
