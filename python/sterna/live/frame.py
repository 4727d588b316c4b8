"""What callbacks see of a step, and the arrays of a rank between steps."""

import difflib
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy

from sterna.live.neighbors import Neighbors
from sterna.live.simulated import Simulated
from sterna.support.arrays import numbers, whole_numbers
from sterna.support.fixed import Fixed
from sterna.support.names import no_such

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from sterna.live.box import Box


_ARRAYS = (
    "position",
    "image",
    "velocity",
    "force",
    "id",
    "type",
    "orientation",
    "angular_momentum",
    "torque",
)


# The arrays that exist before the forces of a step.
_PLACES = {"position", "image", "id", "type", "orientation"}


class Needs:
    """The parts of its frame that a callback reads: names of arrays, and "thermo". None: all
    of it.
    """

    def __init__(self, names: Iterable[str] | None) -> None:
        """Local. Raises ValueError for other names."""
        self._names = None if names is None else frozenset([names] if type(names) is str else names)
        for name in sorted(self._names or ()):
            if name not in (*_ARRAYS, "thermo"):
                near = difflib.get_close_matches(name, (*_ARRAYS, "thermo"), 1)
                hint = f'; did you mean "{near[0]}"?' if near else ""
                raise ValueError(
                    f'needs: a frame has no "{name}"{hint} It has {", ".join(_ARRAYS)}, thermo'
                )

    @property
    def state(self) -> bool:
        """Local. Whether it needs more than where particles are, which is known before forces."""
        return self._names is None or not self._names <= _PLACES

    def require(self, name: str) -> None:
        """Local. AttributeError where it is not among them."""
        if self._names is not None and name not in self._names:
            raise AttributeError(
                f"frame.{name}: this callback needs {', '.join(sorted(self._names)) or 'nothing'}; "
                f'add "{name}" to its needs'
            )


class Frame(Fixed):
    """The particles of this rank in a step, in the units of the input; valid during the call.

    Arrays are copies of what this rank has, in no order: `id` tells which particle is which. They
    are read-only, as writing into them would change nothing: `array.copy()` can be written.
    """

    _instead = (
        "a callback sees a step and does not change it; between runs Simulation.set does, and a "
        "force term (Simulation.force) adds to frame.force"
    )

    def __init__(self, simulation: Simulated, needs: Needs | None = None) -> None:
        """Local."""
        self._simulation = simulation
        self._needs = needs or Needs(None)

    @property
    def count(self) -> int:
        """Local. Particles of this rank."""
        return self._simulation._core.local_count

    @property
    def step(self) -> int:
        """Local. Steps since the start."""
        return self._simulation.step

    @property
    def time(self) -> float:
        """Local. Since the start."""
        return self._simulation.time

    @property
    def box(self) -> "Box":
        """Local. The box as it is now."""
        return self._simulation.box

    @property
    def particle_count(self) -> int:
        """Local. Particles on all ranks."""
        return self._simulation.particle_count

    @property
    def position(self) -> numpy.ndarray:
        """Local. (n, 3), inside the box."""
        return self._local("position")

    @property
    def image(self) -> numpy.ndarray:
        """Local. (n, 3), whole numbers: the boxes that each particle has left."""
        return self._local("image")

    @property
    def velocity(self) -> numpy.ndarray:
        """Local. (n, 3)."""
        return self._local("velocity")

    @property
    def id(self) -> numpy.ndarray:
        """Local. (n,), whole numbers."""
        return self._local("id")

    @property
    def type(self) -> numpy.ndarray:
        """Local. (n,), whole numbers: places in `simulation.type_names`."""
        return self._local("type")

    @property
    def orientation(self) -> numpy.ndarray:
        """Local. (n, 4), quaternions (w, x, y, z) of rigid molecules."""
        return self._local("orientation")

    @property
    def angular_momentum(self) -> numpy.ndarray:
        """Local. (n, 3), of rigid molecules."""
        return self._local("angular_momentum")

    def particle_field(self, name: str) -> numpy.ndarray:
        """Local. A field of `Simulation.add_particle_field`, (n,) or (n, components).

        ValueError where there is none of this name. An observer that needs places alone is called
        before the forces of its step, and sees what was there before them.
        """
        array = self._added(name)
        array.flags.writeable = False
        return array

    def _added(self, name: str) -> numpy.ndarray:
        names = self._simulation._core.particle_fields
        if name not in names:
            raise ValueError(no_such("particle field", name, sorted(names)))
        return self._simulation._core.local(name)

    def _local(self, name: str) -> numpy.ndarray:
        self._needs.require(name)
        array = self._simulation._core.local(name)
        array.flags.writeable = False
        return array


