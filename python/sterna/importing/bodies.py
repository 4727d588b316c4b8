"""Rigid molecules of a system as bodies: a center of mass and an orientation in place of atoms."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy

from sterna.importing.rigid import kabsch, quaternions

if TYPE_CHECKING:
    from sterna.importing.system import System


@dataclass(frozen=True)
class Body:
    """A `[[component]]`, and its atoms in its frame: the center of mass is the origin, and the axes are
    the principal axes of inertia."""

    name: str
    sites: list[dict[str, Any]]  #: `[[component.site]]`s
    places: numpy.ndarray  #: (atoms, 3)
    masses: numpy.ndarray  #: (atoms,); 0 of virtual sites

    @property
    def size(self) -> float:
        """The radius of gyration, by which torques become forces."""
        return float(numpy.sqrt(self.masses @ (self.places**2).sum(axis=1) / self.masses.sum()))

    def section(self) -> dict[str, Any]:
        return {"name": self.name, "site": self.sites}


def in_principal_axes(places: numpy.ndarray, masses: numpy.ndarray) -> numpy.ndarray:
    """Places of atoms about their center of mass, along their principal axes."""
    arms = places - masses @ places / masses.sum()
    squares = numpy.einsum("n,ni,nj->ij", masses, arms, arms)
    axes = numpy.linalg.eigh(numpy.trace(squares) * numpy.eye(3) - squares)[1]
    axes[:, 2] = numpy.cross(axes[:, 0], axes[:, 1])
    return arms @ axes


@dataclass(frozen=True)
class Placed:
    """All particles of a system, of which some are bodies."""

    centers: numpy.ndarray  #: (particles, 3)
    turns: numpy.ndarray  #: (particles, 3, 3), from the body's frame; of atoms the identity
    #: (particles,): root mean square distance of the atoms from those of the body
    differences: numpy.ndarray

    @property
    def orientations(self) -> numpy.ndarray:
        return quaternions(self.turns)


@dataclass
class Bodies:
    """What a system with bodies was before, and which atoms each of its particles has."""

    original: "System"
    atoms: list[list[int]]  #: of the original system, of each particle
    kinds: list[Body | None]  #: of each particle; None: an atom
    orientations: numpy.ndarray  #: (particles, 4), quaternions (w, x, y, z)
    angular_momenta: numpy.ndarray | None  #: (particles, 3)

    def components(self) -> list[Body]:
        return list({one.name: one for one in self.kinds if one is not None}.values())

    def of_kinds(self) -> list[tuple[Body, numpy.ndarray, numpy.ndarray]]:
        """Each component, its particles, and their atoms, (particles, atoms)."""
        members: dict[str, list[int]] = {}
        for particle, kind in enumerate(self.kinds):
            if kind is not None:
                members.setdefault(kind.name, []).append(particle)
        by_name = {kind.name: kind for kind in self.components()}
        return [
            (by_name[name], numpy.array(some), numpy.array([self.atoms[k] for k in some]))
            for name, some in members.items()
        ]

    def lone(self) -> tuple[numpy.ndarray, numpy.ndarray]:
        """The particles that are atoms, and which atoms they are."""
        found = [k for k, kind in enumerate(self.kinds) if kind is None]
        return numpy.array(found, int), numpy.array([self.atoms[k][0] for k in found], int)

    def placed(self, positions: numpy.ndarray) -> Placed:
        """The bodies that are nearest to atoms at these positions."""
        count = len(self.kinds)
        centers, turns = numpy.zeros((count, 3)), numpy.tile(numpy.eye(3), (count, 1, 1))
        differences = numpy.zeros(count)
        particles, atoms = self.lone()
        centers[particles] = positions[atoms]
        edges = self.original.box
        for body, particles, atoms in self.of_kinds():
            heavy = body.masses > 0.0
            masses, places = body.masses[heavy], body.places[heavy]
            there = positions[atoms[:, heavy]]
            arms = there - there[:, :1]
            there = there - numpy.rint(arms @ numpy.linalg.inv(edges)) @ edges
            centers[particles] = numpy.average(there, axis=1, weights=masses)
            arms = there - centers[particles][:, None]
            turns[particles] = kabsch(places, arms, masses)
            off = arms - numpy.einsum("nij,sj->nsi", turns[particles], places)
            differences[particles] = numpy.sqrt((off**2).sum(axis=2).mean(axis=1))
        return Placed(centers, turns, differences)

    def positions_of(self, placed: Placed) -> numpy.ndarray:
        """(atoms, 3): where the atoms of these particles are."""
        positions = numpy.zeros_like(self.original.positions)
        particles, atoms = self.lone()
        positions[atoms] = placed.centers[particles]
        for body, particles, atoms in self.of_kinds():
            arms = numpy.einsum("nij,sj->nsi", placed.turns[particles], body.places)
            positions[atoms] = placed.centers[particles][:, None] + arms
        return positions

    def motion(
        self, placed: Placed, velocities: numpy.ndarray
    ) -> tuple[numpy.ndarray, numpy.ndarray]:
        """Velocities of centers of mass, and angular momenta, both (particles, 3), of atoms with these
        velocities."""
        own, momenta = numpy.zeros((2, len(self.kinds), 3))
        particles, atoms = self.lone()
        own[particles] = velocities[atoms]
        for body, particles, atoms in self.of_kinds():
            there = velocities[atoms]
            own[particles] = numpy.average(there, axis=1, weights=body.masses)
            arms = numpy.einsum("nij,sj->nsi", placed.turns[particles], body.places)
            relative = body.masses[:, None] * (there - own[particles][:, None])
            momenta[particles] = numpy.cross(arms, relative).sum(axis=1)
        return own, momenta

    def forces_of(self, placed: Placed, forces: numpy.ndarray) -> numpy.ndarray:
        """(2 particles, 3): forces on particles, and torques on bodies over the body's size, by forces on
        atoms."""
        total, torques = numpy.zeros((2, len(self.kinds), 3))
        particles, atoms = self.lone()
        total[particles] = forces[atoms]
        for body, particles, atoms in self.of_kinds():
            arms = numpy.einsum("nij,sj->nsi", placed.turns[particles], body.places)
            total[particles] = forces[atoms].sum(axis=1)
            torques[particles] = numpy.cross(arms, forces[atoms]).sum(axis=1) / body.size
        return numpy.concatenate([total, torques])

    def sizes(self) -> numpy.ndarray:
        """(particles,): sizes of bodies; 1 of atoms."""
        return numpy.array([1.0 if kind is None else kind.size for kind in self.kinds])
