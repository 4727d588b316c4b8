"""Runs an input as a job of its own, with all that the input asks for at the end."""

from sterna.results.result import Result, read
from sterna.runs.start import run

__all__ = ["Result", "read", "run"]
