"""Arguments that cannot be: which one, in which row, and what was expected."""

import sys

import numpy
import pytest
from conftest import ROOT
from engine_support import MELT, script_output
from sterna import System
from sterna.live.box import Box
from sterna.support.arrays import finite, whole_numbers

sys.path.insert(0, str(ROOT / "tests" / "campaign"))
import python_api


def arrays(**others: object) -> dict[str, object]:
    """Three particles."""
    return {
        "box": [10.0] * 3,
        "position": numpy.arange(9.0).reshape(3, 3),
        "velocity": numpy.zeros((3, 3)),
        "orientation": [[1.0, 0, 0, 0]] * 3,
        "type": [0, 0, 0],
        "id": [1, 2, 3],
    } | others


def with_value(name: str, value: object, row: int = 1) -> dict[str, object]:
    array = numpy.array(arrays()[name], object if isinstance(value, complex) else float)
    array[row] = value
    return {name: array.tolist() if isinstance(value, complex) else array}


@pytest.mark.parametrize("name", ["position", "velocity", "orientation", "type", "id"])
@pytest.mark.parametrize("value", [numpy.nan, numpy.inf, -numpy.inf])
def test_numbers_that_are_not_finite_name_argument_and_row(name, value):
    with pytest.raises(ValueError, match=f"{name}: row 1 is"):
        System.from_arrays(**arrays(**with_value(name, value)))


@pytest.mark.parametrize(
    ("given", "kind", "message"),
    [
        ({"id": [1, 5.5, 3]}, ValueError, "id: row 1 is 5.5, expected whole numbers from 1 to"),
        ({"id": [1, -2, 3]}, ValueError, "id: row 1 is -2, expected whole numbers from 1"),
        ({"id": [1, 0, 3]}, ValueError, "id: row 1 is 0"),
        ({"id": [1, 2**48, 3]}, ValueError, "id: row 1 is 281474976710656"),
        ({"id": [1, 2**70, 3]}, TypeError, "id: expected whole numbers, not an array of object"),
        ({"id": [True, True, False]}, TypeError, "id: expected whole numbers, not an array of bool"),
        ({"id": ["1", "2", "3"]}, TypeError, "id: expected whole numbers, not an array of <U1"),
        ({"id": [7, 2, 7]}, ValueError, "id: rows 0 and 2 both have 7"),
        ({"id": [[1, 2, 3]]}, ValueError, r"id has the shape \(1, 3\), expected one axis"),
        ({"type": [0, 1.5, 0]}, ValueError, "type: row 1 is 1.5"),
        ({"type": [0, -1, 0]}, ValueError, "type: row 1 is -1, expected whole numbers from 0"),
        ({"type": [0, 2**32, 0]}, ValueError, "type: row 1 is 4294967296"),
        ({"position": [[1, 2j, 0]] * 3}, TypeError, "position: expected numbers, not an array of c"),
        ({"position": [[1, 2, 0], [1]]}, ValueError, "position: this is no array of numbers"),
        ({"position": [["a", "b", "c"]] * 3}, TypeError, "position: expected numbers"),
        ({"position": numpy.ones((3, 3), bool)}, TypeError, "not an array of bool"),
        ({"velocity": numpy.ma.masked_equal(numpy.ones((3, 3)), 1)}, ValueError, "masked values"),
        ({"box": [1, 2, numpy.nan]}, ValueError, "box: row 2 is not finite"),
        ({"box": [1, 2, -3]}, ValueError, "expected edges above 0"),
        ({"tilt": [0, numpy.inf, 0]}, ValueError, "tilt: row 1 is not finite"),
        ({"tilt": [0, 0]}, ValueError, r"tilt has the shape \(2,\)"),
        ({"orientation": [[1, 0, 0, 0], [0] * 4, [1, 0, 0, 0]]}, ValueError,
         "orientation: row 1 is no quaternion"),
    ],
)  # fmt: skip
def test_arrays_of_particles_that_cannot_be_are_refused(given, kind, message):
    with pytest.raises(kind, match=message):
        System.from_arrays(**arrays(**given))


def test_whole_numbers_may_come_as_floats_and_empty_arrays_as_lists():
    assert whole_numbers("id", [1.0, 2.0], 1, 9).tolist() == [1, 2]
    assert whole_numbers("id", [], 1, 9).shape == finite("position", []).shape == (0,)
    assert whole_numbers("id", numpy.array([3], "u1"), 1, 9).dtype == numpy.int64


