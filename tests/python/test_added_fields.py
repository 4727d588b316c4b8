"""Fields that a script adds to the particles: read, written, kept by callbacks and checkpoints."""

import pytest
from engine_support import MELT, script_output

HOT = MELT.replace("density=0.8442, temperature=1.44", "density=0.5, temperature=6.0")
MAKE = HOT + "simulation = sterna.Simulation(settings, system)\n"


@pytest.mark.parametrize("ranks", [1, 2, 5, 9])
def test_a_field_goes_with_the_particles(tmp_path, ranks):
    text = (
        MAKE
        + """
n = simulation.particle_count
assert simulation.particle_fields == {}
simulation.add_particle_field("charge", initial=-0.5)
simulation.add_particle_field("spin", components=3)
assert simulation.particle_fields == {"charge": 1, "spin": 3}
assert simulation.gather("charge").tolist() == [-0.5] * n
assert simulation.gather("spin").shape == (n, 3)
charge, spin = numpy.sin(numpy.arange(n)), numpy.random.default_rng(3).normal(size=(n, 3))
simulation.set("charge", charge)
simulation.set("spin", spin)

@simulation.every(50)
def seen(frame):
    assert numpy.array_equal(frame.particle_field("charge"), charge[frame.id - 1])
    assert numpy.array_equal(frame.particle_field("spin"), spin[frame.id - 1])
    assert not frame.particle_field("spin").flags.writeable
    return frame.sum(frame.particle_field("charge"))

simulation.run(400)
assert numpy.array_equal(simulation.gather("charge"), charge)
assert numpy.array_equal(simulation.gather("spin"), spin)
assert simulation.gather("spin", root=0) is None or simulation.rank == 0
sums = simulation.log["seen"]
sums = sums[numpy.isfinite(sums)]  # The first row is older than the observer.
assert len(sums) == 8 and numpy.allclose(sums, charge.sum(), rtol=0, atol=1e-9), sums
with simulation.view() as v:
    assert numpy.array_equal(v.spin, spin[v.id - 1])
    kept = v.charge
assert len(kept) == 0 or not kept.flags.writeable
# Another time step is another simulation of the engine.
simulation.change(run={"timestep": 0.001})
simulation.set_box(1.01 * simulation.box.length)
simulation.run(100)
assert numpy.array_equal(simulation.gather("spin"), spin)
assert simulation.particle_fields == {"charge": 1, "spin": 3}
simulation.minimize(5)
assert numpy.array_equal(simulation.gather("charge"), charge)
"""
    )
    script_output(tmp_path, text, ranks)


@pytest.mark.parametrize("ranks", [1, 3])
def test_a_force_term_reads_and_writes_a_field(tmp_path, ranks):
    text = (
        HOT
        + """
# Particles without forces on each other: what the term does can be computed.
positions = numpy.random.default_rng(1).uniform(0, 12, (200, 3))
velocities = numpy.random.default_rng(2).normal(size=(200, 3)) * 3
gas = sterna.System.from_arrays([12.0] * 3, positions, velocity=velocities)
settings = settings.replace(type=[{"name": "A", "epsilon": 0.0}], interaction={"cutoff": 1.0},
    neighbor={"maximum_interval": 10})
from sterna.live.core import core

simulation = sterna.Simulation(settings, gas.share(*core().world()))
simulation.add_particle_field("charge")
simulation.add_particle_field("calls", initial=10)
charge = numpy.linspace(-1, 1, 200)
simulation.set("charge", charge)

@simulation.force
def kick(frame):
    frame.force[:, 2] += frame.particle_field("charge")
    calls = frame.particle_field("calls")
    calls += 1
    return 0.0

before = simulation.gather("velocity")
simulation.run(500)
gain = simulation.gather("velocity") - before
assert numpy.abs(gain[:, 2] - charge * 500 * 0.002).max() < 1e-9
assert numpy.abs(gain[:, :2]).max() < 1e-9
calls = simulation.gather("calls")
assert 10 + 500 <= calls[0] <= 10 + 503, calls[0]
assert (calls == calls[0]).all()
assert numpy.array_equal(simulation.gather("charge"), charge)

@simulation.force
def wrong(frame):
    frame.particle_field("charge")[:1] = numpy.nan
    return 0.0

try:
    simulation.run(1)
except ValueError as error:
    assert "frame.particle_field('charge'): row 0 is not finite" in str(error), error
except sterna.RemoteError:
    assert simulation.ranks > 1
else:
    raise AssertionError("accepted")
"""
    )
    script_output(tmp_path, text, ranks)


