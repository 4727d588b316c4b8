"""Vapor-liquid equilibria: fits find what made their points, a short study goes on where it was, and
what cannot be is told."""

import csv

import numpy
import pytest
import sterna as module
from sterna.fluids import critical_point as fits
from sterna.fluids.reference import read_table
from sterna.fluids.temperatures import temperatures_of

SHORT = ["-m", "250", "--steps", "1000", "--equilibration", "100", "--cores", "1"]


def made_points(errors: float, count: int = 6, seed: int = 0) -> fits.Coexistence:
    """Points of the laws themselves: T_c = 1.3, rho_c = 0.31, p = exp(3 - 6.5/T)."""
    t = numpy.linspace(1.0, 1.26, count)
    below = 1.3 - t
    half, middle = 0.5 * 1.0 * below**fits.EXPONENT, 0.31 + 0.2 * below
    liquid, vapor, pressure = middle + half, middle - half, numpy.exp(3.0 - 6.5 / t)
    random = numpy.random.default_rng(seed)
    arrays = []
    for values in (liquid, vapor, pressure):
        size = errors * values
        arrays += [values + size * random.standard_normal(count), size]
    return fits.Coexistence(t, *arrays)


def test_the_critical_point_of_exact_points_is_theirs():
    found = fits.critical_point(made_points(1e-7))
    assert found.temperature.value == pytest.approx(1.3, rel=1e-5)
    assert found.density.value == pytest.approx(0.31, rel=1e-5)
    assert found.pressure.value == pytest.approx(numpy.exp(3.0 - 6.5 / 1.3), rel=1e-4)
    assert found.used == 6


def test_errors_of_the_critical_point_are_the_spread_of_many_fits():
    found = [fits.critical_point(made_points(5e-3, seed=k), draws=100) for k in range(40)]
    for name, exact in (("temperature", 1.3), ("density", 0.31)):
        values = numpy.array([getattr(point, name).value for point in found])
        errors = numpy.array([getattr(point, name).error for point in found])
        assert abs(values.mean() - exact) < 5 * values.std() / numpy.sqrt(40)
        assert 0.6 < errors.mean() / values.std(ddof=1) < 1.6


def test_clapeyrons_equation_gives_the_slope_of_the_law():
    points = made_points(1e-7)
    heat, _ = fits.clapeyron(points)
    t = points.temperature
    slope = 6.5 / t**2 * points.pressure
    assert heat == pytest.approx(t * (1 / points.vapor - 1 / points.liquid) * slope, rel=1e-4)


def test_errors_of_pressures_weigh_as_they_are():
    """A pressure that is known badly does not move the law, wherever it happens to lie."""
    for factor in (3.0, 0.1, -1.0):
        points = made_points(1e-3, seed=4)
        points.pressure_error[0] = 4.0 * points.pressure[0]
        points.pressure[0] *= factor
        law = fits.pressure_law(points.part(numpy.arange(6) < 4))
        assert law[1] == pytest.approx(-6.5, rel=0.05)


@pytest.mark.parametrize("flaw", ["one point", "no gap", "no pressure"])
def test_points_without_a_critical_point_have_none(flaw):
    points = made_points(1e-3)
    if flaw == "one point":
        points = points.part(numpy.arange(6) == 2)
    elif flaw == "no gap":
        points.vapor[:] = points.liquid
    else:
        points.pressure[:] = 0.0
    assert fits.critical_point(points) is None


@pytest.mark.parametrize(
    ("given", "values"),
    [("220,240", [220, 240]), ("240:280:20", [240, 260, 280]), (300.0, [300]), ([3, 1], [1, 3])],
)
def test_lists_of_temperatures(given, values):
    assert temperatures_of(given).tolist() == values


@pytest.mark.parametrize("given", ["", "220;240", "220:200:10", "1:2:0", "1:1e9:1", [-1.0], "nan"])
def test_what_is_no_list_of_temperatures_is_told(given):
    with pytest.raises(module.SternaError):
        temperatures_of(given)


def test_a_short_study_from_the_command_to_its_files(tmp_path, sterna):
    command = [
        "vle",
        "lennard_jones",
        "-t",
        "0.8,0.9",
        *SHORT,
        "--method",
        "slab",
        "-d",
        "study",
        "--reference",
        "none",
    ]
    done = sterna(*command, "--report")
    assert "liquid density" in done.stdout, done.stderr
    assert (tmp_path / "study" / "report.html").read_text().count("<svg") >= 3
    with (tmp_path / "study" / "vle.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["temperature"] for row in rows] == ["0.8", "0.9"]
    assert all(0.5 < float(row["liquid_density"]) < 1.1 for row in rows), rows
    # Nothing runs again, and another temperature runs alone.
    logs = sorted((tmp_path / "study" / "runs").glob("*/*.produce.log.jsonl"))
    before = [log.stat().st_mtime_ns for log in logs]
    assert len(logs) == 2
    again = sterna(*command[:3], "0.8,0.9,1.0", *command[4:])
    assert [log.stat().st_mtime_ns for log in logs] == before
    assert "2 of 3 runs are complete already" in again.stderr
    assert "3 of 3" in again.stderr
    found = module.vle(
        "lennard_jones", [0.8, 0.9, 1.0], tmp_path / "study", 250, 1000, 100,
        reference="none", run=False, tell=None, method="slab",
    )  # fmt: skip
    assert found.temperature.tolist() == [0.8, 0.9, 1.0]
    assert found["liquid_density"][0] == pytest.approx(float(rows[0]["liquid_density"]))
    assert numpy.isfinite(found["vapor_density"]).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["argon", "-t", "100,160"], "there is no liquid at 160 K: the critical temperature"),
        (["lennard_jones", "-t", "1.4"], "there is no liquid at 1.4"),
        (["argom", "-t", "100"], "there is no model 'argom'"),
        (["argon", "-t", "hot"], '"hot" is no number'),
        (["argon", "-t", "100", "--reference", "none.csv"], "does not exist"),
        (["argon", "-t", "100", "--reference", "thol"], "coolprop:FLUID"),
        (["lennard_jones", "-t", "1", "--reference", "coolprop:Argon"], "reduced units"),
        (["argon", "-t", "100", "--method", "slabs"], "did you mean 'slab'"),
    ],
)
def test_what_is_wrong_is_told_before_anything_runs(arguments, message, sterna, tmp_path):
    done = sterna("vle", *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.glob("**/*.toml"))


def test_a_table_of_the_user(tmp_path):
    path = tmp_path / "smith.csv"
    path.write_text("temperature/K,vapor_pressure/bar\n220,5.99\n240,12.8\n260,\n")
    found = read_table(path, {"vapor_pressure": "bar"})
    assert found.label == "smith"
    assert found.values["vapor_pressure"][:2].tolist() == [5.99, 12.8]
    assert numpy.isnan(found.values["vapor_pressure"][2])
    path.write_text("temperature/K,vapour_pressure\n220,5.99\n")
    with pytest.raises(module.SternaError, match=r"smith.csv:1: .*did you mean 'vapor_pressure'"):
        read_table(path, {"vapor_pressure": "bar"})
    path.write_text("temperature/K,vapor_pressure/kPa\n220,599\n")
    with pytest.raises(module.SternaError, match=r"vapor_pressure/kPa.*expected bar"):
        read_table(path, {"vapor_pressure": "bar"})
    path.write_text("temperature,vapor_pressure\n220,5.99\n240,x\n")
    with pytest.raises(module.SternaError, match=r"smith.csv:3: 'x' is no number"):
        read_table(path, {"vapor_pressure": "bar"})
