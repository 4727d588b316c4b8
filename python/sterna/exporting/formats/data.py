"""LAMMPS's data file, atom style `full`: masses, velocities, bonds, and the force field.

Coefficients are in the data file, and beside it is an input script with the styles and with what
LAMMPS has no section for: NAME.in. Of rigid molecules and of some atoms only there are the bonds.
"""

from pathlib import Path

import numpy

from sterna.errors import SternaError
from sterna.exporting.lammps_force_field import KINDS, ForceField
from sterna.exporting.lammps_units import LammpsUnits, lammps_units
from sterna.exporting.model import input_of, masses_of
from sterna.exporting.quantities import Quantities
from sterna.exporting.table import Export, Format
from sterna.frames.atoms import Atoms


def _force_field(export: Export, units: LammpsUnits) -> ForceField | None:
    """Returns None if there is no force field to write."""
    if not export.force_field or export.chosen is not None or export.centers:
        return None
    found = export.given_input or input_of(export.trajectory)
    if found is None or "component" in found[0]:
        return None
    sections, folders = found
    quantities = Quantities(
        sections.get("units", "reduced"), _INPUT_UNITS[units.name], units.length,
        units.force * units.length,
    )  # fmt: skip
    return ForceField(sections, folders, quantities, masses_of(export.atoms))


def _types_of(atoms: Atoms) -> tuple[list[str], list[float], numpy.ndarray]:
    """Names and masses of the types, and the type of each atom; hydrogen mass makes more of one."""
    names, numbers = numpy.unique(atoms.type, return_inverse=True)
    keys, typeid = numpy.unique(
        numpy.stack([numbers.astype(float), atoms.mass]), axis=1, return_inverse=True
    )
    return [str(names[int(n)]) for n in keys[0]], keys[1].tolist(), typeid.reshape(-1)


def _write(path: Path, export: Export) -> None:
    atoms, units = export.atoms, lammps_units(export.trajectory)
    force_field = _force_field(export, units)
    types, masses, typeid = _types_of(atoms)
    massless = [str(name) for name, mass in zip(types, masses, strict=True) if mass <= 0.0]
    if massless:
        raise SternaError(
            f"{export.trajectory.path}: LAMMPS has no atoms without mass, which "
            f"{', '.join(massless)} is; leave such sites out by --no-massless",
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
    bonded = _bonded(force_field, export)
    for kind, (rows, count) in bonded.items():
        lines += [f"{len(rows)} {kind}s", f"{count} {kind} types"]
    lines += ["", f"0.0 {lx!r} xlo xhi", f"0.0 {ly!r} ylo yhi", f"0.0 {lz!r} zlo zhi"]
    if xy or xz or yz:
        lines.append(f"{xy!r} {xz!r} {yz!r} xy xz yz")
    lines += ["", "Masses", ""]
    lines += [f"{n} {m!r} # {t}" for n, (t, m) in enumerate(zip(types, masses, strict=True), 1)]
    if force_field is not None:
        lines += force_field.pair_lines(types)
        for kind in bonded:
            lines += force_field.coefficient_lines(kind)
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
    for kind, (rows, _) in bonded.items():
        lines += ["", f"{kind.capitalize()}s", "", *rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    if force_field is not None:
        export.beside[".in"] = force_field.script(export.name, units.name)


def _bonded(force_field: ForceField | None, export: Export) -> dict[str, tuple[list[str], int]]:
    """Returns by kind the rows of its section, and the number of its types."""
    if force_field is None:
        bonds = enumerate((export.atoms.bonds + 1).tolist(), 1)
        rows = [f"{n} 1 {first} {second}" for n, (first, second) in bonds]
        return {"bond": (rows, 1)} if rows else {}
    runs = export.trajectory.description.get("runs", [])
    return {
        kind: (force_field.bonded_rows(kind, runs), len(force_field.types[kind]))
        for kind in KINDS
        if force_field.types[kind]
    }


#: Units of inputs with the numbers of LAMMPS's.
_INPUT_UNITS = {"lj": "reduced", "real": "real", "metal": "metal"}

FORMAT = Format(
    "data", "LAMMPS's data file: one frame, force field; units real, metal or lj", _write, single=True, is_system=True,
    aliases=("lmp",),
)  # fmt: skip
