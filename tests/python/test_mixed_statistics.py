"""Means of runs: water of each kind is one water, and all kinds of motion have one temperature at constant
energy. tests/campaign/mixed_statistics.py has longer runs, whose results are recorded there."""

import numpy
import pytest
from mixed_motion import TEMPERATURE, equipartition
from three_waters import WAYS, means_of

#: How far means of short runs of water may be apart, as parts of their size: five times or more what equal
#: runs of this length differ by, as the scatter of equal runs in the campaign has it.
ENERGY, NEIGHBORS, HEAT = 0.10, 0.10, 0.15
PRESSURE = 5000.0  #: bar


def test_water_of_every_kind_has_the_same_means(tmp_path):
    means = {way: means_of(tmp_path, way, parts=6, steps=800, settling=2400) for way in WAYS}
    first = means["components"]
    assert first.temperature.mean() == pytest.approx(300.0, rel=HEAT)
    assert first.potential_energy.mean() / 64 == pytest.approx(-46.4, rel=ENERGY)
    for way, found in means.items():
        for key, most in (
            ("potential_energy", ENERGY),
            ("neighbors", NEIGHBORS),
            ("temperature", HEAT),
        ):
            mine, theirs = getattr(found, key).mean(), getattr(first, key).mean()
            assert mine == pytest.approx(theirs, rel=most), (way, key)
        assert found.pressure.mean() == pytest.approx(first.pressure.mean(), abs=PRESSURE), way


def test_all_kinds_of_motion_have_one_temperature_at_constant_energy(tmp_path):
    """Argon, flexible molecules and rigid quadrupolar ones on a plate of silicon."""
    found = equipartition(tmp_path, samples=20)
    spread = found.pop("spread")
    assert set(found) == {"solid", "atoms", "flexible", "translation", "rotation"}
    for kind, values in found.items():
        error = values.std(ddof=1) / numpy.sqrt(len(values))
        # 19 degrees of freedom: one of five is beyond it in fewer than 3 of a million runs.
        assert abs(values.mean() - TEMPERATURE) < 7.5 * error, (kind, values.mean(), error)
        assert error < 0.1 * TEMPERATURE
    # The energy of all stays, beside some 3000 kJ/mol that are kinetic.
    assert spread.max() < 10.0
