"""Commands that draw numbers, loops and changes of the box beside LAMMPS: the same atoms."""

import json
import subprocess

import numpy
import pytest
from lammps_support import lammps  # noqa: F401 (a fixture)
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


@pytest.fixture(scope="module")
def both(lammps, tmp_path_factory):  # noqa: F811
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
    system, theirs = both[name]
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
