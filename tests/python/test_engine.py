"""Simulations in the process of Python, alone and under a launcher."""

import json
import re
import subprocess
import sys
import time

import pytest
from conftest import ROOT, sterna_environment
from engine_support import MELT, require_core, run_script, script_output


def test_the_same_script_gives_the_same_numbers_on_1_and_4_ranks(tmp_path):
    text = (
        MELT
        + """
simulation = sterna.Simulation(settings, system)
simulation.run(60)
simulation.run(40)
position, velocity, force = map(simulation.gather, ("position", "velocity", "force"))
assert position.shape == velocity.shape == force.shape == (864, 3)
assert (simulation.gather("id") == numpy.arange(1, 865)).all()
assert numpy.abs(force.sum(axis=0)).max() < 1e-9
if simulation.rank == 0:
    import json
    print(json.dumps({
        "ranks": simulation.ranks, "step": simulation.step, "time": simulation.time,
        "thermo": simulation.thermo, "energies": simulation.energies,
        "position": position.tolist(), "velocity": velocity.tolist(), "force": force.tolist(),
    }))
"""
    )
    alone = json.loads(script_output(tmp_path, text))
    four = json.loads(script_output(tmp_path, text, ranks=4))
    assert (alone.pop("ranks"), four.pop("ranks")) == (1, 4)
    assert alone["step"] == 100 and alone["time"] == pytest.approx(0.2)
    assert alone["energies"].keys() == {"lennard_jones"}
    for name in ("position", "velocity", "force"):
        for mine, other in zip(alone[name], four[name], strict=True):
            assert mine == pytest.approx(other, rel=1e-7, abs=1e-7)
    for name in ("temperature", "pressure", "potential_energy", "total_energy"):
        assert alone["thermo"][name] == pytest.approx(four["thermo"][name], rel=1e-10)


def test_a_simulation_is_the_run_of_its_file(tmp_path, melt, sterna):
    path = melt(steps=50, thermo=50)
    done = sterna("run", str(path), "-n", "1")
    assert done.returncode == 0, done.stderr
    (log,) = tmp_path.rglob("melt.log.jsonl")
    rows = [json.loads(line) for line in log.open()]
    last = [row for row in rows if row["event"] == "thermo"][-1]
    shown = script_output(
        tmp_path,
        """
        import json, sterna
        simulation = sterna.Simulation.from_file("melt.toml")
        simulation.run(20)
        simulation.run(30)
        print(json.dumps(simulation.thermo))
        """,
    )
    thermo = json.loads(shown)
    assert thermo == {name: last[name] for name in thermo}


def test_importing_starts_nothing_and_is_quick(tmp_path):
    text = """
    import sys, time
    start = time.perf_counter()
    import sterna
    seconds = time.perf_counter() - start
    assert "sterna._core" not in sys.modules and "numpy" not in sys.modules
    sterna.Input(units="reduced").check()
    assert sys.modules["sterna._core"].place() == (0, 0)
    print("started nothing")
    """
    assert script_output(tmp_path, text) == "started nothing\n"


def test_set_gather_and_measure(tmp_path):
    text = (
        MELT
        + """
simulation = sterna.Simulation(settings, system)
simulation.run(10)
before = simulation.gather("position")
moved = before.copy()
moved[5] += [0.05, 0.0, 30.0]  # beyond the box, too
simulation.set("position", moved)
simulation.set("velocity", numpy.zeros((864, 3)))
simulation.measure()
length = simulation.box.length
after = simulation.gather("position") + simulation.gather("image") @ simulation.box.edges
assert numpy.allclose(after, moved, atol=1e-12)
assert simulation.thermo["kinetic_energy"] == 0.0
# The force is the energy's derivative.
force = simulation.gather("force")[5, 0]
h, energy = 1e-5, []
for sign in (1, -1):
    shifted = moved.copy()
    shifted[5, 0] += sign * h
    simulation.set("position", shifted)
    simulation.measure()
    energy.append(simulation.thermo["potential_energy"])
assert abs(-(energy[0] - energy[1]) / (2 * h) - force) < 1e-4 * max(1, abs(force)), (energy, force)
simulation.set("position", before)
simulation.run(10)
assert numpy.isfinite(simulation.thermo["total_energy"])
print("rank", simulation.rank)
"""
    )
    assert script_output(tmp_path, text) == "rank 0\n"
    assert sorted(script_output(tmp_path, text, ranks=4).split("\n"))[1:] == [
        f"rank {r}" for r in range(4)
    ]


def test_save_and_resume_give_the_same_bits(tmp_path):
    text = (
        MELT
        + """
simulation = sterna.Simulation(settings, system)
simulation.run(40)
simulation.save("melt.checkpoint")
simulation.run(40)
again = sterna.Simulation.resume("melt.checkpoint", settings, system)
assert again.step == 40
again.run(40)
for name in ("position", "velocity", "force"):
    assert (simulation.gather(name) == again.gather(name)).all(), name
assert simulation.thermo == again.thermo
"""
    )
    script_output(tmp_path, text)
    script_output(tmp_path, text, ranks=2)


