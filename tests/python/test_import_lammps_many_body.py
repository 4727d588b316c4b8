"""Scripts of LAMMPS with metals and covalent solids, also beside pairs."""

import math
import sys
import tomllib
from pathlib import Path

import ace_potentials
import pytest
from sterna.errors import SternaError
from sterna.importing import files
from sterna.importing.lammps.judge import TOLERANCE, compare
from sterna.importing.lammps.lammps_system import read_lammps
from sterna.importing.molecules import Molecules

sys.path.insert(0, str(Path(__file__).parents[2] / "examples" / "python"))
from sutton_chen import METALS, POINTS, setfl  # noqa: E402

# As in LAMMPS's own benchmark, smaller.
HEAD = """\
variable x index 1
variable n equal 3*$x
units metal
atom_style atomic
lattice fcc 3.7
region box block 0 ${n} 0 ${n} 0 ${n}
region low block 0 ${n} 0 ${n} 0 1.6
region high block 0 ${n} 0 ${n} 1.6 ${n}
"""
TAIL = """\
group some id 1:80:3
group more id 2:90:5
displace_atoms some move 0.15 -0.1 0.2 units box
displace_atoms more move -0.1 0.2 0.05 units box
velocity all create 1600.0 376847 loop geom
fix 1 all nve
timestep 0.005
run 100
"""
ZBL = """\
Si Si Si 1 1 0 1.0039e5 16.217 -0.59825 0.78734 1.1e-6 1.7322 471.18
2.85 .15 2.4799 1830.8 14 14 .95 14
"""
MOD = """\
Si Si Si 1.0 2.389 -.365 1.0 1.0 1.3458 121.0 3.0 0.3 3.23 3281.59 .938 0.2017 730418.72 1e6 1.0 26.0
"""
TERSOFF = """\
Si Si Si 3 1 1.3258 4.8381 2.0417 0 22.956 0.33675 1.3258 95.373 3.0 0.2 3.2394 3264.7
"""

SW = """\
Si Si Si 2.1683 2.0951 1.80 21.0 1.20 -0.333333333333 7.049556277 0.6022245584 4 0 0
"""

SCRIPTS = {
    "funcfl": """\
create_box 2 box
create_atoms 1 region low
create_atoms 2 region high
pair_style eam
pair_coeff * * copper.eam
mass 2 50.0
""",
    "setfl": """\
create_box 1 box
create_atoms 1 box
pair_style eam/alloy
pair_coeff * * copper.eam.alloy Cu
""",
    "a metal in a gas": """\
create_box 2 box
create_atoms 1 region low
create_atoms 2 region high
pair_style hybrid eam/alloy lj/cut 5.0
pair_coeff * * eam/alloy copper.eam.alloy Cu NULL
pair_coeff 1 2 lj/cut 0.02 2.3
pair_coeff 2 2 lj/cut 0.01 2.4
mass 2 39.9
""",
    "a metal with pairs besides": """\
create_box 1 box
create_atoms 1 box
pair_style hybrid/overlay eam/alloy morse 5.0 lj/cut 4.5
pair_coeff * * eam/alloy copper.eam.alloy Cu
pair_coeff 1 1 morse 0.05 1.3 2.7
pair_coeff 1 1 lj/cut 0.01 2.4
""",
    "a metal with pairs besides in a gas": """\
create_box 2 box
create_atoms 1 region low
create_atoms 2 region high
pair_style hybrid/overlay eam/alloy lj/cut 5.0 morse 4.0
pair_coeff * * eam/alloy copper.eam.alloy Cu NULL
pair_coeff * * lj/cut 0.02 2.3
pair_coeff * 2 morse 0.03 1.3 2.7
mass 2 39.9
""",
    "silicon with nuclei": """\
create_box 1 box
create_atoms 1 box
pair_style tersoff/zbl
pair_coeff * * Si.tersoff.zbl Si
mass 1 28.0855
""",
    "modified silicon in a gas": """\
create_box 2 box
create_atoms 1 region low
create_atoms 2 region high
pair_style hybrid tersoff/mod lj/cut 5.0
pair_coeff * * tersoff/mod Si.tersoff.mod Si NULL
pair_coeff 1 2 lj/cut 0.02 2.3
pair_coeff 2 2 lj/cut 0.01 2.4
mass * 28.0855
""",
    "silicon by angles": """\
create_box 1 box
create_atoms 1 box
pair_style sw
pair_coeff * * Si.sw Si
mass 1 28.0855
""",
    "silicon by angles in a gas": """\
create_box 2 box
create_atoms 1 region low
create_atoms 2 region high
pair_style hybrid sw lj/cut 5.0
pair_coeff * * sw Si.sw Si NULL
pair_coeff 1 2 lj/cut 0.02 2.3
pair_coeff 2 2 lj/cut 0.01 2.4
mass * 28.0855
""",
    "tungsten by harmonics": """\
create_box 1 box
create_atoms 1 box
pair_style snap
pair_coeff * * W.snapcoeff other.snapparam W
mass 1 183.84
""",
    "tungsten by harmonics and nuclei in a gas": """\
create_box 2 box
create_atoms 1 region low
create_atoms 2 region high
pair_style hybrid/overlay snap zbl 3.0 4.0 lj/cut 5.0
pair_coeff * * snap W.snapcoeff other.snapparam W NULL
pair_coeff 1 1 zbl 74 74
pair_coeff * 2 lj/cut 0.02 2.3
mass * 100.0
""",
    "silicon and copper": """\
create_box 2 box
create_atoms 1 region low
create_atoms 2 region high
pair_style hybrid eam/alloy tersoff lj/cut 5.0
pair_coeff * * eam/alloy copper.eam.alloy Cu NULL
pair_coeff * * tersoff Si.tersoff NULL Si
pair_coeff 1 2 lj/cut 0.02 2.3
mass 2 28.0
""",
}


