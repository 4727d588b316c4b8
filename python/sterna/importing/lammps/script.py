"""The commands of an input script that say what acts; all others are not asked."""

import re
from dataclasses import dataclass, field
from pathlib import Path

from sterna.importing.lammps.data_file import KINDS
from sterna.importing.text import Line, lines_of, read_text

#: Commands that are taken over.
_TAKEN = {
    "units", "atom_style", "pair_style", "pair_coeff", "pair_modify", "special_bonds",
    "read_data", "timestep", "mass", *(f"{k}_style" for k in KINDS), *(f"{k}_coeff" for k in KINDS),
}  # fmt: skip

#: Commands that make another system of it, and what to do.
_REFUSED = {
    "include": "give its file beside this one",
    "set": "write the data file after it, with write_data",
    "replicate": "write the data file after it, with write_data",
    "change_box": "write the data file after it, with write_data",
    "create_atoms": "write the data file after it, with write_data",
    "create_bonds": "write the data file after it, with write_data",
    "delete_atoms": "write the data file after it, with write_data",
    "delete_bonds": "write the data file after it, with write_data",
    "read_restart": "write a data file, with write_data",
    "labelmap": 'give the labels in the data file, as in the section "Atom Type Labels"',
}

_PLAIN = {
    "boundary": (["p", "p", "p"], "Sterna's boxes are periodic"),
    "dielectric": (["1.0"], "Sterna has no permittivity of the background"),
    "dimension": (["3"], "Sterna has three dimensions"),
}


@dataclass(frozen=True)
class Command:
    """A command and its arguments, with variables replaced."""

    line: Line
    name: str
    arguments: list[str]

    def fail(self, argument: int | None, message: str) -> None:
        self.line.fail(None if argument is None else argument + 1, message)


@dataclass
class Script:
    """Commands by their names, in the order of the files."""

    commands: dict[str, list[Command]] = field(default_factory=dict)

    def all(self, name: str) -> list[Command]:
        return self.commands.get(name, [])

    def last(self, name: str) -> Command | None:
        found = self.all(name)
        return found[-1] if found else None


def read_scripts(paths: list[Path]) -> Script:
    """Raises SternaError with line and column, where a command makes another system of it."""
    script = Script()
    variables: dict[str, str] = {}
    for path in paths:
        waiting = ""
        for line in lines_of(path, read_text(path)):
            words = line.fields
            if words[-1] == "&":
                waiting += " ".join(words[:-1]) + " "
                continue
            if waiting:
                line = Line(path, line.number, waiting + line.text)
                words, waiting = line.fields, ""
            _command(line, words, script, variables, paths)
    return script


def _command(
    line: Line, words: list[str], script: Script, variables: dict[str, str], paths: list[Path]
) -> None:
    name, arguments = words[0], words[1:]
    if name == "variable" and len(arguments) >= 3:
        if arguments[1] in ("index", "string", "equal", "internal"):
            variables[arguments[0]] = arguments[2]
        return
    if name == "include" and arguments and Path(arguments[0]).name in {p.name for p in paths}:
        return
    if name in _REFUSED:
        line.fail(0, f"the command {name} is not taken over; {_REFUSED[name]}")
    if name == "fix" and len(arguments) > 2 and arguments[2] == "cmap":
        line.fail(3, "fix cmap is not taken over")
    if name in _PLAIN:
        plain, reason = _PLAIN[name]
        if [_number_or(text) for text in arguments] != [_number_or(text) for text in plain]:
            line.fail(1, f"expected {name} {' '.join(plain)}: {reason}")
    if name not in _TAKEN:
        return
    replaced = []
    for k, word in enumerate(arguments):
        text = re.sub(r"\$\{(\w+)\}|\$(\w)", lambda m: variables.get(m[1] or m[2], m[0]), word)
        if "$" in text:
            line.fail(k + 1, f'"{word}" is not a number or a variable with one; give a plain one')
        replaced.append(text)
    script.commands.setdefault(name, []).append(Command(line, name, replaced))


def _number_or(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text
