"""The commands of LAMMPS: a row for each, and one file for each family.

A row is a name and a function of the state and the command. A command that is in no family is
unknown, and an error.
"""

from collections.abc import Callable

from sterna.importing.lammps.command import Command
from sterna.importing.lammps.commands import (
    box,
    changes,
    coefficients,
    harmless,
    motion,
    refused,
    settings,
    structure,
    templates,
    velocities,
)
from sterna.importing.lammps.state import State

COMMANDS: dict[str, Callable[[State, Command], None]] = {
    **harmless.COMMANDS,
    **refused.COMMANDS,
    **settings.COMMANDS,
    **structure.COMMANDS,
    **templates.COMMANDS,
    **velocities.COMMANDS,
    **changes.COMMANDS,
    **box.COMMANDS,
    **coefficients.COMMANDS,
    **motion.COMMANDS,
}
