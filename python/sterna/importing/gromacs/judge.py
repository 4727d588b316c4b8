"""Energies and forces of a topology by GROMACS itself, beside those of what was imported.

The double-precision program `gmx_d` is taken where it is installed, else `gmx`; $STERNA_GROMACS names
another one. GROMACS computes the places that Sterna has after it moved atoms to where constraints want
them: there bonds that Sterna constrains have no energy in GROMACS either.
"""

import os
import re
import shutil
import struct
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy

from sterna.errors import SternaError
from sterna.importing.comparison import (
    MOST_FOR_ALL_DIGITS,
    Row,
    StartOfSterna,
    is_rectangular,
    root_mean_square,
    start_of_sterna,
)
from sterna.importing.gromacs.coordinates import read_gro
from sterna.importing.gromacs.gromacs_system import Choices, with_mdp
from sterna.importing.molecules import Molecules
from sterna.importing.notes import Notes
from sterna.importing.system import Reference, System

#: Relative differences that rounding does not explain, by the precision of the program.
TOLERANCE_DOUBLE, TOLERANCE_SINGLE = 1e-5, 1e-3
_SMALLEST = 1.0  #: kJ/mol; an energy below it is compared with this
#: kJ/mol/nm; likewise of forces. Ewald sums take charges of one molecule, which push each other with
#: thousands of these, off again.
_SMALLEST_FORCE = 50.0

_MDP = """\
integrator = md
nsteps = 0
continuation = yes
constraints = none
cutoff-scheme = Verlet
nstlist = 1
verlet-buffer-tolerance = -1
rlist = {cutoff!r}
rvdw = {cutoff!r}
rcoulomb = {charge_cutoff!r}
vdwtype = Cut-off
vdw-modifier = {modifier}
rvdw-switch = {switch!r}
epsilon-r = {permittivity!r}
epsilon-rf = {beyond!r}
coulombtype = {coulomb}
coulomb-modifier = {charge_modifier}
fourierspacing = {spacing!r}
pme-order = 12
ewald-rtol = {tolerance!r}
DispCorr = no
nstfout = 1
nstenergy = 1
nstcalcenergy = 1
define = {defines}
include = {include}
"""

_MODIFIERS = {
    "truncated": "None",
    "shifted": "Potential-shift",
    "quintic_switched": "Potential-switch",
    "cubic_force_switched": "Force-switch",
}

_COULOMB = {"fmm": "PME", "reaction_field": "Reaction-Field", "cutoff": "Cut-off"}

#: Notes and warnings stand before.
_ERROR = re.compile(r"\s*(ERROR \d|Fatal error|Error in|Inconsistency)")

#: Energies in the log of Sterna and in GROMACS that are the same together.
_ROWS = {
    "bonds": (
        [
            "bonded_harmonic_bond_energy",
            "bonded_morse_bond_energy",
            "bonded_gromos_bond_energy",
            "bonded_polynomial_bond_energy",
            "bonded_fene_bond_energy",
            "bonded_flat_bottom_bond_energy",
            "bonded_tabulated_bond_energy",
        ],
        [
            "Bond",
            "G96Bond",
            "Morse",
            "Cubic Bonds",
            "FENE Bonds",
            "Harmonic Pot.",
            "Restraint Pot.",
            "Tab. Bonds",
            "Tab. Bonds NC",
        ],
    ),
    "angles": (
        [
            "bonded_harmonic_angle_energy",
            "bonded_urey_bradley_energy",
            "bonded_cosine_squared_angle_energy",
            "bonded_polynomial_angle_energy",
            "bonded_restricted_angle_energy",
            "bonded_stretch_stretch_energy",
            "bonded_stretch_outer_energy",
            "bonded_linear_angle_energy",
            "bonded_tabulated_angle_energy",
        ],
        [
            "Angle",
            "U-B",
            "G96Angle",
            "Quartic Angles",
            "Restr. Angles",
            "Bond-Cross",
            "BA-Cross",
            "Lin. Angle",
            "Tab. Angles",
        ],
    ),
    "torsions": (
        [
            "bonded_periodic_torsion_energy",
            "bonded_ryckaert_bellemans_torsion_energy",
            "bonded_opls_torsion_energy",
            "bonded_harmonic_improper_energy",
            "bonded_periodic_improper_energy",
            "bonded_restricted_torsion_energy",
            "bonded_bending_torsion_energy",
            "bonded_flat_bottom_torsion_energy",
            "bonded_vector_angle_energy",
            "bonded_cosine_polynomial_angle_energy",
            "bonded_tabulated_torsion_energy",
        ],
        [
            "Proper Dih.",
            "Ryckaert-Bell.",
            "Fourier Dih.",
            "Improper Dih.",
            "Per. Imp. Dih.",
            "Restr. Dih.",
            "CBT Dih.",
            "Dih. Rest.",
            "Angle Rest.",
            "Tab. Dih.",
        ],
    ),
    "cmap": (["bonded_cmap_energy"], ["CMAP Dih."]),
    "lennard_jones": (
        [
            "lennard_jones_energy",
            "pairs_lennard_jones_energy",
            "molecules_lennard_jones_energy",
            "bonded_lennard_jones_14_energy",
        ],
        ["LJ-14", "LJC-14 q", "LJC Pairs NB", "LJ (SR)"],
    ),
    "charges": (
        [
            "electrostatics_energy",
            "pairs_electrostatics_energy",
            "molecules_coulomb_energy",
            "bonded_coulomb_14_energy",
        ],
        ["Coulomb-14", "Coulomb (SR)", "Coul. recip."],
    ),
    "restraints": (["restraints_energy"], ["Position Rest."]),
    "potential": (["potential_energy"], ["Potential"]),
}


