"""[derivatives] of rigid molecules: of a configuration that stands still they are differences of sums over
all pairs in NumPy; of a fluid they are those of an equation of state of the model."""

import numpy
import pytest
from mixed_matter import Atom, Mixture, Rigid
from test_derivatives import values_of
from test_insertion import BENT, BOLTZMANN, QUADRUPOLE, THERMOSTAT, run
from test_rotors_and_atoms import ARGON, POLAR, mixture, write

TEMPERATURE = 300.0
STEP = 1e-3  #: of the factor that scales the distances of centers


class SamePairs(Mixture):
    """A mixture whose pairs within the cutoff are those of its first energy, also after its box and the
    places of its molecules were scaled."""

    masks = None

    def scaled(self, factor: float) -> "SamePairs":
        changed = {"position": factor * self.position, "box": factor * self.box}
        other = SamePairs(**{**{k: v for k, v in vars(self).items() if k != "masks"}, **changed})
        other.masks = iter(self.masks)
        return other

    def first_energy(self) -> float:
        self.masks = []
        return self.energy()

    def _apart(self, place, owner, other, owner_of_other):
        d, _, near = super()._apart(place, owner, other, owner_of_other)
        if isinstance(self.masks, list):
            self.masks.append(near)
        else:
            near = next(self.masks)
        return d, numpy.sqrt(numpy.where(near, (d**2).sum(axis=2), 1.0)), near


def differences(u: dict) -> tuple:
    """First and second derivative by values at -2 to 2 steps."""
    first = (8.0 * (u[1] - u[-1]) - (u[2] - u[-2])) / (12.0 * STEP)
    second = (16.0 * (u[1] + u[-1]) - (u[2] + u[-2]) - 30.0 * u[0]) / (12.0 * STEP**2)
    return first, second


def derivatives_by_scale(system: Mixture) -> tuple[float, float]:
    """d U/d ln L and d2 U/d L2 at L = 1 of the factor L of all distances of centers."""
    start = SamePairs(**vars(system))
    u = {0: start.first_energy()}
    for k in (-2, -1, 1, 2):
        u[k] = start.scaled(1.0 + k * STEP).energy()
    return differences(u)


def beyond(system: Mixture) -> tuple[float, float]:
    """The same beyond the cutoff, by quadrature over the directions of both molecules."""
    x, w = numpy.polynomial.legendre.leggauss(24)
    inverse, of_inverse = 0.5 * (x + 1.0) / system.cutoff, 0.5 * w / system.cutoff
    distance = 1.0 / inverse

    def averaged(a, b, epsilon: float, sigma: float, factor: float) -> numpy.ndarray:
        both = numpy.sqrt(a * a + b * b - 2.0 * a * b * x)  # of the two arms, by their angle
        r = factor * distance[:, None, None]
        squared = r * r + both[None, :, None] ** 2 + 2.0 * r * both[None, :, None] * x
        s = sigma**6 / squared**3
        return numpy.einsum("ijk,j,k->i", 4.0 * epsilon * (s * s - s), 0.5 * w, 0.5 * w)

    first = second = 0.0
    counts = numpy.bincount(system.kind, minlength=len(system.names))
    for n, one in enumerate(system.rigid):
        for m, other in enumerate(system.rigid):
            eta, xi = system.factors.get((one.name, other.name), (1.0, 1.0))
            eta, xi = system.factors.get((other.name, one.name), (eta, xi))
            pairs = 2.0 * numpy.pi * counts[n] * counts[m] / system.box.prod()
            weights = pairs * distance**4 * of_inverse
            for place, epsilon, sigma in one.wells:
                for place_2, epsilon_2, sigma_2 in other.wells:
                    arms = numpy.linalg.norm(place), numpy.linalg.norm(place_2)
                    well = xi * numpy.sqrt(epsilon * epsilon_2), eta * 0.5 * (sigma + sigma_2)
                    u = {k: averaged(*arms, *well, 1.0 + k * STEP) for k in range(-2, 3)}
                    slope, curvature = differences(u)
                    first += weights @ slope
                    second += weights @ curvature
    return first, second


CASES = {
    "quadrupoles": ([], [QUADRUPOLE], {}),
    "all sites": ([], [QUADRUPOLE, POLAR, BENT], {}),
    "cutoff of sites": ([], [QUADRUPOLE, POLAR, BENT], {"site_cutoff": True}),
    "beside atoms": ([ARGON], [QUADRUPOLE, BENT], {}),
    "beyond the cutoff": (
        [], [QUADRUPOLE, POLAR], {"factors": {("CO2", "polar"): (1.03, 0.9)}},
    ),
}  # fmt: skip


