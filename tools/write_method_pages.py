"""Writes docs/methods-neighbor.md and docs/methods-sparse.md, or with --check says if they are old.

What a method is called, how it works and what it needs is read from the program's tables; its idea,
source, cost, hazards and what else wins from the head of its source file.
"""

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

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


HEADINGS = ["Idea", "Source", "Cost", "Hazards", "Others"]


def head_of(path: Path) -> list[tuple[str, list[str]]]:
    """The headings that a method's file opens with, each with its sentences.

    A heading is a line `// Idea:`. Below it each sentence begins a line, `//   Like this.`, and goes
    on where the indentation is deeper. Raises ValueError where a file does not follow that.
    """
    head: list[tuple[str, list[str]]] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.startswith("//"):
            break
        if match := re.fullmatch(r"// (\w+):", line):
            head.append((match[1], []))
        elif not head:
            raise ValueError(f"{path}:{number}: expected '// {HEADINGS[0]}:'")
        elif line.startswith("//     ") and head[-1][1]:
            head[-1][1][-1] += " " + line[7:]
        elif line.startswith("//   ") and not line.startswith("//    "):
            head[-1][1].append(line[5:])
        else:
            raise ValueError(f"{path}:{number}: expected a sentence, indented by three spaces")
    if [word for word, _ in head] != HEADINGS:
        raise ValueError(f"{path}:1: expected the headings {', '.join(HEADINGS)}, in this order")
    for word, sentences in head:
        if not sentences or not all(sentence.endswith(".") for sentence in sentences):
            raise ValueError(f"{path}:1: expected full sentences under {word}")
    return head


def said(method: dict[str, Any]) -> list[str]:
    """Names and traits of a method, as lines of a list."""
    traits = method["traits"]
    lines = []
    if method["aliases"]:
        lines.append("**Also called:** " + ", ".join(method["aliases"]) + ".")
    lines.append(f"**Waits inside MPI:** {traits['blocks_in_mpi']}.")
    late = "which ranks are late" if traits["names_late_rank"] else "that some ranks are late"
    lines.append(f"**An error of a wait says:** {late}.")
    if not traits["between_nodes"]:
        lines.append("**Nodes:** all peers must be on one.")
    if traits["one_way_takes_notice"]:
        lines.append("**Links that carry items one way only:** bring a notice back.")
    return lines


def page(family: str, methods: list[dict[str, Any]]) -> str:
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
        for word, sentences in head_of(source):
            text += f"- **{word}:** {' '.join(sentences)}\n"
        text += "".join(f"- {line}\n" for line in said(method))
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
        try:
            text = page(family, methods)
        except ValueError as error:
            print(error, file=sys.stderr)
            return 1
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
