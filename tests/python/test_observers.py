"""Observers of groups of atoms: the numbers of MDAnalysis on the same trajectory.

The system is flexible water (SPC/Fw) with chains that lie across the border of the box, so that
their atoms begin in several images and on several ranks.
"""

from types import SimpleNamespace

import h5py
import numpy
import pytest
from observer_support import CHAINS, EDGE, INTERVAL, SELECTIONS, STEPS, WATERS, read, run, start
from sterna import read_log

mdanalysis = pytest.importorskip("MDAnalysis")


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


def permittivity(finished, system):
    """By Neumann's formula with a conductor around: 1 + 4 pi <M^2> / (3 V kT)."""
    residues = system.universe.select_atoms("all").split("residue")
    dipoles = frames(system, lambda: [part.dipole_vector() for part in residues])
    squared = (dipoles.sum(axis=1) ** 2).sum(axis=1).mean()
    log = read_log(finished / "soft.log.jsonl")
    thermal = 0.00198720426 * log["temperature"].mean()
    fluctuation = 332.06371 * 4 * numpy.pi * squared / (9 * EDGE**3 * thermal)
    lines = (finished / "soft.dielectric.txt").read_text().splitlines()
    found = {line.split()[0]: float(line.split()[1]) for line in lines if line[0] != "#"}
    assert found["dipole_fluctuation"] == pytest.approx(fluctuation, rel=1e-4)
    assert found["permittivity"] == pytest.approx(1 + 3 * fluctuation, rel=1e-4)
    assert found["kirkwood_factor"] == pytest.approx(
        squared / (dipoles**2).sum(axis=(1, 2)).mean(), rel=1e-4
    )


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
    for f in (gyration, end_to_end, dipole, permittivity, deviation, bonds, angles, torsions, hydrogen_bonds,
              radial, displacement, profile, structure_factor)
}  # fmt: skip


@pytest.mark.parametrize("comparison", COMPARISONS.values(), ids=COMPARISONS.keys())
def test_the_numbers_are_those_of_mdanalysis(comparison, finished, system):
    comparison(finished, system)
