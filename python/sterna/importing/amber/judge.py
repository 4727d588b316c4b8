"""OpenMM's reading of AMBER's files, corrected to AMBER's own results; it judges the import."""

import math
from pathlib import Path
from typing import Any

from sterna.importing import coulomb
from sterna.importing.amber.amber_system import Choices, with_mdin
from sterna.importing.amber.phases import rounded_phase
from sterna.importing.ended_pairs import end_pairs
from sterna.importing.forces import scale_charges
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

#: The constraints of OpenMM, by those of an mdin.
_CONSTRAINTS = {"h-bonds": "hydrogen", "all-bonds": "all"}


def source_of(path: Path, places: Path, choices: Choices) -> Source:
    """Raises SternaError where OpenMM cannot read the files."""
    choices, asked = with_mdin(choices, Notes())
    kept = _CONSTRAINTS.get(choices.constraints, choices.constraints)
    settings = Settings([], choices.cutoff, kept, choices.box)
    app = openmm().app
    if places.suffix.lower() in PLACES:
        found = structure_of(places)
        box = found.topology.getPeriodicBoxVectors()
    else:
        found = read_by(places, lambda: app.AmberInpcrdFile(str(places)))
        box = found.boxVectors
    topology = read_by(path, lambda: app.AmberPrmtopFile(str(path), periodicBoxVectors=box))
    if box is None:  # the box of the topology, if it has one
        box = topology.topology.getPeriodicBoxVectors()
        box = settings.vectors(box, places, "its lengths in the last line, or ")
        topology = read_by(path, lambda: app.AmberPrmtopFile(str(path), periodicBoxVectors=box))
    system = read_by(path, lambda: topology.createSystem(**settings.of_openmm()))
    _turn_lone_pairs(system)
    _take_phases_for_pi(system)
    if topology._prmtop.chamber:
        # Charges have another unit, by CHARMM's constant, which OpenMM does not know.
        scale_charges(system, math.sqrt(coulomb.OF_AMBER / coulomb.OF_CHARMM))
    if asked is not None:
        end_pairs(system, asked.interaction)
    return source_with(topology.topology, system, places_in(found), (path, places), settings)


def _turn_lone_pairs(system: Any) -> None:
    """Brings the two sites of five-point water to where AMBER has them, away from the hydrogen atoms.

    OpenMM 8.6 puts them on the side of the hydrogen atoms (amber_file_parser.py), 0.08 nm away from
    where LEaP writes them.
    """
    mm = openmm()
    for k in range(system.getNumParticles()):
        if not system.isVirtualSite(k) or not isinstance(
            system.getVirtualSite(k), mm.OutOfPlaneSite
        ):
            continue
        site = system.getVirtualSite(k)
        weights = site.getWeight12(), site.getWeight13(), site.getWeightCross()
        if weights[0] > 0.0:
            atoms = (site.getParticle(n) for n in range(3))
            system.setVirtualSite(k, mm.OutOfPlaneSite(*atoms, *(-weight for weight in weights)))


def _take_phases_for_pi(system: Any) -> None:
    """Rounds phases of torsions as AMBER does, which LEaP writes as 3.141594 (`dihpar` of sander)."""
    mm = openmm()
    for force in system.getForces():
        if not isinstance(force, mm.PeriodicTorsionForce):
            continue
        for n in range(force.getNumTorsions()):
            *atoms, multiplicity, phase, amplitude = force.getTorsionParameters(n)
            taken = rounded_phase(phase.value_in_unit(mm.unit.radian))
            force.setTorsionParameters(n, *atoms, multiplicity, taken, amplitude)
