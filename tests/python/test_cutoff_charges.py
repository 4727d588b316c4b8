"""Charges that are damped, screened or switched to a cutoff: sums over all pairs are the judge."""

import math

import numpy
import pytest
from sterna import read_log

h5py = pytest.importorskip("h5py")

EDGE, CUTOFF = 8.4, 2.5
#: Keys of [electrostatics], the energy of two charges of 1, whether excluded pairs have all but 1/r,
#: and the energy of a charge of 1 by itself. Coulomb's constant is 1 in reduced units.
KINDS = {
    "damped_shifted_force": "damping = 0.8",
    "wolf": "damping = 0.8",
    "screened": "kappa = 0.7",
    "cutoff": 'truncation = "force_shifted"',
    "switched": 'truncation = "cubic_force_switched"\nswitch_start = 1.2',
}
CHARGES = [0.5, -0.8, 0.6, -0.3]
TEXT = """\
units = "reduced"
[run]
name = "{name}"
steps = {steps}
timestep = 0.001
precision = "{precision}"
[start]
kind = "file"
file = "start.extxyz"
[[type]]
name = "A"
epsilon = 0.0
[interaction]
cutoff = 2.0
truncation = "shifted"
[electrostatics]
kind = "{kind}"
cutoff = 2.5
{keys}
[[molecule]]
name = "chain"
count = 64
excluded_bonds = 2
atom = [
  {{ type = "A", charge = 0.5 }}, {{ type = "A", charge = -0.8 }},
  {{ type = "A", charge = 0.6 }}, {{ type = "A", charge = -0.3 }},
]
[[molecule.bond]]
potential = "harmonic"
stiffness = 300.0
r0 = 1.0
atoms = [[1, 2], [2, 3], [3, 4]]
[[molecule.special_pair]]
charge_share = 0.5
atoms = [1, 4]
{more}
[output]
thermo_interval = 1
trajectory_interval = 1
trajectory_fields = ["position", "force"]
"""


def form(name):
    """Energy of two charges of 1, whether excluded pairs have all but 1/r, energy of one charge."""
    root = math.sqrt(math.pi)
    if name in ("damped_shifted_force", "wolf"):
        a = 0.8
        end = math.erfc(a * CUTOFF) / CUTOFF
        slope = (end + 2 * a / root * math.exp(-((a * CUTOFF) ** 2))) / CUTOFF
        slope = slope if name == "damped_shifted_force" else 0.0
        return (
            lambda r: math.erfc(a * r) / r - end + slope * (r - CUTOFF),
            True,
            -0.5 * (end + slope * CUTOFF) - a / root,
        )
    if name == "screened":
        return lambda r: math.exp(-0.7 * r) / r, False, 0.0
    if name == "cutoff":
        return lambda r: 1 / r + r / CUTOFF**2 - 2 / CUTOFF, False, 0.0
    start, width = 1.2, CUTOFF - 1.2
    a = -(5 * CUTOFF - 2 * start) / (CUTOFF**3 * width**2)
    b = (4 * CUTOFF - 2 * start) / (CUTOFF**3 * width**3)
    constant = 1 / CUTOFF - a / 3 * width**3 - b / 4 * width**4

    def switched(r):
        x = max(0.0, r - start)
        return 1 / r - a / 3 * x**3 - b / 4 * x**4 - constant

    return switched, False, 0.0


def energy_of(places, name, wanted=None):
    """Of charges and bonds; `wanted`: of the pairs of one atom only."""
    u, answers, alone = form(name)
    total = 0.0
    count = len(places)
    for i in range(count) if wanted is None else [wanted]:
        d = places[i] - places
        d -= EDGE * numpy.round(d / EDGE)
        distances = numpy.sqrt((d * d).sum(axis=1))
        for j in numpy.flatnonzero(distances < CUTOFF):
            if i == j or (wanted is None and j < i):
                continue
            r = float(distances[j])
            product = CHARGES[i % 4] * CHARGES[j % 4]
            if i // 4 != j // 4:
                total += product * u(r)
                continue
            share = 0.5 if abs(i - j) == 3 else 0.0
            without = u(r) - 1 / r if answers else 0.0
            total += product * (without + share * (1 / r if answers else u(r)))
        for j in (i - 1, i + 1):
            if 0 <= j < count and j // 4 == i // 4 and (wanted is not None or j > i):
                total += 0.5 * 300.0 * (float(distances[j]) - 1.0) ** 2
    return total + (0.0 if wanted is not None else alone * count / 4 * sum(q * q for q in CHARGES))


