"""Commands that set the units and the general properties of the system."""

from sterna.importing.lammps.command import Command, nearest, plain_style
from sterna.importing.lammps.data_file import ATOM_STYLES
from sterna.importing.lammps.state import SpecialBonds, State


def _units(state: State, command: Command) -> None:
    name = command.word(0, "the name of units")
    command.expect_end(1, "units STYLE")
    known = ("real", "metal", "lj")
    if name not in known:
        command.fail(0, f'units "{name}" are not taken over; expected real, metal or lj')
    state.units = name


def _atom_style(state: State, command: Command) -> None:
    style = plain_style(command.word(0, "an atom style"))
    if style not in ATOM_STYLES:
        granular = " (atoms with radii, as of granular matter)" if style == "sphere" else ""
        command.fail(
            0,
            f"the atom style {style}{granular} is not read; expected {', '.join(ATOM_STYLES)}"
            f"{nearest(style, [*ATOM_STYLES])}",
        )
    command.expect_end(1, "atom_style STYLE")
    state.atom_style = style


def _boundary(_state: State, command: Command) -> None:
    # p is p p: both faces.
    if [word[:1] * 2 if len(word) == 1 else word for word in command.arguments] != ["pp"] * 3:
        command.fail(0, "expected boundary p p p: Sterna's boxes are periodic")


def _dimension(_state: State, command: Command) -> None:
    if command.word(0, "a number of dimensions") != "3":
        command.fail(0, "expected dimension 3: Sterna has three dimensions")


def _dielectric(state: State, command: Command) -> None:
    state.dielectric = command.number(0, "the permittivity")
    if state.dielectric <= 0.0:
        command.fail(0, "the permittivity must be positive")


def _timestep(state: State, command: Command) -> None:
    state.timestep = command.number(0, "the time step")
    if state.timestep <= 0.0:
        command.fail(0, "the time step must be positive")
    state.changed("timestep")


def _special_bonds(state: State, command: Command) -> None:
    made = SpecialBonds()
    words, k = command.arguments, 0
    presets = {
        "amber": ((0.0, 0.0, 0.5), (0.0, 0.0, 5.0 / 6.0)),
        "charmm": ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)),
        "dreiding": ((0.0, 0.0, 1.0), (0.0, 0.0, 1.0)),
        "fene": ((0.0, 1.0, 1.0), (0.0, 1.0, 1.0)),
    }
    if not words:
        command.fail(0, "expected factors, as in special_bonds lj/coul 0 0 0.5")
    while k < len(words):
        word = words[k]
        if word in presets:
            made.lennard_jones, made.coulomb = presets[word]
            k += 1
        elif word in ("angle", "dihedral"):
            value = command.yes(k + 1, f"{word} of special_bonds")
            setattr(made, f"{word}s_only", value)
            k += 2
        elif word in ("lj", "coul", "lj/coul"):
            three = tuple(command.number(k + 1 + n, "a factor of special_bonds") for n in range(3))
            for n, value in enumerate(three):
                if not 0.0 <= value <= 1.0:
                    command.fail(k + 1 + n, "a factor of special_bonds is from 0 to 1")
            if "lj" in word:
                made.lennard_jones = three
            if "coul" in word:
                made.coulomb = three
            k += 4
        elif word == "extra":
            command.integer(k + 1, "extra of special_bonds", 0, 10**6)
            k += 2
        else:
            known = [*presets, "angle", "dihedral", "lj", "coul", "lj/coul", "extra"]
            command.unknown(k, "key of special_bonds", known)
    made.command = command
    state.special_bonds = made


#: Keys of neigh_modify that change the speed, and how many words each has.
_NEIGHBOR_KEYS = {
    "delay": 1, "every": 1, "check": 1, "page": 1, "one": 1, "binsize": 1, "cluster": 1, "once": 1,
}  # fmt: skip


