"""Lists of commands in a help, each with its whole first sentences."""

import inspect
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Protocol

import typer
import typer.core


class Lists(Protocol):
    """What formats a help."""

    def section(self, name: str) -> AbstractContextManager[None]: ...

    def write_dl(self, rows: Sequence[tuple[str, str]]) -> None: ...


def first_paragraph(command: typer.core.TyperCommand | typer.core.TyperGroup) -> str:
    """What the command does, in a sentence or two."""
    text = inspect.cleandoc(command.help or "").split("\n\n", 1)[0]
    return " ".join(text.split())


class WholeSentences(typer.core.TyperGroup):
    """Its help shows what each command does without an end in the middle of a sentence."""

    def rows(self, ctx: typer.Context) -> list[tuple[str, str]]:
        """Names of commands, each with what it does."""
        commands = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        return [
            (name, first_paragraph(command))
            for name, command in commands.items()
            if command is not None and not command.hidden
        ]

    def format_commands(self, ctx: typer.Context, formatter: Lists) -> None:
        rows = self.rows(ctx)
        if rows:
            with formatter.section("Commands"):
                formatter.write_dl(rows)
