"""`sterna import` of data files of LAMMPS: the command, messages with places, broken files."""

import random

import pytest
from sterna import read_log
from sterna.errors import SternaError
from sterna.importing.lammps.lammps_system import read_lammps
from sterna.importing.molecules import Molecules

# Two waters (SPC) and a pair of ions, atoms in any order.
DATA = """\
LAMMPS data file via write_data, version 29 Aug 2024, timestep = 0, units = real

8 atoms
4 atom types
4 bonds
1 bond types
2 angles
1 angle types

0.0 20.0 xlo xhi
0.0 20.0 ylo yhi
0.0 20.0 zlo zhi

Masses

1 15.9994
2 1.008
3 22.98977
4 35.453

Pair Coeffs # lj/cut/coul/long

1 0.1553 3.166
2 0.0 0.0
3 0.11 2.4
4 0.09 4.3

Bond Coeffs # harmonic

1 500.0 1.0

Angle Coeffs # harmonic

1 60.0 109.47

Atoms # full

4 2 1 -0.82 5.0 5.0 9.0
1 1 1 -0.82 5.0 5.0 5.0
2 1 2 0.41 6.0 5.0 5.0
3 1 2 0.41 4.6668 5.9428 5.0
6 2 2 0.41 4.6668 5.9428 9.0
5 2 2 0.41 6.0 5.0 9.0
7 0 3 1.0 12.0 12.0 12.0
8 0 4 -1.0 15.0 12.0 12.0 1 0 0

Velocities

1 0.001 0.0 0.0
2 0.001 0.0 0.0
3 0.001 0.0 0.0
4 0.0 0.001 0.0
5 0.0 0.001 0.0
6 0.0 0.001 0.0
7 0.0 0.0 0.0
8 0.0 0.0 0.0

Bonds

1 1 1 2
2 1 1 3
3 1 4 5
4 1 4 6

Angles

1 1 2 1 3
2 1 5 4 6
"""

SCRIPT = """\
units real
atom_style full
variable rc equal 9.0  # of both
pair_style lj/cut/coul/long ${rc} &
    9.0
pair_modify mix arithmetic tail yes
bond_style harmonic
angle_style harmonic
special_bonds lj/coul 0 0 0.5
kspace_style pppm 1e-5
read_data water.data
pair_coeff 3 4 0.05 3.1
timestep 2.0
run 1000
"""


def read(folder, data=DATA, script=SCRIPT, constraints="none"):
    (folder / "water.data").write_text(data)
    scripts = []
    if script is not None:
        (folder / "in.water").write_text(script)
        scripts = [folder / "in.water"]
    return read_lammps(folder / "water.data", scripts, 1.0, constraints)


def test_the_command_writes_an_input_that_runs(sterna, tmp_path):
    (tmp_path / "water.data").write_text(DATA)
    (tmp_path / "in.water").write_text(SCRIPT)
    done = sterna(
        "import", "water.data", "in.water", "--constraints", "hydrogen", "-o", "water.toml"
    )
    assert done.returncode == 0, done.stdout + done.stderr
    text = (tmp_path / "water.toml").read_text()
    assert text.count("[[molecule]]") == 3
    assert 'name = "H2O"\ncount = 2' in text
    assert text.count('constrained_bonds = "hydrogen"') == 1
    assert text.count("[[molecule.constraint]]") == 1
    assert text.count("[[pair]]") == 1 and "mixing" not in text
    assert "cutoff = 9.0" in text and 'tail_correction = "homogeneous"' in text
    assert "timestep = 2.0" in text and "coulomb_14 = 0.5" in text
    (tmp_path / "water.toml").write_text(text.replace("steps = 1000", "steps = 10"))
    done = sterna("run", "water.toml", "-n", 2)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = read_log(tmp_path / "output" / "water.log.jsonl").rows
    assert rows[-1]["step"] == 10
    # The velocities are those of the file.
    assert rows[0]["kinetic_energy"] == pytest.approx(
        0.5 * 2 * (15.9994 + 2 * 1.008) * 1e-6 / 4.184e-4, rel=1e-9
    )


MOLTEMPLATE = {
    "system.in": 'include "system.in.init"\nread_data "system.data"\ninclude "system.in.settings"\n',
    "system.in.init": "units real\natom_style full\npair_style hybrid lj/cut 8.0\n"
                      "pair_modify mix sixthpower\n",
    "system.in.settings": "pair_coeff 1 1 lj/cut 0.238 3.405\npair_coeff 2 2 lj/cut 0.33 3.65\n",
    "system.data": "LAMMPS Description\n\n2 atoms\n2 atom types\n\n0 30 xlo xhi\n0 30 ylo yhi\n"
                   "0 30 zlo zhi\n\nMasses\n\n1 39.948\n2 83.8\n\nAtoms # full\n\n"
                   "1 1 1 0 1 1 1\n2 2 2 0 5 1 1\n",
}  # fmt: skip


