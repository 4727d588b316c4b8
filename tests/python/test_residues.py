"""Residues of other programs' files: through import, run and export, by names, numbers and chains."""

import re
import subprocess
import warnings

import numpy
import pytest
from conftest import nightly, sterna_command, sterna_environment
from openmm import app, unit
from sterna import read
from test_import import DATA
from test_import_force_fields import write_methanol
from test_openmm import solvated_dipeptide
from trajectory_support import lattice_points, start_of

mdanalysis = pytest.importorskip("MDAnalysis")


def run(folder, *arguments, status=0):
    done = subprocess.run(
        sterna_command(*map(str, arguments)), cwd=folder, env=sterna_environment(),
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == status, done.stdout + done.stderr
    return done


def run_and_export(folder, *suffixes):
    """The imported system `out.toml` for two steps, then in these formats."""
    text = (folder / "out.toml").read_text()
    text = text.replace("steps = 10000", "steps = 2").replace(
        "trajectory_interval = 1000", "trajectory_interval = 1"
    )
    (folder / "out.toml").write_text(text)
    run(folder, "run", "out.toml", "-n", 2)
    for suffix in suffixes:
        run(folder, "export", "out.toml", f"out.{suffix}")


def labels(topology):
    """Of the atoms of an OpenMM topology: atom, residue, number, insertion code, chain."""
    return [
        (atom.name, atom.residue.name, atom.residue.id, atom.residue.insertionCode.strip(),
         atom.residue.chain.id)
        for atom in topology.atoms()
    ]  # fmt: skip


def by_mdanalysis(path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        universe = mdanalysis.Universe(str(path))
    return universe


@pytest.fixture
def solution(tmp_path):
    """A dipeptide in water whose numbers have gaps and letters, in two chains: places.pdb."""
    topology, _, positions = solvated_dipeptide()
    renamed = app.Topology()
    renamed.setPeriodicBoxVectors(topology.getPeriodicBoxVectors())
    atoms = {}
    waters = 0
    chains = {}
    for residue in topology.residues():
        is_water = residue.name == "HOH"
        waters += is_water
        letter = "P" if not is_water else "W" if waters <= 20 else "V"
        if letter not in chains:
            chains[letter] = renamed.addChain(letter)
        # The peptide begins at -4, of water every tenth number is missing.
        number = residue.index - 4 if not is_water else 300 + waters + waters // 9
        code = {"NME": "B"}.get(residue.name, "C" if waters == 6 else " ")
        number -= code != " "
        made = renamed.addResidue(residue.name, chains[letter], str(number), code)
        for atom in residue.atoms():
            atoms[atom] = renamed.addAtom(atom.name, atom.element, made)
    for first, second in topology.bonds():
        renamed.addBond(atoms[first], atoms[second])
    with (tmp_path / "places.pdb").open("w") as file:
        app.PDBFile.writeFile(renamed, positions * unit.nanometer, file, keepIds=True)
    return renamed


@pytest.mark.long
def test_a_pdb_file_comes_out_with_its_residues(solution, tmp_path):
    run(
        tmp_path, "import", "places.pdb", "--force-field", "amber14/protein.ff14SB.xml",
        "--force-field", "amber14/tip3p.xml", "--cutoff", 0.8, "-o", "out.toml",
    )  # fmt: skip
    text = (tmp_path / "out.toml").read_text()
    assert 'residue_numbers = "301:305 305C 307:308 310:318' in text and 'chains = "W:20 V:' in text
    peptide = next(tmp_path.glob("out_*.toml")).read_text()
    assert 'residue = "ALA"' in peptide and "residue_number = -4" in peptide
    assert 'residue_number = -3\ninsertion_code = "B"' in peptide
    run_and_export(tmp_path, "pdb", "gro")
    # OpenMM gives some atoms the names of its own tables as it reads.
    expected = labels(app.PDBFile(str(tmp_path / "places.pdb")).topology)
    # OpenMM reads what MDAnalysis wrote; MDAnalysis, what Sterna has in memory.
    assert labels(app.PDBFile(str(tmp_path / "out.pdb")).topology) == expected
    for universe in (
        by_mdanalysis(tmp_path / "out.gro"),
        read(tmp_path / "output" / "out").to_mdanalysis(),
    ):
        atoms = universe.atoms
        found = list(zip(atoms.names, atoms.resnames, map(str, atoms.resids), strict=True))
        assert found == [label[:3] for label in expected]
    in_memory = read(tmp_path / "output" / "out")
    codes = in_memory.to_mdanalysis().atoms.icodes.tolist()
    assert codes == [label[3] for label in expected] and set(codes) == {"", "B", "C"}
    assert in_memory.to_ase().arrays["insertioncodes"].tolist() == codes
    assert in_memory.to_mdanalysis().select_atoms("segid W").n_residues == 20
    topology = in_memory.to_mdtraj().topology
    assert [(r.name, str(r.resSeq), r.chain.chain_id) for r in topology.residues] == [
        (r.name, r.id, r.chain.id) for r in solution.residues()
    ]
    atoms = in_memory.to_ase()
    assert atoms.arrays["residuenames"][0] == expected[0][1]
    # A group of Sterna has the atoms that MDAnalysis selects by the same words.
    universe = in_memory.to_mdanalysis()
    for selection in (
        "resname ALA", "resid 310:330 and name O", "resname HOH ACE", "resid 305C", "resid 305",
        "resid 305:305C", "resid 303:305", "resid 305A:307", "resid -3B",
    ):  # fmt: skip
        (tmp_path / "group.toml").write_text(
            (tmp_path / "out.toml").read_text()
            + f'\n[[group]]\nname = "g"\nselect = "{selection}"\n[rdf]\ninterval = 1\ngroups = ["g"]\n'
        )
        chosen = universe.select_atoms(selection)
        assert 0 < len(chosen) < len(universe.atoms)
        run(tmp_path, "check", "group.toml")
        text = (tmp_path / "group.toml").read_text()
        text = re.sub(r"steps = \d+", "steps = 0", text, count=1)
        text = text.replace("[rdf]\ninterval = 1", "[lammps_dump]\ninterval = 1")
        (tmp_path / "group.toml").write_text(text)
        run(tmp_path, "run", "group.toml", "--overwrite")
        rows = (tmp_path / "output" / "group.lammpstrj").read_text().splitlines()[9:]
        assert [int(row.split()[0]) - 1 for row in rows] == chosen.indices.tolist(), selection


def test_numbers_of_a_gro_file(tmp_path):
    write_methanol(tmp_path, numpy.random.default_rng(3))
    path = tmp_path / "methanol.gro"
    head, count, *rows, box = path.read_text().splitlines()
    # As trjconv leaves it where a part was taken out.
    rows = [f"{int(row[:5]) + 40:5d}{row[5:]}" for row in rows]
    path.write_text("\n".join([head, count, *rows, box]) + "\n")
    run(tmp_path, "import", "methanol.top", "methanol.gro", "--cutoff", 0.9, "-o", "out.toml")
    run_and_export(tmp_path, "gro")
    before, after = by_mdanalysis(path).atoms, by_mdanalysis(tmp_path / "out.gro").atoms
    for attribute in ("names", "resnames", "resids"):
        assert getattr(before, attribute).tolist() == getattr(after, attribute).tolist()
    assert before.resids[0] == 41


@pytest.mark.parametrize(
    ("files", "topology"),
    [
        (("alcohol.prmtop", "alcohol.inpcrd"), "alcohol.prmtop"),
        nightly(("alcohol.psf", "alcohol.prm", "alcohol.rtf", "alcohol.pdb"), "alcohol.psf"),
    ],
)
def test_residues_of_amber_and_charmm(tmp_path, files, topology):
    run(
        tmp_path, "import", *(DATA / name for name in files), "--constraints", "none", "--cutoff",
        0.8, "-o", "out.toml",
    )  # fmt: skip
    run_and_export(tmp_path, "pdb", "gro")
    before = by_mdanalysis(DATA / topology)
    for name in ("out.pdb", "out.gro"):
        after = by_mdanalysis(tmp_path / name)
        assert before.residues.resnames.tolist() == after.residues.resnames.tolist()
        assert before.residues.resids.tolist() == after.residues.resids.tolist()
    if topology.endswith("psf"):
        universe = read(tmp_path / "output" / "out").to_mdanalysis()
        assert universe.atoms.segids.tolist() == before.atoms.segids.tolist()


def pdb_of_water(numbers: list[str]) -> str:
    """A file of water with these numbers of residues, right to where each begins."""
    rows = [("O", 0.0, 0.0), ("H1", 0.957, 0.0), ("H2", -0.24, 0.927)]
    lines = ["CRYST1   60.000   60.000   60.000  90.00  90.00  90.00 P 1           1"]
    for k, number in enumerate(numbers):
        for atom, (name, x, y) in enumerate(rows, 3 * k + 1):
            place = f"{x + 4 * (k % 14):8.3f}{y + 4 * (k // 14 % 14):8.3f}{4 * (k // 196):8.3f}"
            lines.append(
                f"HETATM{atom:5d}  {name:3} HOH A{number:5}   {place}  1.00  0.00"
                f"           {name[0]}"
            )
    return "\n".join([*lines, "END"]) + "\n"


def test_insertion_codes_that_are_lost_are_told(tmp_path):
    (tmp_path / "water.pdb").write_text(pdb_of_water(["   1A", "   1*", "   2 "]))
    done = run(tmp_path, "import", "water.pdb", "--force-field", "tip3p.xml", "-o", "out.toml")
    told = "warning: the insertion code of residue HOH 1* is not kept, only the number"
    assert told in done.stderr and "HOH 1A" not in done.stderr
    assert 'residue_numbers = "1A 1:2"' in (tmp_path / "out.toml").read_text()


def test_long_lists_of_long_numbers(tmp_path):
    """VMD begins numbers one column farther right, where their last digit is an insertion code."""
    numbers = [1001 + 3 * k for k in range(400)]
    (tmp_path / "water.pdb").write_text(pdb_of_water([f" {number}" for number in numbers]))
    done = run(tmp_path, "import", "water.pdb", "--force-field", "tip3p.xml", "-o", "out.toml")
    assert "insertion code" not in done.stderr
    text = (tmp_path / "out.toml").read_text()
    assert f'residue_numbers = "{" ".join(map(str, numbers))}"' in text
    run(tmp_path, "check", "out.toml")


def test_chains_that_a_bond_joins(tmp_path):
    """Two residues of one molecule in two chains, as a disulfide bridge has them."""
    edges = numpy.diag([2.0, 2.0, 2.0])
    sulfur = (lattice_points(18, edges)[:, None] + [[0, 0, 0], [0.2, 0, 0]]).reshape(-1, 3)
    (tmp_path / "bridge.extxyz").write_text(start_of(sulfur, edges, ["S"] * 36))
    (tmp_path / "out.toml").write_text(
        """\
units = "nano"
[run]
steps = 2
timestep = 0.001
[start]
kind = "file"
file = "bridge.extxyz"
temperature = 300
[interaction]
cutoff = 0.5
truncation = "truncated"
[output]
directory = "output"
trajectory_interval = 1
[[type]]
name = "S"
mass = 32.06
sigma = 0.1
epsilon = 0.1
[[molecule]]
name = "bridge"
count = 18
chains = "A:10 -:8"
excluded_bonds = 1
[[molecule.atom]]
type = "S"
name = "S1"
residue = "CYX"
residue_number = 6
[[molecule.atom]]
type = "S"
name = "S2"
residue = "CYX"
residue_number = 11
chain = "B"
[[molecule.bond]]
atoms = [1, 2]
potential = "harmonic"
stiffness = 1000.0
r0 = 0.2
"""
    )
    run(tmp_path, "run", "out.toml")
    atoms = read(tmp_path / "output" / "out").to_mdanalysis().atoms
    assert atoms.resids.tolist() == [6, 11] * 18
    assert atoms.segids.tolist() == ["A", "B"] * 10 + ["SYSTEM", "B"] * 8
    assert atoms.n_residues == 36 and len(set(atoms.molnums)) == 18


MOLECULES = """\
units = "nano"
[run]
steps = 1
timestep = 0.001
[start]
kind = "file"
file = "in.extxyz"
temperature = 300
[interaction]
cutoff = 0.3
[[type]]
name = "A"
mass = 20.0
sigma = 0.1
epsilon = 0.1
[[molecule]]
name = "pair"
count = 4
{keys}
[[molecule.atom]]
type = "A"
{first}
[[molecule.atom]]
type = "A"
{second}
[[molecule.bond]]
atoms = [1, 2]
potential = "harmonic"
stiffness = 1000.0
r0 = 0.2
"""


@pytest.mark.parametrize(
    ("keys", "first", "second", "message"),
    [
        (
            'residue_numbers = "1:3"',
            "",
            "",
            "has 3 numbers; expected one for each of its 4 molecules",
        ),
        (
            'residue_numbers = "1 to 4"',
            "",
            "",
            'has "to"; expected whole numbers and ranges such as',
        ),
        ('residue_numbers = "4:1"', "", "", 'has "4:1"; expected whole numbers and ranges'),
        ('residue_numbers = "1:3A"', "", "", 'has "1:3A"; expected whole numbers and ranges'),
        ('residue_numbers = "1:3 3AB"', "", "", 'has "3AB"; expected whole numbers and ranges'),
        ('residue_numbers = "1:3 A"', "", "", 'has "A"; expected whole numbers and ranges'),
        (
            "",
            'residue_number = 3\ninsertion_code = "AB"',
            "residue_number = 3",
            '"insertion_code" of the atom 1 is "AB"; expected one letter',
        ),
        (
            "",
            'insertion_code = "A"',
            "",
            'the atom 1 has an "insertion_code", which is part of a number',
        ),
        ('chains = "A:1 B:2"', "", "", "has 3 molecules; expected one for each of its 4 molecules"),
        ('chains = "A B"', "", "", 'has "A"; expected a name for all molecules, or names'),
        ("", 'residue = "X"', 'residue = "Y"', "so that each atom needs a"),
        ("", "residue_number = 3", "", "the atom 2 has no"),
        ('residue_numbers = "1:4"', "residue_number = 3", "residue_number = 3", "does not go with"),
    ],
)
def test_wrong_residues_are_told(tmp_path, keys, first, second, message):
    edges = numpy.diag([1.0, 1.0, 1.0])
    (tmp_path / "in.extxyz").write_text(start_of(lattice_points(8, edges), edges, ["A"] * 8))
    (tmp_path / "in.toml").write_text(MOLECULES.format(keys=keys, first=first, second=second))
    done = run(tmp_path, "check", "in.toml", status=2)
    told = done.stderr + done.stdout
    assert message in told and "in.toml:" in told and "1 error" in told
