"""Thermostats that heat and cool: the temperature follows the line that the input gives."""

import numpy
import pytest
from sterna import read_log

INPUT = """\
units = "reduced"
[run]
timestep = 0.004
steps = 1500
[start]
kind = "lattice"
lattice = "fcc"
cells = [6, 6, 6]
density = 0.6
temperature = 1.0
[[type]]
name = "A"
[interaction]
cutoff = 2.5
[thermostat]
kind = "{kind}"
temperature = {first}
end_temperature = {last}
{keys}
[output]
thermo_interval = 10
"""
KINDS = {
    "stochastic_velocity_rescaling": "time_constant = 0.1",
    "langevin": "time_constant = 0.1",
    "andersen": "time_constant = 0.1",
    "velocity_scaling": "",
}


@pytest.mark.parametrize(("first", "last"), [(1.0, 3.0), (2.0, 1.0)])
@pytest.mark.parametrize("kind", KINDS)
def test_the_temperature_follows_a_ramp(kind, first, last, sterna, tmp_path):
    text = INPUT.format(kind=kind, first=first, last=last, keys=KINDS[kind])
    (tmp_path / "ramp.toml").write_text(text)
    done = sterna("run", "ramp.toml", "-n", "1")
    assert done.returncode == 0, done.stdout + done.stderr
    rows = read_log(tmp_path / "ramp.log.jsonl").rows[50:]
    step = numpy.array([row["step"] for row in rows])
    temperature = numpy.array([row["temperature"] for row in rows])
    wanted = first + (last - first) * step / 1500
    # 864 particles fluctuate by 3 %, and the coupling lags by its time constant.
    assert numpy.mean(temperature / wanted) == pytest.approx(1.0, abs=0.03)
    slope = numpy.polyfit(step, temperature, 1)[0]
    assert slope == pytest.approx((last - first) / 1500, rel=0.15)


WRONG = {
    "nose_hoover_chain": ("", 'only with kind = "stochastic_velocity_rescaling"'),
    "langevin": (
        '[barostat]\nkind = "stochastic_cell_rescaling"\npressure = 1.0\ntime_constant = 1.0\n'
        "bulk_modulus = 10.0\n",
        "a [barostat] goes with a temperature that stays",
    ),
}


@pytest.mark.parametrize("kind", WRONG)
def test_where_a_temperature_has_to_stay(kind, sterna, tmp_path):
    more, message = WRONG[kind]
    text = INPUT.format(kind=kind, first=1.0, last=2.0, keys="time_constant = 0.1")
    (tmp_path / "ramp.toml").write_text(text + more)
    done = sterna("check", "ramp.toml")
    assert message in done.stdout + done.stderr
