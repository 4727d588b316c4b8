"""Systems of the force fields that OpenMM carries, imported: every energy and the forces are its."""

import itertools

import numpy
import openmm
import pytest
from openmm import app, unit
from sterna.errors import SternaError
from sterna.importing import comparison
from sterna.importing.molecules import Molecules
from sterna.importing.openmm_system import system_of
from sterna.importing.sources import Source
from test_import import table_of
from test_openmm import context_of, places

NAMES = {"bonds", "angles", "torsions", "cmap", "lennard_jones", "charges", "forces"}


def topology_of(force_field, names, link):
    """Residues in a row, with the bonds of their templates; `link` joins one to the next."""
    topology = app.Topology()
    residues = topology.addChain()
    before = None
    for name in names:
        template = force_field._templates[name]
        residue = topology.addResidue(name, residues)
        atoms = [topology.addAtom(a.name, a.element, residue) for a in template.atoms]
        for first, second in template.bonds:
            topology.addBond(atoms[first], atoms[second])
        by_name = {atom.name: atom for atom in atoms}
        if before is not None:
            topology.addBond(before[link[0]], by_name[link[1]])
        before = by_name
    return topology


def system_from(force_field, topology, **options):
    """Templates by name: some molecules of CHARMM match two of them."""
    named = {residue: residue.name for residue in topology.residues()}
    return force_field.createSystem(
        topology, residueTemplates=named, constraints=None, rigidWater=False, **options
    )


def molecule(force_field, names, link, random):
    """Its topology, and places (nm) near a minimum of its energy, their center at 0."""
    topology = topology_of(force_field, names, link)
    context = context_of(system_from(force_field, topology), places(topology, random))
    openmm.LocalEnergyMinimizer.minimize(context, 10.0, 200)
    at = context.getState(getPositions=True).getPositions(asNumpy=True)._value
    return topology, at - at.mean(axis=0)


def mixture(force_field, kinds, edge, random, link=(), **options):
    """Molecules of each (residues, count) in a cube, turned at random, none near another."""
    modeller = None
    taken = numpy.empty((0, 3))
    for names, count in kinds:
        topology, shape = molecule(force_field, names, link, random)
        for _ in range(count):
            for _ in range(20000):
                turn, _ = numpy.linalg.qr(random.normal(size=(3, 3)))
                at = shape @ (turn * numpy.sign(numpy.linalg.det(turn))) + edge * random.random(3)
                apart = at[:, None] - taken
                apart -= edge * numpy.round(apart / edge)
                if not len(taken) or numpy.linalg.norm(apart, axis=2).min() > 0.2:
                    break
            else:
                pytest.fail("the box is too small")
            taken = numpy.vstack([taken, at])
            if modeller is None:
                modeller = app.Modeller(topology, at * unit.nanometer)
            else:
                modeller.add(topology, at * unit.nanometer)
    modeller.topology.setPeriodicBoxVectors(edge * numpy.eye(3) * unit.nanometer)
    system = system_from(
        force_field,
        modeller.topology,
        nonbondedMethod=app.PME,
        nonbondedCutoff=0.8 * unit.nanometer,
        **options,
    )
    return modeller.topology, system, taken + random.normal(scale=0.004, size=taken.shape)


def compare(topology, system, positions, without=()):
    """The imported system, after all of its energies and forces are those of OpenMM."""
    source = Source(topology, system, positions)
    molecules = Molecules(system_of(source))
    # Some forces have no terms.
    rows = [row for row in comparison.compare(source, molecules) if row.openmm or row.sterna]
    assert {row.name for row in rows} == NAMES - set(without)
    for row in rows:
        assert abs(row.openmm) > 1e-2, row
        assert row.difference < (1e-5 if row.name == "forces" else 1e-6), row
    return molecules.system


@pytest.fixture
def random():
    return numpy.random.default_rng(11)


