"""Equilibria of mixtures: ideal limits are exact, the meeting of two phases solves its equations, and
equal molecules of two colors have the vapor of the pure fluid."""

import csv
import importlib.util
import tomllib

import numpy
import pytest
import sterna as module
from sterna.fluids import mixture_report, vapor
from sterna.fluids.compositions import compositions_of, whole_compositions, whole_molecules
from sterna.fluids.mixture_vapor import MixtureLiquid, MixtureVapor, meeting, with_sum


def by_second(heat: float, second, density=None, slope=None) -> MixtureVapor:
    """A vapor without a run, or before its averages are known."""
    none, zero = numpy.zeros(len(second)), numpy.array(0.0)
    slope = numpy.zeros_like(second) if slope is None else slope
    return MixtureVapor(heat, second, slope, none if density is None else density, none, zero, zero)


def ideal(count: int, heat: float = 1.0) -> MixtureVapor:
    return by_second(heat, numpy.zeros((count, count)))


def test_an_ideal_mixture_has_raoults_law():
    x, pure = numpy.array([0.2, 0.5, 0.3]), numpy.array([0.03, 0.01, 0.002])
    heat = 0.9
    liquid = MixtureLiquid(0.01, numpy.log(x * pure / heat), numpy.zeros(3), 0.0)
    density, pressure = meeting(liquid, ideal(3, heat), 1.0)
    assert pressure == pytest.approx(x @ pure, rel=1e-12)
    assert density / density.sum() == pytest.approx(x * pure / (x @ pure), rel=1e-12)


def test_a_dilute_gas_has_henrys_law_and_its_partial_volume():
    """Krichevsky and Kasarnovsky: ln(f/x) = ln H + v (p - p0)/kT."""
    x, henry, volume, heat = 0.01, 8.0, 1.3, 1.0
    potential = numpy.log(numpy.array([x * henry, (1.0 - x) * 0.01]) / heat)
    liquid = MixtureLiquid(0.01, potential, numpy.array([volume, 0.0]), 0.0)
    density, pressure = meeting(liquid, ideal(2, heat), 1.0)
    fugacity = heat * density[0]
    assert numpy.log(fugacity / x) == pytest.approx(
        numpy.log(henry) + volume * (pressure - 0.01) / heat, rel=1e-9
    )
    assert pressure == pytest.approx(fugacity + 0.0099, rel=1e-9)


def test_two_colors_have_the_pressure_of_the_pure_fluid():
    heat, second, total, x = 0.9, -6.6, -4.4, numpy.array([0.3, 0.7])
    pure = vapor.meeting(
        vapor.Liquid(*map(numpy.array, (0.01, total, 1.35, 0.08))),
        vapor.by_virial(heat, second, 8.0, 0.013), 1.0,
    )  # fmt: skip
    liquid = MixtureLiquid(0.01, total + numpy.log(x), numpy.full(2, 1.35), 0.08)
    all_alike = numpy.full((2, 2), second)
    density, pressure = meeting(liquid, by_second(heat, all_alike), 1.0)
    assert density / density.sum() == pytest.approx(x, rel=1e-9)
    # The pure one is linear in the pressure from its state on, which second coefficients are not.
    assert pressure == pytest.approx(float(pure), rel=3e-3)


def test_both_phases_have_the_potentials_of_a_run():
    """A gas with third coefficients, whose run is at another density of the same composition."""
    heat, second = 1.2, numpy.array([[-4.0, -5.5], [-5.5, -8.0]])
    third = 9.0  # of all three molecules
    y = numpy.array([0.4, 0.6])

    def excess(density: numpy.ndarray) -> numpy.ndarray:
        return 2.0 * second @ density + 1.5 * third * density.sum() ** 2

    def force(density: numpy.ndarray) -> float:
        return density.sum() + density @ second @ density + third * density.sum() ** 3

    run, wanted = 0.03 * y, 0.036 * y
    gas = by_second(heat, second, run)
    gas = gas.of_run(excess(run), numpy.array(force(run)), numpy.array(0.0))
    p = heat * force(wanted)
    volume, start = numpy.array([1.1, 1.7]), 0.02
    potential = numpy.log(wanted) + excess(wanted) - volume * (p - start) / heat
    density, pressure = meeting(MixtureLiquid(start, potential, volume, 0.0), gas, 1.0)
    assert density == pytest.approx(wanted, rel=1e-8)
    assert pressure == pytest.approx(p, rel=1e-8)