@pytest.mark.parametrize("ranks", [1, 3])
@pytest.mark.parametrize("case", CASES)
def test_a_configuration_that_stands_still(tmp_path, case, ranks):
    atoms, rigid, more = CASES[case]
    kinds = len(atoms) + len(rigid)
    system = mixture(atoms, rigid, [48 // kinds] * kinds, edge=2.6, **more)
    text = THERMOSTAT.format(temperature=TEMPERATURE)
    text += "[output]\nequilibration = 0\n[derivatives]\ninterval = 1\n"
    write(tmp_path, system, text, run='name = "m"')
    path = tmp_path / "mixed.toml"
    text = path.read_text().replace("steps = 0", "steps = 40")
    text = text.replace("timestep = 0.001", "timestep = 1e-9")
    if case == "beyond the cutoff":
        text = text.replace("[interaction]\n", "[interaction]\ntail_correction = true\n")
    path.write_text(text)
    run(tmp_path, "mixed.toml", ranks)
    values = values_of(tmp_path, "m")
    first, second = derivatives_by_scale(system)
    if case == "beyond the cutoff":
        first, second = numpy.array([first, second]) + beyond(system)
    by_heat = 1.0 / (len(system.kind) * BOLTZMANN * TEMPERATURE)
    a01 = -by_heat * first / 3.0
    assert abs(a01) > 0.01
    assert values["A01"][0] == pytest.approx(a01, rel=1e-6)
    a02 = by_heat * (second - 2.0 * first) / 9.0 - 2.0 * a01
    assert values["A02"][0] == pytest.approx(a02, rel=1e-6)


FLUID = """\
units = "nano"
[run]
name = "{name}"
steps = 32000
timestep = "3 fs"
seed = 3
[start]
kind = "lattice"
lattice = "fcc"
cells = [3, 3, 3]
density = "{density} mol/l"
temperature = "{temperature} K"
[[component]]
name = "ethane"
model = "ethane_2cljq"
[interaction]
cutoff = 1.1
truncation = "truncated"
tail_correction = true
[output]
equilibration = 2000
[derivatives]
interval = 10
"""


def test_ethane_against_an_equation_of_state_of_its_model(tmp_path):
    """By the equation of state of two-center Lennard-Jones fluids with quadrupoles (Saager and Fischer,
    Fluid Phase Equilib. 72, 67 (1992); Lisal's two-center fluid), as teqp 0.23.2 has it."""
    expected = {
        "A10": -4.1056, "A01": -0.086, "heat_capacity_v": 3.126, "heat_capacity_p": 6.895,
        "speed_of_sound": 1.1292,
    }  # fmt: skip
    temperature, density = 300.0, 15.0
    text = FLUID.format(name="ethane", density=density, temperature=temperature)
    (tmp_path / "ethane.toml").write_text(text + THERMOSTAT.format(temperature=temperature))
    run(tmp_path, "ethane.toml")
    values = values_of(tmp_path, "ethane")
    for name, reference in expected.items():
        mean, error = values[name]
        if name.startswith("heat"):
            mean, error = mean / 8.31446, error / 8.31446
        assert mean == pytest.approx(reference, abs=5.0 * error + 0.03 * abs(reference)), name
        assert error < 0.2 * abs(reference) + 0.1, name


def test_one_site_is_an_atom(tmp_path):
    """The same configuration of the same fluid, as a component and as a type."""
    sphere = Rigid("Ar", [((0, 0, 0), ARGON.mass)], [((0, 0, 0), ARGON.epsilon, ARGON.sigma)])
    found = []
    for atoms, rigid in (([ARGON], []), ([], [sphere])):
        system = mixture(atoms, rigid, [60], edge=2.6)
        more = THERMOSTAT.format(temperature=TEMPERATURE)
        more += "[output]\nequilibration = 0\n[derivatives]\ninterval = 1\n"
        write(tmp_path, system, more, run='name = "m"')
        path = tmp_path / "mixed.toml"
        text = path.read_text().replace("steps = 0", "steps = 40")
        text = text.replace("timestep = 0.001", "timestep = 1e-9")
        text = text.replace("[interaction]\n", "[interaction]\ntail_correction = true\n")
        path.write_text(text)
        run(tmp_path, "mixed.toml")
        found.append(values_of(tmp_path, "m"))
    for name in ("A10", "A01", "A02"):
        assert found[0][name][0] == pytest.approx(found[1][name][0], rel=2e-6), name


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (("[output]", '[electrostatics]\nkind = "fmm"\n[output]'), "[electrostatics]"),
        (("[interaction]", '[interaction]\nelectrostatics = "reaction_field"'), "reaction field"),
    ],
    ids=["charges at any distance", "reaction field"],
)
def test_what_they_do_not_know_is_refused(tmp_path, change, reason):
    system = mixture([Atom("X", 10.0, 0.5, 0.3)], [BENT], [8, 8], edge=2.6)
    more = THERMOSTAT.format(temperature=TEMPERATURE)
    more += "[output]\nequilibration = 0\n[derivatives]\ninterval = 1\n"
    write(tmp_path, system, more, run='name = "m"')
    path = tmp_path / "mixed.toml"
    path.write_text(path.read_text().replace(*change))
    assert reason in run(tmp_path, "mixed.toml", fails=True)
