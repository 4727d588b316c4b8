"""Commands that move atoms: fixes, runs and minimizations."""

from sterna.importing.lammps.command import Command, nearest, plain_style
from sterna.importing.lammps.state import Fix, Stage, State

_CHANGE_THE_BOX = ("npt", "nph", "press/", "deform", "box/relax", "nvt/sllod", "qtb")


def _fix(state: State, command: Command) -> None:
    identity, group = command.word(0, "the ID of a fix"), command.word(1, "a group")
    style = plain_style(command.word(2, "the style of a fix"))
    if group != "all" and group not in state.groups:
        command.fail(1, f'there is no group "{group}"{nearest(group, [*state.groups, "all"])}')
    state.fixes[identity] = Fix(identity, group, style, command)
    state.changed("fix")


def _unfix(state: State, command: Command) -> None:
    identity = command.word(0, "the ID of a fix")
    if identity not in state.fixes:
        command.fail(0, f'there is no fix "{identity}"{nearest(identity, [*state.fixes])}')
    del state.fixes[identity]
    state.changed("unfix")


def _fix_modify(state: State, command: Command) -> None:
    identity = command.word(0, "the ID of a fix")
    if identity not in state.fixes:
        command.fail(0, f'there is no fix "{identity}"{nearest(identity, [*state.fixes])}')
    words, k = command.arguments, 1
    while k < len(words):
        if words[k] == "energy":  # a setting of the output, unless a minimization follows
            command.yes(k + 1, "energy of fix_modify")
        else:
            command.fail(k, f"{words[k]} of fix_modify is not taken over")
        k += 2


def _add_run(state: State, command: Command) -> None:
    if state.fresh or not state.stages:
        state.stages.append(Stage())
    state.stages[-1].commands.append(command)
    if any(fix.style.startswith(_CHANGE_THE_BOX) for fix in state.fixes.values()):
        state.has_moved_box = True
    state.fresh = False
    if state.before_clear is not None:
        state.tell(command, "what stands before the command clear is left out")
        state.before_clear = None
    state.at_run = state.copy()


def _run(state: State, command: Command) -> None:
    state.need_data(command)
    command.integer(0, "the number of steps", 0, 10**15)
    words, k = command.arguments, 1
    while k < len(words):
        if words[k] in ("pre", "post"):
            command.yes(k + 1, words[k])
            k += 2
        elif words[k] in ("start", "stop"):
            command.integer(k + 1, words[k], 0, 10**15)
            k += 2
        elif words[k] in ("upto", "every"):
            command.fail(k, f"{words[k]} of run is not taken over")
        else:
            command.unknown(k, "key of run", ["upto", "start", "stop", "pre", "post", "every"])
    _add_run(state, command)


def _minimize(state: State, command: Command) -> None:
    state.need_data(command)
    for k, what in enumerate(("the tolerance of the energy", "the tolerance of the force")):
        if command.number(k, what) < 0.0:
            command.fail(k, f"{what} must not be negative")
    for k, what in enumerate(("the number of steps", "the number of force evaluations"), 2):
        command.integer(k, what, 0, 10**15)
    command.expect_end(4, "minimize ETOL FTOL STEPS EVALUATIONS")
    state.changed("minimize")
    _add_run(state, command)
    state.changed("minimize")


def _min_modify(state: State, command: Command) -> None:
    """Takes the norm of forces from the keys; the others only say how the minimum is sought."""
    words = command.arguments
    for k, word in enumerate(words):
        if word == "norm":
            state.norm = command.word(k + 1, "a norm")
            if state.norm not in ("two", "inf", "max"):
                command.unknown(k + 1, "norm", ["two", "inf", "max"])


def _clear(state: State, _command: Command) -> None:
    before, told = state.at_run or state.before_clear, state.told
    state.__init__(state.data_path, state.scripts)
    state.before_clear, state.told = before, told


COMMANDS = {
    "fix": _fix,
    "unfix": _unfix,
    "fix_modify": _fix_modify,
    "run": _run,
    "minimize": _minimize,
    "min_modify": _min_modify,
    "clear": _clear,
}
