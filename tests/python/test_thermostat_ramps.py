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
    "nose_hoover_chain": "time_constant = 0.3",
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


BAROSTATS = {
    "stochastic_cell_rescaling": "time_constant = 0.5\nbulk_modulus = 2.0",
    "martyna_tobias_klein": "time_constant = 2.0\ninterval = 2",
}
BAROSTAT = """\
[barostat]
kind = "{kind}"
pressure = {pressure}
end_pressure = {end}
{keys}
"""


@pytest.mark.parametrize("kind", BAROSTATS)
def test_pressure_and_temperature_follow_ramps(kind, sterna, tmp_path):
    """An ideal gas: the volume is N kT / p of both in each step."""
    text = INPUT.format(kind="langevin", first=1.0, last=2.0, keys="time_constant = 0.1")
    text = text.replace('name = "A"', 'name = "A"\nepsilon = 0.0')
    text = text.replace("steps = 1500", "steps = 8000").replace("cutoff = 2.5", "cutoff = 1.0")
    barostat = BAROSTAT.format(kind=kind, pressure=0.6, end=1.8, keys=BAROSTATS[kind])
    (tmp_path / "ramp.toml").write_text(text + barostat)
    done = sterna("run", "ramp.toml", "-n", "1")
    assert done.returncode == 0, done.stdout + done.stderr
    rows = read_log(tmp_path / "ramp.log.jsonl").rows[100:]
    part = numpy.array([row["step"] for row in rows]) / 8000
    volume = numpy.array([row["volume"] for row in rows])
    expected = 864 * (1.0 + part) / (0.6 + 1.2 * part)
    # It lags by the time constant, 125 steps, and fluctuates by 1 / sqrt(N).
    assert numpy.mean(volume / expected) == pytest.approx(1.0, abs=0.03)
    for half in (slice(0, 350), slice(350, None)):
        assert numpy.mean((volume / expected)[half]) == pytest.approx(1.0, abs=0.04)
    # Neither temperature nor pressure is one that the run keeps.
    assert "off what" not in done.stdout


NOSE_HOOVER = INPUT.format(
    kind="nose_hoover_chain", first=1.0, last=2.0, keys="time_constant = 0.4"
).replace("timestep = 0.004", "timestep = 0.001")
WITH_BOX = NOSE_HOOVER + BAROSTAT.format(
    kind="martyna_tobias_klein", pressure=1.0, end=4.0, keys="time_constant = 2.0\ninterval = 2"
)


@pytest.mark.parametrize(("text", "drift"), [(NOSE_HOOVER, 2e-4), (WITH_BOX, 2e-3)])
def test_the_conserved_energy_counts_what_a_ramp_costs(text, drift, sterna, tmp_path):
    (tmp_path / "ramp.toml").write_text(text)
    done = sterna("run", "ramp.toml", "-n", "1")
    assert done.returncode == 0, done.stdout + done.stderr
    rows = read_log(tmp_path / "ramp.log.jsonl").rows
    conserved = numpy.array([row["conserved_energy"] for row in rows])
    kinetic = numpy.array([row["kinetic_energy"] for row in rows])
    given = kinetic[-1] - kinetic[0]
    assert given > 800.0  # 1.5 N kT of half a unit of energy and more
    assert numpy.abs(conserved - conserved[0]).max() < drift * 864