def test_a_dipeptide_of_charmm_with_its_cmap_in_water(random):
    force_field = app.ForceField("charmm36.xml", "charmm36/water.xml")
    kinds = [(["ALAD"], 1), (["TIP3"], 90)]
    system = compare(*mixture(force_field, kinds, 1.9, random))
    # Pairs of the dipeptide's types are all by mixing.
    assert "mixing" not in system.interaction and not system.pairs
    assert any(term.section == "cmap" for term in system.terms)


def test_a_lipid_in_water(random):
    force_field = app.ForceField("amber14/lipid17.xml", "amber14/tip3p.xml")
    compare(*mixture(force_field, [(["DLPC"], 1), (["HOH"], 80)], 3.2, random), without=["cmap"])


def test_a_dna_strand_with_ions(random):
    force_field = app.ForceField("amber14/DNA.OL15.xml", "amber14/tip3p.xml")
    kinds = [(["DC5", "DG", "DA3"], 1), (["NA"], 2), (["HOH"], 60)]
    compare(
        *mixture(force_field, kinds, 2.6, random, link=("O3'", "P")),
        without=["cmap"],
    )


def test_an_ionic_liquid_of_charmm_with_pairs_of_their_own(random):
    force_field = app.ForceField("charmm36.xml", "charmm36/water.xml")
    # Sodium and the oxygen of acetate are a pair of its own (NBFIX).
    kinds = [(["MGUA"], 10), (["ACET"], 12), (["SOD"], 2)]
    topology, system, positions = mixture(
        force_field, kinds, 1.8, random, switchDistance=0.7 * unit.nanometer
    )
    taken = compare(topology, system, positions, without=["cmap"])
    assert taken.interaction["truncation"] == "quintic_switched"
    (pair,) = taken.pairs
    assert sorted(pair[key].rstrip("0123456789") for key in ("first", "second")) == ["Na", "O"]


# OPLS-AA (Jorgensen et al., J. Am. Chem. Soc. 118, 11225 (1996)), whose rule of mixing is the
# third of GROMACS.
METHANOL = """\
[ defaults ]
1 3 yes 0.5 0.5

[ atomtypes ]
CT 6 12.011 0.145 A 0.350 0.276144
HC 1 1.008 0.040 A 0.250 0.125520
OH 8 15.9994 -0.683 A 0.312 0.711280
HO 1 1.008 0.418 A 0.0 0.0

[ moleculetype ]
MOH 3

[ atoms ]
1 CT 1 MOH C 1 0.145 12.011
2 HC 1 MOH H1 1 0.040 1.008
3 HC 1 MOH H2 1 0.040 1.008
4 HC 1 MOH H3 1 0.040 1.008
5 OH 1 MOH O 1 -0.683 15.9994
6 HO 1 MOH HO 1 0.418 1.008

[ bonds ]
1 2 1 0.109 284512
1 3 1 0.109 284512
1 4 1 0.109 284512
1 5 1 0.141 267776
5 6 1 0.0945 462750.4

[ pairs ]
2 6 1
3 6 1
4 6 1

[ angles ]
2 1 3 1 107.8 276.144
2 1 4 1 107.8 276.144
3 1 4 1 107.8 276.144
2 1 5 1 109.5 292.88
3 1 5 1 109.5 292.88
4 1 5 1 109.5 292.88
1 5 6 1 108.5 460.24

[ dihedrals ]
2 1 5 6 3 0.9414 2.8242 0.0 -3.7656 0.0 0.0
3 1 5 6 3 0.9414 2.8242 0.0 -3.7656 0.0 0.0
4 1 5 6 3 0.9414 2.8242 0.0 -3.7656 0.0 0.0

[ system ]
methanol

[ molecules ]
MOH 64
"""


