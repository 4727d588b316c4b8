"""Sterna: molecular dynamics on one-sided communication.

In this process, on one rank or under a launcher on many:

>>> import sterna
>>> simulation = sterna.Simulation.from_file("examples/lj_melt.toml")
>>> simulation.run(100)
>>> simulation.gather("position")  # a NumPy array

As a job of its own, which writes files and survives this process:

>>> result = sterna.run("examples/lj_melt.toml", ranks=2)
>>> result.averages["temperature"].mean  # over the part where the run has settled
>>> result.log["temperature"]  # a NumPy array over the logged steps
>>> result.to_mdanalysis()  # and other packages; sterna.open finds an earlier run
"""

import importlib
from typing import TYPE_CHECKING

from sterna.errors import InputError, InputWarning, RemoteError, SternaError, UnstableRun
from sterna.support.moved import keep_old_names

if TYPE_CHECKING:
    from sterna import comm, fmm
    from sterna.fluids.bubble_points import BubblePoints, bubble_points
    from sterna.fluids.saturation import Saturation, vle
    from sterna.fluids.virial import VirialCoefficients, virial
    from sterna.frames.trajectory import Trajectory
    from sterna.live.box import Box
    from sterna.live.input import Input
    from sterna.live.kinds import Simulation
    from sterna.live.system import System
    from sterna.results.averages import Average, Averages
    from sterna.results.log import Log, read_log
    from sterna.results.observations import Observation
    from sterna.results.result import Result, read
    from sterna.runs.replicas import Replicas
    from sterna.runs.start import run
    from sterna.sweeps.sweep import Sweep

    #: The same as `read`: `sterna.open("run.toml").averages`.
    open = read  # noqa: A001 - the word a user expects

__version__: str

__all__ = [
    "Average",
    "Averages",
    "Box",
    "BubblePoints",
    "Input",
    "InputError",
    "InputWarning",
    "Log",
    "Observation",
    "RemoteError",
    "Replicas",
    "Result",
    "Saturation",
    "Simulation",
    "SternaError",
    "Sweep",
    "System",
    "Trajectory",
    "UnstableRun",
    "VirialCoefficients",
    "__version__",
    "bubble_points",
    "comm",
    "fmm",
    "read",
    "read_log",
    "run",
    "virial",
    "vle",
]

keep_old_names()

# The command `sterna` needs none of them when it starts, and most of them need NumPy. Nor does it need
# the version, whose look-up takes 15 ms.
_LATER = {
    "Average": "results.averages",
    "Averages": "results.averages",
    "Box": "live.box",
    "BubblePoints": "fluids.bubble_points",
    "Input": "live.input",
    "Log": "results.log",
    "Observation": "results.observations",
    "Replicas": "runs.replicas",
    "Result": "results.result",
    "Saturation": "fluids.saturation",
    "Simulation": "live.kinds",
    "Sweep": "sweeps.sweep",
    "System": "live.system",
    "Trajectory": "frames.trajectory",
    "VirialCoefficients": "fluids.virial",
    "bubble_points": "fluids.bubble_points",
    "read": "results.result",
    "read_log": "results.log",
    "run": "runs.start",
    "virial": "fluids.virial",
    "vle": "fluids.saturation",
}


def __getattr__(name: str) -> object:
    if name in ("comm", "fmm"):
        return importlib.import_module(f"sterna.{name}")
    if name == "__version__":
        return importlib.import_module("sterna.launching.program").version()
    if name == "open":
        return importlib.import_module("sterna.results.result").read
    if name not in _LATER:
        raise AttributeError(f"module 'sterna' has no attribute {name!r}")
    return getattr(importlib.import_module(f"sterna.{_LATER[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_LATER, "open"})
