"""Simulations in the process of Python."""

import warnings
from dataclasses import dataclass
from os import PathLike, fspath
from typing import TYPE_CHECKING

import numpy

from sterna.core import core
from sterna.errors import InputWarning
from sterna.input import Input
from sterna.system import System

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


@dataclass(frozen=True)
class Box:
    """A periodic box with one corner at the origin, in the units of the input."""

    length: numpy.ndarray  #: (3,), of the edges along their axes
    tilt: numpy.ndarray  #: (3,), xy, xz and yz; 0 where the box is orthorhombic

    @property
    def edges(self) -> numpy.ndarray:
        """(3, 3), an edge each row."""
        edges = numpy.diag(self.length)
        edges[1, 0], edges[2, 0], edges[2, 1] = self.tilt
        return edges

    @property
    def volume(self) -> float:
        """Volume of the box."""
        return float(self.length.prod())


class Simulation:
    """A simulation in this process: on one rank, or under a launcher on all of its ranks.

    Under `mpiexec -n 4 python script.py` each rank runs the whole script and makes the same calls.
    The docstring of a method begins with "Collective." where all ranks must call it in the same
    order, with "Local." where any rank may call it alone.

    Numbers are in the units of the input. Particles are in the order of their ids.
    """

    def __init__(
        self,
        input: Input,  # noqa: A002 - the word a user expects
        system: System | None = None,
        *,
        communicator: object = None,
        files: bool = False,
        resume: bool = False,
        overwrite: bool = False,
    ) -> None:
        """Collective. Makes a simulation; the first one in a process starts MPI.

        `system`: the particles, in place of [start]; each rank gives all of them or, of
        `System.from_arrays`, its share (`System.share`). `communicator`: of mpi4py, whose ranks
        take part; default: all ranks. `files`: also write the files that the input asks for, as
        `sterna run` does; then `resume` continues from the latest valid checkpoint, and `overwrite`
        removes what an earlier run left.

        Raises InputError with all that is wrong with the input, and SternaError where a file cannot
        be read or written.
        """
        self._make(input, system, communicator, files, resume, overwrite, "")

    def _make(
        self,
        settings: Input,
        system: System | None,
        communicator: object,
        files: bool,
        resume: bool,
        overwrite: bool,
        checkpoint: str,
    ) -> None:
        if not isinstance(settings, Input):
            raise TypeError(f"Simulation: expected a sterna.Input, got {settings!r}")
        particles = None
        if system is not None:
            settings, particles = system._complete(settings)
        self._input = settings
        self._core = core().Simulation(
            settings.text,
            settings._name,
            settings._from_file,
            particles,
            _address_of(communicator),
            files,
            resume,
            overwrite,
            checkpoint,
        )
        if self._core.rank == 0 and particles is None:
            _warn(settings)

    @classmethod
    def from_file(cls, path: str | PathLike, **options: object) -> "Simulation":
        """Collective. Any input that `sterna run` takes; `options`: those of `Simulation`.

        Unlike `sterna run` it writes no files unless `files=True`.
        """
        return cls(Input.read(path), **options)

    @classmethod
    def resume(
        cls,
        path: str | PathLike,
        input: Input,  # noqa: A002
        system: System | None = None,
        *,
        communicator: object = None,
    ) -> "Simulation":
        """Collective. Goes on from a file of `save` or a checkpoint of a run.

        `input` and `system` are those that the saved simulation was made from; settings such as the
        time step may differ. On as many ranks it goes on with the same bits. Raises SternaError
        where the file is damaged or of another system.
        """
        made = cls.__new__(cls)
        made._make(input, system, communicator, False, False, False, fspath(path))
        return made

    # What it is. Local; the same on all ranks.

    @property
    def input(self) -> Input:
        """Local. What the simulation was made from."""
        return self._input

    @property
    def rank(self) -> int:
        """Local. The number of this rank."""
        return self._core.rank

    @property
    def ranks(self) -> int:
        """Local. How many ranks take part."""
        return self._core.ranks

    @property
    def units(self) -> str:
        """Local. "reduced", "nano", "metal" or "real": those of all numbers."""
        return self._core.units

    @property
    def step(self) -> int:
        """Local. Steps since the start."""
        return self._core.step

    @property
    def time(self) -> float:
        """Local. Since the start."""
        return self._core.time

    @property
    def box(self) -> Box:
        """Local. The box as it is now."""
        length, tilt = self._core.box
        return Box(numpy.array(length), numpy.array(tilt))

    @property
    def particle_count(self) -> int:
        """Local. Particles on all ranks."""
        return self._core.particle_count

    @property
    def type_names(self) -> list[str]:
        """Local. Names of the types or components, in the order of their numbers."""
        return self._core.type_names

    @property
    def thermo(self) -> dict[str, float]:
        """Local. What a row of the log says, of the last step of `run` or of `measure`.

        "temperature", "pressure", "potential_energy" and so on: energies are totals. Zeros before
        the first `run` or `measure`.
        """
        return dict(self._core.values)

    @property
    def energies(self) -> dict[str, float]:
        """Local. Parts of the potential energy by force term, of the same step as `thermo`."""
        return {name: energy for name, (energy, _) in self._core.terms.items()}

    @property
    def virials(self) -> dict[str, float]:
        """Local. Sums of r.f over pairs by force term, of the same step as `thermo`."""
        return {name: v for name, (_, v) in self._core.terms.items() if v is not None}

    # What it does.

    def run(self, steps: int | str) -> None:
        """Collective. Runs so many steps, or a time such as "1 ns"; again and again.

        The numbers do not depend on how a run is cut into parts. Ctrl-C ends it after a step that
        all ranks agree on: KeyboardInterrupt is raised on all ranks, and the simulation can go on.
        Raises UnstableRun where the energy leaves all bounds, ValueError for a time that is no
        whole number of steps.
        """
        if isinstance(steps, str):
            steps = self._core.steps_of(steps)
        self._core.run(steps)

    def measure(self) -> None:
        """Collective. `thermo`, energies and forces of the particles as they are now."""
        self._core.measure()

    def gather(self, name: str, root: int | None = None) -> numpy.ndarray | None:
        """Collective. A copy of an array of all particles, in the order of ids.

        "position" (n, 3), inside the box; "image" (n, 3), the boxes that were left, so that
        `position + image @ box.edges` is where a particle has gone; "velocity", "force" (n, 3);
        "id", "type" (n,); of rigid molecules also "orientation" (n, 4), quaternions (w, x, y, z),
        "angular_momentum" and "torque" (n, 3). On all ranks, or with `root` on that one: None on
        the others. Raises ValueError for another name.
        """
        return self._core.gather(name, root)

    def set(self, name: str, values: "ArrayLike") -> None:
        """Collective. Gives all particles new positions or velocities.

        `name`: "position" or "velocity"; `values`: (n, 3), in the order of ids, the same on all
        ranks. Positions may lie anywhere. Raises ValueError for other names, shapes, and values
        that are not finite.
        """
        values = numpy.ascontiguousarray(values, float)
        if values.ndim != 2 or values.shape[1] != 3:
            raise ValueError(
                f"set({name!r}): the array has the shape {values.shape}, expected (n, 3)"
            )
        self._core.set(name, values)

    def virial_tensor(self) -> numpy.ndarray:
        """Collective. Sum of r_a f_b over pairs, (3, 3), of the same step as `thermo`."""
        xx, yy, zz, xy, xz, yz = self._core.virial_tensor()
        return numpy.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])

    def save(self, path: str | PathLike) -> None:
        """Collective. Writes a checkpoint, from which `resume` goes on.

        Raises SternaError where that fails.
        """
        self._core.save(fspath(path))

    def close(self) -> None:
        """Collective. Frees what the simulation holds; otherwise that happens when it is dropped."""
        self._core.close()

    def __enter__(self) -> "Simulation":
        """Local."""
        return self

    def __exit__(self, *_: object) -> None:
        """Collective. Closes it."""
        self.close()


def _warn(settings: Input) -> None:
    for finding in settings.check():
        if finding.severity == "warning":
            warnings.warn(str(finding).rstrip("\n"), InputWarning, stacklevel=5)


def _address_of(communicator: object) -> int:
    """Of the MPI_Comm inside a communicator of mpi4py; 0 for None."""
    if communicator is None:
        return 0
    from mpi4py import MPI

    if not isinstance(communicator, MPI.Comm):
        raise TypeError(f"communicator: expected one of mpi4py, got {communicator!r}")
    return MPI._addressof(communicator)
