"""Force terms in Python that see neighbors and ghosts, against the engine and differences of energy."""

import pytest
from engine_support import MELT, run_script, script_output

LENNARD_JONES = (
    MELT
    + """
still = settings.replace(
    interaction={"cutoff": 1.0}, type=[{"name": "A", "mass": 1.0, "epsilon": 0.0, "sigma": 1.0}]
)
shift = 4.0 * (2.5**-12 - 2.5**-6)


def pairs_in_python(frame):
    near = frame.neighbors
    r2 = (near.vector**2).sum(axis=1)
    s6 = r2**-3
    slope = 4.0 * (6.0 * s6 - 12.0 * s6**2) / r2
    near.add_gradient(0.5 * slope[:, None] * near.vector)
    return 0.5 * (4.0 * (s6**2 - s6) - shift).sum()
"""
)

STRUCTURE = """
import numpy
import sterna

settings = sterna.Input(
    units="metal",
    run={"timestep": 0.001},
    interaction={"cutoff": 3.0},
    communication={"tuning": False},
    type=[
        {"name": "Ni", "mass": 58.69, "epsilon": 0.0, "sigma": 2.0},
        {"name": "Al", "mass": 26.98, "epsilon": 0.0, "sigma": 2.0},
    ],
)
places = numpy.array([[0, 0, 0], [0, 0.5, 0.5], [0.5, 0, 0.5], [0.5, 0.5, 0]])
cells = numpy.array([[x, y, z] for x in range(3) for y in range(3) for z in range(3)])
edges = 3.6 * numpy.array([[3.0, 0, 0], [0.3, 3.0, 0], [0.1, 0.2, 3.0]])
position = (cells[:, None, :] + places[None, :, :]).reshape(-1, 3) / 3.0 @ edges
position += numpy.random.default_rng(3).normal(scale=0.1, size=position.shape)
kinds = numpy.arange(len(position)) % 4 == 0


def simulation_at(position, stretch=None):
    by = numpy.eye(3) if stretch is None else numpy.eye(3) + stretch
    box, moved = edges @ by, position @ by
    rank, ranks = world
    part = slice(rank * len(position) // ranks, (rank + 1) * len(position) // ranks)
    system = sterna.System.from_arrays(
        numpy.diag(box),
        moved[part],
        tilt=[box[1, 0], box[2, 0], box[2, 1]],
        type=kinds[part].astype(int),
        id=1 + numpy.arange(len(position))[part],
    )
    return sterna.Simulation(settings, system)


from sterna.live.core import core
world = core().world()
"""

# Two layers of messages: a density of each atom, and an energy that depends on the densities of its
# neighbors. The forces follow by the chain rule, backwards through the layers.
MESSAGES = (
    STRUCTURE
    + """
cutoff = 3.2
weight = numpy.array([1.0, 0.6])


def messages(frame):
    near = frame.neighbors
    i, j, r, v, n = near.i, near.j, near.distance, near.vector, near.count
    m = len(near.type)
    w = (1.0 - (r / cutoff) ** 2) ** 3
    slope = -6.0 * r / cutoff**2 * (1.0 - (r / cutoff) ** 2) ** 2
    of_j = weight[near.type[j]]
    density = numpy.bincount(i, of_j * w, m)
    message = numpy.tanh(0.3 * density)
    mine = i < n
    second = numpy.bincount(i[mine], (message[j] * w)[mine], n)
    energy = (second**2).sum() - 0.5 * density[:n].sum()

    # Backwards.
    on_second = numpy.zeros(m)
    on_second[:n] = 2.0 * second
    on_message = numpy.bincount(j[mine], (on_second[i] * w)[mine], m)
    on_density = on_message * 0.3 / numpy.cosh(0.3 * density) ** 2
    on_density[:n] -= 0.5
    on_w = on_density[i] * of_j + numpy.where(mine, on_second[i] * message[j], 0.0)
    near.add_gradient((on_w * slope / r)[:, None] * v)
    return energy
"""
)


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_pairs_in_python_are_the_pairs_of_the_engine(tmp_path, ranks):
    script_output(
        tmp_path,
        LENNARD_JONES
        + """
theirs = sterna.Simulation(settings, system)
simulation = sterna.Simulation(still, system)
simulation.force(cutoff=2.5)(pairs_in_python)
for steps in (0, 40):
    theirs.run(steps)
    simulation.run(steps)
    for name, least in (("position", 1e-9), ("force", 1e-7)):
        assert numpy.abs(theirs.gather(name) - simulation.gather(name)).max() < least
    assert numpy.abs(theirs.virial_tensor() - simulation.virial_tensor()).max() < 1e-6
    for name in ("potential_energy", "pressure", "temperature", "total_energy"):
        assert abs(theirs.thermo[name] / simulation.thermo[name] - 1.0) < 1e-9
assert abs(simulation.gather("force").sum(axis=0)).max() < 1e-9
""",
        ranks,
    )


