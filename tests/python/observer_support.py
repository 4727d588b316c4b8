"""A system of flexible molecules with groups and observers of all kinds, and its results."""

import subprocess

import numpy
from conftest import sterna_command, sterna_environment

CHAINS, WATERS, EDGE = 6, 180, 18.6
INTERVAL, STEPS = 10, 60

INPUT = """\
units = "real"

[run]
steps = {steps}
timestep = 0.5
seed = 5

[start]
kind = "file"
file = "start.extxyz"
temperature = 300

[[type]]
name = "OW"
mass = 15.9994
epsilon = 0.1554253
sigma = 3.165492
charge = -0.82

[[type]]
name = "HW"
mass = 1.008
epsilon = 0
sigma = 1
charge = 0.41

[[type]]
name = "CH3"
mass = 15.035
epsilon = "98 K"
sigma = 3.75

[[type]]
name = "CH2"
mass = 14.027
epsilon = "46 K"
sigma = 3.95

[[molecule]]
name = "pentane"
count = 6
atom = [
  {{ name = "C1", type = "CH3", charge = 0.05 }},
  {{ name = "C2", type = "CH2", charge = -0.05 }},
  {{ name = "C3", type = "CH2" }},
  {{ name = "C4", type = "CH2", charge = 0.1 }},
  {{ name = "C5", type = "CH3", charge = -0.1 }},
]
[[molecule.bond]]
potential = "harmonic"
stiffness = "520 kcal/mol/angstrom^2"
r0 = 1.54
atoms = [[1, 2], [2, 3], [3, 4], [4, 5]]
[[molecule.angle]]
potential = "harmonic"
bending_stiffness = "62500 K"
theta0 = 114
atoms = [[1, 2, 3], [2, 3, 4], [3, 4, 5]]
[[molecule.torsion]]
potential = "opls"
v1 = "710.06 K"
v2 = "-136.38 K"
v3 = "1582.64 K"
atoms = [[1, 2, 3, 4], [2, 3, 4, 5]]

[[molecule]]
name = "water"
count = 180
atom = [
  {{ name = "O", type = "OW" }},
  {{ name = "H1", type = "HW" }},
  {{ name = "H2", type = "HW" }},
]
[[molecule.bond]]
potential = "harmonic"
stiffness = "1059.162 kcal/mol/angstrom^2"
r0 = 1.012
atoms = [[1, 2], [1, 3]]
[[molecule.angle]]
potential = "harmonic"
bending_stiffness = "75.90 kcal/mol"
theta0 = 113.24
atoms = [2, 1, 3]

[interaction]
cutoff = 6.0

[electrostatics]
kind = "fmm"
precision = "double"

[output]
thermo_interval = 10
trajectory_interval = 10
trajectory_fields = ["position", "image"]
{more}
"""

#: Selections by the names of groups, in the language that Sterna and MDAnalysis share.
SELECTIONS = {
    "everything": "all",
    "nothing_left_out": "not not all",
    "chain": "resname pentane",
    "carbons": "name C?",
    "inner": "resname pentane and not name C1 C5",
    "oxygen": "name O",
    "hydrogen": "type HW",
    "hydrogen_again": "name H*",
    "some": "name [!HC]* or name C[2-4]",
    "ends": "type CH3",
    "first_chains": "resid 1:3 and resname p*ne",
    "two_molecules": "resid 2 5",
    "resnum_range": "resnum 3-4 or resnum 100 to 120",
    "by_id": "id 1:10 or bynum 31:33",
    "by_index": "index 0 4:9",
    "heavy": "prop mass > 14.5",
    "light": "prop mass<=1.008",
    "negative": "prop charge < 0",
    "exact": "prop charge == 0.41",
    "large_charge": "prop abs charge >= 0.41",
    "lower_half": "prop z < 9.3",
    "slab": "prop x >= 4.0 and prop x < 12 and (name O or name C*)",
    # `and` and `or` bind alike, from left to right.
    "left_to_right": "name O or name C1 and resid 1",
    "grouped": "name O or (name C1 and resid 1)",
    "negated": "not (name O or name C1) and not resid 1",
    "one_torsion": "name C1 C2 C3 C4",
    "first_chain": "resid 1",
}


def group_sections(selections):
    return "".join(f'[[group]]\nname = "{n}"\nselect = "{s}"\n' for n, s in selections.items())


def observer(name, **keys):
    text = f"[{name}]\ninterval = {INTERVAL}\n"
    for key, value in keys.items():
        shown = str(value).lower() if isinstance(value, bool) else repr(value).replace("'", '"')
        text += f"{key} = {shown}\n"
    return text


