"""Ten thousand steps without a thermostat: energy and momentum stay."""

import numpy
import pytest
from sterna import read_log

INPUT = """\
units = "reduced"

[run]
name = "nve"
steps = {steps}
timestep = 0.002
precision = "{precision}"
seed = 11

[start]
kind = "lattice"
lattice = "fcc"
cells = [6, 6, 6]
density = 0.8442
temperature = 1.44

[[type]]
name = "A"

[interaction]
cutoff = 2.5
truncation = "{truncation}"
{switch}

[output]
thermo_interval = 10
"""

STEPS = 10_000
PARTICLES = 864


@pytest.mark.parametrize(
    ("precision", "truncation", "ranks", "largest_drift", "largest_momentum"),
    [
        ("double", "force_shifted", 1, 1e-5, 1e-14),
        ("double", "force_shifted", 2, 1e-5, 1e-14),
        ("double", "switched", 1, 1e-5, 1e-14),
        # Single precision rounds the force on a particle and its reaction differently.
        ("mixed", "force_shifted", 2, 1e-4, 1e-7),
    ],
)
def test_energy_and_momentum_are_conserved(
    precision, truncation, ranks, largest_drift, largest_momentum, sterna, tmp_path
):
    switch = "switch_start = 2.0" if truncation == "switched" else ""
    text = INPUT.format(steps=STEPS, precision=precision, truncation=truncation, switch=switch)
    (tmp_path / "nve.toml").write_text(text)
    done = sterna("run", "nve.toml", "-n", ranks, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    log = read_log(tmp_path / "nve.log.jsonl")
    step, energy, kinetic = log["step"], log["total_energy"], log["kinetic_energy"]
    assert step[-1] == STEPS

    # The straight line through all rows, and the means of the first and the last tenth.
    drift = numpy.polyfit(step, energy, 1)[0] * STEPS / kinetic.mean()
    assert abs(drift) < largest_drift
    tenth = len(step) // 10
    difference = (energy[-tenth:].mean() - energy[:tenth].mean()) / kinetic.mean()
    assert abs(difference) < largest_drift

    # Of unit masses: the total momentum, relative to the sum of the particles' momenta.
    momentum = numpy.stack([log[f"momentum_{axis}"] for axis in "xyz"], axis=1)
    sum_of_magnitudes = numpy.sqrt(2.0 * kinetic.mean() * PARTICLES)
    assert numpy.abs(momentum).max() / sum_of_magnitudes < largest_momentum
