"""Position restraints of an imported system as `[[group]]`s and `[[restraint]]`s."""

import itertools
from typing import Any

from sterna.importing.system import System

_AXES = "xyz"


def sections(system: System, order: list[int], reference_file: str | None) -> dict[str, Any]:
    """Sections of the input; `order`: the system's atoms in the order of their ids."""
    if not system.restraints:
        return {}
    ids = {atom: k + 1 for k, atom in enumerate(order)}
    # A spring has one stiffness. Springs that hold an atom twice in the same way are two springs.
    held: dict[tuple[float, tuple[str, ...], int], set[int]] = {}
    for atom, stiffness in system.restraints:
        for value in sorted({k for k in stiffness if k > 0.0}):
            axes = tuple(axis for axis, k in zip(_AXES, stiffness, strict=True) if k == value)
            nth = next(
                n for n in itertools.count() if ids[atom] not in held.get((value, axes, n), ())
            )
            held.setdefault((value, axes, nth), set()).add(ids[atom])
    groups, restraints = [], []
    for (value, axes, _), atoms in held.items():
        name = "restrained" if len(held) == 1 else f"restrained_{len(groups) + 1}"
        groups.append({"name": name, "select": f"id {_ranges(sorted(atoms))}"})
        made: dict[str, Any] = {
            "groups": [name],
            "stiffness": value,
            "virial": system.restraint_virial,
        }
        if len(axes) < len(_AXES):
            made["axes"] = list(axes)
        if system.reference_scaling is not None:
            made["reference_scaling"] = system.reference_scaling
        if reference_file is not None:
            made["reference_file"] = reference_file
        restraints.append(made)
    return {"group": groups, "restraint": restraints}


def _ranges(numbers: list[int]) -> str:
    """1:3 7 from 1, 2, 3, 7."""
    parts = []
    for _, same in itertools.groupby(enumerate(numbers), lambda item: item[1] - item[0]):
        run = [number for _, number in same]
        parts.append(f"{run[0]}:{run[-1]}" if len(run) > 1 else f"{run[0]}")
    return " ".join(parts)