def funcfl() -> str:
    """Copper's functions once more, as one element with effective charges: any positive ones."""
    lines = ["Cu", "29 63.5 3.61 fcc", f"{POINTS} 0.4 {POINTS} 0.0072 7.1"]
    numbers = [-1.0 * (0.4 * k) ** 0.5 for k in range(POINTS)]
    numbers += [5.0 * max(0.0, 1.0 - k / POINTS) ** 2 for k in range(POINTS)]
    numbers += [40.0 * max(0.0, 1.0 - k / POINTS) ** 4 for k in range(POINTS)]
    lines += [" ".join(f"{x:.10e}" for x in numbers[k : k + 5]) for k in range(0, 3 * POINTS, 5)]
    return "\n".join(lines) + "\n"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "copper.eam.alloy").write_text(setfl("Cu", METALS["Cu"]))
    (tmp_path / "copper.eam").write_text(funcfl())
    (tmp_path / "Si.tersoff").write_text(TERSOFF)
    (tmp_path / "Si.tersoff.zbl").write_text(ZBL)
    (tmp_path / "Si.tersoff.mod").write_text(MOD)
    (tmp_path / "Si.sw").write_text(SW)
    coefficients = [0.01 * math.sin(7.0 * k) for k in range(31)]
    (tmp_path / "W.snapcoeff").write_text(
        "1 31\nW 0.5 1.0\n" + "\n".join(f"{x:.12f}" for x in coefficients) + "\n"
    )
    (tmp_path / "Cu.yace").write_text(ace_potentials.yace(ace_potentials.KINDS["exponential"]))
    (tmp_path / "other.snapparam").write_text("rcutfac 4.5\ntwojmax 6\n")
    (tmp_path / "AB.snapcoeff").write_text("# two\n2 2\nA 0.5 1\n0\n1\nB 0.5 1 # b\n0\n1\n")
    (tmp_path / "AB.snapparam").write_text("rcutfac 4.5\ntwojmax 0\nchemflag 1 # all\n")
    return tmp_path


def script(folder: Path, what: str) -> Path:
    path = folder / "in.metal"
    path.write_text(HEAD + what + TAIL)
    return path


@pytest.mark.parametrize("name", SCRIPTS)
def test_energies_and_forces_are_those_of_lammps(name, lammps, folder):
    _, rows = compare(None, [script(folder, SCRIPTS[name])], 1.0, set())
    assert len(rows) > 1
    for row in rows:
        assert row.difference < TOLERANCE, row


def test_the_input_names_a_copy_of_the_file(folder, sterna):
    path = script(folder, SCRIPTS["a metal in a gas"])
    system = read_lammps(None, [path], 1.0, None)
    output = folder / "other" / "metal.toml"
    output.parent.mkdir()
    written = files.write(Molecules(system), output, False)
    assert output.with_name("copper.eam.alloy") in written
    text = tomllib.loads(output.read_text())
    assert text["interaction"]["embedded_atom_file"] == "copper.eam.alloy"
    # The mass of copper comes from the file.
    assert [one["mass"] for one in text["type"]] == [63.546, 39.9]
    assert text["type"][0]["embedded_atom"] == "Cu"
    assert "embedded_atom" not in text["type"][1]
    done = sterna("run", "other/metal.toml", "-n", 2)
    assert done.returncode == 0, done.stdout + done.stderr


PACE = {
    "pace": ("", "Cu"),
    "pace product": ("", "Cu"),
    "pace/kk recursive chunksize 1024": ("", "Cu"),
    "hybrid/overlay pace product lj/cut 5.0": ("pace ", "Cu NULL"),
    "hybrid lj/cut 5.0 pace recursive": ("pace ", "Cu NULL"),
}


