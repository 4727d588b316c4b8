"""`sterna import`: systems of OpenMM and others, each energy beside that of the judge."""

import gzip
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import h5py
import numpy
import openmm
import pytest
from conftest import ROOT, sterna_command, sterna_environment
from openmm import app, unit
from sterna import SternaError, read_log
from sterna.importing import comparison
from sterna.importing.compressed import unpacked
from test_openmm import solvated_dipeptide

# Three molecules of no force field in particular, made for these tests.
DATA = ROOT / "tests" / "data" / "import"


def write_system(folder, topology, system, positions):
    (folder / "system.xml").write_text(openmm.XmlSerializer.serialize(system))
    with open(folder / "places.pdb", "w") as file:
        app.PDBFile.writeFile(topology, positions * unit.nanometer, file)


def table_of(output):
    """Rows of the comparison: name, energy of Sterna, of OpenMM, relative difference."""
    lines = output.splitlines()
    begin = next(n for n, line in enumerate(lines) if line.startswith("kJ/mol"))
    table = {line.split()[0]: [float(x) for x in line.split()[1:]] for line in lines[begin + 1 :]}
    assert table.pop("forces")[2] < 1e-5
    return table


def test_a_dipeptide_in_rigid_water_has_the_energies_of_openmm_and_runs(sterna, tmp_path):
    topology, system, positions = solvated_dipeptide(app.HBonds)
    write_system(tmp_path, topology, system, positions)
    done = sterna("import", "system.xml", "places.pdb", "-o", "protein.toml", "--compare")
    assert done.returncode == 0, done.stdout + done.stderr
    table = table_of(done.stdout)
    assert table.keys() == {"bonds", "angles", "torsions", "cmap", "lennard_jones", "charges"}
    for name, (mine, theirs, _) in table.items():
        assert mine == pytest.approx(theirs, rel=1e-6), name
        assert abs(theirs) > 1e-3, name
    text = (tmp_path / "protein.toml").read_text()
    assert text.count("[[molecule]]") == 2
    assert 'file = "protein_chain_A.toml"' in text
    assert "[[molecule.constraint]]" in text
    (tmp_path / "protein.toml").write_text(text.replace("steps = 10000", "steps = 20"))
    done = sterna("run", "protein.toml", "-n", 2)
    assert done.returncode == 0, done.stdout + done.stderr
    row = read_log(tmp_path / "output" / "protein.log.jsonl").rows[-1]
    assert row["step"] == 20
    # Constraints are bonds, but for those between the hydrogen atoms of water.
    with h5py.File(tmp_path / "output" / "protein.h5md") as file:
        bonds = {tuple(pair) for pair in (file["connectivity/bonds"][()] - 1).tolist()}
    assert bonds == {tuple(sorted((a.index, b.index))) for a, b in topology.bonds()}
    done = sterna("import", "system.xml", "places.pdb", "-o", "nowhere/protein.toml")
    assert done.returncode == 1
    assert "cannot be written: No such file or directory" in done.stderr
    # Nothing is overwritten by accident.
    done = sterna("import", "system.xml", "places.pdb", "-o", "protein.toml")
    assert done.returncode == 2
    assert "protein_chain_A.toml exists; --overwrite replaces it" in done.stderr


