"""Lines and words of an input script: comments, quotes, and what goes on in the next line."""

from collections.abc import Iterator
from pathlib import Path

from sterna.importing.lammps.variables import FormulaError
from sterna.importing.text import Line, read_text


def without_comment(text: str) -> str:
    """Up to a '#' that is not inside quotes."""
    quote, k = "", 0
    while k < len(text):
        if quote:
            if text.startswith(quote, k):
                k += len(quote)
                quote = ""
                continue
        elif text[k] in "'\"":
            quote = '"""' if text.startswith('"""', k) else text[k]
            k += len(quote)
            continue
        elif text[k] == "#":
            return text[:k]
        k += 1
    return text


def words_of(text: str) -> list[str]:
    """Words; what begins with a quote goes to the next such quote. Raises FormulaError."""
    found, k = [], 0
    while True:
        while k < len(text) and text[k].isspace():
            k += 1
        if k >= len(text):
            return found
        quote = next((q for q in ('"""', '"', "'") if text.startswith(q, k)), "")
        if not quote:
            end = k
            while end < len(text) and not text[end].isspace():
                end += 1
            found.append(text[k:end])
            k = end
            continue
        end = text.find(quote, k + len(quote))
        if end < 0:
            raise FormulaError(f"a quote {quote} has no second one")
        found.append(text[k + len(quote) : end])
        k = end + len(quote)
        if k < len(text) and not text[k].isspace():
            raise FormulaError(f"expected a blank behind the second {quote}")


def joined_lines(path: Path) -> Iterator[Line]:
    """Lines that '&' continues are one, as are those between triple quotes."""
    waiting, first = "", 0
    lines = read_text(path).split("\n")
    for number, raw in enumerate(lines, 1):
        first = first if waiting else number
        text = waiting + raw.rstrip("\r")
        waiting = ""
        if text.rstrip().endswith("&") and number < len(lines):
            waiting = text.rstrip()[:-1]
        elif text.count('"""') % 2 and number < len(lines):
            waiting = text + " "
        elif text.strip():
            yield Line(path, first, text.strip("\x00"))
    if waiting.strip():
        yield Line(path, first, waiting)
