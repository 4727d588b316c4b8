"""XTC of GROMACS: positions in nm to three decimals, by MDAnalysis."""

from pathlib import Path

from sterna.exporting.table import Export, Format

_PRECISION = 1000.0


def _write(path: Path, export: Export) -> None:
    from MDAnalysis.lib.formats.libmdaxdr import XTCFile

    with XTCFile(str(path), "w") as file:
        for frame in export.frames():
            file.write(
                frame.position.astype("f4"), frame.edges.astype("f4"), frame.step, frame.time,
                _PRECISION,
            )  # fmt: skip


FORMAT = Format(
    "xtc", "GROMACS: positions to 0.001 nm, compressed; nm, ps", _write,
    last_step=2**31 - 1, needs="MDAnalysis",
)  # fmt: skip