def test_a_force_field_of_openmm(sterna, tmp_path):
    topology, system, positions = solvated_dipeptide()
    write_system(tmp_path, topology, system, positions)
    done = sterna(
        "import", "places.pdb", "--force-field", "amber14/protein.ff14SB.xml", "--force-field",
        "amber14/tip3p.xml", "--cutoff", "0.8", "--constraints", "none", "-o", "out.toml",
        "--compare",
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    text = (tmp_path / "out.toml").read_text()
    assert "cutoff = 0.8\n" in text and 'tail_correction = "homogeneous"' in text
    assert "molecule.constraint" not in text


def all_forces():
    """Two chains of five atoms, and a system with every class of forces that is taken over."""
    topology = app.Topology()
    system = openmm.System()
    system.setDefaultPeriodicBoxVectors((2.2, 0, 0), (0.3, 2.3, 0), (-0.2, 0.4, 2.4))
    bonds, angles = openmm.HarmonicBondForce(), openmm.HarmonicAngleForce()
    periodic, powers = openmm.PeriodicTorsionForce(), openmm.RBTorsionForce()
    improper = openmm.CustomTorsionForce(
        f"k*min(dtheta, 2*pi-dtheta)^2; dtheta = abs(theta-theta0); pi = {numpy.pi}"
    )
    improper.addPerTorsionParameter("k")
    improper.addPerTorsionParameter("theta0")
    cmap = openmm.CMAPTorsionForce()
    numbers = random.Random(4)
    cmap.addMap(12, [numbers.gauss(0, 3) for _ in range(144)])
    nonbonded = openmm.NonbondedForce()
    nonbonded.setNonbondedMethod(nonbonded.PME)
    nonbonded.setCutoffDistance(0.9)
    nonbonded.setUseSwitchingFunction(True)
    nonbonded.setSwitchingDistance(0.7)
    positions = []
    elements = [app.element.carbon, app.element.nitrogen, app.element.oxygen]
    for molecule in range(2):
        residue = topology.addResidue("ALC", topology.addChain())
        first = 5 * molecule
        atoms = []
        for k in range(5):
            element = elements[k % 3]
            atoms.append(topology.addAtom(f"A{k}", element, residue))
            system.addParticle(element.mass)
            nonbonded.addParticle(0.2 * (-1) ** k if k < 4 else 0.0, 0.3 + 0.01 * k, 0.3 + 0.1 * k)
            positions.append(
                [0.3 + 0.12 * k, 0.5 + 0.08 * (k % 2) + 0.5 * molecule, 0.4 + 0.05 * (k % 3)]
            )
        for k in range(4):
            topology.addBond(atoms[k], atoms[k + 1])
            bonds.addBond(first + k, first + k + 1, 0.14 + 0.01 * k, 2e5)
        bonds.addBond(first, first + 2, 0.25, 1e4)  # Urey-Bradley
        for k in range(3):
            angles.addAngle(first + k, first + k + 1, first + k + 2, 1.9, 400.0)
        for k in range(2):
            chain = [first + k + n for n in range(4)]
            periodic.addTorsion(*chain, 3, 0.4, 5.0)
            powers.addTorsion(*chain, 1.0, -2.0, 3.0, 0.5, -0.7, 0.2)
        periodic.addTorsion(first + 2, first, first + 1, first + 3, 2, numpy.pi, 4.0)
        improper.addTorsion(first + 1, first, first + 2, first + 3, [20.0, 0.3])
        chain = [first + n for n in range(5)]
        cmap.addTorsion(0, *chain[:4], *chain[1:])
        for k in range(5):
            for other in range(k + 1, 5):
                if other - k < 3:
                    nonbonded.addException(first + k, first + other, 0.0, 1.0, 0.0)
                elif other - k == 3:
                    nonbonded.addException(first + k, first + other, -0.02, 0.29, 0.2)
    for force in (bonds, angles, periodic, powers, improper, cmap, nonbonded):
        system.addForce(force)
    system.addForce(openmm.CMMotionRemover())
    return topology, system, numpy.array(positions)


def test_every_class_of_forces_in_a_triclinic_box(sterna, tmp_path):
    write_system(tmp_path, *all_forces())
    done = sterna("import", "system.xml", "places.pdb", "-o", "out.toml", "--compare")
    assert done.returncode == 0, done.stdout + done.stderr
    table = table_of(done.stdout)
    assert table.keys() == {"bonds", "angles", "torsions", "cmap", "lennard_jones", "charges"}
    for name, (mine, theirs, _) in table.items():
        assert abs(theirs) > 1e-2, name
        assert mine == pytest.approx(theirs, rel=1e-6), name
    text = (tmp_path / "out.toml").read_text()
    assert text.count("[[molecule]]") == 1 and "count = 2" in text
    assert 'potential = "urey_bradley"' in text and 'truncation = "quintic_switched"' in text


TOP = """\
[ defaults ]
1 2 yes 0.5 0.8333

[ atomtypes ]
CH3 6 15.035 0.1 A 0.375 0.8148
CH2 6 14.027 -0.1 A 0.395 0.3825

[ moleculetype ]
butane 3

[ atoms ]
1 CH3 1 BUT C1 1 0.1 15.035
2 CH2 1 BUT C2 2 -0.1 14.027
3 CH2 1 BUT C3 3 -0.1 14.027
4 CH3 1 BUT C4 4 0.1 15.035

[ bonds ]
1 2 1 0.154 217568
2 3 1 0.154 217568
3 4 1 0.154 217568

[ pairs ]
1 4 1

[ angles ]
1 2 3 1 114 519.7
2 3 4 1 114 519.7

[ dihedrals ]
1 2 3 4 3 8.39736 16.7862 1.1339 -26.3174 0.0 0.0

[ system ]
two

[ molecules ]
butane 2
"""
GRO = """\
two
    8
    1BUT     C1    1   0.500   0.500   0.500
    1BUT     C2    2   0.640   0.560   0.500
    1BUT     C3    3   0.760   0.460   0.520
    1BUT     C4    4   0.900   0.520   0.600
    2BUT     C1    5   0.500   1.000   0.700
    2BUT     C2    6   0.640   1.060   0.700
    2BUT     C3    7   0.760   0.960   0.720
    2BUT     C4    8   0.900   1.020   0.800
   2.10000   2.10000   2.10000
"""


def test_files_of_gromacs(judge, sterna, tmp_path):
    (tmp_path / "butane.top").write_text(TOP)
    (tmp_path / "butane.gro").write_text(GRO)
    done = sterna("import", "butane.top", "butane.gro", "-o", "out.toml", "--compare")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "judge: GROMACS" in done.stdout
    for name, (mine, theirs, _) in table_of(done.stdout).items():
        assert mine == pytest.approx(theirs, rel=1e-6), name
    text = (tmp_path / "out.toml").read_text()
    assert 'name = "BUT"' in text and "count = 2" in text
    (tmp_path / "butane.gro").write_text(GRO.replace("    8\n", "    4\n").replace("    2BUT", "#"))
    done = sterna("import", "butane.top", "butane.gro", "-o", "other.toml")
    assert done.returncode == 2
    assert not (tmp_path / "other.toml").exists()


#: Different constants for the axes, and two springs on one atom.
HELD = """\
#ifdef POSRES
#define FC 1000
[ position_restraints ]
1 1 FC FC FC
3 1 500 0 250.5
4 1 600 600 600
4 1 600 600 600
#endif

[ system ]"""
STIFFNESS = {0: [1000.0] * 3, 2: [500.0, 0.0, 250.5], 3: [1200.0] * 3}


def test_position_restraints_of_gromacs(sterna, tmp_path):
    """Energies by an independent sum and by GROMACS."""
    (tmp_path / "a.top").write_text(TOP.replace("[ system ]", HELD))
    (tmp_path / "a.gro").write_text(GRO)
    names = [line.split()[-3:] for line in GRO.splitlines()[2:10]]
    place = numpy.array(names, float)
    target = place + numpy.random.default_rng(3).uniform(-0.04, 0.04, place.shape).round(3)
    lines = GRO.splitlines()
    for k, row in enumerate(target):
        lines[k + 2] = lines[k + 2][:20] + "".join(f"{x:8.3f}" for x in row)
    (tmp_path / "r.gro").write_text("\n".join(lines) + "\n")
    options = ("a.top", "a.gro", "--cutoff", "0.8", "--constraints", "none", "--define", "POSRES")
    done = sterna("import", *options, "--reference", "r.gro", "-o", "out.toml")
    assert done.returncode == 0, done.stdout + done.stderr
    text = (tmp_path / "out.toml").read_text().replace("steps = 10000", "steps = 0")
    (tmp_path / "out.toml").write_text(text)
    done = sterna("run", "out.toml", "-n", 2)
    assert done.returncode == 0, done.stdout + done.stderr
    energy = sum(
        0.5 * (numpy.array(k) * (place[m + a] - target[m + a]) ** 2).sum()
        for m in (0, 4)
        for a, k in STIFFNESS.items()
    )
    (log,) = (tmp_path / "output").glob("*.log.jsonl")
    found = read_log(log).rows[0]["restraints_energy"]
    assert found == pytest.approx(energy, rel=1e-9)
    # "Position Rest." of GROMACS 2022.5 for these files (grompp -r r.gro, define = -DPOSRES).
    assert found == pytest.approx(3.36742, abs=5.1e-6)

    done = sterna("import", *options, "-o", "start.toml")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "reference_file" not in (tmp_path / "start.toml").read_text()
    done = sterna("import", *options[:-2], "--reference", "r.gro", "-o", "other.toml")
    assert done.returncode == 2 and "--define POSRES?" in done.stderr
    done = sterna("import", *options[:-2], "-o", "free.toml")
    assert done.returncode == 0 and "restraint" not in (tmp_path / "free.toml").read_text()


def assert_energies_of_amber(output):
    table = table_of(output)
    assert table.keys() == {"bonds", "angles", "torsions", "lennard_jones", "charges"}
    for name, (mine, theirs, _) in table.items():
        assert abs(theirs) > 1e-2, name
        assert mine == pytest.approx(theirs, rel=1e-6), name


def test_files_of_amber(sterna, tmp_path):
    done = sterna(
        "import", DATA / "alcohol.prmtop", DATA / "alcohol.inpcrd", "--constraints", "none",
        "-o", "out.toml", "--compare",
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert_energies_of_amber(done.stdout)
    text = (tmp_path / "out.toml").read_text()
    assert text.count("[[molecule.improper]]") == 1 and "count = 3" in text


def test_a_molecule_of_gaff_as_tleap_writes_it(sterna, tmp_path):
    """Phenol of GAFF 2.2.30, by tleap of AmberTools 26, with charges from no program."""
    done = sterna(
        "import", DATA / "phenol.prmtop", DATA / "phenol.inpcrd", "--cutoff", "0.8",
        "--constraints", "none", "-o", "out.toml", "--compare",
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert_energies_of_amber(done.stdout)
    assert "count = 4" in (tmp_path / "out.toml").read_text()


def test_phases_near_pi_are_pi_for_amber_and_in_the_comparison(sterna, tmp_path):
    """LEaP writes 3.141594, which counts where torsions are at rest; AMBER takes up to 0.001 for pi."""
    texts = {}
    whole = (DATA / "phenol.prmtop").read_text()
    for number in ("3.14159400E+00", "3.14100000E+00", "3.14159265E+00"):
        assert "3.14159400E+00" in whole
        (tmp_path / "a.prmtop").write_text(whole.replace("3.14159400E+00", number))
        done = sterna(
            "import", "a.prmtop", DATA / "phenol.inpcrd", "--cutoff", "0.8", "--constraints", "none",
            "-o", "out.toml", "--compare", "--overwrite",
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        assert_energies_of_amber(done.stdout)
        texts[number] = sorted(path.read_text() for path in tmp_path.glob("out*.toml"))
    assert len({tuple(found) for found in texts.values()}) == 1


@pytest.mark.parametrize(("water", "sites"), [("tip4pew", 1), ("tip5p", 2)])
def test_extra_points_of_amber(sterna, tmp_path, water, sites):
    """An alanine dipeptide (ff14SB) and ions in TIP4P-Ew and TIP5P, by tleap of AmberTools 26."""
    for constraints in ("none", "hydrogen"):
        done = sterna(
            "import", DATA / f"{water}.prmtop", DATA / f"{water}.inpcrd", "--cutoff", "0.6",
            "--constraints", constraints, "-o", "out.toml", "--compare", "--overwrite",
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        assert_energies_of_amber(done.stdout)
    text = (tmp_path / "out.toml").read_text()
    assert text.count("[[molecule.virtual_site]]") == sites


def test_coordinates_without_a_box(sterna, tmp_path):
    """CRD files of CHARMM, and inpcrd files of molecules in vacuum: --box gives the edges."""
    files = [DATA / f"alcohol.{suffix}" for suffix in ("psf", "prm", "rtf", "pdb")]
    places = [line for line in files[3].read_text().splitlines() if line.startswith("HETATM")]
    rows = [
        f"{n:10d}{1:10d}  MOL       C         {line[30:38]:>20}{line[38:46]:>20}{line[46:54]:>20}"
        "  ALC       1               0.0"
        for n, line in enumerate(places, 1)
    ]
    (tmp_path / "a.crd").write_text("\n".join(["* title", "*", f"{len(rows):10d}  EXT", *rows, ""]))
    done = sterna("import", *files[:3], "a.crd", "-o", "crd.toml")
    assert done.returncode == 2
    assert "a.crd has no box; expected --box with its edges in nm" in done.stderr
    done = sterna(
        "import", *files[:3], "a.crd", "--box", "2.2,2.3,2.4", "-o", "crd.toml", "--compare"
    )
    assert done.returncode == 0, done.stdout + done.stderr
    mine = table_of(done.stdout)
    done = sterna("import", *files, "-o", "pdb.toml", "--compare")
    theirs = table_of(done.stdout)
    for name, (energy, of_openmm, _) in mine.items():
        assert energy == pytest.approx(theirs[name][0], rel=1e-9), name
        assert energy == pytest.approx(of_openmm, rel=1e-6), name
    for text in ("2,2", "2,x,2", "0", "-1", "inf"):
        done = sterna("import", *files[:3], "a.crd", f"--box={text}", "-o", "other.toml")
        assert done.returncode == 2
        assert f"--box {text}: expected one length or three" in done.stderr


def test_a_gro_file_of_molecules_in_vacuum(sterna, tmp_path):
    """GROMACS writes a box of zeros."""
    (tmp_path / "butane.top").write_text(TOP)
    box = "   2.10000   2.10000   2.10000\n"
    assert GRO.endswith(box)
    (tmp_path / "butane.gro").write_text(GRO.replace(box, "   0.00000   0.00000   0.00000\n"))
    done = sterna("import", "butane.top", "butane.gro", "-o", "out.toml")
    assert done.returncode == 2
    told = "butane.gro has no box; expected its edges in the last line, or --box with its edges"
    assert told in done.stderr
    for words in (["2.1"], ["2.1,2.2,2.3"], ["2.1", "2.2", "2.3"]):
        done = sterna(
            "import", "butane.top", "butane.gro", "--box", *words, "-o", "out.toml", "--overwrite"
        )
        assert done.returncode == 0, done.stderr
        edges = (tmp_path / "out.extxyz").read_text().split('"')[1].split()
        assert edges[0] == "2.1" and edges[8] == ("2.1" if words == ["2.1"] else "2.3")


def test_compressed_files(sterna, tmp_path):
    files = []
    for name in ("alcohol.prmtop", "alcohol.inpcrd"):
        files.append(f"{name}.gz")
        (tmp_path / files[-1]).write_bytes(gzip.compress((DATA / name).read_bytes()))
    plain = [DATA / name[:-3] for name in files]
    for given, output in ((files, "packed.toml"), (plain, "plain.toml")):
        done = sterna("import", *given, "-o", output)
        assert done.returncode == 0, done.stderr
    for suffix in ("toml", "extxyz"):
        texts = [(tmp_path / f"{name}.{suffix}").read_text() for name in ("packed", "plain")]
        assert texts[0].replace("packed", "plain") == texts[1]
    # Messages name the file that was given.
    broken = (DATA / "alcohol.prmtop").read_text().replace("%FLAG POINTERS", "%FLAG POINTER")
    (tmp_path / "broken.prmtop.gz").write_bytes(gzip.compress(broken.encode()))
    done = sterna("import", "broken.prmtop.gz", files[1], "-o", "out.toml")
    assert done.returncode == 2 and done.stderr.startswith("sterna: error: broken.prmtop.gz:")
    (tmp_path / "cut.prmtop.gz").write_bytes((tmp_path / files[0]).read_bytes()[:500])
    done = sterna("import", "cut.prmtop.gz", files[1], "-o", "out.toml")
    assert done.returncode == 2 and "cut.prmtop.gz cannot be unpacked" in done.stderr
    assert not (tmp_path / "out.toml").exists()


def test_what_gzip_was_made_to_blow_up_is_refused_and_nothing_is_left(sterna, tmp_path):
    blown_up = gzip.compress(bytes(100 << 20))
    assert len(blown_up) < 1 << 20
    (tmp_path / "bomb.prmtop.gz").write_bytes(blown_up)
    with (
        pytest.raises(SternaError, match=r"bomb.prmtop.gz becomes larger than 64 MiB"),
        unpacked([tmp_path / "bomb.prmtop.gz"]),
    ):
        pass
    (tmp_path / "flipped.prmtop.gz").write_bytes(
        gzip.compress((DATA / "alcohol.prmtop").read_bytes())[:-200] + bytes(200)
    )
    with (
        pytest.raises(SternaError, match=r"flipped.prmtop.gz cannot be unpacked"),
        unpacked([tmp_path / "flipped.prmtop.gz"]),
    ):
        pass


@pytest.mark.parametrize("name", ["bomb.gro.gz", "bomb.pdb.gz"])
def test_structures_of_rigid_molecules_are_unpacked_with_the_same_limit(name, sterna, tmp_path):
    (tmp_path / name).write_bytes(gzip.compress(bytes(100 << 20)))
    done = sterna("import", name, "--model", "water=spce", "-o", "out.toml")
    assert done.returncode == 2, done.stdout
    assert f"{name} becomes larger than 64 MiB" in done.stderr


def test_sigterm_during_an_import_leaves_no_copies(tmp_path):
    packed = tmp_path / "packed.gz"
    packed.write_bytes(gzip.compress(b"atoms"))
    script = (
        "import sys, time\nfrom pathlib import Path\n"
        "from sterna.importing.compressed import unpacked\n"
        "with unpacked([Path(sys.argv[1])]) as files:\n"
        "    print(files[0], flush=True)\n    time.sleep(60)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script, packed], env=sterna_environment(), text=True,
        stdout=subprocess.PIPE,
    )  # fmt: skip
    copy = Path(process.stdout.readline().strip())
    assert copy.read_text() == "atoms"
    process.terminate()
    assert process.wait(timeout=60) == 128 + signal.SIGTERM
    assert not copy.parents[1].exists()


def test_forces_that_are_all_zero_are_compared_with_zero():
    nothing = numpy.zeros((3, 3))
    assert comparison._force_row(nothing, nothing).difference == 0.0
    assert comparison._force_row(nothing + 1.0, nothing).difference > 100.0
    assert comparison._force_row(nothing[:0], nothing[:0]).difference == 0.0


def test_files_that_a_topology_includes(judge, sterna, tmp_path):
    """From the folder that --include names, or that of the topology."""
    begin = TOP.index("[ moleculetype ]")
    (tmp_path / "top").mkdir()
    (tmp_path / "top" / "field.itp").write_text(TOP[:begin])
    (tmp_path / "a.top").write_text('#include "field.itp"\n' + TOP[begin:])
    (tmp_path / "a.gro").write_text(GRO)
    done = sterna("import", "a.top", "a.gro", "-o", "out.toml")
    assert done.returncode == 2
    assert "a.top:1:1: error: there is no file field.itp in the folder of this one" in done.stderr
    done = sterna("import", "a.top", "a.gro", "--include", "top", "-o", "out.toml", "--compare")
    assert done.returncode == 0, done.stdout + done.stderr
    # A mistake in it is told with its place.
    (tmp_path / "field.itp").write_text(TOP[:begin].replace("1 2 yes", "1 9 yes"))
    done = sterna("import", "a.top", "a.gro", "-o", "other.toml")
    assert done.returncode == 2
    assert "field.itp:2:3: error: the combination rule is 9; expected 1 to 3" in done.stderr


def test_files_of_charmm(sterna, tmp_path):
    files = [DATA / f"alcohol.{suffix}" for suffix in ("psf", "prm", "rtf", "pdb")]
    done = sterna("import", *files, "-o", "out.toml", "--compare")
    assert done.returncode == 0, done.stdout + done.stderr
    for name, (mine, theirs, _) in table_of(done.stdout).items():
        assert mine == pytest.approx(theirs, rel=1e-6), name
    text = (tmp_path / "out.toml").read_text()
    assert 'potential = "urey_bradley"' in text
    assert "[[molecule.improper]]" in text and "[[molecule.constraint]]" in text
    places = [line for line in files[3].read_text().splitlines(True) if "CRYST1" not in line]
    (tmp_path / "places.pdb").write_text("".join(places))
    done = sterna("import", *files[:3], "places.pdb", "-o", "other.toml")
    assert done.returncode == 2
    assert "places.pdb has no box; expected a CRYST1 line" in done.stderr


def test_what_sterna_does_not_have_is_refused_by_name(sterna, tmp_path):
    topology, system, positions = all_forces()
    system.addForce(openmm.CustomExternalForce("x"))
    write_system(tmp_path, topology, system, positions)
    done = sterna("import", "system.xml", "places.pdb", "-o", "out.toml")
    assert done.returncode == 1
    assert "the system has a CustomExternalForce, which Sterna does not take over" in done.stderr
    system.removeForce(system.getNumForces() - 1)
    system.setVirtualSite(9, openmm.TwoParticleAverageSite(5, 6, 0.5, 0.5))
    write_system(tmp_path, topology, system, positions)
    done = sterna("import", "system.xml", "places.pdb", "-o", "out.toml")
    assert done.returncode == 1
    assert "atom 10 (A4 of ALC 1) is a virtual site" in done.stderr
    topology, system, positions = all_forces()
    system.getForce(4).setEnergyFunction("k*cos(theta-theta0)")
    write_system(tmp_path, topology, system, positions)
    done = sterna("import", "system.xml", "places.pdb", "-o", "out.toml")
    assert 'a CustomTorsionForce has the energy "k*cos(theta-theta0)"' in done.stderr
    assert not (tmp_path / "out.toml").exists()


def test_files_that_do_not_belong_together(sterna, tmp_path):
    topology, system, positions = all_forces()
    write_system(tmp_path, topology, system, positions)
    lines = (tmp_path / "places.pdb").read_text().splitlines(keepends=True)
    atoms = [line for line in lines if line.startswith(("HETATM", "ATOM"))]
    (tmp_path / "short.pdb").write_text("".join([*atoms[:5], "END\n"]))
    (tmp_path / "broken.xml").write_text("<System")
    for arguments, message in (
        (["places.pdb"], "places.pdb has places only; expected a --force-field too"),
        (["nothing.pdb"], "the file nothing.pdb does not exist or is no file"),
        (
            ["system.xml"],
            "system.xml: expected a .pdb or .cif file with --force-field; SYSTEM.xml and",
        ),
        (["system.xml", "short.pdb"], "short.pdb has 5 atoms, and the system of system.xml has 10"),
        (["broken.xml", "places.pdb"], "broken.xml:1:1: error: this is no XML: unclosed token"),
        (["places.pdb", "--force-field", "no.xml"], "OpenMM cannot read no.xml"),
        (["system.xml", "places.pdb", "-o", "out.txt"], "expected a name that ends in .toml"),
    ):
        done = sterna("import", "-o", "out.toml", *arguments)
        assert done.returncode == 2, (arguments, done.stderr)
        assert message in done.stderr


def test_without_openmm_the_message_says_what_to_install(tmp_path):
    (tmp_path / "openmm").mkdir()
    (tmp_path / "openmm" / "__init__.py").write_text("raise ImportError('hidden')")
    (tmp_path / "a.pdb").write_text("END\n")
    environment = sterna_environment()
    environment["PYTHONPATH"] = os.pathsep.join([str(tmp_path), environment["PYTHONPATH"]])
    done = subprocess.run(
        sterna_command("import", "a.pdb", "--force-field", "x.xml", "-o", "out.toml"),
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "which is not installed: pip install openmm" in done.stderr
