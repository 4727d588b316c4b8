"""What a force term in Python sees of the neighbors of this rank's particles."""

from typing import TYPE_CHECKING

import numpy

from sterna.errors import SternaError
from sterna.support.arrays import numbers
from sterna.support.elements import SYMBOLS
from sterna.support.fixed import Fixed

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from sterna._core import Neighbors as CoreNeighbors


def atomic_numbers(type_names: list[str]) -> numpy.ndarray:
    """Local. The atomic number of each type. SternaError where a name is no chemical symbol."""
    for name in type_names:
        if name not in SYMBOLS:
            raise SternaError(
                f"the type {name!r} is no chemical symbol, so it has no atomic number; expected "
                'names such as "Cu"'
            )
    return numpy.array([1 + SYMBOLS.index(name) for name in type_names], numpy.int64)


class Neighbors(Fixed):
    """The particles of this rank, ghosts around them, and pairs: arrays without copies.

    Ghosts are copies of particles of other ranks and of periodic images, at the places where this
    rank's particles see them. Particles of the rank come first in all arrays, in the order of the
    frame; ghosts follow. Numbers are in the units of the input. Arrays are those of this step; what
    is written into `position` and `vector` has no effect, and the other ones are read-only, but for
    `force`.
    """

    _instead = "a force term adds to frame.neighbors.force, or calls add_gradient"
    _settable = ("force",)

    def __init__(self, core: "CoreNeighbors", type_names: list[str]) -> None:
        """Local."""
        self._core = core
        self._type_names = type_names
        #: (m, 3), zeros: forces on particles and ghosts. Those on ghosts return to their owners.
        self.force = core.array("force")

    @property
    def count(self) -> int:
        """Local. The particles of this rank; what comes behind them in arrays are ghosts."""
        return self._core.count

    @property
    def position(self) -> numpy.ndarray:
        """Local. (m, 3)."""
        return self._core.array("position")

    @property
    def type(self) -> numpy.ndarray:
        """Local. (m,), whole numbers: places in `simulation.type_names`."""
        return self._core.array("type")

    @property
    def id(self) -> numpy.ndarray:
        """Local. (m,), whole numbers. Ghosts have the ids of the particles that they are copies of."""
        return self._core.array("id")

    @property
    def atomic_number(self) -> numpy.ndarray:
        """Local. (m,), a copy. SternaError where a type's name is no chemical symbol."""
        return atomic_numbers(self._type_names)[self.type]

    @property
    def i(self) -> numpy.ndarray:
        """Local. (p,), ascending: the first particle of each pair.

        Each particle of this rank has pairs with all neighbors within the cutoff, so two particles of
        this rank are a pair twice. With several layers ghosts have pairs, too, where they are less
        than a layer from the edge of what is seen.
        """
        return self._core.array("i")

    @property
    def j(self) -> numpy.ndarray:
        """Local. (p,): the second particle of each pair."""
        return self._core.array("j")

    @property
    def begin(self) -> numpy.ndarray:
        """Local. (m + 1,): particle k has the pairs from begin[k] to before begin[k + 1]."""
        return self._core.array("begin")

    @property
    def vector(self) -> numpy.ndarray:
        """Local. (p, 3): from the first particle of each pair to the second."""
        return self._core.array("vector")

    @property
    def distance(self) -> numpy.ndarray:
        """Local. (p,), computed from `vector`."""
        return numpy.sqrt(numpy.einsum("ij,ij->i", self.vector, self.vector))

    def add_gradient(self, gradient: "ArrayLike") -> None:
        """Local. Adds the forces of an energy from its derivatives by `vector`, (p, 3).

        The first particle of a pair gets the derivative, the second one the opposite.
        """
        self._core.add_gradient(numbers("add_gradient", gradient))
