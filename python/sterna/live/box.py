"""The box of a simulation."""

from dataclasses import dataclass

import numpy


@dataclass(frozen=True)
class Box:
    """A periodic box with one corner at the origin, in the units of the input."""

    length: numpy.ndarray  #: (3,), of the edges along their axes
    tilt: numpy.ndarray  #: (3,), xy, xz and yz; 0 where the box is orthorhombic

    def __post_init__(self) -> None:
        """Local. Writing into an array would not change the box of the simulation."""
        for array in (self.length, self.tilt):
            array.flags.writeable = False

    @property
    def edges(self) -> numpy.ndarray:
        """Local. (3, 3), an edge each row."""
        edges = numpy.diag(self.length)
        edges[1, 0], edges[2, 0], edges[2, 1] = self.tilt
        return edges

    @property
    def volume(self) -> float:
        """Local."""
        return float(self.length.prod())
