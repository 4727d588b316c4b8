"""Free energies: of umbrella windows, of the hills of metadynamics, of the states of replicas."""

from sterna.free_energies.fields import FieldsFile, read_fields
from sterna.free_energies.hills import profile_of_hills
from sterna.free_energies.profile import Profile
from sterna.free_energies.states import (
    StateDifferences,
    StateEnergies,
    differences_of_states,
    read_state_energies,
)
from sterna.free_energies.windows import profile_of_windows

__all__ = [
    "FieldsFile",
    "Profile",
    "StateDifferences",
    "StateEnergies",
    "differences_of_states",
    "profile_of_hills",
    "profile_of_windows",
    "read_fields",
    "read_state_energies",
]
