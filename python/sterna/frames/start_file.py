"""Start files in extended XYZ, with all digits."""

from pathlib import Path

import numpy

from sterna.support.files import replace_text

#: The units of inputs: length in nm, time in ps; mass is u in all of them, or reduced.
INPUT_UNITS = {
    "reduced": (1.0, 1.0), "nano": (1.0, 1.0), "metal": (0.1, 1.0), "real": (0.1, 0.001),
}  # fmt: skip


def extended_xyz(
    edges: numpy.ndarray, columns: list[tuple[str, str, numpy.ndarray]], comment: str = ""
) -> str:
    """Writes one frame. `edges`: (3, 3), rows; `columns`: name, kind (S, R, I) and values, (n,) or
    (n, m).
    """
    lattice = " ".join(repr(float(x)) for x in edges.ravel())
    shapes = [
        f"{name}:{kind}:{1 if values.ndim == 1 else values.shape[1]}"
        for name, kind, values in columns
    ]
    count = len(columns[0][2])
    head = f'Lattice="{lattice}" Properties={":".join(shapes)} pbc="T T T" {comment}'.rstrip()
    texts = []
    for _, kind, values in columns:
        rows = values.reshape(count, -1).tolist()
        texts.append([" ".join(map(repr if kind == "R" else str, row)) for row in rows])
    return "\n".join([str(count), head, *map(" ".join, zip(*texts, strict=True))]) + "\n"


def particle_columns(
    units: str,
    names: numpy.ndarray,
    position: numpy.ndarray,
    velocity: numpy.ndarray | None = None,
    orientation: numpy.ndarray | None = None,
    angular_momentum: numpy.ndarray | None = None,
) -> list[tuple[str, str, numpy.ndarray]]:
    """Columns of a start in the units of an input, from nm and ps (or reduced)."""
    length, time = INPUT_UNITS[units]
    columns = [("species", "S", names), ("pos", "R", position / length)]
    for name, values, unit in (
        ("velo", velocity, length / time),
        ("orient", orientation, 1.0),
        ("angmom", angular_momentum, length * length / time),
    ):
        if values is not None:
            columns.append((name, "R", values / unit))
    return columns


def write_start(path: Path, units: str, edges: numpy.ndarray, **particles: numpy.ndarray) -> None:
    """Writes a start; `edges` in nm or reduced, `particles` with the names of
    `particle_columns`.
    """
    text = extended_xyz(edges / INPUT_UNITS[units][0], particle_columns(units, **particles))
    replace_text(path, text)