def test_enthalpies_are_derivatives_of_the_potentials():
    """Gibbs and Helmholtz: h = d(sum of x mu/kT)/d(1/kT) at constant pressure, with coefficients that
    depend on the temperature and a run that has third ones.
    """
    y, p = numpy.array([0.4, 0.6]), 0.02

    def second(beta: float) -> numpy.ndarray:
        return numpy.array([[1.0, 1.3], [1.3, 2.0]]) * (3.0 - 2.5 * numpy.exp(0.9 * beta))

    def third(beta: float) -> float:
        return 4.0 + 5.0 * beta

    def state(beta: float) -> tuple[float, float]:
        """The density at the pressure, and the potential that is beyond the ideal gas of it."""
        b, c, density = float(y @ second(beta) @ y), third(beta), p * beta
        for _ in range(200):
            density = p * beta / (1.0 + b * density + c * density**2)
        excess = 2.0 * b * density + 1.5 * c * density**2
        return density, excess + numpy.log(density / (p * beta))

    beta, small = 0.8, 1e-5
    density, _ = state(beta)
    exact = (state(beta + small)[1] - state(beta - small)[1]) / (2.0 * small)
    slope = -beta * (second(beta + small) - second(beta - small)) / (2.0 * small)
    gas = by_second(1.0 / beta, second(beta), density * y, slope)
    # The potential energy of a molecule by kT is beta du/dbeta of the free energy at one density.
    of_third = 0.5 * 5.0 * density**2 * beta
    of_pairs = -float(y @ slope @ y) * density
    c2, c3 = float(y @ second(beta) @ y) * density, third(beta) * density**2
    run = gas.of_run(
        2.0 * second(beta) @ y * density + 1.5 * third(beta) * density**2,
        numpy.array(density * (1.0 + c2 + c3)), numpy.array(of_pairs + of_third),
    )  # fmt: skip
    assert run.residual_enthalpy(density * y) / beta == pytest.approx(exact, rel=1e-6)
    # Several draws at once.
    several = numpy.stack([density * y, 0.5 * density * y])
    found = run.residual_enthalpy(several)
    assert found[0] == pytest.approx(run.residual_enthalpy(density * y))
    # Half the density has a quarter of what third coefficients add.
    half = 0.5 * (of_pairs + c2) + 0.25 * (of_third + c3)
    assert found[1] == pytest.approx(half, rel=1e-9)


def test_where_no_vapor_has_the_potentials_there_is_none():
    gas = by_second(1.0, numpy.full((2, 2), -10.0))
    liquid = MixtureLiquid(0.01, numpy.array([-1.0, -1.0]), numpy.ones(2), 0.0)
    density, pressure = meeting(liquid, gas, 1.0)
    assert numpy.isnan(density).all()
    assert numpy.isnan(pressure)


def test_partial_volumes_add_up():
    random = numpy.random.default_rng(1)
    shares, exact = numpy.array([0.25, 0.75]), numpy.array([2.0, 1.2])
    errors = numpy.array([0.5, 0.2])
    found = []
    for _ in range(2000):
        values, covariance = with_sum(
            exact + errors * random.standard_normal(2), errors, shares, shares @ exact
        )
        assert shares @ values == pytest.approx(shares @ exact)
        found.append(values)
    assert numpy.mean(found, axis=0) == pytest.approx(exact, abs=0.05)
    assert numpy.cov(numpy.array(found).T) == pytest.approx(covariance, abs=0.02)
    # Of a pure fluid it is the molar volume, whatever insertions say.
    values, covariance = with_sum(numpy.array([9.0]), numpy.array([3.0]), numpy.ones(1), 1.3)
    assert values == pytest.approx([1.3])
    assert covariance == pytest.approx(numpy.zeros((1, 1)))


COLORS = """\
units = "reduced"
[run]
steps = 10
timestep = 0.004
[start]
kind = "random"
particles = 250
density = 0.7
temperature = 1.0
[[type]]
name = "red"
mass = 1.0
epsilon = 1.0
sigma = 1.0
[[type]]
name = "blue"
mass = 1.0
epsilon = 1.0
sigma = 1.0
[interaction]
cutoff = 3.0
truncation = "truncated"
tail_correction = "homogeneous"
"""


