"""The corrections for a net charge in a periodic box: lattices, limits, and published forms."""

import math

import numpy as np
import pytest
from sterna.errors import SternaError
from sterna.free_energies import lattice_potential, net_charge_correction, quadrupole_trace

COULOMB = 138.935458  # kJ/mol nm/e^2
#: Energies of Wigner's crystals, in e^2/(4 pi eps0) by the radius of a charge's sphere (Hasse and
#: Avilov, Phys. Rev. A 44, 4506 (1991)).
CRYSTALS = {
    "cubic": (np.eye(3), -0.880059442),
    "body-centered": (0.5 * np.array([[-1, 1, 1], [1, -1, 1], [1, 1, -1]]), -0.895929255),
    "face-centered": (0.5 * np.array([[0, 1, 1], [1, 0, 1], [1, 1, 0]]), -0.895873615),
}


@pytest.mark.parametrize("name", CRYSTALS)
@pytest.mark.parametrize("scale", [0.7, 3.1])
def test_lattices_have_the_energies_of_wigner_crystals(name, scale):
    box, energy = CRYSTALS[name]
    box = scale * np.asarray(box)
    radius = (3.0 * abs(np.linalg.det(box)) / (4.0 * math.pi)) ** (1.0 / 3.0)
    assert 0.5 * lattice_potential(box) * radius == pytest.approx(energy, abs=2e-9)


def test_a_cube_and_the_choice_of_edges():
    assert lattice_potential([2.0, 2.0, 2.0]) == pytest.approx(-2.837297479 / 2.0, abs=1e-9)
    skewed = np.array([[2.0, 0.0, 0.0], [0.7, 3.0, 0.0], [-0.4, 0.9, 2.5]])
    # Other edges of the same lattice.
    other = np.array([[1, 1, 0], [0, 1, 0], [0, 2, 1]]) @ skewed
    assert lattice_potential(other) == pytest.approx(lattice_potential(skewed), abs=1e-10)


def test_a_charge_in_vacuum_has_the_energy_of_its_images():
    """Without solvent only the images are left, and they are all of the raw energy."""
    found = net_charge_correction([2.5] * 3, 0.0, 1.0, permittivity=1.0, radius=0.2)
    assert found.images == pytest.approx(0.5 * 2.837297479 * COULOMB / 2.5, rel=1e-6)
    assert found.excluded_volume == 0.0
    assert found.total == found.images


def test_the_published_form_for_an_ion_in_a_sphere():
    """Huenenberger and McCammon (1999), without the term of (R / L)^5."""
    edge, radius, permittivity, charge = 3.0, 0.25, 66.6, -2.0
    found = net_charge_correction([edge] * 3, 0.0, charge, permittivity=permittivity, radius=radius)
    whole = 0.5 * COULOMB * charge**2 / edge
    assert found.images == pytest.approx(whole * 2.837297479 / permittivity, rel=1e-6)
    volume = (1.0 - 1.0 / permittivity) * 4.0 * math.pi / 3.0 * (radius / edge) ** 2
    assert found.excluded_volume == pytest.approx(whole * volume, rel=1e-6)


def test_the_solvent_by_its_quadrupole():
    """SPC water: 0.0082 e nm^2 (Kastenholz and Huenenberger, J. Chem. Phys. 124, 124106 (2006))."""
    angle = math.radians(109.47)
    water = [[0, 0, 0], [0.1, 0, 0], [0.1 * math.cos(angle), 0.1 * math.sin(angle), 0]]
    trace = quadrupole_trace([-0.82, 0.41, 0.41], water)
    assert trace == pytest.approx(0.0082)
    found = net_charge_correction(
        [3.0] * 3, 0.0, 1.0, permittivity=66.6, solvent_molecules=900, solvent_quadrupole=trace
    )
    assert found.solvent == pytest.approx(-4 * math.pi * COULOMB / 6 * 0.0082 * 900 / 27, rel=1e-6)
    # What is charged and discharged again has no correction, wherever the others are.
    there = {"permittivity": 66.6, "radius": 0.3, "others": 2.0, "solvent_molecules": 9}
    forth = net_charge_correction([3.0] * 3, -1.0, 1.0, solvent_quadrupole=trace, **there)
    back = net_charge_correction([3.0] * 3, 1.0, -1.0, solvent_quadrupole=trace, **there)
    assert forth.total == pytest.approx(-back.total)
    assert forth.images != 0.0


def test_the_numbers_of_the_page():
    """docs/howto/alchemy.md, the section on a net charge."""
    water = [[0, 0, 0], [0.1, 0, 0], [-0.0333, 0.0943, 0]]
    trace = quadrupole_trace([-0.8476, 0.4238, 0.4238], water)
    found = net_charge_correction(
        [1.866] * 3, 0, 1, permittivity=71, radius=0.2, solvent_molecules=215,
        solvent_quadrupole=trace,
    )  # fmt: skip
    parts = (found.images, found.excluded_volume, found.solvent)
    assert parts == pytest.approx((1.49, 1.77, -81.6), abs=0.03)


def test_a_counterion_that_changes_with_it_leaves_no_images():
    found = net_charge_correction([3.0] * 3, 1.0, 0.0, permittivity=66.6, others=-0.5)
    assert found.images == pytest.approx(0.0)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"box": [1.0, 2.0]}, "three edges of a box"),
        ({"box": [[1, 0, 0], [2, 0, 0], [0, 0, 1]]}, "no volume"),
        ({"box": [1.0, math.nan, 1.0]}, "three edges of a box"),
        ({"permittivity": 0.5}, "at least 1, got 0.5"),
        ({"permittivity": math.nan}, "at least 1, got nan"),
        ({"radius": -0.1}, "radius of at least 0"),
        ({"solvent_molecules": -1}, "number of molecules"),
    ],
)
def test_numbers_without_a_meaning(arguments, words):
    usual = {"box": [1.0, 1.0, 1.0], "before": 0.0, "after": 1.0, "permittivity": 80.0}
    with pytest.raises(SternaError, match=words):
        net_charge_correction(**(usual | arguments))


def test_a_solvent_without_a_meaning():
    with pytest.raises(SternaError, match="must be neutral"):
        quadrupole_trace([1.0], [[0.0, 0.0, 0.0]])
    with pytest.raises(SternaError, match="shapes"):
        quadrupole_trace([1.0, -1.0], [[0.0, 0.0, 0.0]])
