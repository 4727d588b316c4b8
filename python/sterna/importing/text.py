"""Lines of a text file with their places, so that messages name line and column."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, NoReturn

from sterna.errors import SternaError
from sterna.support.files import require_regular

_WORD = re.compile(r"\S+", re.ASCII)


def words_of(text: str) -> list[str]:
    """Words between the blanks of C: one of Unicode, as web pages have, is a part of a word."""
    return text.split() if text.isascii() else _WORD.findall(text)


@dataclass(frozen=True, slots=True)
class Line:
    """A line that is more than a comment; `fields` are its words before the sign of a comment."""

    path: Path
    number: int
    text: str  #: the line as in the file
    comment_sign: ClassVar[str] = "#"

    @property
    def fields(self) -> list[str]:
        return words_of(self.text.split(self.comment_sign, 1)[0])

    @property
    def comment(self) -> str:
        """The first word behind '#', or nothing: how LAMMPS names styles."""
        words = self.text.partition("#")[2].split()
        return words[0] if words else ""

    def fail(self, field: int | None, message: str) -> NoReturn:
        """Raises SternaError at a word; at the end of the line where it has fewer."""
        words = _WORD.finditer(self.text.split(self.comment_sign, 1)[0])
        places = [(m.start(), m.end()) for m in words]
        if field is None:
            begin, end = (places[0][0], places[-1][1]) if places else (0, 1)
        elif field < len(places):
            begin, end = places[field]
        else:
            begin = places[-1][1] if places else 0
            end = begin + 1
        self.fail_between(begin, end, message)

    def fail_between(self, begin: int, end: int, message: str) -> NoReturn:
        """Raises SternaError at these columns, counted from 0."""
        raise SternaError(
            f"{self.path}:{self.number}:{begin + 1}: error: {message}\n"
            f"{self.number:5} | {self.text}\n"
            f"      | {' ' * begin}{'^' * (end - begin)}",
            status=2,
        )

    def _field(self, fields: list[str], field: int, what: str) -> str:
        if field >= len(fields):
            self.fail(field, f"expected {what}; found the end of the line")
        return fields[field]

    def number_at(self, fields: list[str], field: int, what: str) -> float:
        text = self._field(fields, field, what)
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not math.isfinite(value) or "_" in text:
            self.fail(field, f'{what} is "{text}"; expected a number')
        return value

    def integer_at(self, fields: list[str], field: int, what: str, least: int, most: int) -> int:
        text = self._field(fields, field, what)
        if not re.fullmatch(r"[+-]?\d{1,18}", text, re.ASCII):
            self.fail(field, f'{what} is "{text}"; expected an integer')
        if not least <= int(text) <= most:
            self.fail(field, f"{what} is {text}; expected {least} to {most}")
        return int(text)

    def expect_end(self, fields: list[str], count: int, form: str) -> None:
        if len(fields) > count:
            self.fail(count, f"unexpected text; expected `{form}`")


def read_text(path: Path) -> str:
    """Without the byte order mark that editors of Windows begin a file with."""
    require_regular(path)
    try:
        return path.read_text(encoding="utf-8-sig", errors="replace")
    except OSError as error:
        raise SternaError(f"{path} cannot be read: {error.strerror}", status=2) from error


def lines_of(path: Path, text: str) -> Iterator[Line]:
    """Returns all lines except empty ones and comments."""
    for number, line in enumerate(text.split("\n"), 1):
        one = Line(path, number, line.rstrip("\r"))
        if one.fields:
            yield one
