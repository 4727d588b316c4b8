"""Virtual sites against OpenMM, which nobody here wrote, and water of four sites as a whole."""

import itertools
import json
import math

import h5py
import numpy
import openmm
import pytest
from conftest import ROOT, nightly
from openmm import app, unit
from sterna import read_log

WATER = ROOT / "examples" / "tip4p.toml"


def local(*arguments):
    return lambda atoms: openmm.LocalCoordinatesSite(atoms, *arguments)


THETA = math.radians(112.0)

#: Keys of a [[molecule.virtual_site]], atoms of the molecule that it is made of, and the same by
#: OpenMM, to which fixed distances are places in local coordinates.
KINDS = [
    (
        {"kind": "2", "a": 0.3}, [0, 1],
        lambda p: openmm.TwoParticleAverageSite(*p, 0.7, 0.3),
    ),
    (
        {"kind": "2fd", "distance": -0.06}, [0, 2],
        # The third atom makes axes only.
        lambda p: local([1, 0, 0], [-1, 1, 0], [-1, 0, 1], [-0.06, 0, 0])([*p, p[0] + 1]),
    ),
    (
        {"kind": "3", "a": 0.4, "b": 0.3}, [0, 1, 3],
        lambda p: openmm.ThreeParticleAverageSite(*p, 0.3, 0.4, 0.3),
    ),
    (
        {"kind": "3fd", "a": 0.35, "distance": 0.07}, [0, 2, 3],
        local([1, 0, 0], [-1, 0.65, 0.35], [-1, 0, 1], [0.07, 0, 0]),
    ),
    (
        {"kind": "3fad", "angle": 112.0, "distance": 0.08}, [1, 0, 2],
        local([1, 0, 0], [-1, 1, 0], [0, -1, 1],
              [0.08 * math.cos(THETA), 0.08 * math.sin(THETA), 0]),
    ),
    (
        {"kind": "3out", "a": -0.3, "b": -0.25, "c": 4.4}, [0, 1, 2],
        lambda p: openmm.OutOfPlaneSite(*p, -0.3, -0.25, 4.4),
    ),
    (
        {"kind": "4fdn", "a": 0.9, "b": 1.1, "distance": 0.06}, [0, 1, 2, 3],
        local([1, 0, 0, 0], [0.1, -1, 0.9, 0], [-0.1, -1, 0, 1.1], [0, 0, 0.06]),
    ),
    (
        {
            "kind": "local", "origin_weights": [0.5, 0.3, 0.2], "x_weights": [-1.0, 0.6, 0.4],
            "y_weights": [0.3, -1.0, 0.7], "position": [0.03, -0.05, 0.06],
        },
        [3, 0, 1],
        local([0.5, 0.3, 0.2], [-1, 0.6, 0.4], [0.3, -1, 0.7], [0.03, -0.05, 0.06]),
    ),
    (
        {"kind": "4fd", "a": 0.3, "b": 0.5, "distance": 0.05}, [1, 0, 2, 3],
        local([1, 0, 0, 0], [-1, 0.2, 0.3, 0.5], [0, 1, -1, 0], [0.05, 0, 0]),
    ),
    (
        {"kind": "n", "weights": [3.0, 1.0, 4.0, 2.0]}, [0, 1, 2, 3],
        local([0.3, 0.1, 0.4, 0.2], [1, -1, 0, 0], [1, 0, -1, 0], [0, 0, 0]),
    ),
]  # fmt: skip

EDGE, SPACING = 3, 0.85
ATOMS = 4
SIZE = ATOMS + len(KINDS)
BOX = EDGE * SPACING
CHARGES = [-0.3, 0.2, 0.1, 0.15, 0.2, -0.1, 0.25, 0.1, -0.35, 0.15, -0.2, -0.2, 0.15,
           -0.15]  # fmt: skip


