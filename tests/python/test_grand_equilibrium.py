"""Equilibria by chemical potentials: integrals of exact enthalpies are exact, errors are the spread of
many fits, the meeting of two phases solves its equation, and runs find what an equation of state has."""

import csv
import tomllib

import numpy
import pytest
import sterna as module
from sterna.fluids import gibbs_helmholtz, vapor
from sterna.fluids.saturation import METHODS, Saturation

#: By Thol et al., J. Phys. Chem. Ref. Data 45, 023101 (2016): T, saturated densities, pressure,
#: enthalpy of vaporization, ln(rho) + mu/kT.
SATURATED = {
    0.8: (0.7990, 0.006084, 0.004634, 6.401, -5.198),
    1.0: (0.7018, 0.02945, 0.02489, 5.433, -3.836),
    1.1: (0.6422, 0.05476, 0.04590, 4.717, -3.385),
}


def made_path(temperature, noise: float = 0.0, seed: int = 0) -> gibbs_helmholtz.Path:
    """h = -7 + T + T^2 at p = 0.1 T and v = 1.3 T: mu/kT by the integral of h d(1/T) + v/T dp."""
    t = numpy.array(temperature, float)
    potential = -7.0 / t - numpy.log(t) - t + 0.13 * t
    random = numpy.random.default_rng(seed)
    sizes = noise * numpy.array([numpy.linspace(3.0, 0.3, len(t)), numpy.full(len(t), 0.02)])
    shifts = sizes * random.standard_normal(sizes.shape)
    return gibbs_helmholtz.Path(
        t, 0.1 * t, potential + shifts[0], sizes[0] + 1e-9,
        -7.0 + t + t**2 + shifts[1], sizes[1] + 1e-9, 1.3 * t, 1.0,
    )  # fmt: skip


def test_enthalpies_carry_a_potential_to_where_no_insertion_finds_a_place():
    path = made_path([0.7, 0.8, 0.95, 1.05, 1.2])
    exact = path.potential.copy()
    path.potential[:4] = 99.0
    path.potential_error[:4] = numpy.inf
    found = gibbs_helmholtz.smoothed(path)
    assert found.potential == pytest.approx(exact, abs=1e-6)
    assert found.freedom == 0


@pytest.mark.parametrize("count", [2, 3, 4, 6])
def test_errors_of_potentials_are_the_spread_of_many(count):
    t = numpy.linspace(0.9, 1.1, count)
    exact = made_path(t).potential
    found = [gibbs_helmholtz.smoothed(made_path(t, 0.05, seed=k)) for k in range(300)]
    off = numpy.array([one.potential - exact for one in found])
    errors = numpy.array([numpy.sqrt(numpy.diag(one.covariance)[:count]) for one in found])
    ratio = off.std(axis=0) / errors.mean(axis=0)
    assert (ratio > 0.8).all()
    assert (ratio < 1.25).all()
    # Both together are better than the best of the insertions.
    assert off.std(axis=0).max() < 0.05 * 0.3 * 1.25
    deviation = numpy.mean([one.deviation for one in found])
    assert 0.7 * (count - 1) < deviation < 1.3 * (count - 1)


def test_two_far_temperatures_have_the_error_of_their_integral():
    path = made_path([0.7, 1.2])
    path.potential_error[0] = numpy.inf
    found = gibbs_helmholtz.smoothed(path)
    error = numpy.sqrt(found.covariance[0, 0])
    assert abs(found.potential[0] - path.potential[0]) < 2.0 * error
    assert error > 0.01


@pytest.mark.parametrize("t", SATURATED)
def test_the_first_guess_of_a_vapor_is_near(t):
    _, density, _, _, potential = SATURATED[t]
    second = module.virial("lennard_jones", t, third=False).second.value[0]
    near = vapor.density_of_potential(potential, second)
    assert near == pytest.approx(density, rel=0.11)
    assert vapor.density_of_potential(-20.0, second) == pytest.approx(numpy.exp(-20.0), rel=1e-6)
    assert vapor.density_of_potential(-5.0, 1.0) > 0.0


def test_two_phases_meet_where_their_potentials_are_equal():
    heat, second = 0.9, -6.6
    state = vapor.by_virial(heat, second, 8.0, 0.013)
    liquid = vapor.Liquid(*map(numpy.array, (0.01, -4.4, 1.35, 0.08)))
    p = vapor.meeting(liquid, state, 1.0)
    # The density of this pressure by p = rho kT (1 + B rho), and both potentials.
    density = (numpy.sqrt(1.0 + 4.0 * second * p / heat) - 1.0) / (2.0 * second)
    of_vapor = numpy.log(density) + 2.0 * second * density
    of_liquid = -4.4 + 1.35 / heat * ((p - 0.01) - 0.5 * 0.08 * (p - 0.01) ** 2)
    assert of_vapor == pytest.approx(of_liquid, abs=2e-3)
    # At the state itself the two are equal without any approximation.
    start = heat * 0.013 * (1.0 + second * 0.013)
    liquid = vapor.Liquid(numpy.array(start), state.potential, numpy.array(1.35), numpy.array(0.1))
    assert vapor.meeting(liquid, state, 1.0) == pytest.approx(start, rel=1e-12)