def write_start(folder):
    numbers = numpy.random.default_rng(8)
    rows = []
    for n in range(64):
        at = 2.1 * numpy.array([n % 4, n // 4 % 4, n // 16]) + 0.2
        for k in range(4):
            place = at + [0.55 * k, 0.8 * (k % 2), 0.3 * k] + numbers.uniform(-0.08, 0.08, 3)
            rows.append("A " + " ".join(f"{x:.6f}" for x in place))
    head = (
        f'{len(rows)}\nLattice="{EDGE} 0 0 0 {EDGE} 0 0 0 {EDGE}" Properties=species:S:1:pos:R:3\n'
    )
    (folder / "start.extxyz").write_text(head + "\n".join(rows) + "\n")


def run(sterna, folder, name, ranks=1, precision="double", more="", steps=0, **changes):
    write_start(folder)
    kind = "cutoff" if name == "switched" else name
    text = TEXT.format(
        name=name, kind=kind, keys=KINDS[name], more=more, precision=precision, steps=steps
    )
    for old, new in changes.items():
        text = text.replace(old, new)
    (folder / f"{name}.toml").write_text(text)
    done = sterna("run", f"{name}.toml", "-n", ranks, "--overwrite")
    assert done.returncode == 0, done.stdout + done.stderr
    with h5py.File(folder / f"{name}.h5md") as file:
        group = file["particles/trajectory"]
        order = numpy.argsort(group["id"][:])
        places, forces = group["position/value"][0][order], group["force/value"][0][order]
    return read_log(folder / f"{name}.log.jsonl").rows, places, forces


@pytest.mark.parametrize("name", KINDS)
def test_energies_are_sums_of_the_formula_and_forces_their_differences(name, sterna, tmp_path):
    for ranks, precision, tolerance in ((1, "double", 1e-11), (3, "mixed", 2e-5)):
        rows, places, forces = run(sterna, tmp_path, name, ranks, precision)
        assert rows[0]["potential_energy"] == pytest.approx(energy_of(places, name), rel=tolerance)
        largest = numpy.abs(forces).max()
        for atom in (0, 5, 130):
            for axis in range(3):
                ends = []
                for step in (-1e-5, 1e-5):
                    moved = places.copy()
                    moved[atom, axis] += step
                    ends.append(energy_of(moved, name, atom))
                force = -(ends[1] - ends[0]) / 2e-5
                assert forces[atom, axis] == pytest.approx(
                    force, abs=max(tolerance, 1e-8) * largest
                )


@pytest.mark.parametrize("name", ["damped_shifted_force", "cutoff", "switched"])
def test_the_energy_is_kept_where_forces_end_smoothly(name, sterna, tmp_path):
    rows, _, _ = run(
        sterna, tmp_path, name, 2, steps=400, **{"epsilon = 0.0": "epsilon = 1.0\nsigma = 0.7"}
    )
    total = numpy.array([row["total_energy"] for row in rows])
    kinetic = max(row["kinetic_energy"] for row in rows)
    assert numpy.ptp(total) < 0.01 * kinetic


@pytest.mark.parametrize("ranks", [1, 2])
def test_a_field_acts_on_charges_of_molecules(ranks, sterna, tmp_path):
    field = "[[field]]\nelectric_field = [0.3, -0.2, 1.1]\n"
    before, _, without = run(sterna, tmp_path, "screened", ranks)
    rows, places, forces = run(sterna, tmp_path, "screened", ranks, more=field)
    strength = numpy.array([0.3, -0.2, 1.1])
    expected = numpy.outer(CHARGES * 64, strength)
    assert forces - without == pytest.approx(expected, abs=1e-10)
    # The path is not wrapped, and no atom has left the box yet.
    energy = -float((expected * places).sum())
    assert rows[0]["fields_energy"] == pytest.approx(energy, rel=1e-10)
    difference = rows[0]["potential_energy"] - before[0]["potential_energy"]
    assert difference == pytest.approx(energy, rel=1e-8)


BROKEN = {
    ('kind = "screened"', 'kind = "damped_shifted_force"'): '"kappa"',
    ("kappa = 0.7", ""): 'lacks the key "kappa"',
    ('kind = "screened"', 'kind = "fmm"'): "is a share of charges that end at a cutoff",
    ("charge_share = 0.5", "charge_share = 0.5\ncharge_product = 0.1"): (
        'stands in place of "charge_product"'
    ),
    ('kind = "screened"\ncutoff = 2.5\nkappa = 0.7', (
        'kind = "cutoff"\ntruncation = "cubic_force_switched"\nswitch_start = 2.0'
    )): '"switch_start" in [electrostatics] is 2; expected less than the cutoff of charges',
}  # fmt: skip


@pytest.mark.parametrize("change", BROKEN)
def test_what_is_broken_has_a_place(change, sterna, tmp_path):
    write_start(tmp_path)
    text = TEXT.format(
        name="x", kind="screened", keys=KINDS["screened"], more="", precision="double", steps=0
    )
    assert change[0] in text
    (tmp_path / "x.toml").write_text(text.replace(*change))
    done = sterna("check", "x.toml")
    assert done.returncode != 0
    assert BROKEN[change] in done.stdout
    assert "x.toml:" in done.stdout
