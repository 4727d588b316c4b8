"""`sterna picture`: particles in their box as an image, without a display, by matplotlib."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy

from sterna.errors import SternaError
from sterna.support.elements import COLORS, ELEMENTS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from sterna.frames.atoms import Atoms
    from sterna.frames.trajectory import Trajectory

_PALETTE = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#bbbbbb", "#884422")
_OF_COVALENT = 1.2  #: radius of atoms without bonds, relative to the covalent radius
_OF_BONDED = 0.55  #: the same of atoms with bonds
_OF_SPACING = 0.42  #: radius of particles that are no elements, relative to their average distance
_MOST = 200_000  #: particles of one picture
_MOVIES = (".gif", ".mp4")


def draw(
    trajectory: "Trajectory",
    frame: int = -1,
    *,
    hidden: Sequence[str] = (),
    turned: tuple[float, float] = (20.0, 12.0),
    size: float = 6.0,
) -> "Figure":
    """A figure of one frame, `size` inches wide.

    `hidden`: types that are left out. `turned`: the angles in degrees by which the box is turned
    about the vertical axis, and then towards whoever looks. Raises SternaError where matplotlib is
    not installed, where a type or frame is not there, or where there are too many particles.
    """
    figure, update = _scene(trajectory, hidden, turned, size)
    update(_number(trajectory, frame))
    return figure


def write(
    trajectory: "Trajectory",
    path: Path,
    frame: int = -1,
    *,
    hidden: Sequence[str] = (),
    turned: tuple[float, float] = (20.0, 12.0),
    pixels: int = 1200,
    overwrite: bool = False,
) -> None:
    """Writes a picture (.png, .pdf, .svg) of a frame, or a movie (.gif, .mp4) of all.

    Raises SternaError as `draw`, and where the file is there already or cannot be written.
    """
    if path.exists() and not overwrite:
        raise SternaError(f"{path} exists; --overwrite replaces it", 2)
    size = 6.0
    figure, update = _scene(trajectory, hidden, turned, size)
    dots = pixels / size
    try:
        if path.suffix.lower() in _MOVIES:
            _movie(figure, update, len(trajectory), path, dots)
        else:
            update(_number(trajectory, frame))
            figure.savefig(path, dpi=dots)
    except ValueError as error:
        raise SternaError(f"{path}: {error}", 2) from error
    except OSError as error:
        raise SternaError(f"{path} cannot be written: {error.strerror or error}") from error


def _movie(
    figure: "Figure", update: Callable[[int], None], frames: int, path: Path, dots: float
) -> None:
    from matplotlib.animation import FFMpegWriter, FuncAnimation, PillowWriter

    if path.suffix.lower() == ".mp4" and not FFMpegWriter.isAvailable():
        _use_ffmpeg_of_a_package(path)
    writer = (FFMpegWriter if path.suffix.lower() == ".mp4" else PillowWriter)(fps=15)
    movie = FuncAnimation(figure, update, frames=frames, blit=False)
    movie.save(path, writer=writer, dpi=dots)


def _use_ffmpeg_of_a_package(path: Path) -> None:
    """Takes the ffmpeg that the package imageio-ffmpeg brings. Raises SternaError without it."""
    from matplotlib import rcParams

    try:
        from imageio_ffmpeg import get_ffmpeg_exe

        rcParams["animation.ffmpeg_path"] = get_ffmpeg_exe()
    except (ImportError, RuntimeError) as error:
        raise SternaError(
            f"{path}: an .mp4 needs ffmpeg: pip install imageio-ffmpeg, or apt install ffmpeg; a "
            ".gif needs nothing"
        ) from error


def _number(trajectory: "Trajectory", frame: int) -> int:
    count = len(trajectory)
    if count == 0:
        raise SternaError(f"{trajectory.path}: the trajectory has no frames yet")
    if not -count <= frame < count:
        raise SternaError(f"{trajectory.path} has {count} frames; there is no frame {frame}", 2)
    return frame % count


def _scene(
    trajectory: "Trajectory", hidden: Sequence[str], turned: tuple[float, float], size: float
) -> "tuple[Figure, Callable[[int], None]]":
    """Returns a figure, and a function that draws the frame with a given number into it."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.collections import EllipseCollection, LineCollection
        from matplotlib.figure import Figure
    except ImportError as error:
        raise SternaError("pictures need matplotlib: pip install matplotlib") from error
    atoms = trajectory.atoms(massless=False)
    if hidden:
        atoms = atoms.subset(numpy.setdiff1d(numpy.arange(len(atoms)), atoms.select(list(hidden))))
    if not 0 < len(atoms) <= _MOST:
        raise SternaError(
            f"{trajectory.path}: {len(atoms)} particles are no picture; expected 1 to {_MOST}, and "
            "--hide leaves some out"
        )
    kinds = numpy.where(atoms.element != "", atoms.element, atoms.type)
    figure = Figure(figsize=(size, size), facecolor="white")
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0.02, 0.02, 0.96, 0.9))
    bonds = atoms.bonds.reshape(-1, 2)
    _number(trajectory, 0)
    volume = abs(numpy.linalg.det(trajectory[0].edges))
    radii = _radii(atoms, (volume / trajectory.particle_count) ** (1 / 3))
    colors = _colors(kinds)
    view = _view(*turned)
    unit = "" if trajectory.is_reduced else " nm"

    def update(number: int) -> None:
        axes.clear()
        axes.set_axis_off()
        axes.set_aspect("equal")
        now = trajectory[number]
        middle = now.edges.sum(axis=0) / 2
        places = (_inside(atoms.at(now).position, now.edges) - middle) @ view
        lines = (_edges_of(now.edges) - middle) @ view
        axes.add_collection(LineCollection(lines[..., :2], colors="#555555", linewidths=1.0))
        apart = places[bonds[:, 0]] - places[bonds[:, 1]]
        near = numpy.linalg.norm(apart, axis=1) < 0.5 * now.edges.diagonal().min()
        axes.add_collection(
            LineCollection(
                places[bonds[near]][..., :2], colors="#909090", linewidths=1.5, zorder=1.5
            )
        )
        order = numpy.argsort(places[:, 2])
        depth = places[order, 2]
        # Distant particles are faded.
        span = max(float(numpy.ptp(depth)), 1e-12)
        fade = 0.35 * (1.0 - (depth - depth[0]) / span)[:, None]
        face = colors[order] * (1.0 - fade) + fade
        circles = EllipseCollection(
            2 * radii[order], 2 * radii[order], numpy.zeros(len(order)), units="xy",
            offsets=places[order, :2], transOffset=axes.transData, facecolors=face,
            edgecolors=0.45 * face, linewidths=0.3, zorder=2.0,
        )  # fmt: skip
        axes.add_collection(circles)
        low = lines.reshape(-1, 3).min(axis=0)
        high = lines.reshape(-1, 3).max(axis=0)
        margin = 0.06 * (high - low).max()
        axes.set_xlim(low[0] - margin, high[0] + margin)
        axes.set_ylim(low[1] - margin, high[1] + margin)
        lengths = " x ".join(f"{numpy.linalg.norm(edge):.4g}" for edge in now.edges)
        time = f"{now.time:.6g}{'' if trajectory.is_reduced else ' ps'}"
        figure.suptitle(f"step {now.step}, time {time}; box {lengths}{unit}", fontsize=9, y=0.985)
        _legend(figure, kinds, colors)

    return figure, update


