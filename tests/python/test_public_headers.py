"""What a program of C++ compiles when it includes a public header.

A header may add at most ten thousand lines of preprocessed text to a program that uses the types of
the interfaces themselves: texts, vectors, spans, functions and pointers of the standard library, and
<cmath>. These alone are some 88 thousand lines with GCC 12, so that no interface that has them could
stay below ten thousand."""

import json
import os
import shlex
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from added_code import build_folder
from conftest import ROOT

pytestmark = pytest.mark.long

VOCABULARY = [
    "array",
    "cmath",
    "cstdint",
    "functional",
    "map",
    "memory",
    "optional",
    "span",
    "stdexcept",
    "string",
    "string_view",
    "variant",
    "vector",
]
MOST_LINES = 10_000
# Those that give coroutines, ranges and queues to their users by templates.
TEMPLATES = {"channel.hpp": 12_000, "messenger.hpp": 12_000}


def headers() -> list[Path]:
    build = build_folder()
    return sorted((ROOT / "include" / "sterna" / "comm").glob("*.hpp")) + sorted(
        (build / "src" / "md" / "include" / "sterna" / "md").glob("*.hpp")
    )


def compiler(build: Path) -> str:
    commands = json.loads((build / "compile_commands.json").read_text())
    words = shlex.split(commands[0]["command"])
    return next(word for word in words if not word.endswith("ccache"))


def lines_of(includes: list[str], build: Path) -> int:
    """All lines of the preprocessed text."""
    done = subprocess.run(
        [
            *(compiler(build), "-std=c++20", "-E", "-x", "c++"),
            *(f"-I{ROOT / 'include'}", f"-I{build / 'src' / 'md' / 'include'}", "-"),
        ],
        input="".join(f"#include {include}\n" for include in includes),
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.count("\n")


def test_no_public_header_adds_more_than_ten_thousand_lines():
    build = build_folder()
    vocabulary = [f"<{name}>" for name in VOCABULARY]
    base = lines_of(vocabulary, build)

    def added_by(header: Path) -> int:
        name = f"<sterna/{header.parent.name}/{header.name}>"
        return lines_of([*vocabulary, name], build) - base

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        added = dict(zip(headers(), pool.map(added_by, headers()), strict=True))
    assert len(added) > 60
    assert {"simulation.hpp", "context.hpp"} <= {header.name for header in added}
    too_long = {
        header.name: lines
        for header, lines in added.items()
        if lines > TEMPLATES.get(header.name, MOST_LINES)
    }
    assert too_long == {}