@dataclass(frozen=True)
class Judge:
    """An installed GROMACS."""

    program: str
    version: str
    is_double: bool

    @property
    def name(self) -> str:
        precision = "double" if self.is_double else "single"
        return f"GROMACS {self.version} ({Path(self.program).name}, {precision} precision)"

    @property
    def tolerance(self) -> float:
        return TOLERANCE_DOUBLE if self.is_double else TOLERANCE_SINGLE


def find_judge() -> Judge | None:
    """Raises SternaError where $STERNA_GROMACS names a program that there is not."""
    named = os.environ.get("STERNA_GROMACS")
    if named and shutil.which(named) is None:
        raise SternaError(f"STERNA_GROMACS is {named}, and there is no such program", status=2)
    for name in [named] if named else ["gmx_d", "gmx"]:
        program = shutil.which(name)
        if program is None:
            continue
        done = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
        version = re.search(r"^GROMACS version: *(\S+)", done.stdout, re.MULTILINE)
        precision = re.search(r"^Precision: *(\S+)", done.stdout, re.MULTILINE)
        if version is None or precision is None:
            raise SternaError(f"{program} does not tell its version as GROMACS does", status=2)
        return Judge(program, version[1], precision[1] == "double")
    return None


def compare(
    judge: Judge, topology: Path, places: Path, choices: Choices, molecules: Molecules
) -> list[Row]:
    """Energies and forces of the start, charges by Ewald sums or as they end, without tail corrections.

    Bonds that `choices` constrains are at rest in both. Raises SternaError where one of the programs
    does not compute the system.
    """
    choices, _ = with_mdp(choices, Notes())
    particles = molecules.system
    # GROMACS has the atoms of rigid molecules.
    system = particles if particles.bodies is None else particles.bodies.original
    held_at = _held_at(system)
    start = start_of_sterna(molecules, system.positions, _held_at(particles), ("field", "freeze"))
    with tempfile.TemporaryDirectory(prefix="sterna-judge-") as name:
        folder = Path(name)
        energies, forces = _by_gromacs(
            judge, folder, topology, places, choices, system, start, held_at
        )
    expected = start.like(forces)
    rows = []
    largest = max(map(abs, energies.values()))
    for what, (mine, theirs) in _ROWS.items():
        if any(key in energies for key in theirs) or any(start.row.get(key) for key in mine):
            here = sum(start.row.get(key, 0.0) for key in mine)
            parts = [energies.get(key, 0.0) for key in theirs]
            there = sum(parts)
            # Parts may cancel, and each has its own rounding.
            scale = largest if what == "potential" else max(map(abs, parts))
            difference = abs(here - there) / max(scale, _SMALLEST)
            rows.append(Row(what, here, there, difference))
    size, of_judge = root_mean_square(start.forces), root_mean_square(expected)
    apart = root_mean_square(start.forces - expected)
    rows.append(Row("forces", size, of_judge, apart / max(of_judge, _SMALLEST_FORCE)))
    return rows


def _held_at(system: System) -> Reference | None:
    """Where position restraints hold the particles of a system; None: it has none."""
    if not system.restraints:
        return None
    return system.reference or Reference(system.positions, system.box)


