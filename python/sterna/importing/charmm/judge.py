"""OpenMM's reading of files of CHARMM, which judges ours."""

from pathlib import Path

import numpy

from sterna.importing.charmm.charmm_system import PDB, Choices, with_namd
from sterna.importing.charmm.coordinates import read_crd, read_pdb
from sterna.importing.charmm.namd import read_binary
from sterna.importing.ended_pairs import end_pairs
from sterna.importing.notes import Notes
from sterna.importing.sources import (
    PLACES,
    Settings,
    Source,
    openmm,
    places_in,
    read_by,
    source_with,
    structure_of,
)

_EXCLUDED = {"1-3": 3, "1-4": 4, "scaled1-4": 5}  #: nbxmod of CHARMM by exclude of NAMD


def source_of(path: Path, parameters: list[Path], places: Path, choices: Choices) -> Source:
    """Raises SternaError where OpenMM cannot read the files."""
    app = openmm().app
    choices, asked = with_namd(choices, Notes())
    kept = "none" if choices.constraints == "water" else choices.constraints
    settings = Settings([], choices.cutoff, kept, choices.box)
    positions: numpy.ndarray
    if places.suffix.lower() == PDB:
        positions, edges = read_pdb(places)
        box = None if edges is None else [row * openmm().unit.nanometer for row in edges]
    elif places.suffix.lower() in PLACES:
        structure = structure_of(places)
        positions = places_in(structure)
        box = structure.topology.getPeriodicBoxVectors()
    else:
        positions = read_crd(places)
        box = None
    if asked is not None and asked.binary_coordinates is not None:
        positions = read_binary(asked.binary_coordinates, len(positions), "coordinates")
    if asked is not None and asked.box is not None:
        box = [row * openmm().unit.nanometer for row in asked.box]
    box = settings.vectors(box, places)
    names = Path(", ".join(map(str, parameters)))
    known = read_by(names, lambda: app.CharmmParameterSet(*map(str, parameters)))
    if asked is not None:
        known.e14fac, known.nbxmod = asked.factor_14, _EXCLUDED[asked.exclude]
    topology = read_by(path, lambda: app.CharmmPsfFile(str(path), periodicBoxVectors=box))
    system = read_by(path, lambda: topology.createSystem(known, **settings.of_openmm()))
    if asked is not None:
        end_pairs(system, asked.interaction)
    return source_with(topology.topology, system, positions, (path, places), settings)
