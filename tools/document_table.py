"""Keeps measured tables in the documentation the same as the files of benchmarks/results."""

import re
from pathlib import Path

DOCS = Path(__file__).resolve().parents[1] / "docs"


def markdown_table(header: list[str], rows: list[list[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def replace_block(document: str, name: str, text: str) -> None:
    """Puts text between the comments `<!-- NAME -->` and `<!-- /NAME -->` of docs/DOCUMENT."""
    path = DOCS / document
    old = path.read_text()
    block = f"<!-- {name} -->\n\n{text.strip()}\n\n<!-- /{name} -->"
    new, count = re.subn(
        f"<!-- {name} -->.*<!-- /{name} -->", lambda _: block, old, flags=re.DOTALL
    )
    if count != 1:
        raise ValueError(f"{path}: expected one block <!-- {name} -->, found {count}")
    path.write_text(new)