def start(random):
    """Molecules turned and bent at random; sites are somewhere near the first atom."""
    places = []
    shape = numpy.array([[0, 0, 0], [0.1, 0.02, 0.04], [-0.06, 0.08, 0.02], [0, -0.09, 0.06]])
    for cell in itertools.product(range(EDGE), repeat=3):
        turn = numpy.linalg.qr(random.normal(size=(3, 3)))[0]
        center = SPACING * (numpy.array(cell) + 0.1)
        atoms = center + (shape + random.normal(scale=0.005, size=shape.shape)) @ turn
        places += [*atoms, *(atoms[0] + random.normal(scale=0.02, size=(len(KINDS), 3)))]
    return numpy.array(places)


def system_of_openmm():
    system = openmm.System()
    edges = BOX * numpy.eye(3)
    system.setDefaultPeriodicBoxVectors(*edges)
    nonbonded = openmm.NonbondedForce()
    nonbonded.setNonbondedMethod(openmm.NonbondedForce.Ewald)
    nonbonded.setCutoffDistance(1.0)
    nonbonded.setEwaldErrorTolerance(1e-9)
    nonbonded.setUseDispersionCorrection(False)
    bonds = openmm.HarmonicBondForce()
    for molecule in range(EDGE**3):
        first = SIZE * molecule
        for k in range(SIZE):
            system.addParticle(12.0 if k < ATOMS else 0.0)
            sigma, epsilon = (0.3, 0.4) if k < ATOMS else (0.25, 0.5)
            nonbonded.addParticle(CHARGES[k], sigma, epsilon)
        for k, (_, atoms, make) in enumerate(KINDS):
            system.setVirtualSite(first + ATOMS + k, make([first + atom for atom in atoms]))
        for other in range(1, ATOMS):
            bonds.addBond(first, first + other, 0.11, 2e5)
        for a, b in itertools.combinations(range(first, first + SIZE), 2):
            nonbonded.addException(a, b, 0.0, 1.0, 0.0)
    system.addForce(nonbonded)
    system.addForce(bonds)
    return system


def section(name, values):
    lines = [f"[[molecule.{name}]]"]
    for key, value in values.items():
        lines.append(f'{key} = "{value}"' if isinstance(value, str) else f"{key} = {value!r}")
    return "\n".join(lines) + "\n"


def input_text(solver, steps=0):
    atoms = ", ".join(
        f'{{type = "{"A" if k < ATOMS else "M"}", charge = {charge}}}'
        for k, charge in enumerate(CHARGES)
    )
    text = f"""\
units = "nano"
[run]
steps = {steps}
timestep = 0.0005
[start]
kind = "file"
file = "start.extxyz"
[[type]]
name = "A"
mass = 12
sigma = 0.3
epsilon = 0.4
[[type]]
name = "M"
mass = 0
sigma = 0.25
epsilon = 0.5
[interaction]
cutoff = 1.0
truncation = "truncated"
[electrostatics]
{solver}
[output]
trajectory_interval = 1
trajectory_fields = ["position", "force", "velocity"]
[[molecule]]
name = "ammonia"
count = {EDGE**3}
atom = [{atoms}]
[[molecule.bond]]
potential = "harmonic"
stiffness = 2e5
r0 = 0.11
atoms = [[1, 2], [1, 3], [1, 4]]
"""
    for k, (keys, made_of, _) in enumerate(KINDS):
        numbers = [ATOMS + 1 + k, *(atom + 1 for atom in made_of)]
        text += section("virtual_site", keys | {"atoms": numbers})
    return text


def write_start(folder, places):
    lines = [
        str(len(places)),
        f'Lattice="{BOX} 0 0 0 {BOX} 0 0 0 {BOX}" Properties=species:S:1:pos:R:3',
    ]
    for n, place in enumerate(places):
        name = "A" if n % SIZE < ATOMS else "M"
        lines.append(f"{name} " + " ".join(map(repr, place.tolist())))
    (folder / "start.extxyz").write_text("\n".join(lines) + "\n")


