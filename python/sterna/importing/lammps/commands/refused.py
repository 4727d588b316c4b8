"""Commands that make another system, or other forces, and the advice to replace them."""

from collections.abc import Callable

from sterna.importing.lammps.command import Command
from sterna.importing.lammps.state import State

_WRITE = "write the data file after it, with write_data, and give that one"
_OTHER = "Sterna has no counterpart"

_REASONS = {
    **dict.fromkeys(
        (
            "create_bonds", "delete_atoms", "delete_bonds", "read_dump",
            "read_restart", "reset_atoms", "reset_atom_ids", "reset_ids", "reset_mol_ids",
        ),
        _WRITE,
    ),
    **dict.fromkeys(
        (
            "fitpod", "geturl", "hyper", "kim", "kim_init", "kim_interactions", "kim_param",
            "kim_property", "kim_query", "mdi", "message", "neb", "neb/spin", "partition", "plugin",
            "prd", "python", "rerun", "server", "shell", "tad", "temper", "temper/grem",
            "temper/npt",
        ),
        _OTHER,
    ),
    "labelmap": 'give the labels in the data file, as in the section "Atom Type Labels"',
    "ndx2group": "define its groups by the command group",
}  # fmt: skip


def _refuse(reason: str) -> Callable[[State, Command], None]:
    def refuse(_state: State, command: Command) -> None:
        command.line.fail(0, f"the command {command.name} is not taken over; {reason}")

    return refuse


COMMANDS = {name: _refuse(reason) for name, reason in _REASONS.items()}
