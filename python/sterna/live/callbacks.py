"""Functions of Python that a simulation calls: observers and force terms."""

import operator
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy

from sterna.errors import RemoteError
from sterna.live.box import Box
from sterna.live.frame import ForceFrame, Needs, ObserverFrame
from sterna.live.neighbors import Neighbors
from sterna.live.simulated import Simulated
from sterna.support.arrays import finite, numbers

if TYPE_CHECKING:
    from sterna._core import Neighbors as CoreNeighbors

_MOST_LAYERS = 20
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
class Reach:
    """What a force term needs to see, beside the particles of its rank."""

    how: str  #: "pairs", "clusters" (ghosts without pairs) or "gathers" (all particles on rank 0)
    cutoff: float = 0.0
    layers: int = 1


@dataclass(frozen=True)
class Force:
    """A force term that a function computes."""

    name: str
    compute: Callable
    keeps_momentum: bool
    reach: Reach | None = None
    compute_all: Callable | None = None  #: of a term that gathers, on rank 0

    def add_to(self, owner: "Callbacks", number: int) -> None:
        """Collective."""
        core, reach = owner._core, self.reach
        if reach is None:
            core.add_force(self.name, self.keeps_momentum, owner, number)
            return
        core.add_model(
            self.name, self.keeps_momentum, reach.how, reach.cutoff, reach.layers, owner, number
        )


