"""Molten salt in Sterna (fast multipole method, Ewald sums) and in LAMMPS (Ewald sums): the same forces."""

import numpy
import pytest
from lammps_support import run_lammps
from sterna import read_log

h5py = pytest.importorskip("h5py")

EDGE = 6 * 2.95
ATMOSPHERE = 1.0 / 68568.415  # kcal/mol/angstrom^3, as LAMMPS has it


CUBE = numpy.eye(3) * EDGE
SKEWED = numpy.array([[EDGE, 0, 0], [3.5, EDGE, 0], [-2.8, 3.1, EDGE]])
# Half of an edge, more than the multipole method takes.
OBLIQUE = numpy.array([[EDGE, 0, 0], [0.5 * EDGE, EDGE, 0], [0.5 * EDGE, -0.4 * EDGE, EDGE]])


def write_ions(tmp_path, cell):
    random = numpy.random.default_rng(5)
    sites = numpy.stack(numpy.meshgrid(*3 * [numpy.arange(6)], indexing="ij"), -1).reshape(-1, 3)
    position = (sites + 0.5) / 6 @ cell + random.normal(size=sites.shape) * 0.25
    species = sites.sum(axis=1) % 2
    lines = ["salt\n", f"{len(sites)} atoms", "2 atom types", ""]
    lines += [f"0.0 {EDGE!r} {axis}lo {axis}hi" for axis in "xyz"]
    if cell[1, 0] != 0.0:
        lines.append(f"{cell[1, 0].item()!r} {cell[2, 0].item()!r} {cell[2, 1].item()!r} xy xz yz")
    lines += ["", "Masses", "", "1 22.98977", "2 35.453", "", "Atoms # charge", ""]
    for i, (s, r) in enumerate(zip(species, position.tolist(), strict=True), 1):
        lines.append(f"{i} {s + 1} {1 - 2 * s} {r[0]!r} {r[1]!r} {r[2]!r}")
    (tmp_path / "start.data").write_text("\n".join(lines) + "\n")
    lines = [
        str(len(sites)),
        f'Lattice="{" ".join(map(repr, cell.ravel().tolist()))}" Properties=species:S:1:pos:R:3',
    ]
    for s, r in zip(species, position.tolist(), strict=True):
        lines.append(f"{('Na', 'Cl')[s]} {r[0]!r} {r[1]!r} {r[2]!r}")
    (tmp_path / "start.extxyz").write_text("\n".join(lines) + "\n")


COMMANDS = """\
units real
atom_style charge
atom_modify map array
read_data start.data
pair_style lj/cut/coul/long 8.5 8.5
pair_modify mix arithmetic shift yes
pair_coeff 1 1 0.3526418 2.159538
pair_coeff 2 2 0.0127850 4.830453
kspace_style ewald 1e-10
neighbor 0.3 bin
timestep 1.0
fix advance all nve
compute pair_pressure all pressure NULL virial
thermo_style custom step pe ke pxx pyy pzz vol
thermo_modify norm no press pair_pressure
thermo 1"""

INPUT = """\
units = "real"
[run]
name = "salt"
steps = 0
timestep = 1.0
[start]
kind = "file"
file = "start.extxyz"
[[type]]
name = "Na"
mass = 22.98977
epsilon = 0.3526418
sigma = 2.159538
charge = 1.0
[[type]]
name = "Cl"
mass = 35.453
epsilon = 0.0127850
sigma = 4.830453
charge = -1.0
[interaction]
cutoff = 8.5
truncation = "shifted"
[electrostatics]
kind = "{kind}"
accuracy = {accuracy}
[output]
trajectory_interval = 1
trajectory_fields = ["position", "force"]
"""


@pytest.mark.parametrize(
    ("kind", "accuracy", "cell", "ranks"),
    [
        pytest.param("fmm", 1e-5, CUBE, 1, id="fmm-1"),
        pytest.param("fmm", 1e-5, CUBE, 3, id="fmm-3"),
        pytest.param("fmm", 1e-5, SKEWED, 1, id="fmm-triclinic-1"),
        pytest.param("fmm", 1e-5, SKEWED, 4, id="fmm-triclinic-4"),
        pytest.param("ewald", 1e-8, OBLIQUE, 2, id="ewald-triclinic"),
    ],
)
def test_sterna_and_lammps_agree_on_a_salt(  # noqa: PLR0913
    kind,
    accuracy,
    cell,
    ranks,
    lammps,
    sterna,
    tmp_path,
):
    write_ions(tmp_path, cell)
    rows, arrays = run_lammps(lammps, COMMANDS.split("\n"), steps=0, every=1, folder=tmp_path)
    peer_row, peer = rows[0], arrays["force"]

    (tmp_path / "salt.toml").write_text(INPUT.format(kind=kind, accuracy=accuracy))
    done = sterna("run", "salt.toml", "-n", ranks)
    assert done.returncode == 0, done.stdout + done.stderr
    row = read_log(tmp_path / "salt.log.jsonl").rows[0]
    with h5py.File(tmp_path / "salt.h5md") as file:
        force = file["particles/trajectory/force/value"][0]

    # LAMMPS has constants of eight digits, and sums of about as many.
    tolerance = max(accuracy, 3e-7)
    assert row["potential_energy"] == pytest.approx(peer_row["potential_energy"], rel=tolerance)
    # The virials of the repulsion and of the charges nearly cancel.
    size = abs(peer_row["potential_energy"])
    assert row["virial"] == pytest.approx(peer_row["virial"] * ATMOSPHERE, abs=2 * tolerance * size)
    # A length of h5md's unit: nanometers; forces in kJ/mol/nm.
    scale = 4.184 * 10.0
    difference = force / scale - peer
    assert numpy.sqrt((difference**2).sum() / (peer**2).sum()) < 2 * tolerance
