"""Files that commands read and write, and the checks before they are opened."""

import os
from collections.abc import Iterable
from pathlib import Path

from sterna.errors import SternaError


def require_regular(path: Path) -> None:
    """Raises SternaError where the path names a pipe or a device: to open one may wait for ever.

    A path that names nothing is left to whoever opens it.
    """
    if path.exists() and not path.is_file() and not path.is_dir():
        raise SternaError(f"{path} is not a regular file, but a device or a pipe", 2)


def replace_text(path: Path, text: str) -> None:
    """Writes a file that appears whole. A link of this name is replaced, and its target stays."""
    unfinished = path.with_name(f".{os.getpid()}.{path.name}")
    try:
        with unfinished.open("x", encoding="utf-8") as file:
            file.write(text)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def require_not_read(outputs: Iterable[Path], inputs: Iterable[Path]) -> None:
    """Raises SternaError where an output is a file that is read, also by another name or a link."""
    read = [path for path in inputs if path.exists()]
    for output in outputs:
        for path in read:
            if output.exists() and os.path.samefile(output, path):
                same = "" if output == path else f", which is the file {path},"
                raise SternaError(
                    f"{output}{same} is read here and would be overwritten; expected another name "
                    "for the output",
                    2,
                )
