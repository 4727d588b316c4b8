"""Solutes in water for the tests of alchemy: topologies and coordinates in GROMACS's form."""

import os
import subprocess
from pathlib import Path

import numpy

EDGE = 1.875
#: Coordinates are multiples of this, which single precision holds: GROMACS reads them as floats.
STEP = 2.0**-13

#: Charges and van der Waals interactions of each state.
SCHEDULE = [(0, 0), (0.25, 0), (0.5, 0), (1, 0), (1, 0.3), (1, 0.7), (1, 1)]

#: Two atoms in a cube, one of which is switched off: the begin of an input.
PAIR = """\
units = "reduced"
[run]
name = "pair"
steps = {steps}
timestep = 0.01
seed = {seed}
precision = "double"
[start]
kind = "file"
file = "pair.extxyz"
temperature = 1.0
[[type]]
name = "A"
mass = 1.0
epsilon = 1.0
sigma = 1.0
[[type]]
name = "B"
mass = 1.0
epsilon = 1.0
sigma = 1.0
[[molecule]]
name = "a"
count = 1
atom = [{{ type = "A" }}]
[[molecule]]
name = "b"
count = 1
atom = [{{ type = "B" }}]
[interaction]
cutoff = 2.5
truncation = "truncated"
[thermostat]
kind = "langevin"
temperature = 1.0
time_constant = 1.0
[alchemy]
molecules = ["a"]
van_der_waals = [0, 0.3, 0.6, 1]
"""

_HEAD = """\
[ defaults ]
1 2 yes 0.5 0.8333

[ atomtypes ]
OW 8 15.9994 -0.8476 A 0.316557 0.650194
HW 1 1.008 0.4238 A 0.0 0.0
"""

# The water is not rigid, so that no program moves its atoms to fixed distances first.
_WATER = """
[ moleculetype ]
SOL 2
[ atoms ]
1 OW 1 SOL OW 1 -0.8476 15.9994
2 HW 1 SOL H1 1 0.4238 1.008
3 HW 1 SOL H2 1 0.4238 1.008
[ bonds ]
1 2 1 0.1 1.0
1 3 1 0.1 1.0
[ exclusions ]
1 2 3
2 1 3
3 1 2
"""

