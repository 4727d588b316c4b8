"""The command velocity, with LAMMPS's own random numbers.

Source: https://docs.lammps.org/velocity.html, and velocity.cpp for the order of operations.
"""

import math
from dataclasses import dataclass

import numpy

from sterna.importing.lammps.command import Command
from sterna.importing.lammps.random_numbers import Park, normal, one_by_one, park_of_places
from sterna.importing.lammps.state import BOLTZMANN, State

#: The factor from mass velocity^2 to energy, by units.
_KINETIC = {"lj": 1.0, "real": 48.88821291**2, "metal": 1.0364269e-4}

_SINGULAR = 1e-10  # relative bound for the tensor of inertia of atoms in a line

#: Fixes that take degrees of freedom away, which LAMMPS counts.
_STIFF = ("shake", "rattle", "rigid")


@dataclass
class _Options:
    """Words behind the numbers of velocity create."""

    dist: str = "uniform"
    loop: str = "all"
    mom: bool = True
    rot: bool = False
    sum: bool = False
    has_temperature: bool = False


def _options(command: Command, k: int) -> _Options:
    made, words = _Options(), command.arguments
    while k < len(words):
        word = words[k]
        if word in ("dist", "loop"):
            known = {"dist": ["uniform", "gaussian"], "loop": ["all", "local", "geom"]}[word]
            if command.word(k + 1, f"a value of {word}") not in known:
                command.unknown(k + 1, word, known)
            setattr(made, word, words[k + 1])
        elif word in ("mom", "rot", "sum"):
            setattr(made, word, command.yes(k + 1, word))
        elif word == "temp":
            command.word(k + 1, "a compute")
            made.has_temperature = True
        elif word == "units":
            if command.word(k + 1, "box or lattice") not in ("box", "lattice"):
                command.unknown(k + 1, "units", ["box", "lattice"])
        elif word in ("bias", "rigid"):
            if word == "rigid" or command.yes(k + 1, word):
                command.fail(k, f"{word} of velocity create is not taken over")
        else:
            command.unknown(k, "key of velocity create",
                            ["dist", "loop", "mom", "rot", "sum", "temp", "units", "bias"])  # fmt: skip
        k += 2
    return made


def _masses(state: State, command: Command) -> numpy.ndarray:
    for kind in state.atoms.types:
        if kind not in state.masses:
            command.line.fail(None, f"the atom type {kind} has no mass; expected `mass` before")
    return numpy.array([state.masses[kind] for kind in state.atoms.types])


def _known(state: State, command: Command) -> numpy.ndarray:
    """Present velocities. Raises SternaError where a run has changed them."""
    if state.stages or state.temperature is not None:
        command.line.fail(
            0,
            f"{' '.join(command.line.text.split()[:3])} needs velocities that are not known: those "
            "after a run, or drawn ones",
        )
    velocities = state.atoms.velocities
    return numpy.zeros((len(state.atoms.ids), 3)) if velocities is None else velocities.copy()


def _draw(
    state: State, command: Command, options: _Options, seed: int, chosen: numpy.ndarray
) -> numpy.ndarray:
    """Draws numbers, (atoms, 3); those of atoms that were not chosen are 0."""
    count = len(state.atoms.ids)
    found = numpy.zeros((count, 3))
    is_normal = options.dist == "gaussian"
    if options.loop == "geom":
        if state.atoms.exact is None:
            command.fail(
                None,
                "loop geom makes random numbers of the last bits of coordinates, which are not known "
                "here; expected loop all",
            )
        if not is_normal:
            found[chosen] = park_of_places(seed, state.atoms.exact[chosen], 3) - 0.5
            return found
        for k in chosen:
            numbers = iter(park_of_places(seed, state.atoms.exact[k : k + 1], 500)[0].tolist())
            found[k] = [next(one) for one in [normal(numbers.__next__)] * 3]
        return found
    if sorted(state.atoms.ids) != list(range(1, count + 1)):
        command.line.fail(0, "velocity create loop all needs ids from 1 on, without gaps")
    park = Park(seed)
    if is_normal:
        numbers = normal(one_by_one(park))
        drawn = numpy.array([next(numbers) for _ in range(3 * count)]).reshape(count, 3)
    else:
        drawn = park.uniform(3 * count).reshape(count, 3) - 0.5
    found[chosen] = drawn[numpy.array(state.atoms.ids)[chosen] - 1]
    return found


def _create(state: State, command: Command) -> None:
    temperature = command.number(2, "the temperature")
    if temperature < 0.0:
        command.fail(2, "the temperature must not be negative")
    seed = command.integer(3, "the seed", 1, 2**31 - 1)
    options = _options(command, 4)
    members = state.group(command, 0)
    stiff = [fix for fix in state.fixes.values() if fix.style.startswith(_STIFF)]
    why = ""
    if options.loop == "local":
        why = "loop local depends on the order of atoms in memory"
    elif options.has_temperature or stiff:
        why = "the degrees of freedom of its temperature are LAMMPS's"
    if why:
        if members is not None or options.sum:
            command.fail(0, f"velocity create of some atoms, or sum yes, is not taken over: {why}")
        state.tell(
            command, f"velocities are drawn by other random numbers, at the same temperature: {why}"
        )
        state.temperature, state.atoms.velocities = temperature, None
        return
    keeps = members is not None or options.sum
    before = _known(state, command) if keeps else numpy.zeros((len(state.atoms.ids), 3))
    chosen = numpy.arange(len(before)) if members is None else numpy.array(sorted(members), int)
    if not len(chosen):
        command.fail(0, "the group has no atoms")
    masses = _masses(state, command)[chosen]
    drawn = _draw(state, command, options, seed, chosen)[chosen]
    drawn *= (1.0 / numpy.sqrt(masses))[:, None]
    if options.mom:
        drawn -= masses @ drawn / masses.sum()
    if options.rot:
        drawn -= _rotation(command, masses, state.atoms.positions[chosen], drawn)
    _rescale(state, command, masses, drawn, temperature)
    before[chosen] = drawn + before[chosen] if options.sum else drawn
    state.temperature, state.atoms.velocities = None, before


