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
def test_a_force_says_whether_it_keeps_the_momentum(tmp_path, ranks):
    text = (
        MELT
        + """
def degrees(simulation):
    return 2.0 * simulation.thermo["kinetic_energy"] / simulation.thermo["temperature"]

def nothing(frame):
    return 0.0

def trap(frame):
    frame.force[:, 2] -= 0.1 * frame.position[:, 2]
    return 0.05 * (frame.position[:, 2] ** 2).sum()

simulation = sterna.Simulation(settings, system)
simulation.force(keeps_momentum=True)(nothing)
simulation.run(1)
assert abs(degrees(simulation) - (3 * 864 - 3)) < 1e-6, degrees(simulation)
simulation.force(trap)
simulation.run(1)
assert abs(degrees(simulation) - 3 * 864) < 1e-6, degrees(simulation)
# Both are known to a simulation that goes on with other settings.
simulation.change(run={"timestep": 0.001})
simulation.run(1)
assert abs(degrees(simulation) - 3 * 864) < 1e-6, degrees(simulation)
simulation.save("trap.checkpoint")
again = sterna.Simulation.resume("trap.checkpoint", simulation.input, system)
again.force(keeps_momentum=True)(nothing)
again.force(trap)
simulation.run(10)
again.run(10)
assert abs(degrees(again) - 3 * 864) < 1e-6, degrees(again)
assert again.thermo["temperature"] == simulation.thermo["temperature"]

pairs = sterna.Simulation(settings, system)
pairs.force(keeps_momentum=True)(nothing)
pairs.change(run={"timestep": 0.001})
pairs.run(1)
assert abs(degrees(pairs) - (3 * 864 - 3)) < 1e-6, degrees(pairs)
"""
    )
    script_output(tmp_path, text, ranks)


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


def test_velocities_written_in_a_view_are_those_of_the_next_step(tmp_path):
    # One simulation writes in views, the other one by `set`, which is tested on its own. Positions
    # after a step are those of velocity Verlet.
    text = (
        MELT
        + """
import json
settings = settings.replace(output={"thermo_interval": 20})
viewed, other = (sterna.Simulation(settings, system) for _ in range(2))
viewed.run(40)
other.run(40)
viewed.measure()
temperature = viewed.thermo["temperature"]
potential = viewed.thermo["potential_energy"]
before, velocity, force = (viewed.gather(name) for name in ("position", "velocity", "force"))
with viewed.view(write="velocity") as v:
    assert v.velocity.flags.writeable
    v.velocity[:] *= 0.5
    slice_of_it = v.velocity[:5]
slice_of_it[...] = 1e6  # after the block: nobody's
other.set("velocity", 0.5 * velocity)
assert (viewed.gather("velocity") == 0.5 * velocity).all()
viewed.measure()
assert numpy.isclose(viewed.thermo["temperature"], 0.25 * temperature, rtol=1e-12)
assert numpy.isclose(viewed.thermo["potential_energy"], potential, rtol=1e-12)

viewed.run(1)
step = 0.002
moved = viewed.gather("position") - before
moved -= viewed.box.length * numpy.round(moved / viewed.box.length)
assert numpy.allclose(moved, step * (0.5 * velocity + 0.5 * step * force), rtol=0, atol=1e-12)
viewed.run(39)
other.run(40)
assert viewed.log["step"].tolist() == other.log["step"].tolist() == [0, 20, 40, 60, 80]
for name in ("temperature", "total_energy"):
    assert numpy.allclose(viewed.log[name], other.log[name], rtol=1e-9), name
if viewed.rank == 0:
    print(json.dumps([viewed.log["temperature"].tolist(), viewed.log["total_energy"].tolist()]))
"""
    )
    alone, four = (json.loads(script_output(tmp_path, text, ranks)) for ranks in (1, 4))
    assert alone[0] == pytest.approx(four[0], rel=1e-9)
    assert alone[1] == pytest.approx(four[1], rel=1e-9)


def test_velocities_written_on_one_rank_alone_are_seen_by_all(tmp_path):
    text = (
        MAKE
        + """
simulation.run(10)
velocity = simulation.gather("velocity")
with simulation.view(write="velocity") as v:
    place = v.index_of([17])[0]
    if place >= 0:
        v.velocity[place] = (1.0, 2.0, 3.0)
velocity[16] = (1.0, 2.0, 3.0)
assert (simulation.gather("velocity") == velocity).all()
simulation.measure()
expected = 0.5 * (velocity**2).sum()
assert numpy.isclose(simulation.thermo["kinetic_energy"], expected, rtol=1e-12)
simulation.run(10)
"""
    )
    script_output(tmp_path, text)
    script_output(tmp_path, text, ranks=4)


