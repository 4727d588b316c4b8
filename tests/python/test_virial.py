"""Virial coefficients: energies of two molecules are those of the engine, coefficients those of
series, tables and plain quadrature."""

import csv
import tomllib
from math import factorial, gamma, pi

import numpy
import pytest
import sterna
from sterna import SternaError
from sterna.fluids import pair_model as models
from sterna.fluids.pair_energy import PairEnergy, TurnedMolecule, matrices
from sterna.fluids.second_virial import second_virial
from sterna.fluids.third_virial import third_virial, third_virial_of_atoms

#: What all ends of the Lennard-Jones part have in common: they lie in a box of 20 nm.
INPUT = """\
units = "nano"
[run]
steps = 1
timestep = 0.001
precision = "double"
[interaction]
cutoff = {cutoff}
{interaction}
"""
WATER_AND_MORE = """\
[[component]]
name = "everything"
[[component.site]]
kind = "lennard_jones"
position = [0.0, 0.0, 0.05]
mass = 14.0
epsilon = 0.8
sigma = 0.3
[[component.site]]
kind = "charge"
position = [0.0, 0.08, -0.05]
mass = 3.0
charge = 0.3
[[component.site]]
kind = "charge"
position = [0.0, -0.08, -0.05]
mass = 3.0
charge = -0.3
[[component.site]]
kind = "dipole"
position = [0.0, 0.02, 0.05]
dipole_moment = "1.2 D"
axis = [0.0, 1.0, 1.0]
[[component.site]]
kind = "quadrupole"
position = [0.0, -0.02, 0.0]
quadrupole_moment = "3 D*angstrom"
axis = [1.0, 0.5, 0.0]
[[component]]
name = "carbon dioxide"
model = "carbon_dioxide_merker"
[[component]]
name = "water"
model = "spce"
[[component]]
name = "oxide"
model = "ethylene_oxide"
[[component]]
name = "argon"
model = "argon"
[[pair]]
first = "water"
second = "carbon dioxide"
xi = 0.9
eta = 1.05
"""


def engine_energy(text: str, apart: numpy.ndarray, kinds: tuple[int, int], turns: numpy.ndarray):
    """Of two molecules in a box that is far wider than the cutoff."""
    places = numpy.array([apart, numpy.zeros(3)]) + 10.0
    system = sterna.System.from_arrays(
        [20.0, 20.0, 20.0], places, type=list(kinds), orientation=turns
    )
    with sterna.Simulation(sterna.Input(tomllib.loads(text)), system) as simulation:
        simulation.measure()
        return simulation.thermo["potential_energy"]


@pytest.mark.parametrize(
    ("cutoff", "interaction"),
    [
        (9.0, 'truncation = "truncated"'),
        (0.55, 'truncation = "shifted"'),
        (0.55, 'truncation = "shifted"\nmolecular_cutoff = "site"'),
    ],
)
def test_energies_of_two_molecules_are_those_of_the_engine(tmp_path, cutoff, interaction):
    # Charges and multipoles always act at any distance, so the engine's end of all of them counts
    # only where nothing else has one.
    only = "" if cutoff > 1.0 else '[[component]]\nname = "argon"\nmodel = "argon"\n[[component]]\n' + (
        'name = "two"\n' + "".join(
            f'[[component.site]]\nkind = "lennard_jones"\nposition = [0.0, 0.0, {z}]\nmass = 10.0\n'
            f"epsilon = {e}\nsigma = 0.3\n" for z, e in ((0.1, 0.5), (-0.1, 1.5)))
    )  # fmt: skip
    text = INPUT.format(cutoff=cutoff, interaction=interaction) + (only or WATER_AND_MORE)
    path = tmp_path / "fluid.toml"
    start = (
        '[start]\nkind = "lattice"\nparticles = 100\ndensity = "0.01 g/cm^3"\ntemperature = 300\n'
    )
    path.write_text(text + start)
    model = models.pair_model(path)
    random = numpy.random.default_rng(3)
    count = len(model.molecules)
    checked = 0
    for a in range(count):
        for b in range(count):
            turns = random.standard_normal((2, 4))
            turns /= numpy.linalg.norm(turns, axis=1, keepdims=True)
            apart = random.standard_normal(3)
            apart *= random.uniform(0.4, 0.6) / numpy.linalg.norm(apart)
            one, other = (
                TurnedMolecule(model.molecules[kind], matrices(turn[:, None]))
                for kind, turn in zip((a, b), turns, strict=True)
            )
            found = PairEnergy(model, a, b, 1e30).energy(apart[:, None], one, other)[0][0]
            expected = engine_energy(text, apart, (a, b), turns)
            assert found == pytest.approx(expected, rel=1e-12, abs=1e-12), (a, b)
            checked += expected != 0.0
    assert checked > count * count // 2


