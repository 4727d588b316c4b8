"""Simulations in the process of Python."""

import atexit
import operator
import warnings
import weakref
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING

import numpy

from sterna.errors import InputWarning, SternaError
from sterna.live.box import Box
from sterna.live.callbacks import Callbacks, Force, Observer
from sterna.live.collective import address_of, collective, in_turn, require_ranks
from sterna.live.core import core
from sterna.live.factory import Factory
from sterna.live.frame import View
from sterna.live.input import Input
from sterna.live.parameters import Changes
from sterna.live.system import System
from sterna.results.log import Log
from sterna.support.arrays import finite
from sterna.support.fixed import Fixed
from sterna.support.progress import RunProgress, shown_interactively

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


#: Arrays of particles that `Simulation.set` changes.
_SETTABLE = ("position", "velocity", "orientation", "angular_momentum")
_MOST_STEPS = 10**15  # the limit for a run, as in an input
_MOST_COMPONENTS = 1000  # of an added field


class Simulation(Callbacks, Changes, Fixed, metaclass=Factory):
    """A simulation in this process: on one rank, or under a launcher on all of its ranks.

    Under `mpiexec -n 4 python script.py` each rank runs the whole script and makes the same calls.
    The docstring of a method begins with "Collective." where all ranks must call it in the same
    order, with "Local." where any rank may call it alone. With the environment variable
    STERNA_CHECK_CALLS=1 ranks that make different calls end with an error instead of a hang.

    Where no launcher is, `ranks` starts workers, which hold the particles: see `WorkerSimulation`.

    Numbers are in the units of the input. Particles are in the order of their ids.

    Simulations and exchanges of a process serve one thread at a time: where another thread is in a
    call, each attribute and method raises SternaError. With workers a second thread waits.
    """

    _instead = "set, set_box and change are there for what can be changed"
    _instead_of = {  # noqa: RUF012
        **{name: f'call set("{name}", values)' for name in _SETTABLE},
        "box": "call set_box(length, tilt)",
        "particle_fields": "call add_particle_field(name), and set(name, values)",
        "force": "forces follow from positions; a term is added by @simulation.force",
        "input": "call change(...), or make another Simulation",
        **{
            name: f"set the keys of its sections, as in simulation.{name}[0].KEY, or call change"
            for name in ("thermostats", "types", "pairs", "fields", "walls")
        },
        **{
            name: f"set its keys, as in simulation.{name}.KEY, or call change"
            for name in ("barostat", "interaction")
        },
    }

    def __init__(
        self,
        input: Input,  # noqa: A002 - the word a user expects
        system: System | None = None,
        *,
        communicator: object = None,
        ranks: int | None = None,
        files: bool = False,
        resume: bool = False,
        overwrite: bool = False,
    ) -> None:
        """Collective. Makes a simulation; the first one in a process starts MPI.

        `system`: the particles, in place of [start]; each rank gives all of them or, of
        `System.from_arrays`, its share (`System.share`). `communicator`: of mpi4py, whose ranks
        take part; default: all ranks. `ranks`: how many workers to start; under a launcher, how
        many ranks there must be. `files`: also write the files that the input asks for, as
        `sterna run` does; then `resume` continues from the latest valid checkpoint, and `overwrite`
        removes what an earlier run left.

        Raises InputError with all that is wrong with the input, and SternaError where a file cannot
        be read or written.
        """
        require_ranks(ranks, communicator)
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
        if system is not None and not isinstance(system, System):
            raise TypeError(f"Simulation: expected a sterna.System, got {system!r}")
        particles = None
        if system is not None:
            settings, particles = system._complete(settings)
        if files:
            _require_for_exports(settings)
        self._input = settings
        self._changed: Input | None = None  # for the next run
        self._particles = particles
        self._communicator = communicator
        self._files = files
        self._observers: list[Observer] = []
        self._forces: list[Force] = []
        self._has_virials = True  # true if all force terms in Python have virials
        self._rows: dict[int, dict] = {}
        self._failed = False  # true if `run` has failed, so that its files have no proper end
        self._viewed = False
        self._callback = ""  # the one that is called now
        self._gathers = False  # whether in it all of the step is there
        self._core = core().Simulation(
            settings.text,
            settings._name,
            settings._from_file,
            particles,
            address_of(communicator),
            files,
            resume,
            overwrite,
            checkpoint,
        )
        if self._core.rank == 0 and particles is None:
            _warn(settings)
        self._pass_on_warnings(stacklevel=4)
        self._at_end: weakref.finalize | None = None
        self._write_at_end()
        self._observe_all()

    def _pass_on_warnings(self, stacklevel: int) -> None:
        """Local. Passes on the engine's warnings, such as masses of a start file that are not
        used.
        """
        for text in self._core.take_warnings():
            if self._core.rank == 0:
                warnings.warn(text.rstrip("\n"), InputWarning, stacklevel=stacklevel + 1)

    def _write_at_end(self) -> None:
        """Local. Whatever becomes of this simulation, the report and exports are written."""
        if self._at_end is not None:
            self._at_end.detach()
            self._at_end = None
        if self._core.rank != 0:
            return
        report, exports = self._core.report_path, self._core.export_paths
        if not report and not exports:
            return
        # Modules cannot be loaded any more where these are written when Python ends.
        import h5py  # noqa: F401

        import sterna.exporting.command
        import sterna.report  # noqa: F401
        from sterna.runs.at_end import write_at_end

        self._at_end = weakref.finalize(
            self, _write_at_end, write_at_end, self._core, report, exports
        )

    @classmethod
    def from_file(
        cls, path: str | PathLike, *, stage: str | None = None, **options: object
    ) -> "Simulation":
        """Collective. Any input that `sterna run` takes; `options`: those of `Simulation`.

        Unlike `sterna run` it writes no files unless `files=True`. `stage`: of an input with
        stages the one to make, which begins with the checkpoint of the one before it. Raises
        KeyError where there is no such stage.
        """
        settings = Input.read(path)
        if stage is not None:
            settings = settings.stage(stage)
        elif settings.stages:
            names = ", ".join(settings.stages)
            raise SternaError(
                f"{fspath(path)} has stages: name one of them, as in stage={settings.stages[0]!r} "
                f"(there are: {names}); sterna.run runs all of them",
                2,
            )
        return cls(settings, **options)

    @classmethod
    def resume(
        cls,
        path: str | PathLike,
        input: Input,  # noqa: A002
        system: System | None = None,
        *,
        communicator: object = None,
        ranks: int | None = None,
    ) -> "Simulation":
        """Collective. Goes on from a file of `save` or a checkpoint of a run.

        `input` and `system` are those that the saved simulation was made from; settings such as the
        time step may differ. On as many ranks it goes on with the same bits. Force terms in Python
        are not in the file: `run` raises SternaError with their names until they are added again.
        Raises SternaError where the file is damaged or of another system.
        """
        kind = cls.kind_for(ranks)
        made = kind.__new__(kind)
        made._resume(fspath(path), input, system, communicator, ranks)
        return made

    def _resume(
        self,
        path: str,
        settings: Input,
        system: System | None,
        communicator: object,
        ranks: int | None,
    ) -> None:
        require_ranks(ranks, communicator)
        self._make(settings, system, communicator, False, False, False, path)

    # What it is. Local; the same on all ranks.

    @property
    def input(self) -> Input:
        """Local. The input of the simulation, with later changes."""
        return self._changed or self._input

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
        """Local. The units of all numbers: "reduced", "nano", "metal" or "real"."""
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
        """Local. The values of a row of the log, for the last step of `run` or of `measure`.

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

    @property
    def log(self) -> Log:
        """Local. Rows of `thermo` every `thermo_interval` steps, with what observers returned.

        A column, such as `simulation.log["temperature"]`, is an array over the rows.
        """
        with core().Turn("log"):
            return Log([{"event": "thermo", **row} for row in self._rows.values()])

    @contextmanager
    def view(self, write: str | Iterable[str] = ()) -> Iterator[View]:
        """Collective, at the beginning and at the end of the block. This rank's arrays as they are.

        >>> with simulation.view() as v:
        ...     highest = v.position[:, 2].max()

        No copies are made, except of orientations, angular momenta and torques where only some
        particles turn: see `View` for the arrays. They are read-only. `write`: the names of
        those that may be written, "velocity" and, of rigid molecules, "angular_momentum":

        >>> with simulation.view(write="velocity") as v:
        ...     v.velocity[:] *= 0.5

        The next `run` or `measure` then rebuilds lists and computes forces, on all ranks. Inside the block
        `run`, `set`, `save` and the like raise SternaError. Raises ValueError where `write` has
        other names, and at the end of the block where what was written is not finite; then
        RemoteError on the other ranks.
        """
        with core().Turn("view"):
            self._require_free("view")
            self._apply_changes()
            core_view = core().View(self._core, {write} if isinstance(write, str) else set(write))
            view = View(core_view)
            self._viewed = True
            try:
                yield view
            finally:
                self._viewed = False
                view._view = None
                core_view.end()

    def _require_free(self, what: str) -> None:
        if self._callback:
            raise SternaError(f"{what}: inside of a callback ({self._callback}) use its frame")
        if self._viewed:
            raise SternaError(f"{what}: inside of a view the simulation must not change")

    # Actions of the simulation.

    @collective
    def run(
        self,
        steps: int | str | None = None,
        *,
        until: Callable[["Simulation"], bool] | None = None,
        every: int = 1000,
        progress: bool | None = None,
    ) -> None:
        """Collective. Runs so many steps, or a time such as "1 ns"; again and again.

        `until(simulation)` is asked every `every` steps, on all ranks, and ends the run where it
        says True on any of them; then `steps` is the most, and may be missing. `progress`: whether
        rank 0 shows how far it is; default: on a terminal and in a notebook, after a second.

        The numbers do not depend on how a run is cut into parts. Ctrl-C ends it after a step that
        all ranks agree on: KeyboardInterrupt is raised on all ranks, and the simulation can go on.
        Raises UnstableRun where the energy leaves all bounds, ValueError for a time that is no
        whole number of steps.
        """
        self._require_free("run")
        if steps is None and until is None:
            raise ValueError("run: expected a number of steps, a time, or until=...")
        every = whole_number("run: every", every, 1)
        self._apply_changes()
        if steps is not None:
            steps = self._whole_steps(steps)
        if until is not None:
            self._run_until(until, steps, every)
            return
        wanted = shown_interactively() if progress is None else progress
        if not wanted or self.rank != 0:
            self._run(steps, None)
            return
        with RunProgress(self.step, self.step + steps) as show:
            self._run(steps, show)

    def _whole_steps(self, steps: int | str) -> int:
        if isinstance(steps, str):
            return self._steps_of(steps)
        return whole_number("run: steps", steps, 0, 'a whole number or a time such as "1 ns"')

    def _steps_of(self, time: str) -> int:
        return self._core.steps_of(time)

    def _run(self, steps: int, report: Callable[[int], None] | None) -> None:
        """`report(step)` is called on rank 0 a few times a second."""
        self._core.set_progress(report)
        self._failed = True
        try:
            self._core.run(steps)
            self._failed = False
        except KeyboardInterrupt:
            self._failed = False
            raise
        finally:
            self._core.set_progress(None)
        self._pass_on_warnings(stacklevel=4)

    def _run_until(self, until: Callable, steps: int | None, every: int) -> None:
        done, end = False, None if steps is None else self.step + steps
        while not done and (end is None or self.step < end):
            self._run(every if end is None else min(every, end - self.step), None)
            # All ranks go on or stop together.
            asked = self._core.reduce("max", numpy.array([float(bool(until(self)))]))
            done = asked[0] > 0.0

    @collective
    def minimize(self, steps: int = 1000, **keys: object) -> float:
        """Collective. Moves particles downhill in energy, as `integrator = "minimize"` does.

        At most so many steps; `keys` are those of [minimize], such as `force_tolerance`. Velocities
        and `step` stay. Returns the largest component of a force that is left. Raises SternaError
        for rigid molecules and for force terms in Python, which it cannot take along.
        """
        self._require_free("minimize")
        self._apply_changes()
        if self._forces:
            raise SternaError("minimize: this simulation has force terms in Python")
        if "component" in self._input:
            raise SternaError("minimize: rigid molecules also turn; use an input of their own")
        # The start has the present positions, without data that have no meaning for a minimization.
        box, count = self.box, self.particle_count
        changes: dict[str, object] = {"start": None, "thermostat": None, "barostat": None}
        for name in ("limit", "drift_control", "alignment"):
            changes[name] = None
        settings = self._input.replace(
            **changes,
            run={"integrator": "minimize", "steps": steps},
            minimize=keys,
            output={"thermo_interval": None},
        )
        position = self.gather("position")
        part = slice(self.rank * count // self.ranks, (self.rank + 1) * count // self.ranks)
        system = System.from_arrays(
            box.length,
            position[part],
            type=self.gather("type")[part],
            id=self.gather("id")[part],
            tilt=box.tilt,
        )
        with Simulation(settings, system, communicator=self._communicator) as minimization:
            minimization.run(steps)
            found = minimization.gather("position")
            left = minimization.thermo["largest_force"]
        # The shortest path is taken, so that images continue.
        moved = (found - position) @ numpy.linalg.inv(box.edges)
        moved -= numpy.round(moved)
        self.set("position", position + moved @ box.edges + self.gather("image") @ box.edges)
        return left

    @collective
    def measure(self) -> None:
        """Collective. `thermo`, energies and forces of the particles as they are now."""
        self._require_free("measure")
        self._apply_changes()
        self._core.measure()

    @collective
    def energy(self, state: int | None = None) -> float:
        """Collective. The potential energy of the particles as they are now, in a state of the input.

        States are the `[[state]]`s, each with its biases and its state of `[alchemy]`, or where there
        are none those of `[alchemy]`. They are counted from 0. Without a number it is the energy in
        the state of the run. Raises ValueError where there is no such state.
        """
        self._require_free("energy")
        self._apply_changes()
        if state is None:
            self._core.measure()
            return dict(self._core.values)["potential_energy"]
        state = whole_number("energy: state", state, 0)
        count = self._core.state_count
        if state >= count:
            there = f"there are {count}, counted from 0" if count else "the input has no states"
            raise ValueError(f"energy: the state is {state}, but {there}")
        return self._core.energy(state)

    @collective
    def gather(self, name: str, root: int | None = None) -> numpy.ndarray | None:
        """Collective. A copy of an array of all particles, in the order of ids.

        "position" (n, 3), inside the box; "image" (n, 3), the boxes that were left, so that
        `position + image @ box.edges` is where a particle has gone; "velocity", "force" (n, 3);
        "id", "type" (n,); of rigid molecules also "orientation" (n, 4), quaternions (w, x, y, z),
        "angular_momentum" and "torque" (n, 3); and fields that were added. On all ranks, or with
        `root` on that one: None on the others. Raises ValueError for another name.
        """
        if self._callback and not self._gathers:
            self._require_free("gather")
        if not self._viewed:
            self._apply_changes()
        return self._core.gather(name, root)

    @collective
    def add_particle_field(self, name: str, components: int = 1, initial: float = 0.0) -> None:
        """Collective. Gives each particle so many numbers of its own, all of them `initial` at first.

        `gather(name)` gives them, (n,) or (n, components), `set` changes them, and a callback has
        those of its rank by `frame.particle_field(name)`. They have no unit. They go with the
        particles to other ranks and are in checkpoints: after `resume` they are there again, and
        this call leaves them as they are. Raises ValueError where the name is no name or is taken,
        and where ranks add different fields.
        """
        self._require_free("add_particle_field")
        if not isinstance(name, str):
            raise TypeError(f"add_particle_field: the name is {name!r}, expected a text")
        components = whole_number("add_particle_field: components", components, 1)
        initial = finite("add_particle_field: initial", initial)
        if initial.ndim:
            raise TypeError(f"add_particle_field: initial is {initial}, expected a number")
        if components > _MOST_COMPONENTS:
            raise ValueError(
                f"add_particle_field: components is {components}, expected 1 to {_MOST_COMPONENTS}"
            )
        self._apply_changes()
        self._core.add_particle_field(name, components, float(initial))

    @property
    def particle_fields(self) -> dict[str, int]:
        """Local. The fields that `add_particle_field` added, and the components of each."""
        return self._core.particle_fields

    @collective
    def set(self, name: str, values: "ArrayLike") -> None:
        """Collective. Gives all particles new positions, velocities, orientations or momenta.

        `name`: "position", "velocity" or, of rigid molecules, "angular_momentum", (n, 3), or
        "orientation", (n, 4), quaternions (w, x, y, z) of any length but 0; or a field that was
        added, (n,) or (n, components). `values`: in the order of ids, the same on all ranks.
        Positions may lie anywhere. Velocities of frozen types stay those of the input, and atoms
        and velocities keep their constraints. Raises ValueError for other names, shapes, and values
        that are not finite.
        """
        self._require_free("set")
        values = finite(f"set({name!r})", values)
        columns = self.particle_fields.get(name, 4 if name == "orientation" else 3)
        if columns == 1 and values.ndim == 1:
            values = values.reshape(-1, 1)
        if values.ndim != 2 or values.shape[1] != columns:
            raise ValueError(
                f"set({name!r}): the array has the shape {values.shape}, expected (n, {columns})"
            )
        self._apply_changes()
        self._core.set(name, values)

    @collective
    def virial_tensor(self) -> numpy.ndarray:
        """Collective. Sum of r_a f_b over pairs, (3, 3), of the same step as `thermo`.

        Pairs of rigid molecules count by their centers, so that torques make r_x f_y and r_y f_x
        differ. Both elements are r_y f_x then (and r_z f_x, r_z f_y): minus the derivative of the
        energy by a shear of the box.
        """
        xx, yy, zz, xy, xz, yz = self._core.virial_tensor()
        return numpy.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])

    @collective
    def save(self, path: str | PathLike) -> None:
        """Collective. Writes a checkpoint, from which `resume` goes on.

        Raises SternaError where that fails.
        """
        self._require_free("save")
        self._apply_changes()
        self._core.save(fspath(path))

    @in_turn
    def close(self) -> None:
        """Collective. Frees what the simulation holds; otherwise that happens when it is dropped.

        With `files` it ends them as the end of `sterna run` does: averages and times in the log, the
        files of observers. Where the input asks for a report or for files in formats of other
        programs (`report` and `export` in [output]), these are written; a simulation that failed, or
        is dropped without `close`, has a report without averages and times.
        """
        self._require_free("close")
        self._close(well=not self._failed)

    def _close(self, well: bool) -> None:
        """Collective where `well`."""
        if well and not self._core.closed:
            self._core.finish()
        self._core.close()
        if self._at_end is None:
            return
        try:
            self._at_end()
        except SternaError as error:
            if well:
                raise
            # The error that ended the simulation matters more.
            warnings.warn(str(error), stacklevel=3)

    def __repr__(self) -> str:
        """Local."""
        try:
            where = f"{self.ranks} rank{'' if self.ranks == 1 else 's'}"
            return (
                f"<sterna.Simulation: {self.particle_count} particles on {where}, step {self.step}>"
            )
        except SternaError as error:
            state = "closed" if "is closed" in str(error) else "in use by another thread"
            return f"<sterna.Simulation: {state}>"

    def _repr_html_(self) -> str:
        """Local."""
        from html import escape

        try:
            rows = "".join(
                f"<tr><th>{escape(name)}</th><td>{value:.6g}</td></tr>"
                for name, value in self.thermo.items()
            )
        except SternaError:
            rows = ""
        caption = escape(repr(self).strip("<>"))
        return f"<table><caption>{caption}</caption>{rows}</table>"

    def __enter__(self) -> "Simulation":
        """Local."""
        return self

    def __exit__(self, kind: type | None, *_: object) -> None:
        """Collective. Closes it."""
        if kind is None:
            self.close()
        else:
            self._close_failed()

    @in_turn
    def _close_failed(self) -> None:
        """Local. Other ranks may not have failed; then they do not come here."""
        self._require_free("close")
        self._close(well=False)


def whole_number(name: str, value: object, least: int, expected: str = "a whole number") -> int:
    """Raises TypeError for a value that is no integer, and ValueError if it is below `least` or no
    number of steps.
    """
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, (bool, numpy.bool_)):
        raise TypeError(f"{name} is {value!r}, expected {expected}")
    if not least <= number <= _MOST_STEPS:
        raise ValueError(f"{name} is {number}, expected {least} to {_MOST_STEPS}")
    return number


def _write_at_end(write: Callable, core: object, report: str, exports: list[str]) -> None:
    """Writes the report and the exports at the end of a simulation, if its input asks for them,
    however it ended.
    """
    try:
        core.close()  # A report of a simulation that is not closed would call it running.
    except SternaError:
        # Another thread is in a call of another simulation.
        atexit.register(_write_at_end, write, core, report, exports)
        return
    stem = report.removesuffix(".report.html") or exports[0].rsplit(".export.", 1)[0]
    log = Path(stem + ".log.jsonl") if report else None
    write(Path(stem + ".h5md"), [Path(path) for path in exports], log)


def _require_for_exports(settings: Input) -> None:
    """Raises SternaError where packages are missing that formats of `export` in [output] need.

    What is no format is left to the engine, which says where it stands.
    """
    output = settings.sections.get("output", {})
    names = output.get("export", []) if isinstance(output, dict) else []
    if not names or not isinstance(names, list):
        return
    from sterna.exporting.table import formats, require

    known = {row.suffix for row in formats()}
    require([name for name in names if isinstance(name, str) and name in known])


def _warn(settings: Input) -> None:
    for finding in settings.check():
        if finding.severity == "warning":
            warnings.warn(str(finding).rstrip("\n"), InputWarning, stacklevel=5)
