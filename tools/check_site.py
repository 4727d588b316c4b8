#!/usr/bin/env python3
"""Checks a built site: its search finds every input key, method, potential, thermostat and model.

Usage: check_site.py SITE STERNA_MD; prints what is not found and exits with 1. ./dev docs runs it.
"""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path


def _said(program: str, option: str) -> dict:
    done = subprocess.run([program, option], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def keys_of(schema: object) -> Iterator[str]:
    """The names of all sections and keys of a JSON Schema, and its words to choose from."""
    if isinstance(schema, dict):
        if isinstance(schema.get("properties"), dict):
            yield from schema["properties"]
        yield from (word for word in schema.get("enum", ()) if isinstance(word, str))
        for value in schema.values():
            yield from keys_of(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from keys_of(value)


def names_of(table: object) -> Iterator[str]:
    """The values of all keys "name"."""
    if isinstance(table, dict):
        if isinstance(table.get("name"), str):
            yield table["name"]
        for value in table.values():
            yield from names_of(value)
    elif isinstance(table, list):
        for value in table:
            yield from names_of(value)


def main() -> int:
    """Returns the exit status."""
    site, program = Path(sys.argv[1]), sys.argv[2]
    index = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))
    found = {
        word
        for entry in index["docs"]
        for word in re.findall(r"\w+", f"{entry['title']} {entry['text']}")
    }
    wanted = {
        *keys_of(_said(program, "--schema")),
        *names_of(_said(program, "--method-table")),
        *names_of(_said(program, "--model-table")),
    }
    missing = [name for name in sorted(wanted) if not set(re.findall(r"\w+", name)) <= found]
    if missing:
        print(f"the search of the site does not find: {', '.join(missing)}", file=sys.stderr)
        return 1
    print(f"search finds all {len(wanted)} names of the input, of methods and of models")
    return 0


if __name__ == "__main__":
    sys.exit(main())
