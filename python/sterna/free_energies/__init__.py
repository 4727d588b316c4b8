"""Free energies from runs with biases: of umbrella windows, and of the hills of metadynamics."""

from sterna.free_energies.fields import FieldsFile, read_fields
from sterna.free_energies.hills import profile_of_hills
from sterna.free_energies.profile import Profile
from sterna.free_energies.windows import profile_of_windows

__all__ = ["FieldsFile", "Profile", "profile_of_hills", "profile_of_windows", "read_fields"]
