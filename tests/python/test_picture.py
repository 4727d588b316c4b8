"""Pictures: each particle where it is, in the color of its element, without a display."""

import subprocess

import numpy
import pytest
import sterna
from conftest import sterna_command, sterna_environment
from matplotlib.collections import EllipseCollection, LineCollection
from matplotlib.colors import to_rgb
from observer_support import CHAINS, WATERS
from observer_support import run as run_soft
from sterna.frames.picture import COLORS, _view, draw

MELT = """\
units = "reduced"
[run]
name = "melt"
timestep = 0.004
steps = 4
[start]
kind = "lattice"
lattice = "fcc"
cells = [4, 4, 4]
density = 0.8
temperature = 1.0
[[type]]
name = "A"
fraction = 0.5
[[type]]
name = "B"
fraction = 0.5
[interaction]
cutoff = 2.0
[output]
trajectory_interval = 2
"""


@pytest.fixture(scope="module")
def soft(tmp_path_factory):
    return run_soft(tmp_path_factory.mktemp("soft") / "one", more="", steps=10)


def circles_of(figure):
    return next(c for c in figure.axes[0].collections if isinstance(c, EllipseCollection))


def test_particles_are_where_they_are_in_the_colors_of_their_elements(soft):
    trajectory = sterna.open(soft / "soft.h5md").frames
    figure = draw(trajectory, turned=(0.0, 0.0))
    circles = circles_of(figure)
    places = circles.get_offsets()
    assert len(places) == 5 * CHAINS + 3 * WATERS
    # Seen along y, x is to the right and z up, from the middle of the box.
    frame = trajectory[-1]
    expected = trajectory.atoms().at(frame).wrapped()[0]
    expected = expected[:, [0, 2]] - frame.edges.diagonal()[[0, 2]] / 2
    order = numpy.argsort(-trajectory.atoms().at(frame).wrapped()[0][:, 1])
    numpy.testing.assert_allclose(places, expected[order], atol=1e-9)
    # What is nearest has its own color, and what is far away fades.
    colors = circles.get_facecolor()[:, :3]
    elements = trajectory.atoms().element[order]
    numpy.testing.assert_allclose(colors[-1], to_rgb(COLORS[elements[-1]]), atol=1e-6)
    assert colors[0].sum() > numpy.sum(to_rgb(COLORS[elements[0]]))
    box = figure.axes[0].collections[0]
    assert isinstance(box, LineCollection) and len(box.get_segments()) == 12
    assert "nm" in figure.get_suptitle()
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert labels == ["C", "H", "O"]


def test_types_can_be_left_out(soft):
    trajectory = sterna.open(soft / "soft.h5md").frames
    figure = draw(trajectory, hidden=["water"])
    assert len(circles_of(figure).get_offsets()) == 5 * CHAINS
    with pytest.raises(
        sterna.SternaError, match="there is no type, molecule, residue or atom 'wat'"
    ):
        draw(trajectory, hidden=["wat"])
    with pytest.raises(sterna.SternaError, match="0 particles are no picture"):
        draw(trajectory, hidden=["water", "pentane"])
    with pytest.raises(sterna.SternaError, match="there is no frame 7"):
        draw(trajectory, 7)


def test_a_view_is_a_rotation():
    for turned in ((0.0, 0.0), (20.0, 12.0), (200.0, -40.0)):
        view = _view(*turned)
        numpy.testing.assert_allclose(view @ view.T, numpy.eye(3), atol=1e-12)
        assert numpy.linalg.det(view) == pytest.approx(1.0)
    # z stays upright.
    assert _view(70.0, 10.0)[2, 1] > 0.9


def test_the_command_writes_pictures_and_movies(sterna, tmp_path):
    (tmp_path / "melt.toml").write_text(MELT)
    assert sterna("run", "melt.toml", "-n", "1").returncode == 0
    done = sterna("picture", "melt.toml", "--pixels", "300")
    assert done.returncode == 0, done.stdout + done.stderr
    image = (tmp_path / "melt.png").read_bytes()
    assert image.startswith(b"\x89PNG")
    assert int.from_bytes(image[16:20], "big") == 300
    done = sterna("picture", "melt.toml")
    assert done.returncode == 2 and "--overwrite replaces it" in done.stderr
    done = sterna("picture", "melt.h5md", "-o", "melt.gif", "--pixels", "200")
    assert done.returncode == 0, done.stdout + done.stderr
    image = (tmp_path / "melt.gif").read_bytes()
    assert image.startswith(b"GIF89a") and image.count(b"\x21\xf9\x04") == 3
    pytest.importorskip("imageio_ffmpeg")
    done = sterna("picture", "melt.h5md", "-o", "melt.mp4", "--pixels", "201")
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "melt.mp4").read_bytes()[4:8] == b"ftyp"
    done = sterna("picture", "melt.toml", "-o", "melt.what")
    assert done.returncode == 2 and "melt.what" in done.stderr


def test_it_needs_no_display(soft, tmp_path):
    environment = {k: v for k, v in sterna_environment().items() if "DISPLAY" not in k}
    done = subprocess.run(
        sterna_command("picture", soft / "soft.h5md", "-o", tmp_path / "soft.png"),
        env=environment | {"MPLBACKEND": "TkAgg"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