def _by_gromacs(
    judge: Judge,
    folder: Path,
    topology: Path,
    places: Path,
    choices: Choices,
    system: System,
    start: StartOfSterna,
    held_at: Reference | None,
) -> tuple[dict[str, float], numpy.ndarray]:
    # Molecules stay whole where they are in the file: only the displacements are Sterna's.
    moved = start.positions - system.positions
    moved -= numpy.rint(moved @ numpy.linalg.inv(system.box)) @ system.box
    cutoff = float(system.interaction["cutoff"])
    charges = system.electrostatics or {"kind": "cutoff"}
    is_truncated = charges["kind"] == "fmm" or charges.get("truncation") == "truncated"
    coulomb, tolerance, spacing = _COULOMB[charges["kind"]], 1e-8, 0.05 * cutoff
    count = sum(atom.charge != 0.0 for atom in system.atoms)
    few = count <= MOST_FOR_ALL_DIGITS and is_rectangular(system.box)
    if coulomb == "PME" and few:
        # Beyond waves of this length the sums of this tolerance have nothing but rounding errors.
        coulomb, tolerance, spacing = "Ewald", 1e-14, 0.08 * cutoff
    (folder / "run.mdp").write_text(
        _MDP.format(
            cutoff=cutoff,
            modifier=_MODIFIERS[system.interaction["truncation"]],
            switch=float(system.interaction.get("switch_start", 0.0)),
            charge_cutoff=float(charges.get("cutoff", cutoff)),
            permittivity=float(charges.get("permittivity", 1.0)),
            beyond=float(charges.get("reaction_field_permittivity", 0.0)),
            coulomb=coulomb,
            tolerance=tolerance,
            charge_modifier="None" if is_truncated else "Potential-shift",
            spacing=spacing,
            defines=" ".join(f"-D{name}" for name in choices.defines),
            include=" ".join(f"-I{folder.resolve()}" for folder in choices.include),
        ),
        encoding="utf-8",
    )
    labels = read_gro(places)
    _write_gro(folder / "places.gro", labels.names, labels.residues, system.positions + moved,
               system.box)  # fmt: skip
    options = []
    if held_at is not None:
        _write_gro(folder / "held.gro", labels.names, labels.residues, held_at.positions,
                   held_at.box)  # fmt: skip
        options = ["-r", "held.gro"]
    _run(
        judge, folder, "grompp", "-f", "run.mdp", "-c", "places.gro", "-p", str(topology.resolve()),
        *options, "-maxwarn", "1000",
    )  # fmt: skip
    _run(
        judge, folder, "mdrun", "-ntmpi", "1", "-ntomp", "1", "-nb", "cpu", "-s", "topol.tpr",
        *_tables(topology, choices),
    )  # fmt: skip
    return _energies(judge, folder), _forces(folder / "traj.trr", len(system.atoms))


def _tables(topology: Path, choices: Choices) -> list[str]:
    """Returns the options of mdrun for tables of bonded interactions."""
    files = choices.tables or sorted(topology.parent.glob("table_[abd]*.xvg"))
    return ["-tableb", *(str(path.resolve()) for path in files)] if files else []


def _write_gro(
    path: Path, names: list[str], residues: list[str], positions: numpy.ndarray, box: numpy.ndarray
) -> None:
    """Writes the start with twelve decimals."""
    lines = ["compared", str(len(names))]
    for n, (name, residue, place) in enumerate(zip(names, residues, positions, strict=True), 1):
        number = n % 100000
        lines.append(
            f"{number:5d}{residue[:5]:<5}{name[:5]:>5}{number:5d}"
            + "".join(f"{x:17.12f}" for x in place)
        )
    order = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)]
    lines.append(" ".join(repr(float(box[vector, axis])) for vector, axis in order))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _run(judge: Judge, folder: Path, *arguments: str, text: str = "") -> str:
    done = subprocess.run(
        [judge.program, "-quiet", *arguments],
        cwd=folder,
        env=dict(os.environ, GMX_MAXBACKUP="-1", OMP_NUM_THREADS="1"),
        input=text,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().splitlines()
        at = next((n for n, line in enumerate(said) if _ERROR.match(line)), 0)
        raise SternaError(
            f"{Path(judge.program).name} {arguments[0]} fails:\n" + "\n".join(said[at : at + 20])
        )
    return done.stdout + done.stderr


def _energies(judge: Judge, folder: Path) -> dict[str, float]:
    """Returns the energies in kJ/mol, by GROMACS's names."""
    told = _run(judge, folder, "energy", "-f", "ener.edr", text="Potential\n\n")
    names = [name for names in _ROWS.values() for name in names[1]]
    there = [
        name for name in names if re.search(rf"\d  {re.escape(name.replace(' ', '-'))}\s", told)
    ]
    chosen = "\n".join(name.replace(" ", "-") for name in there)
    _run(judge, folder, "energy", "-f", "ener.edr", "-dp", text=chosen + "\n\n")
    table = (folder / "energy.xvg").read_text(encoding="utf-8")
    legends = re.findall(r'^@ s\d+ legend "(.*)"$', table, re.MULTILINE)
    row = [float(x) for x in table.splitlines()[-1].split()[1:]]
    return dict(zip(legends, row, strict=True))


_TRR_MAGIC = 1993
_TRR_SIZES = 10  #: integers of the header: bytes of each part, in the order of the file


def _forces(path: Path, atoms: int) -> numpy.ndarray:
    """(atoms, 3) of the first frame of a TRR file. Source: `trrio.cpp` of GROMACS."""
    data = path.read_bytes()
    magic, _, length = struct.unpack_from(">3i", data)
    if magic != _TRR_MAGIC:
        raise SternaError(f"{path} is no TRR file of GROMACS")
    place = 12 + (length + 3) // 4 * 4
    sizes = struct.unpack_from(f">{_TRR_SIZES}i", data, place)
    count = struct.unpack_from(">i", data, place + 4 * _TRR_SIZES)[0]
    width = sizes[9] // (3 * count) if count == atoms else 0
    if width not in (4, 8):
        raise SternaError(f"{path} has no forces of {atoms} atoms")
    # The header is followed by the number of atoms, step, another number, time and lambda.
    place += 4 * (_TRR_SIZES + 3) + 2 * width + sum(sizes[:9])
    return numpy.frombuffer(data, f">f{width}", 3 * atoms, place).reshape(atoms, 3).astype(float)
