"""Functions of Python that a simulation calls: observers and force terms."""

import operator
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy

from sterna.errors import RemoteError
from sterna.live.frame import ForceFrame, Needs, ObserverFrame
from sterna.support.arrays import finite, numbers

_ROWS_ALONE = -1  # the number of the observer that keeps rows of the log


@dataclass(frozen=True)
class Observer:
    """A function, the steps of its calls, and its arguments."""

    name: str
    function: Callable
    interval: int
    at: tuple[int, ...]
    needs: Needs


@dataclass(frozen=True)
class Force:
    """A force term that a function computes."""

    name: str
    compute: Callable
    keeps_momentum: bool


class Callbacks:
    """The functions that are added to a `Simulation`, and their calls."""

    def every(
        self,
        interval: int | None = None,
        *,
        at: Iterable[int] | None = None,
        needs: Iterable[str] | None = None,
    ) -> Callable[[Callable], Callable]:
        """Collective. Calls a function every `interval` steps, or at the steps `at`, on all ranks.

        >>> @simulation.every(100)
        ... def height(frame):
        ...     return frame.mean(frame.position[:, 2])

        The function gets an `ObserverFrame`. The number that it returns becomes a column of `log`
        with the function's name: `frame.sum`, `mean`, `min` and `max` are the same on all ranks.
        An exception ends `run` on all ranks, after the same step.

        `needs`: the arrays of the frame that it reads, and "thermo" for energies and pressure;
        default: all. Where it needs places alone (position, image, id, type, orientation), a step
        that is looked at costs no more than the call, and its row of the log has the value alone.
        Otherwise energies are computed in these steps, and particles do not move on early.

        Raises ValueError where the interval is less than 1, the name is taken, or `needs` names
        what a frame does not have.
        """
        if (interval is None) == (at is None):
            raise ValueError("every: expected either an interval or at=[steps]")
        try:
            steps = tuple(operator.index(step) for step in at) if at is not None else ()
        except TypeError:
            raise TypeError(f"every: at is {at!r}, expected whole numbers of steps") from None
        if any(step < 0 for step in steps):
            raise ValueError(f"every: at has the step {min(steps)}, expected steps from 0 on")
        if at is not None and not steps:
            raise ValueError("every: expected at least one step, got at=[]")
        wanted = Needs(needs)

        def add(function: Callable) -> Callable:
            name = function.__name__
            if any(name == other.name for other in self._observers):
                raise ValueError(f"every: there is an observer {name!r} already")
            observer = Observer(name, function, 1 if interval is None else interval, steps, wanted)
            number = len(self._observers)
            self._core.observe(observer.interval, observer.at, wanted.state, self, number)
            self._observers.append(observer)
            return function

        return add

    def force(
        self,
        function: Callable | None = None,
        *,
        virial: bool = False,
        keeps_momentum: bool = False,
        needs: Iterable[str] | None = None,
    ) -> Callable:
        """Collective. Adds a force term that a function computes, from the next step on.

        >>> @simulation.force
        ... def trap(frame):
        ...     frame.force[:, 2] -= 0.1 * frame.position[:, 2]
        ...     return 0.05 * (frame.position[:, 2] ** 2).sum()

        The function gets a `ForceFrame` with the particles of its rank, adds to `frame.force` and
        returns their energy; the engine sums over ranks. It is in `energies` under the function's
        name. With `virial=True` it also adds its share of the sum of r_a f_b to `frame.virial`;
        otherwise the pressure is nan, as it is not known. `keeps_momentum=True` says that its
        forces on all particles add up to nothing, as those of pairs do. Otherwise all 3 N degrees
        of freedom count in the temperature from then on. An exception ends `run` on all ranks. It
        is not in checkpoints: add it again after `resume`. `needs`: as of `every`. Raises
        ValueError where a term has the name already, and for a barostat without `virial=True`.
        """
        wanted = Needs(needs)
        if function is None:
            return lambda function: self.force(
                function, virial=virial, keeps_momentum=keeps_momentum, needs=needs
            )
        if self._core.changes_volume and not virial:
            raise ValueError("force: a barostat needs the virial of all terms: virial=True")

        def compute(frame: ForceFrame) -> float:
            frame._needs = wanted
            if not virial:
                frame.virial[:] = numpy.nan
            return function(frame)

        force = Force(function.__name__, compute, keeps_momentum)
        self._core.add_force(force.name, force.keeps_momentum, self, len(self._forces))
        self._forces.append(force)
        self._has_virials = self._has_virials and virial
        return function

    def _observe(self, number: int) -> None:
        row = self._rows.setdefault(self.step, {"step": self.step, "time": self.time})
        if number == _ROWS_ALONE:
            row.update(self.thermo)
            return
        observer = self._observers[number]
        if observer.needs.state:
            row.update(self.thermo)
        self._callback = f"observer {observer.name!r}"
        self._gathers = observer.needs.state
        nothing = numpy.zeros(0)
        try:
            value = observer.function(ObserverFrame(self, observer.needs))
            if value is not None:
                row[observer.name] = float(value)
        except RemoteError:
            raise
        except BaseException:
            self._core.reduce("failure", nothing)
            raise
        finally:
            self._callback = ""
        self._core.reduce("end", nothing)

    def _force(self, number: int) -> tuple[float, numpy.ndarray, numpy.ndarray]:
        frame = ForceFrame(self)
        term = self._forces[number]
        self._callback, self._gathers = f"force term {term.name!r}", False
        try:
            energy = term.compute(frame)
        finally:
            self._callback = ""
        if energy is None:
            raise TypeError("a force term must return its energy, a number; it returned None")
        force, virial = finite("frame.force", frame.force), numbers("frame.virial", frame.virial)
        for what, array, expected in (
            ("force", force, (frame.count, 3)),
            ("virial", virial, (3, 3)),
        ):
            if array.shape != expected:
                raise ValueError(f"frame.{what} has the shape {array.shape}, expected {expected}")
        fields = {
            name: finite(f"frame.particle_field({name!r})", array)
            for name, array in frame._fields.items()
        }
        for name, array in fields.items():
            self._core.set_local(name, array.reshape(-1))
        energy = finite("the energy of a force term", energy)
        if energy.ndim:
            raise TypeError(f"a force term must return its energy, a number; it returned {energy}")
        return float(energy), force, virial

    def _observe_all(self) -> None:
        if self._core.thermo_interval > 0:
            self._core.observe(self._core.thermo_interval, [], True, self, _ROWS_ALONE)
        for number, observer in enumerate(self._observers):
            state = observer.needs.state
            self._core.observe(observer.interval, observer.at, state, self, number)
        for number, force in enumerate(self._forces):
            self._core.add_force(force.name, force.keeps_momentum, self, number)
