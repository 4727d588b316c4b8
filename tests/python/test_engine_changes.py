"""Parameters and boxes of simulations in Python, changed between runs."""

import pytest
from engine_support import MELT, script_output

MAKE = (
    MELT
    + """
settings = settings.replace(thermostat=[{"kind": "langevin", "temperature": 1.44,
                                         "time_constant": 0.05}])
simulation = sterna.Simulation(settings, system)
"""
)


@pytest.mark.parametrize("ranks", [1, 4])
def test_a_thermostat_takes_another_temperature_between_runs(tmp_path, ranks):
    text = (
        MAKE
        + """
simulation.run(200)
warm = simulation.gather("position")
assert simulation.thermostats[0].temperature == 1.44 and len(simulation.thermostats) == 1
simulation.thermostats[0].temperature = 0.3
assert simulation.input["thermostat"][0]["temperature"] == 0.3
# What is there stays where it is.
same = simulation.gather("position")
difference = same - warm
difference -= simulation.box.length * numpy.round(difference / simulation.box.length)
assert numpy.abs(difference).max() < 1e-12
assert simulation.step == 200
simulation.run(400)
assert simulation.step == 600 and abs(simulation.time - 1.2) < 1e-9
assert 0.2 < simulation.thermo["temperature"] < 0.5, simulation.thermo["temperature"]
"""
    )
    script_output(tmp_path, text, ranks)


def test_a_change_goes_on_as_a_run_with_that_input(tmp_path):
    text = (
        MELT
        + """
first = sterna.Simulation(settings, system)
first.run(50)
first.save("before.checkpoint")
colder = settings.replace(thermostat=[{"kind": "langevin", "temperature": 0.5,
                                       "time_constant": 0.1}])
again = sterna.Simulation.resume("before.checkpoint", colder, system)
again.run(20)
first.change(thermostat=colder["thermostat"])
first.run(20)
assert numpy.abs(first.gather("velocity") - again.gather("velocity")).max() < 1e-9
assert first.thermo["temperature"] != 0 and first.step == again.step == 70
"""
    )
    script_output(tmp_path, text)


def test_another_accuracy_of_charges_is_chosen_anew_where_a_run_goes_on(tmp_path):
    text = """
import numpy
import sterna

def settings(accuracy):
    return sterna.Input(
        units="reduced",
        run={"timestep": 0.001, "seed": 7},
        start={"kind": "lattice", "cells": [6, 6, 6], "density": 0.5, "temperature": 1.0},
        type=[{"name": "+", "charge": 1.0, "fraction": 0.5},
              {"name": "-", "charge": -1.0, "fraction": 0.5}],
        interaction={"cutoff": 2.5},
        electrostatics={"kind": "fmm", "accuracy": accuracy},
        communication={"tuning": False},
    )

first = sterna.Simulation(settings(1e-3))
first.run(50)
first.save("ions.checkpoint")

def forces(accuracy):
    simulation = sterna.Simulation.resume("ions.checkpoint", settings(accuracy))
    simulation.measure()
    return simulation.gather("force")

same, close, exact = map(forces, (1e-3, 1e-6, 1e-8))
size = numpy.sqrt((exact ** 2).sum())
error = [numpy.sqrt(((found - exact) ** 2).sum()) / size for found in (same, close)]
assert 1e-6 < error[0] < 1e-3 and error[1] < 1e-6, error
again = sterna.Simulation.resume("ions.checkpoint", settings(1e-3))
first.run(5)
again.run(5)
assert (first.gather("force") == again.gather("force")).all()
"""
    script_output(tmp_path, text)
    script_output(tmp_path, text, 2)


@pytest.mark.parametrize("ranks", [1, 4])
def test_terms_and_the_time_step_change_and_callbacks_stay(tmp_path, ranks):
    text = (
        MAKE
        + """
@simulation.every(10)
def count(frame):
    return frame.sum(1.0)

@simulation.force
def trap(frame):
    frame.force[:, 2] -= 0.1 * frame.position[:, 2]
    return 0.05 * (frame.position[:, 2] ** 2).sum()

simulation.run(20)
position = simulation.gather("position")
fresh = sterna.System.from_arrays(simulation.box.length, position).share(
    simulation.rank, simulation.ranks)
simulation.types[0].epsilon = 2.0
simulation.change(run={"timestep": 0.001})
simulation.measure()
deeper = sterna.Simulation(settings.replace(type=[{"name": "A", "epsilon": 2.0}]), fresh)
deeper.measure()
assert abs(simulation.energies["lennard_jones"] / deeper.energies["lennard_jones"] - 1) < 1e-9
assert "trap" in simulation.energies
simulation.run(20)
assert simulation.step == 40 and abs(simulation.time - 0.06) < 1e-12
assert simulation.log["count"].tolist() == [simulation.ranks] * 5
"""
    )
    script_output(tmp_path, text, ranks)


