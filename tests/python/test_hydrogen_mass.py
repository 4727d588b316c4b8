"""Mass moved to hydrogen, in `sterna import` and in the engine, beside OpenMM's hydrogenMass."""

import dataclasses

import h5py
import numpy
import pytest
from openmm import app, unit
from sterna.errors import SternaError
from sterna.importing import comparison
from sterna.importing.hydrogen_mass import repartition
from sterna.importing.molecules import Molecules
from sterna.importing.openmm_system import system_of
from sterna.importing.sources import Source
from sterna.importing.system import Atom, System, term
from sterna.support.elements import element_of
from test_import import DATA
from test_import_force_fields import mixture, write_methanol

MASS = 3.024  # u


@pytest.fixture
def random():
    return numpy.random.default_rng(11)


def masses_of(system):
    by_type = {kind["name"]: kind["mass"] for kind in system.types}
    return [by_type[atom.type] for atom in system.atoms]


def masses_of_openmm(system):
    return [
        system.getParticleMass(k).value_in_unit(unit.dalton)
        for k in range(system.getNumParticles())
    ]


def test_a_peptide_in_rigid_water_has_the_masses_of_openmm(random):
    force_field = app.ForceField("amber14/protein.ff14SB.xml", "amber14/tip3p.xml")
    kinds = [(["ACE", "ALA", "NME"], 1), (["HOH"], 20)]
    topology, _, positions = mixture(force_field, kinds, 2.6, random, link=("C", "N"))
    settings = {"nonbondedMethod": app.PME, "nonbondedCutoff": 0.8, "constraints": app.HBonds}
    plain = force_field.createSystem(topology, **settings)
    heavier = force_field.createSystem(topology, hydrogenMass=MASS * unit.dalton, **settings)
    before = system_of(Source(topology, plain, positions))
    system = repartition(before, MASS)
    assert masses_of(before) == pytest.approx(masses_of_openmm(plain), abs=1e-12)
    assert masses_of(system) == pytest.approx(masses_of_openmm(heavier), abs=1e-9)
    assert sum(masses_of(system)) == pytest.approx(sum(masses_of(before)), rel=1e-14)
    # Water is as it was, and what acts between atoms too.
    assert [kind["mass"] for kind in system.types].count(1.007947) >= 1
    rows = comparison.compare(Source(topology, plain, positions), Molecules(system))
    assert max(row.difference for row in rows) < 1e-5


def test_pairs_of_their_own_hold_for_all_types_that_one_becomes(random):
    force_field = app.ForceField("charmm36.xml", "charmm36/water.xml")
    kinds = [(["MGUA"], 10), (["ACET"], 12), (["SOD"], 2)]
    topology, plain, positions = mixture(
        force_field, kinds, 1.8, random, switchDistance=0.7 * unit.nanometer
    )
    source = Source(topology, plain, positions)
    before = system_of(source)
    system = repartition(before, MASS)
    assert len(system.types) > len(before.types)
    # Carbon with and without hydrogen differ, oxygen with its pair does not.
    assert len(system.pairs) == len(before.pairs) == 1
    # Without the name of water, flexible water too would be moved: the masses are all of OpenMM.
    heavier = force_field.createSystem(
        topology,
        residueTemplates={residue: residue.name for residue in topology.residues()},
        hydrogenMass=MASS * unit.dalton,
    )
    assert masses_of(system) == pytest.approx(masses_of_openmm(heavier), abs=1e-9)
    rows = [row for row in comparison.compare(source, Molecules(system)) if row.judge]
    assert max(row.difference for row in rows) < 1e-5


def system_with(masses, bonds, pairs=(), constraints=()):
    """Atoms of types A, B ... with these masses."""
    kinds = sorted(set(masses), key=masses.index)
    names = {mass: chr(ord("A") + k) for k, mass in enumerate(kinds)}
    terms = [term("bond", bond, potential="harmonic", r0=0.1, stiffness=1.0) for bond in bonds]
    terms += [term("constraint", pair, distance=0.16) for pair in constraints]
    return System(
        units="nano",
        atoms=[Atom(f"a{k + 1}", names[mass], 0.0) for k, mass in enumerate(masses)],
        types=[{"name": n, "mass": m, "sigma": 0.3, "epsilon": 1.0} for m, n in names.items()],
        pairs=list(pairs),
        terms=terms,
        joined=[],
        box=numpy.eye(3),
        positions=numpy.zeros((len(masses), 3)),
        velocities=None,
        interaction={},
        electrostatics=None,
        run={},
        thermostat={},
        temperature=None,
        molecule_name=lambda _: "m",
        atom_name=lambda k: f"atom {k + 1}",
    )


def test_types_of_several_masses_become_several_with_all_pairs():
    # CH3 and CH2 of one type of carbon, which has a pair of its own with itself and with hydrogen.
    pairs = [
        {"first": "A", "second": "A", "epsilon": 2.0, "sigma": 0.3},
        {"first": "A", "second": "B", "epsilon": 3.0, "sigma": 0.3},
    ]
    masses = [12.0, 1.0, 1.0, 1.0, 12.0, 1.0, 1.0]
    bonds = [(0, 1), (0, 2), (0, 3), (0, 4), (4, 5), (4, 6)]
    system = repartition(system_with(masses, bonds, pairs), 3.0)
    assert masses_of(system) == [6.0, 3.0, 3.0, 3.0, 8.0, 3.0, 3.0]
    assert [kind["name"] for kind in system.types] == ["A", "A_2", "B"]
    found = {tuple(sorted((p["first"], p["second"]))): p["epsilon"] for p in system.pairs}
    assert found == {
        ("A", "A"): 2.0, ("A", "A_2"): 2.0, ("A_2", "A_2"): 2.0, ("A", "B"): 3.0, ("A_2", "B"): 3.0,
    }  # fmt: skip
    # Masses that are as asked for already stay.
    assert masses_of(repartition(system, 3.0)) == masses_of(system)


