"""`sterna validate`: its cases run and are judged right; what they find is in docs/validation.md."""

import json
import subprocess
import sys

import numpy
import pytest
import typer
from conftest import ROOT
from openmm_molecule import mean_energy
from sterna import SternaError
from sterna.frames.configuration import Configuration, random_orientations
from sterna.support.constants import KJ_MOL_PER_K
from sterna.validation import CASES, carbon_dioxide_slab, lj_equation_of_state, molecular_liquids
from sterna.validation import constraint_energy_drift as constraints
from sterna.validation import water_energy_drift as water
from sterna.validation.block_average import (
    block_means,
    controlled_mean_and_error,
    mean_and_error,
)
from sterna.validation.comparison import Comparison
from sterna.validation.liquid_models import (
    BUTANE,
    ETHANOL,
    LIQUIDS,
    SPCE,
    TIP3P,
)
from sterna.validation.lj_slab import published
from sterna.validation.slab import profile_between, read_profile, read_surface_tension
from sterna.validation.study import Study, finish


def test_without_a_case_it_lists_them(sterna):
    done = sterna("validate")
    assert done.returncode == 0, done.stderr
    for case in CASES:
        assert case.name in done.stdout
        assert str(case.minutes) in done.stdout


def test_an_unknown_case_is_refused_with_the_nearest(sterna):
    done = sterna("validate", "lj_slap")
    assert done.returncode == 2
    assert "lj_slab" in done.stderr


@pytest.mark.parametrize(
    ("mean", "error", "uncertainty", "at_most", "agrees"),
    [
        (1.0, 0.0, 0.0, False, True),
        (1.01, 0.006, 0.0, False, True),
        (1.01, 0.004, 0.0, False, False),
        (1.01, 0.004, 0.004, False, True),
        (0.9, 0.004, 0.0, False, False),
        (0.9, 0.004, 0.0, True, True),
        (1.01, 0.004, 0.0, True, False),
    ],
)
def test_two_combined_errors_are_the_limit(mean, error, uncertainty, at_most, agrees):
    comparison = Comparison("q", mean, error, 1.0, uncertainty, "here", at_most=at_most)
    assert comparison.agrees is agrees


@pytest.mark.parametrize(("mean", "status"), [(1.005, 0), (1.02, 1)])
def test_the_status_and_the_file_say_what_disagrees(mean, status, tmp_path, capsys):
    good = Comparison("density", 1.0, 0.01, 1.0, 0.0, "paper")
    study = Study("case", {"steps": 5}, [good, Comparison("p", mean, 0.005, 1.0, 0.0, "paper")])
    with pytest.raises(typer.Exit) as ended:
        finish(study, str(tmp_path / "result.json"))
    assert ended.value.exit_code == status
    shown = capsys.readouterr().out
    assert f"{2 - status} of 2 agree" in shown
    assert ("NO" in shown) == bool(status)
    written = json.loads((tmp_path / "result.json").read_text())
    assert written["command"] == "sterna validate case --steps 5"
    assert [result["agrees"] for result in written["results"]] == [True, not status]
    assert Comparison.from_json(written["results"][0]) == good


def test_a_result_that_cannot_be_written_is_an_error(tmp_path):
    study = Study("case", {}, [Comparison("density", 1.0, 0.01, 1.0, 0.0, "paper")])
    with pytest.raises(SternaError, match="could not be written"):
        finish(study, str(tmp_path / "absent" / "result.json"))


def test_errors_have_the_size_of_the_scatter():
    random = numpy.random.default_rng(1)
    deviations = []
    for _ in range(400):
        series = [random.normal(3.0, 2.0, size=100) for _ in range(4)]
        mean, error = mean_and_error(block_means(series, 5))
        deviations.append((mean - 3.0) / error)
    assert numpy.std(deviations) == pytest.approx(1.0, abs=0.12)


def test_a_control_takes_off_what_it_explains():
    random = numpy.random.default_rng(2)
    deviations, errors, plain = [], [], []
    for _ in range(400):
        control = random.normal(0.85, 0.02, size=40)
        values = 5.0 * (control - 0.85) + random.normal(1.3, 0.01, size=40)
        mean, error = controlled_mean_and_error(values, control, 0.85)
        deviations.append((mean - 1.3) / error)
        errors.append(error)
        plain.append(mean_and_error(values)[1])
    assert numpy.std(deviations) == pytest.approx(1.0, abs=0.12)
    assert numpy.mean(errors) == pytest.approx(0.01 / numpy.sqrt(40), rel=0.1)
    assert numpy.mean(plain) > 5 * numpy.mean(errors)