def test_a_study_of_two_colors_from_the_command_to_its_files(tmp_path, sterna):
    """The pure fluid's pressure and densities by Thol et al. (test_grand_equilibrium.py)."""
    (tmp_path / "colors.toml").write_text(COLORS)
    command = [
        "vle", "colors.toml", "-t", "1.0", "-x", "0.3", "-m", "250", "--steps", "6000",
        "--equilibration", "3000", "--insertions", "5000", "-d", "study",
    ]  # fmt: skip
    done = sterna(*command, "--report")
    assert "vapor share red" in done.stdout, done.stderr
    assert (tmp_path / "study" / "report.html").read_text().count("<svg") == 2
    with (tmp_path / "study" / "vle.csv").open() as file:
        (row,) = csv.DictReader(file)
    assert row["state"] == "complete"
    assert float(row["liquid_share_blue"]) == 0.7
    assert float(row["liquid_density"]) == pytest.approx(0.7018, rel=0.05)
    for name, expected, most in (
        ("vapor_pressure", 0.02489, 0.6),
        ("vapor_density", 0.02945, 0.8),
        ("vapor_share_red", 0.3, 0.5),
        ("liquid_residual_enthalpy", -5.8658, -0.02),
        ("vapor_residual_enthalpy", -0.4332, -0.6),
    ):
        error = float(row[f"{name}_error"])
        assert 0.0 < error < most * expected
        assert float(row[name]) == pytest.approx(expected, abs=6.0 * error)
    # Nothing runs again.
    again = sterna(*command)
    assert again.stderr.count("1 of 1 runs are complete already") == 2
    found = module.bubble_points(
        str(tmp_path / "colors.toml"), 1.0, 0.3, tmp_path / "study", 250, 6000, 3000,
        run=False, tell=None, insertions=5000,
    )  # fmt: skip
    assert found["vapor_pressure"][0] == pytest.approx(float(row["vapor_pressure"]))
    if importlib.util.find_spec("matplotlib"):
        found.plot().savefig(tmp_path / "plot.png")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["argon,krypton", "-t", "100"], "the composition of the liquid is missing"),
        (["argon,krypton", "-t", "100", "-x", "0.2/0.5"], "the shares add up to 0.7"),
        (["argon,krypton", "-t", "100", "-x", "0.2/0.3/0.5"], "3 shares; expected 2"),
        (["argon,krypton", "-t", "100", "-x", "1.0"], "a pure fluid needs no composition"),
        (["argon,krypton", "-t", "100", "-x", "0"], "Infinite dilution has Henry constants"),
        (["argon,krypton,xenon", "-t", "100", "-x", "0/0.5/0.5"], "leave out a component without"),
        (["argon,krypton", "-t", "100", "-x", "0.0005"], "of 500 molecules none is argon"),
        (["argon,krypton", "-t", "100", "-x", "0.5,0.5005"], "the same as another one"),
        (["argon,krypton", "-t", "100", "-x", "half"], '"half" is no number'),
        (["argon,krypton", "-t", "100", "-x", "0.5,0.5"], "given twice"),
        (["argon,kripton", "-t", "100", "-x", "0.5"], "did you mean 'krypton'"),
        (["argon,krypton", "-t", "400", "-x", "0.5"], "there is no liquid of argon-krypton at 400"),
        (["mixture.xml", "-t", "100", "-x", "0.5"], "expected names of models with commas, or an input"),
        (["argon", "-t", "100", "-x", "0.5"], "argon is one fluid; expected two or more"),
        (["lennard_jones,argon", "-t", "1", "-x", "0.5"], "mixes with no model"),
        (["argon,krypton", "-t", "99", "-x", "0.5", "--method", "slab"], "expected grand-equilibrium"),
        (["argon,krypton", "-t", "99", "-x", "0.5", "--reference", "a.csv"], "expected none"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_before_anything_runs(arguments, message, sterna, tmp_path):
    done = sterna("vle", *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.glob("**/*.toml"))


BLUE = COLORS[COLORS.rindex("[[type]]") : COLORS.index("[interaction]")]


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ('units = "reduced"', 'units = "nano"', "expected one of reduced, real"),
        ('tail_correction = "homogeneous"', "", 'expected tail_correction = "homogeneous"'),
        (BLUE, "", "is one fluid"),
        ("cutoff = 3.0", "cutof = 3.0", "cutof"),
    ],
)
def test_inputs_that_are_no_mixture_are_refused(before, after, message, sterna, tmp_path):
    (tmp_path / "colors.toml").write_text(COLORS.replace(before, after))
    done = sterna("vle", "colors.toml", "-t", "1.0", "-x", "0.3")
    assert done.returncode != 0
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_compositions():
    assert compositions_of("0.2,0.5", 2) == [(0.2, 0.8), (0.5, 0.5)]
    assert compositions_of("0.2/0.3/0.5", 3) == [(0.2, 0.3, 0.5)]
    assert compositions_of(0.25, 2) == [(0.25, 0.75)]
    assert compositions_of([0.25, 0.5], 2) == [(0.25, 0.75), (0.5, 0.5)]
    assert compositions_of([0.2, 0.3, 0.5], 3) == [(0.2, 0.3, 0.5)]
    assert compositions_of([[0.2, 0.8], [0.3, 0.7]], 2) == [(0.2, 0.8), (0.3, 0.7)]
    assert compositions_of(numpy.array([0.25, 0.5]), 2) == [(0.25, 0.75), (0.5, 0.5)]
    assert compositions_of([[0.2, 0.8], [0.3]], 2) == [(0.2, 0.8), (0.3, 0.7)]
    several = [(0.2, 0.3, 0.5), (0.1, 0.4, 0.5)]
    assert compositions_of(["0.2/0.3/0.5", "0.1/0.4/0.5"], 3) == several
    assert compositions_of(numpy.array(several), 3) == several


