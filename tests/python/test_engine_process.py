"""What simulations in Python mean for their process: imports, forks, launchers, progress."""

import io
import subprocess
import sys

import pytest
from conftest import sterna_environment
from engine_support import MELT, run_script, script_output
from rich.console import Console
from sterna.support.progress import RunProgress


@pytest.mark.parametrize(
    "variables",
    [
        {},
        {"SLURM_PROCID": "0", "SLURM_NTASKS": "4", "SLURM_JOB_ID": "7"},
        {"PMI_RANK": "0", "PMI_SIZE": "4"},
    ],
    ids=["plain", "slurm", "pmi"],
)
def test_importing_loads_no_mpi_under_any_launcher(variables):
    text = "import sterna; print('libmpi' in open('/proc/self/maps').read())"
    done = subprocess.run(
        [sys.executable, "-c", text],
        env=sterna_environment() | variables,
        capture_output=True,
        text=True,
        timeout=100,
        check=True,
    )
    assert done.stdout == "False\n"


def test_a_fork_after_the_import_has_simulations_of_its_own(tmp_path):
    text = (
        MELT
        + """
import os
settings.check()  # loads the engine, starts nothing
child = os.fork()
simulation = sterna.Simulation(settings, system)
simulation.run(10)
os.write(1, b"%r\\n" % simulation.thermo["total_energy"])  # whole, beside that of the other
if child:
    _, status = os.waitpid(child, 0)
    assert status == 0, status
"""
    )
    energies = script_output(tmp_path, text).split()
    assert len(energies) == 2 and energies[0] == energies[1]


def test_a_fork_of_a_process_with_a_simulation_may_end(tmp_path):
    text = (
        MELT
        + """
import os, sys
simulation = sterna.Simulation(settings, system)
simulation.run(5)
child = os.fork()
if not child:
    sys.exit(0)
_, status = os.waitpid(child, 0)
assert status == 0, status
simulation.run(5)
print(simulation.step)
"""
    )
    assert script_output(tmp_path, text) == "10\n"


def test_a_communicator_of_another_mpi_is_refused(tmp_path):
    pytest.importorskip("mpi4py")
    text = (
        MELT
        + """
from mpi4py import MPI
import sterna.live.collective
assert len(sterna.live.collective.mpi_libraries()) == 1
simulation = sterna.Simulation(settings, system, communicator=MPI.COMM_WORLD)
assert len(sterna.live.collective.mpi_libraries()) == 1
for wrong in (object(), 5):
    try:
        sterna.Simulation(settings, system, communicator=wrong)
    except TypeError as error:
        assert "expected one of mpi4py" in str(error)
    else:
        raise AssertionError
# As where mpi4py has loaded another one.
sterna.live.collective.mpi_libraries = lambda: ["/a/libmpi.so.40", "/b/libmpi.so.12"]
try:
    sterna.Simulation(settings, system, communicator=MPI.COMM_WORLD)
except sterna.SternaError as error:
    assert "/a/libmpi.so.40 and /b/libmpi.so.12" in str(error), error
else:
    raise AssertionError
"""
    )
    script_output(tmp_path, text)


def test_progress_is_shown_where_it_is_asked_for(tmp_path):
    text = (
        MELT
        + """
import sterna.support.progress, sterna.live.simulation
class Heard(sterna.support.progress.RunProgress):
    def __call__(self, step):
        heard.append((step, simulation.step))
heard = []
sterna.live.simulation.RunProgress = Heard
simulation = sterna.Simulation(settings, system)
simulation.run(100)  # nobody watches
assert not heard
while len(heard) < 3:
    simulation.run(2000, progress=True)
assert all(0 < step <= simulation.step for step, _ in heard)
assert [step for step, _ in heard] == sorted(step for step, _ in heard)
count = len(heard)
simulation.run(2000, progress=False)
assert len(heard) == count
"""
    )
    done = run_script(tmp_path, text)
    assert done.returncode == 0, done.stderr


def test_the_time_left_follows_from_the_median_of_steps(monkeypatch):
    now = [100.0]
    monkeypatch.setattr("sterna.support.progress.time.monotonic", lambda: now[0])
    shown = io.StringIO()
    monkeypatch.setattr(
        "rich.console.Console",
        lambda **_: Console(file=shown, force_terminal=True, width=100),
    )
    with RunProgress(1000, 2000, delay=1.0) as progress:
        # 0.01 s a step, but for one pause of a minute.
        for step, seconds in ((1010, 0.1), (1020, 60.0), (1030, 0.1), (1040, 0.1), (1050, 0.1)):
            now[0] += seconds
            progress(step)
            if step == 1010:
                assert shown.getvalue() == ""
        report = progress.report(1050)
    assert report["step"] == 50 and report["steps"] == 1000
    assert report["rate"] == pytest.approx(100.0) and report["eta"] == pytest.approx(9.5)
    assert "step 50 of 1000" in shown.getvalue()
