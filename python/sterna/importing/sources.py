"""Reads files of other programs by OpenMM."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy

from sterna.errors import SternaError
from sterna.importing.box import first_of, is_placeholder, require_twice_the_cutoff
from sterna.importing.checks import check_file
from sterna.importing.force_field_files import located
from sterna.importing.gro_structure import GroStructure
from sterna.importing.rigid_water import make_rigid


def openmm() -> Any:
    """The package, which the user may not have installed."""
    try:
        import openmm.app
        import openmm.unit
    except ImportError as error:
        raise SternaError(
            "sterna import reads the files of other programs by OpenMM, which is not installed: "
            "pip install openmm"
        ) from error
    return openmm


@dataclass
class Source:
    """The contents of a source. Lengths in nm, velocities in nm/ps."""

    topology: Any  #: openmm.app.Topology
    system: Any  #: openmm.System
    positions: numpy.ndarray  #: (atoms, 3)
    #: notes on data that were not taken from the files
    notes: list[str] = field(default_factory=list)

    @property
    def box(self) -> numpy.ndarray:
        """The box vectors as rows."""
        nanometer = openmm().unit.nanometer
        vectors = self.system.getDefaultPeriodicBoxVectors()
        return numpy.array([vector.value_in_unit(nanometer) for vector in vectors])


@dataclass(frozen=True)
class Settings:
    """Settings that files lack; a serialized system has them."""

    force_fields: Sequence[str]  #: for PDB and mmCIF files
    cutoff: float  #: nm
    constraints: str  #: "none", "hydrogen", "all"
    box: tuple[float, float, float] | None = None  #: nm; edges where files have none

    def vectors(self, found: Any, path: Path, where: str = "") -> Any:
        """Returns the vectors of the box in a file, or else of this one. Raises SternaError if
        there is neither.

        `where`: what in the file would tell the box.
        """
        if found is not None:
            return found
        if self.box is None:
            raise SternaError(
                f"{path} has no box; expected {where}--box with its edges in nm, such as --box 4,4,4",
                status=2,
            )
        nanometer = openmm().unit.nanometer
        return [row * nanometer for row in numpy.diag(self.box)]

    def of_openmm(self) -> dict[str, Any]:
        """Arguments of createSystem."""
        app, unit = openmm().app, openmm().unit
        kinds = {"none": None, "hydrogen": app.HBonds, "all": app.AllBonds}
        return {
            "nonbondedMethod": app.PME,
            "nonbondedCutoff": self.cutoff * unit.nanometer,
            "constraints": kinds[self.constraints],
            "rigidWater": self.constraints != "none",
        }


def read(files: Sequence[Path], settings: Settings) -> Source:
    """Reads one system. Raises SternaError, naming the file."""
    for path in files:
        if not path.is_file():
            raise SternaError(f"the file {path} does not exist or is no file", status=2)

    def of(suffixes: tuple[str, ...]) -> list[Path]:
        return [path for path in files if path.suffix.lower() in suffixes]

    openmm()
    if len(files) == len(of(PLACES)) == 1 and not settings.force_fields:
        raise SternaError(
            f"{files[0]} has places only; expected a --force-field too, such as --force-field "
            "amber14-all.xml --force-field amber14/tip3p.xml, or, for rigid molecules, --model "
            "water=spce",
            status=2,
        )
    if len(files) == 1 and files[0].suffix.lower() == GRO:
        if settings.force_fields:
            return _by_force_field(files[0], settings)
        raise SternaError(
            f"{files[0]} has places only; expected a .top of GROMACS too, or a --force-field such as "
            "--force-field amber14-all.xml --force-field amber14/tip3p.xml, or, for rigid molecules, "
            "--model water=spce",
            status=2,
        )
    for path in files:
        check_file(path)
    systems, places = of((".xml",)), of(PLACES)
    if len(systems) == len(places) == 1 and len(files) == 2:
        return _serialized(systems[0], places[0])
    if len(files) == len(of(PLACES)) == 1:
        return _by_force_field(files[0], settings)
    expected = "; ".join(
        (
            "SYSTEM.xml and PLACES.pdb of OpenMM",
            ".prmtop (.parm7) and .inpcrd (.rst7) of AMBER",
            ".psf, parameters (.prm, .par, .rtf, .str) and PLACES.pdb or .crd of CHARMM",
            ".top and .gro of GROMACS",
        )
    )
    raise SternaError(
        f"{', '.join(map(str, files))}: expected a .pdb or .cif file with --force-field; {expected}",
        status=2,
    )


def read_by(path: Path, read: Any) -> Any:
    try:
        return read()
    except SternaError:
        raise
    except Exception as error:  # OpenMM raises whatever it meets.
        raise SternaError(f"OpenMM cannot read {path}: {error}", status=2) from error


def structure_of(path: Path) -> Any:
    app = openmm().app
    if path.suffix.lower() == GRO:
        return read_by(path, lambda: GroStructure(path, openmm()))
    return read_by(
        path, lambda: (app.PDBFile if path.suffix.lower() == ".pdb" else app.PDBxFile)(str(path))
    )


def places_in(structure: Any) -> numpy.ndarray:
    nanometer = openmm().unit.nanometer
    return numpy.array(structure.getPositions(asNumpy=True).value_in_unit(nanometer))


def places_of(path: Path) -> tuple[numpy.ndarray, numpy.ndarray | None]:
    """Reads a PDB or mmCIF file by OpenMM: positions, (atoms, 3), and the box, its vectors as
    rows.
    """
    openmm()
    check_file(path)
    structure = structure_of(path)
    box = _box_of(structure)
    nanometer = openmm().unit.nanometer
    edges = None if box is None else numpy.array([row.value_in_unit(nanometer) for row in box])
    return places_in(structure), edges


def source_with(
    topology: Any,
    system: Any,
    positions: numpy.ndarray,
    names: tuple[Path, Path],
    settings: Settings | None = None,
) -> Source:
    """Without settings the system has its constraints already."""
    if len(positions) != system.getNumParticles():
        raise SternaError(
            f"{names[1]} has {len(positions)} atoms, and the system of {names[0]} has "
            f"{system.getNumParticles()}",
            status=2,
        )
    source = Source(topology, system, positions)
    if settings is not None:
        require_twice_the_cutoff(source.box, settings.cutoff, names[1])
        if settings.constraints != "none":
            make_rigid(openmm(), topology, system)
    return source


def _serialized(path: Path, places: Path) -> Source:
    mm = openmm()
    system = read_by(path, lambda: mm.XmlSerializer.deserialize(path.read_text(encoding="utf-8")))
    if not isinstance(system, mm.System):
        raise SternaError(f"{path} has a {type(system).__name__}, expected a System", status=2)
    structure = structure_of(places)
    return source_with(structure.topology, system, places_in(structure), (path, places))


@dataclass(frozen=True)
class Solvent:
    """Water and ions around a structure, as OpenMM's Modeller adds them."""

    water: str  #: geometry of the water: "tip3p", "spce"
    padding: float | None  #: nm of water around the structure
    box: tuple[float, float, float] | None  #: nm; the edges, in place of a padding
    salt: float  #: mol/l, beyond the ions that neutralize
    positive: str  #: "Na+"
    negative: str  #: "Cl-"
    neutralize: bool


