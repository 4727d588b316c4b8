"""Writes docs/methods-neighbor.md and docs/methods-sparse.md, or with --check says if they are old.

What a method is called, how it works and what it needs is read from the program's tables; the five
lines of idea, paper, cost, hazards and alternatives from the head of its source file.
"""

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FAMILIES = {
    "neighbor": (
        "Neighbor exchange",
        "Each rank knows its partners and exchanges with them in every step: the halo of a "
        "simulation, `[communication] halo`.",
        "8 ranks on one node, 6 partners for each, 100 doubles to each",
    ),
    "sparse": (
        "Sparse exchange",
        "Senders know to whom they send, receivers do not know from whom: particles that leave a "
        "rank's region, `[communication] migration`.",
        "8 ranks on one node, all of them possible sources, 20 particles of 80 bytes to each of 3",
    ),
}


def head_of(path: Path) -> list[tuple[str, str]]:
    """The five lines that a method's file opens with, as pairs of a word and a text."""
    lines = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith("//"):
            break
        lines.append(line[2:].strip())
    text = " ".join(lines)
    parts = re.split(r"(?:^|\s)(Idea|Paper|Cost|Hazards|Others? wins?|Another wins): ", text)
    return list(zip(parts[1::2], parts[2::2], strict=True))


def page(family: str, methods: list[dict[str, str]]) -> str:
    """The page of a family, in Markdown."""
    title, introduction, example = FAMILIES[family]
    rows = [
        f"| [`{m['name']}`](#{m['name']}) | {m['description']} | {m['needs']} | {m['work']} |"
        for m in methods
    ]
    text = f"""# {title}: the methods

{introduction} All methods give the same result; `auto` [measures and keeps the fastest](why-this-method.md). `sterna methods` says which work on this machine. This page is written by `tools/write_method_pages.py`.

| method | how | needs | what a rank does in a round * |
|---|---|---|---|
{chr(10).join(rows)}

\\* In an example: {example}. From such counts, and a time for each kind that is fitted to measurements, the tuner explains its choice.
"""
    for method in methods:
        source = ROOT / "src" / "comm" / family / "methods" / f"{method['name']}.cpp"
        text += f"\n## {method['name']}\n\n"
        for word, words in head_of(source):
            text += f"- **{word}:** {words}\n"
    return text


def main() -> int:
    """Returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="sterna-md")
    parser.add_argument("--check", action="store_true", help="write nothing")
    arguments = parser.parse_args()
    shown = subprocess.run(
        [arguments.program, "--method-table"], capture_output=True, text=True, check=True
    )
    old = []
    for family, methods in json.loads(shown.stdout).items():
        path = ROOT / "docs" / f"methods-{family}.md"
        text = page(family, methods)
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            old.append(path)
            if not arguments.check:
                path.write_text(text, encoding="utf-8")
    if arguments.check and old:
        names = ", ".join(str(path.relative_to(ROOT)) for path in old)
        print(f"old: {names}; write them with: ./dev docs", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
