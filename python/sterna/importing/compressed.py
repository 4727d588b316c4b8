"""Files that gzip has compressed."""

import contextlib
import gzip
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from sterna.errors import SternaError
from sterna.launching.processes import ended_by_signals

_ENDING = ".gz"
_PIECE = 1 << 20
# Files of coordinates and parameters become three to ten times as large. A file made to exhaust
# memory becomes a thousand times as large.
_MOST_TIMES = 50
_ALWAYS = 64 << 20  # bytes


@contextlib.contextmanager
def unpacked(files: Sequence[Path]) -> Iterator[list[Path]]:
    """Yields these files, or copies of those that are compressed. Errors name the original files.

    The copies are gone after the block, also where SIGTERM ends it. Raises SternaError where a
    file is damaged, or becomes larger than 64 MiB and 50 times its size.
    """
    given: dict[Path, Path] = {}
    with (
        ended_by_signals(),
        tempfile.TemporaryDirectory(prefix="sterna-import-") as folder,
    ):
        found = []
        for n, path in enumerate(files):
            if path.suffix.lower() != _ENDING or not path.is_file():
                found.append(path)
                continue
            copy = Path(folder) / str(n) / path.stem
            copy.parent.mkdir()
            _unpack(path, copy)
            given[copy] = path
            found.append(copy)
        try:
            yield found
        except SternaError as error:
            text = str(error)
            for copy, path in given.items():
                text = text.replace(str(copy), str(path))
            raise SternaError(text, error.status) from error


def _unpack(path: Path, copy: Path) -> None:
    most = max(_ALWAYS, _MOST_TIMES * path.stat().st_size)
    try:
        with gzip.open(path) as packed, copy.open("wb") as plain:
            while piece := packed.read(_PIECE):
                if plain.tell() + len(piece) > most:
                    raise SternaError(
                        f"{path} becomes larger than {most >> 20} MiB when it is unpacked, which is "
                        f"the limit for its size: unpack it (gunzip) if it is to be so",
                        2,
                    )
                plain.write(piece)
    except (OSError, EOFError, zlib.error) as error:
        raise SternaError(f"{path} cannot be unpacked: {error}; is it whole?", status=2) from error