def frame(path, step=0):
    """Positions and forces by id."""
    with h5py.File(path) as file:
        particles = file["particles/trajectory"]
        return (
            particles["position/value"][step],
            particles["force/value"][step],
            particles["velocity/value"][step],
        )


@pytest.fixture
def ammonia(tmp_path):
    places = start(numpy.random.default_rng(11))
    write_start(tmp_path, places)
    return places


def test_every_kind_has_the_places_and_forces_of_openmm(sterna, tmp_path, ammonia):
    system = system_of_openmm()
    platform = openmm.Platform.getPlatformByName("Reference")
    context = openmm.Context(system, openmm.VerletIntegrator(0.001), platform)
    context.setPositions(ammonia)
    context.computeVirtualSites()
    state = context.getState(getPositions=True, getForces=True, getEnergy=True)
    places = state.getPositions(asNumpy=True).value_in_unit(unit.nanometer)
    per_nm = unit.kilojoule_per_mole / unit.nanometer
    forces = state.getForces(asNumpy=True).value_in_unit(per_nm)
    energy = state.getPotentialEnergy().value_in_unit(unit.kilojoule_per_mole)
    is_site = numpy.arange(len(places)) % SIZE >= ATOMS
    (tmp_path / "run.toml").write_text(input_text('kind = "ewald"\naccuracy = 1e-8'))
    done = sterna("run", "run.toml", "-n", 2)
    assert done.returncode == 0, done.stderr
    assert "virtual sites: the start has them up to" in done.stdout
    found, of_sterna, _ = frame(tmp_path / "run.h5md")
    apart = found - places
    apart -= BOX * numpy.round(apart / BOX)
    assert numpy.abs(apart).max() < 1e-10
    assert not of_sterna[is_site].any()
    size = numpy.sqrt((forces[~is_site] ** 2).mean())
    assert numpy.sqrt(((of_sterna - forces)[~is_site] ** 2).mean()) < 1e-6 * size
    row = read_log(tmp_path / "run.log.jsonl").rows[0]
    assert row["potential_energy"] == pytest.approx(energy, rel=1e-6)


def test_any_number_of_ranks_computes_the_same(sterna, tmp_path, ammonia):
    (tmp_path / "run.toml").write_text(input_text('kind = "ewald"\naccuracy = 1e-6'))
    expected = None
    for ranks in range(1, 6):
        done = sterna("run", "run.toml", "-n", ranks, "--overwrite")
        assert done.returncode == 0, done.stderr
        places, forces, _ = frame(tmp_path / "run.h5md")
        row = read_log(tmp_path / "run.log.jsonl").rows[0]
        if expected is None:
            expected = places, forces, row
            continue
        apart = places - expected[0]
        apart -= BOX * numpy.round(apart / BOX)
        assert numpy.abs(apart).max() < 1e-10
        assert numpy.abs(forces - expected[1]).max() < 1e-10 * numpy.abs(expected[1]).max()
        for name in ("potential_energy", "pressure", "virtual_sites_virial", "temperature"):
            assert row[name] == pytest.approx(expected[2][name], rel=1e-10, abs=1e-10)


SINGLE_POINT = """\
units = "nano"
[run]
steps = 0
timestep = "1 fs"
[interaction]
cutoff = 0.85
truncation = "truncated"
[electrostatics]
kind = "ewald"
accuracy = 1e-8
[output]
trajectory_interval = 1
"""

RIGID = """
trajectory_fields = ["position", "orientation", "force"]
[start]
kind = "lattice"
particles = 216
density = "0.997 g/cm^3"
temperature = 300
[[component]]
name = "water"
model = "tip4p_2005"
"""

FLEXIBLE = """
trajectory_fields = ["position", "force"]
[start]
kind = "file"
file = "start.extxyz"
"""


