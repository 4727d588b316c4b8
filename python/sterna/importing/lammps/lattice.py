"""The command lattice: places of atoms, and the lengths that other commands count in.

Source: https://docs.lammps.org/lattice.html. Operations stand in LAMMPS's order, since rounding
decides which atoms lie on a face of a region.
"""

import math
from dataclasses import dataclass, field

import numpy

from sterna.importing.lammps.command import Command

_Point = tuple[float, float, float]

_BASES: dict[str, list[_Point]] = {
    "none": [],
    "custom": [],
    "sc": [(0.0, 0.0, 0.0)],
    "bcc": [(0.0, 0.0, 0.0), (0.5, 0.5, 0.5)],
    "fcc": [(0.0, 0.0, 0.0), (0.5, 0.5, 0.0), (0.5, 0.0, 0.5), (0.0, 0.5, 0.5)],
    "hcp": [(0.0, 0.0, 0.0), (0.5, 0.5, 0.0), (0.5, 5.0 / 6.0, 0.5), (0.0, 1.0 / 3.0, 0.5)],
    "diamond": [
        (0.0, 0.0, 0.0), (0.0, 0.5, 0.5), (0.5, 0.0, 0.5), (0.5, 0.5, 0.0),
        (0.25, 0.25, 0.25), (0.25, 0.75, 0.75), (0.75, 0.25, 0.75), (0.75, 0.75, 0.25),
    ],
}  # fmt: skip


@dataclass
class Lattice:
    """`spacing`: the factors from lattice units along x, y and z to lengths."""

    basis: list[_Point] = field(default_factory=list)  #: none: no atoms can be made
    scale: float = 1.0
    primitive: numpy.ndarray = field(default_factory=lambda: numpy.eye(3))  #: vectors as columns
    rotation: numpy.ndarray = field(default_factory=lambda: numpy.eye(3))
    spacing: _Point = (1.0, 1.0, 1.0)
    origin: _Point = (0.0, 0.0, 0.0)

    def places(self, cells: numpy.ndarray) -> numpy.ndarray:
        """Box coordinates of points in cells, (n, 3)."""
        p, r = self.primitive, self.rotation
        x, y, z = cells[:, 0], cells[:, 1], cells[:, 2]
        a, b, c = ((p[k, 0] * x + p[k, 1] * y + p[k, 2] * z) * self.scale for k in range(3))
        return numpy.stack(
            [
                (r[k, 0] * a + r[k, 1] * b + r[k, 2] * c) + self.spacing[k] * self.origin[k]
                for k in range(3)
            ],
            axis=1,
        )

    def cells(self, places: numpy.ndarray) -> numpy.ndarray:
        """The inverse of `places`."""
        offset = numpy.array(self.spacing) * self.origin
        matrix = self.rotation @ self.primitive * self.scale
        return numpy.linalg.solve(matrix, (places - offset).T).T


def read_lattice(command: Command, is_reduced: bool) -> Lattice:
    """`is_reduced`: the scale is a density. Raises SternaError with line and column."""
    style = command.word(0, "a lattice")
    if style in ("sq", "sq2", "hex"):
        command.fail(0, f"the lattice {style} is of two dimensions, which Sterna does not have")
    if style not in _BASES:
        command.unknown(0, "lattice", [*_BASES])
    scale = command.number(1, "the scale of the lattice")
    if scale <= 0.0:
        command.fail(1, "the scale of the lattice must be positive")
    made = Lattice([*_BASES[style]], scale)
    if style == "none":
        command.expect_end(2, "lattice none SCALE")
        return Lattice(spacing=(scale, scale, scale))
    if style == "hcp":
        made.primitive = numpy.diag([1.0, math.sqrt(3.0), math.sqrt(8.0 / 3.0)])
    orient = numpy.eye(3)
    spacing = None
    words, k = command.arguments, 2
    while k < len(words):
        word = words[k]
        if word == "orient":
            axis = command.word(k + 1, "an axis")
            if axis not in ("x", "y", "z"):
                command.unknown(k + 1, "axis", ["x", "y", "z"])
            orient["xyz".index(axis)] = [
                command.integer(k + 2 + n, "a component", -(10**6), 10**6) for n in range(3)
            ]
            k += 5
            continue
        if word not in ("origin", "spacing", "a1", "a2", "a3", "basis"):
            known = ["origin", "orient", "spacing", "a1", "a2", "a3", "basis"]
            command.unknown(k, "key of lattice", known)
        if word in ("a1", "a2", "a3", "basis") and style != "custom":
            command.fail(k, f"{word} goes with the lattice custom only")
        x, y, z = (command.number(k + 1 + n, f"a component of {word}") for n in range(3))
        if word in ("origin", "basis") and not all(0.0 <= one < 1.0 for one in (x, y, z)):
            command.fail(k + 1, f"the components of {word} are from 0 to below 1")
        if word == "origin":
            made.origin = (x, y, z)
        elif word == "spacing":
            spacing = (x, y, z)
        elif word == "basis":
            made.basis.append((x, y, z))
        else:
            made.primitive[:, int(word[1]) - 1] = (x, y, z)
        k += 4
    _check(command, made, orient, spacing)
    if is_reduced:
        a1, a2, a3 = made.primitive.T
        made.scale = (len(made.basis) / float(a1 @ numpy.cross(a2, a3)) / scale) ** (1.0 / 3.0)
    made.rotation = orient / numpy.sqrt((orient * orient).sum(axis=1))[:, None]
    if spacing is not None:
        made.spacing = tuple(made.scale * one for one in spacing)
    else:
        corners = numpy.array([[i, j, k] for i in (0, 1) for j in (0, 1) for k in (0, 1)], float)
        origin, made.origin = made.origin, (0.0, 0.0, 0.0)
        extent = numpy.ptp(made.places(corners), axis=0)
        made.spacing, made.origin = tuple(float(one) for one in extent), origin
    return made


def _check(command: Command, made: Lattice, orient: numpy.ndarray, spacing: _Point | None) -> None:
    if not made.basis:
        command.line.fail(None, "the lattice custom has no atoms; expected `basis x y z`")
    if numpy.linalg.det(made.primitive) <= 0.0:
        command.line.fail(None, "the vectors a1, a2 and a3 span no right-handed cell")
    products = orient @ orient.T
    if (products != numpy.diag(numpy.diag(products))).any() or numpy.linalg.det(orient) <= 0.0:
        command.line.fail(None, "the vectors of orient must be orthogonal and right-handed")
    if spacing is not None and min(spacing) <= 0.0:
        command.line.fail(None, "the components of spacing must be positive")