@pytest.mark.parametrize("ranks", [1, 4])
def test_a_box_is_stretched_with_its_particles(tmp_path, ranks):
    text = (
        MAKE
        + """
simulation.run(30)
before = simulation.gather("position") / simulation.box.length
velocity = simulation.gather("velocity")
length = simulation.box.length * [1.02, 1.0, 0.99]
simulation.set_box(length, tilt=(0.3, 0.0, 0.0))
assert (simulation.box.length == length).all() and simulation.box.tilt[0] == 0.3
after = simulation.gather("position") @ numpy.linalg.inv(simulation.box.edges)
difference = after - before
difference -= numpy.round(difference)
assert numpy.abs(difference).max() < 1e-12
assert (simulation.gather("velocity") == velocity).all()
simulation.measure()
same = sterna.System.from_arrays(length, simulation.gather("position"), tilt=(0.3, 0.0, 0.0))
fresh = sterna.Simulation(settings, same.share(simulation.rank, simulation.ranks))
fresh.measure()
assert abs(fresh.thermo["potential_energy"] / simulation.thermo["potential_energy"] - 1) < 1e-10
simulation.run(10)
assert simulation.step == 40
"""
    )
    script_output(tmp_path, text, ranks)


def test_what_cannot_be_changed_is_said_and_changes_nothing(tmp_path):
    text = (
        MAKE
        + """
simulation.run(10)
energy = simulation.thermo["total_energy"]
for call, kind, text in (
    (lambda: setattr(simulation.thermostats[0], "temprature", 1.0), sterna.InputError,
     'did you mean "temperature"?'),
    (lambda: setattr(simulation.thermostats[0], "temperature", -1.0), sterna.InputError,
     "temperature"),
    (lambda: simulation.thermostats[1], IndexError, "the input has 1"),
    (lambda: simulation.set_box([0.0, 10.0, 10.0]), ValueError, "expected edges above 0"),
    (lambda: simulation.set_box([10.0, 10.0]), ValueError, "three edges"),
):
    try:
        call()
    except kind as error:
        assert text in str(error), error
    else:
        raise AssertionError(text)
assert simulation.input["thermostat"][0]["temperature"] == 1.44
simulation.change(type=[{"name": "other"}])
try:
    simulation.run(1)
except sterna.SternaError as error:
    assert "keeps its types: they were A, and are other" in str(error), error
else:
    raise AssertionError
simulation.run(10)
assert simulation.step == 20
assert abs(simulation.thermo["total_energy"] - energy) < 0.3 * abs(energy)
"""
    )
    script_output(tmp_path, text)


def test_ranks_that_change_different_things_end_with_an_error(tmp_path):
    text = (
        MAKE
        + """
if simulation.rank == 1:
    simulation.thermostats[0].temperature = 0.7
try:
    simulation.run(10)
except sterna.SternaError as error:
    assert "rank 0 changes nothing, rank 1 changes its input" in str(error), error
else:
    raise AssertionError
"""
    )
    script_output(tmp_path, text, ranks=2)


def test_a_simulation_with_files_goes_on_in_them(tmp_path):
    text = """
import sterna
settings = sterna.Input(
    units="reduced", run={"name": "melt", "steps": 100, "timestep": 0.002},
    start={"kind": "lattice", "cells": [6, 6, 6], "density": 0.8442, "temperature": 1.44},
    type=[{"name": "A"}], interaction={"cutoff": 2.5},
    thermostat=[{"kind": "langevin", "temperature": 1.44, "time_constant": 0.05}],
    output={"thermo_interval": 10})
simulation = sterna.Simulation(settings, files=True)
simulation.run(20)
simulation.thermostats[0].temperature = 0.5
simulation.run(20)
try:
    simulation.change(type=[{"name": "A", "epsilon": 2.0}])
    simulation.run(10)
except sterna.SternaError as error:
    assert "describes another system" in str(error), error
simulation.run(10)
assert simulation.step == 50
steps = [int(row["step"]) for row in sterna.read_log("melt.log.jsonl").rows]
assert steps == sorted(steps) and set(range(0, 51, 10)) <= set(steps), steps
"""
    script_output(tmp_path, text)


