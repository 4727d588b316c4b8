"""LAMMPS's text dump: positions in the box with the image, velocities, forces."""

from pathlib import Path

import numpy

from sterna.exporting.lammps_units import lammps_units
from sterna.exporting.table import Export, Format


def _bounds(edges: numpy.ndarray) -> str:
    """ITEM: BOX BOUNDS; a triclinic box as the one around it."""
    (lx, _, _), (xy, ly, _), (xz, yz, lz) = edges.tolist()
    if not (xy or xz or yz):
        rows = [f"0.0 {length!r}" for length in (lx, ly, lz)]
        return "ITEM: BOX BOUNDS pp pp pp\n" + "\n".join(rows) + "\n"
    x = [0.0, xy, xz, xy + xz]
    y = [0.0, yz]
    rows = [
        f"{min(x)!r} {lx + max(x)!r} {xy!r}",
        f"{min(y)!r} {ly + max(y)!r} {xz!r}",
        f"0.0 {lz!r} {yz!r}",
    ]
    return "ITEM: BOX BOUNDS xy xz yz pp pp pp\n" + "\n".join(rows) + "\n"


def _write(path: Path, export: Export) -> None:
    atoms, units = export.atoms, lammps_units(export.trajectory)
    types, typeid = numpy.unique(atoms.type, return_inverse=True)
    elements = numpy.where(atoms.element == "", "X", atoms.element).tolist()
    fixed = [
        f"{n + 1} {molecule + 1} {kind + 1} {element} {charge!r} {mass!r}"
        for n, (molecule, kind, element, charge, mass) in enumerate(
            zip(
                atoms.molecule.tolist(),
                typeid.tolist(),
                elements,
                atoms.charge.tolist(),
                atoms.mass.tolist(),
                strict=True,
            )  # fmt: skip
        )
    ]
    with path.open("w", encoding="utf-8") as file:
        for frame in export.frames():
            position, image = frame.wrapped()
            columns = [units.length * position, image]
            names = "id mol type element q mass x y z ix iy iz"
            for values, factor, more in (
                (frame.velocity, units.velocity, " vx vy vz"),
                (frame.force, units.force, " fx fy fz"),
            ):
                if values is not None:
                    columns.append(factor * values)
                    names += more
            # As LAMMPS calls properties that `fix property/atom` adds.
            for name, values in frame.particle_fields.items():
                columns.append(values.reshape(len(values), -1))
                width = columns[-1].shape[1]
                names += (
                    f" d_{name}"
                    if values.ndim == 1
                    else "".join(f" d2_{name}[{k + 1}]" for k in range(width))
                )
            file.write(f"ITEM: TIMESTEP\n{frame.step}\nITEM: NUMBER OF ATOMS\n{len(atoms)}\n")
            file.write(_bounds(units.length * frame.edges))
            file.write(f"ITEM: ATOMS {names}\n")
            rows = [column.tolist() for column in columns]
            file.writelines(
                f"{first} {' '.join(repr(x) for part in parts for x in part)}\n"
                for first, *parts in zip(fixed, *rows, strict=True)
            )


FORMAT = Format(
    "lammpstrj", "LAMMPS's dump: velocities, forces; units real, metal or lj", _write,
    aliases=("dump",),
)  # fmt: skip
