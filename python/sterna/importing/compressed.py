"""Files that gzip has compressed."""

import contextlib
import gzip
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from sterna.errors import SternaError

_ENDING = ".gz"


@contextlib.contextmanager
def unpacked(files: Sequence[Path]) -> Iterator[list[Path]]:
    """These files; copies of those that are compressed. Errors name the files that were given."""
    given: dict[Path, Path] = {}
    with tempfile.TemporaryDirectory(prefix="sterna-import-") as folder:
        found = []
        for n, path in enumerate(files):
            if path.suffix.lower() != _ENDING or not path.is_file():
                found.append(path)
                continue
            copy = Path(folder) / str(n) / path.stem
            copy.parent.mkdir()
            try:
                with gzip.open(path) as packed, copy.open("wb") as plain:
                    shutil.copyfileobj(packed, plain)
            except (OSError, EOFError) as error:
                raise SternaError(
                    f"{path} cannot be unpacked: {error}; is it whole?", status=2
                ) from error
            given[copy] = path
            found.append(copy)
        try:
            yield found
        except SternaError as error:
            text = str(error)
            for copy, path in given.items():
                text = text.replace(str(copy), str(path))
            raise SternaError(text, error.status) from error
