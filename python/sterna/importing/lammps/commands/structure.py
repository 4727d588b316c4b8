"""Commands that make the box and the atoms, and groups of them."""

import re
from dataclasses import dataclass
from pathlib import Path

import numpy

from sterna.importing.lammps.atoms import AtomTable
from sterna.importing.lammps.bonded_styles import type_range
from sterna.importing.lammps.data_file import DataFile
from sterna.importing.lammps.script import Command
from sterna.importing.lammps.state import State

#: Keys of read_data that reserve memory, and how many words each has.
_RESERVING = {
    "extra/atom/types": 1, "extra/bond/types": 1, "extra/angle/types": 1,
    "extra/dihedral/types": 1, "extra/improper/types": 1, "extra/bond/per/atom": 1,
    "extra/angle/per/atom": 1, "extra/dihedral/per/atom": 1, "extra/improper/per/atom": 1,
    "extra/special/per/atom": 1,
}  # fmt: skip


def _read_data(state: State, command: Command) -> None:
    name = command.word(0, "a data file")
    if state.data is not None:
        command.line.fail(0, "a second read_data is not taken over; write one data file of both")
    path = _data_path(state, command, name)
    words, k, skips = command.arguments, 1, False
    while k < len(words):
        if words[k] == "nocoeff":
            skips = True
            k += 1
        elif words[k] in _RESERVING:
            command.integer(k + 1, words[k], 0, 10**9)
            if words[k].endswith("/types") and command.arguments[k + 1] != "0":
                command.fail(k, f"{words[k]} of read_data is not taken over")
            k += 2
        elif words[k] in ("add", "offset", "shift", "group", "fix"):
            command.fail(k, f"{words[k]} of read_data is not taken over")
        else:
            command.unknown(k, "key of read_data", ["nocoeff", *_RESERVING])
    state.read_data(path, skips)


def _data_path(state: State, command: Command, name: str) -> Path:
    plain = Path(name).name.removesuffix(".gz")
    if state.data_path is not None:
        if state.data_path.name != plain:
            command.fail(
                0, f"the script reads {name}, and {state.data_path.name} is given; expected {plain}"
            )
        return state.data_path
    for path in (command.line.path.parent / name, Path(name)):
        if path.is_file():
            return path
    command.fail(0, f"the data file {name} is not there; give it beside the script")


def _mass(state: State, command: Command) -> None:
    data = state.need_data(command)
    mass = command.number(1, "the mass of a type")
    if mass <= 0.0:
        command.fail(1, "a mass must be positive")
    for number in type_range(data, command, 0, "atom"):
        state.masses[number] = mass


@dataclass
class Lattice:
    """Places of a cubic cell, in units of its edge."""

    edge: float
    basis: list[tuple[float, float, float]]


_BASES = {
    "sc": [(0.0, 0.0, 0.0)],
    "bcc": [(0.0, 0.0, 0.0), (0.5, 0.5, 0.5)],
    "fcc": [(0.0, 0.0, 0.0), (0.5, 0.5, 0.0), (0.5, 0.0, 0.5), (0.0, 0.5, 0.5)],
    "diamond": [
        (0.0, 0.0, 0.0), (0.5, 0.5, 0.0), (0.5, 0.0, 0.5), (0.0, 0.5, 0.5),
        (0.25, 0.25, 0.25), (0.75, 0.75, 0.25), (0.75, 0.25, 0.75), (0.25, 0.75, 0.75),
    ],
}  # fmt: skip


def _lattice(state: State, command: Command) -> None:
    style = command.word(0, "a lattice")
    if style not in (*_BASES, "none"):
        command.fail(0, f"the lattice {style} is not taken over; expected {', '.join(_BASES)}")
    scale = command.number(1, "the scale of the lattice")
    if scale <= 0.0:
        command.fail(1, "the scale of the lattice must be positive")
    command.expect_end(2, "lattice STYLE SCALE")
    if style == "none":
        state.lattice = None
        return
    basis = _BASES[style]
    # A density in reduced units, an edge otherwise.
    edge = (len(basis) / scale) ** (1 / 3) if (state.units or "lj") == "lj" else scale
    state.lattice = Lattice(edge, basis)


def _region(state: State, command: Command) -> None:
    command.word(1, "the style of a region")
    state.regions[command.arguments[0]] = command