def test_rigid_water_stays_and_flexible_water_does_not():
    water = ([16.0, 1.0, 1.0], [(0, 1), (0, 2)])
    assert masses_of(repartition(system_with(*water), 3.0)) == [12.0, 3.0, 3.0]
    rigid = system_with(*water, constraints=[(0, 1), (0, 2), (1, 2)])
    assert masses_of(repartition(rigid, 3.0)) == [16.0, 1.0, 1.0]


@pytest.mark.parametrize(
    ("masses", "bonds", "message"),
    [
        ([12.0, 1.0], [], "atom 2 is hydrogen, and no bond joins it to a heavier atom"),
        ([1.0, 1.0], [(0, 1)], "atom 1 is hydrogen, and no bond joins it to a heavier atom"),
        (
            [12.0, 1.0, 14.0],
            [(0, 1), (1, 2)],
            "atom 2 is hydrogen and bonded to both atom 1 and atom 3",
        ),
        (
            [12.0, 1.0, 1.0, 1.0, 1.0],
            [(0, 1), (0, 2), (0, 3), (0, 4)],
            "atom 1 would be left with 0 u of its 12 u, less than its hydrogens",
        ),
    ],
)
def test_what_cannot_be_moved_is_refused_by_name(masses, bonds, message):
    with pytest.raises(SternaError, match=message):
        repartition(system_with(masses, bonds), 4.0)
    reduced = dataclasses.replace(system_with([1.0], []), units="reduced")
    with pytest.raises(SternaError, match="reduced units"):
        repartition(reduced, 3.0)


def test_an_import_of_amber_with_heavier_hydrogen_runs(sterna, tmp_path):
    arguments = ["import", DATA / "alcohol.prmtop", DATA / "alcohol.inpcrd"]
    done = sterna(*arguments, "--hydrogen-mass", "3.024", "-o", "out.toml", "--compare")
    assert done.returncode == 0, done.stdout + done.stderr
    prmtop = app.AmberPrmtopFile(str(DATA / "alcohol.prmtop"))
    heavier = prmtop.createSystem(hydrogenMass=MASS * unit.dalton)
    text = (tmp_path / "out.toml").read_text()
    (tmp_path / "out.toml").write_text(
        text.replace("steps = 10000", "steps = 20").replace("= 1000\n", "= 10\n")
    )
    done = sterna("run", "out.toml", "-n", 2)
    assert done.returncode == 0, done.stdout + done.stderr
    with h5py.File(tmp_path / "output" / "out.h5md") as file:
        found = file["particles/trajectory/mass"][()]
    assert found == pytest.approx(masses_of_openmm(heavier), rel=1e-6)
    done = sterna(*arguments, "--hydrogen-mass", "4.5", "-o", "other.toml")
    assert done.returncode == 2
    assert "--hydrogen-mass" in done.stderr


@pytest.mark.parametrize("constraints", ["none", "hydrogen"])
def test_the_key_of_a_molecule_gives_the_masses_of_openmm(sterna, tmp_path, random, constraints):
    write_methanol(tmp_path, random)
    done = sterna(
        "import", "methanol.top", "methanol.gro", "--constraints", constraints, "--cutoff", "0.9",
        "-o", "out.toml",
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    text = (tmp_path / "out.toml").read_text()
    text = text.replace("excluded_bonds = 0", 'excluded_bonds = 0\nhydrogen_mass = "3.024 u"')
    text = text.replace("steps = 10000", "steps = 4").replace(
        "trajectory_interval = 1000", "trajectory_interval = 2\ncheckpoint_interval = 2"
    )
    (tmp_path / "heavier.toml").write_text(text)
    done = sterna("run", "heavier.toml", "-n", 2)
    assert done.returncode == 0, done.stdout + done.stderr
    top = app.GromacsTopFile(str(tmp_path / "methanol.top"))
    expected = masses_of_openmm(top.createSystem(hydrogenMass=MASS * unit.dalton))
    with h5py.File(tmp_path / "output" / "heavier.h5md") as file:
        found = file["particles/trajectory/mass"][()]
    assert found == pytest.approx(expected, rel=1e-6)
    # It goes on with the same masses, and not with others.
    (tmp_path / "heavier.toml").write_text(text.replace("steps = 4", "steps = 8"))
    done = sterna("run", "heavier.toml", "--resume")
    assert done.returncode == 0, done.stdout + done.stderr
    (tmp_path / "heavier.toml").write_text(
        text.replace("steps = 4", "steps = 12").replace("3.024 u", "3 u")
    )
    done = sterna("run", "heavier.toml", "--resume")
    assert "a [[molecule]]" in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("name", "mass", "symbol"),
    [
        ("HB1", 3.024, "H"), ("CA", 9.994, "C"), ("CB", 5.962, "C"), ("NZ", 7.959, "N"),
        ("OG", 13.983, "O"), ("SG", 30.05, "S"), ("NA", 22.99, "Na"), ("CL", 35.45, "Cl"),
        ("CA", 40.078, "Ca"), ("HE", 4.0026, "He"), ("M", 0.0, ""),
    ],
)  # fmt: skip
def test_elements_are_told_whatever_mass_was_moved(name, mass, symbol):
    assert element_of(name, mass) == symbol
