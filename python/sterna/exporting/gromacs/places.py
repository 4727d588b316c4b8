"""GRO files with twelve decimals, which GROMACS reads as it does those with three.

Source: GROMACS manual, "File formats": the distance between decimal points is the width of all fields.
"""

import numpy

from sterna.frames.atoms import Atoms

_DECIMALS = 12
_NAME = 5  # columns of a name
_SIGNS = ';#[]\\"'  # signs of comments, sections and the preprocessor in topologies


def short(name: str) -> str:
    """A name as a GRO file and a topology can hold it: five signs that mean nothing there."""
    kept = ("_" if c in _SIGNS or not c.isascii() else c for c in name if not c.isspace())
    return "".join(c for c in kept if c.isprintable())[:_NAME] or "X"


def least_tilted(edges: numpy.ndarray) -> numpy.ndarray:
    """The same lattice with the tilts that GROMACS allows: at most half of an edge."""
    a, b, c = (row.astype(float).copy() for row in edges)
    c -= numpy.rint(c[1] / b[1]) * b
    c -= numpy.rint(c[0] / a[0]) * a
    b -= numpy.rint(b[0] / a[0]) * a
    return numpy.array([a, b, c])


def gro_text(
    title: str,
    atoms: Atoms,
    position: numpy.ndarray,
    velocity: numpy.ndarray | None,
    edges: numpy.ndarray,
) -> str:
    """Positions (atoms, 3) in nm, velocities in nm/ps, edges of the box as rows."""
    # Four digits before the point are enough for most boxes; all fields have one width.
    width = _DECIMALS + 5 + max(0, len(f"{abs(position).max(initial=0.0):.0f}") - 3)
    box = least_tilted(edges)
    lines = [title, str(len(atoms))]
    numbers = atoms.residue_number[atoms.residue] % 100000
    names = [short(name) for name in atoms.residue_name]
    rows = zip(
        numbers.tolist(), atoms.residue.tolist(), atoms.name.tolist(), position.tolist(),
        [None] * len(atoms) if velocity is None else velocity.tolist(), strict=True,
    )  # fmt: skip
    for n, (number, residue, name, place, speed) in enumerate(rows, 1):
        fields = [f"{x:{width}.{_DECIMALS}f}" for x in place]
        if speed is not None:
            fields += [f"{v:{width}.{_DECIMALS + 1}f}" for v in speed]
        head = f"{number:5d}{names[residue]:<5}{short(name):>5}{n % 100000:5d}"
        lines.append(head + "".join(fields))
    order = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)]
    count = 9 if any(box[axis] for axis in order[3:]) else 3
    lines.append(" ".join(f"{box[axis]:.{_DECIMALS + 2}f}" for axis in order[:count]))
    return "\n".join(lines) + "\n"
