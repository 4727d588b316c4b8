"""Commands that make the box and the atoms, and groups of them."""

import math
import re
from pathlib import Path

import numpy

from sterna.errors import SternaError
from sterna.importing.lammps.atoms import AtomTable
from sterna.importing.lammps.bonded_styles import type_range
from sterna.importing.lammps.command import Command, nearest
from sterna.importing.lammps.commands.templates import Template, place_molecules, read_template
from sterna.importing.lammps.data_file import ATOM_STYLES, DataFile
from sterna.importing.lammps.lattice import read_lattice
from sterna.importing.lammps.regions import Region, read_region
from sterna.importing.lammps.state import State

_LARGEST = 1e15  # bounds of a box
_MOST_PLACES = 1e8  # largest number of places in a lattice

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


def _lattice(state: State, command: Command) -> None:
    state.lattice = read_lattice(command, (state.units or "lj") == "lj")


def _bounds(state: State) -> tuple[numpy.ndarray, numpy.ndarray] | None:
    """Returns the bounds of the box, if there is one; for a triclinic box those of its surrounding
    box.
    """
    data = state.data
    if data is None:
        return None
    corners = numpy.array([[i, j, k] for i in (0, 1) for j in (0, 1) for k in (0, 1)]) @ data.box
    return data.lower + corners.min(axis=0), data.lower + corners.max(axis=0)


def _region(state: State, command: Command) -> None:
    name = command.word(0, "the name of a region")
    if command.word(1, "the style of a region") == "delete":
        if state.regions.pop(name, None) is None:
            command.fail(0, f'there is no region "{name}"{nearest(name, [*state.regions])}')
        return
    if name in state.regions:
        command.fail(0, f"there is a region {name} already")
    state.regions[name] = read_region(command, state.lattice, _bounds(state), state.regions)


def _region_of(state: State, command: Command, k: int) -> Region:
    name = command.word(k, "a region")
    if name not in state.regions:
        command.fail(k, f'there is no region "{name}"{nearest(name, [*state.regions])}')
    return state.regions[name]


def _create_box(state: State, command: Command) -> None:
    if state.data is not None:
        command.line.fail(0, "there is a box already")
    types = command.integer(0, "the number of atom types", 1, 10**6)
    region = _region_of(state, command, 1)
    if region.style not in ("block", "prism") or not region.lower:
        command.fail(1, f"the region is a {region.style}; expected a block or prism, inside")
    words, k = command.arguments, 2
    while k < len(words):
        if words[k] not in _RESERVING and words[k] not in (
            "bond/types", "angle/types", "dihedral/types", "improper/types"):  # fmt: skip
            command.fail(k, f'"{words[k]}" of create_box is not taken over')
        command.integer(k + 1, words[k], 0, 10**9)
        k += 2
    data = DataFile(command.line.path, command.line.text)
    data.counts["atom types"] = types
    for k in range(2, len(words), 2):
        if words[k].endswith("/types") and not words[k].startswith("extra"):
            data.counts[words[k].replace("/", " ")] = int(words[k + 1])
    data.lower, data.upper = numpy.array(region.lower), numpy.array(region.upper)
    data.is_triclinic = region.style == "prism"
    extent = numpy.array(region.upper) - data.lower
    if (extent <= 0.0).any() or (extent > _LARGEST).any():
        command.fail(1, "the upper bounds of a box must be above the lower ones")
    data.box = numpy.diag(extent)
    data.box[1, 0], data.box[2, 0], data.box[2, 1] = region.tilt
    state.data = data
    state.atoms = AtomTable([], [], [], [], numpy.empty((0, 3)))
    if not data.is_triclinic:
        state.atoms.exact = numpy.empty((0, 3))