def _legend(figure: "Figure", kinds: numpy.ndarray, colors: numpy.ndarray) -> None:
    from matplotlib.lines import Line2D

    names, places = numpy.unique(kinds, return_index=True)
    handles = [
        Line2D([], [], marker="o", linestyle="", markersize=7, color=tuple(colors[k]),
               markeredgecolor=tuple(0.45 * colors[k]), label=name)
        for name, k in zip(names[:12], places, strict=False)
    ]  # fmt: skip
    for old in list(figure.legends):
        old.remove()
    if len(handles) > 1:
        figure.legend(handles=handles, loc="upper center", bbox_to_anchor=(0.5, 0.965),
                      ncols=6, frameon=False, fontsize=8)  # fmt: skip


def _radii(atoms: "Atoms", spacing: float) -> numpy.ndarray:
    """`spacing`: the average distance of particles, for those that are no elements."""
    bonded = numpy.zeros(len(atoms), bool)
    bonded[atoms.bonds.ravel()] = True
    radii = numpy.full(len(atoms), _OF_SPACING * spacing)
    for symbol in set(atoms.element.tolist()) & ELEMENTS.keys():
        radii[atoms.element == symbol] = ELEMENTS[symbol][1] * _OF_COVALENT
    radii[bonded] *= _OF_BONDED / _OF_COVALENT
    return radii


def _colors(kinds: numpy.ndarray) -> numpy.ndarray:
    """(n, 3), red, green and blue."""
    from matplotlib.colors import to_rgb

    colors = numpy.zeros((len(kinds), 3))
    for number, name in enumerate(numpy.unique(kinds)):
        color = COLORS.get(str(name), _PALETTE[number % len(_PALETTE)])
        colors[kinds == name] = to_rgb(color)
    return colors


def _view(about: float, towards: float) -> numpy.ndarray:
    """Columns: to the right, up, and towards whoever looks; z is up before it is turned."""
    a, b = numpy.radians([about, towards])
    turn = numpy.array(
        [[numpy.cos(a), numpy.sin(a), 0], [-numpy.sin(a), numpy.cos(a), 0], [0, 0, 1]]
    )
    tip = numpy.array(
        [[1, 0, 0], [0, numpy.cos(b), -numpy.sin(b)], [0, numpy.sin(b), numpy.cos(b)]]
    )
    # Looking along y: x to the right, z up, -y towards.
    look = numpy.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])
    return turn.T @ tip.T @ look


def _inside(positions: numpy.ndarray, edges: numpy.ndarray) -> numpy.ndarray:
    parts = positions @ numpy.linalg.inv(edges)
    return (parts - numpy.floor(parts)) @ edges


def _edges_of(edges: numpy.ndarray) -> numpy.ndarray:
    """(12, 2, 3), the ends of the edges of the box."""
    corners = numpy.array([(i, j, k) for i in (0, 1) for j in (0, 1) for k in (0, 1)])
    pairs = [
        (a, b)
        for a in range(8)
        for b in range(a + 1, 8)
        if numpy.abs(corners[a] - corners[b]).sum() == 1
    ]
    return (corners @ edges)[numpy.array(pairs)]
