"""Calls that all ranks make together, and the communicators that they take part in."""

import os
from collections.abc import Callable
from functools import wraps
from os import PathLike
from pathlib import Path

import numpy

from sterna.errors import SternaError
from sterna.live.core import core
from sterna.live.simulated import Simulated


def in_turn(method: Callable) -> Callable:
    """A local call, during which other threads of this process are refused."""

    @wraps(method)
    def call(self: Simulated, *arguments: object, **keys: object) -> object:
        with core().Turn(method.__name__):
            return method(self, *arguments, **keys)

    return call


def collective(method: Callable) -> Callable:
    """A call of all ranks, during which other threads of this process are refused.

    With STERNA_CHECK_CALLS=1 the ranks compare the call before they make it.
    """

    @wraps(method)
    def call(self: Simulated, *arguments: object, **keys: object) -> object:
        with core().Turn(method.__name__):
            if os.environ.get("STERNA_CHECK_CALLS", "0") not in ("", "0"):
                shown = [_shown(a) for a in arguments]
                shown += [f"{name}={_shown(a)}" for name, a in keys.items()]
                self._core.compare_call(f"calls {method.__name__}({', '.join(shown)})")
            return method(self, *arguments, **keys)

    return call


def _shown(argument: object) -> str:
    """The same text on all ranks that pass the same."""
    if isinstance(argument, numpy.ndarray):
        return f"<array {argument.shape}>"
    if isinstance(argument, int | float | str | PathLike | None):
        return repr(argument)
    return f"<{type(argument).__name__}>"


def require_ranks(ranks: int | None, communicator: object) -> None:
    """ValueError or SternaError where so many ranks cannot be had here."""
    if ranks is None:
        return
    if isinstance(ranks, bool) or not isinstance(ranks, int) or ranks < 1:
        raise ValueError(f"ranks is {ranks!r}, expected a whole number from 1 on")
    if communicator is not None:
        raise ValueError("expected ranks or a communicator, not both")
    there = core().world()[1]
    if there != ranks:
        raise SternaError(
            f"{ranks} ranks were asked for, but this runs under a launcher with {there}: "
            "leave the number of ranks out"
        )


def address_of(communicator: object) -> int:
    """Returns the address of the MPI_Comm inside a communicator of mpi4py; 0 for None."""
    if communicator is None:
        return 0
    try:
        from mpi4py import MPI
    except ImportError:
        MPI = None  # noqa: N806
    if MPI is None or not isinstance(communicator, MPI.Comm):
        raise TypeError(f"communicator: expected one of mpi4py, got {communicator!r}")
    core()
    libraries = mpi_libraries()
    if len(libraries) > 1:
        raise SternaError(
            "communicator: mpi4py and Sterna use different MPI libraries in this process, "
            f"{' and '.join(libraries)}: let mpi4py use that of Sterna (MPI4PY_MPIABI=openmpi, or "
            "an mpi4py that was built with it)"
        )
    return MPI._addressof(communicator)


def mpi_libraries() -> list[str]:
    """Local. Files of MPI's C library that this process has loaded."""
    found = set()
    for line in Path("/proc/self/maps").read_text(errors="replace").splitlines():
        path = line.split(maxsplit=5)[5] if line.count(" ") >= 5 and "/" in line else ""
        if Path(path).name.startswith(("libmpi.so", "libmpich.so", "libmpi_abi.so")):
            found.add(str(Path(path).resolve()))
    return sorted(found)