@pytest.mark.parametrize("steps", [0, 10])
def test_a_thermostat_acts_in_more_steps_than_the_input_has(tmp_path, steps):
    script_output(
        tmp_path,
        MELT
        + f"""
settings = settings.replace(
    run=dict(settings["run"], steps={steps}),
    thermostat={{"kind": "langevin", "temperature": 1.4, "time_constant": 0.02}},
)
simulation = sterna.Simulation(settings, system)
simulation.run(10)
simulation.run(290)
temperatures = []
for _ in range(20):
    simulation.run(10)
    temperatures.append(simulation.thermo["temperature"])
assert abs(numpy.mean(temperatures) - 1.4) < 0.03, temperatures
""",
    )


def test_a_complete_run_goes_on(tmp_path):
    """Its checkpoint leaves the program nothing to do, but a script may run more steps."""
    text = (
        MELT
        + """
whole = sterna.Simulation(settings, system)
whole.run(40)
whole.save("whole.checkpoint")
whole.run(20)
steps = settings.replace(run={"name": "melt", "steps": 40})
first = sterna.Simulation(steps, system, files=True)
first.run(40)
first.save("melt.checkpoint")
del first
for again in (
    sterna.Simulation.resume("melt.checkpoint", steps, system),
    sterna.Simulation(steps, system, files=True, resume=True),
):
    assert again.step == 40
    again.measure()
    again.run(20)
    assert again.step == 60
    for name in ("position", "velocity", "force"):
        assert (whole.gather(name) == again.gather(name)).all(), name
"""
    )
    script_output(tmp_path, text)
    script_output(tmp_path, text, ranks=2)


@pytest.mark.parametrize("ranks", [1, 2])
def test_errors_of_an_input_come_with_place_and_leave_the_process_alive(tmp_path, ranks):
    text = (
        MELT
        + """
try:
    sterna.Simulation(settings.replace(run={"timestep": None, "timestp": 0.002}), system)
except sterna.InputError as error:
    messages = [finding.message for finding in error.diagnostics]
    assert 'unknown key "timestp" in [run]; did you mean "timestep"?' in messages, messages
    assert str(error).startswith("settings:"), error
else:
    raise AssertionError("no error")
for call, text in (
    (lambda: simulation.gather("positions"), "did you mean \\"position\\"?"),
    (lambda: simulation.gather("torque"), "no particle of this simulation rotates"),
    (lambda: simulation.set("velocity", numpy.zeros((3, 3))), "the array has 3 rows, expected"),
    (lambda: simulation.set("velocity", numpy.zeros(3)), "has the shape (3,), expected (n, 3)"),
    (lambda: simulation.set("velocity", numpy.full((864, 3), numpy.nan)), "row 0 is not finite"),
    (lambda: simulation.set("id", numpy.zeros((864, 3))), "cannot be set"),
    (lambda: simulation.run("1 ns"), "run(\\"1 ns\\"): "),
    (lambda: simulation.run(-1), "run: steps is -1, expected 0 to"),
    (lambda: simulation.run(1.5), "run: steps is 1.5, expected a whole number or a time such as"),
    (lambda: simulation.thermostats[0], "no [[thermostat]] number 0, counted from 0: the input has 0"),
    (lambda: simulation.log["volume"], "the log has no column 'volume', as it has no rows"),
    (lambda: sterna.Simulation(settings, "melt"), "expected a sterna.System, got 'melt'"),
    (lambda: simulation.gather("position", root=9), "root is 9, expected a rank from 0 to"),
):
    simulation = globals().get("simulation") or sterna.Simulation(settings, system)
    try:
        call()
    except (ValueError, TypeError, LookupError) as error:
        assert text in str(error), error
    else:
        raise AssertionError(text)
simulation.run(numpy.int64(5))
assert repr(simulation).startswith("<sterna.Simulation: 864 particles on "), simulation
assert repr(simulation).endswith(", step 5>"), simulation
simulation.close()
assert repr(simulation) == "<sterna.Simulation: closed>"
try:
    simulation.run(5)
except sterna.SternaError as error:
    assert str(error) == "this simulation is closed"
"""
    )
    script_output(tmp_path, text, ranks)


