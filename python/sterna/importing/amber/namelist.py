"""Namelists of Fortran with the place of each value, as input files of AMBER have them.

Source: ISO/IEC 1539-1 (Fortran), "Namelist formatting": `&name key = value, key = value /`, with
comments behind `!`, texts in quotes, `3*0.0` for a value three times, and `$name ... $end` of older
programs. Names have no case. Of a key that stands twice the last value counts.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

from sterna.errors import SternaError
from sterna.importing.text import Line, read_text


@dataclass(frozen=True)
class Word:
    """A part of the text with its place."""

    text: str
    line: Line
    begin: int  #: column, from 0
    end: int
    is_quoted: bool = False

    def fail(self, message: str) -> NoReturn:
        self.line.fail_between(self.begin, max(self.end, self.begin + 1), message)

    def fail_inside(self, place: int, message: str) -> NoReturn:
        """Raises the error at a character of the text, from 0."""
        begin = self.begin + int(self.is_quoted) + place
        # A text in quotes may go on in further lines.
        if begin >= len(self.line.text):
            self.fail(message)
        self.line.fail_between(begin, begin + 1, message)


@dataclass
class Entry:
    name: Word
    values: list[Word] = field(default_factory=list)


@dataclass
class Namelist:
    """`entries` by their keys in small letters."""

    head: Word
    entries: dict[str, Entry] = field(default_factory=dict)
    repeated: list[Word] = field(default_factory=list)  #: keys that a later line gives anew

    @property
    def name(self) -> str:
        return self.head.text.lower()


@dataclass
class NamelistFile:
    namelists: dict[str, Namelist]
    rest: list[Line]  #: lines behind the last namelist that are not empty
    several: list[Namelist]  #: those of REPEATED names, in the order of the file


_TOKEN = re.compile(
    r"(?P<blank>\s+)|(?P<comment>![^\n]*)|(?P<text>'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\")"
    r"|(?P<end>/|[&$][eE][nN][dD]\b)|(?P<sign>[=,])|(?P<word>[^\s=,/!'\"]+)|(?P<open>['\"])",
)
_HEAD = re.compile(r"\s*[&$](?P<name>[A-Za-z]\w*)", re.ASCII)
_KEY = re.compile(r"[A-Za-z]\w*(?:\(\s*\d+\s*\))?", re.ASCII)
_REPEATED = re.compile(r"(\d{1,4})\*(.+)", re.ASCII)


REPEATED = ("wt",)  #: names of which each namelist counts


def read_namelists(path: Path) -> NamelistFile:
    """Raises SternaError with line and column."""
    return _Reader(path).read()


class _Reader:
    def __init__(self, path: Path) -> None:
        self._path = path
        text = read_text(path)
        self._lines = [Line(path, n, t.rstrip("\r")) for n, t in enumerate(text.split("\n"), 1)]
        self._text = "\n".join(line.text for line in self._lines)
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line.text) + 1)

    def read(self) -> NamelistFile:
        found: dict[str, Namelist] = {}
        several: list[Namelist] = []
        number = last = 0
        while number < len(self._lines):
            line = self._lines[number]
            head = _HEAD.match(line.text)
            if head is None or head["name"].lower() == "end":
                number += 1
                continue
            word = Word(head["name"], line, head.start("name") - 1, head.end("name"))
            one = Namelist(word)
            if one.name in REPEATED:
                several.append(one)
            elif one.name in found:
                word.fail(f"a second namelist &{one.name}; AMBER reads the first one only")
            else:
                found[one.name] = one
            end = self._fill(one, self._starts[number] + head.end())
            number = last = self._line_of(end) + 1
        return NamelistFile(
            found, [line for line in self._lines[last:] if line.text.strip()], several
        )

    def _line_of(self, place: int) -> int:
        low, high = 0, len(self._lines) - 1
        while low < high:
            middle = (low + high + 1) // 2
            if self._starts[middle] <= place:
                low = middle
            else:
                high = middle - 1
        return low

    def _word(self, begin: int, end: int, text: str, is_quoted: bool = False) -> Word:
        number = self._line_of(begin)
        column = begin - self._starts[number]
        last = min(column + end - begin, max(len(self._lines[number].text), column + 1))
        return Word(text, self._lines[number], column, last, is_quoted)

    def _fill(self, one: Namelist, place: int) -> int:
        """Reads up to the end of a namelist, and returns the place of that."""
        words: list[Word] = []  # words since the last equals sign
        entry: Entry | None = None

        def take(values: list[Word]) -> None:
            if entry is None:
                if values:
                    values[0].fail("expected `key = value`")
                return
            for value in values:
                entry.values += _repeated(value)

        while True:
            found = _TOKEN.match(self._text, place)
            if found is None:
                raise SternaError(
                    f"{self._path}: error: &{one.name} has no end; expected a line with /", status=2
                )
            kind, begin, end = found.lastgroup, found.start(), found.end()
            text = found.group()
            place = end
            if kind == "end":
                take(words)
                return begin
            if kind == "open":
                self._word(begin, end, text).fail("a text without the second quotation mark")
            if kind == "text":
                words.append(self._word(begin, end, text[1:-1].replace(text[0] * 2, text[0]), True))
            elif kind == "word":
                word = self._word(begin, end, text)
                if text[0] in "&$":
                    word.fail(f"&{one.name} has no end before this; expected a line with /")
                words.append(word)
            elif text == "=":
                sign = self._word(begin, end, text)
                if not words or words[-1].is_quoted or not _KEY.fullmatch(words[-1].text):
                    (words[-1] if words else sign).fail("expected `key = value`")
                take(words[:-1])
                entry = Entry(words[-1])
                words = []
                key = re.sub(r"\(\s*1\s*\)$", "", entry.name.text.lower())
                if key in one.entries:
                    one.repeated.append(entry.name)
                one.entries[key] = entry


def _repeated(value: Word) -> list[Word]:
    found = None if value.is_quoted else _REPEATED.fullmatch(value.text)
    if found is None:
        return [value]
    return [Word(found[2], value.line, value.begin, value.end)] * int(found[1])
