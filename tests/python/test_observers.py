"""Observers of groups of atoms: the numbers of MDAnalysis on the same trajectory, on any number of
ranks, and across a restart.

The system is flexible water (SPC/Fw) with chains that lie across the border of the box, so that
their atoms begin in several images and on several ranks.
"""

import subprocess
from types import SimpleNamespace

import h5py
import numpy
import pytest
from conftest import sterna_command, sterna_environment

mdanalysis = pytest.importorskip("MDAnalysis")

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


def read(folder, kind):
    """Columns of a file of results, without their units, and the values."""
    path = folder / f"soft.{kind}.txt"
    header = [line for line in path.read_text().splitlines() if line.startswith("#")][-1]
    names = [name.partition("/")[0] for name in header[1:].split()]
    return dict(zip(names, numpy.loadtxt(path, ndmin=2).T, strict=True))


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A run on one rank."""
    return run(tmp_path_factory.mktemp("observers") / "one")


@pytest.fixture(scope="module")
def system(finished):
    """Its trajectory in MDAnalysis, with what its particles are."""
    sizes = [5] * CHAINS + [3] * WATERS
    residue = numpy.repeat(numpy.arange(len(sizes)), sizes)
    count = len(residue)
    universe = mdanalysis.Universe.empty(
        count, n_residues=len(sizes), atom_resindex=residue, trajectory=True
    )
    universe.add_TopologyAttr("name", ["C1", "C2", "C3", "C4", "C5"] * CHAINS
                              + ["O", "H1", "H2"] * WATERS)  # fmt: skip
    universe.add_TopologyAttr("type", start()[0])
    universe.add_TopologyAttr("resname", ["pentane"] * CHAINS + ["water"] * WATERS)
    universe.add_TopologyAttr("resid", range(1, len(sizes) + 1))
    universe.add_TopologyAttr("resnum", range(1, len(sizes) + 1))
    universe.add_TopologyAttr("id", range(1, count + 1))
    universe.add_TopologyAttr("mass", [15.035, 14.027, 14.027, 14.027, 15.035] * CHAINS
                              + [15.9994, 1.008, 1.008] * WATERS)  # fmt: skip
    universe.add_TopologyAttr("charge", [0.05, -0.05, 0, 0.1, -0.1] * CHAINS
                              + [-0.82, 0.41, 0.41] * WATERS)  # fmt: skip
    with h5py.File(finished / "soft.h5md") as file:
        universe.add_TopologyAttr("bonds", file["connectivity/bonds"][:] - 1)
        images = file["particles/trajectory/image/value"][:]
    universe.load_new(str(finished / "soft.h5md"), format="H5MD")
    assert len(universe.trajectory) == STEPS // INTERVAL + 1
    return SimpleNamespace(universe=universe, images=images)


def frames(system, per_frame):
    """What a function gives of each frame, in which molecules are whole."""
    rows = []
    for _ in system.universe.trajectory:
        system.universe.atoms.unwrap(compound="fragments", reference=None)
        rows.append(per_frame())
    return numpy.array(rows)


def per_molecule(system, selection, quantity):
    """Means and roots of mean squares over molecules, frame by frame."""
    parts = system.universe.select_atoms(selection).split("residue")
    values = frames(system, lambda: [quantity(part) for part in parts])
    return values.mean(axis=1), numpy.sqrt((values**2).mean(axis=1))


def histogram(values, low, high, bins):
    counts, _ = numpy.histogram(numpy.asarray(values), bins=bins, range=(low, high))
    return counts / numpy.size(values) / ((high - low) / bins)


def check_means(finished, system, kind, columns, quantity):
    table = read(finished, kind)
    for column, selection in columns.items():
        mean, root = per_molecule(system, selection, quantity)
        numpy.testing.assert_allclose(table[f"mean_{column}"], mean, rtol=2e-5)
        numpy.testing.assert_allclose(table[f"rms_{column}"], root, rtol=2e-5)


def check_histogram(found, expected, values):
    """In single precision, as MDAnalysis has positions, values at the edge of a bin change over."""
    moved = numpy.abs(found - expected).sum() / expected.sum() * len(values) / 2
    assert moved <= max(2, 0.01 * len(values))


def gyration(finished, system):
    columns = {"chain": SELECTIONS["chain"], "inner": SELECTIONS["inner"]}
    check_means(finished, system, "radius_of_gyration", columns, lambda p: p.radius_of_gyration())


def end_to_end(finished, system):
    columns = {"chain": SELECTIONS["chain"], "inner": SELECTIONS["inner"]}
    check_means(finished, system, "end_to_end_distance", columns,
                lambda p: numpy.linalg.norm(p.positions[-1] - p.positions[0]))  # fmt: skip


def dipole(finished, system):
    columns = {"pentane": "resname pentane", "water": "resname \\water"}
    table = read(finished, "molecular_dipole")
    header = (finished / "soft.molecular_dipole.txt").read_text().splitlines()[1]
    factor = {"D": 4.80320471, "e*angstrom": 1.0}[header.split()[2].partition("/")[2]]
    for column, selection in columns.items():
        mean, root = per_molecule(system, selection, lambda p: p.dipole_moment())
        numpy.testing.assert_allclose(table[f"mean_{column}"], mean * factor, rtol=3e-5)
        numpy.testing.assert_allclose(table[f"rms_{column}"], root * factor, rtol=3e-5)


def deviation(finished, system):
    from MDAnalysis.analysis.rms import rmsd  # noqa: PLC0415

    table = read(finished, "rmsd")
    for column in ("first_chain", "chain"):
        group = system.universe.select_atoms(SELECTIONS[column])
        atoms = group.indices
        positions = []
        # Chains stay where they have moved to; their wholes are those of the first frame.
        for frame, images in zip(system.universe.trajectory, system.images, strict=True):
            unwrapped = frame.positions.astype(float) + images * EDGE
            whole = []
            for first in range(0, 5 * CHAINS, 5):
                chain = [unwrapped[first]]
                for k in range(1, 5):
                    step = unwrapped[first + k] - chain[-1]
                    chain.append(chain[-1] + step - EDGE * numpy.round(step / EDGE))
                whole += chain
            positions.append(numpy.array(whole)[atoms])
        expected = [rmsd(p, positions[0], center=True, superposition=True) for p in positions]
        numpy.testing.assert_allclose(table[column], expected, rtol=1e-4, atol=2e-5)


def bonds(finished, system):
    chain = system.universe.select_atoms(SELECTIONS["chain"]).bonds
    values = frames(system, lambda: chain.values(pbc=True)).ravel()
    table = read(finished, "bond_distribution")
    check_histogram(table["chain"], histogram(values, 1.3, 1.8, 20), values)


def angles(finished, system):
    table = read(finished, "angle_distribution")
    places = {"chain": [(0, 1, 2), (1, 2, 3), (2, 3, 4)], "inner": [(1, 2, 3)]}
    for column, of_chain in places.items():
        triples = numpy.array([5 * n + numpy.array(t) for n in range(CHAINS) for t in of_chain])
        values = frames(
            system,
            lambda t=triples: numpy.degrees(
                mdanalysis.lib.distances.calc_angles(
                    *(system.universe.atoms.positions[t[:, k]] for k in range(3))
                )
            ),
        ).ravel()
        check_histogram(table[column], histogram(values, 0, 180, 36), values)


def torsions(finished, system):
    table = read(finished, "torsion_distribution")
    places = {"chain": [(0, 1, 2, 3), (1, 2, 3, 4)], "one_torsion": [(0, 1, 2, 3)]}
    for column, of_chain in places.items():
        rows = numpy.array([5 * n + numpy.array(t) for n in range(CHAINS) for t in of_chain])
        values = frames(
            system,
            lambda t=rows: numpy.degrees(
                mdanalysis.lib.distances.calc_dihedrals(
                    *(system.universe.atoms.positions[t[:, k]] for k in range(4))
                )
            ),
        ).ravel()
        check_histogram(table[column], histogram(values, -180, 180, 36), values)


def hydrogen_bonds(finished, system):
    from MDAnalysis.analysis.hydrogenbonds import HydrogenBondAnalysis  # noqa: PLC0415

    analysis = HydrogenBondAnalysis(
        system.universe, hydrogens_sel="type HW", acceptors_sel="name O", donors_sel="name O",
        d_a_cutoff=3.5, d_h_a_angle_cutoff=140,
    )  # fmt: skip
    analysis.run()
    expected = analysis.count_by_time()
    assert expected.min() > 20
    numpy.testing.assert_allclose(read(finished, "hydrogen_bonds")["hydrogen_bonds"], expected,
                                  atol=1)  # fmt: skip


def radial(finished, system):
    table = read(finished, "rdf")
    edges = numpy.linspace(0, 6.0, 31)
    shells = 4 / 3 * numpy.pi * numpy.diff(edges**3)
    groups = {n: system.universe.select_atoms(SELECTIONS[n]) for n in ("oxygen", "ends", "by_id")}
    # Atoms of a chain exclude each other up to three bonds apart.
    chain = numpy.minimum(numpy.arange(len(system.universe.atoms)) // 5, CHAINS)
    for first, second in (("oxygen", "oxygen"), ("oxygen", "ends"), ("ends", "by_id")):
        a, b = groups[first], groups[second]
        counts = numpy.zeros(30)
        for _ in system.universe.trajectory:
            pairs, distances = mdanalysis.lib.distances.capped_distance(
                a.positions, b.positions, 6.0, box=system.universe.dimensions
            )
            i, j = a.indices[pairs[:, 0]], b.indices[pairs[:, 1]]
            apart = numpy.abs(i - j)
            excluded = (apart == 0) | (chain[i] == chain[j]) & (chain[i] < CHAINS) & (apart <= 3)
            counts += numpy.histogram(distances[~excluded], edges)[0]
        number = len(a) * len(b) - len(set(a.indices) & set(b.indices))
        expected = counts / (len(system.universe.trajectory) * number * shells / EDGE**3)
        column = f"{first}-{second}"
        assert numpy.abs(table[column] - expected).max() < 0.05 * expected.max() + 1e-12
        assert abs((table[column] - expected) @ shells) < 1e-3 * (expected @ shells) + 1e-12


def displacement(finished, system):
    paths = numpy.array([f.positions.astype(float) for f in system.universe.trajectory])
    paths += system.images * EDGE
    table = read(finished, "diffusion")
    for column in ("oxygen", "inner", "everything"):
        path = paths[:, system.universe.select_atoms(SELECTIONS[column]).indices]
        for row, lag in enumerate(range(1, 7)):
            moved = ((path[lag:] - path[:-lag]) ** 2).sum(axis=-1).mean()
            assert table[column][row] == pytest.approx(moved, rel=1e-4)


def profile(finished, system):
    table = read(finished, "profile")
    for column in ("oxygen", "ends", "slab"):
        counts = numpy.zeros(12)
        for _ in system.universe.trajectory:
            z = system.universe.select_atoms(SELECTIONS[column]).positions[:, 2]
            counts += numpy.histogram(z % EDGE, 12, (0, EDGE))[0]
        expected = counts / len(system.universe.trajectory) / (EDGE**3 / 12)
        found = table[f"density_{column}"]
        scale = expected.sum() / found.sum()
        assert numpy.abs(found * scale - expected).sum() < 0.01 * expected.sum()


def structure_factor(finished, system):
    table = read(finished, "structure_factor")
    unit = 2 * numpy.pi / EDGE
    most = int(1.5 / unit)
    numbers = (
        numpy.array(
            [n for n in numpy.ndindex(*[2 * most + 1] * 3) if numpy.any(numpy.array(n) != most)]
        )
        - most
    )
    waves = unit * numbers
    lengths = numpy.linalg.norm(waves, axis=1)
    waves, lengths = waves[lengths <= 1.5], lengths[lengths <= 1.5]
    bins = (lengths / 1.5 * 30).astype(int)
    # Of all selections: these sums tell any two sets of atoms apart.
    for column, selection in SELECTIONS.items():
        values = []
        for _ in system.universe.trajectory:
            positions = system.universe.select_atoms(selection).positions.astype(float)
            sums = numpy.exp(1j * positions @ waves.T).sum(axis=0)
            values.append(numpy.abs(sums) ** 2 / len(positions))
        mean = numpy.mean(values, axis=0)
        expected = [mean[bins == b].mean() for b in numpy.unique(bins)]
        numpy.testing.assert_allclose(table[column], expected, rtol=1e-3, err_msg=selection)
        numpy.testing.assert_allclose(
            table["q"], [lengths[bins == b].mean() for b in numpy.unique(bins)], rtol=1e-6
        )


COMPARISONS = {
    f.__name__: f
    for f in (gyration, end_to_end, dipole, deviation, bonds, angles, torsions, hydrogen_bonds,
              radial, displacement, profile, structure_factor)
}  # fmt: skip


@pytest.mark.parametrize("comparison", COMPARISONS.values(), ids=COMPARISONS.keys())
def test_the_numbers_are_those_of_mdanalysis(comparison, finished, system):
    comparison(finished, system)


def results(folder):
    return {path.name: numpy.loadtxt(path, ndmin=2) for path in sorted(folder.glob("soft.*.txt"))}


def assert_same(found, expected):
    """As far as paths are: electrostatics of other ranks rounds otherwise, and molecules diverge."""
    assert found.keys() == expected.keys()
    for name, values in expected.items():
        assert found[name].shape == values.shape, name
        largest = numpy.abs(values).max(axis=0)
        allowed = 1e-2 if ".rdf." in name else 1e-4
        assert (numpy.abs(found[name] - values).max(axis=0) <= allowed * largest).all(), name


def test_three_ranks_give_the_same_numbers(finished, tmp_path):
    expected = results(finished)
    assert len(expected) == 12
    assert_same(results(run(tmp_path / "three", ranks=3)), expected)


def test_a_restart_goes_on_with_what_was_gathered(tmp_path):
    # Displacements begin their windows anew.
    more = OBSERVERS.replace("checkpoint_interval", "").split("[diffusion]")
    more = more[0] + "[profile]" + more[1].split("[profile]")[1]
    more = "checkpoint_interval = 1\n" + more + "[neighbor]\nmaximum_interval = 5\n"
    whole = results(run(tmp_path / "whole", more=more))
    folder = run(tmp_path / "parts", more=more, steps=30, ranks=2)
    for path in folder.glob("soft.*.txt"):
        path.unlink()
    resumed = results(run(folder, "--resume", more=more, ranks=2))
    assert_same(resumed, whole)


def test_a_group_that_changed_begins_anew(tmp_path):
    more = "checkpoint_interval = 1\n" + group_sections({"part": "resname pentane"})
    more += observer("radius_of_gyration", groups=["part"]) + observer("end_to_end_distance")
    folder = run(tmp_path / "parts", more=more, steps=30)
    run(folder, "--resume", more=more.replace("resname pentane", "resid 1"))
    assert len(read(folder, "radius_of_gyration")["time"]) == 3
    assert len(read(folder, "end_to_end_distance")["time"]) == 7


@pytest.mark.parametrize(
    ("select", "message"),
    [
        ("", "is empty; expected a text"),
        (" ", 'column 1 of the selection " ": the selection is empty'),
        ("nme C1", 'column 1 of the selection "nme C1": expected'),
        ("nme C1", 'did you mean "name"?'),
        ("name C1 and", "column 12"),
        ("name", 'expected a text or pattern behind "name", but the text ends here'),
        ("(name C1", 'of the "(" in column 1, but the text ends here'),
        ("name C1) or name C2", "column 8"),
        ("resid 5:2", "the range ends before it begins: 5 to 2"),
        ("resid one", "expected whole numbers or ranges such as 1:10"),
        ("prop q > 1", 'expected x, y, z, mass or charge behind "prop" instead of "q"'),
        ("prop x", 'expected <, <=, >, >=, == or != and a number behind "x"'),
        ("prop x > y", 'expected a number behind "x >" instead of "y"'),
        ("name C1 and around 3 name O", "column 13 of the selection"),
        ("protein", '"protein" is not supported here'),
        ("mass 12", 'write "prop mass > 1"'),
        ("name C9", "no atom of this input is in the selection"),
    ],
)
def test_errors_of_selections_say_where_and_what(select, message, sterna, tmp_path):
    write_start(tmp_path)
    (tmp_path / "soft.toml").write_text(
        INPUT.format(more=group_sections({"part": select}), steps=1)
    )
    done = sterna("check", "soft.toml")
    assert done.returncode == 2
    assert message in done.stdout + done.stderr
    assert "soft.toml:" in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("section", "message"),
    [
        (observer("rdf", groups=["prat"]), 'did you mean "part"?'),
        (observer("rdf", groups=["part", "part"]), 'the group "part" is named twice'),
        (observer("rmsd", groups=["left"]), "another one in each frame"),
        (observer("diffusion", groups=["left"]), "another one in each frame"),
        (observer("bond_distribution", minimum=2.0, maximum=1.0), "beyond the smallest one"),
        (
            observer("hydrogen_bonds", hydrogens="part", acceptors="part", distance=7.0),
            "pairs are known up to the cutoff only",
        ),
        (observer("structure_factor", maximum=0.1), "no wave fits the box"),
        (group_sections({"part": "all"}), 'already a [[group]] with the name "part"'),
    ],
)
def test_errors_of_groups_in_observers(section, message, sterna, tmp_path):
    write_start(tmp_path)
    groups = group_sections({"part": "name C1", "left": "prop x < 5"})
    (tmp_path / "soft.toml").write_text(INPUT.format(more=groups + section, steps=1))
    done = sterna("check", "soft.toml")
    assert done.returncode == 2
    assert message in done.stdout + done.stderr


def numbers(path):
    return numpy.loadtxt(path, ndmin=2)


MIXTURE = """\
units = "reduced"
[run]
steps = 40
timestep = 0.004
[start]
kind = "lattice"
cells = [6, 6, 6]
density = 0.8
temperature = 1.2
[[type]]
name = "A"
[[type]]
name = "B"
mass = 2.0
[interaction]
cutoff = 2.5
"""
RIGID = """\
units = "reduced"
[run]
steps = 40
timestep = 0.002
[start]
kind = "lattice"
lattice = "sc"
cells = [8, 8, 8]
density = 0.2
temperature = 1.2
[[component]]
name = "A"
[[component.site]]
kind = "lennard_jones"
position = [0.2, 0.0, 0.0]
mass = 1.0
epsilon = 1.0
sigma = 1.0
[[component.site]]
kind = "lennard_jones"
position = [-0.2, 0.0, 0.0]
mass = 1.0
epsilon = 1.0
sigma = 1.0
[[component]]
name = "B"
[[component.site]]
kind = "lennard_jones"
position = [0.0, 0.0, 0.0]
mass = 3.0
epsilon = 1.0
sigma = 1.0
[interaction]
cutoff = 2.5
"""


@pytest.mark.parametrize("text", [MIXTURE, RIGID], ids=["atoms", "rigid molecules"])
def test_groups_of_types_are_what_types_are(text, sterna, tmp_path):
    """Of atoms and rigid molecules, also where groups need the ids of ghosts."""
    observers = "[rdf]\ninterval = 10\nsites = false\n[diffusion]\ninterval = 10\n"
    observers += "[profile]\ninterval = 10\nbins = 7\ncentered = false\n"
    grouped = observers.replace("interval = 10\n", 'interval = 10\ngroups = ["A", "B"]\n')
    grouped += group_sections({"A": "name A and id 1:10000", "B": "not prop mass < 1.9 and type B"})
    for name, more, ranks in (
        ("types", observers, 1),
        ("groups", grouped, 1),
        ("three", grouped, 3),
    ):
        (tmp_path / f"{name}.toml").write_text(text + more)
        done = sterna("run", f"{name}.toml", "-n", ranks)
        assert done.returncode == 0, done.stdout + done.stderr
    for kind in ("rdf", "diffusion", "profile"):
        expected = numbers(tmp_path / f"types.{kind}.txt")
        assert expected[:, 1:].max() > 0
        for name in ("groups", "three"):
            found = numbers(tmp_path / f"{name}.{kind}.txt")
            numpy.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9)
    # A group that is all of a system has the same atoms as no group.
    (tmp_path / "all.toml").write_text(
        text + group_sections({"A": "all"}) + "[structure_factor]\ninterval = 10\nmaximum = 4\n"
    )
    assert sterna("run", "all.toml", "-n", 2).returncode == 0
    everything = numbers(tmp_path / "all.structure_factor.txt")
    (tmp_path / "all.toml").write_text(
        text + group_sections({"A": "all"})
        + '[structure_factor]\ninterval = 10\nmaximum = 4\ngroups = ["A"]\n'
    )  # fmt: skip
    assert sterna("run", "all.toml", "-n", 3, "--overwrite").returncode == 0
    numpy.testing.assert_allclose(
        numbers(tmp_path / "all.structure_factor.txt"), everything, rtol=1e-6
    )
