"""Errors before or during a run."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sterna._core import Diagnostic


class SternaError(RuntimeError):
    """A run that could not start or did not end well; the text is what a user reads.

    `status` is the exit status that a command should end with.
    """

    def __init__(self, message: str, status: int = 1) -> None:
        super().__init__(message)
        self.status = status


class InputError(SternaError):
    """An input that is not valid; the text is what `sterna check` shows.

    `diagnostics` are the findings one by one: `severity`, `file`, `line`, `column`, `message`.
    """

    def __init__(self, message: str, diagnostics: "Sequence[Diagnostic]" = ()) -> None:
        super().__init__(message.rstrip("\n"), 2)
        self.diagnostics = list(diagnostics)


class UnstableRun(SternaError):
    """Positions or energies have left all that the forces describe."""


class RemoteError(SternaError):
    """A callback has raised an exception on another rank; the text names it."""


class InputWarning(UserWarning):
    """An input that can run, but hardly as meant."""
