"""Charges of LAMMPS that end at a cutoff, sums of its pair styles, and fixes that act on groups."""

import random

import numpy
import pytest
from lammps_support import run_lammps
from sterna.errors import SternaError
from sterna.importing.comparison import start_of_sterna
from sterna.importing.lammps.judge import TOLERANCE, compare
from sterna.importing.lammps.lammps_system import read_lammps
from sterna.importing.molecules import Molecules

EDGE = 26.0
CHARGES = [0.4, -0.6, 0.35, -0.15]
#: Lines of the pair style.
STYLES = {
    "coul/debye": ["coul/debye 0.2 9.0", "* *"],
    "lj/cut/coul/debye": ["lj/cut/coul/debye 0.2 8.0 9.0", "1 1 0.1 3.0", "2 2 0.2 3.2"],
    "coul/dsf": ["coul/dsf 0.2 9.0", "* *"],
    "lj/cut/coul/dsf": ["lj/cut/coul/dsf 0.15 9.0", "1 1 0.1 3.0", "2 2 0.2 3.2 8.0"],
    "born/coul/dsf": ["born/coul/dsf 0.2 8.0 9.0", "* * 6.1 0.3 1.1 24.2 0.5"],
    "lj/gromacs/coul/gromacs": [
        "lj/gromacs/coul/gromacs 6.0 8.0 5.0 9.0", "1 1 0.1 3.0", "2 2 0.2 3.2",
    ],
    "lj/cut/coul/cut": ["lj/cut/coul/cut 8.0 3.5", "1 1 0.1 3.0", "2 2 0.2 3.2"],
    "two potentials": [
        "hybrid/overlay lj/cut 8.0 gauss 7.0 coul/dsf 0.2 9.0", "* * coul/dsf",
        "1 1 lj/cut 0.1 3.0", "2 2 lj/cut 0.2 3.2", "1 1 gauss 2.0 0.1", "1 2 gauss -1.0 0.2",
        "2 2 gauss 0.0 0.1",
    ],
    "three potentials": [
        "hybrid/overlay lj/cut 8.0 morse 7.0 yukawa 0.5 6.0 coul/cut 9.0", "* * coul/cut",
        "1 1 lj/cut 0.1 3.0", "2 2 lj/cut 0.2 3.2", "1 2 morse 0.3 1.1 3.5", "* * yukawa 10.0",
    ],
    "no Lennard-Jones potential": [
        "hybrid/overlay morse 7.0 born 8.0 coul/debye 0.1 9.0", "* * coul/debye",
        "* * morse 0.3 1.1 3.5", "* * born 6.1 0.3 1.1 24.2 0.5",
    ],
}  # fmt: skip
SPECIAL = ["lj/coul 0 0 0.5", "lj 0 0.2 0.5 coul 0 0.3 0.8", "lj/coul 0 0 0", "lj 1 1 1 coul 0 0 1"]


