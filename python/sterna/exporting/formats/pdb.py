"""PDB, by MDAnalysis: a model for each frame, CRYST1, CONECT; angstrom to three decimals."""

import warnings
from pathlib import Path

from sterna.exporting.table import Export, Format


def _write(path: Path, export: Export) -> None:
    from MDAnalysis.coordinates.PDB import MultiPDBWriter
    from MDAnalysis.lib.mdamath import triclinic_box

    from sterna.frames.mdanalysis_reader import universe_of

    class Writer(MultiPDBWriter):
        """Each model has its box, without which programs read later models as not periodic."""

        def MODEL(self, *number: int) -> None:  # noqa: N802 - the name in MDAnalysis
            super().MODEL(*number)
            self.CRYST1(self.convert_dimensions_to_unitcell(self.ts))

    universe = universe_of(export.atoms)
    scale = export.scale(10.0)
    with warnings.catch_warnings():
        # MDAnalysis warns of each entry of the format that is unknown, and writes its default.
        warnings.simplefilter("ignore")
        universe.load_new((scale * next(export.frames()).position)[None].astype("f4"))
        with Writer(str(path), n_atoms=len(export.atoms), bonds="all") as file:
            for frame in export.frames():
                universe.atoms.positions = scale * frame.position
                universe.trajectory.ts.dimensions = triclinic_box(*(scale * frame.edges))
                file.write(universe.atoms)


FORMAT = Format(
    "pdb", "positions to 0.001 angstrom, bonds; a model for each frame", _write,
    needs="MDAnalysis",
)  # fmt: skip