def test_water_of_atoms_has_the_energy_and_forces_of_rigid_water(sterna, tmp_path):
    rigid = SINGLE_POINT.replace("[electro", 'molecular_cutoff = "site"\n[electro') + RIGID
    (tmp_path / "rigid.toml").write_text(rigid)
    done = sterna("run", "rigid.toml")
    assert done.returncode == 0, done.stdout + done.stderr
    done = sterna("export", "rigid.toml", "rigid.extxyz")
    assert done.returncode == 0, done.stdout + done.stderr
    # Angstrom, with the negative charge behind the oxygen atom.
    lines = (tmp_path / "rigid.extxyz").read_text().splitlines()
    edge = 0.1 * float(lines[1].split('"')[1].split()[0])
    atoms = numpy.array([line.split()[1:4] for line in lines[2:]], dtype=float).reshape(-1, 4, 3)
    atoms = 0.1 * atoms[:, [0, 2, 3, 1]].reshape(-1, 3)
    assert len(atoms) == 4 * 216
    cell = f"{edge!r} 0 0 0 {edge!r} 0 0 0 {edge!r}"
    start = [str(len(atoms)), f'Lattice="{cell}" Properties=species:S:1:pos:R:3']
    for name, place in zip("OHHM" * 216, atoms.tolist(), strict=True):
        start.append(f"{name} " + " ".join(map(repr, place)))
    (tmp_path / "start.extxyz").write_text("\n".join(start) + "\n")
    example = WATER.read_text()
    types = example[example.index("[[type]]") : example.index('[[type]]\nname = "Na"')]
    water = example[example.index("[[molecule]]") : example.index('[[molecule]]\nname = "sodium"')]
    water = water.replace("count = 375", "count = 216")
    (tmp_path / "flexible.toml").write_text(SINGLE_POINT + FLEXIBLE + types + water)
    done = sterna("run", "flexible.toml", "-n", 2)
    assert done.returncode == 0, done.stdout + done.stderr
    with h5py.File(tmp_path / "rigid.h5md") as file:
        expected = file["particles/trajectory/force/value"][0]
    with h5py.File(tmp_path / "flexible.h5md") as file:
        forces = file["particles/trajectory/force/value"][0].reshape(-1, 4, 3)
    assert not forces[:, 3].any()
    # Forces of constraints, which these may have, are none on a molecule as a whole.
    assert numpy.abs(forces.sum(axis=1) - expected).max() < 1e-6 * numpy.abs(expected).max()
    energies = [
        read_log(tmp_path / f"{name}.log.jsonl").rows[0]["potential_energy"]
        for name in ("rigid", "flexible")
    ]
    assert energies[1] == pytest.approx(energies[0], rel=1e-7)


@pytest.mark.parametrize(
    "multiple", ["", nightly("pairs = 2\nfar_field = 2")], ids=["single", "multiple"]
)
def test_salt_water_keeps_its_energy(sterna, tmp_path, multiple):
    text = WATER.read_text()
    begin, end = text.index("[thermostat]"), text.index("[output]")
    text = text[:begin] + text[end:]
    for old, new in (
        ('file = "tip4p.extxyz"', f'file = "{WATER.with_suffix(".extxyz")}"'),
        ('"2 fs"', '"1 fs"'),
        ("accuracy = 1e-4", "accuracy = 1e-5"),
        ('"truncated"\ntail_correction = "homogeneous"', '"quintic_switched"\nswitch_start = 0.85'),
    ):
        assert old in text
        text = text.replace(old, new)
    if multiple:
        text += f"\n[multiple_time_steps]\n{multiple}\n"
    (tmp_path / "nve.toml").write_text(text)
    done = sterna("run", "nve.toml", "-n", 2)
    assert done.returncode == 0, done.stdout + done.stderr
    log = read_log(tmp_path / "output" / "nve.log.jsonl")
    energy, kinetic = log["total_energy"], log["kinetic_energy"].mean()
    assert log["temperature"].mean() == pytest.approx(300, rel=0.05)
    assert numpy.abs(energy - energy[0]).max() < 1e-3 * kinetic


