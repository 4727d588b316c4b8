"""The averages at the end of a run, runs without a temperature, and runs that blow up."""

import numpy
import pytest
from sterna import read_log
from sterna.support.measured import measured_text

FLUID = """\
[run]
name = "fluid"
steps = {steps}
timestep = {timestep}
{run}

[start]
kind = "lattice"
lattice = "fcc"
particles = {particles}
density = 0.8
temperature = {temperature}

[[type]]
name = "A"

[interaction]
cutoff = 2.5
truncation = "force_shifted"
{more}

[output]
thermo_interval = {thermo}
{output}
"""


@pytest.fixture
def fluid(sterna, tmp_path):
    """Writes the input with these values and runs it."""

    def run(*arguments, status=0, **values):
        values = {
            "steps": 1000,
            "timestep": 0.004,
            "particles": 108,
            "temperature": 2.0,
            "run": "",
            "more": "",
            "output": "",
            "thermo": 10,
        } | values
        (tmp_path / "fluid.toml").write_text(FLUID.format(**values))
        done = sterna("run", "fluid.toml", "-n", 1, *arguments)
        assert done.returncode == status, done.stdout + done.stderr
        return done, read_log(tmp_path / "fluid.log.jsonl")

    return run


def test_averages_leave_out_what_is_not_equilibrium(fluid):
    # The crystal melts: half of the kinetic energy goes into it.
    done, log = fluid()
    end = log.events[-1]["timing"]
    over = end["averages_over"]
    assert 0 < over["first_step"] < 700
    assert over["rows"] + over["rows_left_out"] == 101
    kept = log["step"] >= over["first_step"]
    for name, average in end["averages"].items():
        assert average["mean"] == pytest.approx(log[name][kept].mean(), rel=1e-9)
    assert f"from step {over['first_step']} on: the first " in done.stdout
    assert over["reason"] in done.stdout and "still drifted" in over["reason"]


def test_the_equilibration_can_be_given(fluid, tmp_path):
    done, log = fluid(output="equilibration = 300\n[rdf]\ninterval = 10")
    end = log.events[-1]["timing"]
    over = end["averages_over"]
    assert (over["rows"], over["rows_left_out"], over["first_step"]) == (70, 0, 310)
    kept = log["step"] > 300
    assert end["averages"]["pressure"]["mean"] == pytest.approx(
        log["pressure"][kept].mean(), rel=1e-9
    )
    assert "averages over 70 rows of the table from step 310 on" in done.stdout
    # Observers wait for it too.
    assert "70 frames" in (tmp_path / "fluid.rdf.txt").read_text()


def test_what_a_resumed_run_had_before_its_equilibration_is_left_out(fluid, tmp_path):
    observers = "[rdf]\ninterval = 10\n[pressure_tensor]\ninterval = 10"
    fluid(steps=600, output=observers)
    _, log = fluid("--resume", steps=1000, output=f"equilibration = 500\n{observers}")
    end = log.events[-1]["timing"]
    assert end["averages_over"]["first_step"] >= 510
    kept = log["step"] >= end["averages_over"]["first_step"]
    assert end["averages"]["pressure"]["mean"] == pytest.approx(
        log["pressure"][kept].mean(), rel=1e-9
    )
    tensor = end["averages"]
    trace = sum(tensor[f"pressure_{axis}"]["mean"] for axis in ("xx", "yy", "zz")) / 3.0
    assert trace == pytest.approx(log["pressure"][kept].mean(), rel=1e-3)
    frames = int((tmp_path / "fluid.rdf.txt").read_text().split()[2])
    assert 44 <= frames <= 50


def test_a_run_that_has_not_settled_says_so(fluid):
    # It is heated until its end.
    more = '[thermostat]\nkind = "langevin"\ntemperature = 6.0\ntime_constant = 4.0\n'
    done, log = fluid(steps=800, more=more)
    over = log.events[-1]["timing"]["averages_over"]
    assert over["settled"] is False
    assert "the run has not settled, or is too short to tell:" in done.stdout
    for why in over["unsettled"]:
        assert f"  {why}" in done.stdout
    assert any("temperature" in why or "look like" in why for why in over["unsettled"])


def test_averages_at_constant_pressure_have_volume_and_density(fluid):
    more = """
[thermostat]
kind = "stochastic_velocity_rescaling"
temperature = 2.0
time_constant = 0.2

[barostat]
kind = "stochastic_cell_rescaling"
pressure = 3.0
bulk_modulus = 20.0
time_constant = 0.5
"""
    _, log = fluid(steps=300, more=more)
    end = log.events[-1]["timing"]
    kept = log["step"] >= end["averages_over"]["first_step"]
    averages = end["averages"]
    assert averages["volume"]["mean"] == pytest.approx(log["volume"][kept].mean(), rel=1e-9)
    assert averages["density"]["mean"] == pytest.approx(
        (108 / log["volume"][kept]).mean(), rel=1e-9
    )


