"""The same system in Sterna and in GROMACS: energies by kind, forces, endings and their tails.

GROMACS must be in double precision: `gmx_d` of the Debian package gromacs, or $STERNA_GROMACS. What
it computes of three systems is recorded in tests/data/import/gromacs/energies.json, with which
Sterna is compared everywhere. Where GROMACS is, it has to agree with the record, which it writes
anew with STERNA_UPDATE_EXPECTED=1.
"""

import json
import os
import re
import shutil
import subprocess

import h5py
import numpy
import pytest
from conftest import ROOT
from sterna import read_log
from test_import_force_fields import write_methanol

MDAnalysis = pytest.importorskip("MDAnalysis")


@pytest.fixture(scope="module")
def gmx():
    named = os.environ.get("STERNA_GROMACS", "gmx_d")
    program = shutil.which(named)
    if program is None:
        pytest.skip(f"no GROMACS to compare with: there is no {named} (apt install gromacs)")
    return program


MDP = """\
integrator = md-vv
nsteps = 0
continuation = {continuation}
cutoff-scheme = Verlet
rcoulomb = {cutoff}
rvdw = {cutoff}
rvdw-switch = 0.7
vdw-modifier = {modifier}
coulombtype = {coulomb}
fourierspacing = 0.03
pme-order = 10
ewald-rtol = 1e-7
DispCorr = {correction}
nstfout = 1
nstenergy = 1
constraints = none
"""