def _block(state: State, command: Command, name: str, k: int) -> numpy.ndarray:
    """Lower and upper bounds of a region that is a block."""
    if name not in state.regions:
        command.fail(k, f'there is no region "{name}"')
    region = state.regions[name]
    if region.arguments[1] != "block":
        region.fail(1, f"a region {region.arguments[1]} is not taken over; expected a block")
    bounds = numpy.array([region.number(n, "a bound of the block") for n in range(2, 8)])
    words, n, factor = region.arguments, 8, None
    while n < len(words):
        if words[n] != "units" or words[n + 1 : n + 2] not in (["box"], ["lattice"]):
            region.fail(n, f'"{words[n]}" of a region is not taken over')
        factor = 1.0 if words[n + 1] == "box" else None
        n += 2
    if factor is None:
        if state.lattice is None:
            region.fail(None, "expected a lattice before a region in its units, or `units box`")
        factor = state.lattice.edge
    limits = factor * bounds.reshape(3, 2).T
    if (limits[0] >= limits[1]).any():
        region.fail(None, "the upper bounds of the block must be above the lower ones")
    return limits


def _create_box(state: State, command: Command) -> None:
    if state.data is not None:
        command.line.fail(0, "there is a box already")
    types = command.integer(0, "the number of atom types", 1, 10**6)
    limits = _block(state, command, command.word(1, "a region"), 1)
    words, k = command.arguments, 2
    while k < len(words):
        if words[k] not in _RESERVING and words[k] not in (
            "bond/types", "angle/types", "dihedral/types", "improper/types"):  # fmt: skip
            command.fail(k, f'"{words[k]}" of create_box is not taken over')
        command.integer(k + 1, words[k], 0, 10**9)
        k += 2
    data = DataFile(command.line.path, command.line.text)
    data.counts["atom types"] = types
    data.lower, data.box = limits[0], numpy.diag(limits[1] - limits[0])
    state.data = data
    state.atoms = AtomTable([], [], [], [], numpy.empty((0, 3)))


def _create_atoms(state: State, command: Command) -> None:
    data = state.need_data(command)
    if state.atoms is None or "Atoms" in data.sections:
        command.line.fail(
            0,
            "the command create_atoms is not taken over beside a data file; write the data file "
            "after it, with write_data",
        )
    kind = command.integer(0, "the atom type", 1, data.count("atom types"))
    if command.word(1, "box or region") == "region":
        limits = _block(state, command, command.word(2, "a region"), 2)
        command.expect_end(3, "create_atoms TYPE region ID")
    else:
        if command.arguments[1] != "box":
            command.fail(1, f"create_atoms {command.arguments[1]} is not taken over; expected box")
        command.expect_end(2, "create_atoms TYPE box")
        limits = numpy.array([data.lower, data.lower + numpy.diag(data.box)])
    if state.lattice is None:
        command.line.fail(0, "expected a lattice before create_atoms")
    edge, basis = state.lattice.edge, numpy.array(state.lattice.basis)
    first = numpy.floor(limits[0] / edge).astype(int) - 1
    last = numpy.ceil(limits[1] / edge).astype(int) + 1
    cells = numpy.stack(
        numpy.meshgrid(*(numpy.arange(a, b) for a, b in zip(first, last, strict=True)),
                       indexing="ij"), axis=-1)  # fmt: skip
    places = (cells.reshape(-1, 1, 3) + basis).reshape(-1, 3)
    # An atom on the upper face is the image of one on the lower face.
    slack = 1e-6
    inside = ((places * edge >= limits[0] - slack * edge)
              & (places * edge < limits[1] - slack * edge)).all(axis=1)  # fmt: skip
    places = places[inside]
    order = numpy.lexsort((places[:, 0], places[:, 1], places[:, 2]))
    made = places[order] * edge - data.lower
    table = state.atoms
    count = len(table.ids)
    table.ids += range(count + 1, count + len(made) + 1)
    table.types += [kind] * len(made)
    table.molecules += [0] * len(made)
    table.charges += [0.0] * len(made)
    table.positions = numpy.vstack([table.positions, made])
    table.place_of = {identity: n for n, identity in enumerate(table.ids)}
    data.counts["atoms"] = len(table.ids)


