"""Free energies: along a variable, by umbrella windows or hills, and of states."""

from sterna.free_energies.exchanges import Exchanges, read_exchanges
from sterna.free_energies.fields import FieldsFile, read_fields
from sterna.free_energies.hills import profile_of_hills
from sterna.free_energies.profile import Profile
from sterna.free_energies.standard_state import RestraintFreeEnergy, restraint_free_energy
from sterna.free_energies.states import (
    StateFile,
    StateFreeEnergies,
    free_energies_of_states,
    read_states,
)
from sterna.free_energies.windows import profile_of_windows

__all__ = [
    "Exchanges",
    "FieldsFile",
    "Profile",
    "RestraintFreeEnergy",
    "StateFile",
    "StateFreeEnergies",
    "free_energies_of_states",
    "profile_of_hills",
    "profile_of_windows",
    "read_exchanges",
    "read_fields",
    "read_states",
    "restraint_free_energy",
]
