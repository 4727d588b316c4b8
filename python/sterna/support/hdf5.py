"""HDF5 files, opened to be read: damaged ones are told, and none may read other files."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import h5py

from sterna.errors import SternaError
from sterna.support.damage import reading
from sterna.support.files import require_regular


@contextmanager
def opened(path: str | Path, said: str) -> Iterator[h5py.File]:
    """Opens the file for as long as the block lasts; a run may still be writing it.

    Raises SternaError if the file does not exist or is no HDF5 file. If the block finds an
    unexpected content, the error has the text `said`. A link, external storage or a virtual dataset
    that leads to other files is an error, too, so that a file from a stranger cannot read others.
    """
    require_regular(Path(path))
    try:
        file = h5py.File(path, "r", locking=False)
    except OSError as error:
        reason = f"no HDF5 file: {error}" if Path(path).exists() else "there is no such file"
        raise SternaError(f"{path}: {reason}", 2) from error
    with file, reading(path, said):
        _refuse_other_files(file, path)
        yield file


def _refuse_other_files(file: h5py.File, path: str | Path) -> None:
    """Looks at all links and datasets; soft links lead to others of the same file."""
    waiting: list[h5py.Group] = [file]
    seen = set()
    while waiting:
        group = waiting.pop()
        for name in group:
            place = f"{group.name.rstrip('/')}/{name}"
            link = group.get(name, getlink=True)
            if isinstance(link, h5py.ExternalLink):
                raise SternaError(f"{path}: {place} links to another file, {link.filename!r}", 2)
            if isinstance(link, h5py.SoftLink):
                continue
            item = group[name]
            address = h5py.h5o.get_info(item.id).addr
            if address in seen:
                continue
            seen.add(address)
            if isinstance(item, h5py.Group):
                waiting.append(item)
            elif isinstance(item, h5py.Dataset) and (item.is_virtual or item.external):
                raise SternaError(f"{path}: the numbers of {place} lie in other files", 2)
