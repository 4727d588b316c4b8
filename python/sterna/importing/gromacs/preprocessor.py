"""Lines of a topology as GROMACS sees them: files included, names of #define replaced.

Source: `gmxcpp.cpp` and `topio.cpp` of GROMACS 2026; what looks odd is as GROMACS does it. A comment
behind the name of #ifdef is part of the name. A name that a value contains is replaced only if it
was defined later. Blocks of #ifdef end with their file.
"""

import os
import re
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, NoReturn

from sterna.errors import SternaError
from sterna.importing.notes import Notes
from sterna.importing.text import Line, read_text

_WORD = re.compile(r"[A-Za-z0-9_]+")
_DIRECTIVE = re.compile(r"\s*#\s*(\S*)\s*(.*?)\s*$", re.DOTALL)
_DEEPEST = 50  #: files that include each other


@dataclass(frozen=True, slots=True)
class TopologyLine(Line):
    """A line without its comment, after names were replaced."""

    comment_sign: ClassVar[str] = ";"


#: Blanks of Unicode, such as those that do not break lines in web pages.
_OTHER_BLANK = re.compile(r"[^\S \t\n\r\f\v]")


def checked_blanks(line: TopologyLine) -> TopologyLine:
    """Raises SternaError at a blank that GROMACS takes for a part of a word."""
    found = None if line.text.isascii() else _OTHER_BLANK.search(line.text.split(";", 1)[0])
    if found is not None:
        line.fail_between(
            found.start(), found.end(),
            f"a blank that is no space (U+{ord(found[0]):04X}), which GROMACS does not read as one",
        )  # fmt: skip
    return line


def include_folders(named: Sequence[Path]) -> list[Path]:
    """Returns the folders that are searched for included files, after the folder of the including
    file.
    """
    folders = list(named)
    library = os.environ.get("GMXLIB")
    folders += [Path(each) for each in (library or "").split(os.pathsep) if each]
    data = os.environ.get("GMXDATA")
    if data:
        folders.append(Path(data) / "top")
    for name in (os.environ.get("STERNA_GROMACS", ""), "gmx", "gmx_d", "gmx_mpi"):
        program = shutil.which(name) if name else None
        if program is not None:
            prefix = Path(program).resolve().parents[1]
            folders.append(prefix / "share" / "gromacs" / "top")
    folders.append(Path("/usr/local/gromacs/share/gromacs/top"))
    return list(dict.fromkeys(folders))


def read_lines(
    path: Path, folders: Sequence[Path], values: dict[str, str], notes: Notes
) -> Iterator[TopologyLine]:
    """The lines of a topology that are more than a comment.

    `values`: names that are defined before the first line; afterwards those at the end. Raises
    SternaError with file, line and column.
    """
    reader = _Reader(folders, values, set(values), notes)
    waiting, first = "", None
    for line in reader.lines(path, 0):
        text = line.text
        first = first or line
        if text.endswith("\\"):
            waiting += text[:-1] + " "
            continue
        # Lines are joined before comments are cut, as in GROMACS.
        whole = (waiting + text).split(";", 1)[0].rstrip()
        number, at = (first.number, first.path) if waiting else (line.number, line.path)
        waiting, first = "", None
        if whole.strip():
            yield checked_blanks(TopologyLine(at, number, whole))
    if first is not None and waiting.split(";", 1)[0].strip():
        whole = waiting.split(";", 1)[0].rstrip()
        yield checked_blanks(TopologyLine(first.path, first.number, whole))
    for name in reader.unused:
        notes.tell(f'the topology does not use the name "{name}" that is defined from outside')


