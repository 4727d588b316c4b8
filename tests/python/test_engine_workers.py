"""`Simulation(..., ranks=4)` without a launcher: workers hold the particles."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

from conftest import sterna_environment
from engine_support import MELT, require_core, run_script, script_output


def test_workers_give_the_numbers_of_one_rank(tmp_path):
    text = (
        MELT
        + """
here = sterna.Simulation(settings, system)
there = sterna.Simulation(settings, system, ranks=4)
assert isinstance(there, sterna.Simulation) and (here.ranks, there.ranks) == (1, 4)
for simulation in (here, there):
    simulation.run(30)
    simulation.run(10)
    simulation.run(until=lambda s: s.step >= 60, every=10)
assert here.step == there.step == 60 and here.time == there.time
for name in ("position", "velocity", "force", "id"):
    assert numpy.abs(here.gather(name) - there.gather(name)).max() < 1e-7, name
for name, value in here.thermo.items():
    assert abs(value - there.thermo[name]) < 1e-8 * max(1.0, abs(value)), name
assert there.energies.keys() == here.energies.keys()
assert (there.box.length == here.box.length).all() and there.type_names == here.type_names
assert numpy.allclose(there.virial_tensor(), here.virial_tensor())

# Changes, checkpoints, and a system of arrays.
there.change(thermostat=[{"kind": "langevin", "temperature": 0.5, "time_constant": 0.05}])
there.thermostats[0].temperature = 0.4
there.run(100)
assert there.thermo["temperature"] < here.thermo["temperature"] - 0.2
there.save("there.checkpoint")
again = sterna.Simulation.resume("there.checkpoint", there.input, system, ranks=4)
assert again.step == 160
pair = sterna.System.from_arrays([8.0] * 3, numpy.array([[1.0, 1.0, 1.0], [2.1, 1.0, 1.0]]))
dimer = sterna.Simulation(settings, pair, ranks=4)
dimer.set("velocity", numpy.array([[0.1, 0.0, 0.0], [0.0, 0.0, 0.0]]))
assert dimer.gather("velocity")[0, 0] == 0.1
dimer.minimize(50)
dimer.set_box([9.0, 9.0, 9.0])
assert (dimer.box.length == 9.0).all()
logged = sterna.Simulation(settings.replace(output={"thermo_interval": 5}), system, ranks=4)
logged.run(10)
assert logged.log["step"].tolist() == [0, 5, 10]
logged.close()
"""
    )
    script_output(tmp_path, text)


def test_errors_of_workers_are_those_of_a_simulation_here(tmp_path):
    text = (
        MELT
        + """
import os, signal, warnings
def raises(kind, text, call):
    try:
        call()
    except kind as error:
        assert text in str(error), error
        return error
    raise AssertionError(text)

wrong = settings.replace(run={"timestep": None, "timestp": 0.002})
error = raises(sterna.InputError, "timestp", lambda: sterna.Simulation(wrong, system, ranks=2))
assert any('did you mean "timestep"?' in d.message for d in error.diagnostics)
simulation = sterna.Simulation(settings, system, ranks=2)
raises(ValueError, 'did you mean "position"?', lambda: simulation.gather("positions"))
raises(ValueError, "run: steps is -1, expected 0 to", lambda: simulation.run(-1))
raises(sterna.SternaError, "sterna launch -n 2", lambda: simulation.every(5))
raises(sterna.SternaError, "sterna launch -n 2", lambda: simulation.force(len))
raises(sterna.SternaError, "gather gives copies", lambda: simulation.view())
raises(ValueError, "not both", lambda: sterna.Simulation(settings, system, ranks=2, communicator=1))
raises(ValueError, "expected a whole number", lambda: sterna.Simulation(settings, system, ranks=0))
raises(sterna.InputError, "temperature", lambda: simulation.change(
    thermostat=[{"kind": "langevin", "temperature": -1.0}]))
simulation.run(5)
assert simulation.step == 5

# A dropped simulation is one at the workers, too; a dead worker ends the rest.
other = sterna.Simulation(settings, system, ranks=2)
del other
simulation.run(1)
os.kill(simulation._workers._pids[1], signal.SIGKILL)
raises(sterna.SternaError, "a worker has ended", lambda: simulation.run(100000))
raises(sterna.SternaError, "have ended", lambda: simulation.step)
fresh = sterna.Simulation(settings, system, ranks=2)
fresh.run(5)
assert fresh.step == 5
"""
    )
    done = run_script(tmp_path, text)
    assert done.returncode == 0, done.stdout + done.stderr


def test_ctrl_c_ends_a_run_of_workers_and_leaves_them_usable(tmp_path):
    text = (
        MELT
        + """
import os, signal, threading
simulation = sterna.Simulation(settings, system, ranks=2)
simulation.run(5)
threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    simulation.run(100_000_000)
except KeyboardInterrupt:
    step = simulation.step
else:
    raise AssertionError
assert 5 < step < 100_000_000
simulation.run(5)
assert simulation.step == step + 5
"""
    )
    script_output(tmp_path, text)


def test_nothing_stays_behind_a_process_that_was_killed(tmp_path):
    require_core()
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent(
            MELT
            + """
simulation = sterna.Simulation(settings, system, ranks=2)
print(*simulation._workers._pids, flush=True)
simulation.run(100_000_000)
"""
        )
    )
    process = subprocess.Popen(
        [sys.executable, script],
        cwd=tmp_path,
        env=sterna_environment(),
        stdout=subprocess.PIPE,
        text=True,
    )
    workers = [int(pid) for pid in process.stdout.readline().split()]
    assert len(workers) == 2
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()
    end = time.monotonic() + 60
    while any(Path(f"/proc/{pid}/stat").exists() for pid in workers):
        assert time.monotonic() < end
        time.sleep(0.1)


def test_under_a_launcher_ranks_are_those_that_are_there(tmp_path):
    text = (
        MELT
        + """
simulation = sterna.Simulation(settings, system, ranks=2)
assert type(simulation) is sterna.Simulation and simulation.ranks == 2
try:
    sterna.Simulation(settings, system, ranks=3)
except sterna.SternaError as error:
    assert "runs under a launcher with 2" in str(error), error
else:
    raise AssertionError
"""
    )
    script_output(tmp_path, text, ranks=2)