def test_velocities_written_in_units_of_the_input(tmp_path):
    # The engine has units of its own here, so that the arrays are copies.
    text = """
import numpy
import sterna

settings = sterna.Input(
    units="metal",
    run={"timestep": 0.002, "seed": 7},
    interaction={"cutoff": 7.0},
    communication={"tuning": False},
    type=[{"name": "Ar", "mass": 39.948, "sigma": 3.405, "epsilon": 0.0103}],
)
system = sterna.System.lattice(cells=[5, 5, 5], density=0.0210, temperature=120.0)
simulation = sterna.Simulation(settings, system)
simulation.run(10)
simulation.measure()
temperature = simulation.thermo["temperature"]
velocity = simulation.gather("velocity")
with simulation.view(write="velocity") as v:
    mine, identity = v.velocity.copy(), v.id.copy()
    assert numpy.allclose(mine, velocity[identity - 1], rtol=1e-12)
    v.velocity *= 2.0
assert numpy.allclose(simulation.gather("velocity"), 2.0 * velocity, rtol=1e-12)
simulation.measure()
assert numpy.isclose(simulation.thermo["temperature"], 4.0 * temperature, rtol=1e-12)
velocity = simulation.gather("velocity")
with simulation.view(write="velocity") as v:
    v.velocity, v.position  # looking changes no bit
assert (simulation.gather("velocity") == velocity).all()
"""
    script_output(tmp_path, text)
    script_output(tmp_path, text, ranks=4)


def test_rotation_written_in_a_view_or_set_is_that_of_the_next_step(tmp_path):
    text = """
import numpy
import sterna

settings = sterna.Input(
    units="nano",
    run={"timestep": "2 fs", "seed": 7},
    start={"kind": "lattice", "particles": 256, "density": "17 mol/l", "temperature": "375 K"},
    component=[{"name": "EOX", "model": "ethylene_oxide"}],
    interaction={"cutoff": "0.9 nm", "truncation": "truncated", "electrostatics": "reaction_field"},
    communication={"tuning": False},
)
simulation = sterna.Simulation(settings)
simulation.run(10)
simulation.measure()
energy, rotation = (simulation.thermo[n] for n in ("potential_energy", "rotational_energy"))
momentum, turned = (simulation.gather(n) for n in ("angular_momentum", "orientation"))
with simulation.view(write=["velocity", "angular_momentum"]) as v:
    v.angular_momentum[:] *= 0.5
    assert not v.orientation.flags.writeable and not v.torque.flags.writeable
simulation.measure()
assert numpy.allclose(simulation.gather("angular_momentum"), 0.5 * momentum, rtol=1e-12)
assert numpy.isclose(simulation.thermo["rotational_energy"], 0.25 * rotation, rtol=1e-12)
assert numpy.isclose(simulation.thermo["potential_energy"], energy, rtol=1e-12)

# A quaternion and its negative, of any length, are the same orientation.
simulation.set("orientation", -3.0 * turned)
simulation.set("angular_momentum", momentum)
simulation.measure()
assert numpy.isclose(simulation.thermo["rotational_energy"], rotation, rtol=1e-12)
assert numpy.isclose(simulation.thermo["potential_energy"], energy, rtol=1e-9)
assert numpy.allclose(numpy.abs((simulation.gather("orientation") * turned).sum(axis=1)), 1.0)
# A half turn of all molecules about z changes the energy.
simulation.set("orientation", turned[:, [3, 2, 1, 0]] * [-1.0, -1.0, 1.0, 1.0])
simulation.measure()
assert not numpy.isclose(simulation.thermo["potential_energy"], energy, rtol=1e-6)
for name, values, said in (
    ("orientation", numpy.zeros((256, 4)), "row 0 is no quaternion"),
    ("orientation", turned[:, :3], "expected (n, 4)"),
    ("torque", momentum, "cannot be set, only position, velocity, orientation"),
):
    try:
        simulation.set(name, values)
    except ValueError as error:
        assert said in str(error), error
    else:
        raise AssertionError(said)
simulation.set("orientation", turned)
simulation.run(5)
"""
    script_output(tmp_path, text)
    script_output(tmp_path, text, ranks=4)


