"""Positions of particles or molecules: filling of boxes, extended XYZ, the end of a trajectory."""

import shlex
from dataclasses import dataclass
from pathlib import Path

import numpy

from sterna.errors import SternaError
from sterna.support.files import require_regular
from sterna.support.hdf5 import opened


@dataclass
class Configuration:
    """Particles in an orthorhombic box whose lower corner is the origin, all in one length unit.

    `box` has shape (3,), `species` N names, `positions` shape (N, 3); `orientations`, where there
    are any, shape (N, 4): unit quaternions (w, x, y, z) from the body frame to the laboratory's.
    """

    box: numpy.ndarray
    species: list[str]
    positions: numpy.ndarray
    orientations: numpy.ndarray | None = None

    def __len__(self) -> int:
        return len(self.species)

    def write(self, path: Path) -> None:
        """Writes extended XYZ."""
        edges = " ".join(f"{edge:.10g}" for edge in (numpy.eye(3) * self.box).ravel())
        columns = "species:S:1:pos:R:3"
        values = self.positions
        if self.orientations is not None:
            columns += ":orient:R:4"
            values = numpy.hstack([self.positions, self.orientations])
        with path.open("w", encoding="utf-8") as file:
            file.write(f'{len(self)}\nLattice="{edges}" Properties={columns} pbc="T T T"\n')
            for name, row in zip(self.species, values, strict=True):
                file.write(f"{name} {' '.join(f'{value:.8f}' for value in row)}\n")


def fill_block(count: int, lower: numpy.ndarray, upper: numpy.ndarray) -> numpy.ndarray:
    """`count` places, shape (count, 3), on a face-centered lattice in the block lower ... upper.

    The unit cells are as cubic as the block allows; surplus sites are left empty evenly. Sites lie
    at least a quarter of a cell from the faces of the block.
    """
    edges = numpy.asarray(upper, float) - lower
    basis = numpy.array([[1, 1, 1], [3, 3, 1], [3, 1, 3], [1, 3, 3]]) / 4
    density = count / edges.prod()
    cells = numpy.maximum(1, numpy.floor(edges * numpy.cbrt(density / 4)).astype(int))
    while 4 * cells.prod() < count:
        cells[numpy.argmax(edges / cells)] += 1
    grid = numpy.stack(numpy.meshgrid(*map(numpy.arange, cells), indexing="ij"), -1)
    sites = (grid.reshape(-1, 1, 3) + basis).reshape(-1, 3) * (edges / cells) + lower
    return sites[numpy.arange(count) * len(sites) // max(count, 1)]


def random_orientations(count: int, seed: int) -> numpy.ndarray:
    """Unit quaternions, uniform over all rotations, shape (count, 4)."""
    four = numpy.random.default_rng(seed).normal(size=(count, 4))
    return four / numpy.linalg.norm(four, axis=1, keepdims=True)


def read_extended_xyz(path: Path) -> Configuration:
    """The only frame of a file; raises SternaError where something else is in it."""
    require_regular(path)
    lines = path.read_text(encoding="utf-8").splitlines()
    try:
        count = int(lines[0])
        keys = dict(word.split("=", 1) for word in shlex.split(lines[1]) if "=" in word)
        lattice = numpy.array(keys["Lattice"].split(), float).reshape(3, 3)
        triples = keys.get("Properties", "species:S:1:pos:R:3").split(":")
        rows = [line.split() for line in lines[2 : 2 + count]]
        columns, at = {}, 0
        for name, width in zip(triples[::3], map(int, triples[2::3]), strict=True):
            columns[name] = slice(at, at + width)
            at += width
        if len(rows) != count or any(len(row) != at for row in rows):
            raise ValueError(f"expected {count} lines of {at} columns")
        species = [row[columns["species"]][0] for row in rows]
        positions = numpy.array([row[columns["pos"]] for row in rows], float)
        orientations = None
        if "orient" in columns:
            orientations = numpy.array([row[columns["orient"]] for row in rows], float)
    except (IndexError, KeyError, ValueError) as error:
        raise SternaError(f"{path}: not an extended XYZ file with a Lattice: {error}") from error
    if numpy.any(lattice - numpy.diag(numpy.diag(lattice))):
        raise SternaError(f"{path}: the box is not orthorhombic")
    return Configuration(numpy.diag(lattice).copy(), species, positions, orientations)


def read_last_frame(path: Path, names: list[str]) -> Configuration:
    """The last frame of a trajectory that Sterna wrote; `names` are the input's types in order.

    Lengths are those of the file (nm, or reduced), positions are wrapped into the box. Raises
    SternaError where the file is no such trajectory.
    """
    with opened(path, "not a trajectory with a frame") as file:
        group = file["particles/trajectory"]
        positions = group["position/value"][-1]
        box = group["box/edges/value"][-1]
        numbers = group["species"][()]
        orientations = group["orientation/value"][-1] if "orientation" in group else None
        if box.shape == (3, 3):
            raise SternaError(f"{path}: the box is not orthorhombic")
        positions = positions % box
        if numbers.max(initial=0) >= len(names):
            raise SternaError(f"{path}: has more species than the input has types")
        species = [names[n] for n in numbers]
    return Configuration(box, species, positions, orientations)
