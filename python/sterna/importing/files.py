"""Writes an imported system: the input, its start file, and a file for each large molecule."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy

from sterna.errors import SternaError
from sterna.importing.forces import nonbonded_of, number
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
        head = {"name": kind.name, "count": kind.count}
        if kind.size <= _MOST_ATOMS_IN_THE_INPUT:
            sections.append(head | kind.tables)
            continue
        path = output.with_name(f"{output.stem}_{kind.name}.toml")
        texts[path] = toml_text(kind.tables)
        sections.append(head | {"file": path.name})
    start = output.with_suffix(".extxyz")
    texts[start] = start_text(molecules, molecules.source.positions)
    texts[output] = toml_text(
        settings(molecules, start.name) | {"type": molecules.types, "molecule": sections}
    )
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


def settings(molecules: Molecules, start: str) -> Mapping[str, Any]:
    """All sections but types and molecules."""
    force = nonbonded_of(molecules.source.system)
    cutoff = number(force.getCutoffDistance())
    constrained = molecules.source.system.getNumConstraints() > 0
    interaction: dict[str, Any] = {"cutoff": cutoff, "truncation": "truncated"}
    if force.getUseSwitchingFunction():
        interaction |= {
            "truncation": "switched",
            "switch_start": number(force.getSwitchingDistance()),
        }
    if force.getUseDispersionCorrection():
        interaction["tail_correction"] = "homogeneous"
    sections: dict[str, Any] = {
        "units": "nano",
        "run": {"steps": 10000, "timestep": 0.002 if constrained else 0.0005},
        "start": {"kind": "file", "file": start, "temperature": 300.0},
        "interaction": interaction,
        "thermostat": {
            "kind": "stochastic_velocity_rescaling",
            "temperature": 300.0,
            "time_constant": 0.1,
        },
        "output": {"directory": "output", "thermo_interval": 100, "trajectory_interval": 1000},
    }
    if molecules.has_charges:
        sections["electrostatics"] = {"kind": "fmm", "accuracy": 1e-4}
    return sections


def start_text(molecules: Molecules, positions: numpy.ndarray) -> str:
    """The atoms at these positions (nm), as extended XYZ."""
    lattice = " ".join(repr(float(edge)) for edge in molecules.source.box.ravel())
    lines = [str(len(positions)), f'Lattice="{lattice}" Properties=species:S:1:pos:R:3']
    for name, position in zip(molecules.type_of, positions, strict=True):
        lines.append(f"{name} " + " ".join(repr(float(x)) for x in position))
    return "\n".join(lines) + "\n"