_H = 0.109 / 3**0.5
#: Methane of OPLS, all of whose pairs are excluded; and a chain of charge 1 with a 1-4 and a 1-5 pair.
SOLUTES = {
    "methane": {
        "types": "CT 6 12.011 0.0 A 0.35 0.276144\nHC 1 1.008 0.0 A 0.25 0.12552\n",
        "atoms": [("CT", "C", -0.24, 12.011)] + [("HC", f"H{k}", 0.06, 1.008) for k in range(1, 5)],
        "bonds": [(1, 2), (1, 3), (1, 4), (1, 5)],
        "pairs": [],
        "places": [(0, 0, 0), (_H, _H, _H), (_H, -_H, -_H), (-_H, _H, -_H), (-_H, -_H, _H)],
    },
    "chain": {
        "types": "C1 6 12.011 0.0 A 0.34 0.4\nN1 7 14.007 0.0 A 0.2 0.7\n",
        "atoms": [
            ("C1", "A", 0.3, 12.011), ("C1", "B", -0.2, 12.011), ("N1", "C", 0.4, 14.007),
            ("C1", "D", -0.1, 12.011), ("N1", "E", 0.6, 14.007),
        ],
        "bonds": [(1, 2), (2, 3), (3, 4), (4, 5)],
        "pairs": [(1, 4), (2, 5)],
        "places": [(0, 0, 0), (0.15, 0, 0), (0.2, 0.14, 0), (0.34, 0.17, 0.05), (0.4, 0.3, 0.1)],
    },
    "ion": {
        "types": "NA 11 22.98977 0.0 A 0.333045 0.0115980\n",
        "atoms": [("NA", "NA", 1.0, 22.98977)],
        "bonds": [],
        "pairs": [],
        "places": [(0, 0, 0)],
    },
    "ethane": {
        "types": (
            "CT 6 12.011 0.0 A 0.35 0.276144\nHC 1 1.008 0.0 A 0.25 0.12552\n"
            "OH 8 15.9994 0.0 A 0.312 0.71128\nHO 1 1.008 0.0 A 0.0 0.0\n"
            "DU 0 1.008 0.0 A 0.0 0.0\n"
        ),
        "atoms": [
            ("CT", "C1", -0.18, 12.011), ("HC", "H1", 0.06, 1.008), ("HC", "H2", 0.06, 1.008),
            ("HC", "H3", 0.06, 1.008), ("CT", "C2", -0.18, 12.011), ("HC", "H4", 0.06, 1.008),
            ("HC", "H5", 0.06, 1.008), ("HC", "H6", 0.06, 1.008),
        ],
        "bonds": [(1, 2), (1, 3), (1, 4), (1, 5), (5, 6), (5, 7), (5, 8)],
        "pairs": [(a, b) for a in (2, 3, 4) for b in (6, 7, 8)],
        "places": [
            (0, 0, 0), (-0.036, 0.102, 0), (-0.036, -0.051, 0.089), (-0.036, -0.051, -0.089),
            (0.153, 0, 0), (0.189, -0.102, 0), (0.189, 0.051, 0.089), (0.189, 0.051, -0.089),
        ],
    },
    # Of OPLS; its last atom has no van der Waals interactions.
    "ethanol": {
        "types": (
            "CT 6 12.011 0.0 A 0.35 0.276144\nHC 1 1.008 0.0 A 0.25 0.12552\n"
            "OH 8 15.9994 0.0 A 0.312 0.71128\nHO 1 1.008 0.0 A 0.0 0.0\n"
        ),
        "atoms": [
            ("CT", "C1", -0.18, 12.011), ("HC", "H1", 0.06, 1.008), ("HC", "H2", 0.06, 1.008),
            ("HC", "H3", 0.06, 1.008), ("CT", "C2", 0.145, 12.011), ("HC", "H4", 0.06, 1.008),
            ("HC", "H5", 0.06, 1.008), ("OH", "O", -0.683, 15.9994), ("HO", "H6", 0.418, 1.008),
        ],
        "bonds": [(1, 2), (1, 3), (1, 4), (1, 5), (5, 6), (5, 7), (5, 8), (8, 9)],
        "pairs": [
            (2, 6), (2, 7), (2, 8), (3, 6), (3, 7), (3, 8), (4, 6), (4, 7), (4, 8), (1, 9), (6, 9),
            (7, 9),
        ],
        "places": [
            (0, 0, 0), (-0.036, 0.102, 0), (-0.036, -0.051, 0.089), (-0.036, -0.051, -0.089),
            (0.153, 0, 0), (0.189, -0.051, 0.089), (0.189, -0.051, -0.089), (0.2, 0.133, 0),
            (0.294, 0.133, 0.012),
        ],
    },
}  # fmt: skip