def test_resume_waits_for_force_terms_of_python(tmp_path):
    text = (
        MELT
        + """
def trap(frame):
    frame.force[:, 2] -= 0.1 * frame.position[:, 2]
    return 0.05 * (frame.position[:, 2] ** 2).sum()

simulation = sterna.Simulation(settings, system)
simulation.force(trap)
simulation.run(20)
simulation.save("trap.checkpoint")
simulation.run(20)
again = sterna.Simulation.resume("trap.checkpoint", settings, system)
try:
    again.run(20)
except sterna.SternaError as error:
    assert "add them again before the run goes on: trap" in str(error), error
else:
    raise AssertionError
again.force(trap)
again.run(20)
assert (again.gather("position") == simulation.gather("position")).all()
"""
    )
    script_output(tmp_path, text)


@pytest.mark.parametrize("ranks", [1, 2])
def test_run_until_something_is_so(tmp_path, ranks):
    text = (
        MAKE
        + """
simulation.run(until=lambda s: s.step >= 25 and s.rank == s.ranks - 1, every=10)
assert simulation.step == 30
simulation.run(15, until=lambda s: False, every=10)
assert simulation.step == 45
for call in (lambda: simulation.run(), lambda: simulation.run(until=len, every=0)):
    try:
        call()
    except ValueError:
        pass
    else:
        raise AssertionError
"""
    )
    script_output(tmp_path, text, ranks)


def test_observers_at_steps_and_with_needs(tmp_path):
    text = (
        MAKE
        + """
seen, errors = [], []
simulation.close()
simulation = sterna.Simulation(settings.replace(output={"thermo_interval": 20}), system)

@simulation.every(at=[3, 7, 20], needs=["position"])
def height(frame):
    seen.append(frame.step)
    try:
        frame.velocity
    except AttributeError as error:
        errors.append(str(error))
    return frame.mean(frame.position[:, 2])

simulation.run(20)
assert seen == [3, 7, 20]
assert errors[0] == 'frame.velocity: this callback needs position; add "velocity" to its needs'
log = simulation.log
assert log["step"].tolist() == [0, 3, 7, 20]
assert numpy.isfinite(log["height"]).tolist() == [False, True, True, True]
assert numpy.isfinite(log["temperature"]).tolist() == [True, False, False, True]
for call, text in (
    (lambda: simulation.every(5, needs=["positions"]), 'did you mean "position"?'),
    (lambda: simulation.every(), "either an interval or at"),
    (lambda: simulation.every(5, at=[1]), "either an interval or at"),
    (lambda: simulation.every(at=[]), "at least one step"),
):
    try:
        call()
    except ValueError as error:
        assert text in str(error), error
    else:
        raise AssertionError(text)
# Who looks changes nothing.
alone = sterna.Simulation(settings, system)
alone.run(20)
assert numpy.abs(alone.gather("position") - simulation.gather("position")).max() < 1e-9
"""
    )
    script_output(tmp_path, text)


def test_ranks_that_make_different_calls_are_told_where_asked_for(tmp_path, monkeypatch):
    monkeypatch.setenv("STERNA_CHECK_CALLS", "1")
    text = (
        MAKE
        + """
simulation.run(5)
try:
    if simulation.rank == 1:
        simulation.gather("position")
    else:
        simulation.run(10)
except sterna.SternaError as error:
    assert str(error) == ("ranks make different collective calls: rank 0 calls run(10), "
                          "rank 1 calls gather('position')"), error
else:
    raise AssertionError
simulation.run(5)
"""
    )
    script_output(tmp_path, text, ranks=2)


@pytest.mark.parametrize("ranks", [1, 4])
def test_callbacks_leave_the_simulation_alone_but_may_ask_for_changes(tmp_path, ranks):
    text = (
        MAKE
        + """
refused = []
def refuses(call):
    try:
        call()
    except sterna.SternaError as error:
        refused.append(str(error))

@simulation.every(10, needs=["position"])
def place(frame):
    refuses(lambda: simulation.gather("velocity"))

@simulation.every(10)
def cool(frame):
    refuses(lambda: simulation.run(1))
    simulation.thermostats[0].temperature = 1.44 - 0.001 * frame.step
    assert len(simulation.gather("position")) == 864

@simulation.force
def nothing(frame):
    if frame.step == 10:
        refuses(simulation.measure)
    return 0.0

simulation.run(20)
assert {text.split(": inside of a callback (")[1] for text in refused} == {
    "observer 'place') use its frame", "observer 'cool') use its frame",
    "force term 'nothing') use its frame"}, refused
assert simulation.thermostats[0].temperature == 1.42
simulation.run(10)
assert simulation.step == 30
"""
    )
    script_output(tmp_path, text, ranks)