def test_a_control_that_does_not_vary_changes_nothing():
    values = numpy.array([1.0, 2.0, 3.0, 4.0])
    mean, error = controlled_mean_and_error(values, numpy.ones(4), 2.0)
    assert (mean, error) == (2.5, pytest.approx(numpy.sqrt(5.0 / 2 / 4)))


def test_the_frames_of_a_profile_after_another(tmp_path):
    for name, frames, density in (("a", 10, 0.5), ("b", 30, 0.7)):
        (tmp_path / name).write_text(
            f"# profile along z, {frames} frames\n# z density_A temperature\n"
            f"0.5 {density} 0.8\n1.5 {2 * density} 0.9\n"
        )
    between = profile_between(read_profile(tmp_path / "a"), read_profile(tmp_path / "b"))
    assert between.frames == 20
    assert between.density == pytest.approx([0.8, 1.6])
    assert between.position.tolist() == [0.5, 1.5]


def test_a_pressure_tensor_without_surface_is_refused(tmp_path):
    file = tmp_path / "slab.pressure_tensor.txt"
    file.write_text("# 7 samples\n# component mean standard_error\npressure_xx 1 0.1\n")
    with pytest.raises(SternaError, match="surface_normal"):
        read_surface_tension(file)
    file.write_text(file.read_text() + "surface_tension 0.4 0.01\n")
    assert read_surface_tension(file) == (7, 0.4)


def test_a_short_slab_has_a_table_a_file_and_runs_once(sterna, tmp_path):
    arguments = ["validate", "lj_slab", "--temperature", "0.9", "--steps", "40"]
    arguments += ["--equilibration", "20", "--replicas", "2", "--folder", "runs"]
    done = sterna(*arguments, "--json", "slab.json")
    document = json.loads((tmp_path / "slab.json").read_text())
    results = {result["quantity"]: result for result in document["results"]}
    assert set(results) == set(published(0.9))
    assert done.returncode == (0 if all(r["agrees"] for r in results.values()) else 1)
    # The crystal that it starts from has the density of the liquid.
    assert results["liquid density"]["mean"] == pytest.approx(
        results["liquid density"]["published"], rel=0.03
    )
    assert "Vrabec 2006" in done.stdout
    log = tmp_path / "runs" / "replica1" / "slab.log.jsonl"
    before = log.stat().st_mtime_ns
    again = sterna(*arguments, "--json", "again.json")
    assert log.stat().st_mtime_ns == before
    assert again.stdout == done.stdout
    assert json.loads((tmp_path / "again.json").read_text()) == document


def test_a_temperature_without_liquid_is_refused(sterna):
    done = sterna("validate", "lj_slab", "--temperature", "1.2")
    assert done.returncode == 2
    assert "from 0.6 to 1.0" in done.stderr


def test_a_scatter_needs_two_runs(sterna):
    done = sterna("validate", "lj_slab", "--replicas", "1")
    assert done.returncode == 2
    assert "--replicas" in done.stderr


def test_a_run_that_fails_is_told(sterna, monkeypatch, tmp_path):
    program = tmp_path / "sterna-md"
    program.write_text("#!/bin/sh\necho 'error: the disk is full' >&2\nexit 7\n")
    program.chmod(0o755)
    monkeypatch.setenv("STERNA_MD", str(program))
    done = sterna("validate", "lj_slab", "--replicas", "2", "--folder", "runs")
    assert done.returncode == 7
    assert "slab.toml: error: the disk is full" in done.stderr


def test_pressures_are_those_of_the_log():
    point = lj_equation_of_state.STATE_POINTS[0]
    random = numpy.random.default_rng(3)
    replicas = [
        {
            "temperature": random.normal(point.temperature, 0.01, size=100),
            "pressure": random.normal(0.3, 1e-6, size=100),
            "potential_energy": random.normal(-5.0 * point.particles, 1e-3, size=100),
        }
        for _ in range(2)
    ]
    pressure, energy = lj_equation_of_state.compare(point, replicas)
    # The log's pressure has the ideal part of all particles: nothing is to be added.
    assert pressure.mean == pytest.approx(0.3, abs=1e-5)
    assert energy.mean == pytest.approx(-5.0, abs=1e-4)


