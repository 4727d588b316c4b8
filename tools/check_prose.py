#!/usr/bin/env python3
"""Checks the prose of README and docs: no sentence above 32 words, no word that codespell knows.

Code, tables, headings and generated pages are left out; so are sentences with a citation of a journal
(a year in parentheses) or an address. Words that Sterna does not use, since a standard one says the
same (docs/glossary.md), are looked for in pages and in the sources, comments and names included.
Usage: check_prose.py [FILE...]; prints each finding as file:line and exits with 1.
"""

import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MOST_WORDS = 32
#: Written by `sterna-md --reference`, `tools/write_reference_pages.py` and test_potential_page.
GENERATED = {"input.md", "methods-neighbor.md", "methods-sparse.md", "models.md", "potentials.md"}
#: Folders of docs/ with pages that `tools/write_reference_pages.py` writes.
GENERATED_FOLDERS = {"barostats", "integrators", "methods", "potentials", "thermostats"}
#: Words that pages must not have, and what to write instead.
BANNED = {
    "anew": "again; a list is rebuilt",
    "dearer": "more expensive",
    "joint object": "collective object",
    "joint objects": "collective objects",
    "lobby": "waiting list",
    "obituary": "error of a rank that died",
    "poke": "progress",
    "ground floor": "communication library",
    "of the house": "of Sterna",
    "upper floor": "engine",
    "upright box": "orthorhombic box",
    "upright boxes": "orthorhombic boxes",
    "upright coordinates": "unsheared coordinates",
}
#: The same in the sources, by folder. Names made of several words count word by word.
BANNED_IN_SOURCES = {
    "src": {
        "dearer": "more expensive",
        "lobby": "queue",
        "obituary": "error of a rank that died",
        "poke": "progress",
        "upright": "unsheared, orthorhombic",
    },
    "src/comm": {
        "board": "directory",
        "boxes": "buffers; a box is the simulation box",
        "cargo": "array to send",
        "joint": "collective",
        "parcel": "message",
        "patience": "timeout",
        "reach": "connect to, access",
        "room": "capacity, receive buffer, slot, memory",
        "shipment": "outgoing array",
        "wish": "request",
        "wishes": "requests",
    },
}
BANNED_IN_SOURCES["include"] = BANNED_IN_SOURCES["src/comm"]
#: Old names that a message leads to the new one: lines that have this are fine.
_FORMER_NAME = "deprecated("
_SOURCES = {".cpp", ".f90", ".F90", ".h", ".hpp", ".inc", ".inl"}
_CITATION = re.compile(r"\((?:19|20)\d\d\)|https?://")
_END = re.compile(r"(?<=[.!?:;])\**[)\"”]?\s+(?=[\[(`*_\"“]*[A-Z0-9`\[-])")
_ABBREVIATION = re.compile(
    r"\b(?:Phys|Rev|Chem|Lett|Comput|Mol|Proc|Soc|Int|Sci|Eng|e\.g|i\.e|al|vs)\.$"
)
_BLOCK = re.compile(r"^(`{3,}|~{3,}).*?^\1\s*$", re.MULTILINE | re.DOTALL)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


def _blank(match: re.Match[str]) -> str:
    """As many empty lines, so that the numbers of lines stay right."""
    return "\n" * match[0].count("\n")


def paragraphs(text: str) -> Iterator[tuple[int, str]]:
    """Number of the first line and text of each paragraph and entry of a list."""
    text = _COMMENT.sub(_blank, _BLOCK.sub(_blank, text))
    start, gathered = 0, []
    for number, line in enumerate([*text.split("\n"), ""], 1):
        stripped = line.strip()
        begins = re.match(r"(?:[-*+]|\d+\.|:) +", stripped)
        outside = not stripped or stripped.startswith(("#", "|", "<", "!!!", ":::"))
        if gathered and (outside or begins):
            yield start, " ".join(gathered)
            gathered = []
        if outside:
            continue
        if not gathered:
            start = number
        gathered.append(stripped[begins.end() :] if begins else stripped)


