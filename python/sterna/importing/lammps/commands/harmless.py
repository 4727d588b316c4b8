"""Commands that change nothing of the system: output, measurement, memory, parallel computing."""

from sterna.importing.lammps.command import Command
from sterna.importing.lammps.state import State

_NAMES = (
    # Commands for output and measurements.
    "thermo", "thermo_style", "thermo_modify", "dump", "dump_modify", "undump", "restart",
    "write_data", "write_dump", "write_restart", "write_coeff", "compute", "compute_modify",
    "uncompute", "print", "info", "log", "echo", "timer", "bond_write", "angle_write",
    "dihedral_write", "pair_write", "group2ndx", "region2vmd", "dynamical_matrix", "third_order",
    # How it is computed.
    "atom_modify", "balance", "comm_modify", "comm_style", "neighbor", "newton", "package",
    "processors", "suffix", "reset_timestep", "box", "min_style",
)  # fmt: skip


def _pass(_state: State, _command: Command) -> None:
    """Ignores a command that has no effect on the system."""


COMMANDS = dict.fromkeys(_NAMES, _pass)