def test_a_checkpoint_has_the_fields_for_any_number_of_ranks(tmp_path):
    make = (
        HOT
        + """
n = 864
spin = numpy.random.default_rng(3).normal(size=(n, 2))
"""
    )
    script_output(
        tmp_path,
        make
        + """
simulation = sterna.Simulation(settings, system)
simulation.add_particle_field("spin", 2)
simulation.set("spin", spin)
simulation.run(100)
simulation.save("kept.checkpoint")
""",
        3,
    )
    for ranks in (1, 2, 3, 4, 9):
        script_output(
            tmp_path,
            make
            + """
simulation = sterna.Simulation.resume("kept.checkpoint", settings, system)
assert simulation.particle_fields == {"spin": 2}
simulation.run(100)
assert numpy.array_equal(simulation.gather("spin"), spin)
try:
    simulation.add_particle_field("spin", 3)
except ValueError as error:
    assert 'the particle field "spin" of the checkpoint has 2 components, not 3' in str(error)
else:
    raise AssertionError("accepted")
simulation.add_particle_field("spin", 2, initial=9.0)
assert numpy.array_equal(simulation.gather("spin"), spin)
""",
            ranks,
        )


@pytest.mark.parametrize("ranks", [1, 3])
def test_wrong_fields_are_refused_on_every_rank(tmp_path, ranks):
    text = (
        MAKE
        + """
def refusal(call, *arguments, **keys):
    try:
        call(*arguments, **keys)
    except (ValueError, TypeError, AttributeError, sterna.SternaError) as error:
        return f"{type(error).__name__}: {error}"
    return "accepted"

add = simulation.add_particle_field
assert "cannot be the name of a particle field" in refusal(add, "my field")
assert 'particles have their own "velocity"' in refusal(add, "velocity")
assert "TypeError: add_particle_field: the name is 3" in refusal(add, 3)
assert "components is 0, expected 1 to" in refusal(add, "x", 0)
assert "components is 1001, expected 1 to 1000" in refusal(add, "x", 1001)
assert "TypeError: add_particle_field: components is 1.5" in refusal(add, "x", 1.5)
assert "initial: is not finite" in refusal(add, "x", initial=float("inf")), refusal(
    add, "x", initial=float("inf")
)
add("charge", 2)
assert 'an added field "charge" already' in refusal(add, "charge", 2)
assert 'did you mean "charge"?' in refusal(simulation.gather, "chrage")
n = simulation.particle_count
wrong = refusal(simulation.set, "charge", numpy.zeros((n, 3)))
assert f"the array has the shape ({n}, 3), expected (n, 2)" in wrong, wrong
assert "expected one for each of" in refusal(simulation.set, "charge", numpy.zeros((n - 1, 2)))
assert "only position, velocity, orientation, angular_momentum, charge" in refusal(
    simulation.set, "mass", numpy.zeros((n, 3))
)
assert "call add_particle_field(name)" in refusal(
    setattr, simulation, "particle_fields", {"a": 1}
)
if simulation.ranks > 1:
    assert "ranks add different particle fields" in refusal(add, f"x{simulation.rank}")

@simulation.every(1)
def look(frame):
    assert "did you mean 'charge'?" in refusal(frame.particle_field, "chrage")
    assert "ValueError: " in refusal(frame.particle_field, "position")
    assert "inside of a callback" in refusal(add, "y")

simulation.run(2)
"""
    )
    script_output(tmp_path, text, ranks)


def test_workers_have_the_fields(tmp_path):
    text = (
        HOT
        + """
simulation = sterna.Simulation(settings, system, ranks=2)
simulation.add_particle_field("charge")
charge = numpy.arange(864.0)
simulation.set("charge", charge)
simulation.run(200)
assert simulation.particle_fields == {"charge": 1}
assert numpy.array_equal(simulation.gather("charge"), charge)
simulation.close()
"""
    )
    script_output(tmp_path, text)