def test_compositions_that_are_none_are_refused():
    for given, count, message in (
        ([], 2, "there is no composition"),
        (None, 2, '"None" is no number'),
        ([[0.2, 0.8], [0.3]], 3, "2 shares; expected 3"),
        ([[0.2, 0.8], [0.3, None]], 2, '"None" is no number'),
        ("", 2, '"" is no number'),
    ):
        with pytest.raises(module.SternaError, match=message):
            compositions_of(given, count)


def test_shares_are_those_of_whole_molecules():
    assert whole_molecules((1 / 3, 1 / 3, 1 / 3), 100) == [34, 33, 33]
    assert whole_molecules((0.003, 0.997), 500) == [2, 498]
    found, notes = whole_compositions([(0.003, 0.997), (0.3, 0.7)], 500, ["a", "b"])
    assert found == [(0.004, 0.996), (0.3, 0.7)]
    assert notes == ["the share of a is 0.004 and not 0.003: it has 2 of 500 molecules"]


def test_reported_shares_are_those_that_ran(tmp_path):
    (tmp_path / "colors.toml").write_text(COLORS)
    told = []
    found = module.bubble_points(
        str(tmp_path / "colors.toml"), 1.0, 0.0145, tmp_path / "study", 250, 200, 100,
        tell=told.append, insertions=100,
    )  # fmt: skip
    assert found.shares.tolist() == [[0.016, 0.984]]
    assert any("the share of red is 0.016 and not 0.0145" in line for line in told)
    assert found.notes[0].endswith("it has 4 of 250 molecules")
    # So few insertions have no error, and words and numbers agree.
    assert numpy.isnan(found.error("vapor_pressure")).all()
    assert "the errors are not known" in found.notes[1]
    if numpy.isfinite(found["vapor_pressure"][0]):
        assert "(?)" in str(found)
        assert found.rows()[0]["vapor_pressure_error"] == ""
    (row,) = module.Sweep(tmp_path / "study" / "liquids.toml").rows()
    red, blue = row["density_red"], row["density_blue"]
    assert red / (red + blue) == pytest.approx(0.016, rel=1e-9)


def test_models_of_atoms_and_molecules_make_one_input(tmp_path):
    found = module.bubble_points(
        "argon,ethane_2cljq", 150, 0.4, tmp_path, run=False, tell=None, reference="none"
    )
    assert found.states == ["waiting"]
    assert numpy.isnan(found["vapor_pressure"]).all()
    assert "waiting" in str(found)
    (run,) = module.Sweep(tmp_path / "liquids.toml").runs
    sections = tomllib.loads(run.text)
    assert sections["type"][0]["fraction"] == 0.4
    assert sections["component"][0]["fraction"] == 0.6


def made_points(folder, model: str, compositions) -> module.BubblePoints:
    """Points with a made reference."""
    found = module.bubble_points(
        model, 150, compositions, folder, run=False, tell=None, reference="none"
    )
    for name in found.units:
        found._values[name] = 0.1 + found.shares[:, 0]
        found._errors[name] = numpy.full(len(found.shares), 0.01)
    found.label, found.beside = "made", dict(found._values)
    return found


def test_the_reference_of_a_plot_is_a_line_by_shares_and_points_of_more_components(
    tmp_path, monkeypatch
):
    drawn = []
    monkeypatch.setattr(mixture_report, "line_plot", lambda *a: drawn.extend(a[3]) or "")
    found = made_points(tmp_path / "two", "argon,krypton", [0.6, 0.2, 0.4])
    assert "Bubble points" in mixture_report.report_text(found)
    assert [line.style for line in drawn[:2]] == ["points", "dashed"]
    assert numpy.asarray(drawn[1].x).tolist() == [0.2, 0.4, 0.6]
    assert numpy.asarray(drawn[1].y) == pytest.approx([0.3, 0.5, 0.7])
    drawn.clear()
    found = made_points(tmp_path / "three", "argon,krypton,xenon", ["0.2/0.3/0.5", "0.1/0.4/0.5"])
    mixture_report.report_text(found)
    assert {line.style for line in drawn} == {"points"}
