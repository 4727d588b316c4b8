"""The folder of a run: what launcher and MPI keep in files, for as long as the run goes on.

It lies in shared memory (/dev/shm), is readable by its owner only, and is locked (flock, shared) by
the processes that use it. So the next start of the same user can tell the folders that killed runs
left behind, and removes them.
"""

import fcntl
import os
import re
import shutil
import tempfile
import time
from pathlib import Path

PREFIX = "sterna-session-"
VARIABLE = "STERNA_SESSION"  # names the folder to the ranks
SHARED_MEMORY = Path("/dev/shm")
# A rank's segment of Open MPI is 16 MiB; PMIx and windows take a few more.
_BYTES_PER_RANK = 24 << 20
_BYTES_PER_RUN = 16 << 20
_MPICH_SEGMENT = "mpich_shm_"
_UNTIL_MAPPED = 10.0  # seconds that MPICH may take between making a segment and mapping it


def _parents() -> list[Path]:
    return list(dict.fromkeys([SHARED_MEMORY, Path(tempfile.gettempdir())]))


def bytes_needed(ranks: int) -> int:
    """Returns the bytes that a run of `ranks` ranks takes in its folder and in shared memory."""
    return ranks * _BYTES_PER_RANK + _BYTES_PER_RUN


def _parent_for(ranks: int) -> Path:
    """Shared memory; the folder for temporary files where that is missing or too small."""
    try:
        free = shutil.disk_usage(SHARED_MEMORY).free
    except OSError:
        free = 0
    enough = free >= bytes_needed(ranks)
    usable = enough and os.access(SHARED_MEMORY, os.W_OK | os.X_OK)
    return SHARED_MEMORY if usable else Path(tempfile.gettempdir())


def _mapped(prefix: str) -> set[str]:
    """The files whose path begins so that processes of this user have in their memory."""
    found = set()
    for entry in Path("/proc").iterdir():
        try:
            lines = (entry / "maps").read_text(errors="replace") if entry.name.isdigit() else ""
        except OSError:
            continue  # the process ended meanwhile, or belongs to another user
        found |= {prefix + part.split("\n", 1)[0] for part in lines.split(prefix)[1:]}
    return found


def _remove_segments_of_mpich() -> None:
    """Removes the shared memory that killed ranks of MPICH left, which cannot be in a folder."""
    found = list(SHARED_MEMORY.glob(f"{_MPICH_SEGMENT}*"))
    mapped = _mapped(f"{SHARED_MEMORY}/{_MPICH_SEGMENT}") if found else set()
    for path in found:
        try:
            status = path.stat()
            unused = time.time() - status.st_mtime > _UNTIL_MAPPED and str(path) not in mapped
            if unused and status.st_uid == os.getuid():
                path.unlink()
        except OSError:
            continue  # Another start has removed it.


def remove_abandoned() -> None:
    """Removes the folders of this user whose processes are gone, and MPICH's segments."""
    _remove_segments_of_mpich()
    for parent in _parents():
        for path in parent.glob(f"{PREFIX}*"):
            try:
                folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            except OSError:
                continue
            try:
                # The lock is held until the folder is gone, so that nobody takes it over meanwhile.
                if os.fstat(folder).st_uid == os.getuid():
                    fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(path, ignore_errors=True)
            except OSError:
                pass  # the folder is in use
            finally:
                os.close(folder)


def _lock_if_it_stays(path: Path) -> int:
    """Opens the folder and locks it (shared); returns its descriptor.

    Raises BlockingIOError while another start holds the lock in order to remove the folder, and
    FileNotFoundError once it is removed.
    """
    folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(folder, fcntl.LOCK_SH | fcntl.LOCK_NB)
        os.stat(path)
    except OSError:
        os.close(folder)
        raise
    return folder


class Session:
    """A folder of its own for a run of `ranks` ranks; a context manager that removes it."""

    def __init__(self, ranks: int) -> None:
        remove_abandoned()
        parent = _parent_for(ranks)
        while True:
            self.path = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent))
            try:
                self.lock = _lock_if_it_stays(self.path)
                break
            except (BlockingIOError, FileNotFoundError):
                pass  # Another start took the folder, not locked yet, for an abandoned one.

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.path, ignore_errors=True)
        os.close(self.lock)

    def environment(self) -> dict[str, str]:
        """Returns the variables by which the launcher and the ranks find the folder."""
        return {
            VARIABLE: str(self.path),
            "PRTE_MCA_prte_tmpdir_base": str(self.path),
            "OMPI_MCA_orte_tmpdir_base": str(self.path),
        }

    def loader_name(self, library: Path) -> Path:
        """A name of the library for LD_PRELOAD, whose entries end at blanks and colons."""
        if not re.search(r"[\s:]", str(library)):
            return library
        link = self.path / library.name
        link.symlink_to(library)
        return link

    def processes(self) -> list[int]:
        """Returns the processes of the run except this one, even if their parents have ended."""
        mark = f"{VARIABLE}={self.path}".encode()
        found = []
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit() or int(entry.name) == os.getpid():
                continue
            try:
                if mark in (entry / "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
            except OSError:
                continue  # the process ended meanwhile, or belongs to another user
        return found
