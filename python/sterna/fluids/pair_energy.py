"""The energy of two rigid molecules, for many places and orientations at once in NumPy.

Idea: the sites of all samples are arrays with the samples along the last axis; each pair of sites is a
few operations on whole arrays. The formulas are those of the engine (docs/howto/molecules.md), which
the tests compare to 1e-12.
Cost: some 15 operations for a pair of sites. Hazards: a model with a charge that no repulsion covers
has no lowest energy; where one pair of Lennard-Jones sites is above `hard`, or all are below minus
`hard`, the two overlap.
"""

from collections.abc import Iterable

import numpy

from sterna.fluids.pair_model import Molecule, PairModel

_NEAREST = 1e-12  #: of squared distances, so that nothing divides by 0


def euler_turns(around: numpy.ndarray, tilt: numpy.ndarray, spin: numpy.ndarray) -> numpy.ndarray:
    """Rotation matrices (3, 3, n) from numbers between 0 and 1, each (n): about z by `spin`, away
    from z by `tilt`, about z by `around`. Even numbers give rotations that are even over all.
    """
    a, c = 2.0 * numpy.pi * around, 2.0 * numpy.pi * spin
    cos_b = 1.0 - 2.0 * tilt
    sin_b = numpy.sqrt(numpy.maximum(0.0, 1.0 - cos_b**2))
    cos_a, sin_a, cos_c, sin_c = numpy.cos(a), numpy.sin(a), numpy.cos(c), numpy.sin(c)
    return numpy.array([
        [cos_a * cos_b * cos_c - sin_a * sin_c, -cos_a * cos_b * sin_c - sin_a * cos_c, cos_a * sin_b],
        [sin_a * cos_b * cos_c + cos_a * sin_c, -sin_a * cos_b * sin_c + cos_a * cos_c, sin_a * sin_b],
        [-sin_b * cos_c, sin_b * sin_c, cos_b],
    ])  # fmt: skip


