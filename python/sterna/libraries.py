"""Packages of others that are installed only where somebody needs them."""

import importlib
from types import ModuleType

from sterna.errors import SternaError


def library(module: str, extra: str, purpose: str) -> ModuleType:
    """A package; raises SternaError, saying how to install it, where it is missing.

    `extra`: the optional dependency of Sterna that brings it; `purpose`: who needs it.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.split(".")[0]
        raise SternaError(
            f'{purpose} needs {package}, which is not installed: pip install "sterna[{extra}]"'
        ) from error
