"""Trajectories as objects of other packages."""

from typing import TYPE_CHECKING

import numpy

from sterna.errors import SternaError
from sterna.frames.atoms import atoms_of
from sterna.frames.recorded import Recorded
from sterna.support.libraries import library

if TYPE_CHECKING:
    import ase
    import MDAnalysis

_ANGSTROM_PER_NM = 10.0


def _need_frames(trajectory: Recorded) -> None:
    if len(trajectory) == 0:
        raise SternaError(f"{trajectory.path}: the trajectory has no frame yet", 2)


def to_mdanalysis(trajectory: Recorded, massless: bool) -> "MDAnalysis.Universe":
    """See `Trajectory.to_mdanalysis`."""
    library("MDAnalysis", "to_mdanalysis")
    from sterna.frames.mdanalysis_reader import SternaReader, universe_of

    _need_frames(trajectory)
    universe = universe_of(atoms_of(trajectory, massless))
    universe.trajectory = SternaReader(str(trajectory.path), massless=massless)
    return universe


def to_ase(trajectory: Recorded, frame: int, massless: bool) -> "ase.Atoms":
    """See `Trajectory.to_ase`."""
    ase = library("ase", "to_ase")
    units = library("ase.units", "to_ase")
    _need_frames(trajectory)
    atoms = atoms_of(trajectory, massless)
    at = atoms.at(trajectory[frame])
    scale = 1.0 if trajectory.is_reduced else _ANGSTROM_PER_NM
    made = ase.Atoms(
        symbols=[element or "X" for element in atoms.element],
        positions=scale * at.position,
        cell=scale * at.edges,
        pbc=True,
        masses=atoms.mass,
        charges=atoms.charge,
        info={"step": at.step, "time": at.time},
    )
    for name, values in (
        ("names", atoms.name), ("type_names", atoms.type), ("molecules", atoms.molecule),
        ("residuenames", numpy.array(atoms.residue_name)[atoms.residue]),
        ("residuenumbers", atoms.residue_number[atoms.residue]),
        ("insertioncodes", numpy.array(atoms.insertion_code)[atoms.residue]),
    ):  # fmt: skip
        made.set_array(name, values)
    for name, values in at.particle_fields.items():
        made.set_array(f"field_{name}" if name in made.arrays else name, values)
    if at.velocity is not None:
        per_ps = 1.0 if trajectory.is_reduced else 1.0 / (1000.0 * units.fs)
        made.set_velocities(scale * per_ps * at.velocity)
    return made


def to_mdtraj(trajectory: Recorded, massless: bool) -> object:
    """See `Trajectory.to_mdtraj`."""
    mdtraj = library("mdtraj", "to_mdtraj")
    _need_frames(trajectory)
    atoms = atoms_of(trajectory, massless)
    topology = mdtraj.Topology()
    chain, before = None, None
    residues = []
    for name, number, of_chain in zip(
        atoms.residue_name, atoms.residue_number.tolist(), atoms.chain, strict=True
    ):
        if chain is None or of_chain != before:
            chain, before = topology.add_chain(chain_id=of_chain or None), of_chain
        residues.append(topology.add_residue(name, chain, resSeq=number))
    made = [
        topology.add_atom(
            str(name),
            mdtraj.element.Element.getBySymbol(str(symbol)) if symbol else mdtraj.element.virtual,
            residues[residue],
        )
        for name, symbol, residue in zip(atoms.name, atoms.element, atoms.residue, strict=True)
    ]
    for first, second in atoms.bonds:
        topology.add_bond(made[first], made[second])
    frames = [atoms.at(frame) for frame in trajectory]
    read = mdtraj.Trajectory(
        numpy.array([frame.position for frame in frames]), topology, time=trajectory.times
    )
    read.unitcell_vectors = numpy.array([frame.edges for frame in frames])
    return read


def to_freud(trajectory: Recorded, frame: int, massless: bool) -> tuple[object, numpy.ndarray]:
    """See `Trajectory.to_freud`."""
    freud = library("freud", "to_freud", package="freud-analysis")
    _need_frames(trajectory)
    at = atoms_of(trajectory, massless).at(trajectory[frame])
    box = freud.box.Box.from_matrix(at.edges.T)
    # freud's box lies around the origin.
    return box, box.wrap(at.position - 0.5 * at.edges.sum(axis=0))
