"""Free energies: along a variable, by umbrella windows or hills, and of states."""

from sterna.free_energies.exchanges import Exchanges, read_exchanges
from sterna.free_energies.fields import FieldsFile, read_fields
from sterna.free_energies.hills import profile_of_hills
from sterna.free_energies.net_charge import (
    NetChargeCorrection,
    lattice_potential,
    net_charge_correction,
    quadrupole_trace,
)
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
    "NetChargeCorrection",
    "Profile",
    "RestraintFreeEnergy",
    "StateFile",
    "StateFreeEnergies",
    "free_energies_of_states",
    "lattice_potential",
    "net_charge_correction",
    "profile_of_hills",
    "profile_of_windows",
    "quadrupole_trace",
    "read_exchanges",
    "read_fields",
    "read_states",
    "restraint_free_energy",
]
