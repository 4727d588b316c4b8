"""A learned potential: train a small network with NumPy, then run it on all ranks.

Run it with: sterna launch -n 2 examples/python/learned_pairs.py

Each atom has 40 radial symmetry functions (Behler and Parrinello, Phys. Rev. Lett. 98, 146401
(2007)) and a network with one hidden layer, whose first weights are random and whose last ones are
fitted to forces. The teacher is the Lennard-Jones potential, so that the engine can tell the error.
"""

import numpy
import sterna

CUTOFF, HIDDEN = 2.5, 30
CENTERS = numpy.linspace(0.8, 2.5, 40)
SHARPNESS = 300.0
random = numpy.random.default_rng(1)
FIRST = random.normal(scale=0.1, size=(len(CENTERS), HIDDEN))
BIAS = random.normal(scale=0.5, size=HIDDEN)


def functions(r):
    """The symmetry functions of pairs at these distances, (pairs, 40), and their slopes."""
    end = 0.5 * (1.0 + numpy.cos(numpy.pi * r / CUTOFF))[:, None]
    end_slope = -0.5 * numpy.pi / CUTOFF * numpy.sin(numpy.pi * r / CUTOFF)[:, None]
    away = r[:, None] - CENTERS
    bell = numpy.exp(-SHARPNESS * away**2)
    return bell * end, bell * (end_slope - 2.0 * SHARPNESS * away * end)


def sums(i, values, count):
    """The sums of rows over the pairs of each atom."""
    return numpy.array([numpy.bincount(i, column, count) for column in values.T]).T


def teach(position):
    """Forces of Lennard-Jones on a cluster, and those of each hidden unit and symmetry function."""
    count = len(position)
    i, j = numpy.nonzero(numpy.linalg.norm(position[:, None] - position, axis=2) < CUTOFF)
    i, j = i[i != j], j[i != j]
    vector = position[j] - position[i]
    r = numpy.linalg.norm(vector, axis=1)
    slope = 24.0 * (r**-7 - 2.0 * r**-13)
    value, slopes = functions(r)
    of_atom = 1.0 - numpy.tanh(sums(i, value, count) @ FIRST + BIAS) ** 2
    by_unit = numpy.hstack([of_atom[i] * (slopes @ FIRST), slopes])
    unit = vector / r[:, None]
    forces = []
    for axis in range(3):
        along = by_unit * unit[:, axis, None]
        forces.append(sums(i, along, count) - sums(j, along, count))
    of_teacher = [numpy.bincount(i, slope * unit[:, axis], count) for axis in range(3)]
    return numpy.vstack(forces), numpy.hstack(of_teacher)


def train():
    """The last weights, by least squares. All ranks do the same."""
    cell = numpy.array([[0, 0, 0], [0, 0.5, 0.5], [0.5, 0, 0.5], [0.5, 0.5, 0]])
    places = numpy.array([[x, y, z] for x in range(3) for y in range(3) for z in range(3)])
    crystal = (places[:, None] + cell).reshape(-1, 3)
    lessons = []
    for edge in numpy.linspace(1.5, 1.68, 10):
        lessons.append(teach(edge * crystal + random.normal(scale=0.04, size=crystal.shape)))
    by_unit, teacher = (numpy.concatenate(parts) for parts in zip(*lessons, strict=True))
    damped = numpy.vstack([by_unit, 1e-4 * numpy.eye(by_unit.shape[1])])
    answer = numpy.append(teacher, numpy.zeros(by_unit.shape[1]))
    return numpy.linalg.lstsq(damped, answer, rcond=None)[0]


weights = train()
last, direct = weights[:HIDDEN], weights[HIDDEN:]


def network(frame):
    near = frame.neighbors
    value, slopes = functions(near.distance)
    functions_of_atoms = sums(near.i, value, near.count)
    hidden = numpy.tanh(functions_of_atoms @ FIRST + BIAS)
    by_function = ((1.0 - hidden**2) * last) @ FIRST.T + direct
    slope = (by_function[near.i] * slopes).sum(axis=1)
    near.add_gradient((slope / near.distance)[:, None] * near.vector)
    return (hidden @ last).sum() + (functions_of_atoms @ direct).sum()


settings = sterna.Input(
    units="reduced",
    run={"timestep": 0.004, "seed": 3},
    interaction={"cutoff": CUTOFF},
    type=[{"name": "A", "mass": 1.0, "epsilon": 1.0, "sigma": 1.0}],
)
system = sterna.System.lattice(cells=[6, 6, 6], density=1.0, temperature=0.2)
teacher = sterna.Simulation(settings, system)
teacher.run(100)

# The same atoms with the network alone.
without = settings.replace(type=[{"name": "A", "mass": 1.0, "epsilon": 0.0, "sigma": 1.0}])
simulation = sterna.Simulation(without, system)
simulation.force(cutoff=CUTOFF)(network)
simulation.set("position", teacher.gather("position"))
simulation.measure()
right = teacher.gather("force")
error = numpy.sqrt(((simulation.gather("force") - right) ** 2).mean() / (right**2).mean())

simulation.run(0)
first = simulation.thermo["total_energy"]
simulation.run(200)
change = (simulation.thermo["total_energy"] - first) / simulation.particle_count
if simulation.rank == 0:
    print(f"error of the forces: {100 * error:.2g} %")
    print(f"change of the energy in 200 steps: {change:.1g} per atom")
