"""Observers, force terms and views in Python, alone and on several ranks."""

import json

import pytest
from engine_support import MELT, run_script, script_output

MAKE = MELT + "simulation = sterna.Simulation(settings, system)\n"


def test_an_observer_gets_every_step_and_its_values_are_a_column_of_the_log(tmp_path):
    text = (
        MELT
        + """
import json
simulation = sterna.Simulation(settings.replace(output={"thermo_interval": 20}), system)
seen = []

@simulation.every(10)
def kinetic(frame):
    seen.append(frame.step)
    assert frame.position.shape == frame.force.shape == (len(frame.id), 3)
    assert abs(frame.sum(frame.force)).max() < 1e-9
    assert frame.sum(1.0) == simulation.ranks
    assert frame.sum(numpy.ones(len(frame.id))) == 864
    assert frame.min(frame.id) == 1 and frame.max(frame.id) == 864
    assert numpy.allclose(frame.mean(frame.velocity), 0.0, atol=1e-12)
    return 0.5 * frame.sum((frame.velocity**2).sum(axis=1))

simulation.run(25)
simulation.run(15)
assert seen == [0, 10, 20, 30, 40]
log = simulation.log
assert log["step"].tolist() == [0, 10, 20, 30, 40]
assert numpy.allclose(log["kinetic"], log["kinetic_energy"], rtol=1e-12)
if simulation.rank == 0:
    print(json.dumps(log["kinetic"].tolist()))
"""
    )
    alone, four = (json.loads(script_output(tmp_path, text, ranks)) for ranks in (1, 4))
    assert alone == pytest.approx(four, rel=1e-10)


def test_a_force_term_in_python_is_the_field_of_the_engine(tmp_path):
    text = (
        MELT
        + """
pull = [0.3, 0.0, -0.2]
field = sterna.Simulation(settings.replace(field=[{"force": pull}]), system)
simulation = sterna.Simulation(settings, system)

@simulation.force(virial=True)
def pulled(frame):
    frame.force[:] += pull
    return 0.0

@simulation.force
def trap(frame):
    frame.force[:, 2] -= 0.1 * frame.position[:, 2]
    return 0.05 * (frame.position[:, 2] ** 2).sum()

# The energy of the trap is what it takes from the motion.
simulation.run(1)
assert numpy.isnan(simulation.thermo["pressure"])
z = simulation.gather("position")[:, 2]
assert abs(simulation.energies["trap"] - 0.05 * (z**2).sum()) < 1e-9 * 864

only = sterna.Simulation(settings, system)
only.force(virial=True)(pulled)
field.run(30)
only.run(30)
assert numpy.abs(field.gather("position") - only.gather("position")).max() < 1e-9
assert numpy.isfinite(only.thermo["pressure"])
"""
    )
    script_output(tmp_path, text)
    script_output(tmp_path, text, ranks=4)


@pytest.mark.parametrize("ranks", [1, 4])
@pytest.mark.parametrize("kind", ["observer", "force"])
def test_an_error_in_a_callback_on_one_rank_ends_the_run_of_all(tmp_path, ranks, kind):
    text = (
        MAKE
        + f"kind = {kind!r}\n"
        + """
def fail():
    if simulation.step >= 14 and simulation.rank == simulation.ranks - 1 and not over:
        raise LookupError("no such thing")

over = False
if kind == "observer":
    @simulation.every(7)
    def look(frame):
        fail()
        return frame.sum(1.0)
else:
    @simulation.force
    def push(frame):
        fail()
        return 0.0

try:
    simulation.run(1000)
except LookupError as error:
    assert simulation.rank == simulation.ranks - 1
except sterna.RemoteError as error:
    assert str(error) == f"LookupError: no such thing (rank {simulation.ranks - 1})", error
else:
    raise AssertionError("no error")
step = simulation.step
assert 14 <= step < 100
over = True
simulation.run(10)
assert simulation.step == step + 10
print("at", step)
"""
    )
    shown = script_output(tmp_path, text, ranks).splitlines()
    assert len(shown) == ranks and len(set(shown)) == 1


