"""What the tests of the command line and the Python module share."""

import os
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

from lammps_support import lammps  # noqa: E402, F401 (a fixture of all tests)

# Where these tests run in the background of a shell or under nohup, what they start would ignore
# these signals as well.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)

# Programs are started in other folders.
if "STERNA_MD" in os.environ:
    os.environ["STERNA_MD"] = os.path.abspath(os.environ["STERNA_MD"])

# Processes that share the cores: threads of NumPy's would wait for work on cores that others need.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

MELT = """\
units = "reduced"

[run]
name = "melt"
steps = {steps}
timestep = 0.002
seed = 7

[start]
kind = "lattice"
lattice = "fcc"
cells = [6, 6, 6]
density = 0.8442
temperature = 1.44

[[type]]
name = "LJ"

[interaction]
cutoff = 2.5

[output]
thermo_interval = {thermo}
trajectory_interval = {trajectory}
checkpoint_interval = {checkpoint}
"""


def pytest_addoption(parser):
    parser.addoption("--all", action="store_true", help="also the tests that are marked as long")


def pytest_configure(config):
    config.addinivalue_line("markers", "long: takes minutes; `./dev test --all` runs it")


#: Files whose tests take longest, in this order. They begin first, so that no worker is left with one
#: of them at the end.
LONGEST_FIRST = (
    "test_add_pair_potential.py", "test_commands_in_pages.py", "test_run.py", "test_import.py",
    "test_rotors_and_atoms.py", "test_round_trip.py", "test_add_bonded_term.py",
    "test_add_force_term.py", "test_add_observer_of_neighbors.py", "test_add_parts.py",
    "test_add_particle_field.py", "test_add_trajectory_format.py", "test_import_components.py",
    "test_export_lammps.py", "test_large_bodies.py", "test_pair_potentials.py",
    "test_mixed_statistics.py", "test_biases.py", "test_sweep_outside.py", "test_documentation.py",
    "test_extended_runs.py", "test_residues.py", "test_virtual_sites.py", "test_stages.py",
    "test_free_energies.py", "test_modylas.py", "test_launch.py",
)  # fmt: skip


def pytest_collection_modifyitems(config, items):
    """Long tests are left out, unless they are asked for: all of them, or one by its name."""
    place = {name: number for number, name in enumerate(LONGEST_FIRST)}
    items.sort(key=lambda item: place.get(item.path.name, len(place)))
    if config.getoption("--all") or config.getoption("-k") or any("::" in a for a in config.args):
        return
    left_out = [item for item in items if item.get_closest_marker("long")]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


def nightly(*values) -> object:
    """A set of parameters that `./dev test --all` has, too: others of the test are of its kind."""
    return pytest.param(*values, marks=pytest.mark.long)


def sterna_command(*arguments: str) -> list[str]:
    """The `sterna` command of this source tree."""
    return [sys.executable, "-m", "sterna", *map(str, arguments)]


def write_python_program(path: Path, code: str) -> None:
    """An executable file; the first line of a script cannot name a Python whose path has blanks."""
    start = f"'''exec' {shlex.quote(sys.executable)} \"$0\" \"$@\"\n' '''"
    path.write_text(f"#!/bin/sh\n{start}\n{code}")
    path.chmod(0o755)


def sterna_environment() -> dict[str, str]:
    """The environment of a shell that is under no launcher."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("OMPI_COMM_", "PMI_", "PMIX_", "SLURM_"))
    }
    # What tests measure is of no use to later runs, nor may they depend on earlier ones.
    return environment | {"PYTHONPATH": str(ROOT / "python"), "STERNA_MACHINE_FILE": "none"}


@pytest.fixture
def sterna(tmp_path):
    """Runs the `sterna` command in an empty folder and waits for it."""

    def run(*arguments: str, timeout: float = 120) -> subprocess.CompletedProcess:
        done = subprocess.run(
            sterna_command(*arguments),
            cwd=tmp_path,
            env=sterna_environment(),
            capture_output=True,
            text=True,
            timeout=timeout,
            stdin=subprocess.DEVNULL,
            check=False,
        )
        if "does not yield while it waits" in done.stderr:
            pytest.skip("this MPI is too slow with more ranks than cores")
        return done

    return run


@pytest.fixture(scope="session")
def judge():
    """GROMACS in double precision, as `sterna import --compare` finds it."""
    from sterna.importing.gromacs.judge import find_judge

    if shutil.which(os.environ.get("STERNA_GROMACS", "gmx_d")) is None:
        pytest.skip("no GROMACS to compare with: there is no gmx_d (apt install gromacs)")
    found = find_judge()
    assert found is not None and found.is_double, found
    return found


@pytest.fixture
def melt(tmp_path):
    """Writes the input of a small melt (864 particles) and returns its path."""

    def write(steps=100, thermo=10, trajectory=0, checkpoint=0, folder=tmp_path) -> Path:
        path = Path(folder) / "melt.toml"
        path.write_text(
            MELT.format(steps=steps, thermo=thermo, trajectory=trajectory, checkpoint=checkpoint)
        )
        return path

    return write


@pytest.fixture(scope="session")
def runs(tmp_path_factory) -> Path:
    """A folder with the runs of trajectory_support."""
    from trajectory_support import make_runs

    folder = tmp_path_factory.mktemp("runs")
    make_runs(folder)
    return folder
