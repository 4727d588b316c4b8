"""Fixes of LAMMPS as sections of an input: a row for each style.

Source: https://docs.lammps.org, the page of each fix.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy

from sterna.importing.lammps.command import Command, nearest
from sterna.importing.lammps.state import Fix, State

#: Fixes that have no effect on the motion.
_HARMLESS = (
    "ave/atom", "ave/chunk", "ave/correlate", "ave/correlate/long", "ave/grid", "ave/histo",
    "ave/histo/weight", "ave/moments", "ave/time", "balance", "pair/tracker", "print",
    "reaxff/bonds", "reaxff/species", "store/force", "store/state", "vector",
)  # fmt: skip

_LIKE = 0.85  # Names of fixes that are no misspellings of each other are less alike.

#: Acceleration in (length/time^2) of a force of 1 on a mass of 1.
_ACCELERATION = {"reduced": 1.0, "real": 4.184e-4, "metal": 9648.53321}


@dataclass
class Dynamics:
    """The motion that the fixes of the last stage give."""

    state: State
    units: str  #: units of Sterna
    integrator: Fix | None = None
    thermostat: dict[str, Any] = field(default_factory=dict)
    barostat: dict[str, Any] = field(default_factory=dict)
    sections: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    restraints: list[tuple[int, tuple[float, float, float]]] = field(default_factory=list)
    constraints: Fix | None = None
    moved: set[int] | None = None  #: atoms that the integrator moves; None: all atoms
    held: set[int] = field(default_factory=set)  #: atoms whose forces are set to 0
    thermostats: list[tuple[Fix, set[int] | None]] = field(default_factory=list)
    #: Forces that are the same everywhere, and the atoms that they act on; None: all.
    fields: list[tuple[Fix, set[int] | None, dict[str, Any]]] = field(default_factory=list)

    @property
    def frozen(self) -> set[int]:
        """Atoms that stay where they are."""
        rest = set() if self.moved is None else set(range(len(self.state.atoms.ids))) - self.moved
        return rest | self.held

    def add(self, section: str, table: dict[str, Any]) -> None:
        self.sections.setdefault(section, []).append(table)

    def integrate(self, fix: Fix) -> None:
        self.moved = self.state.group(fix.command, 1)
        if self.integrator is not None:
            fix.command.fail(
                2, f"fix {self.integrator.identity} {self.integrator.style} moves the atoms, too"
            )
        self.integrator = fix

    def set_thermostat(self, fix: Fix, kind: str, ends: tuple[float, float], time: float) -> None:
        """`ends`: the temperature at the begin and at the end of the run."""
        self.thermostats.append((fix, self.state.group(fix.command, 1)))
        if self.thermostat:
            fix.command.fail(2, "a second thermostat is not taken over")
        if min(ends) <= 0.0 or time <= 0.0:
            fix.command.fail(None, "the temperature and the damping must be positive")
        self.thermostat = {"kind": kind, "temperature": ends[0], "time_constant": time}
        if ends[0] != ends[1]:
            self.thermostat["end_temperature"] = ends[1]
            self.require_one_run(fix, "the temperature")

    def require_one_run(self, fix: Fix, what: str) -> None:
        """Raises SternaError where what moves does not move once, in all of the last stage."""
        commands = self.state.stages[-1].commands if self.state.stages else []
        if commands and commands[0].name == "minimize":
            return
        if len(commands) != 1 or {"start", "stop"} & set(commands[0].arguments):
            fix.command.fail(
                None,
                f"{what} moves from the begin to the end of each run; expected one run behind the "
                "fix, without start and stop",
            )

    def for_all(self, fix: Fix) -> None:
        if self.state.group(fix.command, 1) is not None:
            fix.command.fail(
                1, f"fix {fix.style} of some atoms is not taken over; expected the group all"
            )


def dynamics_of(state: State, units: str, leave_out: set[str]) -> Dynamics:
    """Raises SternaError at a fix that acts and has no counterpart, unless it is left out."""
    made = Dynamics(state, units)
    for fix in state.fixes.values():
        if fix.style in leave_out:
            state.tell(fix.command, f"fix {fix.identity} {fix.style} is left out")
        elif fix.style in _FIXES:
            _FIXES[fix.style](made, fix)
        elif fix.style in _HARMLESS:
            state.tell(fix.command, f"fix {fix.identity} {fix.style} is left out: it moves nothing")
        else:
            fix.command.fail(
                2,
                f"fix {fix.style} is not taken over{nearest(fix.style, [*_FIXES, *_HARMLESS], _LIKE)}; "
                f"--leave-out {fix.style} imports the system without it",
            )
    _check_frozen(made)
    if made.restraints and made.barostat:
        fix = next(one for one in state.fixes.values() if one.style == "spring/self")
        fix.command.fail(2, "fix spring/self beside a barostat is not taken over")
    return made


def _check_frozen(made: Dynamics) -> None:
    """Raises SternaError where atoms that rest are not left out of all that moves the others."""
    everything = set(range(len(made.state.atoms.ids)))
    moving = everything - made.frozen
    for fix, members in made.thermostats:
        group = everything if members is None else members
        # Random forces on atoms that rest move nothing.
        if group - made.held != moving and not (fix.style == "langevin" and moving <= group):
            fix.command.fail(
                1,
                f"fix {fix.style} acts on other atoms than those that move, which is not taken over",
            )
    if not made.frozen:
        return
    fix = next(
        one
        for one in made.state.fixes.values()
        if one is made.integrator or one.style == "setforce"
    )
    if not moving:
        fix.command.fail(1, "no atom moves; expected one at least")
    if made.barostat:
        fix.command.fail(1, "atoms that rest beside a barostat are not taken over")
    if made.constraints is not None:
        fix.command.fail(
            1, f"atoms that rest beside fix {made.constraints.style} are not taken over"
        )


def _constant(command: Command, k: int, what: str) -> float:
    """A number; variables that change while a run lasts are none."""
    text = command.word(k, what)
    if text.startswith("v_"):
        command.fail(k, f"{what} is {text}: what changes during a run is not taken over")
    return command.number(k, what)


def _ends(command: Command, k: int, what: str) -> tuple[float, float]:
    """A value at the begin and at the end of a run."""
    return _constant(command, k, what), _constant(command, k + 1, what)


def _nve(d: Dynamics, fix: Fix) -> None:
    fix.command.expect_end(3, "fix ID group nve")
    d.integrate(fix)


#: Keys of fix nvt and npt that say how it is computed, and how many words each has.
_NH_KEYS = {
    "tchain": 1, "pchain": 1, "mtk": 1, "tloop": 1, "ploop": 1, "nreset": 1, "flip": 1,
    "scalexy": 1, "scaleyz": 1, "scalexz": 1, "update": 1, "fixedpoint": 3, "psllod": 1,
}  # fmt: skip


def _nose_hoover(d: Dynamics, fix: Fix) -> None:
    command = fix.command
    words, k = command.arguments, 3
    pressures: dict[str, tuple[tuple[float, float], float]] = {}
    couple = "none"
    has_temperature = False
    d.integrate(fix)
    while k < len(words):
        word = words[k]
        if word == "temp":
            temperature = _ends(command, k + 1, "the temperature")
            time = _constant(command, k + 3, "the damping time")
            # LAMMPS has the inverse of an angular frequency, Sterna the period.
            d.set_thermostat(fix, "nose_hoover_chain", temperature, 2.0 * math.pi * time)
            has_temperature = True
            k += 4
        elif word in ("iso", "aniso", "tri", "x", "y", "z", "xy", "xz", "yz"):
            pressure = _ends(command, k + 1, "the pressure")
            pressures[word] = (pressure, _constant(command, k + 3, "the damping time"))
            k += 4
        elif word == "couple":
            couple = command.word(k + 1, "what is coupled")
            if couple not in ("none", "xyz", "xy", "yz", "xz"):
                command.unknown(k + 1, "coupling", ["none", "xyz", "xy", "yz", "xz"])
            k += 2
        elif word == "drag":
            if _constant(command, k + 1, "drag") != 0.0:
                command.fail(k, "drag of the barostat is not taken over")
            k += 2
        elif word == "dilate":
            if command.word(k + 1, "a group") != "all":
                command.fail(k + 1, "dilate is taken over for the group all only")
            k += 2
        elif word in _NH_KEYS:
            for n in range(_NH_KEYS[word]):
                command.word(k + 1 + n, f"a value of {word}")
            k += 1 + _NH_KEYS[word]
        else:
            command.unknown(k, f"key of fix {fix.style}", [*_NH_KEYS, "temp", "iso", "aniso", "tri",
                                                          "couple", "dilate", "drag"])  # fmt: skip
    if (fix.style in ("nvt", "npt")) != has_temperature:
        command.fail(2, f"fix {fix.style} {'needs' if not has_temperature else 'has no'} temp")
    if (fix.style in ("npt", "nph")) != bool(pressures):
        command.fail(2, f"fix {fix.style} {'needs a' if not pressures else 'has no'} pressure")
    if pressures:
        d.barostat = _barostat(command, pressures, couple)
        if "end_pressure" in d.barostat:
            d.require_one_run(fix, "the pressure")


def _barostat(
    command: Command, pressures: dict[str, tuple[tuple[float, float], float]], couple: str
) -> dict[str, Any]:
    if len(set(pressures.values())) > 1:
        command.fail(None, "other pressures, or damping times, along other axes are not taken over")
    (pressure, last), time = next(iter(pressures.values()))
    if time <= 0.0:
        command.fail(None, "the damping time of the pressure must be positive")
    axes = set(pressures)
    coupling: dict[str, Any]
    if axes in ({"iso"}, {"x", "y", "z"}) and (axes == {"iso"} or couple == "xyz"):
        coupling = {"coupling": "isotropic"}
    elif axes == {"aniso"} or (axes == {"x", "y", "z"} and couple == "none"):
        coupling = {"coupling": "anisotropic"}
    elif axes == {"tri"} or axes == {"x", "y", "z", "xy", "xz", "yz"}:
        coupling = {"coupling": "triclinic"}
    elif axes == {"x", "y", "z"}:
        other = next(axis for axis in "xyz" if axis not in couple)
        coupling = {"coupling": "semi_isotropic", "axis": other}
    elif len(axes) == 1 and axes <= set("xyz"):
        coupling = {"coupling": "uniaxial", "axis": axes.pop()}
    else:
        command.fail(None, f"pressure along {', '.join(sorted(axes))} is not taken over")
    return {
        "kind": "martyna_tobias_klein",
        "pressure": pressure,
        **({"end_pressure": last} if last != pressure else {}),
        "time_constant": 2.0 * math.pi * time,
        **coupling,
    }


def _langevin(d: Dynamics, fix: Fix) -> None:
    command = fix.command
    temperature = _ends(command, 3, "the temperature")
    time = _constant(command, 5, "the damping time")
    command.integer(6, "the seed", 1, 2**62)
    words, k = command.arguments, 7
    while k < len(words):
        if words[k] in ("tally", "zero"):
            command.yes(k + 1, words[k])
        elif words[k] in ("angmom", "omega", "gjf", "scale"):
            if words[k] == "scale" or words[k + 1 : k + 2] != ["no"]:
                command.fail(k, f"{words[k]} of fix langevin is not taken over")
        else:
            command.unknown(k, "key of fix langevin", ["tally", "zero", "gjf", "scale", "omega"])
        k += 2
    d.set_thermostat(fix, "langevin", temperature, time)


def _csvr(d: Dynamics, fix: Fix) -> None:
    command = fix.command
    temperature = _ends(command, 3, "the temperature")
    time = _constant(command, 5, "the damping time")
    command.integer(6, "the seed", 1, 2**62)
    command.expect_end(7, "fix ID group temp/csvr T T time seed")
    d.set_thermostat(fix, "stochastic_velocity_rescaling", temperature, time)


def _momentum(d: Dynamics, fix: Fix) -> None:
    command = fix.command
    d.for_all(fix)
    interval = command.integer(3, "the interval", 1, 10**9)
    if command.arguments[4:] != ["linear", "1", "1", "1"]:
        command.fail(4, "fix momentum is taken over with linear 1 1 1 only")
    d.add("drift_control", {"interval": interval, "sample_interval": interval})


def _addforce(d: Dynamics, fix: Fix) -> None:
    force = [_constant(fix.command, 3 + k, "a component of the force") for k in range(3)]
    fix.command.expect_end(6, "fix ID group addforce fx fy fz")
    d.fields.append((fix, d.state.group(fix.command, 1), {"force": force}))


def _efield(d: Dynamics, fix: Fix) -> None:
    strength = [_constant(fix.command, 3 + k, "a component of the field") for k in range(3)]
    fix.command.expect_end(6, "fix ID group efield ex ey ez")
    d.fields.append((fix, d.state.group(fix.command, 1), {"electric_field": strength}))


def _setforce(d: Dynamics, fix: Fix) -> None:
    """Atoms without forces and velocities rest."""
    command = fix.command
    force = [command.word(3 + k, "a component of the force") for k in range(3)]
    command.expect_end(6, "fix ID group setforce fx fy fz")
    if "NULL" in force or any(_constant(command, 3 + k, "a component") for k in range(3)):
        command.fail(
            3,
            "fix setforce is taken over with 0 0 0, which lets atoms rest; forces along some axes, or "
            "other ones, are not",
        )
    state = d.state
    members = state.group(command, 1)
    members = set(range(len(state.atoms.ids))) if members is None else members
    velocities = state.atoms.velocities
    moves = (
        state.temperature is not None if velocities is None else velocities[sorted(members)].any()
    )
    if moves:
        command.fail(
            1,
            "atoms of fix setforce have velocities, which they would keep; expected `velocity GROUP "
            "set 0 0 0` behind the command that draws them",
        )
    d.held |= members


def _gravity(d: Dynamics, fix: Fix) -> None:
    command = fix.command
    d.for_all(fix)
    size = _constant(command, 3, "the magnitude") * _ACCELERATION[d.units]
    style = command.word(4, "chute, spherical or vector")
    if style == "vector":
        vector = numpy.array([_constant(command, 5 + k, "a component") for k in range(3)])
        command.expect_end(8, "fix ID group gravity magnitude vector x y z")
        if not vector.any():
            command.fail(5, "expected a vector that is not 0")
        direction = vector / numpy.linalg.norm(vector)
    elif style == "chute":
        angle = math.radians(_constant(command, 5, "the angle"))
        command.expect_end(6, "fix ID group gravity magnitude chute angle")
        direction = numpy.array([math.sin(angle), 0.0, -math.cos(angle)])
    else:
        command.fail(4, f"gravity {style} is not taken over; expected vector or chute")
    d.add("field", {"acceleration": (size * direction).tolist()})


def _spring_self(d: Dynamics, fix: Fix) -> None:
    command = fix.command
    stiffness = _constant(command, 3, "the stiffness")
    axes = command.arguments[4] if len(command.arguments) > 4 else "xyz"
    command.expect_end(5, "fix ID group spring/self K axes")
    if not axes or set(axes) - set("xyz"):
        command.fail(4, f'the axes are "{axes}"; expected x, y, z, xy, xz, yz or xyz')
    members = d.state.group(command, 1)
    three = tuple(stiffness if axis in axes else 0.0 for axis in "xyz")
    for atom in range(len(d.state.atoms.ids)) if members is None else sorted(members):
        d.restraints.append((atom, three))


def _wall(potential: str) -> Callable[[Dynamics, Fix], None]:
    def read(d: Dynamics, fix: Fix) -> None:
        command = fix.command
        d.for_all(fix)
        words, k = command.arguments, 3
        faces = []
        periodic = potential == "reflecting"
        while k < len(words):
            if words[k] in ("xlo", "xhi", "ylo", "yhi", "zlo", "zhi"):
                faces.append(k)
                k += 2 if potential == "reflecting" else 5
            elif words[k] == "units":
                if words[k + 1 : k + 2] != ["box"]:
                    command.fail(k + 1, "expected units box")
                k += 2
            elif words[k] == "pbc":
                periodic = command.yes(k + 1, "pbc")
                k += 2
            else:
                command.unknown(k, f"key of fix {fix.style}", ["xlo", "xhi", "ylo", "yhi", "zlo",
                                                              "zhi", "units", "pbc"])  # fmt: skip
        if not faces or not periodic:
            command.fail(2, "expected the faces of the wall and, in a periodic box, `pbc yes`")
        if d.state.lattice.spacing != (1.0, 1.0, 1.0) and "box" not in words[3:]:
            command.fail(2, "expected `units box`: the script has a lattice")
        for face in faces:
            d.add("wall", _wall_at(d, fix, face, potential))

    return read


def _wall_at(d: Dynamics, fix: Fix, k: int, potential: str) -> dict[str, Any]:
    command, data = fix.command, d.state.data
    axis, is_low = "xyz".index(command.arguments[k][0]), command.arguments[k].endswith("lo")
    if numpy.any(data.box - numpy.diag(numpy.diag(data.box))):
        command.fail(k, "walls in a triclinic box are not taken over")
    if command.word(k + 1, "where the wall is") == "EDGE":
        position = 0.0 if is_low else float(data.box[axis, axis])
    else:
        position = _constant(command, k + 1, "where the wall is") - float(data.lower[axis])
    wall: dict[str, Any] = {
        "potential": potential, "axis": "xyz"[axis], "side": "above" if is_low else "below",
    }  # fmt: skip
    if potential != "reflecting":
        epsilon, sigma, cutoff = (
            _constant(command, k + n, what)
            for n, what in ((2, "epsilon"), (3, "sigma"), (4, "the cutoff"))
        )
        if potential == "harmonic":
            # LAMMPS's spring begins at the cutoff before the wall.
            position += cutoff if is_low else -cutoff
            wall["stiffness"] = 2.0 * epsilon
        else:
            wall |= {"epsilon": epsilon, "sigma": sigma, "cutoff": cutoff}
    if position < 0.0:
        command.fail(k + 1, "the wall is outside of the box")
    return wall | {"position": position}


def _shake(d: Dynamics, fix: Fix) -> None:
    if d.constraints is not None:
        fix.command.fail(2, "a second fix shake or rattle is not taken over")
    d.constraints = fix


_FIXES: dict[str, Callable[[Dynamics, Fix], None]] = {
    "nve": _nve,
    "nvt": _nose_hoover,
    "npt": _nose_hoover,
    "nph": _nose_hoover,
    "langevin": _langevin,
    "temp/csvr": _csvr,
    "momentum": _momentum,
    "addforce": _addforce,
    "efield": _efield,
    "setforce": _setforce,
    "gravity": _gravity,
    "spring/self": _spring_self,
    "wall/lj93": _wall("lj_9_3"),
    "wall/lj126": _wall("lj_12_6"),
    "wall/lj1043": _wall("lj_10_4_3"),
    "wall/harmonic": _wall("harmonic"),
    "wall/reflect": _wall("reflecting"),
    "shake": _shake,
    "rattle": _shake,
}