def test_files_of_moltemplate_have_the_rule_of_waldman_and_hagler(tmp_path):
    for name, text in MOLTEMPLATE.items():
        (tmp_path / name).write_text(text)
    system = read_lammps(None, [tmp_path / "system.in"], 1.0, "none")
    assert system.interaction["mixing"] == "waldman_hagler" and not system.pairs
    assert [(one["sigma"], one["epsilon"]) for one in system.types] == [
        (3.405, 0.238), (3.65, 0.33),
    ]  # fmt: skip


def test_a_data_file_alone_says_enough(tmp_path):
    system = read(tmp_path, script=None)
    assert system.interaction["cutoff"] == 10.0
    molecules = Molecules(system)
    assert [(kind.name, kind.count) for kind in molecules.kinds] == [
        ("H2O", 2), ("Na", 1), ("Cl", 1),
    ]  # fmt: skip
    assert molecules.order == [0, 1, 2, 3, 4, 5, 6, 7]
    # Through the side of the box.
    assert system.positions[7].tolist() == [35.0, 12.0, 12.0]


#: What is changed of the data file, and the message.
BROKEN_DATA = {
    "no_units": (", units = real", "", '1:1: error: nothing says in which units the file is'),
    "other_units": ("units = real", "units = si", '1:1: error: units "si" are not taken over'),
    "no_atoms": ("8 atoms\n", "", "13:1: error: expected a header line with the number of atoms"),
    "keyword": (
        "4 atom types", "4 atomtypes",
        '4:3: error: unknown header keyword "atomtypes"; did you mean "atom types"?',
    ),
    "count": ("4 bonds", "four bonds", '5:1: error: unknown section "four bonds"'),
    "count_negative": ("4 bonds", "-4 bonds", "5:1: error: the number before bonds is -4"),
    "bounds": (
        "0.0 20.0 zlo", "20.0 0.0 zlo",
        "12:6: error: the upper bound of the box must be above the lower one",
    ),
    "bodies": ("2 angles", "2 bodies", "7:1: error: the file has bodies"),
    "mass": ("2 1.008", "2 -1.008", "17:3: error: a mass must be positive"),
    "mass_missing": ("4 35.453", "3 35.453", "1:1: error: the atom type 4 has no mass"),
    "type_beyond": ("2 0.0 0.0", "5 0.0 0.0", "24:1: error: the atom type is 5; expected 1 to 4"),
    "epsilon": ("4 0.09 4.3", "4 -0.09 4.3", "26:3: error: expected no negative number"),
    "sigma": ("4 0.09 4.3", "4 0.09", "26:7: error: expected sigma; found the end of the line"),
    "third": (
        "4 0.09 4.3", "4 0.09 4.3 x",
        "26:12: error: the cutoff of this pair is \"x\"",
    ),
    "style": (
        "Bond Coeffs # harmonic", "Bond Coeffs # table",
        '30:None: error: the bond style "table" is not taken over: LAMMPS interpolates',
    ),
    "coefficient": ("500.0 1.0", "500.0 x", '30:9: error: the length at rest is "x"; expected a'),
    "coefficients": (
        "500.0 1.0", "500.0 1.0 2.0",
        "30:13: error: unexpected text behind the last coefficient",
    ),
    "class2": (
        "Angle Coeffs", "BondAngle Coeffs",
        "error: the angle style harmonic has no coefficients of this section",
    ),
    "section": ("Angle Coeffs", "Angel Coeffs", '32:1: error: unknown section "Angel Coeffs"; did'),
    "section_twice": ("Velocities", "Masses", '47:1: error: a second section "Masses"'),
    "atom_style": (
        "Atoms # full", "Atoms # dipole",
        '36:1: error: the atom style "dipole" is not read; expected full, molecular, bond, angle, '
        "charge, atomic",
    ),
    "columns": (
        "7 0 3 1.0 12.0 12.0 12.0", "7 0 3 1.0 12.0 12.0 12.0 1",
        "44:26: error: expected 7 columns, `id molecule type charge x y z`, or 10 with image flags",
    ),
    "id_twice": ("7 0 3", "8 0 3", "45:1: error: a second atom of id 8"),
    "id": ("7 0 3", "0 0 3", "44:1: error: the id of an atom is 0; expected 1 to"),
    "charge": ("3 1.0 12.0", "3 one 12.0", '44:7: error: the charge is "one"; expected a number'),
    "atom_type": ("7 0 3", "7 0 9", "44:5: error: the atom type is 9; expected 1 to 4"),
    "short": (
        "8 0 4 -1.0 15.0 12.0 12.0 1 0 0\n", "",
        '46:1: error: the section "Atoms" ends after 7 of 8 lines',
    ),
    "velocity": ("7 0.0 0.0 0.0", "9 0.0 0.0 0.0", "55:1: error: there is no atom 9"),
    "bond_atom": ("3 1 4 5", "3 1 4 50", "62:7: error: there is no atom 50"),
    "bond_type": ("3 1 4 5", "3 2 4 5", "62:3: error: the bond type is 2; expected 1 to 1"),
    "bond_itself": ("3 1 4 5", "3 1 4 4", "62:1: error: an atom stands twice in this bond"),
    "angle_long": ("2 1 5 4 6", "2 1 5 4 6 7", "68:11: error: unexpected text; expected `id type"),
    "end": ("2 1 5 4 6\n", "", '68:1: error: the section "Angles" ends after 1 of 2 lines'),
}  # fmt: skip

