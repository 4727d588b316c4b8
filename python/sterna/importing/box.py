"""Checks of the boxes of structures, and of the cutoffs that fit into them."""

from pathlib import Path

import numpy

from sterna.errors import SternaError

_PLACEHOLDER = 0.1  #: nm; files of single molecules have a box of 1 A x 1 A x 1 A, which is none
_DOWN = 1000.0  # a cutoff is proposed in steps of a picometer


def is_placeholder(edges: numpy.ndarray) -> bool:
    """Whether edges, (3, 3) in nm as rows, are the unit cell that PDB files without a box have."""
    return bool(numpy.allclose(edges, _PLACEHOLDER * numpy.eye(3), atol=1e-6))


def heights(edges: numpy.ndarray) -> numpy.ndarray:
    """Distances of opposite faces, (3,), of a box whose edges are the rows."""
    volume = abs(float(numpy.linalg.det(edges)))
    faces = [numpy.cross(edges[(k + 1) % 3], edges[(k + 2) % 3]) for k in range(3)]
    return volume / numpy.linalg.norm(faces, axis=1)


def require_twice_the_cutoff(edges: numpy.ndarray, cutoff: float, path: Path) -> None:
    """Raises SternaError where atoms would interact with two images of each other; lengths in nm."""
    least = float(heights(edges).min())
    if least >= 2.0 * cutoff:
        return
    most = numpy.floor(0.5 * _DOWN * least) / _DOWN
    raise SternaError(
        f"{path}: two faces of the box are {least:.6g} nm apart, less than twice the cutoff of "
        f"{cutoff:g} nm; expected --cutoff of at most {most:g}, or a larger box",
        2,
    )


def first_of(path: Path, frames: int) -> str:
    """Returns a note about a file with several structures."""
    return f"{path} has {frames} frames or models, of which the first is taken"