def test_what_only_tells_cannot_be_set(tmp_path):
    text = (
        MELT
        + """
def refused(call, *parts):
    try:
        call()
    except (AttributeError, ValueError) as error:
        assert all(part in str(error) for part in parts), error
        return
    raise AssertionError(parts)

simulation = sterna.Simulation(settings, system)
refused(lambda: setattr(simulation, "position", 1), "cannot be set", 'set("position", values)')
refused(lambda: setattr(simulation, "positions", 1), "set")
refused(lambda: setattr(simulation, "box", 1), "call set_box")
refused(lambda: setattr(simulation, "stepp", 1), "did you mean 'step'?")
refused(lambda: setattr(simulation, "force", 1), "@simulation.force")
refused(lambda: setattr(simulation, "interaction", 1), "simulation.interaction.KEY")
refused(lambda: setattr(system, "density", 1), "a System does not change")
refused(lambda: setattr(settings, "run", {"timestep": 0.1}), "replace(SECTION={KEY: value})")
refused(lambda: setattr(settings, "steps", 5), "an Input does not change")
refused(lambda: simulation.box.length.__setitem__(0, 5.0), "read-only")
simulation.interaction.cutoff = 2.4

class Mine(sterna.Simulation):
    pass

mine = Mine(settings, system)
mine.notes = "of the user"
refused(lambda: setattr(mine, "box", 1), "call set_box")

looked = []

@simulation.every(5)
def look(frame):
    for name in ("force", "forces", "position", "velocity", "step", "anything"):
        refused(lambda: setattr(frame, name, frame.velocity), "does not change it")
    for name in ("force", "position", "velocity"):
        refused(lambda: getattr(frame, name).__setitem__(0, 1.0), "read-only")
    looked.append(frame.step)

@simulation.force
def term(frame):
    refused(lambda: setattr(frame, "forces", 1), "did you mean 'force'?")
    refused(lambda: setattr(frame, "position", 1), "adds to frame.force")
    frame.force = numpy.full((frame.count, 3), [0.5, 0.0, 0.0])
    return 0.0

before = sterna.Simulation(settings.replace(interaction={"cutoff": 2.4}), system)
before.measure()
simulation.measure()
pushed = simulation.gather("force") - before.gather("force")
assert numpy.allclose(pushed, [0.5, 0.0, 0.0], atol=1e-9), pushed
simulation.run(5)
assert 5 in looked

@simulation.force
def broken(frame):
    frame.force[3, 1] = numpy.nan
    return 0.0
refused(lambda: simulation.run(1), "frame.force: row 3 is not finite")
"""
    )
    script_output(tmp_path, text)


def test_steps_and_arrays_of_a_simulation_that_cannot_be_are_refused(tmp_path):
    text = (
        MELT
        + """
def refused(kind, call, part):
    try:
        call()
    except kind as error:
        assert part in str(error), error
        return
    raise AssertionError(part)

simulation = sterna.Simulation(settings, system)
for steps in (2.5, True, None, [3]):
    refused((TypeError, ValueError), lambda: simulation.run(steps), "run: ")
for steps in (-1, 10**30, 2**63):
    refused(ValueError, lambda: simulation.run(steps), "run: steps is")
refused(TypeError, lambda: simulation.run(5, until=bool, every=2.5), "run: every is 2.5")
refused(TypeError, lambda: simulation.every(at=[1.5]), "every: at is [1.5]")
refused(ValueError, lambda: simulation.every(at=[-3]), "from 0 on")
velocity = simulation.gather("velocity")
velocity[7, 2] = numpy.nan
refused(ValueError, lambda: simulation.set("velocity", velocity), "row 7 is not finite")
refused(TypeError, lambda: simulation.set("velocity", velocity * 1j), "expected numbers")
far = simulation.gather("position")
far[3] = 1e300
refused(ValueError, lambda: simulation.set("position", far), "row 3")
refused(ValueError, lambda: simulation.set_box([1.0, numpy.nan, 2.0]), "set_box: length: row 1")
far = simulation.gather("position")
far[5] = -1e300
refused(sterna.SternaError, lambda: sterna.Simulation(
    settings, sterna.System.from_arrays(simulation.box.length, far)), "row 5 of position")
simulation.run(2)
"""
    )
    script_output(tmp_path, text)


def test_ids_of_several_ranks_are_distinct(tmp_path):
    text = (
        MELT
        + """
position = numpy.random.default_rng(1).uniform(0, 30, (10, 3))
share = sterna.System.from_arrays([30.0] * 3, position, id=numpy.arange(1, 11))
try:
    sterna.Simulation(settings, share)
except sterna.SternaError as error:
    assert "two ranks have the same id" in str(error), error
else:
    raise AssertionError("each rank has given the same particles")
"""
    )
    script_output(tmp_path, text, 2)


def test_the_box_is_read_only():
    box = Box(numpy.ones(3), numpy.zeros(3))
    with pytest.raises(ValueError, match="read-only"):
        box.length[0] = 2.0


def test_random_arguments_are_refused_or_work():
    assert python_api.main(["--trials", "60", "--seed", "5"]) == 0
