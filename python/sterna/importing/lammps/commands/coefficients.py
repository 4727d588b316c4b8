"""Commands of styles and coefficients: of pairs, bonds, angles, dihedrals and impropers."""

from collections.abc import Callable

from sterna.importing.lammps.bonded_rows import Coefficients
from sterna.importing.lammps.bonded_styles import type_range
from sterna.importing.lammps.command import Command, plain_style
from sterna.importing.lammps.data_file import KINDS
from sterna.importing.lammps.pair_styles import PairState, sub_styles
from sterna.importing.lammps.state import BondedState, State


def _pair_style(state: State, command: Command) -> None:
    name = plain_style(command.word(0, "a pair style"))
    if state.pair is not None and state.pair.name == name and not name.startswith("hybrid"):
        # LAMMPS keeps the coefficients; cutoffs of single pairs become the new ones.
        state.pair.set_arguments(command)
        return
    state.pair = PairState(name, command)
    state.pair.set_arguments(command)


def _pair_modify(state: State, command: Command) -> None:
    if state.pair is None or state.pair.name == "none":
        command.line.fail(0, "expected pair_style, other than none, before pair_modify")
    words, k = command.arguments, 0
    while k < len(words):
        word = words[k]
        if word == "nofdotr":
            k += 1
            continue
        if word in ("pair", "special"):
            command.fail(k, f"pair_modify {word} is not taken over")
        if word not in ("shift", "tail", "mix", "compute", "neigh/trim", "table", "table/disp",
                        "tabinner", "tabinner/disp"):  # fmt: skip
            command.unknown(k, "key of pair_modify", ["shift", "tail", "mix", "compute", "table"])
        if word in ("shift", "tail"):
            setattr(state.pair, word, command.yes(k + 1, word))
        elif word == "mix":
            rule = command.word(k + 1, "a rule of mixing")
            if rule not in ("geometric", "arithmetic", "sixthpower"):
                command.fail(k + 1, f'the rule of mixing is "{rule}"; expected geometric, '
                             "arithmetic or sixthpower")  # fmt: skip
            refusing = [one.name for one in state.pair.styles if one.row and not one.row.takes_mix]
            if refusing:
                command.fail(k, f"{refusing[0]} of LAMMPS refuses mix of pair_modify")
            state.pair.mix = rule
        elif word == "compute":
            if not command.yes(k + 1, "compute of pair_modify"):
                command.fail(k, "pair_modify compute no leaves out forces; not taken over")
        elif word == "neigh/trim":
            command.yes(k + 1, word)
        elif word.startswith("tabinner"):
            command.number(k + 1, f"the value of {word}")
        else:
            command.integer(k + 1, f"the value of {word}", 0, 64)
        k += 2


def _pair_coeff(state: State, command: Command) -> None:
    data = state.need_data(command)
    if state.pair is None:
        command.line.fail(0, "expected pair_style before pair_coeff")
    ranges = [type_range(data, command, k, "atom") for k in (0, 1)]
    # As in LAMMPS, two ranges give the pairs whose first type is not above the second.
    ordered = {(a, b) for a in ranges[0] for b in ranges[1] if a <= b}
    pairs = sorted(ordered or {(b, a) for a in ranges[0] for b in ranges[1]})
    count = data.count("atom types")
    state.pair.take([(a - 1, b - 1) for a, b in pairs], command.line, command.fields, 3, count)
    for many in state.pair.many_body:
        if many.line is command.line:
            state.masses |= {a + 1: mass for a, mass in many.masses().items()}
    state.changed("pair_coeff")


def _style_of(kind: str) -> Callable[[State, Command], None]:
    def set_style(state: State, command: Command) -> None:
        name = plain_style(command.word(0, f"a {kind} style"))
        styles = sub_styles(kind, command) if name == "hybrid" else [name]
        state.bonded[kind] = BondedState(name, styles, command)

    return set_style


def _coefficients_of(kind: str) -> Callable[[State, Command], None]:
    def set_coefficients(state: State, command: Command) -> None:
        data = state.need_data(command)
        if state.bonded[kind] is None:
            command.line.fail(0, f"expected {kind}_style before {kind}_coeff")
        for number in type_range(data, command, 0, kind):
            state.take_bonded(kind, number, Coefficients(command.line, command.fields, 2))
        state.changed(command.name)

    return set_coefficients


COMMANDS: dict[str, Callable[[State, Command], None]] = {
    "pair_style": _pair_style,
    "pair_modify": _pair_modify,
    "pair_coeff": _pair_coeff,
    **{f"{kind}_style": _style_of(kind) for kind in KINDS},
    **{f"{kind}_coeff": _coefficients_of(kind) for kind in KINDS},
}
