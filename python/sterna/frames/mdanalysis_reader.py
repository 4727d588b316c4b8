"""Sterna's trajectories for MDAnalysis, with the sites of rigid molecules as atoms."""

from collections.abc import Mapping

import numpy
from MDAnalysis import Universe
from MDAnalysis.coordinates.base import ReaderBase
from MDAnalysis.lib.mdamath import triclinic_box

from sterna.frames.atoms import Atoms, atoms_of
from sterna.frames.recorded import Recorded

_ANGSTROM_PER_NM = 10.0


class SternaReader(ReaderBase):
    """Frames are read when MDAnalysis asks for them. In angstrom and ps, or reduced as they are."""

    format = "STERNA"
    units: Mapping[str, str | None] = {"time": None, "length": None}  # noqa: RUF012

    def __init__(self, filename: str, massless: bool = True, **keys: object) -> None:
        super().__init__(filename, **keys)
        self._trajectory = Recorded(filename)
        self._atoms = atoms_of(self._trajectory, massless)
        self._scale = 1.0 if self._trajectory.is_reduced else _ANGSTROM_PER_NM
        self.n_atoms = len(self._atoms)
        times = self._trajectory.times
        if len(times) > 1:
            self._ts_kwargs.setdefault("dt", float(times[1] - times[0]))
        self._reopen()
        self._read_frame(0)

    @property
    def n_frames(self) -> int:
        return len(self._trajectory)

    def _reopen(self) -> None:
        self.ts = self._Timestep(self.n_atoms, **self._ts_kwargs)
        self.ts.frame = -1

    def _read_next_timestep(self, ts: object = None) -> object:
        if self.ts.frame + 1 >= self.n_frames:
            raise OSError("there is no further frame")
        return self._read_frame(self.ts.frame + 1)

    def _read_frame(self, number: int) -> object:
        frame = self._atoms.at(self._trajectory[number])
        ts = self.ts
        ts.frame = number
        ts.time = frame.time
        ts.data["step"] = frame.step
        ts.positions = self._scale * frame.position
        if frame.velocity is not None:
            ts.velocities = self._scale * frame.velocity
        if frame.force is not None:
            ts.forces = frame.force / self._scale
        ts.dimensions = triclinic_box(*(self._scale * frame.edges))
        return ts

    def close(self) -> None:
        """No file is open between frames."""


def universe_of(atoms: Atoms) -> Universe:
    """A universe without coordinates."""
    # A chain is a segment as long as it lasts: water may be in one that was there before.
    segments: list[str] = []
    segment_of: list[int] = []
    for chain in atoms.chain:
        if not segments or segments[-1] != chain:
            segments.append(chain)
        segment_of.append(len(segments) - 1)
    made = Universe.empty(
        len(atoms),
        n_residues=len(atoms.residue_name),
        n_segments=len(segments),
        atom_resindex=atoms.residue,
        residue_segindex=segment_of,
    )
    made.add_TopologyAttr("names", atoms.name.tolist())
    made.add_TopologyAttr("types", atoms.type.tolist())
    made.add_TopologyAttr("elements", atoms.element.tolist())
    made.add_TopologyAttr("masses", atoms.mass)
    made.add_TopologyAttr("charges", atoms.charge)
    made.add_TopologyAttr("resnames", atoms.residue_name)
    made.add_TopologyAttr("resids", atoms.residue_number)
    made.add_TopologyAttr("icodes", atoms.insertion_code)
    made.add_TopologyAttr("segids", [segment or "SYSTEM" for segment in segments])
    # Atoms without a chain are in chain X of a PDB file; a longer name is only that of the segment.
    chains = numpy.array([c if len(c) == 1 and c.isalnum() else "X" for c in atoms.chain])
    made.add_TopologyAttr("chainIDs", chains[atoms.residue].tolist())
    molecules = numpy.zeros(len(atoms.residue_name), int)
    molecules[atoms.residue] = atoms.molecule
    made.add_TopologyAttr("molnums", molecules)
    made.add_TopologyAttr("bonds", [tuple(pair) for pair in atoms.bonds.tolist()])
    return made