def _create_atoms(state: State, command: Command) -> None:
    data = state.need_data(command)
    is_molecule = "mol" in command.arguments
    if is_molecule:
        kind = command.integer(0, "what is added to the types", 0, data.count("atom types"))
    else:
        kind = data.type_at(command.line, command.fields, 1, "atom")
    style = command.word(1, "box, region or single")
    region = None
    if style == "region":
        region, k = _region_of(state, command, 2), 3
    elif style == "single":
        single, k = [command.number(2 + n, "a coordinate") for n in range(3)], 5
    elif style == "box":
        k = 2
    else:
        command.fail(1, f"create_atoms {style} is not taken over; expected box, region or single")
    types, scale = [kind] * len(state.lattice.basis), numpy.array(state.lattice.spacing)
    words = command.arguments
    rotation = None
    while k < len(words):
        if words[k] == "units" and words[k + 1 : k + 2] in (["box"], ["lattice"]):
            scale = numpy.ones(3) if words[k + 1] == "box" else numpy.array(state.lattice.spacing)
            k += 2
        elif words[k] == "remap" and words[k + 1 : k + 2] == ["no"]:
            k += 2
        elif words[k] == "basis":
            which = command.integer(k + 1, "the number of a basis atom", 1, len(types))
            types[which - 1] = data.type_at(command.line, command.fields, k + 3, "atom")
            k += 3
        elif words[k] == "mol":
            template = read_template(state, data, command, k + 1)
            seed = command.integer(k + 2, "the seed", 1, 900000000)
            k += 3
        elif words[k] == "rotate":
            angle = math.radians(command.number(k + 1, "the angle"))
            axis = numpy.array([command.number(k + 2 + n, "a component of the axis")
                                for n in range(3)])  # fmt: skip
            if not axis.any():
                command.fail(k + 2, "expected an axis that is not 0")
            rotation, k = (axis, angle), k + 5
        else:
            command.fail(k, f'"{words[k]}" of create_atoms is not taken over')
    if style == "single":
        # Outside of the box LAMMPS makes none.
        places = (scale * single).reshape(1, 3)
        parts = (places - data.lower) @ numpy.linalg.inv(data.box)
        inside = ((parts >= 0.0) & (parts < 1.0)).all(axis=1)
        if not is_molecule:
            _add_atoms(state, places[inside], [kind] * int(inside.sum()))
            return
        places = places[inside]
    else:
        if not state.lattice.basis:
            command.line.fail(0, "expected a lattice before create_atoms")
        places, chosen = _places(state, region)
    if is_molecule:
        _check_molecule(state, command, template, kind)
        place_molecules(state, template, kind, places, seed, rotation)
        return
    _add_atoms(state, places, [types[n] for n in chosen])


def _check_molecule(state: State, command: Command, template: Template, first: int) -> None:
    most = max(template.types)
    if first + min(template.types) < 1 or first + most > state.data.count("atom types"):
        command.fail(0, f"the molecule has atom types up to {first + most}, which the box has not")
    if any(template.charges) and "charge" not in ATOM_STYLES[state.atom_style or "atomic"]:
        command.fail(0, f"atoms of atom_style {state.atom_style} have no charges")
    if any(template.terms.values()) and state.atom_style not in ("full", "molecular"):
        command.fail(
            0, "molecules of create_atoms are taken over with atom_style full or molecular"
        )
    if state.atoms.copies:
        command.line.fail(0, "create_atoms of molecules behind replicate is not taken over")


def _places(state: State, region: Region | None) -> tuple[numpy.ndarray, numpy.ndarray]:
    """Returns the places of the lattice in the box, and in a region, in LAMMPS's order, with the
    number of the basis atom of each.
    """
    data, lattice = state.data, state.lattice
    bounds = _bounds(state)
    corners = numpy.array([[bounds[i][0], bounds[j][1], bounds[k][2]]
                           for i in (0, 1) for j in (0, 1) for k in (0, 1)])  # fmt: skip
    cells = lattice.cells(corners)
    first = numpy.floor(cells.min(axis=0)).astype(int) - 2
    last = numpy.ceil(cells.max(axis=0)).astype(int) + 2
    count = last - first + 1
    if float(numpy.prod(count.astype(float))) * len(lattice.basis) > _MOST_PLACES:
        raise SternaError("the box has more than 10^8 places of the lattice", status=2)
    z, y, x, basis = numpy.meshgrid(
        *(numpy.arange(first[k], last[k] + 1) for k in (2, 1, 0)),
        numpy.arange(len(lattice.basis)), indexing="ij",
    )  # fmt: skip
    chosen = basis.ravel()
    origin = numpy.array(lattice.basis)[chosen]
    cells = numpy.stack([x.ravel(), y.ravel(), z.ravel()], axis=1) + origin
    places = lattice.places(cells)
    # Of two images on opposite faces the lower one is made, whatever their rounding is.
    extent = numpy.diag(data.box)
    if (data.box == numpy.diag(extent)).all():
        slack, low, high, parts = 1e-6 * extent, data.lower, data.lower + extent, places
    else:
        slack, low, high = 1e-6 * numpy.ones(3), numpy.zeros(3), numpy.ones(3)
        parts = (places - data.lower) @ numpy.linalg.inv(data.box)
    inside = ((parts >= low - slack) & (parts < high - 2.0 * slack)).all(axis=1)
    if region is not None:
        inside &= region.holds(places)
    return places[inside], chosen[inside]