def _neigh_modify(_state: State, command: Command) -> None:
    words, k = command.arguments, 0
    while k < len(words):
        if words[k] in ("exclude", "include"):
            if words[k + 1 : k + 2] == (["none"] if words[k] == "exclude" else ["all"]):
                k += 2
                continue
            command.fail(
                k, f"neigh_modify {words[k]} takes pairs of atoms away, which is not taken over"
            )
        if words[k] in ("collection/type", "collection/interval"):
            k += 2 + command.integer(k + 1, "the number of collections", 1, 10**6)
            continue
        if words[k] == "once" and command.yes(k + 1, "once"):
            command.fail(k, "neigh_modify once yes keeps a list that misses pairs")
        if words[k] not in _NEIGHBOR_KEYS:
            command.unknown(k, "key of neigh_modify", [*_NEIGHBOR_KEYS, "exclude", "include"])
        command.word(k + 1, f"a value of {words[k]}")
        k += 2


def _kspace_style(state: State, command: Command) -> None:
    style = plain_style(command.word(0, "a style"))
    known = (
        "none",
        "ewald",
        "pppm",
        "pppm/cg",
        "pppm/stagger",
        "msm",
        "msm/cg",
        "zero",
        "scafacos",
    )
    if style not in known:
        disp = "disp" in style or "dipole" in style or "tip4p" in style
        if not disp:
            command.unknown(0, "style of kspace_style", [*known])
        command.fail(0, f"kspace_style {style} is not taken over; expected ewald, pppm or msm")
    if style in ("zero", "scafacos"):
        command.fail(0, f"kspace_style {style} is not taken over; expected ewald, pppm or msm")
    state.kspace = None if style == "none" else style
    state.kspace_command = command


#: Keys of kspace_modify that say how exactly it is computed, and how many words each has.
_KSPACE_KEYS = {
    "collective": 1, "cutoff/adjust": 1, "diff": 1, "eigtol": 1, "fftbench": 1, "force": 1,
    "gewald": 1, "kmax/ewald": 3, "mesh": 3, "minorder": 1, "mix/disp": 1, "order": 1,
    "order/disp": 1, "overlap": 1, "pressure/scalar": 1, "splittol": 1, "scafacos": 2,
    "gewald/disp": 1, "kmax/disp": 1, "mesh/disp": 3, "disp/auto": 1, "force/disp/real": 1,
    "force/disp/kspace": 1,
}  # fmt: skip


def _kspace_modify(_state: State, command: Command) -> None:
    words, k = command.arguments, 0
    while k < len(words):
        if words[k] == "compute":
            if not command.yes(k + 1, "compute of kspace_modify"):
                command.fail(k, "kspace_modify compute no leaves out forces; not taken over")
            k += 2
        elif words[k] == "slab":
            if words[k + 1 : k + 2] not in (["1"], ["1.0"]):
                command.fail(k, "kspace_modify slab is not taken over: boxes are periodic")
            k += 2
        elif words[k] in ("wire", "slab/ew3dc", "conp"):
            command.fail(k, f"kspace_modify {words[k]} is not taken over")
        elif words[k] in _KSPACE_KEYS:
            for n in range(_KSPACE_KEYS[words[k]]):
                command.word(k + 1 + n, f"a value of {words[k]}")
            k += 1 + _KSPACE_KEYS[words[k]]
        else:
            command.unknown(k, "key of kspace_modify", [*_KSPACE_KEYS, "compute", "slab"])


def _run_style(_state: State, command: Command) -> None:
    style = plain_style(command.word(0, "a style"))
    if style not in ("verlet", "verlet/split"):
        command.fail(0, f"run_style {style} is not taken over; expected verlet")


COMMANDS = {
    "units": _units,
    "atom_style": _atom_style,
    "boundary": _boundary,
    "dimension": _dimension,
    "dielectric": _dielectric,
    "timestep": _timestep,
    "special_bonds": _special_bonds,
    "neigh_modify": _neigh_modify,
    "kspace_style": _kspace_style,
    "kspace_modify": _kspace_modify,
    "run_style": _run_style,
}
