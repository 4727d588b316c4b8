"""The multipole method for the charges of a script: potentials and fields of NumPy arrays.

>>> from sterna import fmm
>>> solver = fmm.Solver(box=10.0, accuracy=1e-6)
>>> result = solver(positions, charges)  # (n, 3) and (n,), those of this rank
>>> result.energy, result.potentials, result.fields

Particles may be on any rank. Potentials are sums of q / r, in units of charge and length of the script.
Docstrings begin with "Collective." where all ranks of the context must make the call.
"""

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy

from sterna.comm import Context
from sterna.errors import SternaError
from sterna.live.core import core
from sterna.support.arrays import finite, numbers

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

#: What the accuracy bounds: errors relative to the quantity, or absolute ones.
TOLERANCES = (
    "field",
    "potential",
    "energy",
    "absolute_field",
    "absolute_potential",
    "absolute_energy",
)
#: What is beyond the images of a periodic box.
SURROUNDINGS = ("conductor", "vacuum")


@dataclass(frozen=True)
class Errors:
    """The errors that the last tuning has measured. Those of fields and potentials are root mean
    squares over all charges.
    """

    field: float  #: relative
    potential: float  #: relative
    energy: float  #: relative
    absolute_field: float
    absolute_potential: float
    absolute_energy: float


@dataclass(frozen=True)
class Result:
    """Potentials and fields at the charges of this rank, in their order, and sums over all ranks."""

    potentials: numpy.ndarray  #: (n,)
    fields: numpy.ndarray  #: (n, 3)
    energy: float  #: each pair counts once
    virial: numpy.ndarray | None  #: (3, 3), the sum over pairs of connection times force


class Solver:
    """Potentials and fields of charges, with all images in a periodic box, or without."""

    def __init__(
        self,
        box: "ArrayLike | None" = None,
        accuracy: float = 1e-5,
        tolerance: str = "field",
        surroundings: str = "conductor",
        order: int = 0,
        exchange: str = "auto",
        context: Context | None = None,
    ) -> None:
        """Collective. `box`: an edge, three edges along the axes, or the three edges as rows of an array
        (3, 3), in any directions; None: there are no images.

        `accuracy`: of the quantity that `tolerance` names, one of `TOLERANCES`. `surroundings`: one of
        `SURROUNDINGS`; in vacuum positions must not be wrapped. `order`: of the expansions; 0: as the
        accuracy wants it. `exchange`: a name of `sterna.comm.neighbor_methods`, or "auto". `context`: all
        ranks if it is None. Raises ValueError and SternaError for values that cannot be.
        """
        context = Context() if context is None else context
        edges = None if box is None else _edges(box)
        self._core = core().FmmSolver(
            context._core,
            edges,
            float(accuracy),
            _place("tolerance", tolerance, TOLERANCES),
            _place("surroundings", surroundings, SURROUNDINGS),
            int(order),
            exchange,
        )

    def set_box(self, box: "ArrayLike") -> None:
        """Collective. Changes the periodic box."""
        self._core.set_box(_edges(box))

    def tune(self, positions: "ArrayLike", charges: "ArrayLike") -> None:
        """Collective. Chooses the parameters with which these charges have the accuracy, and measures
        their errors.

        The first computation calls it, and so does a later one if the number of charges has doubled or
        halved. Raises SternaError if the accuracy cannot be had.
        """
        self._core.tune(*self._checked(positions, charges))

    def __call__(
        self, positions: "ArrayLike", charges: "ArrayLike", virial: bool = False
    ) -> Result:
        """Collective. Potentials and fields at the charges of this rank, which may be none.

        `positions`: (n, 3), anywhere. `charges`: (n,); those of 0 are places where results are wanted.
        Raises ValueError for arrays of other shapes, and SternaError on the other ranks then, or where
        two charges lie in one place.
        """
        places, values = self._checked(positions, charges)
        potentials, fields = numpy.empty(len(values)), numpy.empty(3 * len(values))
        energy, tensor = self._core.compute(places, values, potentials, fields, virial)
        return Result(
            potentials,
            fields.reshape(-1, 3),
            energy,
            numpy.array(tensor).reshape(3, 3) if virial else None,
        )

    def _checked(
        self, positions: "ArrayLike", charges: "ArrayLike"
    ) -> tuple[numpy.ndarray, numpy.ndarray]:
        try:
            places, values = numbers("positions", positions), numbers("charges", charges)
            if places.size == 0 and values.size == 0:
                return numpy.zeros(0), numpy.zeros(0)
            if values.ndim != 1 or places.shape != (len(values), 3):
                raise ValueError(
                    f"positions and charges have the shapes {places.shape} and {values.shape}, "
                    "expected (n, 3) and (n,)"
                )
        except (TypeError, ValueError):
            # The other ranks wait for this one: arrays that do not fit end their calls with an error.
            with contextlib.suppress(SternaError):
                self._core.tune(numpy.zeros(0), numpy.zeros(1))
            raise
        return places.reshape(-1), values

    @property
    def errors(self) -> Errors:
        """Local. The errors that the last tuning has measured."""
        return Errors(*self._core.errors())

    @property
    def description(self) -> str:
        """Local. The parameters in words: "order 8, single precision, 16 x 16 x 16 leaves"."""
        return self._core.description()


def _edges(box: "ArrayLike") -> list[list[float]]:
    array = finite("box", box)
    if array.ndim == 0:
        array = numpy.full(3, float(array))
    if array.shape == (3,):
        array = numpy.diag(array)
    if array.shape != (3, 3):
        raise ValueError(
            f"box: the shape is {array.shape}, expected an edge, three edges, or (3, 3)"
        )
    return array.tolist()


def _place(key: str, name: str, names: tuple[str, ...]) -> int:
    if name not in names:
        raise ValueError(f"{key}: {name!r} is unknown, expected one of {', '.join(names)}")
    return names.index(name)