def test_a_time_is_a_number_of_steps_in_real_units(tmp_path):
    script_output(
        tmp_path,
        """
        import sterna
        settings = sterna.Input(units="metal", run={"timestep": "2 fs"},
                                interaction={"cutoff": 8.5},
                                type=[{"name": "Ar", "mass": 39.948, "sigma": 3.405,
                                       "epsilon": "119.8 K"}])
        system = sterna.System.lattice([5, 5, 5], density=0.021, temperature=90.0)
        simulation = sterna.Simulation(settings, system)
        simulation.run("0.1 ps")
        assert simulation.step == 50 and abs(simulation.time - 0.1) < 1e-12
        try:
            simulation.run("3 fs")
        except ValueError as error:
            assert "expected a whole number of steps of 0.002 ps, got 1.5" in str(error), error
        else:
            raise AssertionError
        """,
    )


@pytest.mark.parametrize("ranks", [1, 4])
def test_ctrl_c_ends_a_run_and_leaves_a_usable_simulation(tmp_path, ranks):
    require_core()
    text = (
        MELT
        + """
import os, signal, threading
simulation = sterna.Simulation(settings, system)
simulation.run(10)
if simulation.rank == simulation.ranks - 1:
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    simulation.run(10_000_000)
except KeyboardInterrupt:
    step = simulation.step
else:
    raise AssertionError("not interrupted")
assert 10 < step < 10_000_000
energy = simulation.thermo["total_energy"]
simulation.run(20)
assert simulation.step == step + 20
assert abs(simulation.thermo["total_energy"] - energy) < 1e-3 * abs(energy)
print("stopped at", step)
"""
    )
    done = script_output(tmp_path, text, ranks)
    steps = re.findall(r"stopped at (\d+)", done)
    assert len(steps) == ranks and len(set(steps)) == 1


def test_an_uncaught_exception_on_one_rank_ends_all_with_its_traceback(tmp_path):
    text = (
        MELT
        + """
simulation = sterna.Simulation(settings, system)
simulation.run(5)
if simulation.rank == 2:
    raise RuntimeError("only here")
simulation.run(1000)
"""
    )
    start = time.monotonic()
    done = run_script(tmp_path, text, ranks=4)
    assert done.returncode != 0
    assert "rank 2:" in done.stderr and "RuntimeError: only here" in done.stderr
    assert time.monotonic() - start < 60


@pytest.mark.parametrize("ranks", [1, 4])
def test_whatever_lives_at_the_end_the_interpreter_exits_in_order(tmp_path, ranks):
    text = (
        MELT
        + """
import atexit
first = sterna.Simulation(settings, system)
second = sterna.Simulation(settings, system)
first.run(5); second.run(5); first.run(5)
cycle = [first]
cycle.append(cycle)
kept = first.gather("position")
del first
class Holder:
    def __init__(self, simulation):
        self.simulation = simulation
    def __del__(self):
        self.simulation = None
holder = Holder(second)
sterna.held = holder
print("end")
"""
    )
    assert script_output(tmp_path, text, ranks).count("end") == ranks


def test_many_simulations_one_after_the_other_take_no_more_memory(tmp_path):
    text = (
        MELT
        + """
import gc, resource
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for k in range(1000):
    simulation = sterna.Simulation(settings, system)
    simulation.run(1)
    if k == 50:
        early = peak()
assert peak() - early < 8000, (early, peak())  # kB; one simulation takes about 2000
"""
    )
    script_output(tmp_path, text)


def test_the_other_thread_goes_on_while_a_run_does(tmp_path):
    text = (
        MELT
        + """
import threading
simulation = sterna.Simulation(settings, system)
count, done = 0, False
def tick():
    global count
    while not done:
        count += 1
thread = threading.Thread(target=tick)
thread.start()
before = count
simulation.run(500)
during = count - before
done = True
thread.join()
assert during > 100, during
"""
    )
    script_output(tmp_path, text)


def test_two_simulations_at_once_on_split_communicators(tmp_path):
    text = (
        MELT
        + """
from mpi4py import MPI
half = MPI.COMM_WORLD.Split(MPI.COMM_WORLD.rank % 2)
simulation = sterna.Simulation(settings, system, communicator=half)
assert simulation.ranks == 2
simulation.run(20 + 20 * (MPI.COMM_WORLD.rank % 2))
print(simulation.step, simulation.thermo["total_energy"])
"""
    )
    shown = script_output(tmp_path, text, ranks=4).split("\n")
    lines = sorted(line for line in shown if re.match(r"\d+ -", line))  # UCX may say something
    assert [line.split()[0] for line in lines] == ["20", "20", "40", "40"]
    assert lines[0] == lines[1] and lines[2] == lines[3]


def test_without_the_module_the_error_says_what_to_do(tmp_path):
    program = tmp_path / "app" / "sterna-md"
    program.parent.mkdir()
    program.symlink_to("/bin/true")
    done = subprocess.run(
        [sys.executable, "-c", "import sterna; sterna.Input(units='reduced').check()"],
        env=sterna_environment() | {"STERNA_MD": str(program)},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if "SternaError" not in done.stderr:
        pytest.skip("the module is installed in the package")
    assert "the module sterna._core was not found" in done.stderr
