"""Writes an imported system: the input, its start file, and a file for each large molecule."""

from pathlib import Path
from typing import Any

import numpy

from sterna.errors import SternaError
from sterna.importing.molecules import Molecules
from sterna.toml_text import toml_text

_MOST_ATOMS_IN_THE_INPUT = 12


def write(molecules: Molecules, output: Path, overwrite: bool) -> list[Path]:
    """Writes `output` and what it names beside it; returns all of them.

    Raises SternaError where a file is there already, and writes none then.
    """
    if output.suffix != ".toml":
        raise SternaError(f"the output is {output}; expected a name that ends in .toml", status=2)
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
    start = output.with_suffix(".extxyz")
    texts[start] = start_text(molecules, molecules.system.positions)
    texts[output] = toml_text(settings(molecules, start.name) | {"molecule": sections})
    if not overwrite:
        for path in texts:
            if path.exists():
                raise SternaError(f"{path} exists; --overwrite replaces it", status=2)
    for path, text in texts.items():
        try:
            path.write_text(text, encoding="utf-8")
        except OSError as error:
            raise SternaError(f"{path} cannot be written: {error.strerror}") from error
    return list(texts)


def settings(molecules: Molecules, start: str) -> dict[str, Any]:
    """All sections but molecules."""
    system = molecules.system
    sections: dict[str, Any] = {
        "units": system.units,
        "run": dict(system.run),
        "start": {"kind": "file", "file": start},
        "interaction": dict(system.interaction),
        "thermostat": dict(system.thermostat),
        "output": {"directory": "output", "thermo_interval": 100, "trajectory_interval": 1000},
    }
    if system.temperature is not None:
        sections["start"]["temperature"] = system.temperature
    if system.electrostatics is not None:
        sections["electrostatics"] = dict(system.electrostatics)
    sections["type"] = system.types
    if system.pairs:
        sections["pair"] = system.pairs
    return sections


def start_text(molecules: Molecules, positions: numpy.ndarray) -> str:
    """The atoms at these positions, as extended XYZ."""
    system = molecules.system
    lattice = " ".join(repr(float(edge)) for edge in system.box.ravel())
    columns = [positions] if system.velocities is None else [positions, system.velocities]
    velocities = "" if system.velocities is None else ":velo:R:3"
    lines = [
        str(len(positions)),
        f'Lattice="{lattice}" Properties=species:S:1:pos:R:3{velocities}',
    ]
    rows = numpy.hstack(columns)[molecules.order].tolist()
    for atom, row in zip(molecules.order, rows, strict=True):
        lines.append(f"{system.atoms[atom].type} " + " ".join(map(repr, row)))
    return "\n".join(lines) + "\n"