def sentences(paragraph: str) -> Iterator[str]:
    """The sentences; what stands behind a colon or semicolon counts as another."""
    # A link is its text, code is one word.
    text = re.sub(r"`[^`]*`", "`x`", paragraph)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    pending = ""
    for part in _END.split(text):
        pending = f"{pending} {part}".strip()
        if not _ABBREVIATION.search(pending):
            yield pending
            pending = ""
    if pending:
        yield pending


def words(sentence: str) -> int:
    """Words; numbers and signs alone are none."""
    return len([word for word in sentence.split() if re.search(r"[A-Za-z`]", word)])


def long_sentences(path: Path) -> Iterator[str]:
    """What is too long in a file, each as 'file:line: N words: sentence'."""
    for line, paragraph in paragraphs(path.read_text(encoding="utf-8")):
        for sentence in sentences(paragraph):
            count = words(sentence)
            if count > MOST_WORDS and not _CITATION.search(sentence):
                yield f"{path}:{line}: {count} words: {sentence}"


def _pattern(words: Iterable[str]) -> re.Pattern[str]:
    """Any of the words, also as a part of a_name or ANamePart, but not inside of another word."""
    small = "|".join(sorted(words, key=len, reverse=True))
    large = "|".join(word.capitalize() for word in sorted(words, key=len, reverse=True))
    return re.compile(rf"(?<![A-Za-z])(?:{small})(?![a-z])|(?<![A-Z])(?:{large})(?![a-z])")


def banned_in_pages(path: Path) -> Iterator[str]:
    """Words of `BANNED` in a page, each as 'file:line: "word": instead'. Code is left out."""
    text = _COMMENT.sub(_blank, _BLOCK.sub(_blank, path.read_text(encoding="utf-8")))
    pattern = re.compile(
        rf"\b(?:{'|'.join(sorted(BANNED, key=len, reverse=True))})\b", re.IGNORECASE
    )
    for number, line in enumerate(text.split("\n"), 1):
        for match in pattern.finditer(re.sub(r"`[^`]*`", "`x`", line)):
            yield f'{path}:{number}: "{match[0]}": write "{BANNED[match[0].lower()]}"'


def banned_in_sources(root: Path) -> Iterator[str]:
    """Words of `BANNED_IN_SOURCES` below a folder of the repository, as `banned_in_pages`."""
    for folder, banned in BANNED_IN_SOURCES.items():
        pattern = _pattern(banned)
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in _SOURCES:
                continue
            lines = path.read_text(encoding="utf-8").split("\n")
            for number, line in enumerate(lines, 1):
                if any(_FORMER_NAME in near for near in lines[max(0, number - 2) : number]):
                    continue
                for match in pattern.finditer(line):
                    yield f'{path}:{number}: "{match[0]}": write "{banned[match[0].lower()]}"'


def misspelled(paths: list[Path]) -> list[str]:
    """What codespell finds; its settings are in pyproject.toml."""
    done = subprocess.run(
        [sys.executable, "-m", "codespell_lib", *map(str, paths)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode not in (0, 65):
        raise SystemExit(f"codespell does not run: {done.stderr.strip()}")
    return done.stdout.splitlines()


def pages() -> list[Path]:
    """README and the pages of docs/ that people write."""
    docs = ROOT / "docs"
    found = [
        path
        for path in sorted(docs.rglob("*.md"))
        if path.name not in GENERATED and path.relative_to(docs).parts[0] not in GENERATED_FOLDERS
    ]
    return [ROOT / "README.md", *found]


def main() -> int:
    """Returns the exit status."""
    paths = [Path(name).resolve() for name in sys.argv[1:]] or pages()
    found = [finding for path in paths for finding in long_sentences(path)]
    for path in [*paths, ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md"]:
        found += banned_in_pages(path)
    if not sys.argv[1:]:
        found += banned_in_sources(ROOT)
    found += misspelled([*paths, ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md"])
    print("\n".join(found) if found else "prose: no long sentence, no misspelled or banned word")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
