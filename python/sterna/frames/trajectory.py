"""Trajectories that Sterna wrote, as atoms and as objects of other packages."""

from typing import TYPE_CHECKING

import numpy

from sterna.frames import interop
from sterna.frames.atoms import Atoms, atoms_of, particles_of
from sterna.frames.recorded import NO_TRAJECTORY, Recorded, TrajectoryFrame
from sterna.support.damage import reading

if TYPE_CHECKING:
    import ase
    import MDAnalysis

__all__ = ["Trajectory", "TrajectoryFrame"]


class Trajectory(Recorded):
    """A trajectory; frames are read when they are asked for.

    >>> trajectory = sterna.Trajectory("output/spce.h5md")
    >>> trajectory[-1].position  # a NumPy array
    >>> universe = trajectory.to_mdanalysis()  # with the atoms of rigid molecules

    Raises SternaError where the file is none that Sterna wrote.
    """

    def atoms(self, massless: bool = True) -> Atoms:
        """What can be seen: particles, and the sites of rigid molecules as atoms.

        Sites without mass, such as the charge of TIP4P beside its oxygen, are left out where
        `massless` is False.
        """
        return atoms_of(self, massless)

    def particles(self) -> Atoms:
        """The particles as such: rigid molecules are points."""
        with reading(self.path, NO_TRAJECTORY):
            return particles_of(self)

    def particles_whole(self, frame: TrajectoryFrame) -> numpy.ndarray:
        """(n, 3), particles in a frame, each atom of a flexible molecule beside one it is bonded to."""
        atoms = self.atoms() if "molecules" in self.description else self.particles()
        return atoms.at(frame).position

    def to_mdanalysis(self, massless: bool = True) -> "MDAnalysis.Universe":
        """A universe with names, elements, masses, charges and bonds; frames are read when needed.

        In angstrom and ps, or in reduced units as they are. Molecules are whole.
        """
        return interop.to_mdanalysis(self, massless)

    def to_ase(self, frame: int = -1, massless: bool = True) -> "ase.Atoms":
        """One frame as `ase.Atoms`, in angstrom and eV, or in reduced units as they are."""
        return interop.to_ase(self, frame, massless)

    def to_mdtraj(self, massless: bool = True) -> object:
        """All frames as an `mdtraj.Trajectory`, which holds them in memory; in nm and ps."""
        return interop.to_mdtraj(self, massless)

    def to_freud(self, frame: int = -1, massless: bool = True) -> tuple[object, numpy.ndarray]:
        """Box and points of one frame, as freud's methods take them: (`freud.box.Box`, (n, 3)).

        In nm, or reduced.
        """
        return interop.to_freud(self, frame, massless)
