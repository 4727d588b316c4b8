"""DCD as NAMD writes it: positions in angstrom, one time between all frames, by MDAnalysis."""

from pathlib import Path

import numpy

from sterna.errors import SternaError
from sterna.exporting.table import Export, Format

_AKMA_TIME = 0.04888821  # ps, the time unit of CHARMM, as MDAnalysis and NAMD have it


def _write(path: Path, export: Export) -> None:
    from MDAnalysis.lib.formats.libdcd import DCDFile
    from MDAnalysis.lib.mdamath import triclinic_box

    steps, times = export.steps, export.times
    between = numpy.unique(numpy.diff(steps))
    if len(between) > 1:
        raise SternaError(
            "a DCD file has the same time between all frames, but those chosen are "
            f"{between.min()} to {between.max()} steps apart; choose others, or another format",
            2,
        )
    interval = int(between[0]) if len(between) else 1
    timestep = (times[-1] - times[0]) / (steps[-1] - steps[0]) if len(between) else 0.0
    scale = export.scale(10.0)
    with DCDFile(str(path), "w") as file:
        file.write_header(
            remarks="Sterna",
            natoms=len(export.atoms),
            istart=int(steps[0]),
            nsavc=interval,
            delta=timestep / export.scale(_AKMA_TIME),
            is_periodic=1,
        )
        for frame in export.frames():
            a, b, c, alpha, beta, gamma = triclinic_box(*(scale * frame.edges))
            cosines = numpy.cos(numpy.deg2rad([gamma, beta, alpha]))
            box = numpy.array([a, cosines[0], b, cosines[1], cosines[2], c], float)
            file.write((scale * frame.position).astype("f4"), box)


FORMAT = Format(
    "dcd", "NAMD, CHARMM: positions; angstrom", _write,
    last_step=2**31 - 1, needs="MDAnalysis",
)  # fmt: skip