def test_a_study_from_the_command_to_its_files(tmp_path, sterna):
    command = [
        "vle", "lennard_jones", "-t", "1.0,1.1", "-m", "250", "--steps", "6000",
        "--equilibration", "3000", "--insertions", "500", "-d", "study", "--reference", "none",
    ]  # fmt: skip
    done = sterna(*command, "--report")
    assert "enthalpy of vaporization" in done.stdout, done.stderr
    assert (tmp_path / "study" / "report.html").read_text().count("<svg") >= 3
    with (tmp_path / "study" / "vle.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["state"] for row in rows] == ["complete", "complete"]
    for row in rows:
        liquid, gas, pressure, heat, _ = SATURATED[float(row["temperature"])]
        assert float(row["liquid_density"]) == pytest.approx(liquid, rel=0.1)
        assert float(row["vapor_density"]) == pytest.approx(gas, rel=0.9)
        assert float(row["vapor_pressure"]) == pytest.approx(pressure, rel=0.7)
        assert float(row["enthalpy_of_vaporization"]) == pytest.approx(heat, rel=0.2)
    # Nothing runs again.
    logs = sorted((tmp_path / "study").glob("*s/*/*.produce.log.jsonl"))
    before = [log.stat().st_mtime_ns for log in logs]
    assert len(logs) >= 4
    again = sterna(*command)
    assert [log.stat().st_mtime_ns for log in logs] == before
    assert again.stderr.count("2 of 2 runs are complete already") >= 2


def test_values_without_errors_are_left_out_of_fits(tmp_path):
    """Those of runs that are too short for blocks."""
    t = numpy.array(list(SATURATED))
    values = {name: numpy.full(3, numpy.nan) for name in METHODS["grand-equilibrium"][0]}
    rows = zip(*SATURATED.values(), strict=True)
    values["liquid_density"], values["vapor_density"], values["vapor_pressure"] = (
        numpy.array(column) for column in list(rows)[:3]
    )
    errors = {name: 0.01 * column for name, column in values.items()}
    errors["vapor_pressure"][1] = numpy.nan
    found = Saturation(
        "lennard_jones", "grand-equilibrium", tmp_path, t, (values, errors, ["complete"] * 3)
    )
    assert found.coexistence.temperature.tolist() == [0.8, 1.1]
    assert found.critical is not None
    assert numpy.isfinite(found["enthalpy_by_clapeyron"]).tolist() == [True, False, True]


@pytest.mark.parametrize("method", METHODS)
def test_a_plot_has_the_quantities_of_the_method(tmp_path, method):
    pytest.importorskip("matplotlib")
    quantities = METHODS[method][0]
    values = {name: numpy.linspace(0.1, 0.3, 3) for name in quantities}
    errors = {name: numpy.full(3, 0.01) for name in quantities}
    values["liquid_density"] = numpy.array([row[0] for row in SATURATED.values()])
    found = Saturation(
        "lennard_jones", method, tmp_path, numpy.array(list(SATURATED)),
        (values, errors, ["complete"] * 3),
    )  # fmt: skip
    made = found.plot()
    made.savefig(tmp_path / "plot.png")
    labels = {axes.get_ylabel() for axes in made.axes}
    assert {"vapor pressure", "enthalpy of vaporization"} <= labels
    assert ("surface tension" in labels) == (method == "slab")


def test_without_runs_there_is_nothing_but_states(tmp_path):
    found = module.vle("argon", [100, 120], tmp_path / "none", run=False, tell=None)
    assert not found.is_complete
    assert found.states == ["waiting", "waiting"]
    assert numpy.isnan(found["vapor_pressure"]).all()
    assert "waiting" in str(found)


def test_replicas_have_seeds_of_their_own(tmp_path):
    found = module.vle("argon", [100, 120], tmp_path, replicas=3, run=False, tell=None)
    assert found.states == ["waiting", "waiting"]
    inputs = [run.text for run in module.Sweep(tmp_path / "liquids.toml").runs]
    seeds = {tomllib.loads(text)["run"]["seed"] for text in inputs}
    assert len(seeds) == 6
