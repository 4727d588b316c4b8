"""What the tests of simulations in the process of Python share."""

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from conftest import sterna_environment
from sterna import SternaError
from sterna.launching import launch
from sterna.live.core import core

# Each test runs scripts of its own: a process starts and ends MPI once.
MELT = """
import numpy
import sterna

settings = sterna.Input(
    units="reduced",
    run={"timestep": 0.002, "seed": 7},
    interaction={"cutoff": 2.5},
    communication={"tuning": False},
)
system = sterna.System.lattice(cells=[6, 6, 6], density=0.8442, temperature=1.44)
"""


def require_core() -> None:
    """Skips where the module was not built."""
    try:
        core()
    except SternaError as error:
        pytest.skip(str(error))


def run_script(
    folder: Path, text: str, ranks: int = 1, timeout: float = 600
) -> subprocess.CompletedProcess:
    """Runs a script, alone or under a launcher; the text is dedented."""
    require_core()
    path = folder / "script.py"
    path.write_text(textwrap.dedent(text))
    command, environment = [sys.executable, str(path)], {}
    if ranks > 1:
        try:
            launcher, environment = launch.command_line(ranks, [])
            command = [*launcher[:-1], sys.executable, str(path)]  # its last word is the program
        except SternaError as error:
            if "does not yield while it waits" in str(error):
                pytest.skip("this MPI is too slow with more ranks than cores")
            raise
    return subprocess.run(
        command,
        cwd=folder,
        env=environment | sterna_environment(),
        capture_output=True,
        text=True,
        timeout=timeout,
        stdin=subprocess.DEVNULL,
        check=False,
    )


def script_output(folder: Path, text: str, ranks: int = 1, timeout: float = 600) -> str:
    """Standard output of a script that ends well and says nothing on standard error."""
    done = run_script(folder, text, ranks, timeout)
    if "does not yield while it waits" in done.stderr:
        pytest.skip("this MPI is too slow with more ranks than cores")
    assert done.returncode == 0, done.stdout + done.stderr
    # Beside busy cores Open MPI now and then has a word on the priority of its windows.
    noise = [
        line
        for line in done.stderr.splitlines()
        if ("Error" in line or "leak" in line) and "OSC UCX component priority" not in line
    ]
    assert not noise, done.stderr
    return done.stdout