def test_neighbors_are_all_atoms_within_the_cutoff(tmp_path):
    text = (
        STRUCTURE
        + """
cutoff = 6.0  # more than half of the box: an atom sees several images of another
simulation = simulation_at(position)
found = []

@simulation.force(cutoff=cutoff)
def look(frame):
    near = frame.neighbors
    assert near.count == frame.count and (near.id[: near.count] == frame.id).all()
    assert (near.type == kinds[near.id - 1]).all()
    assert (near.atomic_number == numpy.where(kinds[near.id - 1], 13, 28)).all()
    assert numpy.allclose(near.position[near.j] - near.position[near.i], near.vector, atol=1e-12)
    assert (near.i < near.count).all() and (numpy.diff(near.i) >= 0).all()
    assert (near.begin == numpy.searchsorted(near.i, numpy.arange(len(near.id) + 1))).all()
    assert (near.distance < cutoff).all()
    own = numpy.abs(near.position[: near.count] - frame.position)
    assert own.max() < 1e-9
    found.append(numpy.column_stack([near.id[near.i], near.id[near.j], near.vector]))
    return 0.0

simulation.measure()
images = numpy.array(
    [[x, y, z] for x in range(-3, 4) for y in range(-3, 4) for z in range(-3, 4)]
) @ edges
expected = []
for i, place in enumerate(position):
    if i + 1 not in found[-1][:, 0]:
        continue
    for j, other in enumerate(position):
        d = other - place + images
        near = (numpy.linalg.norm(d, axis=1) < cutoff) & (numpy.linalg.norm(d, axis=1) > 1e-6)
        expected += [[i + 1, j + 1, *one] for one in d[near]]
order = lambda rows: rows[numpy.lexsort(numpy.round(rows, 6).T[::-1])]
mine, theirs = order(found[-1]), order(numpy.array(expected))
assert mine.shape == theirs.shape, (mine.shape, theirs.shape)
assert numpy.allclose(mine, theirs, atol=1e-8)
assert len(simulation.gather("id")) == len(position)
"""
    )
    for ranks in (1, 2, 4):
        script_output(tmp_path, text, ranks)


@pytest.mark.parametrize("ranks", [1, 3])
def test_a_model_of_two_layers_has_the_forces_of_its_energy(tmp_path, ranks):
    script_output(
        tmp_path,
        MESSAGES
        + """
def energy_at(position, stretch=None):
    simulation = simulation_at(position, stretch)
    simulation.force(cutoff=cutoff, layers=2)(messages)
    simulation.measure()
    return simulation

simulation = energy_at(position)
force, virial = simulation.gather("force"), simulation.virial_tensor()
assert numpy.abs(force).max() > 0.1
assert abs(force.sum(axis=0)).max() < 1e-10
# The energy does not depend on the ranks: the same sum over a list of all pairs.
d = position[None, :, :] - position[:, None, :]
d = d[:, :, None, :] + numpy.array(
    [[x, y, z] for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1)]) @ edges
r = numpy.linalg.norm(d, axis=-1)
w = numpy.where((r < cutoff) & (r > 1e-9), (1.0 - (r / cutoff) ** 2) ** 3, 0.0).sum(axis=2)
density = w @ weight[kinds.astype(int)]
second = w @ numpy.tanh(0.3 * density)
whole = (second**2).sum() - 0.5 * density.sum()
assert abs(simulation.energies["messages"] - whole) < 1e-9 * abs(whole)

h = 1e-4
for atom, axis in ((0, 0), (107, 2)):
    ends = []
    for sign in (-1, 1):
        moved = position.copy()
        moved[atom, axis] += sign * h
        ends.append(energy_at(moved).energies["messages"])
    assert abs((ends[0] - ends[1]) / (2 * h) - force[atom, axis]) < 1e-6
for a, b in ((0, 0), (1, 1), (2, 2), (1, 0), (2, 0), (2, 1)):
    ends = []
    for sign in (-1, 1):
        stretch = numpy.zeros((3, 3))
        stretch[a, b] = sign * h
        ends.append(energy_at(position, stretch).energies["messages"])
    assert abs((ends[0] - ends[1]) / (2 * h) - virial[a, b]) < 1e-5 * numpy.abs(virial).max()
""",
        ranks,
    )