def write(folder: Path, name: str, solute: bool = True, water: bool = True) -> None:
    """Writes topol.top and conf.gro; `solute` and `water` say what the system has."""
    of = SOLUTES[name]
    text = _HEAD + of["types"] + "\n[ moleculetype ]\nMOL 3\n[ atoms ]\n"
    for k, (kind, atom, charge, mass) in enumerate(of["atoms"], 1):
        text += f"{k} {kind} 1 MOL {atom} 1 {charge} {mass}\n"
    text += "[ bonds ]\n" + "".join(f"{a} {b} 1 0.15 200000\n" for a, b in of["bonds"])
    if not of["bonds"]:
        text = text.removesuffix("[ bonds ]\n")
    if of["pairs"]:
        text += "[ pairs ]\n" + "".join(f"{a} {b} 1\n" for a, b in of["pairs"])
    places = numpy.array(of["places"]) + 0.9
    atoms = [("MOL", 1, a[1], p) for a, p in zip(of["atoms"], places, strict=True)] * solute
    waters = _waters(places) if water else []
    for number, sites in enumerate(waters, 2):
        atoms += [
            ("SOL", number, label, at) for label, at in zip(("OW", "H1", "H2"), sites, strict=True)
        ]
    text += _WATER + "\n[ system ]\nx\n[ molecules ]\n" + "MOL 1\n" * solute
    text += f"SOL {len(waters)}\n" if waters else ""
    (folder / "topol.top").write_text(text)
    lines = ["x", f"{len(atoms)}"]
    for k, (residue, number, label, place) in enumerate(atoms, 1):
        numbers = "".join(f"{round(x / STEP) * STEP:19.13f}" for x in place)
        lines.append(f"{number:5d}{residue:<5s}{label:>5s}{k:5d}{numbers}")
    lines.append(" ".join([f"{EDGE:.9f}"] * 3))
    (folder / "conf.gro").write_text("\n".join(lines) + "\n")


def _waters(places: numpy.ndarray, per_axis: int = 6) -> list[numpy.ndarray]:
    random = numpy.random.default_rng(5)
    half = numpy.radians(109.47) / 2
    arm = 0.1 * numpy.array([numpy.sin(half), numpy.cos(half)])
    sites = numpy.array([(0, 0, 0), (arm[0], arm[1], 0), (-arm[0], arm[1], 0)])
    waters = []
    for cell in numpy.ndindex(per_axis, per_axis, per_axis):
        oxygen = (numpy.array(cell) + 0.5) * EDGE / per_axis + random.uniform(-0.02, 0.02, 3)
        away = places - oxygen
        away -= EDGE * numpy.round(away / EDGE)
        if (numpy.linalg.norm(away, axis=1) < 0.24).any():
            continue
        turned, _ = numpy.linalg.qr(random.normal(size=(3, 3)))
        waters.append(oxygen + sites @ turned.T)
    return waters


MDP = """\
integrator = md
nsteps = 0
continuation = yes
cutoff-scheme = Verlet
rcoulomb = 0.9
rvdw = 0.9
vdw-modifier = Potential-shift
coulombtype = {charges}
epsilon-rf = 0
fourierspacing = 0.04
pme-order = 8
ewald-rtol = 1e-8
DispCorr = no
constraints = none
free-energy = yes
couple-moltype = MOL
couple-lambda0 = vdw-q
couple-lambda1 = none
couple-intramol = no
coul-lambdas = {coul}
vdw-lambdas = {vdw}
init-lambda-state = {state}
calc-lambda-neighbors = -1
nstdhdl = 1
nstcalcenergy = 1
sc-alpha = 0.5
sc-power = {power}
nstenergy = 1
dhdl-print-energy = potential
"""


def mdp(
    charges: str, state: int, power: int = 1, changes: dict | None = None, without: tuple = ()
) -> str:
    """`changes`: further keys, or other values; `without`: keys to leave out."""
    coul, vdw = (" ".join(f"{state[k]:g}" for state in SCHEDULE) for k in (0, 1))
    text = MDP.format(charges=charges, coul=coul, vdw=vdw, state=state, power=power)
    values = dict(line.split(" = ", 1) for line in text.splitlines()) | (changes or {})
    return "".join(f"{key} = {value}\n" for key, value in values.items() if key not in without)