def test_written_velocities_keep_constraints_and_frozen_types(tmp_path):
    # 125 dumbbells, and an atom of a frozen type in each gap.
    text = """
import numpy
import sterna
import sterna.comm

sites = 2.0 * numpy.stack(numpy.meshgrid(*[numpy.arange(5.0)] * 3), axis=-1).reshape(-1, 3)
pairs = (sites[:, None] + [[0.2, 0.2, 0.2], [0.8, 0.2, 0.2]]).reshape(-1, 3)
position = numpy.concatenate([pairs, sites + 1.2])
settings = sterna.Input(
    units="reduced",
    run={"timestep": 0.001, "seed": 7},
    interaction={"cutoff": 2.5},
    communication={"tuning": False},
    type=[{"name": "A", "sigma": 0.8}, {"name": "F", "sigma": 0.8}],
    molecule=[
        {"name": "dumbbell", "count": 125, "atom": [{"type": "A"}] * 2,
         "constraint": [{"distance": 0.6, "atoms": [1, 2]}]},
        {"name": "wall", "count": 125, "atom": [{"type": "F"}]},
    ],
    freeze=[{"component": "F", "velocity": [0.1, 0.0, 0.0]}],
)
system = sterna.System.from_arrays([10.0] * 3, position, [0] * 250 + [1] * 125, temperature=1.0)
context = sterna.comm.Context()
simulation = sterna.Simulation(settings, system.share(context.rank, context.size))
simulation.run(20)
wanted = numpy.random.default_rng(1).normal(size=(375, 3))
with simulation.view(write="velocity") as v:
    v.velocity[:] = wanted[v.id - 1]
simulation.measure()
got, place = simulation.gather("velocity"), simulation.gather("position")
assert numpy.allclose(got[250:], [0.1, 0.0, 0.0], rtol=1e-12)
along = place[0:250:2] - place[1:250:2]
along -= 10.0 * numpy.round(along / 10.0)
along /= numpy.linalg.norm(along, axis=1, keepdims=True)
# Equal masses share what the constraint takes off.
relative = ((wanted[0:250:2] - wanted[1:250:2]) * along).sum(axis=1, keepdims=True) * along
assert numpy.abs(relative).max() > 1.0
assert numpy.allclose(got[0:250:2], wanted[0:250:2] - 0.5 * relative, rtol=0, atol=1e-6)
assert numpy.allclose(got[1:250:2], wanted[1:250:2] + 0.5 * relative, rtol=0, atol=1e-6)
simulation.run(10)
assert numpy.allclose(simulation.gather("velocity")[250:], [0.1, 0.0, 0.0], rtol=1e-12)
"""
    script_output(tmp_path, text)
    script_output(tmp_path, text, ranks=4)


def test_what_cannot_be_written_in_a_view(tmp_path):
    text = (
        MAKE
        + """
simulation.run(5)
with simulation.view() as v:
    for name in ("position", "velocity", "force", "id", "type", "image", "ghost_position"):
        assert not getattr(v, name).flags.writeable, name
    for name in ("position", "velocity"):
        try:
            setattr(v, name, 1.0)
        except ValueError as error:
            assert "read-only" in str(error), error
        else:
            raise AssertionError("no error")
    try:
        v.velocities = 0.0
    except AttributeError as error:
        assert "velocities" in str(error), error
    else:
        raise AssertionError("no error")
for write, said in (
    (["velocity", "force"], '"force" cannot be written, only velocity and angular_momentum'),
    ("angular_momentum", "no particle of this simulation rotates"),
):
    try:
        with simulation.view(write=write):
            pass
    except ValueError as error:
        assert said in str(error), error
    else:
        raise AssertionError("no error")
velocity = simulation.gather("velocity")
try:
    with simulation.view(write="velocity") as v:
        place = v.index_of([17])[0]
        if place >= 0:
            v.velocity[place, 1] = numpy.nan
except (ValueError, sterna.RemoteError) as error:
    assert "of velocity is not finite" in str(error), error
    assert isinstance(error, ValueError) == bool(place >= 0)
else:
    raise AssertionError("no error")
simulation.set("velocity", velocity)
simulation.run(5)
simulation.measure()
assert numpy.isfinite(simulation.thermo["total_energy"])
"""
    )
    script_output(tmp_path, text)
    script_output(tmp_path, text, ranks=4)


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