ARGON = """\
units = "nano"
[run]
steps = {steps}
timestep = "5 fs"
[start]
kind = "lattice"
particles = 256
density = "1.374 g/cm^3"
temperature = "94.4 K"
[[component]]
name = "Ar"
model = "argon"
[interaction]
cutoff = 0.9
[thermostat]
kind = "stochastic_velocity_rescaling"
temperature = "94.4 K"
time_constant = "0.2 ps"
[output]
thermo_interval = 2
"""
BAROSTAT = """\
[barostat]
kind = "stochastic_cell_rescaling"
pressure = "1 bar"
bulk_modulus = "5000 bar"
time_constant = "1 ps"
"""


def test_averages_have_units(sterna, tmp_path):
    (tmp_path / "argon.toml").write_text(ARGON.format(steps=40) + BAROSTAT)
    done = sterna("run", "argon.toml", "-n", 1)
    assert done.returncode == 0, done.stdout + done.stderr
    averages = read_log(tmp_path / "argon.log.jsonl").events[-1]["timing"]["averages"]
    units = {name: average["unit"] for name, average in averages.items()}
    assert units == {
        "temperature": "K",
        "pressure": "bar",
        "potential_energy": "kJ/mol",
        "total_energy": "kJ/mol",
        "volume": "nm^3",
        "density": "g/cm^3",
    }
    assert averages["density"]["mean"] == pytest.approx(1.374, rel=0.1)
    assert "kJ/mol" in done.stdout


OBSERVERS = """[pressure_tensor]
interval = 2
surface_normal = "z"
[viscosity]
interval = 1
[diffusion]
interval = 2
"""


def test_averages_of_observers_have_units(sterna, tmp_path, fluid):
    (tmp_path / "argon.toml").write_text(ARGON.format(steps=400) + OBSERVERS)
    done = sterna("run", "argon.toml", "-n", 1)
    assert done.returncode == 0, done.stdout + done.stderr
    averages = read_log(tmp_path / "argon.log.jsonl").events[-1]["timing"]["averages"]
    units = {name: average["unit"] for name, average in averages.items()}
    assert units["pressure_xx"] == "bar"
    assert units["surface_tension"] == "mN/m"
    assert units["viscosity"] == "mPa*s"
    assert units["diffusion_Ar"] == "m^2/s"
    for name, unit in units.items():
        printed = [line for line in done.stdout.splitlines() if line.startswith(f"  {name}")]
        assert printed, name
        assert printed[0].endswith(f" {unit}"), printed
        average = averages[name]
        shown = measured_text(average["mean"], average["standard_error"])
        if not name.endswith("_energy"):
            assert printed[0].split(None, 1)[1] == f"{shown} {unit}"

    # Reduced quantities have none.
    done, log = fluid(steps=40, output=OBSERVERS)
    averages = log.events[-1]["timing"]["averages"]
    assert "pressure_xx" in averages
    assert not any("unit" in average for average in averages.values())


def test_a_minimization_has_no_temperature_and_dynamics_after_it_the_one_asked_for(fluid):
    minimize = 'integrator = "minimize"'
    done, log = fluid(steps=50, run=minimize, more="[minimize]\nforce_tolerance = 1e-12\n")
    assert "temperature" not in log.rows[0]
    assert "kinetic_energy" not in log.rows[0]
    assert log.rows[0]["largest_force"] >= 0.0
    assert "averages" not in log.events[-1]["timing"]
    assert "E_kin" not in done.stdout
    last = log.rows[-1]["step"]
    _, log = fluid("--resume", steps=last + 20)
    moving = [row for row in log.rows if "temperature" in row]
    # A crystal at rest at its minimum gives half of it to the potential within some steps.
    assert moving[0]["step"] <= last + 10
    assert 0.8 < moving[0]["temperature"] < 2.1


def test_a_run_that_blows_up_ends_with_an_error(fluid):
    done, log = fluid(status=1, timestep=0.05, temperature=8.0, thermo=1)
    assert "the temperature is" in done.stderr
    assert "timestep" in done.stderr
    assert "complete" not in [event.get("status") for event in log.events]
    assert numpy.isfinite([row["temperature"] for row in log.rows]).all()