class ObserverFrame(Frame):
    """A step as an observer sees it: positions, velocities and forces of the same time."""

    @property
    def force(self) -> numpy.ndarray:
        """Local. (n, 3)."""
        return self._local("force")

    @property
    def torque(self) -> numpy.ndarray:
        """Local. (n, 3), of rigid molecules."""
        return self._local("torque")

    @property
    def thermo(self) -> dict[str, float]:
        """Local. The row of the log of this step, the same on all ranks."""
        self._needs.require("thermo")
        return self._simulation.thermo

    def sum(self, values: "ArrayLike") -> "float | numpy.ndarray":
        """Collective. The sum of all values of all ranks; of an array the sums of its columns.

        A number or (n,) gives a number, (n, m) gives (m,).
        """
        values = numbers("sum", values)
        return self._reduce("sum", values.sum(axis=0) if values.ndim > 0 else values)

    def mean(self, values: "ArrayLike") -> "float | numpy.ndarray":
        """Collective. The mean over the particles of all ranks; shapes are those of `sum`."""
        values = numpy.atleast_1d(numbers("mean", values))
        sums = numpy.atleast_1d(values.sum(axis=0))
        totals = self._simulation._core.reduce("sum", numpy.append(sums, float(len(values))))
        means = totals[:-1] / totals[-1]
        return float(means[0]) if values.ndim == 1 else means

    def min(self, values: "ArrayLike") -> float:
        """Collective. The least of all values of all ranks; infinity where there are none."""
        values = numbers("min", values)
        return self._reduce("min", values.min() if values.size else numpy.inf)

    def max(self, values: "ArrayLike") -> float:
        """Collective. The greatest of all values of all ranks; -infinity where there are none."""
        values = numbers("max", values)
        return self._reduce("max", values.max() if values.size else -numpy.inf)

    def _reduce(self, kind: str, values: "ArrayLike") -> "float | numpy.ndarray":
        values = numpy.asarray(values, float)
        total = self._simulation._core.reduce(kind, numpy.ascontiguousarray(values.reshape(-1)))
        return float(total[0]) if values.ndim == 0 else total.reshape(values.shape)


class ForceFrame(Frame):
    """A step as a force term in Python sees it. It adds to `force`, and may set `virial`."""

    _instead = "a force term adds to frame.force and frame.virial, and returns its energy"
    _settable = ("force", "virial")

    def __init__(self, simulation: Simulated, neighbors: Neighbors | None = None) -> None:
        """Local."""
        super().__init__(simulation)
        self._neighbors = neighbors
        #: (n, 3), zeros: the term's force on each particle of this rank
        self.force = (
            numpy.zeros((self.count, 3)) if neighbors is None else neighbors.force[: self.count]
        )
        #: (3, 3), this rank's share of the sum of r_a f_b
        self.virial = numpy.zeros((3, 3))
        self._fields: dict[str, numpy.ndarray] = {}  # that were given out

    @property
    def neighbors(self) -> Neighbors:
        """Local. The neighbors of this rank's particles, for a term that was added with a cutoff.

        AttributeError for other terms.
        """
        if self._neighbors is None:
            raise AttributeError(
                "frame.neighbors: this force term has no cutoff; expected force(cutoff=...)"
            )
        return self._neighbors

    def particle_field(self, name: str) -> numpy.ndarray:
        """Local. A field of `Simulation.add_particle_field`, (n,) or (n, components), to be written.

        What is written is there after the call, in gather, in later steps and in checkpoints.
        Forces may be computed more than once in a step. ValueError where there is none of this name.
        """
        if name not in self._fields:
            self._fields[name] = self._added(name)
        return self._fields[name]


class View:
    """The arrays of this rank without copies, made by `Simulation.view`.

    `position`, `velocity`, `force` (n, 3), `id`, `type` (n,), `image` (n, 3), of rigid molecules
    also `orientation` (n, 4), `angular_momentum` and `torque` (n, 3), and `ghost_position`: copies
    of other ranks' particles near the border. Fields of `add_particle_field` are copies, and so are
    arrays of rigid molecules beside atoms: atoms have no orientation, their rows are constant. In no
    order, positions not contiguous in memory and perhaps a little outside of the box. With units "metal" and "real" they are scaled copies. An
    array that outlives the block keeps the values that it has.

    Arrays are read-only, but for `velocity` and `angular_momentum` in a view that was made to write
    them: `v.velocity[:] *= 0.5`. The next step goes on with them. Velocities of frozen types stay,
    and what would change a constrained distance is taken off. `Simulation.set` changes positions.
    """

    def __init__(self, core_view: object) -> None:
        """Local."""
        self._view = core_view

    def __getattr__(self, name: str) -> numpy.ndarray:
        """Local. An array; AttributeError for other names and outside of the block."""
        if name.startswith("_"):
            raise AttributeError(name)
        if self._view is None:
            raise AttributeError(f"{name}: the block of this view has ended")
        try:
            return self._view.array(name)
        except ValueError as error:
            raise AttributeError(str(error)) from None

    def __dir__(self) -> list[str]:
        """Local. The arrays that there may be, and the rest."""
        return sorted({*super().__dir__(), *_ARRAYS, "ghost_position"})

    def __setattr__(self, name: str, values: "ArrayLike") -> None:
        """Local. Writes into an array, as `v.velocity *= 0.5` does; ValueError for a read-only one."""
        if name.startswith("_"):
            object.__setattr__(self, name, values)
        else:
            getattr(self, name)[...] = values

    def index_of(self, ids: "ArrayLike") -> numpy.ndarray:
        """Local. The place of each id in the arrays; -1 where another rank has the particle."""
        mine = self.id
        order = numpy.argsort(mine)
        ids = whole_numbers("index_of", ids, -(2**62), 2**62)
        if len(mine) == 0:
            return numpy.full(ids.shape, -1)
        places = numpy.minimum(numpy.searchsorted(mine, ids, sorter=order), len(mine) - 1)
        found = order[places]
        return numpy.where(mine[found] == ids, found, -1)