#: Changes of the lines of a topology to lines with a state B: of the chain, and of ethane, which becomes
#: methanol with two atoms that are none.
TERMS_OF_B = [
    ("1 2 1 0.15 200000", "1 2 1 0.15 200000 0.17 150000"),
    ("3 4 1 0.15 200000", "3 4 1 0.15 200000 0.15 0"),
    (
        "[ pairs ]",
        "[ angles ]\n1 2 3 1 100 300 120 200\n2 3 4 5 110 200 0.25 5000 125 100 0.26 9000\n"
        "3 4 5 1 110 150\n[ dihedrals ]\n1 2 3 4 9 20 5 2 60 8 2\n1 2 3 4 9 0 3 3\n"
        "2 3 4 5 2 10 100 40 50\n2 3 4 5 3 1 2 3 0 -1 0.5 2 1 0 -1 1 0\n1 2 3 4 4 180 4 -2 150 9 -2\n"
        "[ pairs ]",
    ),
    ("1 4 1\n", "1 4 1 0.3 0.2 0.35 0.5\n"),
]
CHARGES_OF_B = [
    ("1 C1 1 MOL A 1 0.3 12.011", "1 C1 1 MOL A 1 0.3 12.011 C1 0.5 12.011"),
    ("3 N1 1 MOL C 1 0.4 14.007", "3 N1 1 MOL C 1 0.4 14.007 N1 0.1 14.007"),
]
METHANOL = [
    ("1 CT 1 MOL C1 1 -0.18 12.011", "1 CT 1 MOL C1 1 -0.18 12.011 CT 0.145 12.011"),
    *(
        (f"{k} HC 1 MOL H{k - 1} 1 0.06 1.008", f"{k} HC 1 MOL H{k - 1} 1 0.06 1.008 HC 0.04 1.008")
        for k in (2, 3, 4)
    ),
    ("5 CT 1 MOL C2 1 -0.18 12.011", "5 CT 1 MOL C2 1 -0.18 12.011 OH -0.683 15.9994"),
    ("6 HC 1 MOL H4 1 0.06 1.008", "6 HC 1 MOL H4 1 0.06 1.008 HO 0.418 1.008"),
    ("7 HC 1 MOL H5 1 0.06 1.008", "7 HC 1 MOL H5 1 0.06 1.008 DU 0.0 1.008"),
    ("8 HC 1 MOL H6 1 0.06 1.008", "8 HC 1 MOL H6 1 0.06 1.008 DU 0.0 1.008"),
    ("1 5 1 0.15 200000", "1 5 1 0.1529 224262 0.141 267776"),
    ("5 6 1 0.15 200000", "5 6 1 0.109 284512 0.0945 462750"),
]  # fmt: skip

#: Of the chain: masses that change, of two atoms and of one that constraints may join.
MASSES_OF_B = [
    ("1 C1 1 MOL A 1 0.3 12.011", "1 C1 1 MOL A 1 0.3 12.011 C1 0.3 14"),
    ("2 C1 1 MOL B 1 -0.2 12.011", "2 C1 1 MOL B 1 -0.2 12.011 C1 -0.2 9.5"),
    ("5 N1 1 MOL E 1 0.6 14.007", "5 N1 1 MOL E 1 0.6 14.007 N1 0.2 40"),
]


def mutate(folder: Path, changes: list) -> None:
    """Changes lines of topol.top."""
    text = (folder / "topol.top").read_text()
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new, 1)
    (folder / "topol.top").write_text(text)


def section(state: int, schedule: list | None = None, more: str = "") -> str:
    """[alchemy] of the same run."""
    schedule = schedule or SCHEDULE
    return (
        f'[alchemy]\nmolecules = ["MOL"]\ncharges = {[s[0] for s in schedule]}\n'
        f"van_der_waals = {[s[1] for s in schedule]}\nstate = {state}\ninterval = 1\n{more}\n"
    )


def run_gromacs(program: str, folder: Path) -> None:
    """Makes `d.xvg` of `run.mdp`, `conf.gro` and `topol.top`."""
    environment = dict(os.environ, GMX_MAXBACKUP="-1", OMP_NUM_THREADS="1")
    for arguments in (
        ["grompp", "-f", "run.mdp", "-c", "conf.gro", "-p", "topol.top", "-maxwarn", "10"],
        ["mdrun", "-ntmpi", "1", "-ntomp", "1", "-nb", "cpu", "-s", "topol.tpr", "-dhdl", "d.xvg"],
    ):
        done = subprocess.run(
            [program, "-quiet", *arguments], cwd=folder, env=environment, capture_output=True,
            text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
