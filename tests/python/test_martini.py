"""A molecule and two ions as Martini has them: the energies of GROMACS, and a run.

Expected values are of gmx_d 2022.5 with the same files. They test the parts that only Martini has: a
bond that excludes nothing, a site that is a sum of atoms, and pairs of types that are zero unless
they are listed. The reaction field has terms of excluded pairs and of each charge.
"""

import pytest
from sterna import read_log

TOP = """\
[ defaults ]
1 {rule}
[ atomtypes ]
P1 72 0 A 0 0
C1 72 0 A 0 0
Q1 72 0 A 0 0
V 0 0 V 0 0
[ nonbond_params ]
{pairs}
[ moleculetype ]
M 1
[ atoms ]
1 P1 1 M A1 1 .5 72
2 C1 1 M A2 2 0 72
3 C1 1 M A3 3 0 72
4 P1 1 M A4 4 -.5 72
5 V 1 M V 5 0 0
[ bonds ]
1 2 1 .35 1250
2 3 6 .37 100
[ constraints ]
3 4 1 .368103246386 100000
[ virtual_sitesn ]
5 2 1 2 3
[ angles ]
1 2 3 2 130 25
2 3 4 10 140 35
[ dihedrals ]
1 2 3 4 9 180 3 1
1 2 3 4 9 0 2 3
1 2 3 4 2 20 40
1 2 3 4 11 4 .1 .2 -.3 .4 .25
[ exclusions ]
5 1 2 3 4
1 3
2 4
[ moleculetype ]
NA 1
[ atoms ]
1 Q1 1 NA NA 1 1 72
[ moleculetype ]
CL 1
[ atoms ]
1 Q1 1 CL CL 1 -1 72
[ system ]
a molecule and two ions
[ molecules ]
M 1
NA 1
CL 1
"""

#: Two types, sigma in nm and epsilon in kJ/mol.
PAIRS = """\
P1 P1 .47 4.99
P1 C1 .48 2.35
C1 C1 .47 3.39
Q1 P1 .465 5.2
Q1 C1 .465 1.4
Q1 Q1 .445 2.66
V V .4 1
V P1 .41 1.1
V Q1 .42 1.2
V C1 .43 1.3
"""

ATOMS = [
    ("M", "A1", 1.0, 1.0, 1.0), ("M", "A2", 1.31, 1.12, 1.02), ("M", "A3", 1.55, 1.39, 1.11),
    ("M", "A4", 1.82, 1.40, 1.36), ("M", "V", 3.86 / 3, 3.51 / 3, 3.13 / 3),
    ("NA", "NA", 1.9, 2.0, 1.5), ("CL", "CL", 1.2, 1.9, 0.8),
]  # fmt: skip

MDP = """\
integrator = md
dt = 0.02
nsteps = 0
cutoff-scheme = Verlet
coulombtype = reaction-field
rcoulomb = 1.1
epsilon_r = 15
epsilon_rf = 0
vdw_type = cutoff
vdw-modifier = Potential-shift-verlet
rvdw = 1.1
tcoupl = no
continuation = yes
"""

#: Of the log; kJ/mol.
ENERGIES = {
    "bonded_harmonic_bond": 0.180274203216 + 0.000262252950,
    "bonded_cosine_squared_angle": 0.679595436333,
    "bonded_restricted_angle": 0.367671065849,
    "bonded_periodic_torsion": 8.254716726631,
    "bonded_bending_torsion": -0.012998059579,
    "bonded_harmonic_improper": 55.866596658987,
    "pairs_lennard_jones": 163.225413354934,
    "pairs_electrostatics": -17.813480807289,
    "potential": 210.748050832033,
}


def pairs(rule):
    lines = []
    for line in PAIRS.splitlines():
        first, second, sigma, epsilon = line.split()
        v, w = float(sigma), float(epsilon)
        if rule == 1:
            v, w = 4.0 * w * v**6, 4.0 * w * v**12
        lines.append(f"{first} {second} 1 {v!r} {w!r}")
    return "\n".join(lines)


@pytest.fixture(params=[1, 2], ids=["C6-C12", "sigma-epsilon"])
def system(request, tmp_path):
    rule = request.param
    (tmp_path / "m.top").write_text(TOP.format(rule=rule, pairs=pairs(rule)))
    lines = ["Martini", str(len(ATOMS))]
    for n, (molecule, name, *place) in enumerate(ATOMS, 1):
        number = {"M": 1, "NA": 2, "CL": 3}[molecule]
        lines.append(
            f"{number:5d}{molecule:<5}{name:>5}{n:5d}" + "".join(f"{x:15.10f}" for x in place)
        )
    (tmp_path / "m.gro").write_text("\n".join([*lines, "5.0 5.0 5.0"]) + "\n")
    (tmp_path / "run.mdp").write_text(MDP)
    return tmp_path


def test_energies_are_those_of_gromacs(system, sterna):
    done = sterna("import", "m.top", "m.gro", "--mdp", "run.mdp", "-o", "out.toml")
    assert done.returncode == 0, done.stdout + done.stderr
    done = sterna("run", "out.toml")
    assert done.returncode == 0, done.stdout + done.stderr
    row = read_log(system / "output" / "out.log.jsonl").rows[0]
    for name, energy in ENERGIES.items():
        assert row[f"{name}_energy"] == pytest.approx(energy, rel=1e-6, abs=1e-7), name


def test_gromacs_says_the_same(system, judge, sterna):
    done = sterna("import", "m.top", "m.gro", "--mdp", "run.mdp", "--compare", "-o", "out.toml")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "judge: GROMACS" in done.stdout
    rows = {line.split()[0]: line.split()[1:] for line in done.stdout.splitlines() if line}
    for name in ("lennard_jones", "charges", "potential"):
        mine, theirs = map(float, rows[name][:2])
        assert mine == pytest.approx(theirs, rel=1e-6), name


def test_it_moves_on_two_ranks_as_on_one(system, sterna):
    text = MDP.replace("nsteps = 0", "nsteps = 200").replace("dt = 0.02", "dt = 0.002")
    (system / "run.mdp").write_text(text)
    energies = []
    for ranks in (1, 2):
        name = f"on{ranks}"
        done = sterna("import", "m.top", "m.gro", "--mdp", "run.mdp", "-o", f"{name}.toml")
        assert done.returncode == 0, done.stdout + done.stderr
        done = sterna("run", f"{name}.toml", "-n", ranks)
        assert done.returncode == 0, done.stdout + done.stderr
        rows = read_log(system / "output" / f"{name}.log.jsonl").rows
        assert rows[-1]["step"] == 200
        energies.append([row["total_energy"] for row in rows])
    assert energies[0] == pytest.approx(energies[1], rel=1e-9)
    assert max(energies[0]) - min(energies[0]) < 0.005 * energies[0][0]
