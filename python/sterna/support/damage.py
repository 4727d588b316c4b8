"""One error with the file's name for all that can go wrong where a damaged file is read."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sterna.errors import SternaError

#: The exceptions that code for intact files raises for a damaged file.
_KINDS = (
    ArithmeticError, AssertionError, AttributeError, EOFError, LookupError, MemoryError, OSError,
    RuntimeError, TypeError, ValueError,
)  # fmt: skip


@contextmanager
def reading(
    path: str | Path, said: str, passed: tuple[type[Exception], ...] = ()
) -> Iterator[None]:
    """Errors of the block as a SternaError with the name of the file, `said` and their reason.

    Around the reading of one file only, so that nothing else is blamed on it; errors of the kinds
    `passed` stay as they are.
    """
    try:
        yield
    except (SternaError, *passed):
        raise
    except _KINDS as error:
        raise SternaError(f"{path}: {said}: {_reason(error)}", 2) from error


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    if isinstance(error, KeyError) and error.args:
        return f"{error.args[0]} is missing" if len(str(error.args[0])) < 60 else str(error.args[0])
    return str(error) or type(error).__name__
