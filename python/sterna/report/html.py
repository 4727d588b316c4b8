"""Pieces of HTML. Text from files is escaped here and nowhere else."""

import math
from collections.abc import Iterable, Sequence
from html import escape

#: Elements without content, which have no end.
_VOID = ("input",)


class Markup(str):
    """Text that is HTML already."""


def text(value: object) -> str:
    """HTML of a value: markup as it is, all else escaped."""
    return value if isinstance(value, Markup) else escape(str(value), quote=True)


def element(name: str, *content: object, **attributes: object) -> Markup:
    """`element("p", "a < b", class_="note")`: an underscore ends names that Python reserves."""
    named = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{text(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    if name in _VOID:
        return Markup(f"<{name}{named}>")
    return Markup(f"<{name}{named}>{''.join(map(text, content))}</{name}>")


def join(pieces: Iterable[object]) -> Markup:
    return Markup("\n".join(text(piece) for piece in pieces))


def number(value: float | None, digits: int = 6) -> str:
    """Formats a number for readers, with `digits` significant ones; a dash if there is none."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return "–"
    return str(value) if isinstance(value, int) else f"{value:.{digits}g}"


def table(
    head: Sequence[object],
    rows: Iterable[Sequence[object]],
    caption: str,
    row_heads: bool = True,
) -> Markup:
    """A table that scrolls by itself; the first cell of each row is its heading."""
    first = element("tr", *(element("th", cell, scope="col") for cell in head))
    body = []
    for row in rows:
        cells = [
            element("th", cell, scope="row") if row_heads and k == 0 else element("td", cell)
            for k, cell in enumerate(row)
        ]
        body.append(element("tr", *cells))
    inner = element(
        "table", element("caption", caption), element("thead", first), element("tbody", *body)
    )
    return element("div", inner, class_="scroll", tabindex=0, role="region", aria_label=caption)


def details(summary: str, *content: object) -> Markup:
    return element("details", element("summary", summary), *content)


def section(identity: str, heading: str, *content: object, level: int = 3) -> Markup:
    """A part of the page, with a heading that names it to screen readers."""
    title = element(f"h{level}", heading, id=f"{identity}-title")
    # Parts of several runs have the same headings; with the run's they differ.
    run = identity.rpartition("-")[0]
    labels = f"{run}-title {identity}-title" if level > 2 else f"{identity}-title"
    return element("section", title, *content, id=identity, aria_labelledby=labels)
