"""Extended XYZ, as ASE and OVITO read it: all digits.

With --centers it is a start file of Sterna, in the units of the run's input.
"""

from pathlib import Path

import numpy

from sterna.exporting.table import Export, Format
from sterna.frames.start_file import INPUT_UNITS, extended_xyz, particle_columns
from sterna.frames.trajectory import TrajectoryFrame


def _write(path: Path, export: Export) -> None:
    with path.open("w", encoding="utf-8") as file:
        if export.centers:
            file.writelines(_centers(export, frame) for frame in export.particle_frames())
            return
        atoms, scale = export.atoms, export.scale(10.0)
        symbols = numpy.where(atoms.element == "", "X", atoms.element)
        for frame in export.frames():
            columns = [
                ("species", "S", symbols),
                ("pos", "R", scale * frame.position),
                ("name", "S", _words(atoms.name)),
                ("kind", "S", _words(atoms.type)),
                ("molecule", "I", atoms.molecule + 1),
                ("initial_charges", "R", atoms.charge),
            ]
            if frame.velocity is not None:
                columns.append(("velo", "R", scale * frame.velocity))
            taken = {name for name, _, _ in columns}
            for name, values in frame.particle_fields.items():
                columns.append((f"field_{name}" if name in taken else name, "R", values))
            comment = f"step={frame.step} time={frame.time!r}"
            file.write(extended_xyz(scale * frame.edges, columns, comment))


def _centers(export: Export, frame: TrajectoryFrame) -> str:
    """Particles as a start file has them."""
    trajectory = export.trajectory
    columns = particle_columns(
        trajectory.units,
        numpy.array(trajectory.names)[trajectory.species],
        frame.unwrapped(),
        frame.velocity,
        frame.orientation,
        frame.angular_momentum,
    )
    columns.insert(2, ("id", "I", trajectory.id))
    if export.chosen is not None:
        columns = [(name, kind, values[export.chosen]) for name, kind, values in columns]
    edges = frame.edges / INPUT_UNITS[trajectory.units][0]
    return extended_xyz(edges, columns, f"step={frame.step} time={frame.time!r}")


def _words(names: numpy.ndarray) -> numpy.ndarray:
    """Without blanks, which end a column."""
    return numpy.char.replace(names, " ", "_")


FORMAT = Format("extxyz", "ASE, OVITO, Sterna: all digits; angstrom, ps", _write, aliases=("xyz",))