def lennard_jones_series(temperature: float) -> float:
    """B / sigma^3 (Hirschfelder, Curtiss and Bird, Molecular Theory of Gases and Liquids, 3.6)."""
    terms = (
        -(2.0 ** (j - 0.5)) / (2.0 * factorial(j)) * gamma((2 * j - 1) / 4)
        * temperature ** (-(2 * j + 1) / 4)
        for j in range(80)
    )  # fmt: skip
    return 2.0 * pi / 3.0 * sum(terms)


@pytest.mark.parametrize("temperature", [0.7, 1.0, 1.5, 2.0, 4.0, 20.0])
def test_second_coefficient_of_lennard_jones_is_its_series(temperature):
    found = sterna.virial("lennard_jones", temperature, third=False)
    expected = lennard_jones_series(temperature)
    assert found.second.value[0] == pytest.approx(expected, rel=1e-7)
    step = 1e-4
    slope = (
        lennard_jones_series(temperature * (1 + step))
        - lennard_jones_series(temperature * (1 - step))
    ) / (2 * step)
    assert found.second.slope[0] == pytest.approx(slope, rel=1e-6)


@pytest.mark.parametrize(
    ("temperature", "published"),
    # In units of (2 pi sigma^3 / 3)^2: table I-B of Hirschfelder, Curtiss and Bird.
    [(0.8, -0.84953), (1.0, 0.42966), (2.0, 0.43710), (4.0, 0.32662)],
)
def test_third_coefficient_of_lennard_jones_is_that_of_tables(temperature, published):
    found = third_virial_of_atoms(models.pair_model("lennard_jones"), (0, 0, 0), temperature)
    assert found.value / (2.0 * pi / 3.0) ** 2 == pytest.approx(published, abs=1e-3)
    assert found.error < 1e-5


CUT = """\
units = "reduced"
[run]
steps = 1
timestep = 0.001
[start]
kind = "lattice"
cells = [6, 6, 6]
density = 0.3
[[type]]
name = "A"
[interaction]
cutoff = 2.5
truncation = "{truncation}"
"""


@pytest.mark.parametrize("truncation", ["shifted", "truncated"])
def test_coefficients_of_a_potential_that_ends(tmp_path, truncation):
    (tmp_path / "cut.toml").write_text(CUT.format(truncation=truncation))
    found = sterna.virial(tmp_path / "cut.toml", 1.2)
    # A plain sum over a fine grid, by the midpoints of its cells.
    width = 1e-5
    r = numpy.arange(0.3, 2.5, width) + 0.5 * width
    end = 4 * (2.5**-12 - 2.5**-6) if truncation == "shifted" else 0.0
    f = numpy.expm1(-(4 * (r**-12 - r**-6) - end) / 1.2)
    expected = -2 * pi * ((f * r * r).sum() * width - 0.3**3 / 3)
    assert found.second.value[0] == pytest.approx(expected, rel=1e-6)
    # The same by sampling; 6 standard errors.
    model = models.pair_model(tmp_path / "cut.toml")
    sampled = third_virial(model, (0, 0, 0), 1.2, steps=300, walks=1024)
    assert abs(sampled.value - found.third.value[0]) < 6 * sampled.error
    assert sampled.error < 0.1 * abs(found.third.value[0])


def stockmayer_by_quadrature(temperature: float, moment: float) -> float:
    """B / sigma^3 of Lennard-Jones sites with a point dipole, all four integrals by Gauss."""
    x, wx = numpy.polynomial.legendre.leggauss(24)
    ends = numpy.concatenate([numpy.arange(0.5, 3.0, 0.125), numpy.geomspace(3.0, 200.0, 25)])
    r, wr = numpy.concatenate([
        [0.5 * (b - a) * x + 0.5 * (a + b), 0.5 * (b - a) * wx]
        for a, b in zip(ends, ends[1:], strict=False)
    ], axis=1)  # fmt: skip
    angle = 2 * pi * (numpy.arange(24) + 0.5) / 24
    c1, c2, phi = numpy.meshgrid(x, x, angle, indexing="ij")
    weight = (wx[:, None] * wx)[:, :, None] / 4 / 24
    shape = 2 * c1 * c2 - numpy.sqrt((1 - c1**2) * (1 - c2**2)) * numpy.cos(phi)
    total = -(0.5**3) / 3
    for distance, w in zip(r, wr, strict=True):
        u = 4 * (distance**-12 - distance**-6) - moment**2 * shape / distance**3
        # The mean of the dipoles' part is 0.
        f = numpy.expm1(-u / temperature) - moment**2 * shape / distance**3 / temperature
        total += w * distance**2 * (weight * f).sum()
    return -2 * pi * total


def test_second_coefficient_of_dipoles_is_that_of_plain_quadrature():
    place = numpy.zeros((1, 3))
    molecule = models.Molecule(
        "S", wells=place, epsilon=numpy.ones(1), sigma=numpy.ones(1), dipoles=place,
        dipole=numpy.array([[0.0, 0.0, 1.2]]),
    )  # fmt: skip
    model = models.PairModel([molecule], reduced=True)
    found = second_virial(model, 0, 0, numpy.array([1.5, 3.0]))
    for k, temperature in enumerate((1.5, 3.0)):
        expected = stockmayer_by_quadrature(temperature, 1.2)
        assert found.value[k] == pytest.approx(expected, abs=7 * found.error[k] + 1e-5)
        assert found.error[k] < 3e-3


