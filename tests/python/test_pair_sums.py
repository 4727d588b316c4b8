"""`adds` of [[pair]]: a pair of types in several potentials, whose sum acts."""

import math

import numpy
import pytest
from sterna import read_log

h5py = pytest.importorskip("h5py")

EDGE, CUTOFF, SHORT = 7.5, 2.4, 1.9
TEXT = """\
units = "reduced"
[run]
name = "{name}"
steps = 0
timestep = 0.001
precision = "{precision}"
[start]
kind = "file"
file = "start.extxyz"
[[type]]
name = "A"
epsilon = 0.7
sigma = 0.9
[[type]]
name = "B"
epsilon = 1.1
sigma = 0.95
[interaction]
cutoff = 2.4
truncation = "shifted"
{pairs}
[[molecule]]
name = "chain"
count = 60
excluded_bonds = 1
atom = [{{ type = "A" }}, {{ type = "B" }}, {{ type = "A" }}]
[[molecule.bond]]
potential = "harmonic"
stiffness = 0.0
r0 = 1.0
atoms = [[1, 2], [2, 3]]
[[molecule.special_pair]]
share = 0.4
atoms = [1, 3]
[output]
trajectory_interval = 1
trajectory_fields = ["position", "force"]
"""
GAUSSIAN = """\
[[pair]]
first = "A"
second = "B"
adds = true
potential = "gaussian"
height = 3.0
width = 0.6
"""
YUKAWA = """\
[[pair]]
first = "B"
second = "A"
adds = true
potential = "yukawa"
strength = 2.0
kappa = 1.1
cutoff = 1.9
truncation = "truncated"
"""
OF_A = """\
[[pair]]
first = "A"
second = "A"
adds = true
potential = "lennard_jones"
epsilon = 0.3
sigma = 1.0
truncation = "truncated"
"""


def write_start(folder):
    numbers = numpy.random.default_rng(5)
    rows = []
    for n in range(60):
        at = 1.5 * numpy.array([n % 5, n // 5 % 4, n // 20]) + 0.3
        for k in range(3):
            place = at + [0.5 * k, 0.8 * (k % 2), 1.1 * k] + numbers.uniform(-0.08, 0.08, 3)
            rows.append(f"{'ABA'[k]} " + " ".join(f"{x:.6f}" for x in place))
    head = (
        f'{len(rows)}\nLattice="{EDGE} 0 0 0 {EDGE} 0 0 0 {EDGE}" Properties=species:S:1:pos:R:3\n'
    )
    (folder / "start.extxyz").write_text(head + "\n".join(rows) + "\n")


def run(sterna, folder, name, pairs, ranks=1, precision="double"):
    write_start(folder)
    (folder / f"{name}.toml").write_text(TEXT.format(name=name, pairs=pairs, precision=precision))
    done = sterna("run", f"{name}.toml", "-n", ranks)
    assert done.returncode == 0, done.stdout + done.stderr
    with h5py.File(folder / f"{name}.h5md") as file:
        group = file["particles/trajectory"]
        order = numpy.argsort(group["id"][:])
        places, forces = group["position/value"][0][order], group["force/value"][0][order]
    return read_log(folder / f"{name}.log.jsonl").rows[0], places, forces


def energy_and_force(kinds, r):
    """Of two atoms of these types, with all that acts between them."""
    mixed = {"AA": (0.7, 0.9), "AB": (math.sqrt(0.77), 0.925), "BB": (1.1, 0.95)}

    def lennard_jones(epsilon, sigma, shift):
        u = 4 * epsilon * ((sigma / r) ** 12 - (sigma / r) ** 6)
        end = 4 * epsilon * ((sigma / CUTOFF) ** 12 - (sigma / CUTOFF) ** 6)
        f = 24 * epsilon * (2 * (sigma / r) ** 12 - (sigma / r) ** 6) / r
        return u - (end if shift else 0.0), f

    parts = [lennard_jones(*mixed[kinds], True)]
    if kinds == "AA":
        parts.append(lennard_jones(0.3, 1.0, False))
    if kinds == "AB":
        hill = 3.0 * math.exp(-0.5 * (r / 0.6) ** 2)
        at_end = 3.0 * math.exp(-0.5 * (CUTOFF / 0.6) ** 2)
        parts.append((hill - at_end, hill * r / 0.36))
        if r < SHORT:
            screened = 2.0 * math.exp(-1.1 * r) / r
            parts.append((screened, screened * (1.1 + 1.0 / r)))
    return numpy.sum(parts, axis=0)


def expected(places):
    energy, forces = 0.0, numpy.zeros_like(places)
    for i in range(len(places)):
        for j in range(i):
            d = places[i] - places[j]
            d -= EDGE * numpy.round(d / EDGE)
            r = math.sqrt(d @ d)
            same, apart = i // 3 == j // 3, i - j
            if r >= CUTOFF or (same and apart == 1):
                continue
            share = 0.4 if same else 1.0
            kinds = "".join(sorted("ABA"[i % 3] + "ABA"[j % 3]))
            u, f = energy_and_force(kinds, r)
            energy += share * u
            forces[i] += share * f / r * d
            forces[j] -= share * f / r * d
    return energy, forces


@pytest.mark.parametrize(("ranks", "precision"), [(1, "double"), (3, "double"), (2, "mixed")])
def test_the_sum_of_potentials_acts(ranks, precision, sterna, tmp_path):
    row, places, forces = run(sterna, tmp_path, "sum", GAUSSIAN + YUKAWA + OF_A, ranks, precision)
    energy, of_formulas = expected(places)
    tolerance = 1e-10 if precision == "double" else 1e-5
    assert row["potential_energy"] == pytest.approx(energy, rel=tolerance)
    largest = numpy.abs(of_formulas).max()
    assert numpy.abs(forces - of_formulas).max() < tolerance * largest
    for part in ("gaussian", "yukawa", "lennard_jones"):
        assert row[f"pairs_{part}_energy"] != 0.0


def test_another_pair_of_the_same_types_says_that_it_adds(sterna, tmp_path):
    write_start(tmp_path)
    pairs = GAUSSIAN + YUKAWA.replace("adds = true\n", "") + GAUSSIAN.replace("adds = true\n", "")
    (tmp_path / "twice.toml").write_text(TEXT.format(name="twice", pairs=pairs, precision="double"))
    done = sterna("check", "twice.toml")
    assert done.returncode != 0
    assert 'there is already a [[pair]] of "A" and "B"; one that acts besides' in done.stdout
    assert "twice.toml:" in done.stdout