@pytest.mark.parametrize("style", PACE)
def test_cluster_expansions(style, folder):
    """The usual LAMMPS has no judge for them: tests/python/test_ace.py has."""
    name, elements = PACE[style]
    types = len(elements.split())
    lines = [f"create_box {types} box", "create_atoms 1 region low"]
    lines += [f"create_atoms {types} region high", f"pair_style {style}"]
    lines += [f"pair_coeff * * {name}Cu.yace {elements}", "mass * 63.5"]
    if types == 2:
        lines += ["pair_coeff 1 2 lj/cut 0.02 2.3", "pair_coeff 2 2 lj/cut 0.01 2.4"]
    system = read_lammps(None, [script(folder, "\n".join(lines) + "\n")], 1.0, None)
    output = folder / "other" / "copper.toml"
    output.parent.mkdir()
    written = files.write(Molecules(system), output, False)
    assert output.with_name("Cu.yace") in written
    text = tomllib.loads(output.read_text())
    assert text["interaction"]["ace_file"] == "Cu.yace"
    if types == 1:
        assert text["interaction"]["potential"] == "ace"
    else:
        assert text["type"][0]["ace"] == "Cu"
        assert "ace" not in text["type"][1]


@pytest.mark.parametrize("tag", ["", "UNITS: metal"])
def test_a_file_in_other_units_than_those_of_the_script(tag, folder, lammps):
    """LAMMPS takes a file without a tag in the units of the script."""
    path = folder / "copper.eam.alloy"
    lines = path.read_text().splitlines()
    path.write_text("\n".join([tag, *lines[1:]]) + "\n")
    text = (HEAD + SCRIPTS["setfl"] + TAIL).replace("units metal", "units real")
    (folder / "in.metal").write_text(text.replace("timestep 0.005", "timestep 5.0"))
    if tag:
        _, rows = compare(None, [folder / "in.metal"], 1.0, set())
        assert all(row.difference < TOLERANCE for row in rows)
    else:
        with pytest.raises(SternaError, match="does not say its units"):
            read_lammps(None, [folder / "in.metal"], 1.0, None)


BROKEN = {
    "pair_style eam/alloy\npair_coeff * * none.alloy Cu": "there is no file none.alloy",
    "pair_style eam/alloy\npair_coeff * * copper.eam.alloy": "0 elements stand behind the file",
    "pair_style eam/alloy\npair_coeff * * copper.eam.alloy Ni": "has no element Ni; there is Cu",
    "pair_style eam/alloy\npair_coeff 1 1 copper.eam.alloy Cu Cu": "expected one for each of 1 type",
    "pair_style eam\npair_coeff * * copper.eam Cu": "expected no more than the file",
    "pair_style eam\npair_coeff * *": "expected the file",
    "pair_style snap\npair_coeff * * W.snapcoeff": "expected the second file",
    "pair_style snap\npair_coeff * * W.snapcoeff W": "there is no file W",
    "pair_style snap\npair_coeff * * AB.snapcoeff AB.snapparam B": "in the order B; expected that of",
    "pair_style pace productt\npair_coeff * * Cu.yace Cu": 'did you mean "product"?',
    "pair_style pace chunksize\npair_coeff * * Cu.yace Cu": "expected a number behind chunksize",
    "pair_style pace\npair_coeff * * Cu.yace": "0 elements stand behind the file",
    "pair_style pace\npair_coeff * * none.yace Cu": "there is no file none.yace",
    "pair_style tersoff/mod\npair_coeff * * Si.tersoff Si": "has 14 numbers",
    "pair_style tersoff\npair_coeff * * Si.tersoff.zbl Si": "has 18 numbers",
    "pair_style tersoff/zbl\npair_coeff * * Si.tersoff.mod Si": "expected 18",
    "pair_style eam 5.0\npair_coeff * * copper.eam": "without arguments",
    "pair_style eam/alloyy\npair_coeff * * copper.eam": 'did you mean "eam/alloy"',
    "pair_style eam\npair_coeff * * in.metal": "is no file of pair_style eam",
    "pair_style hybrid eam lj/cut 5\npair_coeff * * eam copper.eam\n"
    "pair_coeff * * lj/cut 0.1 2.0": "have a many-body style, which is not taken from them again",
    "pair_style hybrid/overlay eam lj/cut 5\npair_coeff * * eam copper.eam\n"
    "pair_coeff * * none": "have a many-body style, which is not taken from them again",
}


@pytest.mark.parametrize("lines", BROKEN)
def test_what_is_broken_has_a_place(lines, folder):
    path = script(folder, f"create_box 1 box\ncreate_atoms 1 box\n{lines}\n")
    with pytest.raises(SternaError, match=r"in\.metal:\d+:\d+: error: ") as caught:
        read_lammps(None, [path], 1.0, None)
    assert BROKEN[lines] in str(caught.value)
