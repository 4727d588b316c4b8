"""Systems of other programs' own tests, imported: every energy and the forces are the judge's.

Sterna's own readers read files of GROMACS, AMBER and CHARMM. The judge of files of GROMACS is GROMACS,
of all others OpenMM.

`tools/fetch_parsers_data` brings the files; without them these tests skip.
"""

from dataclasses import dataclass, field

import numpy
import pytest
from conftest import ROOT
from sterna.importing import comparison
from sterna.importing.amber import amber_system
from sterna.importing.amber import judge as amber
from sterna.importing.charmm import charmm_system
from sterna.importing.charmm import judge as charmm
from sterna.importing.gromacs import judge as gromacs
from sterna.importing.gromacs.gromacs_system import Choices, read_gromacs
from sterna.importing.molecules import Molecules

pytestmark = pytest.mark.long

FOLDER = ROOT / ".parsers-data"
CHARMM_36 = ["openmm/par_all36_prot.prm", "openmm/toppar_water_ions.str"]
#: What every molecule with bonds has.
BONDED = frozenset({"bonds", "angles", "torsions", "lennard_jones", "charges"})


@dataclass(frozen=True)
class Example:
    """Files of one system, and what it is there for."""

    files: list[str]
    atoms: int
    energies: frozenset[str] = BONDED  #: that are not 0
    sections: frozenset[str] = field(default=frozenset())  #: that some molecule has
    pairs: bool = False  #: whether pairs of types have parameters of their own (NBFIX)
    mixing: str = "lorentz_berthelot"
    is_triclinic: bool = False
    box: float | None = None  #: nm; of molecules in vacuum
    cutoff: float = 0.9


EXAMPLES = {
    "protein of AMBER (ff14ipq) in water with ions, pairs of their own": Example(
        ["openmm/ff14ipq.parm7", "openmm/ff14ipq.rst7"], 2797, pairs=True,
    ),
    "peptide of CHARMM 36 in water with ions, CMAP, NBFIX": Example(
        ["openmm/ala3_solv.psf", *CHARMM_36, "openmm/ala3_solv.crd"], 2776,
        BONDED | {"cmap"}, frozenset({"cmap"}), pairs=True, box=3.3,
    ),
    "peptide of CHARMM 22": Example(
        ["openmm/ala_ala_ala.psf", "openmm/charmm22.par", "openmm/charmm22.rtf",
         "openmm/ala_ala_ala.pdb"],
        33, BONDED | {"cmap"}, frozenset({"cmap", "improper"}), box=4.0,
    ),
    "lipid of CHARMM 36 (cholesterol)": Example(
        ["openmm/chl1.psf", "openmm/par_all36_lipid.prm", "openmm/par_all36_cgenff.prm",
         "openmm/toppar_all36_lipid_cholesterol.str", "openmm/chl1.crd"],
        74, pairs=True, box=5.0,
    ),
    "DNA of AMBER": Example(
        ["openmm/DNA_mbondi3.prmtop", "openmm/DNA_mbondi3.inpcrd"], 628, box=6.0,
    ),
    "ions of CHARMM with an alcohol, NBFIX": Example(
        ["openmm/methanol_ions.psf", "openmm/par_all36_cgenff.prm", "openmm/toppar_water_ions.str",
         "openmm/methanol_ions.pdb"],
        8, pairs=True, cutoff=0.5,
    ),
    "lone pair of CHARMM (chlorobenzene of CGenFF)": Example(
        ["openmm/chlb_cgenff.psf", "openmm/par_all36_cgenff.prm", "openmm/top_all36_cgenff.rtf",
         "openmm/chlb_cgenff.crd"],
        13, sections=frozenset({"virtual_site"}), box=4.0,
    ),
    "virtual sites of GROMACS with pairs of their own (benzene)": Example(
        ["openmm/bnz.top", "openmm/bnz.gro"],
        26, sections=frozenset({"virtual_site"}), pairs=True, box=4.0,
    ),
    "ionic liquid of OPLS": Example(
        ["openmm/ionic.top", "openmm/ionic.gro"],
        3900, BONDED, frozenset({"constraint"}), mixing="geometric",
    ),
    "solute and solvent of GAFF": Example(
        ["openmmtools/benzene-toluene-implicit/complex.prmtop",
         "openmmtools/benzene-toluene-implicit/complex.inpcrd"],
        27, sections=frozenset({"improper"}), box=4.0,
    ),
    "protein in a truncated octahedron of water, triclinic": Example(
        ["openmm/tz2.truncoct.parm7", "openmm/tz2.truncoct.rst7"], 5827, is_triclinic=True,
    ),
    "peptide of CHARMM in water by CHARMM-GUI": Example(
        ["parmed/charmm/ala2_charmmgui.psf", "parmed/charmm/toppar/par_all36_prot.prm",
         "parmed/charmm/toppar/toppar_water_ions.str", "parmed/charmm/ala2_charmmgui.crd"],
        1989, pairs=True, box=3.3,
    ),
    "peptide of AMBER in water": Example(
        ["parmed/amber/ala2_solv.parm7", "parmed/amber/ala2_solv.rst7"], 3026,
    ),
    "protein of GROMACS (Amber03), whose force field GROMACS brings": Example(
        ["parmed/gromacs/dhfr_gas.top", "parmed/gromacs/dhfr_gas.gro"], 2489,
    ),
    "network of harmonic angles (MoS2)": Example(
        ["openmm/MoS2.psf", "openmm/MoS2.prm", "openmm/MoS2.pdb"],
        108, BONDED - {"torsions"}, box=5.0,
    ),
}  # fmt: skip


