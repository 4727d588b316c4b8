"""Stress, flow and other particles' places in space, beside what NumPy makes of the same frames."""

import subprocess

import h5py
import numpy
import pytest
from conftest import sterna_command, sterna_environment
from observer_support import read

EVERY, TIMESTEP, STEPS = 10, 0.004, 80
CUTOFF = 2.0
INPUT = f"""\
units = "reduced"
[run]
name = "soft"
timestep = {TIMESTEP}
steps = {{steps}}
seed = 3
[domain]
decomposition = "grid"
[start]
kind = "lattice"
lattice = "fcc"
cells = [5, 5, 5]
density = 0.6
temperature = 1.5
[[type]]
name = "A"
fraction = 0.7
[[type]]
name = "B"
mass = 3.0
epsilon = 0.5
fraction = 0.3
[[pair]]
first = "A"
second = "B"
potential = "morse"
depth = 1.0
alpha = 5.0
r0 = 1.1
[interaction]
cutoff = {CUTOFF}
[output]
thermo_interval = {EVERY}
equilibration = 0
trajectory_interval = {EVERY}
trajectory_fields = ["position", "velocity"]
trajectory_precision = "double"
[pressure_tensor]
interval = {EVERY}
[stress_profile]
interval = {EVERY}
{{cells}}
[flow_profile]
interval = {EVERY}
{{cells}}
[van_hove_distinct]
interval = {EVERY}
length = {EVERY * TIMESTEP * 4}
times = 2
maximum = 2.5
bins = 25
"""
SHAPES = {
    "slices": 'shape = "slices"\naxis = "z"\nbins = 7',
    "map": 'shape = "map"\naxis = "y"\nbins = 4',
    "sphere": 'shape = "sphere"\nmaximum = 3.5\nbins = 6',
    "cylinder": 'shape = "cylinder"\naxis = "x"\nmaximum = 3.5\nbins = 6',
}