def solvated(path: Path | None, settings: Settings, solvent: Solvent) -> Source:
    """A structure, or nothing, in water with ions. Raises SternaError, naming the file."""
    app, unit = openmm().app, openmm().unit
    force_field = _force_field(settings)
    if path is None:
        modeller = app.Modeller(app.Topology(), [] * unit.nanometer)
    else:
        if not path.is_file():
            raise SternaError(f"the file {path} does not exist or is no file", status=2)
        structure = structure_of(path)
        modeller = app.Modeller(structure.topology, structure.positions)
    size = {"padding": solvent.padding} if solvent.box is None else {"boxSize": solvent.box}
    name = path or Path("water")
    read_by(
        name,
        lambda: modeller.addSolvent(
            force_field,
            model=solvent.water,
            ionicStrength=solvent.salt * unit.molar,
            positiveIon=solvent.positive,
            negativeIon=solvent.negative,
            neutralize=solvent.neutralize,
            **{key: value * unit.nanometer for key, value in size.items()},
        ),
    )
    system = read_by(
        name, lambda: force_field.createSystem(modeller.topology, **settings.of_openmm())
    )
    positions = numpy.array(modeller.positions.value_in_unit(unit.nanometer))
    return Source(modeller.topology, system, positions)


@dataclass(frozen=True)
class Membrane:
    """A membrane across z, of the patches of 128 lipids in water that OpenMM brings."""

    lipid: str  #: "POPC"
    center: float  #: nm; where its middle is along z in the structure


