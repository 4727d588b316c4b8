"""The command change_box.

Source: https://docs.lammps.org/change_box.html, and change_box.cpp for the order of operations.
"""

import math
from dataclasses import dataclass

import numpy

from sterna.importing.lammps.command import Command
from sterna.importing.lammps.state import State

_TILTS = {"xy": (1, 0), "xz": (2, 0), "yz": (2, 1)}
_WORDS = {"boundary": 4, "ortho": 1, "triclinic": 1, "set": 1, "remap": 1}


@dataclass
class _Box:
    lower: numpy.ndarray
    upper: numpy.ndarray
    tilt: dict[str, float]
    is_triclinic: bool

    def matrix(self) -> numpy.ndarray:
        made = numpy.diag(self.upper - self.lower)
        for name, place in _TILTS.items():
            made[place] = self.tilt[name]
        return made

    def volume(self) -> float:
        return float(math.prod(self.upper - self.lower))


@dataclass
class _Operation:
    """`k`: its first word; `preserved`: axes that keep the volume."""

    k: int
    name: str
    preserved: list[int]


def _operations(command: Command) -> tuple[list[_Operation], int]:
    """Returns the operations, and the field at which the options behind them begin."""
    words, k = command.arguments, 1
    found: list[_Operation] = []
    while k < len(words):
        name = words[k]
        if name in ("x", "y", "z"):
            how = command.word(k + 1, "final, delta, scale or volume")
            if how == "volume":
                before = found[-1] if found else None
                if before is None or before.name not in "xyz" or before.name == name:
                    command.fail(k + 1, "volume stands behind a change of another axis")
                before.preserved.append("xyz".index(name))
                k += 2
                continue
            if how not in ("final", "delta", "scale"):
                command.unknown(k + 1, "change", ["final", "delta", "scale", "volume"])
            found.append(_Operation(k, name, []))
            k += 3 if how == "scale" else 4
        elif name in _TILTS:
            if command.word(k + 1, "final or delta") not in ("final", "delta"):
                command.unknown(k + 1, "change", ["final", "delta"])
            found.append(_Operation(k, name, []))
            k += 3
        elif name in _WORDS:
            found.append(_Operation(k, name, []))
            k += _WORDS[name]
        else:
            break
    if not found:
        command.fail(1, "expected what is changed, such as `x final LOW HIGH`")
    return found, k


def _change_axis(command: Command, one: _Operation, box: _Box, scale: numpy.ndarray) -> None:
    axis, volume = "xyz".index(one.name), box.volume()
    how = command.arguments[one.k + 1]
    values = [command.number(one.k + 2 + n, "a bound") for n in range(1 if how == "scale" else 2)]
    if how == "scale":
        _stretch(box, axis, values[0])
    else:
        bounds = scale[axis] * numpy.array(values)
        if how == "delta":
            bounds = bounds + (box.lower[axis], box.upper[axis])
        box.lower[axis], box.upper[axis] = bounds
    if (box.upper <= box.lower).any():
        command.fail(one.k, "the box would have no volume")
    if one.preserved:
        factor = volume / box.volume()
        for other in one.preserved:
            _stretch(box, other, factor ** (1.0 / len(one.preserved)))


def _stretch(box: _Box, axis: int, factor: float) -> None:
    """Around its middle."""
    middle = 0.5 * (box.lower[axis] + box.upper[axis])
    for bound in (box.lower, box.upper):
        bound[axis] = middle + factor * (bound[axis] - middle)


def _change_tilt(command: Command, one: _Operation, box: _Box, scale: numpy.ndarray) -> None:
    if not box.is_triclinic:
        command.fail(one.k, "a box of right angles has no tilt; expected triclinic before")
    value = scale["xyz".index(one.name[0])] * command.number(one.k + 2, "a tilt")
    before = box.tilt[one.name] if command.arguments[one.k + 1] == "delta" else 0.0
    box.tilt[one.name] = before + value


def _change_box(state: State, command: Command) -> None:
    data = state.need_data(command)
    if state.stages:
        command.line.fail(0, "change_box behind a run is not taken over")
    members = state.group(command, 0)
    operations, k = _operations(command)
    words = command.arguments[k:]
    if words not in ([], ["units", "box"], ["units", "lattice"]):
        command.fail(k, "expected `units box`, or nothing, behind what change_box changes")
    scale = numpy.ones(3) if words[1:] == ["box"] else numpy.array(state.lattice.spacing)
    tilt = {name: float(data.box[place]) for name, place in _TILTS.items()}
    is_triclinic = data.is_triclinic or any(tilt.values())
    box = _Box(data.lower.copy(), data.upper.copy(), tilt, is_triclinic)
    chosen = slice(None) if members is None else sorted(members)
    places = state.wrapped().copy()
    saved = (box.lower.copy(), box.matrix())
    for one in operations:
        if one.name in ("x", "y", "z"):
            _change_axis(command, one, box, scale)
        elif one.name in _TILTS:
            _change_tilt(command, one, box, scale)
        elif one.name == "boundary":
            faces = command.arguments[one.k + 1 : one.k + 4]
            if faces not in (["p"] * 3, ["pp"] * 3):
                command.fail(one.k + 1, "expected boundary p p p: Sterna's boxes are periodic")
        elif one.name == "ortho":
            if any(box.tilt.values()):
                command.fail(one.k, "a box that is tilted cannot become ortho")
            box.is_triclinic = False
        elif one.name == "triclinic":
            box.is_triclinic = True
        else:
            if one.name == "remap":
                parts = (places[chosen] - saved[0]) @ numpy.linalg.inv(saved[1])
                places[chosen] = box.lower + parts @ box.matrix()
            saved = (box.lower.copy(), box.matrix())
    data.lower, data.upper, data.box = box.lower, box.upper, box.matrix()
    data.is_triclinic = box.is_triclinic
    state.atoms.positions = places - data.lower
    state.atoms.exact = None
    state.changed("change_box")


COMMANDS = {"change_box": _change_box}
