"""Writes the pages of docs/ that have one thing each, or with --check says which are old.

An exchange method has docs/methods/FAMILY/NAME.md, and each family a table of its methods,
docs/methods-FAMILY.md. What a method is called, how it works and what it needs is read from the
program's tables; its idea, source, cost, hazards and what else wins from the head of its source file.
Pair potentials, integrators, thermostats and barostats have the pages that the program makes of their rows.
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


def page_of_method(family: str, method: dict[str, Any]) -> str:
    """The page of a method, in Markdown."""
    text = f"# `{method['name']}`\n\n"
    text += (
        f"<!-- Written from src/comm/{family}/methods/{method['name']}.cpp by ./dev docs. -->\n\n"
    )
    description = method["description"]
    key = {"neighbor": "halo", "sparse": "migration"}[family]
    text += f"{description[:1].upper()}{description[1:]}.\n\n"
    text += f'```toml\n[communication]\n{key} = "{method["name"]}"\n```\n\n'
    source = ROOT / "src" / "comm" / family / "methods" / f"{method['name']}.cpp"
    for word, sentences in head_of(source):
        text += f"- **{word}:** {' '.join(sentences)}\n"
    needs = f"**Needs:** {method['needs']}." if method["needs"] else ""
    work = f"**A round of the example takes:** {method['work']}."
    text += "".join(f"- {line}\n" for line in [needs, *said(method), work] if line)
    return (
        text
        + f"\nAll of them, and the example: [{FAMILIES[family][0].lower()}](../../methods-{family}.md).\n"
    )


def page(family: str, methods: list[dict[str, Any]]) -> str:
    """The page of a family, in Markdown."""
    title, introduction, example = FAMILIES[family]
    rows = [
        f"| [`{m['name']}`](methods/{family}/{m['name']}.md) | {m['description']} | {m['needs']} | {m['work']} |"
        for m in methods
    ]
    text = f"""# {title}: the methods

{introduction} All methods give the same result; `auto` [measures and keeps the fastest](why-this-method.md). `sterna methods` says which work on this machine. This page is written by `tools/write_reference_pages.py`.

| method | how | needs | what a rank does in a round * |
|---|---|---|---|
{chr(10).join(rows)}

\\* In an example: {example}. From such counts, and a time for each kind that is fitted to measurements, the tuner explains its choice.
"""
    return text


def told(program: str, option: str) -> Any:
    """What the program prints as JSON."""
    shown = subprocess.run([program, option], capture_output=True, text=True, check=True)
    return json.loads(shown.stdout)


def all_pages(program: str) -> dict[str, str]:
    """Paths below docs/ and their text."""
    pages = told(program, "--pages")
    for family, methods in told(program, "--method-table").items():
        pages[f"methods-{family}.md"] = page(family, methods)
        for method in methods:
            pages[f"methods/{family}/{method['name']}.md"] = page_of_method(family, method)
    return pages


def main() -> int:
    """Returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="sterna-md")
    parser.add_argument("--check", action="store_true", help="write nothing")
    arguments = parser.parse_args()
    try:
        pages = all_pages(arguments.program)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    old = []
    folders = {ROOT / "docs" / Path(name).parent for name in pages if "/" in name}
    for path in sorted(path for folder in folders for path in folder.glob("*.md")):
        if str(path.relative_to(ROOT / "docs")) not in pages:
            old.append(path)
            if not arguments.check:
                path.unlink()
    for name, text in pages.items():
        path = ROOT / "docs" / name
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            old.append(path)
            if not arguments.check:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
    if arguments.check and old:
        names = ", ".join(str(path.relative_to(ROOT)) for path in old)
        print(f"old: {names}; write them with: ./dev docs", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
