"""LAMMPS's data file, atom style `full`, with bonds, masses and velocities; no force field."""

from pathlib import Path

import numpy

from sterna.errors import SternaError
from sterna.exporting.lammps_units import lammps_units
from sterna.exporting.table import Export, Format


def _write(path: Path, export: Export) -> None:
    atoms, units = export.atoms, lammps_units(export.trajectory)
    types, typeid = numpy.unique(atoms.type, return_inverse=True)
    masses = [float(atoms.mass[typeid == n][0]) for n in range(len(types))]
    massless = [str(name) for name, mass in zip(types, masses, strict=True) if mass <= 0.0]
    if massless:
        raise SternaError(
            f"LAMMPS has no atoms without mass, which {', '.join(massless)} is; leave such sites "
            "out by --no-massless",
            2,
        )
    (frame,) = export.frames()
    position, image = frame.wrapped()
    (lx, _, _), (xy, ly, _), (xz, yz, lz) = (units.length * frame.edges).tolist()
    lines = [
        f"LAMMPS data file of {export.trajectory.path.name}, step {frame.step}, units {units.name}",
        "",
        f"{len(atoms)} atoms",
        f"{len(types)} atom types",
    ]
    if len(atoms.bonds):
        lines += [f"{len(atoms.bonds)} bonds", "1 bond types"]
    lines += ["", f"0.0 {lx!r} xlo xhi", f"0.0 {ly!r} ylo yhi", f"0.0 {lz!r} zlo zhi"]
    if xy or xz or yz:
        lines.append(f"{xy!r} {xz!r} {yz!r} xy xz yz")
    lines += ["", "Masses", ""]
    lines += [f"{n} {m!r} # {t}" for n, (t, m) in enumerate(zip(types, masses, strict=True), 1)]
    lines += ["", "Atoms # full", ""]
    rows = zip(
        atoms.molecule.tolist(), typeid.tolist(), atoms.charge.tolist(),
        (units.length * position).tolist(), image.tolist(), strict=True,
    )  # fmt: skip
    lines += [
        f"{n} {molecule + 1} {kind + 1} {charge!r} {x!r} {y!r} {z!r} {i} {j} {k}"
        for n, (molecule, kind, charge, (x, y, z), (i, j, k)) in enumerate(rows, 1)
    ]
    if frame.velocity is not None:
        lines += ["", "Velocities", ""]
        velocities = (units.velocity * frame.velocity).tolist()
        lines += [f"{n} {x!r} {y!r} {z!r}" for n, (x, y, z) in enumerate(velocities, 1)]
    if len(atoms.bonds):
        lines += ["", "Bonds", ""]
        bonds = (atoms.bonds + 1).tolist()
        lines += [f"{n} 1 {first} {second}" for n, (first, second) in enumerate(bonds, 1)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


FORMAT = Format(
    "data", "LAMMPS's data file: one frame, bonds; units real, metal or lj", _write, single=True,
    aliases=("lmp",),
)  # fmt: skip