def in_membrane(
    path: Path | None, settings: Settings, membrane: Membrane, solvent: Solvent
) -> Source:
    """A structure in a membrane with water and ions, or one patch of it. Raises SternaError, naming
    the file.
    """
    app, unit = openmm().app, openmm().unit
    force_field = _force_field(settings)
    if path is None:
        name = own_force_fields() / f"{membrane.lipid}.pdb"
        patch = read_by(name, lambda: app.PDBFile(str(name)))
        modeller = app.Modeller(patch.topology, patch.positions)
    else:
        if not path.is_file():
            raise SternaError(f"the file {path} does not exist or is no file", status=2)
        name = path
        structure = structure_of(path)
        modeller = app.Modeller(structure.topology, structure.positions)
        read_by(
            name,
            lambda: modeller.addMembrane(
                force_field,
                lipidType=membrane.lipid,
                membraneCenterZ=membrane.center * unit.nanometer,
                minimumPadding=(solvent.padding or 1.0) * unit.nanometer,
                positiveIon=solvent.positive,
                negativeIon=solvent.negative,
                ionicStrength=solvent.salt * unit.molar,
                neutralize=solvent.neutralize,
            ),
        )
    system = read_by(
        name, lambda: force_field.createSystem(modeller.topology, **settings.of_openmm())
    )
    positions = numpy.array(modeller.positions.value_in_unit(unit.nanometer))
    return Source(modeller.topology, system, positions)


def _force_field(settings: Settings) -> Any:
    names = settings.force_fields
    files = located(names, own_force_fields())
    return read_by(Path(", ".join(names)), lambda: openmm().app.ForceField(*files))


def own_force_fields() -> Path:
    """The folder of the force fields that OpenMM brings."""
    return Path(openmm().app.__file__).parent / "data"


_CRYST1 = "a CRYST1 line, or "


def _by_force_field(path: Path, settings: Settings) -> Source:
    structure = structure_of(path)
    force_field = _force_field(settings)
    where = "its edges in the last line, or " if path.suffix.lower() == GRO else _CRYST1
    box = settings.vectors(_box_of(structure), path, where)
    structure.topology.setPeriodicBoxVectors(box)
    system = read_by(
        path, lambda: force_field.createSystem(structure.topology, **settings.of_openmm())
    )
    source = source_with(structure.topology, system, places_in(structure), (path, path), settings)
    frames = structure.getNumFrames()
    if frames > 1:
        source.notes.append(first_of(path, frames))
    return source


def _box_of(structure: Any) -> Any:
    """Vectors of a structure's box; None: it has none, or the unit cell that stands for none."""
    found = structure.topology.getPeriodicBoxVectors()
    if found is None:
        return None
    nanometer = openmm().unit.nanometer
    edges = numpy.array([row.value_in_unit(nanometer) for row in found])
    return None if is_placeholder(edges) else found


GRO = ".gro"  #: a file with places of GROMACS
CRD = ".crd"  #: coordinates of CHARMM, without a box
PLACES = (".pdb", ".cif")
