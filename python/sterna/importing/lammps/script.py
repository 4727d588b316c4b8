"""An input script, command by command, as LAMMPS runs it.

Every command is known or an error: `commands` has those that change the system, those that change
nothing of it, and those that are refused with a reason. Variables, quotes, `include`, `if`, and
loops (`jump`, `label`, `next`) are LAMMPS's.
"""

import re
from pathlib import Path

from sterna.errors import SternaError
from sterna.importing.lammps.command import Command, nearest
from sterna.importing.lammps.commands import COMMANDS
from sterna.importing.lammps.conditions import is_true
from sterna.importing.lammps.lines import joined_lines, without_comment, words_of
from sterna.importing.lammps.variables import STYLES, FormulaError, Variables
from sterna.importing.text import Line, read_text

_DEEPEST_INCLUDE = 20
_MOST_COMMANDS = 200000  # A loop that never ends is an error.


class Quit(Exception):
    """The command quit: nothing behind it is run."""


class Interpreter:
    """Runs scripts on a state, which has a method for each kind of command."""

    def __init__(self, paths: list[Path], state) -> None:
        # The commands need Command, which stands here.
        self.paths, self.state = paths, state
        self.variables = Variables(state.fact, state.fact_of_group)
        self.commands = COMMANDS
        self.included: set[str] = set()
        #: executed commands, except those that control the script
        self.executed: list[Command] = []
        self.depth = 0
        self.count = 0
        self.goes_on: Path | None = None  #: a file to go on with from its beginning
        #: the label that is searched; no other command is run meanwhile
        self.label: str | None = None
        self.jump: Command | None = None  #: the jump that searches it
        self.skips_jump = False  #: the values of a loop are at an end

    def run(self) -> None:
        """Raises SternaError with line and column."""
        # A script that another one includes runs there, not once more by itself.
        texts = {path: read_text(path) for path in self.paths}
        for path in self.paths:
            inside = rf"(?m)\b(include|jump)\s+\S*{re.escape(path.name)}(\s|$|\")"
            if any(re.search(inside, text) for other, text in texts.items() if other != path):
                self.included.add(path.name)
        try:
            for path in self.paths:
                if path.name not in self.included:
                    self._file(path)
        except Quit:
            pass

    def _file(self, path: Path) -> None:
        lines, k = list(joined_lines(path)), 0
        while k < len(lines):
            line = lines[k]
            k += 1
            self.execute(line)
            if self.goes_on is not None:
                if self.goes_on != path:
                    path = self.goes_on
                    lines = list(joined_lines(path))
                self.goes_on, k = None, 0
            if k == len(lines) and self.label is not None and self.jump is not None:
                self.jump.fail(1, f'the label "{self.label}" is not in {path.name}')

    def execute(self, line: Line) -> None:
        code = without_comment(line.text)
        if not code.strip():
            return
        if self.label is not None:
            # Other commands are not even looked at.
            if code.split() == ["label", self.label]:
                self.label = None
            return
        self.count += 1
        if self.count > _MOST_COMMANDS:
            line.fail(None, f"the script has run {_MOST_COMMANDS} commands, and is not at its end")
        try:
            text = self.variables.substituted(code)
            words = words_of(text)
        except FormulaError as error:
            line.fail(None, str(error))
        if not words:
            return
        command = Command(Line(line.path, line.number, text.rstrip()), words[0], words[1:])
        if command.name in _CONTROL:
            _CONTROL[command.name](self, command)
            return
        handler = self.commands.get(command.name)
        if handler is None:
            known = [*self.commands, *_CONTROL]
            line.fail(0, f'unknown command "{words[0]}"{nearest(words[0], known)}')
        handler(self.state, command)
        self.executed.append(command)

    def _variable(self, command: Command) -> None:
        name, style = command.word(0, "a name"), command.word(1, "a style")
        try:
            self.variables.define(name, style, command.arguments[2:])
        except FormulaError as error:
            command.fail(1 if style not in STYLES else None, f"{error}{nearest(style, [*STYLES])}")

    def _include(self, command: Command) -> None:
        name = command.word(0, "a file")
        command.expect_end(1, "include FILE")
        path = self.find(command, name, [p for p in self.paths if p.name == Path(name).name])
        self.depth += 1
        if self.depth > _DEEPEST_INCLUDE:
            command.fail(0, f"{name} is included by itself")
        self._file(path)
        self.depth -= 1

    def find(self, command: Command, name: str, given: list[Path]) -> Path:
        """A file that a script names: given by the user, or beside the script."""
        if given:
            return given[0]
        for path in (command.line.path.parent / name, Path(name)):
            if path.is_file():
                return path
        command.fail(
            0, f"the file {name} of {command.name} is not there; give it beside the script"
        )

    def _if(self, command: Command) -> None:
        words = command.arguments
        if len(words) < 3 or words[1] != "then":
            command.fail(None, 'expected `if "condition" then "command" ... else "command" ...`')
        branches, k = [], 2
        condition: str | None = words[0]
        while True:
            commands = []
            while k < len(words) and words[k] not in ("elif", "else"):
                commands.append(words[k])
                k += 1
            if not commands:
                command.fail(None, "a branch of `if` has no commands")
            branches.append((condition, commands))
            if k >= len(words):
                break
            if condition is None:
                command.fail(None, "a branch of `if` stands behind `else`")
            if words[k] == "elif":
                condition, k = command.word(k + 1, "a condition"), k + 2
            else:
                condition, k = None, k + 1
        for condition, commands in branches:
            try:
                holds = condition is None or is_true(self.variables.substituted(condition))
            except FormulaError as error:
                command.fail(None, f"the condition of `if` is not evaluated: {error}")
            if holds:
                for text in commands:
                    self.execute(Line(command.line.path, command.line.number, text))
                return

    def _jump(self, command: Command) -> None:
        name = command.word(0, "SELF or a file")
        command.expect_end(2, "jump FILE LABEL")
        if self.skips_jump:
            self.skips_jump = False
            return
        given = [p for p in self.paths if p.name == Path(name).name]
        self.goes_on = command.line.path if name == "SELF" else self.find(command, name, given)
        self.label = command.arguments[1] if len(command.arguments) > 1 else None
        self.jump = command

    def _next(self, command: Command) -> None:
        command.word(0, "the name of a variable")
        try:
            if self.variables.go_on(command.arguments):
                self.skips_jump = True
        except FormulaError as error:
            command.fail(0, str(error))

    def _label(self, command: Command) -> None:
        """Records a place to which a jump may lead."""
        command.word(0, "a name")
        command.expect_end(1, "label NAME")

    def _quit(self, command: Command) -> None:
        raise Quit


_CONTROL = {
    "variable": Interpreter._variable,
    "include": Interpreter._include,
    "if": Interpreter._if,
    "jump": Interpreter._jump,
    "next": Interpreter._next,
    "label": Interpreter._label,
    "quit": Interpreter._quit,
}


def is_script(path: Path) -> bool:
    """Whether some line of the file is a command that every script of LAMMPS has."""
    try:
        text = read_text(path)[:200000]
    except SternaError:
        return False
    return bool(re.search(r"(?m)^\s*(units|atom_style|pair_style|read_data|create_box)\s+\S", text))
