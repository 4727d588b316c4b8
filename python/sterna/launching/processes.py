"""Processes of this machine: who started whom, their states, signals that they have not taken."""

import contextlib
import ctypes
import os
import signal
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path


def die_with_parent(number: int = signal.SIGTERM) -> None:
    """Called in a child process: sends it this signal when the process that started it has ended in
    any way.
    """
    set_parent_death_signal = 1
    ctypes.CDLL(None).prctl(set_parent_death_signal, number)


@contextlib.contextmanager
def ended_by_signals() -> Iterator[None]:
    """In the block SIGTERM and SIGHUP end the process by SystemExit, so that it can tidy up.

    Only where they have their default action, and in the main thread; elsewhere nothing changes.
    """

    def end(number: int, _: object) -> None:
        raise SystemExit(128 + number)

    changed = []
    if threading.current_thread() is threading.main_thread():
        numbers = (signal.SIGTERM, signal.SIGHUP)
        changed = [n for n in numbers if signal.getsignal(n) is signal.SIG_DFL]
    for number in changed:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in changed:
            signal.signal(number, signal.SIG_DFL)


def descendants(pid: int) -> list[int]:
    """Processes started by `pid`, their children and so on."""
    found = []
    tasks = Path(f"/proc/{pid}/task")
    try:
        names = os.listdir(tasks)
    except OSError:
        return found  # the process has ended
    for name in names:
        try:
            children = (tasks / name / "children").read_text(encoding="ascii").split()
        except OSError:
            continue
        for child in map(int, children):
            found += [child, *descendants(child)]
    return found


def runs(pid: int, program: Path) -> bool:
    """Whether the process runs this program (an absolute path without links)."""
    try:
        return Path(f"/proc/{pid}/exe").readlink() == program
    except OSError:
        return False  # the process has ended


def has_ended(pid: int) -> bool:
    """Whether the process is gone, or only waits for whoever started it to notice."""
    return _status(pid).get("State", "Z")[:1] in ("Z", "X")


def sleeps(pid: int) -> bool:
    """Whether all threads of the process wait for something that may never come."""
    threads = [path.name for path in Path(f"/proc/{pid}/task").glob("*")]
    return all(_status(pid, thread).get("State", "")[:1] == "S" for thread in threads)


def ticks_used(pid: int) -> int:
    """Time of processors that the process has used, in ticks of the system's clock."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return 0
    # The name, in parentheses, may contain spaces.
    user, system = text.rpartition(")")[2].split()[11:13]
    return int(user) + int(system)


def is_stopped(pid: int) -> bool:
    """Whether a signal (SIGSTOP, Ctrl-Z) has stopped the process."""
    return _status(pid).get("State", "")[:1] in ("T", "t")


def pending_signals(pid: int) -> set[int]:
    """Signals sent to the process that it blocks."""
    mask = int(_status(pid).get("ShdPnd", "0"), 16)
    return {number for number in range(1, 65) if mask >> (number - 1) & 1}


def _status(pid: int, thread: int | str = "") -> dict[str, str]:
    folder = Path(f"/proc/{pid}/task/{thread}" if thread else f"/proc/{pid}")
    try:
        text = (folder / "status").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return {}
    return {
        name: value.strip()
        for name, _, value in (line.partition(":") for line in text.splitlines())
    }


def send(pids: Iterable[int], *numbers: int) -> None:
    """Sends the signals to the processes that still exist."""
    for pid in pids:
        for number in numbers:
            try:
                os.kill(pid, number)
            except OSError:
                break
