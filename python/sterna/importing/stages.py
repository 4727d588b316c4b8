"""Several files of settings of another program as the stages of one input."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy

from sterna.errors import SternaError
from sterna.importing.system import System

#: Sections that all stages have in common.
_OF_THE_SYSTEM = ("units", "type", "component", "pair")


def joined(paths: Sequence[Path], systems: Sequence[System]) -> tuple[System, dict[str, System]]:
    """Joins the systems that the files ask for: returns that of the last one, and all by their
    names.

    Atoms, molecules and constraints are those of the last file, places and velocities those of the
    first. Raises SternaError where the files make other systems.
    """
    first, last = systems[0], systems[-1]
    notes = list(dict.fromkeys(note for system in systems for note in system.not_kept))
    for path, system in zip(paths, systems, strict=True):
        same = (
            system.types == last.types
            and system.pairs == last.pairs
            and [atom.type for atom in system.atoms] == [atom.type for atom in last.atoms]
            and numpy.array_equal(system.box, last.box)
        )
        if not same:
            raise SternaError(
                f"{path} and {paths[-1]} make different types or pairs of them, which all stages "
                "have in common; import each by itself",
                status=2,
            )
        if system.terms != last.terms:
            notes.append(
                f"{path} asks for other constraints, or defines other bonds, than {paths[-1]}: all "
                "stages have those of the latter"
            )
    whole = replace(last, velocities=first.velocities, not_kept=notes)
    return whole, dict(zip(_names_of(paths), systems, strict=True))


def _names_of(paths: Sequence[Path]) -> list[str]:
    """Returns names of stages, from those of files: em, nvt, md."""
    names: list[str] = []
    for path in paths:
        name = re.sub(r"[^A-Za-z0-9_-]", "_", path.stem) or "stage"
        number = 1
        while name in names:
            number += 1
            name = f"{re.sub(r'_[0-9]+$', '', name)}_{number}"
        names.append(name)
    return names


def sections_of_stages(parts: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Returns one input from those of all stages, by their names: their common keys, and
    `[[stage]]`s.
    """
    parts = _with_groups_of_all(parts)
    inputs = list(parts.values())
    whole: dict[str, Any] = {}
    stages: list[dict[str, Any]] = [{"name": name} for name in parts]
    for key in dict.fromkeys(key for sections in inputs for key in sections):
        values = [sections.get(key) for sections in inputs]
        if key == "start":
            whole[key] = values[0]
            for stage, start in zip(stages[1:], values[1:], strict=True):
                if start and "temperature" in start:
                    stage[key] = {"temperature": start["temperature"]}
            continue
        if key in _OF_THE_SYSTEM or all(value == values[0] for value in values):
            whole[key] = values[0]
            continue
        shared: dict[str, Any] = {}
        if all(isinstance(value, dict) for value in values):
            shared = {
                name: value
                for name, value in values[0].items()
                if all(name in other and other[name] == value for other in values)
            }
        if shared:
            whole[key] = shared
        for stage, value in zip(stages, values, strict=True):
            own = value
            if isinstance(value, dict):
                own = {name: item for name, item in value.items() if name not in shared}
            if own:
                stage[key] = own
    return whole | {"stage": stages}


def _with_groups_of_all(parts: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Makes groups common to all stages: groups of the same name that differ get the stage's
    name.
    """
    groups: dict[str, dict[str, Any]] = {}
    changed = {}
    for stage, sections in parts.items():
        names = {}
        for group in sections.get("group", []):
            name = group["name"]
            if groups.get(name, group) != group:
                name = f"{name}_{stage}"
            names[group["name"]] = name
            groups[name] = group | {"name": name}
        restraints = [
            one | {"groups": [names.get(name, name) for name in one["groups"]]}
            for one in sections.get("restraint", [])
        ]
        changed[stage] = sections | ({"restraint": restraints} if restraints else {})
    if not groups:
        return parts
    return {
        stage: sections | {"group": list(groups.values())} for stage, sections in changed.items()
    }