def _rescale(
    state: State, command: Command, masses: numpy.ndarray, velocities: numpy.ndarray,
    temperature: float,
) -> None:  # fmt: skip
    """Rescales to the temperature of these atoms, whose center LAMMPS assumes to be at rest."""
    units = state.units or "lj"
    freedom = 3 * len(masses) - 3
    energy = _KINETIC[units] * float(masses @ (velocities * velocities).sum(axis=1))
    if freedom <= 0 or energy == 0.0:
        command.fail(None, "the temperature of these atoms is 0, and cannot be scaled")
    velocities *= math.sqrt(temperature / (energy / (freedom * BOLTZMANN[units])))


def _rotation(
    command: Command, masses: numpy.ndarray, positions: numpy.ndarray, velocities: numpy.ndarray
) -> numpy.ndarray:
    """The velocities of the rotation of all around their center."""
    d = positions - masses @ positions / masses.sum()
    momentum = (masses[:, None] * numpy.cross(d, velocities)).sum(axis=0)
    squares = (d * d).sum(axis=1)
    inertia = (masses[:, None, None] * (squares[:, None, None] * numpy.eye(3)
               - d[:, :, None] * d[:, None, :])).sum(axis=0)  # fmt: skip
    if abs(numpy.linalg.det(inertia)) < _SINGULAR * numpy.trace(inertia) ** 3:
        command.fail(None, "rot yes of atoms in a line is not taken over")
    return numpy.cross(numpy.linalg.solve(inertia, momentum), d)


def _set(state: State, command: Command) -> None:
    members = state.group(command, 0)
    words = command.arguments[2:5]
    units = command.arguments[5:]
    if units not in ([], ["units", "box"], ["units", "lattice"]):
        command.fail(5, "expected `units box` or nothing behind the numbers of velocity set")
    # LAMMPS takes lattice constants per time as the unit.
    scale = numpy.ones(3) if units[1:] == ["box"] else numpy.array(state.lattice.spacing)
    given = [k for k in range(3) if words[k : k + 1] != ["NULL"]]
    is_all = members is None and len(given) == 3
    before = numpy.zeros((len(state.atoms.ids), 3)) if is_all else _known(state, command)
    for k in given:
        value = scale[k] * command.number(2 + k, "a component of the velocity")
        before[slice(None) if members is None else sorted(members), k] = value
    state.temperature, state.atoms.velocities = None, before


def _zero(state: State, command: Command) -> None:
    if command.word(2, "linear or angular") not in ("linear", "angular"):
        command.unknown(2, "motion", ["linear", "angular"])
    command.expect_end(3, f"velocity GROUP zero {command.arguments[2]}")
    is_linear = command.arguments[2] == "linear"
    members = state.group(command, 0)
    if members is None and is_linear and state.atoms.velocities is None:
        return  # Drawn ones have no momentum.
    before = _known(state, command)
    chosen = slice(None) if members is None else sorted(members)
    masses, some = _masses(state, command)[chosen], before[chosen]
    if is_linear:
        some = some - masses @ some / masses.sum()
    else:
        some = some - _rotation(command, masses, state.atoms.positions[chosen], some)
    before[chosen] = some
    state.atoms.velocities = before


def _scale(state: State, command: Command) -> None:
    temperature = command.number(2, "the temperature")
    if temperature < 0.0:
        command.fail(2, "the temperature must not be negative")
    command.expect_end(3, "velocity GROUP scale T")
    members = state.group(command, 0)
    if members is None and (state.stages or state.temperature is not None):
        # Velocities that were drawn, or remain from an earlier run, have another temperature.
        state.temperature, state.atoms.velocities = temperature, None
        return
    if any(fix.style.startswith(_STIFF) for fix in state.fixes.values()):
        command.fail(1, "velocity scale beside fix shake, rattle or rigid is not taken over")
    before = _known(state, command)
    chosen = slice(None) if members is None else sorted(members)
    some = before[chosen]
    _rescale(state, command, _masses(state, command)[chosen], some, temperature)
    before[chosen] = some
    state.atoms.velocities = before


def _velocity(state: State, command: Command) -> None:
    state.need_data(command)
    state.changed("velocity")
    styles = {"create": _create, "set": _set, "zero": _zero, "scale": _scale}
    style = command.word(1, "a style")
    if style == "ramp":
        command.fail(1, "velocity ramp is not taken over")
    if style not in styles:
        command.unknown(1, "style of velocity", [*styles, "ramp"])
    styles[style](state, command)


COMMANDS = {"velocity": _velocity}
