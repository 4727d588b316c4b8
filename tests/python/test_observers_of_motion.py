"""Observers beside what NumPy makes of the same trajectory, on one rank and on more."""

import json
import subprocess

import h5py
import numpy
import pytest
import sterna
from conftest import sterna_command, sterna_environment
from observer_support import CHAINS, EDGE, INTERVAL, group_sections, observer, read
from observer_support import run as run_soft

STEPS, EVERY, TIMESTEP = 240, 4, 0.004
LAGS = 11
FLUID = f"""\
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
cells = [6, 6, 6]
density = 0.6
temperature = 1.5
[[type]]
name = "A"
fraction = 0.7
[[type]]
name = "B"
mass = 3.0
fraction = 0.3
[interaction]
cutoff = 2.2
[output]
thermo_interval = {EVERY}
equilibration = 0
trajectory_interval = {EVERY}
trajectory_fields = ["position", "image", "velocity"]
trajectory_precision = "double"
[velocity_autocorrelation]
interval = {EVERY}
length = {EVERY * TIMESTEP * (LAGS - 1)}
[vibrational_spectrum]
interval = {EVERY}
length = {EVERY * TIMESTEP * (LAGS - 1)}
[van_hove]
interval = {EVERY}
length = {EVERY * TIMESTEP * 8}
times = 2
maximum = 1.5
bins = 20
[fluctuations]
interval = {EVERY}
[radial_profile]
interval = {EVERY}
maximum = 4.0
bins = 8
center = "box"
[profile_2d]
interval = {EVERY}
bins = 4
along = "y"
"""


