"""GSD of HOOMD-blue, by the package gsd: everything but forces, in single precision.

In nm, ps, u, kJ/mol and e (HOOMD's own unit of charge is e / 11.787 then). HOOMD's box lies around
the origin, and all particles are inside.
"""

from pathlib import Path

import numpy

from sterna.exporting.table import Export, Format


def _write(path: Path, export: Export) -> None:
    from gsd import hoomd

    atoms = export.atoms
    types, typeid = numpy.unique(atoms.type, return_inverse=True)
    with hoomd.open(str(path), mode="w") as file:
        for frame in export.frames():
            made = hoomd.Frame()
            (lx, _, _), (bx, ly, _), (cx, cy, lz) = frame.edges
            made.configuration.step = frame.step
            made.configuration.box = [lx, ly, lz, bx / ly, cx / lz, cy / lz]
            position, image = frame.wrapped()
            made.particles.N = len(atoms)
            made.particles.position = position - 0.5 * frame.edges.sum(axis=0)
            made.particles.image = image
            made.particles.types = types.tolist()
            made.particles.typeid = typeid
            made.particles.mass = atoms.mass
            made.particles.charge = atoms.charge
            made.particles.body = atoms.molecule if atoms.has_sites else None
            if frame.velocity is not None:
                made.particles.velocity = frame.velocity
            if len(atoms.bonds):
                made.bonds.N = len(atoms.bonds)
                made.bonds.types = ["bond"]
                made.bonds.group = atoms.bonds
            made.log["time"] = numpy.array([frame.time])
            file.append(made)


FORMAT = Format(
    "gsd", "HOOMD-blue, OVITO, freud: bonds, masses, charges; nm, ps, u, e", _write,
    needs="gsd",
)  # fmt: skip
