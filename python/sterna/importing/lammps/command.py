"""A command of an input script, with the places of its arguments."""

import difflib
from dataclasses import dataclass
from typing import NoReturn

from sterna.importing.text import Line

_ACCELERATED = ("gpu", "intel", "kk", "kk/device", "kk/host", "omp", "opt")


@dataclass(frozen=True)
class Command:
    """A command and its arguments; `line` has its text with variables replaced."""

    line: Line
    name: str
    arguments: list[str]

    @property
    def fields(self) -> list[str]:
        return [self.name, *self.arguments]

    def fail(self, argument: int | None, message: str) -> NoReturn:
        """Raises SternaError at an argument, counted from 0, or at all of the command."""
        # A quoted argument with blanks is several fields of the line.
        exact = len(self.line.fields) == len(self.fields)
        self.line.fail(None if argument is None or not exact else argument + 1, message)

    def word(self, k: int, what: str) -> str:
        if k >= len(self.arguments):
            self.line.fail(k + 1, f"expected {what}; found the end of the line")
        return self.arguments[k]

    def number(self, k: int, what: str) -> float:
        return self.line.number_at(self.fields, k + 1, what)

    def integer(self, k: int, what: str, least: int, most: int) -> int:
        return self.line.integer_at(self.fields, k + 1, what, least, most)

    def yes(self, k: int, what: str) -> bool:
        word = self.word(k, what)
        if word not in ("yes", "no", "on", "off", "true", "false"):
            self.fail(k, f'{what} is "{word}"; expected yes or no')
        return word in ("yes", "on", "true")

    def expect_end(self, count: int, form: str) -> None:
        if len(self.arguments) > count:
            self.fail(count, f"unexpected text; expected `{form}`")

    def unknown(self, k: int, what: str, known: list[str]) -> NoReturn:
        """Fails at an argument that is none of the known ones."""
        word = self.arguments[k]
        self.fail(k, f'unknown {what} "{word}"{nearest(word, known)}')


def nearest(word: str, known: list[str], likeness: float = 0.6) -> str:
    """What was probably meant, as the end of a message; or nothing. `likeness`: from 0 to 1."""
    found = difflib.get_close_matches(word, known, 1, likeness)
    return f'; did you mean "{found[0]}"?' if found else ""


def plain_style(name: str) -> str:
    """A style's name without the suffix of an accelerator, which changes the speed only."""
    for suffix in _ACCELERATED:
        if name.endswith(f"/{suffix}"):
            return name[: -len(suffix) - 1]
    return name