def test_short_equations_of_state(sterna, tmp_path):
    done = sterna(
        *("validate", "lj_equation_of_state", "--with", "nist", "--steps", "100"),
        *("--equilibration", "10", "--replicas", "2", "--json", "fluid.json"),
    )
    results = json.loads((tmp_path / "fluid.json").read_text())["results"]
    assert len(results) == 10
    assert done.returncode == (0 if all(r["agrees"] for r in results) else 1)
    for result in results:
        assert result["source"] == "NIST Monte Carlo"
        if "energy" in result["quantity"]:  # still warm from melting
            assert result["mean"] == pytest.approx(result["published"], abs=0.6)


def test_the_carbon_dioxide_starts_without_overlaps():
    slab = carbon_dioxide_slab.start(240, seed=1)
    axis = water.rotation_matrices(slab.orientations)[:, :, 2]
    assert axis[:4] == pytest.approx(
        numpy.array([[1, 1, 1], [-1, 1, 1], [1, -1, 1], [-1, -1, 1]]) / numpy.sqrt(3.0)
    )
    oxygen = 0.12869 * axis
    sites = numpy.stack([slab.positions - oxygen, slab.positions, slab.positions + oxygen])
    for molecule in range(0, len(slab), 50):
        away = sites[:, molecule, None, None] - sites
        away -= slab.box * numpy.round(away / slab.box)
        distance = numpy.delete(numpy.linalg.norm(away, axis=-1), molecule, axis=-1)
        assert distance.min() > 0.24  # nm; sigma is 0.28 to 0.3
    # Liquid and vapor have the published densities.
    z = slab.positions[:, 2]
    liquid, vapor, _ = carbon_dioxide_slab.SPAN_WAGNER[240]
    for low, high, density in ((8.5, 11.5, liquid), (1.0, 5.0, vapor)):
        count = ((z > low) & (z < high)).sum()
        volume = slab.box[0] * slab.box[1] * (high - low)
        expected = density * carbon_dioxide_slab.PER_CUBIC_NM * volume
        assert count == pytest.approx(expected, rel=0.25)


def test_a_short_slab_of_carbon_dioxide(sterna, tmp_path):
    done = sterna(
        *("validate", "carbon_dioxide_slab", "--temperature", "250", "--steps", "100"),
        *("--equilibration", "50", "--replicas", "1", "--json", "slab.json"),
    )
    document = json.loads((tmp_path / "slab.json").read_text())
    assert done.returncode == (0 if all(r["agrees"] for r in document["results"]) else 1)
    for run in document["runs"]:
        assert len(run["liquid"]) == len(run["vapor"]) == carbon_dioxide_slab.BLOCKS
        assert numpy.mean(run["liquid"]) == pytest.approx(23.77, rel=0.05)
        assert numpy.mean(run["vapor"]) == pytest.approx(1.06, rel=0.5)


def test_a_temperature_without_published_densities_is_refused(sterna):
    done = sterna("validate", "carbon_dioxide_slab", "--temperature", "245")
    assert done.returncode == 2
    assert "220, 230, 240, 250, 260" in done.stderr


def test_the_slope_and_the_scatter_of_an_energy():
    time = numpy.linspace(0.0, 10.0, 101)
    wave = numpy.where(numpy.arange(101) % 2, 0.01, -0.01)
    found = water.drift(time, -50.0 + 0.02 * time + wave, numpy.full(101, 8.0))
    assert found["drift"] == pytest.approx(0.2 / 8.0, rel=0.01)
    assert found["scatter"] == pytest.approx(0.01 / 8.0, rel=0.01)
    assert found["kinetic_energy_per_molecule"] == 8.0