#: Likewise of the script.
BROKEN_SCRIPT = {
    "units": ("units real", "units electron", '1:7: error: units "electron" are not taken over'),
    "pair_style": ("lj/cut/coul/long $", "lj/cut/tip4p/long $", 'the pair style "lj/cut/tip4p/long"'),
    "variable": ("equal 9.0", "equal v_x", 'error: there is no variable "x"'),
    "formula": ("equal 9.0", "equal lx/2", "lx stands before there is a box"),
    "no_variable": ("variable rc", "variable other", 'there is no variable "rc"'),
    "special_bonds": ("0 0 0.5", "0 2.0 0.5", "9:25: error: a factor of special_bonds is from 0 to 1"),
    "special_word": ("lj/coul 0", "lj/col 0", 'unknown key of special_bonds "lj/col"; did you mean'),
    "boundary": ("atom_style full", "boundary p p f", "2:10: error: expected boundary p p p"),
    "include": ("atom_style full", "include other.in", "2:9: error: the file other.in of include is not there"),
    "set": ("run 1000", "set type 5 charge 0.x", '14:19: error: the value of charge is "0.x"; expected'),
    "cmap": ("run 1000", "fix 1 all cmap x.data", "14:11: error: fix cmap is not taken over; --leave-out cmap"),
    "range": ("pair_coeff 3 4", "pair_coeff 3 5", "12:14: error: there is no such atom type"),
    "range_text": ("pair_coeff 3 4", "pair_coeff 3 C", '12:14: error: expected atom types such as 2'),
    "angle_style": ("angle_style harmonic", "angle_style table", 'the angle style "table" is not'),
}  # fmt: skip


def message_of(folder, data=DATA, script=SCRIPT):
    with pytest.raises(SternaError) as caught:
        read(folder, data, script)
    assert caught.value.status == 2
    return str(caught.value).replace(f"{folder}/", "")


@pytest.mark.parametrize("name", BROKEN_DATA)
def test_a_broken_data_file_is_told_with_its_place(name, tmp_path):
    old, new, message = BROKEN_DATA[name]
    assert DATA.count(old) == 1 or name in ("section_twice",)
    script = None if name in ("no_units", "other_units", "style") else SCRIPT
    assert message.replace("None", "1") in message_of(tmp_path, DATA.replace(old, new), script)


@pytest.mark.parametrize("name", BROKEN_SCRIPT)
def test_a_broken_script_is_told_with_its_place(name, tmp_path):
    old, new, message = BROKEN_SCRIPT[name]
    assert SCRIPT.count(old) == 1
    assert message in message_of(tmp_path, script=SCRIPT.replace(old, new))


def test_what_is_broken_at_random_is_an_error_or_a_system(tmp_path):
    numbers = random.Random(5)
    pieces = ["", "#", "-1", "nan", "1e999", "99999999999999999999", "Atoms", "\n", " ", "$", "&",
              "Bonds", "é", "\0", "*", "0x10", "1_0", "harmonic", "\n\n"]  # fmt: skip
    errors = 0
    for _ in range(600):
        texts = [DATA, SCRIPT]
        for _ in range(numbers.randint(1, 3)):
            which = numbers.choice((0, 0, 0, 1))
            text = texts[which]
            begin = numbers.randrange(len(text))
            end = begin + numbers.choice((0, 1, 3, 30))
            texts[which] = text[:begin] + numbers.choice(pieces) + text[end:]
        try:
            Molecules(read(tmp_path, *texts))
        except SternaError as error:
            errors += 1
            assert "error: " in str(error) or "water.data" in str(error) or "special" in str(error)
    assert errors > 200
