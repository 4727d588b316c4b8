"""Thermostats and the barostat in whole runs: means, and runs that are stopped and go on."""

import numpy
import pytest
from sterna import read_log

THERMOSTAT = """
[thermostat]
kind = "{kind}"
temperature = 1.2
{more}
"""
BAROSTAT = """
[barostat]
kind = "stochastic_cell_rescaling"
pressure = 5.0
bulk_modulus = 50.0
time_constant = 0.3
"""
MARTYNA_TOBIAS_KLEIN = """
[barostat]
kind = "martyna_tobias_klein"
coupling = "{coupling}"
pressure = 5.0
time_constant = 5.0
"""
KINDS = {
    "nose_hoover_chain": "time_constant = 0.2",
    "langevin": "time_constant = 0.2",
    "velocity_scaling": "exponent = 0.4",
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_mean_temperature_is_the_wanted_one(kind, sterna, melt, tmp_path):
    path = melt(steps=1500, thermo=5)
    path.write_text(path.read_text() + THERMOSTAT.format(kind=kind, more=KINDS[kind]))
    done = sterna("run", "melt.toml", "-n", 2)
    assert done.returncode == 0, done.stdout + done.stderr
    log = read_log(tmp_path / "melt.log.jsonl")
    late = numpy.array(log["step"]) > 500
    # 864 particles: the temperature fluctuates by 2.8 % and forgets itself in some 100 steps.
    assert numpy.array(log["temperature"])[late].mean() == pytest.approx(1.2, rel=0.02)
    conserved = numpy.array(log["conserved_energy"])
    assert conserved[-1] == pytest.approx(conserved[0], abs=0.005 * 864)


@pytest.mark.parametrize(
    "kind", ["nose_hoover_chain", "langevin", "barostat", "isotropic", "triclinic"]
)
def test_a_run_in_two_parts_has_the_same_bits(kind, sterna, melt, tmp_path):
    if kind == "barostat":
        more = THERMOSTAT.format(kind="nose_hoover_chain", more=KINDS["nose_hoover_chain"])
        more += BAROSTAT
    elif kind in ("isotropic", "triclinic"):
        more = THERMOSTAT.format(kind="nose_hoover_chain", more=KINDS["nose_hoover_chain"])
        more += MARTYNA_TOBIAS_KLEIN.format(coupling=kind)
    else:
        more = THERMOSTAT.format(kind=kind, more=KINDS[kind])
    path = melt(steps=120, thermo=20)
    text = path.read_text() + more
    path.write_text(text)
    done = sterna("run", "melt.toml", "-n", 2)
    assert done.returncode == 0, done.stdout + done.stderr
    whole = read_log(tmp_path / "melt.log.jsonl").rows
    for file in tmp_path.glob("melt.*"):
        if file.suffix != ".toml":
            file.unlink()
    # Checkpoints are written where lists are rebuilt, as the barostat does.
    path.write_text(text.replace("checkpoint_interval = 0", "checkpoint_interval = 50"))
    done = sterna("run", "melt.toml", "-n", 2)
    assert done.returncode == 0, done.stdout + done.stderr
    assert read_log(tmp_path / "melt.log.jsonl").rows == whole
    previous = tmp_path / "melt.checkpoint.previous"
    assert previous.exists(), sorted(tmp_path.iterdir())
    previous.replace(tmp_path / "melt.checkpoint")
    done = sterna("run", "melt.toml", "-n", 2, "--resume")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "resuming" in done.stdout
    assert read_log(tmp_path / "melt.log.jsonl").rows == whole


def test_a_box_changes_the_same_on_any_number_of_ranks(sterna, melt, tmp_path):
    path = melt(steps=60, thermo=20)
    stochastic = BAROSTAT + 'coupling = "anisotropic"\n'
    text = path.read_text()
    thermostat = THERMOSTAT.format(kind="nose_hoover_chain", more=KINDS["nose_hoover_chain"])
    for barostat in (stochastic, MARTYNA_TOBIAS_KLEIN.format(coupling="semi_isotropic")):
        path.write_text(text + thermostat + barostat)
        rows = {}
        for ranks in (1, 4):
            done = sterna("run", "melt.toml", "-n", ranks, "--overwrite")
            assert done.returncode == 0, done.stdout + done.stderr
            rows[ranks] = read_log(tmp_path / "melt.log.jsonl").rows
        for one, four in zip(rows[1], rows[4], strict=True):
            assert one["box_x"] != one["box_z"] or one["step"] == 0
            for name in ("box_x", "box_z", "total_energy", "conserved_energy"):
                assert four[name] == pytest.approx(one[name], rel=1e-7), name
