"""Molten salt in Sterna (fast multipole method) and in LAMMPS (Ewald sums): the same forces."""

import numpy
import pytest
from lammps_support import lammps, run_lammps  # noqa: F401 (lammps is a fixture)
from sterna import read_log

h5py = pytest.importorskip("h5py")

EDGE = 6 * 2.95
ATMOSPHERE = 1.0 / 68568.415  # kcal/mol/angstrom^3, as LAMMPS has it


def write_ions(tmp_path):
    random = numpy.random.default_rng(5)
    sites = numpy.stack(numpy.meshgrid(*3 * [numpy.arange(6)], indexing="ij"), -1).reshape(-1, 3)
    position = (sites + 0.5) * 2.95 + random.normal(size=sites.shape) * 0.25
    species = sites.sum(axis=1) % 2
    lines = ["salt\n", f"{len(sites)} atoms", "2 atom types", ""]
    lines += [f"0.0 {EDGE!r} {axis}lo {axis}hi" for axis in "xyz"]
    lines += ["", "Masses", "", "1 22.98977", "2 35.453", "", "Atoms # charge", ""]
    for i, (s, r) in enumerate(zip(species, position.tolist(), strict=True), 1):
        lines.append(f"{i} {s + 1} {1 - 2 * s} {r[0]!r} {r[1]!r} {r[2]!r}")
    (tmp_path / "start.data").write_text("\n".join(lines) + "\n")
    lines = [
        str(len(sites)),
        f'Lattice="{EDGE} 0 0 0 {EDGE} 0 0 0 {EDGE}" Properties=species:S:1:pos:R:3',
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
kspace_style ewald 1e-8
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
kind = "fmm"
accuracy = 1e-5
[output]
trajectory_interval = 1
trajectory_fields = ["position", "force"]
"""


@pytest.mark.parametrize("ranks", [1, 3])
def test_sterna_and_lammps_agree_on_a_salt(ranks, lammps, sterna, tmp_path):  # noqa: F811
    write_ions(tmp_path)
    rows, arrays = run_lammps(lammps, COMMANDS.split("\n"), steps=0, every=1, folder=tmp_path)
    peer_row, peer = rows[0], arrays["force"]

    (tmp_path / "salt.toml").write_text(INPUT)
    done = sterna("run", "salt.toml", "-n", ranks)
    assert done.returncode == 0, done.stdout + done.stderr
    row = read_log(tmp_path / "salt.log.jsonl").rows[0]
    with h5py.File(tmp_path / "salt.h5md") as file:
        force = file["particles/trajectory/force/value"][0]

    assert row["potential_energy"] == pytest.approx(peer_row["potential_energy"], rel=1e-5)
    # The virials of the repulsion and of the charges nearly cancel.
    size = abs(peer_row["potential_energy"])
    assert row["virial"] == pytest.approx(peer_row["virial"] * ATMOSPHERE, abs=2e-5 * size)
    # A length of h5md's unit: nanometers; forces in kJ/mol/nm.
    scale = 4.184 * 10.0
    difference = force / scale - peer
    assert numpy.sqrt((difference**2).sum() / (peer**2).sum()) < 2e-5