def test_both_programs_start_from_the_same_motion():
    spce = water.find_water()
    assert spce.charge.sum() == pytest.approx(0.0, abs=1e-12)
    assert spce.mass @ spce.position == pytest.approx(numpy.zeros(3), abs=1e-12)
    places = numpy.random.default_rng(3).uniform(0.0, 2.0, size=(200, 3))
    liquid = Configuration(
        numpy.full(3, 2.0), ["H2O"] * 200, places, random_orientations(200, seed=4)
    )
    start = water.draw_start(liquid, spce, seed=5)
    thermal = 3.0 * KJ_MOL_PER_K * water.TEMPERATURE
    turning = (start.angular_momentum**2 / (2.0 * spce.inertia)).sum()
    moving = 0.5 * spce.mass.sum() * (start.velocity**2).sum()
    assert (turning + moving) / 200 == pytest.approx(thermal, rel=0.1)
    lines = start.lammps_data(spce).splitlines()
    first = lines.index("Velocities") + 2
    velocity = numpy.array([line.split()[1:] for line in lines[first : first + 600]], float)
    of_atoms = 0.5 * numpy.tile(spce.mass, 200) @ ((100.0 * velocity) ** 2).sum(axis=1)
    assert of_atoms == pytest.approx(turning + moving, rel=1e-12)


def test_water_beside_lammps(sterna, tmp_path):
    lammps, why = water.find_lammps()
    if lammps is None:
        pytest.skip(f"no LAMMPS to compare with: {why}")
    done = sterna(
        *("validate", "water_energy_drift", "--steps", "100", "--equilibration", "200"),
        *("--molecules", "400", "--replicas", "2", "--json", "water.json"),
    )
    assert done.returncode in (0, 1), done.stderr
    for run in json.loads((tmp_path / "water.json").read_text())["runs"]:
        energies = run["start_energies"]
        # Forces are accurate to 1e-4 in both; kinetic energies are the same motion's.
        assert energies["sterna"][0] == pytest.approx(energies["lammps"][0], rel=5e-4)
        assert energies["sterna"][1] == pytest.approx(energies["lammps"][1], rel=1e-8)
        assert abs(run["sterna"]["drift"]) < 0.01
        assert abs(run["lammps"]["drift"]) < 0.01


def test_drift_with_constraints(sterna, tmp_path):
    done = sterna(
        *("validate", "constraint_energy_drift", "--steps", "200", "--equilibration", "100"),
        *("--replicas", "2", "--json", "drift.json"),
    )
    assert done.returncode in (0, 1), done.stderr
    written = json.loads((tmp_path / "drift.json").read_text())
    assert written["atoms"] == 1029
    for run in written["runs"]:
        # Not yet at rest; but a time step or a constraint that is wrong shows at once.
        assert 150 < run["temperature"] < 600
        assert run["scatter"] < 0.01
        assert abs(run["drift"]) < 5.0


def test_drift_is_a_slope_for_each_degree_of_freedom():
    unit = KJ_MOL_PER_K * constraints.TEMPERATURE
    time = numpy.linspace(0.0, 50.0, 26)
    total = -3000.0 + 0.02 * unit * constraints.degrees_of_freedom() * time / 1000.0
    assert constraints.drift(time, total)["drift"] == pytest.approx(0.02)
    assert constraints.degrees_of_freedom() == 3 * 1029 - 4 * 6 - 331 * 3 - 3


@pytest.mark.long
def test_a_short_liquid_and_its_gas(sterna, tmp_path):
    arguments = ["validate", "molecular_liquids", "--liquid", "butane", "--steps", "1000"]
    arguments += ["--equilibration", "1000", "--replicas", "1", "--long", "--folder", "runs"]
    done = sterna(*arguments, "--json", "butane.json")
    assert done.returncode in (0, 1), done.stderr
    document = json.loads((tmp_path / "butane.json").read_text())
    assert document["command"].endswith(
        "--liquid butane --steps 10000 --equilibration 1000 --replicas 1"
    )
    density, energy, heat = document["results"]
    # 20 ps of a box of 300 molecules.
    assert density["mean"] == pytest.approx(BUTANE.density.value, rel=0.05)
    assert energy["mean"] == pytest.approx(BUTANE.potential_energy.value, abs=1.0)
    assert heat["mean"] == pytest.approx(BUTANE.heat_of_vaporization.value, abs=1.5)
    assert len(document["runs"]["butane"]["gas"][0]) == molecular_liquids.BLOCKS
    again = sterna(*arguments)
    assert again.stdout == done.stdout


