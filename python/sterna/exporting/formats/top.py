"""GROMACS's topology, and beside it places (`.gro`, twelve decimals) and run parameters (`.mdp`)."""

from pathlib import Path

import numpy

from sterna.errors import SternaError
from sterna.exporting.gromacs.places import gro_text
from sterna.exporting.gromacs.position_restraints import PositionRestraints, position_restraints
from sterna.exporting.gromacs.run_parameters import RunParameters
from sterna.exporting.gromacs.topology import Topology
from sterna.exporting.model import require_input_of
from sterna.exporting.quantities import Quantities
from sterna.exporting.table import Export, Format


def _start(export: Export) -> tuple[numpy.ndarray, numpy.ndarray] | None:
    """Positions and edges of the box in step 0."""
    steps = export.trajectory.steps
    if len(steps) == 0 or steps[0] != 0:
        return None
    frame = export.all_atoms.at(export.trajectory[0])
    return frame.position, frame.edges


def _write(path: Path, export: Export) -> None:
    atoms = export.atoms
    if export.chosen is not None or export.centers:
        raise SternaError(
            "a topology has all atoms; --select and --centers are for other formats", 2
        )
    if not export.force_field:
        raise SternaError("a topology is the force field; .gro has places only", 2)
    sections, folders = export.given_input or require_input_of(export.trajectory)
    quantities = Quantities(sections.get("units", "reduced"), "nano", 1.0, 1.0)
    restraints = PositionRestraints()
    if "restraint" in sections:
        restraints = position_restraints(
            sections, folders, atoms, export.trajectory.id, _start(export), quantities
        )
    topology = Topology(sections, folders, export.trajectory, atoms, quantities, restraints)
    (frame,) = export.frames()
    parameters = RunParameters(
        sections, quantities, frame.velocity is not None, atoms.has_sites,
        topology.constraint_algorithm, restraints.scaling if restraints.springs else None,
        abs(float(numpy.linalg.det(frame.edges))), topology.degrees_of_freedom,
        list(restraints.notes),
    )  # fmt: skip
    title = f"{export.trajectory.path.stem}, t= {frame.time:g} step= {frame.step}"
    path.write_text(topology.text(title), encoding="utf-8")
    export.beside[".gro"] = gro_text(title, atoms, frame.position, frame.velocity, frame.edges)
    export.beside[".mdp"] = parameters.text(title)
    if restraints.places is not None and restraints.edges is not None:
        export.beside["_reference.gro"] = gro_text(
            title, atoms, restraints.places, None, restraints.edges
        )
    export.notes += parameters.notes


FORMAT = Format(
    "top", "GROMACS's topology, with places (.gro) and run parameters (.mdp) beside it", _write,
    single=True, is_system=True,
)  # fmt: skip
