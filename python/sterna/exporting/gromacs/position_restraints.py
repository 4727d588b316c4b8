"""Which atoms `[[restraint]]`s hold, how stiffly, and where.

Source: GROMACS manual, "Position restraints".
"""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy

from sterna.errors import SternaError
from sterna.exporting.gromacs.refusal import refuse, refuse_other_keys
from sterna.exporting.model import find_file
from sterna.exporting.quantities import LENGTH, STIFFNESS, Quantities
from sterna.frames.atoms import Atoms

_AXES = "xyz"
_KEYS = {
    "stiffness", "place", "reference_file", "reference_scaling", "virial", "axes", "groups",
    "component",
}  # fmt: skip


@dataclass
class PositionRestraints:
    """`springs`: of each atom, the force constants along the axes in kJ/mol/nm^2."""

    springs: dict[int, list[tuple[float, float, float]]] = field(default_factory=dict)
    places: numpy.ndarray | None = None  #: (atoms, 3) in nm
    edges: numpy.ndarray | None = None  #: edges of the box of these places, as rows
    scaling: str = "no"  #: `refcoord-scaling`
    notes: list[str] = field(default_factory=list)


def position_restraints(
    sections: dict[str, Any],
    folders: list[Path],
    atoms: Atoms,
    ids: numpy.ndarray,
    start: tuple[numpy.ndarray, numpy.ndarray] | None,
    quantities: Quantities,
) -> PositionRestraints:
    """`ids`: of the atoms. `start`: positions (atoms, 3) and edges of the box in step 0, in nm, where the trajectory has it.

    Raises SternaError for restraints that GROMACS has no section for.
    """
    made = PositionRestraints()
    for table in sections.get("restraint", []):
        refuse_other_keys("[[restraint]]", table, _KEYS)
        if "barostat" in sections and table.get("virial") == "ignored":
            made.notes.append("GROMACS counts the virial of position restraints")
        stiffness = quantities.number(table["stiffness"], STIFFNESS)
        axes = table.get("axes", list(_AXES))
        constants = tuple(stiffness if axis in axes else 0.0 for axis in _AXES)
        scaling = {"none": "no", "all": "all", "center": "com"}[
            table.get("reference_scaling", "none")
        ]
        if made.springs and scaling != made.scaling:
            refuse("[[restraint]]s with different reference_scaling")
        made.scaling = scaling
        places, edges = _places(table, folders, len(atoms), start, quantities)
        chosen = _held(table, sections, atoms, ids)
        if made.places is None:
            made.places, made.edges = places.copy(), edges
        for atom in chosen:
            held_elsewhere = (made.places[atom] != places[atom]).any()
            if atom in made.springs and held_elsewhere:
                refuse(f"[[restraint]]s that hold atom {atom + 1} at two places")
            made.places[atom] = places[atom]
            made.springs.setdefault(atom, []).append(constants)
    return made


def _places(
    table: dict[str, Any],
    folders: list[Path],
    count: int,
    start: tuple[numpy.ndarray, numpy.ndarray] | None,
    quantities: Quantities,
) -> tuple[numpy.ndarray, numpy.ndarray]:
    if "reference_file" in table:
        return _of_file(table["reference_file"], folders, count, quantities)
    if start is None:
        raise SternaError(
            "[[restraint]] holds atoms where they are at the start, and the trajectory has no frame "
            "of step 0",
            2,
        )
    if "place" in table:
        place = [quantities.number(value, LENGTH) for value in table["place"]]
        return numpy.tile(numpy.array(place), (count, 1)), start[1]
    return start


def _of_file(
    name: str, folders: list[Path], count: int, quantities: Quantities
) -> tuple[numpy.ndarray, numpy.ndarray]:
    """Returns the places in an extended XYZ, as `sterna import` writes it."""
    path = find_file(name, folders)
    if path is None:
        raise SternaError(f"{name}, the reference of position restraints, is not there any more", 2)
    if path.suffix != ".extxyz":
        refuse(f"[[restraint]] reference_file = {name!r}: only extended XYZ is exported")
    lines = path.read_text(encoding="utf-8").splitlines()
    box = re.search(r'Lattice="([^"]*)"', lines[1]) if len(lines) > 1 else None
    if box is None or "species:S:1:pos:R:3" not in lines[1] or len(lines) != count + 2:
        raise SternaError(f"{path}: expected {count} atoms with Lattice and species:S:1:pos:R:3", 2)
    unit = quantities.number(1.0, LENGTH)
    try:
        edges = numpy.array(box[1].split(), float).reshape(3, 3)
        places = numpy.array([line.split()[1:4] for line in lines[2:]], float)
    except ValueError as error:
        raise SternaError(f"{path}: {error}", 2) from error
    return unit * places, unit * edges


def _held(
    table: dict[str, Any], sections: dict[str, Any], atoms: Atoms, ids: numpy.ndarray
) -> list[int]:
    """Numbers of the atoms that a restraint acts on."""
    chosen = numpy.ones(len(atoms), bool)
    if "component" in table:
        chosen &= atoms.type == table["component"]
    if "groups" in table:
        given = {group["name"]: group for group in sections.get("group", [])}
        any_group = numpy.zeros(len(atoms), bool)
        for name in table["groups"]:
            any_group |= _selected(given[name], atoms, ids)
        chosen &= any_group
    return numpy.flatnonzero(chosen).tolist()


def _selected(group: dict[str, Any], atoms: Atoms, ids: numpy.ndarray) -> numpy.ndarray:
    """Atoms of a group that is chosen by ids or by types."""
    words = str(group.get("select", "")).split()
    found = numpy.zeros(len(atoms), bool)
    if set(group) == {"name", "select"} and len(words) > 1:
        if words[0] == "id" and all(re.fullmatch(r"\d+(:\d+)?", word) for word in words[1:]):
            for word in words[1:]:
                first, _, last = word.partition(":")
                found |= (ids >= int(first)) & (ids <= int(last or first))
            return found
        if words[0] == "type" and set(words[1:]) <= set(atoms.type.tolist()):
            return numpy.isin(atoms.type, words[1:])
    refuse(f"[[restraint]] of the group {group['name']}: only groups by ids or types are exported")
