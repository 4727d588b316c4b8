"""`sterna new` and `sterna models`: what they write is valid, and is what was asked for."""

import re

import h5py
import numpy
import pytest
from sterna.errors import SternaError
from sterna.frames.configuration import (
    Configuration,
    fill_block,
    random_orientations,
    read_extended_xyz,
)


def nearest_distance(configuration: Configuration) -> float:
    """Of any two particles, images included."""
    r, box = configuration.positions, configuration.box
    shortest = numpy.inf
    for n in range(len(r) - 1):
        d = r[n + 1 :] - r[n]
        d -= box * numpy.rint(d / box)
        shortest = min(shortest, numpy.sqrt((d**2).sum(axis=1)).min())
    return shortest


def test_models_lists_the_library(sterna):
    done = sterna("models")
    assert done.returncode == 0
    assert re.search(r"^  spce +SPC/E", done.stdout, re.MULTILINE)
    assert "J. Phys. Chem. 91, 6269 (1987), doi:10.1021/j100308a038" in done.stdout


@pytest.mark.parametrize("count", [1, 37, 108, 1000])
def test_a_filled_block_is_even(count):
    lower, upper = numpy.array([1.0, 2.0, 3.0]), numpy.array([5.0, 6.0, 15.0])
    places = fill_block(count, lower, upper)
    assert places.shape == (count, 3)
    assert (places > lower).all() and (places < upper).all()
    if count > 10:
        spacing = numpy.cbrt(numpy.sqrt(2) * 4 * 4 * 12 / count)  # of a perfect lattice
        assert nearest_distance(Configuration(upper * 100, ["A"] * count, places)) > 0.6 * spacing
        middle = 0.5 * (lower + upper)
        assert abs(places.mean(axis=0) - middle).max() < 0.1 * (upper - lower).max()


def test_orientations_are_uniform():
    q = random_orientations(20000, seed=3)
    assert numpy.allclose((q**2).sum(axis=1), 1.0)
    assert abs((q**2).mean(axis=0) - 0.25).max() < 0.01
    assert numpy.array_equal(q, random_orientations(20000, seed=3))


def test_a_slab_of_lennard_jones_runs_and_has_its_densities(sterna, tmp_path):
    done = sterna("new", "slab", "lennard_jones", "0.85", "--molecules", "1000")
    assert done.returncode == 0, done.stdout + done.stderr
    start = read_extended_xyz(tmp_path / "slab.extxyz")
    assert start.orientations is None
    edge = start.box[0]
    assert start.box == pytest.approx([edge, edge, 3 * edge])
    inside = (start.positions[:, 2] > edge) & (start.positions[:, 2] < 2 * edge)
    # NIST's saturated densities at 0.85 are 0.7768 and 0.00964: the estimate is near them.
    assert inside.sum() / edge**3 == pytest.approx(0.7768, rel=0.04)
    assert (~inside).sum() / (2 * edge**3) == pytest.approx(0.00964, rel=0.5)
    assert nearest_distance(start) > 0.9
    text = (tmp_path / "slab.toml").read_text()
    (tmp_path / "slab.toml").write_text(re.sub(r"(?m)^steps = .*", "steps = 20", text))
    done = sterna("run", "slab.toml", "-n", "2")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "warning" not in done.stderr
    assert "surface_tension" in (tmp_path / "slab.produce.pressure_tensor.txt").read_text()
    assert (tmp_path / "slab.produce.profile.txt").stat().st_size > 1000


def test_a_droplet_of_argon_is_round(sterna, tmp_path):
    done = sterna("new", "droplet", "argon", "95", "-m", "800", "--name", "drop", "-d", "made")
    assert done.returncode == 0, done.stdout + done.stderr
    start = read_extended_xyz(tmp_path / "made" / "drop.extxyz")
    distance = numpy.linalg.norm(start.positions - 0.5 * start.box, axis=1)
    radius = start.box[0] / 5.0
    inside = distance < radius * 1.05
    assert inside.sum() == 800
    # 1.378 g/cm^3 is argon's saturated liquid at 95 K (0.02078 per cubic angstrom, the unit that
    # programs which draw extended XYZ take it to be in): within the estimate.
    assert 800 / (4 / 3 * numpy.pi * radius**3) == pytest.approx(0.02078, rel=0.05)
    assert nearest_distance(start) > 3.0
    assert "angstrom" in done.stdout
    checked = sterna("check", "made/drop.toml")
    assert checked.returncode == 0, checked.stdout
    assert "error" not in checked.stdout


