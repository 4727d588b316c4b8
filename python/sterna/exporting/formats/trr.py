"""TRR of GROMACS: positions, velocities and forces in single precision, by MDAnalysis."""

from pathlib import Path

from sterna.exporting.table import Export, Format


def _write(path: Path, export: Export) -> None:
    from MDAnalysis.lib.formats.libmdaxdr import TRRFile

    with TRRFile(str(path), "w") as file:
        for frame in export.frames():
            velocity, force = (
                None if values is None else values.astype("f4")
                for values in (frame.velocity, frame.force)
            )
            file.write(
                frame.position.astype("f4"), velocity, force, frame.edges.astype("f4"), frame.step,
                frame.time, 0.0, len(export.atoms),
            )  # fmt: skip


FORMAT = Format(
    "trr", "GROMACS: positions, velocities, forces; nm, ps, kJ/mol", _write,
    last_step=2**31 - 1, needs="MDAnalysis",
)  # fmt: skip
