"""`share` of [[molecule.special_pair]]: part of what acts between the types of two atoms."""

import numpy
import pytest
from sterna import read_log

h5py = pytest.importorskip("h5py")

CHAINS = 64
TEXT = """\
units = "reduced"
[run]
name = "{name}"
steps = 20
timestep = 0.001
[start]
kind = "file"
file = "start.extxyz"
temperature = 1.0
[[type]]
name = "A"
mass = 1.0
[[type]]
name = "B"
mass = 1.5
[interaction]
cutoff = 2.0
truncation = "shifted"
[[pair]]
first = "A"
second = "A"
potential = "mie"
epsilon = 1.0
sigma = 0.9
repulsive_exponent = 10
[[pair]]
first = "A"
second = "B"
potential = "buckingham"
amplitude = 2000.0
rho = 0.14
c6 = 0.8
truncation = "quintic_switched"
switch_start = 1.5
[[pair]]
first = "B"
second = "B"
epsilon = 0.8
sigma = 0.9
cutoff = 1.8
[[molecule]]
name = "chain"
count = {count}
excluded_bonds = 1
atom = [{{ type = "A" }}, {{ type = "B" }}, {{ type = "A" }}, {{ type = "B" }}]
[[molecule.bond]]
potential = "harmonic"
stiffness = 500.0
r0 = 1.0
atoms = [[1, 2], [2, 3], [3, 4]]
{special}
[output]
thermo_interval = 1
trajectory_interval = 10
trajectory_fields = ["position", "force"]
"""
PAIRS = "atoms = [[1, 3], [2, 4], [1, 4]]"


def write_start(folder):
    numbers = numpy.random.default_rng(3)
    rows = []
    for n in range(CHAINS):
        at = 3.2 * numpy.array([n % 4, n // 4 % 4, n // 16]) + 0.4
        for k in range(4):
            place = at + [0.75 * k, 0.6 * (k % 2), 0.2 * k]
            place = place + numbers.uniform(-0.05, 0.05, 3)
            rows.append(f"{'AB'[k % 2]} " + " ".join(f"{x:.6f}" for x in place))
    head = f'{4 * CHAINS}\nLattice="12.8 0 0 0 12.8 0 0 0 12.8" Properties=species:S:1:pos:R:3\n'
    (folder / "start.extxyz").write_text(head + "\n".join(rows) + "\n")


def run(sterna, folder, name, special, ranks):
    write_start(folder)
    (folder / f"{name}.toml").write_text(TEXT.format(name=name, count=CHAINS, special=special))
    done = sterna("run", f"{name}.toml", "-n", ranks)
    assert done.returncode == 0, done.stdout + done.stderr
    with h5py.File(folder / f"{name}.h5md") as file:
        group = file["particles/trajectory"]
        order = numpy.argsort(group["id"][:])
        forces = group["force/value"][-1][order]
    return read_log(folder / f"{name}.log.jsonl").rows, forces


def special(share):
    return f"[[molecule.special_pair]]\nshare = {share}\ncharge_product = 0.0\n{PAIRS}"


@pytest.mark.parametrize("ranks", [1, 3])
def test_a_share_of_one_is_what_acts_without_it(ranks, sterna, tmp_path):
    plain, forces = run(sterna, tmp_path, "plain", "", 1)
    rows, shared = run(sterna, tmp_path, "shared", special(1.0), ranks)
    for before, after in zip(plain, rows, strict=True):
        for key in ("potential_energy", "virial"):
            assert after[key] == pytest.approx(before[key], rel=1e-10)
    assert numpy.abs(shared - forces).max() < 1e-8 * numpy.abs(forces).max()
    assert rows[0]["scaled_pairs_energy"] != 0.0


def test_half_of_it_lies_between(sterna, tmp_path):
    found = {}
    for name, text in (
        ("whole", special(1.0)),
        ("half", special(0.5)),
        ("none", f"[[molecule.exclusion]]\n{PAIRS}"),
    ):
        rows, _ = run(sterna, tmp_path, name, text, 1)
        found[name] = rows[0]["potential_energy"]
    middle = 0.5 * (found["whole"] + found["none"])
    assert found["half"] == pytest.approx(middle, rel=1e-12)