class Model(Protocol):
    """A force term that is an object, such as `sterna.ase.Force`."""

    name: str  #: under which the log has its energy

    def reach(self, simulation: Simulated) -> Reach:
        """Local. What it needs to see in this simulation, the same on all ranks."""

    def compute(self, frame: ForceFrame, with_sums: bool) -> float:
        """Local. As a function of `Simulation.force`; energy and virial are needed `with_sums`."""

    def compute_all(
        self,
        box: Box,
        position: numpy.ndarray,
        type: numpy.ndarray,
        with_sums: bool,  # noqa: A002
    ) -> tuple[float, numpy.ndarray, numpy.ndarray]:
        """Local. Energy, forces and virial of all particles, which are in the order of ids."""


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
        function: "Callable | Model | None" = None,
        *,
        cutoff: float | None = None,
        layers: int = 1,
        virial: bool = False,
        keeps_momentum: bool | None = None,
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

        With `cutoff` the frame has `neighbors`: the particles of its rank, ghosts from as far as
        the cutoff, and all pairs. The function returns the energy of its rank's particles alone,
        and adds the forces of that energy on particles and ghosts: those on ghosts return to their
        owners, and the engine computes the virial. The energy must depend on nothing but vectors
        between particles, so the term keeps the momentum. `layers`: of a model that passes
        messages; ghosts come from so many cutoffs. In place of a function there may be an object,
        such as `sterna.ase.Force`.
        """
        wanted = Needs(needs)
        if function is None:
            return lambda function: self.force(
                function,
                cutoff=cutoff,
                layers=layers,
                virial=virial,
                keeps_momentum=keeps_momentum,
                needs=needs,
            )
        if hasattr(function, "implemented_properties"):
            raise TypeError(
                "force: this is a calculator of ASE; expected sterna.ase.Force(calculator)"
            )
        if hasattr(function, "reach"):
            if cutoff is not None or layers != 1:
                raise ValueError("force: a model says itself how far it sees; no cutoff, no layers")
            reach = function.reach(self)
            force = Force(
                function.name,
                function.compute,
                keeps_momentum is not False,
                reach,
                function.compute_all,
            )
        elif cutoff is not None:
            reach = Reach("pairs", *_checked_reach(cutoff, layers))
            compute = _of_pairs(function, wanted)
            force = Force(function.__name__, compute, keeps_momentum is not False, reach)
        else:
            if layers != 1:
                raise ValueError("force: layers are cutoffs wide; expected cutoff=...")
            if self._core.changes_volume and not virial:
                raise ValueError("force: a barostat needs the virial of all terms: virial=True")

            def compute(frame: ForceFrame) -> float:
                frame._needs = wanted
                if not virial:
                    frame.virial[:] = numpy.nan
                return function(frame)

            force = Force(function.__name__, compute, keeps_momentum is True)
        force.add_to(self, len(self._forces))
        self._forces.append(force)
        self._has_virials = self._has_virials and (virial or force.reach is not None)
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
        energy = _energy_of_term(energy)
        force, virial = finite("frame.force", frame.force), numbers("frame.virial", frame.virial)
        for what, array, expected in (
            ("force", force, (frame.count, 3)),
            ("virial", virial, (3, 3)),
        ):
            if array.shape != expected:
                raise ValueError(f"frame.{what} has the shape {array.shape}, expected {expected}")
        self._take_fields(frame)
        return energy, force, virial

    def _model(
        self, number: int, core_neighbors: "CoreNeighbors", with_sums: bool
    ) -> tuple[float, numpy.ndarray]:
        """The forces are in the array of the neighbors."""
        neighbors = Neighbors(core_neighbors, self.type_names)
        to, frame = neighbors.force, ForceFrame(self, neighbors)
        on_own = frame.force
        term = self._forces[number]
        self._callback, self._gathers = f"force term {term.name!r}", False
        try:
            energy = term.compute(frame, with_sums)
        finally:
            self._callback = ""
        # A term may have put other arrays in the place of those that it was given.
        for what, array, place in (
            ("neighbors.force", neighbors.force, to),
            ("force", frame.force, on_own),
        ):
            given = finite(f"frame.{what}", array)
            if given.shape != place.shape:
                raise ValueError(
                    f"frame.{what} has the shape {given.shape}, expected {place.shape}"
                )
            if array is not place:
                place[:] = given
        virial = numbers("frame.virial", frame.virial)
        if virial.shape != (3, 3):
            raise ValueError(f"frame.virial has the shape {virial.shape}, expected (3, 3)")
        self._take_fields(frame)
        return _energy_of_term(energy), virial

    def _gathered(
        self,
        number: int,
        ids: numpy.ndarray,
        types: numpy.ndarray,
        position: numpy.ndarray,
        with_sums: bool,
    ) -> tuple[float, numpy.ndarray, numpy.ndarray]:
        """On rank 0: all particles, in the order of the ranks."""
        term = self._forces[number]
        self._callback, self._gathers = f"force term {term.name!r}", False
        order = numpy.argsort(ids)
        try:
            energy, sorted_force, virial = term.compute_all(
                self.box, position[order], types[order], with_sums
            )
        finally:
            self._callback = ""
        force = numpy.empty_like(position)
        force[order] = finite(f"forces of {term.name!r}", sorted_force)
        return _energy_of_term(energy), force, numbers("virial", virial)

    def _take_fields(self, frame: ForceFrame) -> None:
        fields = {
            name: finite(f"frame.particle_field({name!r})", array)
            for name, array in frame._fields.items()
        }
        for name, array in fields.items():
            self._core.set_local(name, array.reshape(-1))

    def _observe_all(self) -> None:
        if self._core.thermo_interval > 0:
            self._core.observe(self._core.thermo_interval, [], True, self, _ROWS_ALONE)
        for number, observer in enumerate(self._observers):
            state = observer.needs.state
            self._core.observe(observer.interval, observer.at, state, self, number)
        for number, force in enumerate(self._forces):
            force.add_to(self, number)


def _energy_of_term(energy: object) -> float:
    if energy is None:
        raise TypeError("a force term must return its energy, a number; it returned None")
    energy = finite("the energy of a force term", energy)
    if energy.ndim:
        raise TypeError(f"a force term must return its energy, a number; it returned {energy}")
    return float(energy)


def _checked_reach(cutoff: object, layers: object) -> tuple[float, int]:
    """Raises TypeError or ValueError for what is no length, or no number of layers."""
    length = finite("force: cutoff", cutoff)
    if length.ndim or length <= 0:
        raise ValueError(f"force: cutoff is {cutoff}, expected a length above 0")
    try:
        count = operator.index(layers)
    except TypeError:
        raise TypeError(f"force: layers is {layers!r}, expected a whole number") from None
    if not 1 <= count <= _MOST_LAYERS:
        raise ValueError(f"force: layers is {count}, expected 1 to {_MOST_LAYERS}")
    return float(length), count


def _of_pairs(function: Callable, needs: Needs) -> Callable:
    def compute(frame: ForceFrame, _with_sums: bool) -> float:
        frame._needs = needs
        return function(frame)

    return compute