def test_sites_follow_a_box_that_changes_and_observers_count_them(sterna, tmp_path):
    text = WATER.read_text()
    for old, new in (
        ('file = "tip4p.extxyz"', f'file = "{WATER.with_suffix(".extxyz")}"'),
        ("steps = 400", "steps = 60"),
        ("thermo_interval = 10", "thermo_interval = 10\ntrajectory_interval = 60"),
        ("accuracy = 1e-4", "accuracy = 1e-3"),
    ):
        assert old in text
        text = text.replace(old, new)
    text += """
[barostat]
kind = "stochastic_cell_rescaling"
pressure = "1 bar"
bulk_modulus = "2 GPa"
time_constant = 0.1
[neighbor]
buffer = "tolerance"
[rdf]
interval = 10
groups = ["M"]
[molecular_dipole]
interval = 10
[radius_of_gyration]
interval = 10
[[group]]
name = "M"
select = "type M"
"""
    (tmp_path / "changing.toml").write_text(text)
    done = sterna("run", "changing.toml", "-n", 2)
    assert done.returncode == 0, done.stdout + done.stderr
    with h5py.File(tmp_path / "output" / "changing.h5md") as file:
        group = file["particles/trajectory"]
        edges, places = group["box/edges/value"][:], group["position/value"][:, :1500]
        bonds = file["connectivity/bonds"][:]
    # By bonds and constraints: none of the site, and the hydrogen atoms hold an angle.
    assert len(bonds) == 2 * 375 and not (bonds % 4 == 0).any()
    assert numpy.abs(edges[-1] / edges[0] - 1).max() > 1e-3
    for edge, frame in zip(edges, places, strict=True):
        water = frame.reshape(-1, 4, 3)
        arms = water[:, 1:] - water[:, :1]
        arms -= edge * numpy.round(arms / edge)
        assert numpy.abs(arms[:, 2] - 0.131937768 * (arms[:, 0] + arms[:, 1])).max() < 1e-12
        assert numpy.abs(numpy.linalg.norm(arms[:, :2], axis=2) - 0.09572).max() < 1e-8
    log = (tmp_path / "output" / "changing.log.jsonl").read_text().splitlines()
    averages = json.loads(log[-1])["timing"]["averages"]
    # 2.305 D, as published; of the masses of the atoms, as the site has none.
    dipole = averages["molecular_dipole_water"]["mean"] / 0.0208194
    assert dipole == pytest.approx(2.305, abs=1e-3)
    masses = numpy.array([15.9994, 1.00794, 1.00794])
    atoms = numpy.array([[0, 0], [0.0757, 0.0586], [-0.0757, 0.0586]])
    off = atoms - masses @ atoms / masses.sum()
    radius = math.sqrt(masses @ (off**2).sum(axis=1) / masses.sum())
    assert averages["radius_of_gyration_water"]["mean"] == pytest.approx(radius, abs=1e-4)
    counted = numpy.loadtxt(tmp_path / "output" / "changing.rdf.txt")
    # Charges of two waters are farther apart than their oxygen atoms may be.
    assert not counted[counted[:, 0] < 0.2, 1].any() and counted[-20:, 1].mean() > 0.9


