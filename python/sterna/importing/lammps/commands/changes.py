"""Commands that change atoms that are there: set, displace_atoms, replicate."""

import re

import numpy

from sterna.importing.lammps.atoms import wrapped_as_lammps
from sterna.importing.lammps.command import Command
from sterna.importing.lammps.commands.structure import atoms_in_region
from sterna.importing.lammps.random_numbers import park_of_places
from sterna.importing.lammps.state import State

#: Keys of set that are taken over, and how many words each has.
_KEYS = {
    "type": 1, "type/fraction": 3, "charge": 1, "mol": 1, "x": 1, "y": 1, "z": 1, "vx": 1, "vy": 1, "vz": 1,
}  # fmt: skip


def _range_of_numbers(command: Command, k: int, what: str) -> tuple[int, int]:
    text = command.word(k, what)
    if not re.fullmatch(r"\d{1,18}|\d{0,18}\*\d{0,18}", text, re.ASCII):
        command.fail(k, f'{what} is "{text}"; expected such as 2, 1*3 or *')
    first, star, last = text.partition("*")
    low = int(first or 1)
    return low, int(last or 2**62) if star else low


def _selected(state: State, command: Command) -> list[int]:
    """Places of the atoms that the command set names."""
    style = command.word(0, "what the atoms are chosen by")
    if style == "group":
        members = state.group(command, 1)
        return list(range(len(state.atoms.ids))) if members is None else sorted(members)
    if style == "region":
        return sorted(atoms_in_region(state, command, 1))
    values = {"type": state.atoms.types, "atom": state.atoms.ids, "mol": state.atoms.molecules}
    if style not in values:
        command.unknown(0, "choice of atoms", [*values, "group", "region"])
    label = state.data.labels.get("atom", {}).get(command.word(1, "which atoms"))
    low, high = (label, label) if style == "type" and label else _range_of_numbers(
        command, 1, f"the {style}")  # fmt: skip
    return [place for place, value in enumerate(values[style]) if low <= value <= high]


def _set(state: State, command: Command) -> None:
    state.need_data(command)
    chosen, table = _selected(state, command), state.atoms
    words, k = command.arguments, 2
    if len(words) < 4:
        command.line.fail(None, "expected `set STYLE ID KEY VALUE`")
    while k < len(words):
        key = words[k]
        if key not in _KEYS:
            command.fail(k, f'"{key}" of set is not taken over; expected {", ".join(_KEYS)}')
        if command.word(k + 1, f"a value of {key}").startswith("v_"):
            command.fail(k + 1, "a variable of atoms is not evaluated")
        if key == "type/fraction":
            _set_fraction(state, command, k + 1, chosen)
        elif key == "type":
            kind = state.data.type_at(command.line, command.fields, k + 2, "atom")
            for place in chosen:
                table.types[place] = kind
        elif key == "mol":
            molecule = command.integer(k + 1, "the molecule", 0, 2**62)
            for place in chosen:
                table.molecules[place] = molecule
        else:
            value = command.number(k + 1, f"the value of {key}")
            if key == "charge":
                for place in chosen:
                    table.charges[place] = value
            elif key in ("x", "y", "z"):
                axis = "xyz".index(key)
                table.positions[chosen, axis] = value - state.data.lower[axis]
                if table.exact is not None:
                    table.exact[chosen, axis] = value
            else:
                if table.velocities is None:
                    if state.temperature is not None:
                        command.fail(k, f"{key} of set behind velocity create is not taken over")
                    table.velocities = numpy.zeros((len(table.ids), 3))
                table.velocities[chosen, "xyz".index(key[1])] = value
        k += 1 + _KEYS[key]
    state.changed("set")


def _places(state: State, command: Command, chosen: list[int]) -> numpy.ndarray:
    """Whose bits LAMMPS makes random numbers of."""
    if state.atoms.exact is None or state.stages:
        command.fail(
            None,
            "LAMMPS makes these random numbers of the last bits of coordinates, which are not known "
            "here; write the data file after it, with write_data, and give that one",
        )
    return state.atoms.exact[chosen]


def _set_fraction(state: State, command: Command, k: int, chosen: list[int]) -> None:
    kind = state.data.type_at(command.line, command.fields, k + 1, "atom")
    fraction = command.number(k + 1, "the fraction")
    if not 0.0 <= fraction <= 1.0:
        command.fail(k + 1, "the fraction is from 0 to 1")
    seed = command.integer(k + 2, "the seed", 1, 2**31 - 1)
    numbers = park_of_places(seed, _places(state, command, chosen), 1)[:, 0]
    for place, number in zip(chosen, numbers, strict=True):
        if number <= fraction:
            state.atoms.types[place] = kind


def _displace_atoms(state: State, command: Command) -> None:
    state.need_data(command)
    members = state.group(command, 0)
    style = command.word(1, "a style")
    if style not in ("move", "random"):
        command.fail(1, f"displace_atoms {style} is not taken over; expected move or random")
    behind = 6 if style == "random" else 5
    words = command.arguments[behind:]
    if words not in ([], ["units", "box"], ["units", "lattice"]):
        command.fail(behind, f"expected `displace_atoms GROUP {style} dx dy dz"
                     f"{' SEED' if style == 'random' else ''} units box`")  # fmt: skip
    scale = numpy.ones(3) if words[1:] == ["box"] else numpy.array(state.lattice.spacing)
    moved = scale * [command.number(2 + n, "a component of the displacement") for n in range(3)]
    chosen = list(range(len(state.atoms.ids))) if members is None else sorted(members)
    table = state.atoms
    if style == "random":
        seed = command.integer(5, "the seed", 1, 2**31 - 1)
        numbers = park_of_places(seed, _places(state, command, chosen), 3)
        moved = moved * 2.0 * (numbers - 0.5)
    table.positions[chosen] += moved
    if table.exact is not None:
        table.exact[chosen] += moved
        table.exact = wrapped_as_lammps(state.data, table.exact)
    state.changed("displace_atoms")


def _replicate(state: State, command: Command) -> None:
    state.need_data(command)
    counts = [command.integer(n, "the number of copies", 1, 10**6) for n in range(3)]
    if command.arguments[3:] not in ([], ["bbox"]):
        command.fail(3, "expected `replicate NX NY NZ`")
    table, data = state.atoms, state.data
    before = len(table.ids)
    copies = counts[0] * counts[1] * counts[2]
    if copies * before > 10**8:
        command.fail(0, "there would be more than 10^8 atoms")
    stride = max(table.ids, default=0)
    largest = max(table.molecules, default=0)
    shifts = [(x, y, z) for z in range(counts[2]) for y in range(counts[1])
              for x in range(counts[0])]  # fmt: skip
    table.positions = numpy.vstack([table.positions + numpy.array(n) @ data.box for n in shifts])
    table.ids = [one + c * stride for c in range(copies) for one in table.ids]
    table.types, table.charges = table.types * copies, table.charges * copies
    table.molecules = [one + c * largest if one > 0 else one
                       for c in range(copies) for one in table.molecules]  # fmt: skip
    if table.velocities is not None:
        table.velocities = numpy.vstack([table.velocities] * copies)
    table.place_of = {identity: n for n, identity in enumerate(table.ids)}
    table.copies.append((copies, stride))
    data.box = numpy.array(counts)[:, None] * data.box
    data.upper = data.lower + numpy.diag(data.box)
    table.exact = None
    for name, members in state.groups.items():
        if not isinstance(members, str):
            state.groups[name] = {one + c * before for c in range(copies) for one in members}
    state.changed("replicate")


COMMANDS = {"set": _set, "displace_atoms": _displace_atoms, "replicate": _replicate}
