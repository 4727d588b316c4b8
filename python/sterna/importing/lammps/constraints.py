"""fix shake and fix rattle: which bonds and angles keep their lengths.

Source: https://docs.lammps.org/fix_shake.html.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from sterna.importing.lammps.bonded_styles import type_range
from sterna.importing.lammps.command import Command
from sterna.importing.lammps.data_file import DataFile
from sterna.importing.lammps.state import Fix
from sterna.importing.system import Term, term

_NEAR_MASS = 0.1  # tolerance of a mass, as in LAMMPS
_LARGEST_CLUSTER = 4


@dataclass
class Constrained:
    """Types of bonds and angles, types of atoms and masses that the fix names."""

    bonds: set[int] = field(default_factory=set)
    angles: set[int] = field(default_factory=set)
    atoms: set[int] = field(default_factory=set)
    masses: list[float] = field(default_factory=list)

    def has_bond(self, kind: int, types: tuple[int, int], masses: tuple[float, float]) -> bool:
        return (
            kind in self.bonds
            or bool(self.atoms.intersection(types))
            or any(abs(mass - one) <= _NEAR_MASS for mass in masses for one in self.masses)
        )


def read_constraints(fix: Fix, data: DataFile) -> Constrained:
    """Raises SternaError with line and column."""
    command, made = fix.command, Constrained()
    command.number(3, "the tolerance")
    command.integer(4, "the number of iterations", 1, 10**9)
    command.integer(5, "the interval of output", 0, 10**15)
    k, sort = 6, ""
    while k < len(command.arguments):
        word = command.arguments[k]
        if word in ("b", "a", "t", "m"):
            sort = word
        elif word == "kbond":
            command.number(k + 1, "kbond")  # Acts in minimizations only.
            k += 1
        elif word in ("mol", "store"):
            command.fail(k, f"{word} of fix {fix.style} is not taken over")
        elif sort == "m":
            made.masses.append(command.number(k, "a mass"))
        elif sort:
            kind = {"b": "bond", "a": "angle", "t": "atom"}[sort]
            chosen = {"b": made.bonds, "a": made.angles, "t": made.atoms}[sort]
            chosen.update(type_range(data, command, k, kind))
        else:
            command.fail(k, f'expected b, a, t or m; found "{word}"')
        k += 1
    return made


def check_clusters(command: Command, bonds: set[tuple[int, int]]) -> dict[int, set[int]]:
    """The atoms that each atom is constrained to; clusters are an atom and up to three others."""
    joined: dict[int, set[int]] = {}
    for a, b in bonds:
        joined.setdefault(a, set()).add(b)
        joined.setdefault(b, set()).add(a)
    for atom, others in joined.items():
        for other in others:
            # A star has one center: of two joined atoms one has no other partner.
            if len(others) > 1 and len(joined[other]) > 1:
                command.fail(
                    None, f"atoms {atom + 1} and {other + 1} are of a cluster with two centers"
                )
        if len(others) >= _LARGEST_CLUSTER:
            command.fail(None, f"the atom {atom + 1} has more than three constrained bonds")
    return joined


def rigid_water(terms: list[Term], symbols: Sequence[str]) -> list[Term]:
    """The third distance of molecules of an oxygen and two hydrogens, whose bonds are kept.

    `symbols`: the element of each atom.
    """
    bonds: dict[int, dict[int, float]] = {}
    angles: dict[tuple[int, ...], float] = {}
    for one in terms:
        values = dict(one.parameters)
        if one.section == "bond" and "r0" in values:
            first, second = one.atoms
            bonds.setdefault(first, {})[second] = values["r0"]
            bonds.setdefault(second, {})[first] = values["r0"]
        elif one.section == "angle" and values["potential"] == "harmonic":
            angles[one.atoms] = values["theta0"]
    found = []
    for (first, middle, last), theta0 in angles.items():
        if [symbols[k] for k in (first, middle, last)] != ["H", "O", "H"]:
            continue
        if len(bonds.get(middle, {})) == len("HH"):
            distance = third_side(bonds[middle][first], bonds[middle][last], theta0)
            found.append(term("constraint", (first, last), distance=distance))
    return found


def third_side(first: float, second: float, angle: float) -> float:
    """Returns the third side of a triangle, by the cosine rule; the angle in degrees."""
    cosine = math.cos(math.radians(angle))
    return math.sqrt(first * first + second * second - 2.0 * first * second * cosine)
