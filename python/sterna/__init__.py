"""Sterna: molecular dynamics on one-sided communication.

>>> import sterna
>>> result = sterna.run("examples/lj_melt.toml", ranks=2)
>>> result.log["temperature"]  # a NumPy array over the logged steps
"""

from sterna.errors import SternaError
from sterna.log import Log, read_log
from sterna.program import version
from sterna.runs import Result, run

__version__ = version()

__all__ = ["Log", "Result", "SternaError", "__version__", "read_log", "run"]
