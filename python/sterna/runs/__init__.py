"""Runs an input as a job of its own, with all that the input asks for at the end."""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sterna.results.result import Result, read
    from sterna.runs.start import run

__all__ = ["Result", "read", "run"]

# The command `sterna` needs none of them.
_PLACES = {"Result": "sterna.results.result", "read": "sterna.results.result"}
_PLACES["run"] = "sterna.runs.start"


def __getattr__(name: str) -> object:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_PLACES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_PLACES})
