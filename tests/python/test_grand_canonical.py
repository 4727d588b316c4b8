"""[[grand_canonical]]: numbers of molecules that come and go are those of ideal gases, exactly, and those of
equations of state and of LAMMPS within errors, on any number of ranks."""

import json
import subprocess

import numpy
import pytest
import teqp
from lammps_support import lammps  # noqa: F401
from test_insertion import run

TEMPERATURE = 1.5
GAS = """\
units = "reduced"
[run]
name = "gas"
steps = {steps}
timestep = 0.004
seed = {seed}
[start]
kind = "lattice"
lattice = "sc"
cells = [4, 4, 4]
density = 0.05
temperature = 1.5
[[type]]
name = "A"
epsilon = 0.0
[[type]]
name = "B"
mass = 3.0
epsilon = 0.0
[interaction]
cutoff = 1.0
[thermostat]
kind = "{thermostat}"
temperature = 1.5
time_constant = 0.2
{reservoir}
[output]
thermo_interval = 20
"""
#: The volume of its box.
VOLUME = 64 / 0.05


def columns(folder, name: str, first: int = 0) -> dict[str, numpy.ndarray]:
    """The columns of the log from this step on."""
    rows = [json.loads(line) for line in (folder / f"{name}.log.jsonl").read_text().splitlines()]
    rows = [row for row in rows if row["event"] == "thermo" and row["step"] >= first]
    return {key: numpy.array([row[key] for row in rows]) for key in rows[0] if key != "event"}


def error_of_mean(values: numpy.ndarray, blocks: int = 20) -> float:
    means = [numpy.mean(part) for part in numpy.array_split(values, blocks)]
    return float(numpy.std(means, ddof=1) / blocks**0.5)


def reservoir(**values) -> str:
    lines = ["[[grand_canonical]]"]
    lines += [f"{key} = {json.dumps(value)}" for key, value in values.items()]
    return "\n".join(lines)


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_ideal_gas_is_poisson(tmp_path, ranks):
    """Numbers of molecules have mean and variance z V, temperature and speeds are kept, and the pressure is
    z k T."""
    text = reservoir(components=["A", "B"], activity=[0.02, 0.01], interval=20, moves=80)
    case = GAS.format(steps=20_000, seed=5, thermostat="stochastic_velocity_rescaling", reservoir=text)
    (tmp_path / "gas.toml").write_text(case)
    run(tmp_path, "gas.toml", ranks)
    log = columns(tmp_path, "gas", 1000)
    for name, activity in [("A", 0.02), ("B", 0.01)]:
        wanted = activity * VOLUME
        numbers = log[f"molecules_{name}"]
        assert numpy.mean(numbers) == pytest.approx(wanted, abs=4.0 * error_of_mean(numbers))
        squares = (numbers - wanted) ** 2
        assert numpy.mean(squares) == pytest.approx(wanted, abs=4.0 * error_of_mean(squares))
        assert 0.6 < log[f"insertion_acceptance_{name}"][-1] < 1.0
    # Histogram against Poisson's distribution of the sum.
    total = (log["molecules_A"] + log["molecules_B"]).astype(int)
    mean = 0.03 * VOLUME
    low, high = int(mean - 4), int(mean + 4)
    steps = numpy.arange(1, 400)
    logarithm = numpy.concatenate([[0.0], numpy.cumsum(numpy.log(mean / steps))]) - mean
    inside = (total >= low) & (total <= high)
    expected = numpy.exp(logarithm[low : high + 1]).sum()
    assert numpy.mean(inside) == pytest.approx(expected, abs=4.0 * error_of_mean(inside.astype(float)))
    temperatures = log["temperature"]
    assert numpy.mean(temperatures) == pytest.approx(1.5, abs=4.0 * error_of_mean(temperatures) + 1e-3)
    pressures = log["pressure"]
    assert numpy.mean(pressures) == pytest.approx(0.03 * 1.5, abs=4.0 * error_of_mean(pressures))
    # What molecules bring and take along is counted.
    assert numpy.ptp(log["conserved_energy"]) < 1e-6 * numpy.max(numpy.abs(log["total_energy"]))


@pytest.mark.parametrize("ranks", [1, 3])
def test_identity_is_exchanged(tmp_path, ranks):
    """Exchanges alone keep the sum, and share it out as the activities say."""
    text = reservoir(
        components=["A", "B"], activity=[0.02, 0.01], interval=20, moves=0, exchanges=60
    )
    case = GAS.format(steps=20_000, seed=6, thermostat="langevin", reservoir=text)
    (tmp_path / "gas.toml").write_text(case)
    run(tmp_path, "gas.toml", ranks)
    log = columns(tmp_path, "gas", 1000)
    a, b = log["molecules_A"], log["molecules_B"]
    assert set(a + b) == {64}
    assert numpy.mean(a) == pytest.approx(64 * 2 / 3, abs=4.0 * error_of_mean(a))
    assert numpy.var(a) == pytest.approx(64 * 2 / 9, rel=0.2)
    assert numpy.mean(log["temperature"]) == pytest.approx(1.5, abs=0.03)


