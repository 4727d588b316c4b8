"""GRO of GROMACS, by MDAnalysis: one frame, nm to three decimals, velocities to four."""

import warnings
from pathlib import Path

from sterna.exporting.table import Export, Format


def _write(path: Path, export: Export) -> None:
    from MDAnalysis.coordinates.GRO import GROWriter
    from MDAnalysis.lib.mdamath import triclinic_box

    from sterna.frames.mdanalysis_reader import universe_of

    universe = universe_of(export.atoms)
    (frame,) = export.frames()
    # MDAnalysis converts from angstrom, whatever the lengths are.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        universe.load_new(
            (10.0 * frame.position)[None].astype("f4"),
            velocities=None if frame.velocity is None else (10.0 * frame.velocity)[None],
        )
        ts = universe.trajectory.ts
        ts.dimensions = triclinic_box(*(10.0 * frame.edges))
        ts.time, ts.data["step"] = frame.time, frame.step
        with GROWriter(str(path), n_atoms=len(export.atoms)) as file:
            file.write(universe.atoms)


FORMAT = Format(
    "gro", "GROMACS: one frame, positions to 0.001 nm, velocities; nm, ps", _write, single=True,
    needs="MDAnalysis",
)  # fmt: skip