def test_a_slab_of_molecules_runs_and_its_end_mixes(sterna, tmp_path):
    done = sterna("new", "slab", "ethylene_oxide", "300", "-m", "200", "--liquid-density", "19.5")
    assert done.returncode == 0, done.stdout + done.stderr
    start = read_extended_xyz(tmp_path / "slab.extxyz")
    assert numpy.allclose((start.orientations**2).sum(axis=1), 1.0)
    assert start.box[0] == pytest.approx(10 * numpy.cbrt(200 / (19.5 * 0.602214076)))
    checked = sterna("check", "slab.toml")
    assert checked.returncode == 0, checked.stdout
    text = (tmp_path / "slab.toml").read_text()
    assert 'model = "ethylene_oxide"' in text
    assert 'electrostatics = "reaction_field"' in text
    text = re.sub(r"(?m)^steps = .*", "steps = 4", text).replace(
        "interval = 100\n", "interval = 2\n"
    )
    fields = 'trajectory_interval = 4\ntrajectory_fields = ["position", "orientation"]\n'
    text = text.replace("[output]\n", f"[output]\n{fields}")
    (tmp_path / "slab.toml").write_text(text)
    done = sterna("run", "slab.toml", "-n", "2")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "advice" not in done.stderr
    citation = "Eckl, J. Vrabec and H. Hasse, Fluid Phase Equilib. 274, 16 (2008)"
    assert done.stdout.count(citation) == 6  # at the start and at the end of each stage
    assert "@article{Eckl2008," in (tmp_path / "slab.produce.bib").read_text()
    done = sterna("new", "mixture", "slab.toml", "slab.toml", "--name", "both")
    assert done.returncode == 0, done.stdout + done.stderr
    both = read_extended_xyz(tmp_path / "both.extxyz")
    assert len(both) == 2 * len(start)
    with h5py.File(tmp_path / "slab.produce.h5md") as file:
        end = file["particles/trajectory/orientation/value"][-1]
    assert numpy.allclose(both.orientations[: len(start)], end, atol=1e-7)
    assert sterna("check", "both.toml").returncode == 0


def test_what_cannot_be_made_is_told(sterna, tmp_path):
    done = sterna("new", "slab", "argonn", "90")
    assert done.returncode == 2
    assert "no model 'argonn'; did you mean 'argon'?" in done.stderr
    done = sterna("new", "slab", "argon", "160")
    assert done.returncode == 2
    assert "critical temperature of argon is about 150.69 K" in done.stderr
    assert sterna("new", "slab", "argon", "90", "-m", "100").returncode == 0
    done = sterna("new", "slab", "argon", "90", "-m", "100")
    assert done.returncode == 2
    assert "is there already" in done.stderr


INPUT = """\
[run]
name = "{name}"
steps = 2
timestep = 0.004
[start]
kind = "lattice"
lattice = "sc"
cells = [5, 5, 5]
density = 0.7
temperature = 1.0
[[type]]
name = "{type}"
sigma = {sigma}
[interaction]
cutoff = 2.5
[output]
trajectory_interval = 2
"""


def test_a_mixture_puts_the_ends_of_two_runs_side_by_side(sterna, tmp_path):
    for name, sigma in (("left", 1.0), ("right", 0.9)):
        text = INPUT.format(name=name, type=name.upper(), sigma=sigma)
        (tmp_path / f"{name}.toml").write_text(text)
        done = sterna("run", f"{name}.toml")
        assert done.returncode == 0, done.stdout + done.stderr
    done = sterna("new", "mixture", "left.toml", "right.toml", "--gap", "0.1")
    assert done.returncode == 0, done.stdout + done.stderr
    mixed = read_extended_xyz(tmp_path / "mixture.extxyz")
    with h5py.File(tmp_path / "left.h5md") as file:
        end = file["particles/trajectory/position/value"][-1]
        edges = file["particles/trajectory/box/edges/value"][-1]
    assert mixed.box == pytest.approx([edges[0], edges[1], 2 * edges[2] + 0.2], rel=1e-8)
    assert mixed.species == ["LEFT"] * 125 + ["RIGHT"] * 125
    assert numpy.allclose(mixed.positions[:125], end % edges, atol=1e-7)
    assert mixed.positions[125:, 2].min() > edges[2]
    text = (tmp_path / "mixture.toml").read_text()
    assert text.count("[[type]]") == 2
    assert sterna("run", "mixture.toml").returncode == 0


@pytest.mark.parametrize(
    ("edges", "rule", "words"),
    [
        ((4.0, 5.0), "lorentz_berthelot", "equally wide in x and y, but are 4 x 4 and 5 x 5"),
        ((4.0, 4.0), "kong", "a.toml has mixing = 'kong' and b.toml 'lorentz_berthelot'"),
    ],
)
def test_boxes_of_unlike_width_and_rules_do_not_mix(edges, rule, words, sterna, tmp_path):
    for name, edge in zip("ab", edges, strict=True):
        text = INPUT.format(name=name, type=name, sigma=1.0)
        if name == "a":
            text = text.replace("[interaction]\n", f'[interaction]\nmixing = "{rule}"\n')
        begin, end = text.index("kind ="), text.index("[[type]]")
        text = text[:begin] + f'kind = "file"\nfile = "{name}.extxyz"\n' + text[end:]
        (tmp_path / f"{name}.toml").write_text(text)
        Configuration(numpy.full(3, edge), [name], numpy.ones((1, 3))).write(
            tmp_path / f"{name}.extxyz"
        )
    done = sterna("new", "mixture", "a.toml", "b.toml")
    assert done.returncode == 2
    assert words in done.stderr


def test_damaged_start_files_are_refused(tmp_path):
    path = tmp_path / "start.extxyz"
    path.write_text('2\nLattice="1 0 0 0 1 0 0 0 1"\nA 0 0 0\n')
    with pytest.raises(SternaError, match="expected 2 lines of 4 columns"):
        read_extended_xyz(path)
    path.write_text('1\nLattice="1 0 0 1 1 0 0 0 1"\nA 0 0 0\n')
    with pytest.raises(SternaError, match="not orthorhombic"):
        read_extended_xyz(path)