@pytest.mark.parametrize(
    ("model", "force_field", "kinds"),
    [
        ("tip4pew", "amber14/tip4pew.xml", ['kind = "3"']),
        ("tip5p", "tip5p.xml", 2 * ['kind = "3out"']),
    ],
)
def test_imported_water_has_the_energies_and_forces_of_openmm(
    sterna, tmp_path, model, force_field, kinds
):
    modeller = app.Modeller(app.Topology(), [] * unit.nanometer)
    edges = 2.2 * openmm.Vec3(1, 1, 1) * unit.nanometer
    modeller.addSolvent(app.ForceField(force_field), model=model, boxSize=edges)
    with open(tmp_path / "water.pdb", "w") as file:
        app.PDBFile.writeFile(modeller.topology, modeller.positions, file)
    done = sterna(
        "import", "water.pdb", "--force-field", force_field, "--cutoff", "0.9", "-o", "water.toml",
        "--compare",
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    rows = {line.split()[0]: line.split()[1:] for line in done.stdout.splitlines()[-7:] if line}
    for name in ("lennard_jones", "charges", "forces"):
        mine, theirs, apart = map(float, rows[name])
        assert abs(theirs) > 1000 and mine == pytest.approx(theirs, rel=1e-6)
        assert apart < 1e-6
    text = (tmp_path / "water.toml").read_text()
    assert [line for line in text.splitlines() if line.startswith('kind = "3')] == kinds


GROMACS_TOPOLOGY = """
[ defaults ]
1 2 yes 0.5 0.8333
[ atomtypes ]
OW 8 15.9994 0.0 A 0.315365 0.648520
HW 1 1.008 0.0 A 0.0 0.0
MW 0 0.0 0.0 D 0.0 0.0
[ moleculetype ]
SOL 1
[ atoms ]
1 OW 1 SOL OW 1 0.0 15.9994
2 HW 1 SOL HW1 1 0.52 1.008
3 HW 1 SOL HW2 1 0.52 1.008
4 MW 1 SOL MW 1 -1.04 0.0
[ settles ]
1 1 0.09572 0.15139
[ virtual_sites3 ]
4 1 2 3 1 0.128012065 0.128012065
[ exclusions ]
1 2 3 4
2 1 3 4
3 1 2 4
4 1 2 3
[ system ]
TIP4P
[ molecules ]
SOL 64
"""


def test_water_of_a_topology_has_the_energies_and_forces_of_gromacs(judge, sterna, tmp_path):
    (tmp_path / "water.top").write_text(GROMACS_TOPOLOGY)
    random = numpy.random.default_rng(1)
    shape = numpy.array([[0, 0, 0], [0.0757, 0.05859, 0], [-0.0757, 0.05859, 0], [0, 0.015, 0]])
    lines = ["water", str(4 * 64)]
    for molecule, cell in enumerate(itertools.product(range(4), repeat=3), 1):
        turn = numpy.linalg.qr(random.normal(size=(3, 3)))[0]
        places = 0.5 * numpy.array(cell) + 0.1 + shape @ turn
        for name, place in zip(("OW", "HW1", "HW2", "MW"), places, strict=True):
            number = len(lines) - 1
            x, y, z = place
            lines.append(f"{molecule:5d}SOL  {name:>5}{number:5d}{x:8.3f}{y:8.3f}{z:8.3f}")
    (tmp_path / "water.gro").write_text("\n".join([*lines, "2.0 2.0 2.0"]) + "\n")
    done = sterna("import", "water.top", "water.gro", "-o", "water.toml", "--compare",
                  "--cutoff", "0.9")  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    text = (tmp_path / "water.toml").read_text()
    site = text[text.index("[[molecule.virtual_site]]") :]
    assert 'kind = "3"\na = 0.128012065\nb = 0.128012065\natoms = [4, 1, 2, 3]' in site
    assert "constraint" in text


def test_a_run_tells_where_changes_of_the_box_are_undone(sterna, tmp_path):
    text = WATER.read_text()
    for old, new in (
        ('file = "tip4p.extxyz"', f'file = "{WATER.with_suffix(".extxyz")}"'),
        ("steps = 400", "steps = 240"),
        ("accuracy = 1e-4", "accuracy = 1e-3"),
    ):
        assert old in text
        text = text.replace(old, new)
    # That of water is a hundred times as large.
    text += """
[barostat]
kind = "stochastic_cell_rescaling"
pressure = "1 bar"
bulk_modulus = "0.02 GPa"
time_constant = 0.5
"""
    (tmp_path / "soft.toml").write_text(text)
    done = sterna("run", "soft.toml", "-n", 2)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "of 20 changes of the box were undone" in done.stdout
