#!/usr/bin/env python3
"""Packs a folder of small test files into one text file that git can compare, or unpacks it.

Usage: archive.py unpack ARCHIVE FOLDER
       archive.py pack FOLDER ARCHIVE

A file is a line `-- NAME --` and its lines. Of a file that does not end with the end of a line that
line is `-- NAME (without a last line end) --`. Where a file has other bytes than printable ones of
ASCII, tabs and line ends, they stand as `\\xHH`, as do backslashes, and its line is
`-- NAME (with bytes as \\xHH) --`. Files are in the order of their names.
tests/support/archive.hpp reads and writes the same.
"""

import re
import sys
from pathlib import Path

UNENDED = " (without a last line end)"
ESCAPED = " (with bytes as \\xHH)"
HEAD = re.compile(rb"(?m)^-- (.*) --\n")


def unpacked(archive: bytes) -> dict[str, bytes]:
    """The files of an archive by name."""
    _, *parts = HEAD.split(archive)
    found = {}
    for head, text in zip(parts[::2], parts[1::2], strict=True):
        name = head.decode()
        if name.endswith(ESCAPED):
            name = name.removesuffix(ESCAPED)
            text = re.sub(rb"\\x([0-9a-f]{2})", lambda hit: bytes([int(hit[1], 16)]), text)
        if name.endswith(UNENDED):
            name, text = name.removesuffix(UNENDED), text[:-1]
        found[name] = text
    return found


def packed(files: dict[str, bytes]) -> bytes:
    """The archive of files by name."""
    made = []
    for name, text in sorted(files.items()):
        head = name
        ended = text.endswith(b"\n")
        if not ended:
            head += UNENDED
        if re.search(rb"[^\n\t -~]", text):
            head += ESCAPED
            text = re.sub(rb"[^\n\t -\[\]-~]", lambda hit: b"\\x%02x" % hit[0][0], text)
        elif HEAD.search(text):
            raise SystemExit(f"{name} has a line that looks like the head of a file")
        made.append(f"-- {head} --\n".encode() + text + (b"" if ended else b"\n"))
    return b"".join(made)


def main() -> None:
    verb, source, target = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    if verb == "unpack":
        target.mkdir(parents=True, exist_ok=True)
        for name, text in unpacked(source.read_bytes()).items():
            (target / name).write_bytes(text)
    else:
        target.write_bytes(packed({path.name: path.read_bytes() for path in source.iterdir()}))


if __name__ == "__main__":
    main()
