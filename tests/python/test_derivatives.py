"""[derivatives]: properties of second order are those of an equation of state."""

import pytest
from test_insertion import LIQUID, THERMOSTAT, run

#: T, density: A10, A01, heat capacities at constant volume and pressure, speed of sound, by the
#: equation of state of Thol et al., J. Phys. Chem. Ref. Data 45, 023101 (2016).
STATES = {
    (3.0, 0.9): (-4.1757 / 3.0, 13.911 / 2.7 - 1.0, 2.295, 3.523, 9.728),
    (2.0, 0.7): (-4.3024 / 2.0, 3.0320 / 1.4 - 1.0, 2.036, 3.893, 5.680),
}


def values_of(folder, name: str) -> dict:
    values = {}
    for line in (folder / f"{name}.derivatives.txt").read_text().splitlines():
        if not line.startswith("#"):
            quantity, mean, error = line.split()
            values[quantity] = float(mean), float(error)
    return values


@pytest.mark.parametrize("state", STATES)
def test_lennard_jones_against_an_equation_of_state(tmp_path, state):
    temperature, density = state
    text = LIQUID.format(steps=8000, density=density, temperature=temperature)
    text += THERMOSTAT.format(temperature=temperature) + "[derivatives]\ninterval = 10\n"
    (tmp_path / "lj.toml").write_text(text)
    run(tmp_path, "lj.toml")
    values = values_of(tmp_path, "lj")
    names = ("A10", "A01", "heat_capacity_v", "heat_capacity_p", "speed_of_sound")
    for name, expected in zip(names, STATES[state], strict=True):
        mean, error = values[name]
        assert mean == pytest.approx(expected, abs=4.0 * error + 0.01 * abs(expected)), name
        assert error < 0.2 * abs(expected) + 0.05, name
    # Relations that hold whatever the values are.
    c_v, c_p = values["heat_capacity_v"][0], values["heat_capacity_p"][0]
    kappa, alpha = values["compressibility"][0], values["thermal_expansion"][0]
    assert c_p - c_v == pytest.approx(temperature * alpha**2 / (density * kappa), rel=1e-8)
    assert values["speed_of_sound"][0] ** 2 == pytest.approx(
        1.0 / (density * values["compressibility_adiabatic"][0]), rel=1e-8
    )
    joule_thomson = (temperature * alpha - 1.0) / (density * c_p)
    assert values["joule_thomson_coefficient"][0] == pytest.approx(joule_thomson, rel=1e-8)


def test_a_resumed_run_has_the_same_file(tmp_path):
    text = LIQUID.format(steps=200, density=0.5, temperature=1.5)
    text = text.replace("equilibration = 1000", "equilibration = 0\ncheckpoint_interval = 100")
    text += THERMOSTAT.format(temperature=1.5) + "[derivatives]\ninterval = 10\n"
    (tmp_path / "lj.toml").write_text(text)
    run(tmp_path, "lj.toml")
    whole = (tmp_path / "lj.derivatives.txt").read_text()
    (tmp_path / "lj.toml").write_text(text.replace("steps = 200", "steps = 100"))
    run(tmp_path, "lj.toml")
    (tmp_path / "lj.toml").write_text(text)
    run(tmp_path, "lj.toml", more=["--resume"])
    assert (tmp_path / "lj.derivatives.txt").read_text() == whole


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        (
            '[barostat]\nkind = "stochastic_cell_rescaling"\npressure = 0.4\ntime_constant = 2\n',
            "changes the volume",
        ),
        ('[[freeze]]\ncomponent = "A"\n', "no kinetic energy"),
        ('[[restraint]]\ntype = "A"\nstiffness = 1.0\n', "[[restraint]]"),
        ('[[wall]]\naxis = "z"\npotential = "reflecting"\n', "walls"),
    ],
    ids=["barostat", "freeze", "restraint", "wall"],
)
def test_what_breaks_the_ensemble_is_refused(more, reason, tmp_path):
    text = LIQUID.format(steps=10, density=0.5, temperature=1.5)
    text += THERMOSTAT.format(temperature=1.5) + "[derivatives]\ninterval = 10\n" + more
    (tmp_path / "lj.toml").write_text(text)
    said = run(tmp_path, "lj.toml", fails=True)
    assert "constant temperature and volume" in said
    assert reason in said