@dataclass
class _Reader:
    folders: Sequence[Path]
    values: dict[str, str]  #: values of defined names, in the order of their first definitions
    unused: set[str]
    notes: Notes
    valued: set[str] = field(default_factory=set)  #: names with a value that are one word
    odd: list[str] = field(default_factory=list)  #: names with a value that are none

    def __post_init__(self) -> None:
        self._index()

    def _index(self) -> None:
        names = [name for name, value in self.values.items() if value]
        self.valued = {name for name in names if _WORD.fullmatch(name)}
        self.odd = [name for name in names if name not in self.valued]

    def lines(self, path: Path, depth: int) -> Iterator[Line]:
        """Raises SternaError at a preprocessor line that GROMACS would refuse."""
        states: list[bool | None] = []  #: whether lines count; None inside of a block that does not
        opened: list[TopologyLine] = []  #: the line that began each state
        for number, raw in enumerate(_split(read_text(path)), 1):
            text = raw.replace("\t", " ").replace("\0", " ").rstrip("\r")
            if not text.lstrip().startswith("#"):
                if not states or states[-1]:
                    yield Line(path, number, self._replaced(text))
                continue
            line = checked_blanks(TopologyLine(path, number, text.rstrip()))
            found = _DIRECTIVE.match(text)
            assert found is not None
            name, value = found.groups()
            if name in ("ifdef", "ifndef"):
                states.append(self._condition(line, name, value, states))
                opened.append(line)
            elif name in ("else", "endif"):
                if not states:
                    line.fail(None, f"this #{name} has no #ifdef before it in this file")
                if name == "endif":
                    states.pop()
                    opened.pop()
                elif states[-1] is not None:
                    states[-1] = not states[-1]
            elif states and not states[-1]:
                continue
            elif name == "include":
                yield from self._included(line, value, depth)
            elif name == "define":
                self._define(line, value)
            elif name == "undef":
                if not value:
                    line.fail(None, "expected a name behind #undef")
                self._tell_comment(line, name, value)
                self.values.pop(value, None)
                self._index()
            else:
                line.fail(
                    None,
                    f'unknown preprocessor line "#{name}"; expected #include, #define, #undef, '
                    "#ifdef, #ifndef, #else or #endif",
                )

        for line in opened:
            self.notes.tell("a block without #endif ends with its file, as in GROMACS", line)

    def _condition(
        self, line: TopologyLine, name: str, value: str, states: list[bool | None]
    ) -> bool | None:
        if states and not states[-1]:
            return None
        if not value:
            line.fail(None, f"expected a name behind #{name}")
        self._tell_comment(line, name, value)
        is_defined = value in self.values
        if is_defined:
            self.unused.discard(value)
        return is_defined == (name == "ifdef")

    def _tell_comment(self, line: TopologyLine, name: str, value: str) -> None:
        if ";" in value:
            self.notes.tell(
                f'GROMACS takes the comment behind #{name} for a part of the name "{value}"', line
            )

    def _define(self, line: TopologyLine, text: str) -> None:
        if not text:
            line.fail(None, "expected a name behind #define")
        name, *rest = text.split(None, 1)
        self.values[name] = rest[0] if rest else ""
        self._index()

    def _replaced(self, text: str) -> str:
        words = set(_WORD.findall(text))
        if self.valued.isdisjoint(words) and not any(name in text for name in self.odd):
            return text
        # This is one pass in the order of the definitions, as values may contain names that were
        # defined later.
        for name, value in self.values.items():
            if not value or name not in text:
                continue
            pattern = rf"(?<![A-Za-z0-9_]){re.escape(name)}(?![A-Za-z0-9_])"
            replaced = re.sub(pattern, lambda _, value=value: value, text)
            if replaced != text:
                self.unused.discard(name)
            text = replaced
        return text

    def _included(self, line: TopologyLine, text: str, depth: int) -> Iterator[Line]:
        found = re.match(r'["<]([^"<>]*)', text)
        if found is None or not found[1]:
            line.fail(None, 'expected the name of a file in quotes, such as #include "water.itp"')
        if depth >= _DEEPEST:
            line.fail(None, "files include each other without end")
        yield from self.lines(self._find(line, found[1]), depth + 1)

    def _find(self, line: TopologyLine, name: str) -> Path:
        for folder in (line.path.parent, *self.folders):
            if (folder / name).is_file():
                return folder / name
        _fail_include(line, name)


def _fail_include(line: TopologyLine, name: str) -> NoReturn:
    line.fail(
        None,
        f"there is no file {name} in the folder of this one, nor where GROMACS is installed; "
        "--include names the folder that it is in, which GROMACS has as share/gromacs/top",
    )


def _split(text: str) -> list[str]:
    return text.replace("\r\n", "\n").split("\n")


def read_defines(names: Sequence[str]) -> dict[str, str]:
    """Names and values of --define. Raises SternaError where a name is none."""
    values = {}
    for text in names:
        if not re.fullmatch(r"[A-Za-z_]\w*(=.*)?", text, re.ASCII):
            raise SternaError(
                f"--define {text}: expected a name such as POSRES, or NAME=VALUE", status=2
            )
        name, _, value = text.partition("=")
        values[name] = value
    return values