def test_one_layer_is_too_few_for_a_model_of_two(tmp_path):
    text = (
        MESSAGES
        + """
simulation = simulation_at(position)
simulation.force(cutoff=cutoff, layers=1)(messages)
simulation.measure()
other = simulation_at(position)
other.force(cutoff=cutoff, layers=2)(messages)
other.measure()
assert abs(simulation.energies["messages"] - other.energies["messages"]) > 0.01
"""
    )
    script_output(tmp_path, text, 2)


def test_a_barostat_has_the_virial_of_a_model(tmp_path):
    text = (
        LENNARD_JONES
        + """
thermostat = [{"kind": "langevin", "temperature": 1.0, "time_constant": 1.0}]
barostat = {"kind": "stochastic_cell_rescaling", "pressure": 1.0, "time_constant": 1.0, "bulk_modulus": 10.0}
theirs = sterna.Simulation(settings.replace(thermostat=thermostat, barostat=barostat), system)
simulation = sterna.Simulation(still.replace(thermostat=thermostat, barostat=barostat), system)
simulation.force(cutoff=2.5)(pairs_in_python)
start = simulation.box.length[0]
theirs.run(60)
simulation.run(60)
assert abs(simulation.box.length[0] - start) > 1e-4
assert numpy.abs(simulation.box.length - theirs.box.length).max() < 1e-8
"""
    )
    script_output(tmp_path, text, 2)


def test_forces_on_single_atoms_and_the_arrays_that_a_function_keeps(tmp_path):
    text = (
        LENNARD_JONES
        + """
simulation = sterna.Simulation(still, system)
kept = []

@simulation.force(cutoff=1.5)
def ones(frame):
    near = frame.neighbors
    kept.append((near.position, near.position.copy()))
    with_ghosts = numpy.zeros((len(near.id), 3))
    with_ghosts[near.i[0]] += [1.0, 2.0, 3.0]
    with_ghosts[near.j[-1]] -= [1.0, 2.0, 3.0]
    near.force = with_ghosts
    return 0.0

simulation.run(3)
force = simulation.gather("force")
assert abs(force.sum(axis=0)).max() < 1e-12 and abs(force).max() > 0.9
assert all((array == copy).all() for array, copy in kept)
assert simulation.log is not None

@simulation.force(cutoff=1.5)
def fails(frame):
    if simulation.rank == simulation.ranks - 1:
        raise RuntimeError("no such network")
    return 0.0

try:
    simulation.run(1)
except Exception as error:
    assert "no such network" in str(error), error
else:
    raise AssertionError("no error")
"""
    )
    script_output(tmp_path, text, 2)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("simulation.force(lambda frame: 0.0, cutoff=-1.0)", "cutoff is -1.0, expected a length"),
        ("simulation.force(lambda frame: 0.0, cutoff=2.0, layers=0)", "layers is 0, expected 1 to"),
        ("simulation.force(lambda frame: 0.0, layers=2)", "expected cutoff="),
        (
            "simulation.force(lambda frame: frame.neighbors.i.sum()); simulation.measure()",
            "this force term has no cutoff; expected force(cutoff=",
        ),
        (
            "simulation.force(lambda f: f.neighbors.add_gradient([[0, 0, 0]]), cutoff=2.0)\n"
            "simulation.measure()",
            "the array has 1 rows, expected one for each of",
        ),
        (
            "simulation.force(lambda f: f.neighbors.atomic_number.sum(), cutoff=2.0)\n"
            "simulation.measure()",
            "the type 'A' is no chemical symbol",
        ),
        (
            "simulation.force(lambda frame: None, cutoff=2.0); simulation.measure()",
            "must return its energy",
        ),
    ],
)
def test_mistakes_have_messages(tmp_path, call, message):
    done = run_script(
        tmp_path, LENNARD_JONES + "simulation = sterna.Simulation(still, system)\n" + call
    )
    assert done.returncode != 0
    assert message in done.stderr, done.stderr
