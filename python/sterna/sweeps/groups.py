"""Sweeps inside of a batch job: groups of ranks of a launcher, each of which makes one run at a time."""

import os
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sterna.errors import SternaError
from sterna.launching.launch import joined_ranks

_LAUNCHERS = ("OMPI_", "PMIX_", "PMI_", "PRTE_", "SLURM_", "HYDRA_", "MPI_LOCAL")
_UNTIL_THERE = 60.0  #: seconds in which all processes of a group have begun


@dataclass(frozen=True)
class Place:
    """The position of this process among those that a launcher has started."""

    rank: int
    size: int
    job: str  #: the same for all that the launcher has started on this node, and no other's

    def leads(self, ranks: int) -> bool:
        """Whether it is the first of a group of so many, which makes their runs."""
        return self.rank % ranks == 0


def place_of_launcher(environment: Mapping[str, str] = os.environ) -> Place | None:
    """Raises SternaError where there is a launcher that does not tell its ranks."""
    size = joined_ranks(environment)
    if size is None:
        return None
    rank = next(
        (
            environment[name]
            for name in ("OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID")
            if name in environment
        ),
        None,
    )
    size = size or int(environment.get("SLURM_STEP_NUM_TASKS", 0))
    if rank is None or size < 1:
        raise SternaError("the launcher does not tell how many ranks it has started")
    return Place(int(rank), size, f"{socket.gethostname()}-{os.getppid()}")


def gather_cores(place: Place, ranks: int, folder: Path) -> bool:
    """Gives the cores of a group to the process that leads it; returns whether this one does.

    Collective over the group, whose processes share `folder` and are on one node. Raises
    SternaError where they are not.
    """
    if place.size % ranks:
        raise SternaError(
            f"the launcher has {place.size} ranks, which are no groups of {ranks} (`ranks` of the study)"
        )
    if ranks == 1:
        return True
    mine = folder / f".cores-{place.job}-{place.rank}"
    if not place.leads(ranks):
        temporary = mine.with_name(f"{mine.name}.new")
        temporary.write_text(" ".join(map(str, os.sched_getaffinity(0))))
        temporary.replace(mine)
        return False
    cores = set(os.sched_getaffinity(0))
    for other in range(place.rank + 1, place.rank + ranks):
        cores |= _cores_of(folder / f".cores-{place.job}-{other}", other)
    os.sched_setaffinity(0, cores)
    return True


def _cores_of(path: Path, rank: int) -> set[int]:
    end = time.monotonic() + _UNTIL_THERE
    while not path.is_file():
        if time.monotonic() > end:
            raise SternaError(
                f"rank {rank} of the launcher is not on this node: the ranks of a run must be on one "
                "node, so let the launcher start a multiple of them on each"
            )
        time.sleep(0.02)
    found = {int(core) for core in path.read_text().split()}
    path.unlink()
    return found


def without_launcher(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The environment of a run that starts ranks of its own."""
    return {name: value for name, value in environment.items() if not name.startswith(_LAUNCHERS)}