def _group(state: State, command: Command) -> None:
    name, style = command.word(0, "the name of a group"), command.word(1, "a style")
    state.need_data(command)
    words = command.arguments[2:]
    known = state.groups.get(name, set())
    everything = set(range(len(state.atoms.ids)))
    if name == "all":
        command.fail(0, "the group all cannot be defined")

    def members(other: str, k: int) -> set[int]:
        if other == "all":
            return everything
        found = state.groups.get(other)
        if found is None:
            command.fail(k, f'there is no group "{other}"')
        if isinstance(found, str):
            command.fail(k, f"the group {other} is not known: {found}")
        return found

    if style == "delete":
        state.groups.pop(name, None)
    elif style in ("clear", "empty"):
        state.groups[name] = set()
    elif style in ("subtract", "union", "intersect"):
        sets = [members(other, k) for k, other in enumerate(words, 2)]
        if not sets:
            command.fail(2, "expected the names of groups")
        made = set(sets[0])
        for other in sets[1:]:
            made = {"subtract": made - other, "union": made | other}.get(style, made & other)
        state.groups[name] = made
    elif style in ("type", "id", "molecule"):
        values = {
            "type": state.atoms.types, "id": state.atoms.ids, "molecule": state.atoms.molecules,
        }[style]  # fmt: skip
        chosen = _chosen(state, command, style)
        found = {place for place, value in enumerate(values) if chosen(value)}
        state.groups[name] = found if isinstance(known, str) else known | found
    elif style in ("region", "variable", "include", "dynamic", "static", "atom"):
        state.groups[name] = f"group {style} is not evaluated"
    else:
        command.unknown(1, "style of a group", ["type", "id", "molecule", "subtract", "union",
                                                "intersect", "region", "delete", "clear"])  # fmt: skip


def _chosen(state: State, command: Command, style: str):
    """Whether a number is one of those that the words of a group name."""
    words = command.arguments[2:]
    if words[:1] and words[0] in ("<", ">", "<=", ">=", "==", "!=", "<>"):
        numbers = [command.integer(3 + k, "a number", -(2**62), 2**62)
                   for k in range(2 if words[0] == "<>" else 1)]  # fmt: skip
        tests = {
            "<": lambda v: v < numbers[0], ">": lambda v: v > numbers[0],
            "<=": lambda v: v <= numbers[0], ">=": lambda v: v >= numbers[0],
            "==": lambda v: v == numbers[0], "!=": lambda v: v != numbers[0],
            "<>": lambda v: numbers[0] <= v <= numbers[-1],
        }  # fmt: skip
        return tests[words[0]]
    ranges = []
    if not words:
        command.fail(2, "expected numbers")
    for k, word in enumerate(words, 2):
        if style == "type" and word in state.data.labels.get("atom", {}):
            number = state.data.labels["atom"][word]
            ranges.append(range(number, number + 1))
            continue
        if style == "type" and "*" in word:
            ranges.append(type_range(state.data, command, k, "atom"))
            continue
        if not re.fullmatch(r"\d{1,18}(:\d{1,18}){0,2}", word):
            command.fail(k, f'expected numbers such as 3 or 1:10; found "{word}"')
        numbers = [int(part) for part in word.split(":")]
        step = numbers[2] if len(numbers) > 2 else 1
        ranges.append(range(numbers[0], numbers[min(1, len(numbers) - 1)] + 1, max(step, 1)))
    return lambda value: any(value in one for one in ranges)


def _velocity(state: State, command: Command) -> None:
    state.need_data(command)
    style = command.word(1, "a style")
    if state.group(command, 0) is not None:
        command.fail(0, f"velocity of a group, {command.arguments[0]}, is not taken over")
    state.changed("velocity")
    if style == "create":
        temperature = command.number(2, "the temperature")
        if temperature < 0.0:
            command.fail(2, "the temperature must not be negative")
        if "sum" in command.arguments[4:] and "yes" in command.arguments[4:]:
            command.fail(None, "velocity create ... sum yes is not taken over")
        state.temperature, state.atoms.velocities = temperature, None
    elif style == "set":
        values = command.arguments[2:5]
        if "NULL" in values or "sum" in command.arguments[5:]:
            command.fail(2, "expected three numbers: velocity set is taken over with these only")
        vector = [command.number(2 + k, "a component of the velocity") for k in range(3)]
        # LAMMPS takes lattice constants per time as the unit where there is a lattice.
        if any(vector) and "box" not in command.arguments[5:]:
            command.fail(None, "expected `units box` behind velocity set")
        state.temperature = None
        state.atoms.velocities = numpy.tile(vector, (len(state.atoms.ids), 1))
    elif style == "zero" and command.word(2, "linear or angular") == "linear":
        velocities = state.atoms.velocities
        if velocities is not None:
            masses = numpy.array([state.masses.get(kind, 1.0) for kind in state.atoms.types])
            state.atoms.velocities = velocities - masses @ velocities / masses.sum()
    elif style in ("zero", "scale", "ramp"):
        command.fail(1, f"velocity {' '.join(command.arguments[1:3])} is not taken over")
    else:
        command.unknown(1, "style of velocity", ["create", "set", "scale", "ramp", "zero"])


COMMANDS = {
    "read_data": _read_data,
    "mass": _mass,
    "lattice": _lattice,
    "region": _region,
    "create_box": _create_box,
    "create_atoms": _create_atoms,
    "group": _group,
    "velocity": _velocity,
}
