"""OpenMM's reading of files of CHARMM, which judges ours."""

from pathlib import Path

import numpy

from sterna.importing.charmm.charmm_system import Choices
from sterna.importing.charmm.coordinates import read_crd
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


def source_of(path: Path, parameters: list[Path], places: Path, choices: Choices) -> Source:
    """Raises SternaError where OpenMM cannot read the files."""
    app = openmm().app
    kept = "none" if choices.constraints == "water" else choices.constraints
    settings = Settings([], choices.cutoff, kept, choices.box)
    positions: numpy.ndarray
    if places.suffix.lower() in PLACES:
        structure = structure_of(places)
        positions = places_in(structure)
        box = settings.vectors(structure.topology.getPeriodicBoxVectors(), places)
    else:
        positions = read_crd(places)
        box = settings.vectors(None, places)
    names = Path(", ".join(map(str, parameters)))
    known = read_by(names, lambda: app.CharmmParameterSet(*map(str, parameters)))
    topology = read_by(path, lambda: app.CharmmPsfFile(str(path), periodicBoxVectors=box))
    system = read_by(path, lambda: topology.createSystem(known, **settings.of_openmm()))
    return source_with(topology.topology, system, positions, (path, places), settings)