def write(folder, pair, special="lj/coul 0 0 0.5", more=()):
    numbers = random.Random(23)
    lines = ["charges\n", "144 atoms", "2 atom types", "108 bonds", "1 bond types",
             *(f"0.0 {EDGE} {axis}lo {axis}hi" for axis in "xyz"), "", "Masses", "", "1 12.011",
             "2 15.999", "", "Atoms # full", ""]  # fmt: skip
    bonds = []
    for n in range(36):
        at = numpy.array([8.2 * (n % 3) + 1.0, 8.2 * (n // 3 % 3) + 1.0, 6.2 * (n // 9) + 1.0])
        for k in range(4):
            place = at + [1.1 * k, 0.9 * (k % 2), 0.4 * k]
            place = place + [numbers.uniform(-0.2, 0.2) for _ in range(3)]
            text = " ".join(repr(float(x)) for x in place)
            lines.append(f"{4 * n + k + 1} {n + 1} {1 + k % 2} {CHARGES[k]} {text}")
        bonds += [(4 * n + k, 4 * n + k + 1) for k in (1, 2, 3)]
    lines += ["", "Bonds", "", *(f"{n} 1 {a} {b}" for n, (a, b) in enumerate(bonds, 1))]
    (folder / "charges.data").write_text("\n".join(lines) + "\n")
    style, *coefficients = pair
    script = [
        "units real", "atom_style full", f"pair_style {style}", "bond_style harmonic",
        f"special_bonds {special}", "read_data charges.data", "bond_coeff 1 50 1.4",
        *(f"pair_coeff {one}" for one in coefficients), *more, "run 10",
    ]  # fmt: skip
    (folder / "in.charges").write_text("\n".join(script) + "\n")
    return folder / "charges.data", [folder / "in.charges"]


@pytest.mark.parametrize("name", STYLES)
@pytest.mark.parametrize("special", SPECIAL)
def test_a_style_means_what_it_means_in_lammps(
    name, special, lammps, tmp_path
):  # fmt: skip
    data, scripts = write(tmp_path, STYLES[name], special, ["fix 1 all nve"])
    _, rows = compare(data, scripts, 1.0, set())
    found = {row.name: (row.sterna, row.judge, row.difference) for row in rows}
    # With a short cutoff all charges that are left may be excluded.
    assert found["charges"][1] != 0.0 or name == "lj/cut/coul/cut"
    # LAMMPS computes erfc by a polynomial.
    tolerance = 10 * TOLERANCE if "dsf" in STYLES[name][0] else TOLERANCE
    for row in rows:
        small = abs(row.sterna - row.judge) < 1e-6 and row.name != "forces"
        assert row.difference < tolerance or small, found


REFUSED = {
    "coul/wolf 0.2 9.0\n* *": "coul/dsf has the same forces",
    "lj/charmm/coul/charmm 6.0 8.0\n* * 0.1 3.0": "lj/charmmfsw/coul/charmmfsh has those",
    "lj/cut/coul/dsf 0.0 9.0\n* * 0.1 3.0": "alpha must be positive",
    "nm/cut/coul/dsf 0.2 9.0\n* * 0.1 3.0 12 6": 'pair style "nm/cut/coul/dsf" is not taken over',
    "hybrid/overlay lj/cut 8.0 coul/dsf 0.2 9.0 coul/cut 9.0\n* * lj/cut 0.1 3.0\n* * coul/dsf\n"
    "* * coul/cut": "act 2 times",
}


@pytest.mark.parametrize("pair", REFUSED)
def test_what_is_refused_says_why(pair, tmp_path):
    data, scripts = write(tmp_path, pair.splitlines())
    with pytest.raises(SternaError) as caught:
        read_lammps(data, scripts, 1.0, None)
    assert REFUSED[pair] in str(caught.value)
    assert "in.charges:" in str(caught.value)


FIXES = {
    "efield": "fix 2 all efield 0.1 -0.2 0.3",
    "efield of a group": "group g id 1:57:2\nfix 2 g efield 0.1 -0.2 0.3",
    "addforce of groups": (
        "group g id 1:57\nfix 2 g addforce 0.5 0.2 0.1\ngroup h id 30:90\n"
        "fix 3 h addforce -0.5 1.0 0.1\nfix 4 all addforce 0 0 0.2"
    ),
}


@pytest.mark.parametrize("dielectric", ["", "dielectric 2.5\n"])
@pytest.mark.parametrize("name", FIXES)
def test_forces_of_fixes_are_those_of_lammps(
    name, dielectric, lammps, tmp_path
):  # fmt: skip
    more = ["fix 1 all nve", *FIXES[name].splitlines()]
    data, scripts = write(tmp_path, STYLES["lj/cut/coul/debye"], more=more)
    text = dielectric + scripts[0].read_text()
    scripts[0].write_text(text)
    system = read_lammps(data, scripts, 1.0, None)
    found = start_of_sterna(Molecules(system), system.positions)
    commands = ["atom_modify map array", *text.replace("run 10\n", "").splitlines()]
    if dielectric:
        commands[:2] = commands[1::-1]
    commands = [line.replace("charges.data", str(data)) for line in commands]
    expected = run_lammps(lammps, commands, 0, 1, tmp_path)[1]["force"]
    forces = found.forces / 41.84
    assert forces == pytest.approx(expected, abs=3e-6 * numpy.abs(expected).max())


def test_atoms_that_nothing_moves_are_frozen(sterna, tmp_path):
    velocity = "velocity all create 300 4711 loop geom"
    for lines, count in (
        (["group rest id 1:40", velocity, "velocity rest set 0 0 0", "fix 1 all nve",
          "fix 2 rest setforce 0 0 0"], 40),
        (["group rest id 1:40", "group go subtract all rest", velocity,
          "fix 1 go nvt temp 300 300 100"], 40),
        (["group go id 41:144", velocity, "fix 1 go nve", "fix 2 all langevin 300 300 100 7"], 40),
    ):  # fmt: skip
        data, scripts = write(tmp_path, STYLES["lj/cut/coul/debye"], more=lines)
        system = read_lammps(data, scripts, 1.0, None)
        frozen = {one["component"] for one in system.sections["freeze"]}
        assert {k for k, atom in enumerate(system.atoms) if atom.type in frozen} == set(
            range(count)
        )
        done = sterna("import", "charges.data", "in.charges", "-o", "out.toml", "--overwrite")
        assert done.returncode == 0, done.stdout + done.stderr
        done = sterna("run", "out.toml", "-n", 2, "--overwrite")
        assert done.returncode == 0, done.stdout + done.stderr
    rejected = {
        "fix 1 all nve\ngroup rest id 1:40\nfix 2 rest setforce 0 0 0": "have velocities",
        "fix 1 all nve\ngroup rest id 1:40\nfix 2 rest setforce 0 NULL 0": "with 0 0 0",
        "group go id 41:144\nfix 1 go npt temp 300 300 100 iso 1 1 1000": "beside a barostat",
        "group go id 41:144\nfix 1 go nve\nfix 2 all temp/csvr 300 300 100 7": (
            "acts on other atoms than those that move"
        ),
        "group go id 41:144\nfix 1 go nve\nfix 2 all shake 1e-4 20 0 b 1": "beside fix shake",
    }
    for lines, why in rejected.items():
        data, scripts = write(
            tmp_path, STYLES["lj/cut/coul/debye"], more=[velocity, *lines.splitlines()]
        )
        with pytest.raises(SternaError, match=r"in\.charges:\d+:\d+: error: ") as caught:
            read_lammps(data, scripts, 1.0, None)
        assert why in str(caught.value)
