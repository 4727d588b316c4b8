"""Reads files of other programs by OpenMM."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy

from sterna.errors import SternaError


def openmm() -> Any:
    """The package, which the user may not have installed."""
    try:
        import openmm.app
        import openmm.unit
    except ImportError as error:
        raise SternaError(
            "sterna import reads the files of other programs by OpenMM, which is not installed: "
            'pip install "sterna[import]"'
        ) from error
    return openmm


@dataclass
class Source:
    """What was read. Lengths in nm, velocities in nm/ps."""

    topology: Any  #: openmm.app.Topology
    system: Any  #: openmm.System
    positions: numpy.ndarray  #: (atoms, 3)

    @property
    def box(self) -> numpy.ndarray:
        """The box vectors as rows."""
        nanometer = openmm().unit.nanometer
        vectors = self.system.getDefaultPeriodicBoxVectors()
        return numpy.array([vector.value_in_unit(nanometer) for vector in vectors])


def read(
    files: Sequence[Path], force_fields: Sequence[str], cutoff: float, constraints: str
) -> Source:
    """Reads one system.

    `force_fields` are for a PDB or mmCIF file; `cutoff` (nm) and `constraints` ("none", "hydrogen",
    "all") are for what has no serialized system, which brings its own. Raises SternaError, naming
    the file.
    """
    for path in files:
        if not path.is_file():
            raise SternaError(f"the file {path} does not exist or is no file", status=2)
    by_suffix = {path.suffix.lower(): path for path in files}
    if len(by_suffix) < len(files):
        raise SternaError("two of the files are of one format; expected one of each", status=2)
    suffixes = set(by_suffix)
    coordinates = by_suffix.get(".pdb") or by_suffix.get(".cif")
    if suffixes in ({".xml", ".pdb"}, {".xml", ".cif"}):
        return _serialized(by_suffix[".xml"], coordinates)
    if suffixes in ({".pdb"}, {".cif"}) and force_fields:
        return _by_force_field(coordinates, force_fields, cutoff, constraints)
    if suffixes == {".top", ".gro"}:
        return _gromacs(by_suffix[".top"], by_suffix[".gro"], cutoff, constraints)
    if suffixes in ({".pdb"}, {".cif"}):
        raise SternaError(
            f"{coordinates} has places only; expected a --force-field too, such as --force-field "
            "amber14-all.xml --force-field amber14/tip3p.xml",
            status=2,
        )
    raise SternaError(
        f"{', '.join(map(str, files))}: expected SYSTEM.xml and PLACES.pdb of OpenMM, a .pdb or .cif "
        "file with --force-field, or .top and .gro of GROMACS; other programs' files can be written "
        "as such by ParmEd",
        status=2,
    )


def _read_by(path: Path, read: Any) -> Any:
    try:
        return read()
    except Exception as error:  # OpenMM raises whatever it meets.
        raise SternaError(f"OpenMM cannot read {path}: {error}", status=2) from error


def _structure(path: Path) -> Any:
    app = openmm().app
    return _read_by(
        path, lambda: (app.PDBFile if path.suffix.lower() == ".pdb" else app.PDBxFile)(str(path))
    )


def _places(structure: Any) -> numpy.ndarray:
    nanometer = openmm().unit.nanometer
    return numpy.array(structure.getPositions(asNumpy=True).value_in_unit(nanometer))


def _settings(cutoff: float, constraints: str) -> dict[str, Any]:
    app, unit = openmm().app, openmm().unit
    return {
        "nonbondedMethod": app.PME,
        "nonbondedCutoff": cutoff * unit.nanometer,
        "constraints": {"none": None, "hydrogen": app.HBonds, "all": app.AllBonds}[constraints],
        "rigidWater": constraints != "none",
    }


def _serialized(path: Path, coordinates: Path) -> Source:
    mm = openmm()
    system = _read_by(path, lambda: mm.XmlSerializer.deserialize(path.read_text(encoding="utf-8")))
    if not isinstance(system, mm.System):
        raise SternaError(f"{path} has a {type(system).__name__}, expected a System", status=2)
    structure = _structure(coordinates)
    positions = _places(structure)
    if len(positions) != system.getNumParticles():
        raise SternaError(
            f"{coordinates} has {len(positions)} atoms, and the system of {path} has "
            f"{system.getNumParticles()}",
            status=2,
        )
    return Source(structure.topology, system, positions)


def _by_force_field(
    path: Path, force_fields: Sequence[str], cutoff: float, constraints: str
) -> Source:
    structure = _structure(path)
    force_field = _read_by(
        Path(", ".join(force_fields)), lambda: openmm().app.ForceField(*force_fields)
    )
    system = _read_by(
        path,
        lambda: force_field.createSystem(structure.topology, **_settings(cutoff, constraints)),
    )
    return Source(structure.topology, system, _places(structure))


def _gromacs(path: Path, coordinates: Path, cutoff: float, constraints: str) -> Source:
    app = openmm().app
    places = _read_by(coordinates, lambda: app.GromacsGroFile(str(coordinates)))
    topology = _read_by(
        path,
        lambda: app.GromacsTopFile(
            str(path),
            periodicBoxVectors=places.getPeriodicBoxVectors(),
            includeDir=str(path.parent),
        ),
    )
    system = _read_by(path, lambda: topology.createSystem(**_settings(cutoff, constraints)))
    positions = _places(places)
    if len(positions) != system.getNumParticles():
        raise SternaError(
            f"{coordinates} has {len(positions)} atoms, and the molecules of {path} have "
            f"{system.getNumParticles()}",
            status=2,
        )
    return Source(topology.topology, system, positions)