def noise(positions):
    """Molecules that were minimized alone have energies of 0."""
    return numpy.random.default_rng(1).normal(scale=0.002, size=positions.shape)


def compared(source, system):
    """With OpenMM: lists, energies and forces of atoms that are moved a little."""
    source.positions = system.positions = system.positions + noise(system.positions)
    exclusions, pairs_14 = comparison.compare_lists(source, system)
    assert exclusions > 0 and pairs_14 > 0
    molecules = Molecules(system)
    return molecules, comparison.compare(source, molecules)


def by_charmm(files, example, box):
    topology, *parameters, places = files
    choices = charmm_system.Choices(example.cutoff, "none", box)
    found = charmm_system.files_of_charmm(files)
    assert found == (topology, parameters, places)
    system = charmm_system.read_charmm(*found, choices)
    return compared(charmm.source_of(*found, choices), system)


def by_amber(files, example, box):
    choices = amber_system.Choices(example.cutoff, "none", box)
    system = amber_system.read_amber(*files, choices)
    return compared(amber.source_of(*files, choices), system)


def by_gromacs(files, example, box, judge):
    choices = Choices(example.cutoff, "none", box, defines=("FLEXIBLE",))
    system = read_gromacs(*files, choices)
    system.positions = system.positions + noise(system.positions)
    molecules = Molecules(system)
    rows = gromacs.compare(judge, *files, choices, molecules)
    return molecules, [row for row in rows if row.name != "potential"]


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_energy_is_that_of_the_judge(name, request):
    example = EXAMPLES[name]
    files = [FOLDER / file for file in example.files]
    if not FOLDER.is_dir():
        pytest.skip("the files are not there: tools/fetch_parsers_data")
    box = None if example.box is None else (example.box,) * 3
    if files[0].suffix == ".top":
        molecules, rows = by_gromacs(files, example, box, request.getfixturevalue("judge"))
    elif amber_system.files_of_amber(files) is not None:
        molecules, rows = by_amber(files, example, box)
    else:
        molecules, rows = by_charmm(files, example, box)
    system = molecules.system
    assert len(system.atoms) == example.atoms
    assert {term.section for term in system.terms} >= example.sections
    assert bool(system.pairs) == example.pairs
    assert system.interaction.get("mixing", "lorentz_berthelot") == example.mixing
    assert example.is_triclinic == bool(system.box[1, 0] or system.box[2, 0] or system.box[2, 1])
    rows = [row for row in rows if row.judge or row.sterna]
    assert {row.name for row in rows} == example.energies | {"forces"}
    for row in rows:
        print(f"{row.name:14} {row.sterna:20.9f} {row.judge:20.9f} {row.difference:.1e}")
        assert abs(row.judge) > 1e-3, row
        assert row.difference < (1e-5 if row.name == "forces" else 1e-6), row