def run(folder, shape, *arguments, steps=STEPS, ranks=1, stress_every=EVERY):
    folder.mkdir(exist_ok=True)
    text = INPUT.format(steps=steps, cells=SHAPES[shape])
    text = text.replace(
        f"[stress_profile]\ninterval = {EVERY}", f"[stress_profile]\ninterval = {stress_every}"
    )
    (folder / "soft.toml").write_text(text)
    done = subprocess.run(
        sterna_command("run", "soft.toml", "-n", ranks, *arguments),
        cwd=folder, env=sterna_environment(), capture_output=True, text=True, timeout=300,
        stdin=subprocess.DEVNULL, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module", params=list(SHAPES))
def case(request, tmp_path_factory):
    """A shape, its run, and positions, velocities, types and the edges of the box."""
    folder = run(tmp_path_factory.mktemp(request.param) / "one", request.param)
    with h5py.File(folder / "soft.h5md") as file:
        group = file["particles/trajectory"]
        edges = group["box/edges/value"][0]
        species = group["species"][:]
        frames = group["position/value"][1:], group["velocity/value"][1:]
        return request.param, folder, *frames, species - species.min(), edges


def force_times_distance(first, second, r):
    """By the formulas of the potentials, cut off without a shift; A-B is Morse's."""
    both = 1.0 if first == second == 0 else 0.5
    sixth = r**-6
    of_lennard_jones = 24 * both * (2 * sixth**2 - sixth)
    e = numpy.exp(-5.0 * (r - 1.1))
    of_morse = -2 * 5.0 * (e - e**2) * r
    value = of_lennard_jones if first == second else of_morse
    return numpy.where(r < CUTOFF, value, 0.0)


def cells_of(shape, position, edges):
    """The number of each place's cell, -1 for none, and unit vectors of three directions there."""
    away = position - edges / 2
    away = away - edges * numpy.round(away / edges)
    x = numpy.zeros((*away.shape[:-1], 3, 3)) + numpy.eye(3)
    if shape == "slices":
        return numpy.floor((away[..., 2] / edges[2] + 0.5) * 7).astype(int), x
    if shape == "map":
        cell = numpy.floor((away[..., [0, 2]] / edges[[0, 2]] + 0.5) * 4).astype(int)
        return cell[..., 0] * 4 + cell[..., 1], x
    across = away.copy()
    if shape == "cylinder":
        across[..., 0] = 0.0
    distance = numpy.linalg.norm(across, axis=-1, keepdims=True)
    outwards = across / distance
    axis = numpy.array([1.0, 0.0, 0.0])
    around = numpy.cross(numpy.broadcast_to(axis, outwards.shape), outwards)
    x = numpy.stack([outwards, around, numpy.broadcast_to(axis, outwards.shape)], axis=-2)
    cell = numpy.floor(distance[..., 0] / (3.5 / 6)).astype(int)
    return numpy.where(cell < 6, cell, -1), x


def squares_along(shape, directions, vector):
    """Squares of components; around a sphere half of what is not radial."""
    squares = (directions @ vector[..., None])[..., 0] ** 2
    if shape == "sphere":
        squares[..., 1] = 0.5 * ((vector**2).sum(-1) - squares[..., 0])
    return squares


def volumes_of(shape, edges):
    radii = numpy.linspace(0, 3.5, 7)
    return {
        "slices": numpy.full(7, edges.prod() / 7),
        "map": numpy.full(16, edges.prod() / 16),
        "sphere": 4 / 3 * numpy.pi * numpy.diff(radii**3),
        "cylinder": numpy.pi * numpy.diff(radii**2) * edges[0],
    }[shape]


def test_the_stress_of_pairs_lies_along_their_lines(case):
    """Beside sums over 1000 points on the line of each pair."""
    shape, folder, position, velocity, species, edges = case
    table = read(folder, "stress_profile")
    count = len(volumes_of(shape, edges))
    virial, kinetic = numpy.zeros((count, 3)), numpy.zeros((count, 3))
    masses = numpy.where(species == 0, 1.0, 3.0)
    points = (numpy.arange(1000) + 0.5) / 1000
    particles = len(species)
    factor = 3 * particles / (3 * particles - 3)
    for places, velocities in zip(position, velocity, strict=True):
        cell, directions = cells_of(shape, places, edges)
        squares = squares_along(shape, directions, velocities)
        inside = cell >= 0
        numpy.add.at(kinetic, cell[inside], (factor * masses[:, None] * squares)[inside])
    volume = volumes_of(shape, edges)[:, None]
    names = {"sphere": ("radial", "tangential"), "cylinder": ("radial", "angular", "axial")}
    for k, name in enumerate(names.get(shape, "xyz")):
        expected = kinetic[:, k] / len(position) / volume[:, 0]
        numpy.testing.assert_allclose(table[f"kinetic_{name}"], expected, rtol=1e-6)
        both = table[f"kinetic_{name}"] + table[f"virial_{name}"]
        numpy.testing.assert_allclose(table[f"pressure_{name}"], both, rtol=1e-6, atol=1e-6)
    # Of pairs the last frame alone is enough.
    table = read(run(folder.parent / "last", shape, stress_every=STEPS), "stress_profile")
    apart = position[-1][:, None] - position[-1][None]
    apart -= edges * numpy.round(apart / edges)
    r = numpy.linalg.norm(apart, axis=-1)
    for i, j in zip(*numpy.nonzero(numpy.triu(r < CUTOFF, 1)), strict=True):
        strength = force_times_distance(species[i], species[j], r[i, j])
        line = position[-1][i] - points[:, None] * apart[i, j]
        cell, directions = cells_of(shape, line, edges)
        squares = squares_along(shape, directions, apart[i, j] / r[i, j])
        inside = cell >= 0
        numpy.add.at(virial, cell[inside], (strength / len(points) * squares)[inside])
    expected = virial / volume
    largest = numpy.abs(expected).max()
    for k, name in enumerate(names.get(shape, "xyz")):
        numpy.testing.assert_allclose(
            table[f"virial_{name}"], expected[:, k], atol=2e-3 * largest, err_msg=name
        )


def test_cells_that_fill_the_box_have_the_pressure_of_all(case):
    shape, folder, *_ = case
    if shape in ("sphere", "cylinder"):
        pytest.skip("shells do not fill the box")
    table = read(folder, "stress_profile")
    lines = (folder / "soft.pressure_tensor.txt").read_text().splitlines()
    whole = {line.split()[0]: float(line.split()[1]) for line in lines if line[0] == "p"}
    for name in "xyz":
        expected = whole[f"pressure_{name}{name}"]
        assert table[f"pressure_{name}"].mean() == pytest.approx(expected, rel=1e-5)


def test_flow_is_what_particles_carry(case):
    shape, folder, position, velocity, species, edges = case
    table = read(folder, "flow_profile")
    count = len(volumes_of(shape, edges))
    cell, directions = cells_of(shape, position, edges)
    along = (directions @ velocity[..., None])[..., 0]
    inside = cell >= 0
    names = {"sphere": ("radial",), "cylinder": ("radial", "angular", "axial")}.get(shape, "xyz")
    frames = len(position)
    masses = numpy.broadcast_to(numpy.where(species == 0, 1.0, 3.0), cell.shape)
    mass = numpy.bincount(cell[inside], masses[inside], count)
    number = numpy.bincount(cell[inside], minlength=count)
    heat = numpy.bincount(cell[inside], (masses * (velocity**2).sum(-1))[inside], count)
    for k, name in enumerate(names):
        for kind, type_name in enumerate("AB"):
            of_type = inside & (species == kind)
            sums = numpy.bincount(cell[of_type], along[of_type][:, k], count)
            expected = sums / frames / volumes_of(shape, edges)
            numpy.testing.assert_allclose(
                table[f"flux_{type_name}_{name}"], expected, rtol=1e-5, atol=1e-7
            )
        momentum = numpy.bincount(cell[inside], (masses * along[..., k])[inside], count)
        numpy.testing.assert_allclose(
            table[f"velocity_{name}"], momentum / numpy.maximum(mass, 1e-9), rtol=1e-5, atol=1e-7
        )
        heat = heat - momentum**2 / numpy.maximum(mass, 1e-9)
    numpy.testing.assert_allclose(
        table["temperature"], heat / 3 / numpy.maximum(number, 1), rtol=1e-5
    )


def test_the_distinct_part_of_van_hove(case):
    shape, folder, position, _, species, edges = case
    if shape != "slices":
        pytest.skip("the same in all of these runs")
    table = read(folder, "van_hove_distinct")
    shells = 4 / 3 * numpy.pi * numpy.diff(numpy.linspace(0, 2.5, 26) ** 3)
    for lag in (0, 2, 4):
        after = f"{lag * EVERY * TIMESTEP:.6g}"
        for a, b in ((0, 0), (0, 1), (1, 1)):
            counts, pairs = numpy.zeros(25), 0
            for one, other in {(a, b), (b, a)}:
                for k in range(len(position) - lag):
                    apart = position[k + lag][:, None] - position[k][None]
                    apart -= edges * numpy.round(apart / edges)
                    r = numpy.linalg.norm(apart, axis=-1)
                    wanted = numpy.outer(species == one, species == other)
                    numpy.fill_diagonal(wanted, False)
                    counts += numpy.histogram(r[wanted], 25, (0, 2.5))[0]
                    pairs += wanted.sum()
            expected = counts / (pairs * shells / edges.prod())
            found = table[f"{'AB'[a]}-{'AB'[b]}({after})"]
            assert numpy.abs(found - expected).max() < 2e-3 * expected.max()


def tables(folder):
    names = ("stress_profile", "flow_profile", "van_hove_distinct")
    return {name: (folder / f"soft.{name}.txt").read_text() for name in names}


@pytest.mark.parametrize("shape", ["slices", "sphere"])
def test_more_ranks_and_an_interruption_change_nothing(shape, tmp_path):
    whole = run(tmp_path / "whole", shape)
    cut = run(tmp_path / "cut", shape, steps=STEPS // 2)
    run(tmp_path / "cut", shape, "--resume")
    assert tables(cut) == tables(whole)
    for ranks in (2, 3, 4):
        other = run(tmp_path / f"{ranks}", shape, ranks=ranks)
        for name in ("stress_profile", "flow_profile", "van_hove_distinct"):
            found, expected = read(other, name), read(whole, name)
            for column, values in expected.items():
                largest = numpy.abs(values).max()
                # Paths part slowly with the order of sums, and a pair may change its bin.
                numpy.testing.assert_allclose(
                    found[column], values, atol=2e-3 * largest, err_msg=f"{name} {column} {ranks}"
                )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[stress_profile]\ninterval = 5\nshape = 'sphere'\n", '"maximum"'),
        ("[stress_profile]\ninterval = 5\nshape = 'sphere'\nmaximum = 30.0\n", "half of the box"),
        ("[stress_profile]\ninterval = 5\nshape = 'slabs'\n", "slices"),
        ("[flow_profile]\ninterval = 5\ngroups = ['C']\n", "C"),
        ("[flow_profile]\ninterval = 5\nmaximum = 2.0\n", '"maximum"'),
        ("[van_hove_distinct]\ninterval = 5\nlength = 0.013\nmaximum = 1.0\n", "no multiples"),
        ("[van_hove_distinct]\ninterval = 5\nlength = 0.08\nmaximum = 9.0\n", "half of the box"),
        ("[stress_profile]\ninterval = 5\n[electrostatics]\nkind = 'fmm'\n", "charges"),
    ],
)
def test_what_these_sections_refuse(text, said, tmp_path):
    head = INPUT[: INPUT.index("[pressure_tensor]")].format(steps=10)
    (tmp_path / "soft.toml").write_text(head + text)
    done = subprocess.run(
        sterna_command("check", "soft.toml"), cwd=tmp_path, env=sterna_environment(),
        capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.returncode != 0
    assert said in done.stdout + done.stderr
