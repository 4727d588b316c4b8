"""Writes an imported system: the input, its start file, and a file for each large molecule."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy

from sterna.errors import SternaError
from sterna.importing import restraints
from sterna.importing.molecules import Molecules
from sterna.importing.stages import sections_of_stages
from sterna.importing.system import System
from sterna.support.files import replace_text, require_not_read
from sterna.support.toml_text import toml_text

_MOST_ATOMS_IN_THE_INPUT = 12


def write(
    molecules: Molecules,
    output: Path,
    overwrite: bool,
    sources: Iterable[Path] = (),
    stages: Mapping[str, System] | None = None,
) -> list[Path]:
    """Writes `output` and what it names beside it; returns all of them.

    `stages`: the same system run as each stage of the input asks for, by the stages' names.
    Raises SternaError where a file is there already, or is one of the `sources` that the system was
    read from, and writes none then.
    """
    if output.suffix != ".toml":
        raise SternaError(f"the output is {output}; expected a name that ends in .toml", status=2)
    sections, texts = molecule_sections(molecules, output)
    start = output.with_suffix(".extxyz")
    texts[start] = start_text(molecules, molecules.system.positions)
    system = molecules.system
    texts |= copies(system, output.parent)
    reference = None
    if system.reference is not None:
        reference = output.with_name(f"{output.stem}_reference.extxyz")
        texts[reference] = start_text(molecules, system.reference.positions, system.reference.box)

    def of(run: System) -> dict[str, Any]:
        held = restraints.sections(run, molecules.order, reference.name if reference else None)
        return settings(run, start.name) | {"molecule": sections} | held

    if stages is None:
        texts[output] = toml_text(of(system))
    else:
        texts[output] = toml_text(
            sections_of_stages({name: of(run) for name, run in stages.items()})
        )
    if not overwrite:
        for path in texts:
            if path.exists():
                raise SternaError(f"{path} exists; --overwrite replaces it", status=2)
    require_not_read(texts, sources)
    for path, text in texts.items():
        try:
            replace_text(path, text)
        except OSError as error:
            raise SternaError(f"{path} cannot be written: {error.strerror}") from error
    return list(texts)


def molecule_sections(
    molecules: Molecules, output: Path
) -> tuple[list[dict[str, Any]], dict[Path, str]]:
    """`[[molecule]]`s of the input `output`, and the texts of the files that they name beside it.

    An input has a largest size, which no system reaches: large molecules are in files.
    """
    texts: dict[Path, str] = {}
    sections: list[dict[str, Any]] = []
    for kind in molecules.kinds:
        head = {"name": kind.name, "count": kind.count} | kind.labels()
        if kind.size <= _MOST_ATOMS_IN_THE_INPUT:
            sections.append(head | kind.tables)
            continue
        path = output.with_name(f"{output.stem}_{kind.name}.toml")
        texts[path] = toml_text(kind.tables)
        sections.append(head | {"file": path.name})
    return sections, texts


def copies(system: System, folder: Path) -> dict[Path, str]:
    """The files of parameters that an input in this folder names, unless they are there."""
    return {
        folder / path.name: path.read_text()
        for path in system.parameter_files.values()
        if (folder / path.name).resolve() != path.resolve()
    }


def settings(system: System, start: str) -> dict[str, Any]:
    """All sections but molecules."""
    sections: dict[str, Any] = {
        "units": system.units,
        "run": dict(system.run),
        "start": {"kind": "file", "file": start},
        "interaction": dict(system.interaction)
        | {key: path.name for key, path in system.parameter_files.items()},
        "thermostat": dict(system.thermostat),
        "barostat": dict(system.barostat),
        "output": {"directory": "output", "thermo_interval": 100, "trajectory_interval": 1000},
    }
    if system.bodies is not None:
        sections["output"]["trajectory_fields"] = ["position", "orientation"]
    for name in ("thermostat", "barostat"):
        if not sections[name]:
            del sections[name]
    if system.temperature is not None:
        sections["start"]["temperature"] = system.temperature
    if system.electrostatics is not None:
        sections["electrostatics"] = dict(system.electrostatics)
    sections |= system.sections
    if system.types:
        sections["type"] = system.types
    if system.bodies is not None:
        sections["component"] = [one.section() for one in system.bodies.components()]
    if system.pairs:
        sections["pair"] = system.pairs
    return sections


def start_text(
    molecules: Molecules,
    positions: numpy.ndarray,
    box: numpy.ndarray | None = None,
    orientations: numpy.ndarray | None = None,
) -> str:
    """The particles at these positions, as extended XYZ.

    `box`: its vectors as rows, where it is not the system's; `orientations`: (particles, 4), where they
    are not the system's. With either there are no velocities.
    """
    system = molecules.system
    has_velocities = system.velocities is not None and box is None and orientations is None
    lattice = " ".join(repr(float(x)) for x in (system.box if box is None else box).ravel())
    columns, names = [positions], ["pos:R:3"]
    if has_velocities:
        columns.append(system.velocities)
        names.append("velo:R:3")
    if system.bodies is not None:
        columns.append(system.bodies.orientations if orientations is None else orientations)
        names.append("orient:R:4")
        if has_velocities:
            columns.append(system.bodies.angular_momenta)
            names.append("angmom:R:3")
    lines = [
        str(len(positions)),
        f'Lattice="{lattice}" Properties=species:S:1:{":".join(names)}',
    ]
    rows = numpy.hstack(columns)[molecules.order].tolist()
    for atom, row in zip(molecules.order, rows, strict=True):
        lines.append(f"{system.atoms[atom].type} " + " ".join(map(repr, row)))
    return "\n".join(lines) + "\n"
