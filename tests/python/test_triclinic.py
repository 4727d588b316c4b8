"""Runs in triclinic boxes from the command line: what they write, and what is refused."""

import numpy
import pytest
from sterna import read_log

h5py = pytest.importorskip("h5py")

CELL = numpy.array([[9.0, 0.0, 0.0], [3.0, 8.5, 0.0], [-2.0, 4.0, 9.5]])

INPUT = """\
[run]
name = "skewed"
steps = 200
timestep = 0.004
[start]
kind = "file"
file = "start.extxyz"
temperature = 1.5
[[type]]
name = "A"
[interaction]
cutoff = 2.5
[output]
thermo_interval = 50
trajectory_interval = 50
trajectory_fields = ["position", "image"]
"""


def write_start(path, cell=CELL, edge=8):
    random = numpy.random.default_rng(7)
    sites = numpy.stack(numpy.meshgrid(*3 * [numpy.arange(edge)], indexing="ij"), -1)
    position = (sites.reshape(-1, 3) + 0.5) / edge @ cell
    position += random.uniform(-0.03, 0.03, position.shape)
    lattice = " ".join(map(repr, cell.ravel().tolist()))
    lines = [str(len(position)), f'Lattice="{lattice}" Properties=species:S:1:pos:R:3']
    lines += ["A " + " ".join(map(repr, row)) for row in position.tolist()]
    path.write_text("\n".join(lines) + "\n")


def test_any_number_of_ranks_computes_the_same_in_a_triclinic_box(sterna, tmp_path):
    write_start(tmp_path / "start.extxyz")
    (tmp_path / "skewed.toml").write_text(INPUT.replace("steps = 200", "steps = 2"))
    rows = []
    for ranks in (1, 3, 8):
        done = sterna("run", "skewed.toml", "-n", ranks)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "with tilt [3, -2, 4]" in done.stdout
        rows.append(read_log(tmp_path / "skewed.log.jsonl").rows[0])
    for row in rows[1:]:
        assert row == pytest.approx(rows[0], rel=1e-12, abs=1e-12)


def test_the_trajectory_of_a_triclinic_box_opens_in_mdanalysis(sterna, tmp_path):
    mdanalysis = pytest.importorskip("MDAnalysis")
    write_start(tmp_path / "start.extxyz")
    (tmp_path / "skewed.toml").write_text(INPUT)
    done = sterna("run", "skewed.toml", "-n", 2)
    assert done.returncode == 0, done.stdout + done.stderr
    path = tmp_path / "skewed.h5md"
    with h5py.File(path) as file:
        group = file["particles/trajectory"]
        edges = group["box/edges/value"][:]
        positions = group["position/value"][:]
        images = group["image/value"][:]
    assert edges.shape == (5, 3, 3)
    assert (edges == CELL).all()
    # Positions are wrapped; with the images they move on without a jump.
    fractions = positions @ numpy.linalg.inv(CELL)
    assert (fractions > -1e-12).all()
    assert (fractions < 1 + 1e-12).all()
    assert (images != images[0]).any()
    unwrapped = positions + images @ CELL
    assert numpy.linalg.norm(numpy.diff(unwrapped, axis=0), axis=-1).max() < 1.5

    from MDAnalysis.lib.mdamath import triclinic_box  # noqa: PLC0415 (where it is installed)

    universe = mdanalysis.Universe.empty(len(positions[0]), trajectory=True)
    universe.load_new(str(path), format="H5MD", convert_units=False)
    for frame, expected in zip(universe.trajectory, positions, strict=True):
        numpy.testing.assert_allclose(frame.dimensions, triclinic_box(*CELL), rtol=1e-6)
        numpy.testing.assert_allclose(frame.triclinic_dimensions, CELL, rtol=1e-5, atol=1e-5)
        numpy.testing.assert_allclose(frame.positions, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("more", "cell", "message"),
    [
        ('[profile]\ninterval = 10\naxis = "y"\n', CELL, "yz must be 0"),
        (
            '[electrostatics]\nkind = "fmm"\nsmoothing = 0.1\n',
            numpy.array([[9.0, 0, 0], [4.5, 7.8, 0], [4.5, 2.6, 7.4]]),
            'Leave out levels and smoothing, or use kind = "ewald"',
        ),
    ],
)
def test_check_says_what_a_triclinic_box_does_not_allow(more, cell, message, sterna, tmp_path):
    write_start(tmp_path / "start.extxyz", cell)
    text = INPUT.replace('name = "A"', 'name = "A"\ncharge = 1.0') if "fmm" in more else INPUT
    (tmp_path / "skewed.toml").write_text(text + more)
    done = sterna("check", "skewed.toml")
    assert done.returncode != 0
    assert message in done.stdout + done.stderr


def test_check_says_how_a_box_could_lean_less(sterna, tmp_path):
    write_start(tmp_path / "start.extxyz", CELL + [[0, 0, 0], [9, 0, 0], [3, 8.5, 0]])
    (tmp_path / "skewed.toml").write_text(INPUT)
    done = sterna("check", "skewed.toml")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "the same lattice with the tilt [3, -2, 4]" in done.stdout