def off_center() -> models.PairModel:
    """Atoms whose centers of mass are elsewhere: molecules that turn, with known coefficients."""
    site = numpy.array([[0.1, 0.25, -0.2]])
    return models.PairModel(
        [models.Molecule("O", wells=site, epsilon=numpy.ones(1), sigma=numpy.ones(1))], reduced=True
    )


def test_coefficients_do_not_depend_on_the_center_of_a_molecule():
    second = second_virial(off_center(), 0, 0, numpy.array([1.3]))
    expected = lennard_jones_series(1.3)
    assert abs(second.value[0] - expected) < 7 * second.error[0]
    assert second.error[0] < 5e-3 * abs(expected)
    third = third_virial(off_center(), (0, 0, 0), 1.3, steps=300, walks=1024)
    exact = third_virial_of_atoms(models.pair_model("lennard_jones"), (0, 0, 0), 1.3)
    assert abs(third.value - exact.value) < 6 * third.error
    assert third.error < 0.1 * exact.value


def test_cross_coefficients_by_sampling_are_those_by_quadrature():
    model = models.pair_model("argon,methane")
    for kinds in ((0, 0, 1), (0, 1, 1)):
        sampled = third_virial(model, kinds, 200.0, steps=300, walks=1024)
        exact = third_virial_of_atoms(model, kinds, 200.0)
        assert abs(sampled.value - exact.value) < 6 * sampled.error
        assert sampled.error < 0.1 * exact.value


def test_a_mixture_of_one_fluid_with_itself(tmp_path):
    (tmp_path / "same.toml").write_text(
        CUT.format(truncation="shifted").replace(
            "[interaction]",
            '[[type]]\nname = "B"\n[[pair]]\nfirst = "A"\nsecond = "B"\nsigma = 1.0\n[interaction]',
        )
    )
    found = sterna.virial(tmp_path / "same.toml", [1.0, 2.0])
    assert [one.name for one in found.coefficients][:3] == ["B(A, A)", "B(A, B)", "B(B, B)"]
    b, c = found.of_mixture([0.3, 0.7])
    assert b == pytest.approx(found.second.value, rel=1e-9)
    assert c == pytest.approx(found.third.value, rel=1e-6)
    assert found.of("B", "A") is found.of("A", "B")
    with pytest.raises(KeyError, match="there is no molecule 'C'"):
        found.of("A", "C")
    with pytest.raises(ValueError, match="sum is 1"):
        found.of_mixture([0.3, 0.3])


def test_the_command_prints_and_writes_a_table(tmp_path, sterna):
    done = sterna(
        "virial", "argon", "-t", "300:500:200", "-o", tmp_path / "b.csv", "--reference", "none"
    )
    assert done.returncode == 0, done.stderr
    assert "B(argon, argon) in cm^3/mol" in done.stdout
    with (tmp_path / "b.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["coefficient"] for row in rows] == ["B", "B", "C", "C"]
    # Exact for this model of argon, in cm^3/mol; ms2's own example says 7.93.
    assert float(rows[1]["value"]) == pytest.approx(7.820, abs=5e-4)
    assert float(rows[1]["temperature/K"]) == 500.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["argom", "-t", "300"], "there is no model 'argom'"),
        (["argon", "-t", "300,x"], '"x" is no number'),
        (["argon", "-t", "-5"], "expected a number above 0"),
        (["argon", "-t", "300,300"], "given twice"),
        (["argon,argon", "-t", "300"], "named twice"),
        (["lennard_jones,argon", "-t", "3"], "mixes with no model"),
        (["missing.toml", "-t", "3"], "missing.toml"),
        (["argon", "-t", "300", "--reference", "table.txt"], "coolprop:FLUID"),
    ],
)
def test_what_is_wrong_is_told(arguments, message, sterna):
    done = sterna("virial", *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (('name = "A"', 'name = "A"\ncharge = 1.0'), "charge"),
        (("[interaction]", '[[pair]]\nfirst = "A"\nsecond = "A"\npotential = "morse"\ndepth = 1.0\n'
          "alpha = 5.0\nr0 = 1.0\n[interaction]"), "morse"),
        (('truncation = "shifted"', 'truncation = "force_shifted"'), "force_shifted"),
        (("cutoff = 2.5", "cutof = 2.5"), "cutoff"),
    ],
)  # fmt: skip
def test_inputs_without_coefficients_are_refused(tmp_path, change, message):
    text = CUT.format(truncation="shifted")
    assert change[0] in text
    (tmp_path / "cut.toml").write_text(text.replace(*change))
    with pytest.raises(SternaError, match=message):
        sterna.virial(tmp_path / "cut.toml", 1.0)
