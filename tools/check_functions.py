#!/usr/bin/env python3
"""Checks that no function of C++ above sixty lines is without a reason.

A longer function has parts, which could be functions with names. Where it has none, as a table with a
row for each key, the comment before it says so: "It is long because ...". Kernels, the files *.inl, are
left out, because a kernel is one loop whose values stay in registers.

`tools/long_functions.txt` lists the functions that were long when this check was made. A function that
has become shorter leaves the list, and none enters it.

Usage: check_functions.py [ROOT]; prints each offending line as file:line and exits with 1.
"""

import argparse
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

MOST_LINES = 60
LIST = "tools/long_functions.txt"
REASON = re.compile(r"\bIt is long because\b")
# What a block may be besides the body of a function. The names of namespaces are not indented.
NAMESPACE = re.compile(r'^(inline )?namespace\b|^extern "C"')
CLASS = re.compile(r"^(class|struct|union|enum)\b(?!.*\) (const )?\{$)")
VALUE = re.compile(r"^[^(]* = ")
TEMPLATE = re.compile(r"^template <.*?> ")
NAME = re.compile(r"([\w:~<>]+|operator\S+)\s*\(")


@dataclass
class Function:
    name: str
    line: int  # from 1
    lines: int
    comment: str  # the one before it


def comment_before(lines: list[str], at: int) -> str:
    """The comment that ends just before line `at`, counted from 0."""
    words = []
    while at > 0 and lines[at - 1].lstrip().startswith("//"):
        at -= 1
        words.insert(0, lines[at].lstrip().lstrip("/").strip())
    return " ".join(words)


def functions(
    lines: list[str], begin: int = 0, end: int | None = None, indent: str = ""
) -> Iterator[Function]:
    """The functions that are defined in these lines at this indentation or, in a class, deeper.

    It relies on the layout of clang-format: a block begins with a line that ends with a brace, and ends
    with a brace at the indentation of the line in which its declaration begins.
    """
    end = len(lines) if end is None else end
    at = begin
    while at < end:
        head = lines[at]
        is_head = head.startswith(indent) and re.match(r"[\w~\[]", head[len(indent) :])
        if not is_head:
            at += 1
            continue
        last = at
        while last + 1 < end and not lines[last].endswith(("{", "}", ";", ":")):
            last += 1
        text = " ".join(line.strip() for line in lines[at : last + 1])
        if not text.endswith("{") or NAMESPACE.match(text):
            at = last + 1
            continue
        close = last + 1
        while close < end and not re.match(rf"{indent}\}}", lines[close]):
            close += 1
        text = TEMPLATE.sub("", text)
        if CLASS.match(text) or "(" not in text:
            yield from functions(lines, last + 1, close, indent + "  ")
        elif not VALUE.match(text):
            name = NAME.search(re.sub(r"\[\[.*?\]\]|\b(alignas|requires|decltype)\b", "", text))
            yield Function(
                name.group(1) if name else text, at + 1, close + 1 - at, comment_before(lines, at)
            )
        at = close + 1


def long_functions(root: Path) -> dict[str, tuple[str, Function]]:
    """The functions above the limit without a reason, by "file name"."""
    found = {}
    for path in sorted((root / "src").rglob("*")):
        if path.suffix not in (".cpp", ".hpp"):
            continue
        file = path.relative_to(root).as_posix()
        for function in functions(path.read_text(encoding="utf-8").splitlines()):
            if function.lines > MOST_LINES and not REASON.search(function.comment):
                found[f"{file} {function.name}"] = (file, function)
    return found


def check(root: Path) -> list[str]:
    known = (root / LIST).read_text(encoding="utf-8").splitlines()
    found = long_functions(root)
    wrong = [
        f"{file}:{function.line}: {function.name} has {function.lines} lines; expected at most "
        f'{MOST_LINES}, or a comment before it with "It is long because"'
        for name, (file, function) in found.items()
        if name not in known
    ]
    wrong += [
        f"{LIST}:{number}: {name} is not long any more, or is gone: remove this line"
        for number, name in enumerate(known, 1)
        if name not in found
    ]
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument(
        "root", nargs="?", type=Path, default=Path(__file__).resolve().parent.parent
    )
    wrong = check(parser.parse_args().root)
    print("\n".join(wrong) if wrong else "functions: none is long without a reason")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