def gromacs(program, folder, name, names, **settings):
    """Energies of the start in kJ/mol by GROMACS's names, and the forces in kJ/mol/nm."""
    (folder / "run.mdp").write_text(
        MDP.format(**({"cutoff": 0.9, "continuation": "no"} | settings))
    )
    environment = dict(os.environ, GMX_MAXBACKUP="-1", OMP_NUM_THREADS="1")

    def run(*arguments, text=""):
        done = subprocess.run(
            [program, "-quiet", *arguments],
            cwd=folder,
            env=environment,
            input=text,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    run("grompp", "-f", "run.mdp", "-c", f"{name}.gro", "-p", f"{name}.top", "-maxwarn", "5")
    run("mdrun", "-ntmpi", "1", "-ntomp", "1", "-nb", "cpu", "-s", "topol.tpr")
    run("energy", "-dp", text="\n".join(names) + "\n\n")
    table = (folder / "energy.xvg").read_text()
    legends = re.findall(r'^@ s\d+ legend "(.*)"$', table, re.M)
    row = [float(x) for x in table.splitlines()[-1].split()[1:]]
    found = dict(zip(legends, row, strict=True))
    universe = MDAnalysis.Universe(folder / f"{name}.gro", folder / "traj.trr", convert_units=False)
    return found, universe.trajectory.ts.forces


def sterna_run(sterna, folder, changes):
    """The first row of the log, and the forces, of the imported input with these keys changed."""
    text = (folder / "out.toml").read_text()
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    text = text[: text.index("[thermostat]")] + text[text.index("[output]") :]
    (folder / "run.toml").write_text(text)
    done = sterna("run", "run.toml", "-n", 2)
    assert done.returncode == 0, done.stdout + done.stderr
    with h5py.File(folder / "output" / "run.h5md") as file:
        forces = file["particles/trajectory/force/value"][0]
    return read_log(folder / "output" / "run.log.jsonl").rows[0], forces


OUTPUT = (
    "trajectory_interval = 1000",
    'trajectory_interval = 1\ntrajectory_fields = ["position", "force"]',
)


DATA = ROOT / "tests" / "data" / "import" / "gromacs"
RECORD = DATA / "energies.json"

# Of GROMACS, and the terms of Sterna that are the same together.
BONDED = {
    "amber": [
        (["Bond"], ["harmonic_bond"]),
        (["Angle"], ["harmonic_angle"]),
        (["Proper Dih."], ["periodic_torsion"]),
        (["Per. Imp. Dih."], ["periodic_improper"]),
        (["LJ-14"], ["lennard_jones_14"]),
        (["Coulomb-14"], ["coulomb_14"]),
    ],
    "charmm": [
        # The distance of a Urey-Bradley term counts as an angle there.
        (["Bond"], ["harmonic_bond"]),
        (["U-B"], ["harmonic_angle", "urey_bradley"]),
        (["Proper Dih."], ["periodic_torsion"]),
        (["Improper Dih."], ["harmonic_improper"]),
        (["CMAP Dih."], ["cmap"]),
        (["LJ-14"], ["lennard_jones_14"]),
        (["Coulomb-14"], ["coulomb_14"]),
    ],
    "opls": [
        (["Bond"], ["harmonic_bond"]),
        (["Angle"], ["harmonic_angle"]),
        (["Ryckaert-Bell."], ["ryckaert_bellemans_torsion"]),
        (["Coulomb-14"], ["coulomb_14"]),
    ],
}
SYSTEMS = {
    "methanol": {"kinds": "opls", "cutoff": 0.9},
    "peptide_amber": {"kinds": "amber", "cutoff": 0.85},
    "peptide_charmm": {"kinds": "charmm", "cutoff": 0.85},
}
PAIRS = ("LJ (SR)", "Coulomb (SR)", "Coul. recip.")


def write_system(folder, name):
    """NAME.top and NAME.gro."""
    if name == "methanol":
        write_methanol(folder, numpy.random.default_rng(11))
        return
    for suffix in ("top", "gro"):
        shutil.copy(DATA / f"{name}.{suffix}", folder)


@pytest.mark.parametrize("name", SYSTEMS)
def test_the_record_is_what_gromacs_computes(name, gmx, tmp_path):
    write_system(tmp_path, name)
    settings = SYSTEMS[name]
    names = [*(key for keys, _ in BONDED[settings["kinds"]] for key in keys), *PAIRS, "Potential"]
    found, force = gromacs(
        gmx, tmp_path, name, [key.replace(" ", "-") for key in names],
        modifier="None", coulomb="PME", correction="no", cutoff=settings["cutoff"],
        continuation="yes",
    )  # fmt: skip
    found["root mean square of the forces"] = float(numpy.sqrt((force**2).sum(axis=1).mean()))
    record = json.loads(RECORD.read_text()) if RECORD.is_file() else {"systems": {}}
    if os.environ.get("STERNA_UPDATE_EXPECTED"):
        version = subprocess.run([gmx, "--version"], capture_output=True, text=True, check=True)
        record["program"] = re.search(r"^GROMACS version: *(\S+)", version.stdout, re.M)[1]
        record["systems"][name] = found
        RECORD.write_text(json.dumps(record, indent=1) + "\n")
    assert found == pytest.approx(record["systems"][name], rel=1e-7)


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_energy_of_an_imported_system_is_that_of_gromacs(name, sterna, tmp_path):
    write_system(tmp_path, name)
    settings = SYSTEMS[name]
    done = sterna(
        "import", f"{name}.top", f"{name}.gro", "--constraints", "none",
        "--cutoff", settings["cutoff"], "-o", "out.toml",
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    theirs = json.loads(RECORD.read_text())["systems"][name]
    mine, forces = sterna_run(
        sterna, tmp_path,
        [("steps = 10000", "steps = 0"), ('tail_correction = "homogeneous"', ""),
         ('"fmm"', '"ewald"'), ("accuracy = 0.0001", "accuracy = 1e-7"), OUTPUT],
    )  # fmt: skip
    for keys, terms in BONDED[settings["kinds"]]:
        expected = sum(theirs[key] for key in keys)
        found = sum(mine.get(f"bonded_{one}_energy", 0.0) for one in terms)
        assert abs(expected) > 1e-2, keys
        assert found == pytest.approx(expected, rel=1e-6), keys
    assert mine["lennard_jones_energy"] == pytest.approx(theirs["LJ (SR)"], rel=1e-6)
    charges = theirs["Coulomb (SR)"] + theirs["Coul. recip."]
    assert mine["electrostatics_energy"] == pytest.approx(charges, rel=1e-6)
    assert mine["potential_energy"] == pytest.approx(theirs["Potential"], rel=1e-6)
    size = numpy.sqrt((forces**2).sum(axis=1).mean())
    assert size == pytest.approx(theirs["root mean square of the forces"], rel=1e-6)


def test_the_forces_of_a_liquid_of_opls_are_those_of_gromacs(gmx, sterna, tmp_path):
    write_system(tmp_path, "methanol")
    _, force = gromacs(
        gmx, tmp_path, "methanol", ["Potential"], modifier="None", coulomb="PME", correction="no"
    )
    done = sterna(
        "import", "methanol.top", "methanol.gro", "--constraints", "none", "--cutoff", "0.9",
        "-o", "out.toml",
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    _, forces = sterna_run(
        sterna, tmp_path,
        [("steps = 10000", "steps = 0"), ('tail_correction = "homogeneous"', ""),
         ('"fmm"', '"ewald"'), ("accuracy = 0.0001", "accuracy = 1e-7"), OUTPUT],
    )  # fmt: skip
    rms = numpy.sqrt((force**2).sum(axis=1).mean())
    assert numpy.sqrt(((forces - force) ** 2).sum(axis=1).mean()) < 1e-5 * rms


ARGON = """\
[ defaults ]
1 2 no 1.0 1.0

[ atomtypes ]
AR 18 39.948 0.0 A 0.3405 0.996

[ moleculetype ]
Ar 0

[ atoms ]
1 AR 1 Ar Ar 1 0.0 39.948

[ system ]
argon

[ molecules ]
Ar 216
"""

INPUT = """\
units = "nano"
[run]
name = "argon"
steps = 0
timestep = 0.001
[start]
kind = "file"
file = "argon.extxyz"
[[type]]
name = "Ar"
mass = 39.948
sigma = 0.3405
epsilon = 0.996
[interaction]
cutoff = 0.9
switch_start = 0.7
truncation = "{truncation}"
tail_correction = "homogeneous"
[output]
trajectory_interval = 1
trajectory_fields = ["position", "force"]
"""


@pytest.mark.parametrize(
    ("truncation", "modifier"),
    [("quintic_switched", "Potential-switch"), ("cubic_force_switched", "Force-switch")],
)
def test_switched_potentials_and_their_tails_are_those_of_gromacs(
    truncation, modifier, gmx, sterna, tmp_path
):
    random = numpy.random.default_rng(5)
    grid = numpy.stack(numpy.meshgrid(*3 * [numpy.arange(6)], indexing="ij"), -1).reshape(-1, 3)
    places = numpy.round((grid + 0.5) / 3 + random.normal(scale=0.03, size=grid.shape), 3)
    lines = [
        f"{n + 1:5d}Ar      Ar{n + 1:5d}" + "".join(f"{x:8.3f}" for x in place)
        for n, place in enumerate(places)
    ]
    (tmp_path / "argon.gro").write_text(
        "\n".join(["argon", "216", *lines, "   2.00000   2.00000   2.00000", ""])
    )
    (tmp_path / "argon.top").write_text(ARGON)
    rows = ["Ar " + " ".join(map(repr, place)) for place in places.tolist()]
    (tmp_path / "argon.extxyz").write_text(
        "\n".join(["216", 'Lattice="2 0 0 0 2 0 0 0 2" Properties=species:S:1:pos:R:3', *rows, ""])
    )
    names = ["LJ-(SR)", "Disper.-corr.", "Potential", "Pressure"]
    theirs, force = gromacs(
        gmx, tmp_path, "argon", names, modifier=modifier, coulomb="Cut-off",
        correction="AllEnerPres",
    )  # fmt: skip
    (tmp_path / "input.toml").write_text(INPUT.format(truncation=truncation))
    done = sterna("run", "input.toml", "-n", 2)
    assert done.returncode == 0, done.stdout + done.stderr
    mine = read_log(tmp_path / "argon.log.jsonl").rows[0]
    assert mine["lennard_jones_energy"] == pytest.approx(theirs["LJ (SR)"], rel=1e-6)
    with h5py.File(tmp_path / "argon.h5md") as file:
        forces = file["particles/trajectory/force/value"][0]
    rms = numpy.sqrt((force**2).sum(axis=1).mean())
    assert numpy.sqrt(((forces - force) ** 2).sum(axis=1).mean()) < 1e-6 * rms
    assert mine["tail_correction_energy"] == pytest.approx(theirs["Disper. corr."], rel=1e-6)
    # In bar, with the part of the tail; nothing moves in either.
    assert mine["pressure"] == pytest.approx(theirs["Pressure"], rel=1e-6)
