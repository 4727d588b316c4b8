"""The request for a simulation: the sections and keys of an input file."""

import copy
import tomllib
from collections.abc import Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING

from sterna.errors import InputError
from sterna.live.core import core
from sterna.support.fixed import Fixed
from sterna.support.names import no_such
from sterna.support.toml_text import toml_text

if TYPE_CHECKING:
    from sterna._core import Diagnostic


class Input(Fixed):
    """The sections and keys of an input file, made in Python or read from a file.

    >>> sterna.Input(units="reduced", run={"timestep": 0.002}, interaction={"cutoff": 2.5})

    A section is a dictionary, several of a kind (`type`, `pair`, `thermostat` ...) are a list of
    them. Names, units and meaning are those of input files (docs/input.md). A key that only ends a
    run, `steps`, may be missing. An `Input` does not change; `replace` makes another.
    """

    _instead = "an Input does not change; replace(SECTION={KEY: value}) makes another"

    def __init__(self, sections: Mapping | None = None, /, **more: object) -> None:
        """Local. Raises TypeError for values that an input cannot hold.

        Whether they mean anything is found by `check`, or when a `Simulation` is made.
        """
        self._sections = copy.deepcopy({**(sections or {}), **more})
        self._text = toml_text(self._sections)
        self._name = "settings"
        self._from_file = False

    @classmethod
    def read(cls, path: str | PathLike) -> "Input":
        """Local. The input in a file: Sterna's, a config.xml of ls1-MarDyn or a .mddef of MODYLAS.

        Raises InputError where it cannot be read or is not TOML.
        """
        path = fspath(path)
        return cls._of_text(core().input_file_text(path), path)

    @classmethod
    def _of_text(cls, text: str, path: str) -> "Input":
        made = cls.__new__(cls)
        made._text, made._name, made._from_file, made._sections = text, path, True, {}
        try:
            made._sections = tomllib.loads(text.removeprefix("\ufeff"))
        except tomllib.TOMLDecodeError as error:
            found = made.check()
            raise InputError(core().render(found) or str(error), found) from None
        return made

    @property
    def text(self) -> str:
        """Local. The text of the input file."""
        return self._text

    @property
    def sections(self) -> dict:
        """Local. A copy of all sections and keys."""
        return copy.deepcopy(self._sections)

    def __getitem__(self, name: str) -> object:
        """Local. A copy of a section, a list of sections, or a key outside of sections."""
        return copy.deepcopy(self._sections[name])

    def __contains__(self, name: object) -> bool:
        return name in self._sections

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Input) and self._sections == other._sections

    def __repr__(self) -> str:
        return f"<sterna.Input {self._name!r}: {', '.join(self._sections)}>"

    def replace(self, **sections: object) -> "Input":
        """Local. Another input with these keys changed.

        A dictionary is merged into the section of its name (a key of None is taken out); all else
        stands in place of what was there, and None takes the section out.
        """
        merged = self.sections
        for name, value in sections.items():
            if isinstance(value, Mapping) and isinstance(merged.get(name, {}), Mapping):
                both = {**merged.get(name, {}), **value}
                merged[name] = {key: item for key, item in both.items() if item is not None}
            elif value is None:
                merged.pop(name, None)
            else:
                merged[name] = value
        made = Input(merged)
        if self._from_file:
            # Relative paths stay relative to the folder of the file.
            made._name = str(Path(self._name).with_name("settings"))
        return made

    @property
    def stages(self) -> list[str]:
        """Local. Names of the `[[stage]]`s, in the order in which they run; empty without any."""
        found = self._sections.get("stage")
        if not isinstance(found, list):
            return []
        tables = [stage for stage in found if isinstance(stage, Mapping)]
        return [str(stage.get("name", "")) for stage in tables]

    def stage(self, name: str) -> "Input":
        """Local. The input of one stage: it begins where the files of the one before it end.

        Raises KeyError where there is no such stage, and InputError with all that is wrong in any.
        """
        if name not in self.stages:
            raise KeyError(no_such("stage", name, self.stages))
        text = core().stage_text(self._text, self._name, self.stages.index(name))
        made = Input(tomllib.loads(text))
        made._from_file = self._from_file
        # Relative paths stay relative to the folder of the file.
        made._name = str(Path(self._name).with_name("settings"))
        return made

    def check(self) -> "list[Diagnostic]":
        """Local. All that is wrong or doubtful, as `sterna check` finds it; empty for nothing.

        `str` of a finding is what the command prints; `severity` is "error", "warning" or "advice".
        """
        return core().check(self._text, self._name, self._from_file, bool(self.stages))

    def write(self, path: str | PathLike) -> None:
        """Local. Writes the input file; raises OSError where that fails.

        Files that it names, such as `file` in [start], are looked for in the folder of the input. A
        run's own files are not: they go where `directory` in [output] says, seen from the working
        folder.
        """
        Path(path).write_text(self._text, encoding="utf-8")
