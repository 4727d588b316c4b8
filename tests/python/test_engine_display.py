"""Simulations, systems and logs show themselves, and names that are none are told."""

from engine_support import MELT, run_script


def test_what_is_shown_and_what_is_not_there(tmp_path):
    done = run_script(
        tmp_path,
        MELT
        + """
assert "cells [6, 6, 6]" in repr(system) and "0.8442" in repr(system)
assert "<th>density</th>" in system._repr_html_()
arrays = sterna.System.from_arrays([9.0, 9.0, 9.0], [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0]])
assert "particles 2" in repr(arrays)

settings = settings.replace(
    thermostat=[{"kind": "langevin", "temperature": 1.44, "time_constant": 0.5}],
    output={"thermo_interval": 2},
)
simulation = sterna.Simulation(settings, system)
simulation.run(100)
html = simulation._repr_html_()
assert "864 particles on 1 rank, step 100" in html and "<th>temperature</th>" in html

averages = simulation.log.averages()
assert averages.rows + averages.rows_left_out == 51
assert averages["temperature"].mean > 0.5 and averages["temperature"].error > 0.0
assert "temperature" in simulation.log._repr_html_()

thermostat = simulation.thermostats[0]
assert thermostat.temperature == 1.44
assert thermostat.stop_step is None  # a key that the input does not name
assert "stop_step" in dir(thermostat)
try:
    thermostat.temprature
except AttributeError as error:
    assert "did you mean 'temperature'" in str(error)
else:
    raise AssertionError
assert not hasattr(simulation.barostat, "presure")
assert simulation.barostat.pressure is None
simulation.close()
assert "closed" in simulation._repr_html_()
""",
    )
    assert done.returncode == 0, done.stdout + done.stderr