def test_an_uncaught_error_in_a_callback_shows_its_traceback(tmp_path):
    text = (
        MAKE
        + """
@simulation.every(5)
def look(frame):
    if simulation.rank == 2:
        undefined_name
    frame.sum(1.0)

simulation.run(1000)
"""
    )
    done = run_script(tmp_path, text, ranks=4)
    assert done.returncode != 0
    assert "undefined_name" in done.stderr


def test_different_calls_on_ranks_are_an_error_instead_of_a_hang(tmp_path):
    text = (
        MAKE
        + """
@simulation.every(5)
def look(frame):
    if simulation.rank == 1:
        return frame.min(1.0)
    return frame.sum(1.0)

try:
    simulation.run(1000)
except (RuntimeError, sterna.RemoteError) as error:
    assert "other calls on this rank" in str(error), error
"""
    )
    script_output(tmp_path, text, ranks=2)


def test_arrays_kept_past_a_view_show_old_values(tmp_path):
    text = (
        MAKE
        + """
simulation.run(10)
with simulation.view() as v:
    position, identity = v.position, v.id
    copy = position.copy()
    assert position.strides == (32, 8) and not position.flags.writeable
    assert (v.index_of(identity[::-1]) == numpy.arange(len(identity))[::-1]).all()
    assert (v.index_of([10**9]) == -1).all()
    assert v.type.tolist() == [0] * len(identity)
    assert v.ghost_position.shape[0] == 0 or v.ghost_position.shape[1] == 3
    for call in (lambda: simulation.run(1), simulation.measure, simulation.close):
        try:
            call()
        except sterna.SternaError as error:
            assert "inside of a view" in str(error)
        else:
            raise AssertionError("no error")
try:
    v.position
except AttributeError as error:
    assert "the block of this view has ended" in str(error)
else:
    raise AssertionError("no error")
everywhere = simulation.gather("position")[identity - 1]
difference = everywhere - copy
difference -= simulation.box.length * numpy.round(difference / simulation.box.length)
assert numpy.abs(difference).max() < 1e-12
simulation.run(1000)
del simulation
assert (position == copy).all()
"""
    )
    script_output(tmp_path, text)
    script_output(tmp_path, text, ranks=4)


def test_a_view_copies_nothing(tmp_path):
    text = (
        MAKE
        + """
with simulation.view() as v:
    assert v.position.ctypes.data == v.position.ctypes.data
    assert v.type.ctypes.data == v.position.ctypes.data + 24
"""
    )
    script_output(tmp_path, text)


def test_minimize_goes_downhill_and_the_run_goes_on(tmp_path):
    text = (
        MAKE
        + """
simulation.run(50)
before = simulation.thermo["potential_energy"]
velocity = simulation.gather("velocity")
left = simulation.minimize(300, force_tolerance=0.5)
simulation.measure()
assert simulation.step == 50
assert simulation.thermo["potential_energy"] < before - 100
assert left <= 0.5 and numpy.abs(simulation.gather("force")).max() <= 0.5 + 1e-6
assert (simulation.gather("velocity") == velocity).all()
simulation.run(5)
"""
    )
    script_output(tmp_path, text)
    script_output(tmp_path, text, ranks=2)


def test_names_and_intervals_of_callbacks(tmp_path):
    text = (
        MAKE
        + """
def look(frame):
    pass
simulation.every(5)(look)
for call, text in (
    (lambda: simulation.every(5)(look), "there is an observer 'look' already"),
    (lambda: simulation.every(0)(lambda frame: None), "interval is at least 1 step"),
    (lambda: (simulation.force(look), simulation.force(look)), "look"),
):
    try:
        call()
    except ValueError as error:
        assert text in str(error), error
    else:
        raise AssertionError(text)
try:
    simulation.run(1)
except TypeError as error:
    assert "must return its energy" in str(error)
else:
    raise AssertionError("no error")
"""
    )
    script_output(tmp_path, text)


def test_a_simulation_with_callbacks_is_freed(tmp_path):
    text = (
        MELT
        + """
import gc, weakref
def make():
    simulation = sterna.Simulation(settings, system)
    @simulation.every(5)
    def look(frame):
        return simulation.step
    simulation.run(5)
    return weakref.ref(simulation)
gone = make()
gc.collect()
assert gone() is None
"""
    )
    script_output(tmp_path, text)