OBSERVERS = "".join(
    [
        group_sections(SELECTIONS),
        observer("radius_of_gyration", groups=["chain", "inner"]),
        observer("end_to_end_distance", groups=["chain", "inner"]),
        observer("molecular_dipole"),
        observer("dielectric"),
        observer("rmsd", groups=["first_chain", "chain"]),
        observer("bond_distribution", groups=["chain"], minimum=1.3, maximum=1.8, bins=20),
        observer("angle_distribution", groups=["chain", "inner"], bins=36),
        observer("torsion_distribution", groups=["chain", "one_torsion"], bins=36),
        observer("hydrogen_bonds", hydrogens="hydrogen", acceptors="oxygen", distance=3.5,
                 angle=140),
        observer("rdf", groups=["oxygen", "ends", "by_id"], bins=30),
        observer("diffusion", groups=["oxygen", "inner", "everything"]),
        observer("profile", groups=["oxygen", "ends", "slab"], bins=12, centered=False),
        observer("structure_factor", groups=list(SELECTIONS), maximum=1.5, bins=30),
    ]
)  # fmt: skip


def start():
    """Positions in the box, chains first: they lie along x, across its border."""
    generator = numpy.random.default_rng(3)
    sites = numpy.array([(i, j, k) for k in range(6) for j in range(6) for i in range(6)]) * 3.1
    chains, taken = [], set()
    for n in range(CHAINS):
        j, k = (2 * n) % 6, 2 * (n // 3) + n % 2
        zigzag = numpy.array([(1.29 * a, 0.42 * (-1) ** a, 0.0) for a in range(5)])
        zigzag += generator.normal(scale=0.05, size=(5, 3))
        chains.append(zigzag + [14.0 + 0.6 * n, 3.1 * j, 3.1 * k])
        taken |= {(j, k)}
    free = [s for s in sites if (round(s[1] / 3.1), round(s[2] / 3.1)) not in taken]
    assert len(free) >= WATERS
    names, positions = ["CH3", "CH2", "CH2", "CH2", "CH3"] * CHAINS, chains
    half = numpy.radians(113.24 / 2)
    water = 1.012 * numpy.array(
        [(0, 0, 0), (numpy.sin(half), numpy.cos(half), 0), (-numpy.sin(half), numpy.cos(half), 0)]
    )
    for site in free[:WATERS]:
        rotation, _ = numpy.linalg.qr(generator.normal(size=(3, 3)))
        positions.append(water @ rotation + site)
    names += ["OW", "HW", "HW"] * WATERS
    return names, numpy.concatenate(positions) % EDGE


def write_start(folder):
    names, positions = start()
    lines = [str(len(names))]
    lines.append(f'Lattice="{EDGE} 0 0 0 {EDGE} 0 0 0 {EDGE}" Properties=species:S:1:pos:R:3')
    lines += [f"{n} {x:.6f} {y:.6f} {z:.6f}" for n, (x, y, z) in zip(names, positions, strict=True)]
    (folder / "start.extxyz").write_text("\n".join(lines) + "\n")


def run(folder, *arguments, more=OBSERVERS, steps=STEPS, ranks=1):
    folder.mkdir(exist_ok=True)
    write_start(folder)
    (folder / "soft.toml").write_text(INPUT.format(more=more, steps=steps))
    done = subprocess.run(
        sterna_command("run", "soft.toml", "-n", ranks, *arguments),
        cwd=folder, env=sterna_environment(), capture_output=True, text=True, timeout=300,
        stdin=subprocess.DEVNULL, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def read(folder, kind, run="soft"):
    """Columns of a file of results, without their units, and the values."""
    path = folder / f"{run}.{kind}.txt"
    header = [line for line in path.read_text().splitlines() if line.startswith("#")][-1]
    names = [name.partition("/")[0] for name in header[1:].split()]
    return dict(zip(names, numpy.loadtxt(path, ndmin=2).T, strict=True))


def results(folder):
    found = {}
    for path in sorted(folder.glob("soft.*.txt")):
        # Its rows begin with the name of a quantity and end with its error, which is none of so few
        # samples.
        columns = (1,) if ".dielectric." in path.name else None
        found[path.name] = numpy.loadtxt(path, ndmin=2, usecols=columns)
    return found


def assert_same(found, expected):
    """As far as paths are: electrostatics of other ranks rounds otherwise, and molecules diverge."""
    assert found.keys() == expected.keys()
    for name, values in expected.items():
        assert found[name].shape == values.shape, name
        largest = numpy.abs(values).max(axis=0)
        allowed = 1e-2 if ".rdf." in name else 1e-4
        assert (numpy.abs(found[name] - values).max(axis=0) <= allowed * largest).all(), name