def matrices(q: numpy.ndarray) -> numpy.ndarray:
    """Matrices (3, 3, n) that turn from the body frame to the laboratory, of unit quaternions (4, n)."""
    w, x, y, z = q
    return numpy.array([
        [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
    ])  # fmt: skip


class TurnedMolecule:
    """Sites of a molecule in many orientations, as offsets from its center: (sites, 3, n)."""

    def __init__(self, molecule: Molecule, turns: numpy.ndarray | None) -> None:
        def turned(vectors: numpy.ndarray) -> numpy.ndarray:
            if turns is None:
                return vectors[:, :, None]
            return numpy.einsum("ijn,sj->sin", turns, vectors)

        self.wells = turned(molecule.wells)
        self.charges = turned(molecule.charges)
        self.dipoles = turned(molecule.dipoles)
        self.dipole = turned(molecule.dipole)
        self.quadrupoles = turned(molecule.quadrupoles)
        self.quadrupole_axis = turned(molecule.quadrupole_axis)

    def replace(self, other: "TurnedMolecule", where: numpy.ndarray) -> None:
        """Takes over the samples of `other` where the mask of samples says so."""
        for name, own in vars(self).items():
            if own.size and own.shape[-1] > 1:
                numpy.copyto(own, getattr(other, name), where=where)


class PairEnergy:
    """The energy of a molecule `a` and a molecule `b`. `hard`: from this energy on they overlap."""

    def __init__(self, model: PairModel, a: int, b: int, hard: float) -> None:
        self.a, self.b = model.molecules[a], model.molecules[b]
        self._hard = hard
        self._ending = model.ending
        self._coulomb = model.coulomb
        self._epsilon, self._sigma = model.wells_between(self.a, self.b)
        # 4 epsilon (s^2 - s) = hard at (sigma / r)^6 = s; without attraction it has no core.
        with numpy.errstate(divide="ignore"):
            s = 0.5 * (1.0 + numpy.sqrt(1.0 + hard / self._epsilon))
        self._core = self._sigma**2 / numpy.cbrt(s)
        self._shift = numpy.zeros_like(self._sigma)
        if self._ending.shifted:
            end = (self._sigma / self._ending.cutoff) ** 6
            self._shift = 4.0 * self._epsilon * end * (end - 1.0)

    def energy(
        self, apart: numpy.ndarray, a: TurnedMolecule, b: TurnedMolecule
    ) -> tuple[numpy.ndarray, numpy.ndarray]:
        """The energy and its electrostatic part, arrays (n); infinite energies where they overlap.

        `apart`: (3, n), from the center of b to that of a.
        """
        count = max(apart.shape[-1], a.wells.shape[-1], b.wells.shape[-1])
        wells, overlaps = self._lennard_jones(apart, a, b, count)
        electric = numpy.zeros(count)
        for part in self._electric(apart, a, b):
            electric += part
        electric *= self._coulomb
        energy = wells + electric
        overlaps |= energy < -self._hard
        energy[overlaps] = numpy.inf
        return energy, electric

    def _lennard_jones(
        self, apart: numpy.ndarray, a: TurnedMolecule, b: TurnedMolecule, count: int
    ) -> tuple[numpy.ndarray, numpy.ndarray]:
        energy, overlaps = numpy.zeros(count), numpy.zeros(count, bool)
        far = (apart**2).sum(0) > self._ending.cutoff**2
        for i, j in numpy.argwhere(self._epsilon > 0.0):
            squared = _squared(apart + a.wells[i] - b.wells[j])
            overlaps |= squared < self._core[i, j]
            s = self._sigma[i, j] ** 2 / squared
            s = s * s * s
            part = 4.0 * self._epsilon[i, j] * s * (s - 1.0) - self._shift[i, j]
            if self._ending.by_site:
                part = numpy.where(squared > self._ending.cutoff**2, 0.0, part)
            energy += part
        if not self._ending.by_site:
            energy[numpy.broadcast_to(far, count)] = 0.0
        return energy, overlaps

    def _electric(
        self, apart: numpy.ndarray, a: TurnedMolecule, b: TurnedMolecule
    ) -> Iterable[numpy.ndarray]:
        here, there = self.a, self.b
        for i in range(len(here.charges)):
            for j in range(len(there.charges)):
                y, _ = _direction(apart + a.charges[i] - b.charges[j])
                yield here.charge[i] * there.charge[j] * y
            for j in range(len(there.dipoles)):
                y, n = _direction(apart + a.charges[i] - b.dipoles[j])
                yield here.charge[i] * y**2 * _dot(b.dipole[j], n)
            for j in range(len(there.quadrupoles)):
                y, n = _direction(apart + a.charges[i] - b.quadrupoles[j])
                yield _charge_quadrupole(
                    here.charge[i] * there.quadrupole[j], y, b.quadrupole_axis[j], n
                )
        for i in range(len(here.dipoles)):
            for j in range(len(there.charges)):
                y, n = _direction(apart + a.dipoles[i] - b.charges[j])
                yield -there.charge[j] * y**2 * _dot(a.dipole[i], n)
            for j in range(len(there.dipoles)):
                y, n = _direction(apart + a.dipoles[i] - b.dipoles[j])
                g = _dot(a.dipole[i], b.dipole[j])
                yield y**3 * (g - 3.0 * _dot(a.dipole[i], n) * _dot(b.dipole[j], n))
            for j in range(len(there.quadrupoles)):
                y, n = _direction(apart + a.dipoles[i] - b.quadrupoles[j])
                yield there.quadrupole[j] * _on_dipole(y, b.quadrupole_axis[j], a.dipole[i], n)
        for i in range(len(here.quadrupoles)):
            axis, moment = a.quadrupole_axis[i], here.quadrupole[i]
            for j in range(len(there.charges)):
                y, n = _direction(apart + a.quadrupoles[i] - b.charges[j])
                yield _charge_quadrupole(moment * there.charge[j], y, axis, n)
            for j in range(len(there.dipoles)):
                y, n = _direction(apart + a.quadrupoles[i] - b.dipoles[j])
                yield moment * _on_dipole(y, axis, b.dipole[j], -n)
            for j in range(len(there.quadrupoles)):
                y, n = _direction(apart + a.quadrupoles[i] - b.quadrupoles[j])
                p, q = _dot(axis, n), _dot(b.quadrupole_axis[j], n)
                g = _dot(axis, b.quadrupole_axis[j])
                shape = 1.0 + 2.0 * g * g - 5.0 * (p * p + q * q + 4.0 * g * p * q)
                yield 0.75 * moment * there.quadrupole[j] * y**5 * (shape + 35.0 * (p * q) ** 2)


def _squared(d: numpy.ndarray) -> numpy.ndarray:
    return numpy.maximum(d[0] * d[0] + d[1] * d[1] + d[2] * d[2], _NEAREST)


def _direction(d: numpy.ndarray) -> tuple[numpy.ndarray, numpy.ndarray]:
    """One over the distance, and the unit vector."""
    y = 1.0 / numpy.sqrt(_squared(d))
    return y, y * d


def _dot(a: numpy.ndarray, b: numpy.ndarray) -> numpy.ndarray:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _charge_quadrupole(
    strength: float, y: numpy.ndarray, axis: numpy.ndarray, n: numpy.ndarray
) -> numpy.ndarray:
    return 0.5 * strength * y**3 * (3.0 * _dot(axis, n) ** 2 - 1.0)


def _on_dipole(
    y: numpy.ndarray, axis: numpy.ndarray, dipole: numpy.ndarray, n: numpy.ndarray
) -> numpy.ndarray:
    """What a quadrupole of strength 1 does to a dipole in the direction n from it."""
    c, t, g = _dot(axis, n), _dot(dipole, n), _dot(dipole, axis)
    return 1.5 * y**4 * (2.0 * c * g + t * (1.0 - 5.0 * c * c))