def run(folder, text, *arguments, ranks=1):
    folder.mkdir(exist_ok=True)
    (folder / "soft.toml").write_text(text)
    done = subprocess.run(
        sterna_command("run", "soft.toml", "-n", ranks, *arguments),
        cwd=folder, env=sterna_environment(), capture_output=True, text=True, timeout=300,
        stdin=subprocess.DEVNULL, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def averages_of(folder):
    for line in reversed((folder / "soft.log.jsonl").read_text().splitlines()):
        event = json.loads(line)
        if event["event"] == "end":
            return event["timing"]["averages"]
    raise AssertionError("the log has no end")


@pytest.fixture(scope="module")
def fluid(tmp_path_factory):
    return run(tmp_path_factory.mktemp("fluid") / "one", FLUID.format(steps=STEPS))


@pytest.fixture(scope="module")
def paths(fluid):
    """Positions without jumps, velocities (frames, particles, 3), types and the box.

    With `equilibration = 0` samples begin after step 0.
    """
    with h5py.File(fluid / "soft.h5md") as file:
        group = file["particles/trajectory"]
        edges = group["box/edges/value"][0]
        position = group["position/value"][:] + group["image/value"][:] * edges
        species = group["species"][:]
        return position[1:], group["velocity/value"][1:], species - species.min(), edges


def autocorrelation(velocity):
    frames = len(velocity)
    return numpy.array(
        [(velocity[lag:] * velocity[: frames - lag]).sum(-1).mean() for lag in range(LAGS)]
    )


def test_velocity_autocorrelation_and_its_integral(fluid, paths):
    _, velocity, species, _ = paths
    table = read(fluid, "velocity_autocorrelation")
    averages = averages_of(fluid)
    for k, name in enumerate("AB"):
        expected = autocorrelation(velocity[:, species == k])
        numpy.testing.assert_allclose(table[name], expected, rtol=2e-5, atol=1e-6)
        diffusion = numpy.trapezoid(expected, dx=EVERY * TIMESTEP) / 3
        found = averages[f"green_kubo_diffusion_{name}"]
        assert found["mean"] == pytest.approx(diffusion, rel=1e-4)
        assert 0 < found["standard_error"] < 0.5 * found["mean"]


def test_units_of_products_of_velocities(tmp_path):
    """A square of a velocity, and a velocity in a volume: nm/ps^2 would be an acceleration."""
    text = """\
units = "nano"
[run]
name = "soft"
steps = 4
timestep = "2 fs"
[start]
kind = "lattice"
particles = 108
density = "1.3 g/cm^3"
temperature = "90 K"
[[type]]
name = "Ar"
mass = "39.948 u"
epsilon = "119.8 K"
sigma = "3.405 angstrom"
[interaction]
cutoff = "0.7 nm"
[velocity_autocorrelation]
interval = 2
length = "4 fs"
[flow_profile]
interval = 2
"""
    folder = run(tmp_path / "argon", text)
    observers = sterna.open(folder / "soft.log.jsonl").observers
    assert observers["velocity_autocorrelation"].units["Ar"] == "(nm/ps)^2"
    assert observers["flow_profile"].units["flux_Ar_x"] == "nm/ps/nm^3"


def test_the_spectrum_is_the_transform_of_the_autocorrelation(fluid, paths):
    _, velocity, species, _ = paths
    table = read(fluid, "vibrational_spectrum")
    time = numpy.arange(LAGS) * EVERY * TIMESTEP
    window = 0.5 * (1 + numpy.cos(numpy.pi * numpy.arange(LAGS) / LAGS))
    for k, name in enumerate("AB"):
        correlation = autocorrelation(velocity[:, species == k])
        weights = numpy.where(numpy.arange(LAGS) == 0, 0.5, 1.0) * window
        waves = numpy.cos(2 * numpy.pi * numpy.outer(table["frequency"], time))
        expected = 4 * EVERY * TIMESTEP * waves @ (weights * correlation / correlation[0])
        numpy.testing.assert_allclose(table[name], expected, rtol=1e-4, atol=1e-6)
        assert numpy.trapezoid(table[name], table["frequency"]) == pytest.approx(1.0, abs=2e-2)


def test_van_hove_is_the_histogram_of_displacements(fluid, paths):
    position, _, species, _ = paths
    table = read(fluid, "van_hove")
    names = list(table)
    for k in range(2):
        of_type = position[:, species == k]
        for time, lag in enumerate((4, 8)):
            moved = numpy.linalg.norm(of_type[lag:] - of_type[:-lag], axis=-1).ravel()
            expected = numpy.histogram(moved, 20, (0, 1.5))[0] / len(moved) / (1.5 / 20)
            found = table[names[1 + 2 * time + k]]
            assert numpy.abs(found - expected).max() < 1e-3 * expected.max()


def test_profiles_in_shells_and_in_a_plane(fluid, paths):
    position, velocity, species, edges = paths
    inside = position % edges
    frames = len(position)
    masses = numpy.where(species == 0, 1.0, 3.0)
    heat = masses * (velocity**2).sum(-1) / 3
    table = read(fluid, "radial_profile")
    away = inside - edges / 2
    distance = numpy.linalg.norm(away - edges * numpy.round(away / edges), axis=-1)
    shells = 4 / 3 * numpy.pi * numpy.diff(numpy.linspace(0, 4, 9) ** 3)
    for k, name in enumerate("AB"):
        counts = numpy.histogram(distance[:, species == k], 8, (0, 4))[0]
        numpy.testing.assert_allclose(table[f"density_{name}"], counts / frames / shells, rtol=1e-6)
    counts, _ = numpy.histogram(distance, 8, (0, 4))
    hot, _ = numpy.histogram(distance, 8, (0, 4), weights=heat)
    numpy.testing.assert_allclose(table["temperature"], hot / numpy.maximum(counts, 1), rtol=1e-5)
    table = read(fluid, "profile_2d")
    x, z = inside[..., 0].ravel(), inside[..., 2].ravel()
    bounds = [(0, edges[0]), (0, edges[2])]
    of_a = numpy.broadcast_to(species == 0, inside.shape[:2]).ravel()
    counts = numpy.histogram2d(x[of_a], z[of_a], 4, bounds)[0].ravel()
    expected = counts / frames / (edges.prod() / 16)
    numpy.testing.assert_allclose(table["density_A"], expected, rtol=1e-6)
    numpy.testing.assert_allclose(
        table["x"][::4], (numpy.arange(4) + 0.5) / 4 * edges[0], rtol=1e-6
    )
    numpy.testing.assert_allclose(table["z"][:4], (numpy.arange(4) + 0.5) / 4 * edges[2], rtol=1e-6)


def test_heat_capacity_at_constant_energy(tmp_path):
    """By the formula of Lebowitz, Percus and Verlet, where the lattice of the start has melted."""
    text = (
        FLUID[: FLUID.index("[velocity_autocorrelation]")] + FLUID[FLUID.index("[fluctuations]") :]
    )
    text = text.replace("equilibration = 0", "equilibration = 800")
    folder = run(tmp_path / "melt", text.format(steps=2400))
    log = sterna.read_log(folder / "soft.log.jsonl")
    first = sterna.open(folder / "soft.log.jsonl").averages.first_step
    rows = [row for row in log.rows if row["step"] >= first]
    kinetic = numpy.array([row["kinetic_energy"] for row in rows])
    temperature = numpy.mean([row["temperature"] for row in rows])
    freedom = 2 * kinetic.mean() / temperature
    rest = 1 - 2 * kinetic.var() / (freedom * temperature**2)
    found = averages_of(folder)["heat_capacity_v"]
    # Observers leave out whole batches.
    assert found["mean"] == pytest.approx(freedom / 2 / rest / 864, rel=0.02)
    assert 0 < found["standard_error"] < found["mean"]


@pytest.mark.parametrize("ranks", [2, 4])
def test_other_ranks_give_the_same(fluid, ranks, tmp_path):
    other = run(tmp_path / "more", FLUID.format(steps=STEPS), ranks=ranks)
    for path in fluid.glob("soft.*.txt"):
        if ".fluctuations." in path.name:
            continue  # The lattice of the start melts.
        found = numpy.loadtxt(other / path.name, ndmin=2)
        expected = numpy.loadtxt(path, ndmin=2)
        scale = numpy.abs(expected).max(axis=0)
        assert (numpy.abs(found - expected).max(axis=0) <= 3e-3 * scale).all(), path.name


HARD = """\
units = "reduced"
[run]
name = "soft"
timestep = 0.02
steps = {steps}
seed = 11
[start]
kind = "lattice"
lattice = "sc"
cells = [8, 8, 8]
density = 0.1
temperature = 2.0
[[type]]
name = "A"
epsilon = 0.0
[interaction]
cutoff = 1.0
[thermostat]
kind = "langevin"
temperature = 2.0
time_constant = 0.5
[output]
thermo_interval = 10
[fluctuations]
interval = 10
"""
BAROSTAT = """\
[barostat]
kind = "stochastic_cell_rescaling"
pressure = 0.2
time_constant = 1.0
bulk_modulus = 0.2
interval = 5
"""


def test_an_ideal_gas_has_the_properties_of_one(tmp_path):
    """C_V = 3/2 k, C_p = 5/2 k, compressibility 1/p, expansion 1/T; all within their errors."""
    folder = run(tmp_path / "gas", HARD.format(steps=30000) + BAROSTAT)
    expected = {
        "heat_capacity_p": 2.5,
        "heat_capacity_v": 1.5,
        "compressibility": 1 / 0.2,
        "thermal_expansion": 1 / 2.0,
    }
    found = averages_of(folder)
    for name, value in expected.items():
        error = found[name]["standard_error"]
        assert abs(found[name]["mean"] - value) < 4 * error + 1e-3 * value, (name, found[name])
        assert error < 0.2 * value, (name, found[name])


SPRINGS = """\
units = "reduced"
[run]
name = "soft"
timestep = 0.005
steps = 20000
seed = 5
[start]
kind = "file"
file = "pairs.extxyz"
temperature = 1.0
[[type]]
name = "A"
epsilon = 0.0
[[molecule]]
name = "pair"
count = 125
atom = [{ name = "A1", type = "A" }, { name = "A2", type = "A" }]
[[molecule.bond]]
potential = "harmonic"
stiffness = 400
r0 = 1.0
atoms = [1, 2]
[interaction]
cutoff = 1.0
[thermostat]
kind = "langevin"
temperature = 1.0
time_constant = 0.5
[output]
thermo_interval = 10
[fluctuations]
interval = 10
"""


def test_a_vibration_counts_with_k(tmp_path):
    """Six kinetic degrees of freedom and the potential of a bond: 7/2 k for each molecule."""
    folder = tmp_path / "pairs"
    folder.mkdir()
    lines = ["250", 'Lattice="15 0 0 0 15 0 0 0 15" Properties=species:S:1:pos:R:3']
    for n in range(125):
        x, y, z = 3 * (n % 5) + 0.5, 3 * (n // 5 % 5), 3 * (n // 25)
        lines += [f"A {x} {y} {z}", f"A {x + 1} {y} {z}"]
    (folder / "pairs.extxyz").write_text("\n".join(lines) + "\n")
    found = averages_of(run(folder, SPRINGS))["heat_capacity_v"]
    assert abs(found["mean"] - 3.5) < 4 * found["standard_error"] + 0.01
    assert found["standard_error"] < 0.1


WRONG = {
    "a minimization has none": ("timestep = 0.02\n", 'integrator = "minimize"\n'),
    "samples none": ('kind = "langevin"\n', 'kind = "velocity_scaling"\n'),
    'moves it': ("temperature = 2.0\ntime_constant", "temperature = 2.0\nend_temperature = 3.0\ntime_constant"),
    "in some steps only": ("time_constant = 0.5", "time_constant = 0.5\nstop_step = 5"),
}  # fmt: skip


@pytest.mark.parametrize("message", WRONG)
def test_fluctuations_need_an_ensemble(message, sterna, tmp_path):
    old, new = WRONG[message]
    assert old in HARD
    (tmp_path / "x.toml").write_text(HARD.format(steps=10).replace(old, new))
    done = sterna("check", "x.toml")
    assert done.returncode == 2
    assert message in done.stdout + done.stderr
    assert "[fluctuations]" in done.stdout + done.stderr


SOFT = "".join(
    [
        group_sections({"chains": "resname pentane", "first": "resid 1", "oxygen": "name O"}),
        observer("rmsf", group="first"),
        observer("coordination", of="chains", **{"with": "oxygen"}, distance=4.5),
    ]
)


@pytest.fixture(scope="module")
def soft(tmp_path_factory):
    return run_soft(tmp_path_factory.mktemp("soft") / "one", more="equilibration = 0\n" + SOFT)


def soft_positions(folder):
    with h5py.File(folder / "soft.h5md") as file:
        group = file["particles/trajectory"]
        # From nm; samples begin after step 0.
        return 10.0 * group["position/value"][1:] + group["image/value"][1:] * EDGE


def turned_onto(points, reference):
    """By Kabsch's method."""
    u, _, v = numpy.linalg.svd(points.T @ reference)
    sign = numpy.sign(numpy.linalg.det(u @ v))
    return points @ (u * [1, 1, sign]) @ v


def test_rmsf_is_that_after_a_fit(soft):
    paths = soft_positions(soft)[:, :5]
    for k in range(1, 5):  # whole from the first atom on
        step = paths[:, k] - paths[:, k - 1]
        paths[:, k] = paths[:, k - 1] + step - EDGE * numpy.round(step / EDGE)
    paths = paths - paths.mean(axis=1, keepdims=True)
    fitted = numpy.array([turned_onto(frame, paths[0]) for frame in paths])
    expected = numpy.sqrt(((fitted - fitted.mean(axis=0)) ** 2).sum(-1).mean(axis=0))
    table = read(soft, "rmsf")
    assert list(table["atom"]) == [1, 2, 3, 4, 5]
    numpy.testing.assert_allclose(table["rmsf"], expected, rtol=1e-3)
    found = averages_of(soft)["rmsf_first"]
    assert found["mean"] == pytest.approx(numpy.sqrt((expected**2).mean()), rel=1e-3)


def test_coordination_counts_the_neighbors(soft):
    table = read(soft, "coordination")
    for row, frame in enumerate(soft_positions(soft)):
        chains, oxygen = frame[: 5 * CHAINS], frame[5 * CHAINS :: 3]
        apart = chains[:, None] - oxygen[None]
        distance = numpy.linalg.norm(apart - EDGE * numpy.round(apart / EDGE), axis=-1)
        counts = (distance <= 4.5).sum(axis=1)
        assert table["contacts"][row] == pytest.approx(counts.sum(), abs=1)
        assert table["coordination_number"][row] == pytest.approx(counts.mean(), abs=0.05)
        assert table["part_in_contact"][row] == pytest.approx((counts > 0).mean(), abs=0.04)


def test_a_resumed_run_has_the_same(soft, tmp_path):
    more = "equilibration = 0\n" + SOFT
    folder = tmp_path / "parts"
    run_soft(folder, more=more + "", steps=3 * INTERVAL)
    run_soft(folder, "--resume", more=more, ranks=2)
    for kind in ("rmsf", "coordination"):
        for column, values in read(soft, kind).items():
            if column != "error":
                numpy.testing.assert_allclose(read(folder, kind)[column], values, rtol=1e-3, atol=2)


SLAB = """\
units = "reduced"
[run]
name = "soft"
timestep = 0.005
steps = {steps}
seed = 2
[start]
kind = "file"
file = "slab.extxyz"
temperature = 0.75
[[type]]
name = "A"
[interaction]
cutoff = 2.5
[thermostat]
kind = "langevin"
temperature = 0.75
time_constant = 1.0
[output]
thermo_interval = 20
[liquid_vapor]
interval = 10
[profile]
interval = 10
bins = 160
[pressure_tensor]
interval = 10
"""


def test_a_slab_has_the_densities_of_its_profile(tmp_path):
    """By SciPy's or NumPy's fit to what [profile] has found of the same run."""
    optimize = pytest.importorskip("scipy.optimize")
    folder = tmp_path / "slab"
    folder.mkdir()
    lines = ["700", 'Lattice="8 0 0 0 8 0 0 0 32" Properties=species:S:1:pos:R:3']
    sites = [(i, j, k) for k in range(14) for j in range(7) for i in range(8)]
    step = (8 / 8, 8 / 7, 1.0)
    lines += [
        f"A {i * step[0]:.4f} {j * step[1] + 0.1 * (i % 2):.4f} {9 + k * step[2]:.4f}"
        for i, j, k in sites[:700]
    ]
    (folder / "slab.extxyz").write_text("\n".join(lines) + "\n")
    run(folder, SLAB.format(steps=6000), ranks=2)
    found = averages_of(folder)
    table = read(folder, "profile")

    def model(z, liquid, vapor, place, width):
        return (liquid + vapor) / 2 - (liquid - vapor) / 2 * numpy.tanh(
            2 * (abs(z) - place) / width
        )

    z = table["z"] - 16.0
    expected, _ = optimize.curve_fit(model, z, table["density_A"], (0.8, 0.01, 6.0, 2.0))
    for name, value in zip(
        ("liquid_density", "vapor_density", "slab_width", "interface_width"),
        (expected[0], expected[1], 2 * expected[2], expected[3]),
        strict=True,
    ):
        tolerance = 4 * found[name]["standard_error"] + 0.01 * abs(value)
        assert abs(found[name]["mean"] - value) < tolerance, (name, found[name], value)
    assert found["vapor_pressure"]["mean"] == pytest.approx(found["pressure_zz"]["mean"], rel=1e-6)
    # Trokhymchuk and Alejandre, J. Chem. Phys. 111, 8510 (1999), of this cutoff near T = 0.72 and
    # 0.8: 0.76 to 0.73 in the liquid.
    assert 0.70 < found["liquid_density"]["mean"] < 0.78
