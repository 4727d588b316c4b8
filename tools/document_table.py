"""Keeps measured tables in the documentation the same as the files of benchmarks/results."""

import re
from pathlib import Path

DOCS = Path(__file__).resolve().parents[1] / "docs"


def markdown_table(header: list[str], rows: list[list[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def with_block(page: str, name: str, text: str) -> str:
    """The page with text between the comments `<!-- NAME -->` and `<!-- /NAME -->`.

    Raises ValueError where the page has no such block, or several.
    """
    block = f"<!-- {name} -->\n\n{text.strip()}\n\n<!-- /{name} -->"
    new, count = re.subn(
        f"<!-- {name} -->.*<!-- /{name} -->", lambda _: block, page, flags=re.DOTALL
    )
    if count != 1:
        raise ValueError(f"expected one block <!-- {name} -->, found {count}")
    return new


def replace_block(document: str, name: str, text: str) -> None:
    """Puts text into the block NAME of docs/DOCUMENT."""
    path = DOCS / document
    path.write_text(with_block(path.read_text(), name, text))