@pytest.mark.parametrize("liquid", [SPCE, TIP3P], ids=lambda liquid: liquid.name)
@pytest.mark.long
def test_a_short_run_of_water(sterna, tmp_path, liquid):
    done = sterna(
        *("validate", "molecular_liquids", "--liquid", liquid.name, "--steps", "1000"),
        *("--equilibration", "500", "--replicas", "1", "--json", "water.json"),
    )
    assert done.returncode in (0, 1), done.stderr
    results = json.loads((tmp_path / "water.json").read_text())["results"]
    # The box is still shrinking; hydrogen bonds are there.
    assert 0.8 < results[0]["mean"] < 1.0
    assert results[-1]["mean"] == pytest.approx(liquid.heat_of_vaporization.value, abs=2.0)


def test_the_heat_of_vaporization_is_that_of_the_means():
    blocks = {"density": [1.0, 1.1], "potential_energy": [-47.0, -46.0], "temperature": [300, 300]}
    density, energy, heat = molecular_liquids.compare(SPCE, [blocks], [])
    assert (density.mean, energy.mean) == (pytest.approx(1.05), -46.5)
    assert heat.mean == pytest.approx(46.5 + 300.0 * KJ_MOL_PER_K - 5.22)
    assert heat.standard_error == energy.standard_error == pytest.approx(0.5)
    *_, heat = molecular_liquids.compare(BUTANE, [blocks], [[4.0, 6.0]])
    assert heat.mean == pytest.approx(46.5 + 5.0 + 298.0 * KJ_MOL_PER_K)
    assert heat.standard_error == pytest.approx(numpy.hypot(0.5, 1.0))


def test_published_heats_of_vaporization():
    # SPC/E: Berendsen et al. give 43.9 kJ/mol less the polarization; Vega and Abascal 11.79 kcal/mol.
    assert SPCE.heat_of_vaporization.value == pytest.approx(43.9, abs=0.1)
    assert SPCE.heat_of_vaporization.value + 5.22 == pytest.approx(11.79 * 4.184, abs=0.2)
    # Of the real liquids 42.3 (ethanol) and 21.1 kJ/mol (butane, at 298 K).
    assert LIQUIDS["ethanol"].heat_of_vaporization.value == pytest.approx(42.3, rel=0.03)
    assert LIQUIDS["butane"].heat_of_vaporization.value == pytest.approx(21.1, rel=0.06)


def test_the_energy_of_gaseous_butane_is_an_integral():
    unit = 298.0 * KJ_MOL_PER_K
    bend = numpy.radians(numpy.linspace(60.0, 170.0, 20001))
    bending = 0.5 * 62500.0 * KJ_MOL_PER_K * (bend - numpy.radians(114.0)) ** 2
    weight = numpy.sin(bend) * numpy.exp(-bending / unit)
    turn = numpy.linspace(-numpy.pi, numpy.pi, 20000, endpoint=False)
    torsion = 355.03 * (1 + numpy.cos(turn)) - 68.19 * (1 - numpy.cos(2 * turn))
    torsion = KJ_MOL_PER_K * (torsion + 791.32 * (1 + numpy.cos(3 * turn)))
    energy = 2 * numpy.average(bending, weights=weight)
    energy += numpy.average(torsion, weights=numpy.exp(-torsion / unit))
    heat = energy - BUTANE.potential_energy.value + unit
    assert heat == pytest.approx(BUTANE.heat_of_vaporization.value, abs=0.003)


def test_the_energy_of_gaseous_ethanol_is_that_of_openmm():
    energy, error = mean_energy(ETHANOL, 1000000)
    assert error < 0.25
    published = ETHANOL.heat_of_vaporization.value
    heat = energy - ETHANOL.potential_energy.value + ETHANOL.temperature * KJ_MOL_PER_K
    assert heat == pytest.approx(published, abs=4 * error)


def test_without_lammps_the_comparison_says_how_to_get_it(sterna, monkeypatch, tmp_path):
    monkeypatch.setenv("STERNA_LAMMPS_PYTHON", str(tmp_path / "no_python"))
    done = sterna("validate", "water_energy_drift")
    assert done.returncode == 2
    assert "LAMMPS is needed for this case" in done.stderr


def test_the_page_has_the_recorded_results():
    done = subprocess.run(
        [sys.executable, ROOT / "tools" / "write_validation_tables.py", "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