def write_methanol(folder, random):
    """methanol.top and methanol.gro: a perturbed lattice of 64 molecules."""
    shape = numpy.array(
        [[0, 0, 0], [-0.036, 0.103, 0], [-0.036, -0.05, 0.09], [-0.036, -0.05, -0.09],
         [0.141, 0, 0], [0.171, 0.06, 0.066]]
    )  # fmt: skip
    (folder / "methanol.top").write_text(METHANOL)
    lines = []
    for n, cell in enumerate(itertools.product(range(4), repeat=3)):
        turn, _ = numpy.linalg.qr(random.normal(size=(3, 3)))
        at = shape @ turn + 0.5 * numpy.array(cell) + 0.25
        for k, place in enumerate(at + random.normal(scale=0.004, size=shape.shape)):
            name = ("C", "H1", "H2", "H3", "O", "HO")[k]
            lines.append(
                f"{n + 1:5d}MOH  {name:>5}{6 * n + k + 1:5d}" + "".join(f"{x:8.3f}" for x in place)
            )
    text = "\n".join(["methanol", str(len(lines)), *lines, "  2.00000  2.00000  2.00000", ""])
    (folder / "methanol.gro").write_text(text)


def test_a_liquid_of_opls_has_geometric_mixing(sterna, tmp_path, random):
    write_methanol(tmp_path, random)
    done = sterna(
        "import", "methanol.top", "methanol.gro", "--constraints", "none", "--cutoff", "0.9",
        "-o", "out.toml", "--compare",
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    table = table_of(done.stdout)
    assert table.keys() == NAMES - {"cmap", "forces"}
    for name, (mine, theirs, _) in table.items():
        assert abs(theirs) > 1e-2, name
        assert mine == pytest.approx(theirs, rel=1e-6), name
    text = (tmp_path / "out.toml").read_text()
    assert 'mixing = "geometric"' in text and "[[pair]]" not in text and "count = 64" in text


def test_pairs_that_are_no_lennard_jones_pairs_are_refused(tmp_path, random):
    topology, system, positions = mixture(
        app.ForceField("charmm36.xml", "charmm36/water.xml"), [(["SOD"], 2), (["CLA"], 2)], 2.0,
        random,
    )  # fmt: skip
    source = Source(topology, system, positions)
    # The pairs of sodium and chloride are of their own.
    assert len(system_of(source).pairs) == 1
    (force,) = [f for f in system.getForces() if isinstance(f, openmm.CustomNonbondedForce)]
    bond = openmm.CustomBondForce("1/r^12-1/r^6")
    bond.addBond(0, 2, [])
    system.addForce(bond)
    with pytest.raises(SternaError, match="which are no exception of the NonbondedForce"):
        system_of(source)
    bond.setEnergyFunction("r^2")
    with pytest.raises(SternaError, match=r'"r\^2", which is no Lennard-Jones potential'):
        system_of(source)
    system.removeForce(system.getNumForces() - 1)
    force.addExclusion(0, 2)
    with pytest.raises(SternaError, match="excludes other pairs"):
        system_of(source)


@pytest.mark.parametrize("c12", [5.1e-10, 1.7e-8, 3.3e-7, 2.9e-5])
def test_a_repulsion_alone_keeps_its_strength(c12):
    """As of Go models: c12 / r^12 without an attraction, whatever rounding makes of the latter."""
    system, topology = openmm.System(), app.Topology()
    chain = topology.addChain()
    for _ in range(2):
        system.addParticle(100.0)
        topology.addAtom("CA", app.element.carbon, topology.addResidue("CA", chain))
    force, charges = openmm.CustomNonbondedForce("root1*root2/r^12"), openmm.NonbondedForce()
    force.addPerParticleParameter("root")
    for _ in range(2):
        force.addParticle([c12**0.5])
        charges.addParticle(0.0, 1.0, 0.0)
    for pairs in (force, charges):
        pairs.setNonbondedMethod(pairs.CutoffPeriodic)
        pairs.setCutoffDistance(1.2)
        system.addForce(pairs)
    system.setDefaultPeriodicBoxVectors(*(4.0 * numpy.eye(3)))
    positions = numpy.array([[0.0, 0.0, 0.0], [0.4, 0.0, 0.0]])
    (kind,) = system_of(Source(topology, system, positions)).types
    assert 4.0 * kind["epsilon"] * kind["sigma"] ** 12 == pytest.approx(c12, rel=1e-9)
    assert (1.2 / kind["sigma"]) ** 6 < 1e-8
