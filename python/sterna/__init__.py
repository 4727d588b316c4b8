"""Sterna: molecular dynamics on one-sided communication.

In this process, on one rank or under a launcher on many:

>>> import sterna
>>> simulation = sterna.Simulation.from_file("examples/lj_melt.toml")
>>> simulation.run(100)
>>> simulation.gather("position")  # a NumPy array

As a job of its own, which writes files and survives this process:

>>> result = sterna.run("examples/lj_melt.toml", ranks=2)
>>> result.log["temperature"]  # a NumPy array over the logged steps
>>> result.to_mdanalysis()  # and other packages; sterna.read finds an earlier run
"""

import importlib
from typing import TYPE_CHECKING

from sterna.errors import InputError, InputWarning, RemoteError, SternaError, UnstableRun
from sterna.log import Log, read_log
from sterna.program import version
from sterna.runs import Result, read, run

if TYPE_CHECKING:
    from sterna import comm
    from sterna.box import Box
    from sterna.input import Input
    from sterna.simulation import Simulation
    from sterna.system import System
    from sterna.trajectory import Trajectory

__version__: str

__all__ = [
    "Box",
    "Input",
    "InputError",
    "InputWarning",
    "Log",
    "RemoteError",
    "Result",
    "Simulation",
    "SternaError",
    "System",
    "Trajectory",
    "UnstableRun",
    "__version__",
    "comm",
    "read",
    "read_log",
    "run",
]

# The command `sterna` needs none of them, and they need NumPy. Nor does it need the version, whose
# look-up takes 15 ms.
_LATER = {
    "Box": "box",
    "Input": "input",
    "Simulation": "simulation",
    "System": "system",
    "Trajectory": "trajectory",
}


def __getattr__(name: str) -> object:
    if name == "comm":
        return importlib.import_module("sterna.comm")
    if name == "__version__":
        return version()
    if name not in _LATER:
        raise AttributeError(f"module 'sterna' has no attribute {name!r}")
    return getattr(importlib.import_module(f"sterna.{_LATER[name]}"), name)
