#!/usr/bin/env python3
"""Looks where programs and libraries have the loader look for libraries.

    run_paths.py FOLDER_OR_FILE ...

A run path (RPATH or RUNPATH of ELF) with an empty or relative entry makes the loader take libraries
from the folder in which somebody starts the program. Prints each such file; the status is 1 if there
is one, or if there is no file of ELF at all.
"""

import struct
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

_EXECUTABLE, _SHARED = 2, 3  # e_type
_LOAD, _DYNAMIC = 1, 2  # p_type
_STRINGS, _RPATH, _RUNPATH = 5, 15, 29  # d_tag


def run_paths(path: Path) -> list[str] | None:
    """The run paths of a program or library (64 bits, this machine's order of bytes), else None."""
    with path.open("rb") as file:
        head = file.read(64)
        if len(head) < 64 or head[:5] != b"\x7fELF\x02":
            return None
        kind = struct.unpack_from("=H", head, 16)[0]
        if kind not in (_EXECUTABLE, _SHARED):
            return None
        data = head + file.read()
    (table,), (size, count) = (
        struct.unpack_from("=Q", data, 32),
        struct.unpack_from("=HH", data, 54),
    )
    # Type, offset in the file, address in memory, bytes in the file.
    segments = [struct.unpack_from("=I4xQQ8xQ", data, table + size * n) for n in range(count)]

    def offset_of(address: int) -> int:
        for kind, offset, start, length in segments:
            if kind == _LOAD and start <= address < start + length:
                return offset + address - start
        raise ValueError(f"{path}: no segment has the address {address:#x}")

    entries = [
        struct.unpack_from("=qQ", data, offset + at)
        for kind, offset, _, length in segments
        if kind == _DYNAMIC
        for at in range(0, length, 16)
    ]
    strings = [offset_of(value) for tag, value in entries if tag == _STRINGS]
    found = []
    for tag, value in entries:
        if tag in (_RPATH, _RUNPATH):
            start = strings[0] + value
            found.append(data[start : data.index(b"\0", start)].decode(errors="replace"))
    return found


def faults(path: str) -> list[str]:
    """Entries of a run path that depend on the working folder."""
    return [
        f'the entry "{entry}"'
        for entry in path.split(":")
        if not entry.startswith(("/", "$ORIGIN", "${ORIGIN}"))
    ]


def files_of(places: Iterable[Path]) -> Iterator[Path]:
    for place in places:
        found = place.rglob("*") if place.is_dir() else [place]
        yield from (path for path in found if path.is_file() and not path.is_symlink())


def main(places: list[str]) -> int:
    looked_at, faulty = 0, 0
    for path in files_of(map(Path, places)):
        found = run_paths(path)
        if found is None:
            continue
        looked_at += 1
        for run_path in found:
            for fault in faults(run_path):
                faulty += 1
                print(f'{path}: {fault} of the run path "{run_path}" is the working folder\'s')
    print(f"{looked_at} programs and libraries, {faulty} faults")
    return 1 if faulty or not looked_at else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