def _add_atoms(state: State, places: numpy.ndarray, types: list[int]) -> None:
    table, data = state.atoms, state.data
    first = max(table.ids, default=0) + 1
    table.ids += range(first, first + len(types))
    table.types += types
    table.molecules += [0] * len(types)
    table.charges += [0.0] * len(types)
    table.positions = numpy.vstack([table.positions, places - data.lower])
    if table.exact is not None:
        table.exact = numpy.vstack([table.exact, places])
    if table.velocities is not None:
        table.velocities = numpy.vstack([table.velocities, numpy.zeros((len(types), 3))])
    table.place_of = {identity: n for n, identity in enumerate(table.ids)}
    data.counts["atoms"] = len(table.ids)


def atoms_in_region(state: State, command: Command, k: int) -> set[int]:
    """Places of the atoms in a region."""
    region = _region_of(state, command, k)
    if state.stages:
        command.fail(k, "where atoms are after a run is not known")
    return set(numpy.flatnonzero(region.holds(state.wrapped())).tolist())


def _group(state: State, command: Command) -> None:
    name, style = command.word(0, "the name of a group"), command.word(1, "a style")
    state.need_data(command)
    words = command.arguments[2:]
    everything = set(range(len(state.atoms.ids)))
    if name == "all":
        command.fail(0, "the group all cannot be defined")

    def members(other: str, k: int) -> set[int]:
        if other == "all":
            return everything
        found = state.groups.get(other)
        if found is None:
            command.fail(k, f'there is no group "{other}"{nearest(other, [*state.groups, "all"])}')
        if isinstance(found, str):
            command.fail(k, f"the group {other} is not known: {found}")
        return found

    # A group keeps the atoms that it already has.
    known = state.groups.get(name, set())
    if style in ("delete", "clear"):
        if name not in state.groups:
            command.fail(0, f'there is no group "{name}"{nearest(name, [*state.groups])}')
        del state.groups[name]
        if style == "clear":
            state.groups[name] = set()
    elif style == "empty":
        state.groups[name] = known
    elif style in ("variable", "include", "dynamic", "static", "atom"):
        state.groups[name] = f"group {style} is not evaluated"
    elif style in ("subtract", "union", "intersect"):
        sets = [members(other, k) for k, other in enumerate(words, 2)]
        if len(sets) < (1 if style == "union" else 2):
            command.fail(2 + len(sets), "expected the names of groups")
        if isinstance(known, str):
            return
        if style == "subtract":
            state.groups[name] = (known | sets[0]).difference(*sets[1:])
        else:
            join = set.union if style == "union" else set.intersection
            state.groups[name] = known | join(*sets)
    elif style == "region":
        command.expect_end(3, "group ID region REGION")
        found = atoms_in_region(state, command, 2)
        state.groups[name] = known if isinstance(known, str) else known | found
    elif style in ("type", "id", "molecule"):
        values = {
            "type": state.atoms.types, "id": state.atoms.ids, "molecule": state.atoms.molecules,
        }[style]  # fmt: skip
        chosen = _chosen(state, command, style)
        found = {place for place, value in enumerate(values) if chosen(value)}
        state.groups[name] = known if isinstance(known, str) else known | found
    else:
        command.unknown(1, "style of a group", ["type", "id", "molecule", "subtract", "union",
                                                "intersect", "region", "delete", "clear"])  # fmt: skip


def _chosen(state: State, command: Command, style: str):
    """Returns a function that is true for the numbers that the words of a group name."""
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


COMMANDS = {
    "read_data": _read_data,
    "mass": _mass,
    "lattice": _lattice,
    "region": _region,
    "create_box": _create_box,
    "create_atoms": _create_atoms,
    "group": _group,
}