def test_region_and_wall(tmp_path):
    """An ideal gas between walls of energy phi has the density z exp(-phi / k T), although molecules come and
    go only between them."""
    text = reservoir(
        components=["A"],
        activity=[0.05],
        interval=20,
        moves=60,
        lower=[0, 0, 4.0],
        upper=[10.85, 10.85, 7.0],
    )
    wall = """
[[wall]]
potential = "harmonic"
axis = "z"
position = 3.0
side = "above"
stiffness = 5.0
[[wall]]
potential = "harmonic"
axis = "z"
position = 8.0
side = "below"
stiffness = 5.0
[profile]
interval = 20
axis = "z"
bins = 40
centered = false
"""
    case = GAS.format(steps=20_000, seed=7, thermostat="langevin", reservoir=text + wall)
    (tmp_path / "gas.toml").write_text(case.replace("time_constant = 0.2", "time_constant = 1.0"))
    run(tmp_path, "gas.toml", 2)
    log = columns(tmp_path, "gas", 2000)
    edge = VOLUME ** (1 / 3)
    places = numpy.linspace(0.0, edge, 20001)
    depth = numpy.maximum(0.0, numpy.maximum(3.0 - places, places - 8.0))
    integral = numpy.trapezoid(numpy.exp(-2.5 * depth**2 / 1.5), places)
    wanted = 0.05 * edge**2 * integral
    numbers = log["molecules_A"]
    assert numpy.mean(numbers) == pytest.approx(wanted, abs=4.0 * error_of_mean(numbers))


FLUID = """\
units = "reduced"
[run]
name = "fluid"
steps = {steps}
timestep = 0.004
seed = {seed}
precision = "{precision}"
[start]
kind = "lattice"
lattice = "fcc"
cells = [5, 5, 5]
density = {density}
temperature = {temperature}
[[type]]
name = "A"
[interaction]
cutoff = 3.5
tail_correction = true
[thermostat]
kind = "stochastic_velocity_rescaling"
temperature = {temperature}
time_constant = 0.2
{reservoir}
[output]
thermo_interval = 20
"""


def reduced_chemical_potential(model, temperature: float, density: float) -> float:
    """ln(rho sigma^3) + mu_residual / k T."""
    alpha = model.get_Ar00(temperature, density, numpy.array([1.0]))
    slope = model.get_Ar01(temperature, density, numpy.array([1.0]))
    return numpy.log(density) + alpha + slope


@pytest.mark.parametrize(
    ("temperature", "density", "ranks", "precision"),
    [(1.5, 0.05, 1, "double"), (1.5, 0.5, 2, "mixed"), (2.5, 0.65, 4, "double")],
    ids=["dilute", "supercritical", "dense"],
)
def test_lennard_jones_has_the_density_of_the_equation_of_state(
    tmp_path, temperature, density, ranks, precision
):
    """Thol, Rutkai, Koester, Lustig, Span, Vrabec, J. Phys. Chem. Ref. Data 45, 023101 (2016)."""
    model = teqp.make_model({"kind": "LJ126_TholJPCRD2016", "model": {}})
    wanted = reduced_chemical_potential(model, temperature, density)
    text = reservoir(
        components=["A"], reduced_chemical_potential=[wanted], interval=20, moves=200
    )
    case = FLUID.format(
        steps=8000,
        seed=8,
        precision=precision,
        density=0.9 * density,
        temperature=temperature,
        reservoir=text,
    )
    (tmp_path / "fluid.toml").write_text(case)
    run(tmp_path, "fluid.toml", ranks)
    log = columns(tmp_path, "fluid", 2000)
    volume = 500 / (0.9 * density)
    densities = log["molecules_A"] / volume
    error = error_of_mean(densities, 10)
    assert error < 0.015 * density
    assert numpy.mean(densities) == pytest.approx(density, abs=4.0 * error + 0.002 * density)
    pressures = log["pressure"]
    slope = model.get_Ar01(temperature, density, numpy.array([1.0]))
    assert numpy.mean(pressures) == pytest.approx(
        density * temperature * (1.0 + slope), abs=4.0 * error_of_mean(pressures, 10) + 0.005
    )
    temperatures = log["temperature"]
    assert numpy.mean(temperatures) == pytest.approx(temperature, rel=0.01)
