"""Topologies of GROMACS mean what GROMACS means: energies, types, preprocessor, broken files.

The numbers here are of gmx_d 2022.5; where it is installed, random systems are compared with it, too.
"""

import os
import random
import re
import subprocess

import numpy
import pytest
from conftest import sterna_command, sterna_environment
from gromacs_topologies import (
    ENERGY_TOLERANCE,
    FORCE_TOLERANCE,
    Generator,
    choices_of,
    mutate,
    write,
)
from sterna import SternaError
from sterna.importing.comparison import start_of_sterna
from sterna.importing.gromacs import judge as gromacs
from sterna.importing.gromacs.coordinates import read_gro
from sterna.importing.gromacs.gromacs_system import Choices, read_gromacs
from sterna.importing.gromacs.preprocessor import read_defines, read_lines
from sterna.importing.hydrogen_mass import repartition
from sterna.importing.molecules import Molecules
from sterna.importing.notes import Notes
from test_import import GRO, TOP
from test_import_broken import changed, line

#: A charged chain of seven atoms: [ defaults ], [ nonbond_params ], nrexcl, sections of the molecule.
CHAIN = """\
[ defaults ]
{defaults}
[ atomtypes ]
CA 12.011 0.0 A 0.34 0.4
CB 12.011 0.0 A 0.30 0.6
{types}
[ moleculetype ]
MOL {nrexcl}
[ atoms ]
1 CA 1 MOL C1 1 0.3 12.011
2 CB 1 MOL C2 2 -0.2 12.011
3 CA 1 MOL C3 3 0.1 12.011
4 CB 1 MOL C4 4 -0.1 12.011
5 CA 1 MOL C5 5 0.2 12.011
6 CB 1 MOL C6 6 -0.5 12.011
7 CA 1 MOL C7 7 0.2 12.011
{bonds}
[ angles ]
1 2 3 1 112 400
2 3 4 1 112 400
3 4 5 1 112 400
4 5 6 1 112 400
5 6 7 1 112 400
[ dihedrals ]
1 2 3 4 9 180 3.0 1
1 2 3 4 9 0 1.5 3
2 3 4 5 9 180 3.0 1
2 3 4 5 9 0 1.5 3
3 4 5 6 9 180 3.0 1
3 4 5 6 9 0 1.5 3
4 5 6 7 9 180 3.0 1
4 5 6 7 9 0 1.5 3
[ pairs ]
{pairs}
[ system ]
chain
[ molecules ]
MOL 1
"""
PLACES = """\
chain
7
    1MOL     C1    1   1.000   1.000   1.000
    1MOL     C2    2   1.150   1.020   1.000
    1MOL     C3    3   1.210   1.160   1.030
    1MOL     C4    4   1.360   1.170   1.090
    1MOL     C5    5   1.430   1.310   1.050
    1MOL     C6    6   1.580   1.300   1.120
    1MOL     C7    7   1.630   1.430   1.200
5.00000 5.00000 5.00000
"""
BONDS = "[ bonds ]\n" + "\n".join(f"{k} {k + 1} 1 0.153 250000" for k in range(1, 7))
HELD = "[ constraints ]\n" + "\n".join(f"{k} {k + 1} 1 0.153" for k in range(1, 7))
ALL_PAIRS = "1 4 1\n2 5 1\n3 6 1\n4 7 1"


def chain(defaults="1 2 yes 0.5 0.8333", types="", nrexcl=3, bonds=BONDS, pairs=""):
    return CHAIN.format(defaults=defaults, types=types, nrexcl=nrexcl, bonds=bonds, pairs=pairs)


def imported(folder, top, gro=PLACES, **choices):
    (folder / "a.top").write_text(top)
    (folder / "a.gro").write_text(gro)
    return read_gromacs(folder / "a.top", folder / "a.gro", Choices(1.2, **choices))


def energies(system):
    return start_of_sterna(Molecules(system), system.positions).row


def terms(system, section):
    return [dict(one.parameters) | {"atoms": one.atoms} for one in system.terms
            if one.section == section]  # fmt: skip


@pytest.mark.parametrize(
    ("top", "potential"),
    [
        (chain(), 105.507111),
        (chain(nrexcl=1), 210.549322),
        (chain(pairs="1 4 1"), 96.823040),
        # fudgeLJ times the pair's parameters.
        (
            chain("1 3 yes 0.5 0.5", "[ nonbond_params ]\nCA CB 1 0.35 1.2", pairs=ALL_PAIRS),
            78.952595,
        ),
        (chain("1 2", pairs="1 4 1 0.3 0.2"), 95.189201),
        ("\ufeff; c\n" + chain(pairs=ALL_PAIRS), 64.662736),
    ],
    ids=["no pairs", "nrexcl 1", "one pair", "nonbond_params", "two fields", "byte order mark"],
)
def test_exclusions_and_pairs_are_those_of_gromacs(top, potential, tmp_path):
    row = energies(imported(tmp_path, top))
    assert row["potential_energy"] == pytest.approx(potential, rel=1e-7)


def test_flexible_is_defined_only_where_the_user_says_so(tmp_path):
    top = chain(bonds=f"#ifdef FLEXIBLE\n{BONDS}\n#else\n{HELD}\n#endif", pairs=ALL_PAIRS)
    rigid = imported(tmp_path, top)
    assert len(terms(rigid, "constraint")) == 6 and not terms(rigid, "bond")
    flexible = imported(tmp_path, top, defines=("FLEXIBLE",))
    assert len(terms(flexible, "bond")) == 6 and not terms(flexible, "constraint")


def preprocessed(folder, *files, defines=()):
    for name, text in files:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    notes = Notes()
    values = read_defines(defines)
    lines = read_lines(folder / files[0][0], [folder / "library"], values, notes)
    return [one.text.strip() for one in lines], notes.texts()


def test_the_preprocessor_is_that_of_gromacs(tmp_path):
    lines, notes = preprocessed(
        tmp_path,
        ("a.top", """\
# define LATER EARLIER 2 ; cut
#define EARLIER 7
#define LATE LATER
  #include "sub/b.itp" ; a comment
#include <c.itp>
#ifdef FLAG ; a comment
never
#else
EARLIER XEARLIER EARLIER_ LATE
#endif
#ifdef FLAG
  #ifndef NOTHING
1 LATER 3
  #else
  never
  #endif
#endif
one \\
two ; three \\
never
#undef EARLIER
EARLIER VALUE
#ifdef OPEN
never
"""),
        ("sub/b.itp", '#include "d.itp"\n#ifdef NOTHING\nnever\n'),
        ("sub/d.itp", "d ; beside b.itp\n"),
        ("library/c.itp", "c"),
        defines=["FLAG", "VALUE=9"],
    )  # fmt: skip
    assert lines == [
        "d",
        "c",
        # A name that was defined before the one that brings it is not replaced.
        "7 XEARLIER EARLIER_ LATER",
        "1 7 2",
        "one  two",
        "EARLIER 9",
    ]
    assert any("part of the name" in text and "a.top:6:" in text for text in notes)
    assert any("without #endif" in text and "1 more place" in text for text in notes)


TYPES = """\
[ defaults ]
1 2 yes 0.5 0.5
[ atomtypes ]
{atomtypes}
{more}
[ moleculetype ]
M 3
[ atoms ]
1 A 1 M A1 1 0.1
2 B 1 M A2 1 -0.1
3 C 1 M A3 1 0.1
4 D 1 M A4 1 -0.1
[ bonds ]
1 2 1 0.15 1000
2 3 1 0.15 1000
3 4 1 0.15 1000
{sections}
[ system ]
x
[ molecules ]
M 1
"""
ATOM_TYPES = """\
A 12 0 A 0.3 0.4
B TB 12 0 A 0.3 0.4
C TC 6 12 0 A 0.3 0.4
D 7 12 0 A 0.3 0.4"""
FOUR = (
    "\n".join(PLACES.splitlines()[:6] + PLACES.splitlines()[-1:]).replace("\n7\n", "\n4\n") + "\n"
)


def typed(folder, more, sections, atomtypes=ATOM_TYPES):
    top = TYPES.format(atomtypes=atomtypes, more=more, sections=sections)
    return imported(folder, top, FOUR)


@pytest.mark.parametrize(
    ("lines", "function", "amplitudes"),
    [
        # The entry with most exact atoms, whatever its place; of equals the first.
        ("X TB TC X 9 0 1 1\nA TB TC D 9 0 2 1\nX X X X 9 0 3 1", 9, [2]),
        ("X TB TC D 9 0 1 1\nA TB TC X 9 0 2 1", 9, [1]),
        # Reversed as a whole.
        ("D TC TB A 9 0 2 1", 9, [2]),
        # Lines directly behind each other are terms of a sum, also for function type 1.
        ("A TB TC D 9 0 1 1\nA TB TC D 9 0 2 2\nX X X X 9 0 3 3", 9, [1, 2]),
        ("A TB TC D 9 0 1 1\nA TB TC D 9 0 2 2", 1, [1, 2]),
        # Two names are the inner atoms, of function type 2 the outer ones.
        ("TB TC 9 0 4 1", 9, [4]),
        ("A D 2 0 4\nTB TC 2 0 5", 2, [4]),
        # A later line replaces an earlier one.
        ("A TB TC D 4 0 1 1\nD TC TB A 4 0 2 1", 4, [2]),
    ],
)
def test_dihedral_types_are_found_as_gromacs_finds_them(lines, function, amplitudes, tmp_path):
    system = typed(tmp_path, f"[ dihedraltypes ]\n{lines}", f"[ dihedrals ]\n1 2 3 4 {function}")
    found = terms(system, "torsion") + terms(system, "improper")
    values = [one.get("amplitude", one.get("bending_stiffness")) for one in found]
    assert values == amplitudes


def test_repeated_parameters(tmp_path):
    """Explicit ones replace a block of types; the same line twice acts twice."""
    system = typed(
        tmp_path, "[ dihedraltypes ]\nA TB TC D 9 0 1 1\nA TB TC D 9 0 2 2",
        "[ dihedrals ]\n1 2 3 4 9 30 5 3\n4 3 2 1 9 30 5 3\n[ angles ]\n1 2 3 1 100 50\n1 2 3 1 100 50",
    )  # fmt: skip
    (torsion,) = terms(system, "torsion")
    assert torsion["amplitude"] == 10 and torsion["phase"] == 30
    (angle,) = terms(system, "angle")
    assert angle["bending_stiffness"] == 100


def test_what_depends_on_the_version_of_gromacs_is_refused(tmp_path):
    with pytest.raises(
        SternaError, match=r"a\.top:\d+:1: error: its dihedral type has the same term"
    ):
        typed(tmp_path, "[ dihedraltypes ]\nA TB TC D 9 0 1 1\nA TB TC D 9 0 1 1",
              "[ dihedrals ]\n1 2 3 4 9")  # fmt: skip
    with pytest.raises(SternaError, match="other terms of these dihedral types stand before"):
        typed(tmp_path, "[ dihedraltypes ]\nA TB TC D 9 0 1 1\nX TB TC D 9 0 1 1\nA TB TC D 9 0 2 1",
              "[ dihedrals ]\n1 2 3 4 9")  # fmt: skip


@pytest.mark.parametrize(("rows", "is_told"), [(6, True), (12, True), (24, False)])
def test_a_coarse_cmap_is_told(rows, is_told, tmp_path):
    energies = " ".join(str((7 * k) % 5) for k in range(rows * rows))
    types = f"[ cmaptypes ]\nA A A A A 1 {rows} {rows} {energies}\n"
    atoms = "".join(f"{k} A 1 M A{k} {k} 0 12\n" for k in range(1, 6))
    top = (
        f"[ defaults ]\n1 2\n[ atomtypes ]\nA 6 12 0 A 0.3 0.1\n{types}[ moleculetype ]\nM 3\n"
        f"[ atoms ]\n{atoms}[ cmap ]\n1 2 3 4 5 1\n[ system ]\nx\n[ molecules ]\nM 1\n"
    )
    places = [(1.0, 1.0, 1.0), (1.2, 1.0, 1.0), (1.2, 1.2, 1.0), (1.3, 1.2, 1.2), (1.5, 1.3, 1.2)]
    rows_of = "".join(
        f"{1:5d}M    {f'A{k}':>5}{k:5d}{x:8.3f}{y:8.3f}{z:8.3f}\n"
        for k, (x, y, z) in enumerate(places, 1)
    )
    told = imported(tmp_path, top, f"x\n5\n{rows_of}4 4 4\n").not_kept
    assert any("are not those of a periodic spline" in text for text in told) == is_told


def test_what_is_passed_over_or_replaced_is_told(tmp_path):
    system = typed(
        tmp_path,
        "[ nonbond_params ]\nA B 1 0.3 0.4\nB A 1 0.3 0.5",
        "[ exclusions ]\n9 1\n[ distance_restraints ]\n1 4 1 0 1 0.3 0.4 0.5 1.0\n"
        "[ constraints ]\n1 3 2 0.25 100000",
        ATOM_TYPES + "\nD 14 0 A 0.3 0.4",
    )
    told = "\n".join(system.not_kept)
    for text in (
        "an atom type is defined again",
        "[ nonbond_params ] has other parameters",
        "[ exclusions ] of the atom 9",
        "[ distance_restraints ] are left out",
        "state B are ignored",
    ):
        assert text in told, told
    assert [pair["epsilon"] for pair in system.pairs] == [0.5]


#: Sections of a molecule, and what a refusal must name.
LACKING = {
    "[ bonds ]\n1 3 8 0 1000": "there is no table b0.xvg (mdrun -tableb); expected table_b0.xvg",
    "[ angles ]\n1 2 3 8 2 50": "there is no table a2.xvg",
    "[ dihedrals ]\n1 2 3 4 8 0.5 50": "the number of a table is 0.5; expected an integer",
    "[ dihedrals ]\n1 2 3 4 9 0 1 7": "the multiplicity is 7; Sterna has those up to 6",
    "[ position_restraints ]\n1 2 1 0.1 9": "flat-bottomed position restraints are not taken over",
    "[ dihedral_restraints ]\n1 2 3 4 1 0 190 5": "the half width is 190; expected 0 to 180",
    "[ angle_restraints ]\n1 2 2 1 1 0 10 1": "are along one line",
    "[ angle_restraints ]\n1 2 1 3 1 40 10 2": "expected the multiplicity 1, or a product",
    "[ angle_restraints ]\n1 2 3 4 1 0 10 7": "the multiplicity is 7; expected an integer from 1",
    "[ angle_restraints_z ]\n1 2 1 0 10 1": "[ angle_restraints_z ] is not taken over",
    "[ polarization ]\n1 2 1 0.001": "Sterna has no polarizable atoms",
    "[ constraints ]\n1 3 2 0.16\n[ bonds ]\n3 1 6 0.15 900": "beside a constraint of 0.16 nm",
    "[ pairs ]\n1 4 1 0.3 -1": "a Lennard-Jones parameter is -1; expected 0 or more",
}


@pytest.mark.parametrize("sections", LACKING)
def test_what_sterna_lacks_is_refused_with_its_line(sections, tmp_path):
    with pytest.raises(SternaError) as caught:
        typed(tmp_path, "", sections)
    number = TYPES.format(atomtypes=ATOM_TYPES, more="", sections=sections).splitlines().index(
        sections.splitlines()[-1]
    )  # fmt: skip
    assert f"a.top:{number + 1}:" in str(caught.value)
    assert LACKING[sections] in str(caught.value)


def test_pairs_that_only_attract_are_refused(tmp_path):
    top = chain("1 1 yes 0.5 0.8333").replace("A 0.34 0.4", "A 0.004 0")
    with pytest.raises(SternaError, match=r"a\.top:4:1: error: pairs of the types CA and CA have"):
        imported(tmp_path, top)


@pytest.mark.parametrize(("rule", "repulsion"), [(1, "0 2e-6"), (2, "-0.25 0.7"), (3, "-0.25 0.7")])
def test_pairs_that_only_repel_are_those_of_gromacs(rule, repulsion, judge, tmp_path):
    """As in Go models: C6 = 0 < C12, or a negative sigma; between types and in [ pairs ]."""
    other = "0.002 2e-6" if rule == 1 else "0.3 0.6"
    top = chain(f"1 {rule} yes 0.5 0.8333", pairs=ALL_PAIRS, nrexcl=2)
    top = top.replace("A 0.34 0.4", f"A {repulsion}").replace("A 0.30 0.6", f"A {other}")
    imported(tmp_path, top)
    choices = Choices(1.2)
    molecules = Molecules(read_gromacs(tmp_path / "a.top", tmp_path / "a.gro", choices))
    rows = gromacs.compare(judge, tmp_path / "a.top", tmp_path / "a.gro", choices, molecules)
    for row in rows:
        limit = FORCE_TOLERANCE if row.name == "forces" else ENERGY_TOLERANCE
        assert row.difference < limit, row


#: Sections of functions, which stand behind those of the chain.
FUNCTIONS_ALONE = {
    "cross bond-bond": "[ angles ]\n1 2 3 3 0.14 0.17 2500\n4 3 2 3 0.13 0.12 -900",
    "cross bond-angle": "[ angles ]\n1 2 3 4 0.14 0.17 0.24 2500\n4 3 2 4 0.13 0.12 0.26 -900",
    "linear angle": "[ angles ]\n1 2 3 9 0.35 2500\n6 5 4 9 0.8 1200",
    "dihedral restraint": "[ dihedral_restraints ]\n1 2 3 4 1 20 10 50\n5 4 3 2 1 -150 0 70\n"
    "4 5 6 7 1 170 160 40",
    "angle restraint": "[ angle_restraints ]\n1 2 3 4 1 20 50 1\n1 2 5 6 1 -35 30 3\n"
    "7 5 2 3 1 90 20 2\n1 2 3 4 1 80 10 2",
    "angle restraint of three atoms": "[ angle_restraints ]\n2 1 2 3 1 70 50 1\n3 4 5 4 1 -35 30 1\n"
    "4 5 5 6 1 50 20 1\n6 7 5 6 1 20 10 1\n2 3 3 4 1 60 15 3\n4 5 4 3 1 90 12 2\n"
    "1 2 2 3 1 180 9 1\n5 6 6 7 1 45 7 4",
}


@pytest.mark.parametrize("what", FUNCTIONS_ALONE)
def test_a_function_has_the_energy_and_forces_of_gromacs(what, judge, tmp_path):
    top = chain().replace("[ pairs ]", FUNCTIONS_ALONE[what] + "\n[ pairs ]", 1)
    system = imported(tmp_path, top, PLACES)
    assert any(
        dict(one.parameters).get("potential")
        in (
            "stretch_stretch",
            "stretch_outer",
            "linear",
            "flat_bottom",
            "vector_angle",
            "cosine_polynomial",
        )
        for one in system.terms
    )
    files = (tmp_path / "a.top", tmp_path / "a.gro")
    for row in gromacs.compare(judge, *files, Choices(1.2), Molecules(system)):
        assert row.difference < (1e-5 if row.name == "forces" else 1e-6), row


@pytest.mark.parametrize("angle", ["3 4 5 9", "5 4 3 9"])
def test_a_linear_angle_has_another_share_from_its_other_end(angle, judge, tmp_path):
    types = "CC 12.011 0.0 A 0.30 0.6\n[ angletypes ]\nCA CB CC 9 0.3 900"
    top = chain(types=types).replace("5 CA 1", "5 CC 1", 1)
    top = top.replace("[ dihedrals ]", f"{angle}\n[ dihedrals ]", 1)
    system = imported(tmp_path, top, PLACES)
    files = (tmp_path / "a.top", tmp_path / "a.gro")
    for row in gromacs.compare(judge, *files, Choices(1.2), Molecules(system)):
        assert row.difference < (1e-5 if row.name == "forces" else 1e-6), row


@pytest.mark.parametrize(
    ("defaults", "first", "second", "pair"),
    [
        ("1 1", "0.0 1e-6", "6e-3 1e-5", "0.0 2e-6"),
        ("1 2", "-0.3 0.6", "0.30 0.6", "-0.28 0.2"),
        ("1 3", "-0.3 0.6", "0.30 0.6", "-0.28 0.2"),
        ("1 1", "0.0 1e-30", "0.0 1e-6", "0.0 1e-20"),
    ],
)
def test_repulsion_alone_has_no_threshold(defaults, first, second, pair, judge, tmp_path):
    """C6 = 0, which a negative sigma stands for; Go models have such pairs."""
    top = chain(f"{defaults} no 1.0 1.0", nrexcl=2, pairs=f"1 4 1 {pair}\n2 5 1 {pair}")
    top = top.replace("A 0.34 0.4", f"A {first}").replace("A 0.30 0.6", f"A {second}")
    assert first in top and second in top
    system = imported(tmp_path, top)
    files = (tmp_path / "a.top", tmp_path / "a.gro")
    rows = gromacs.compare(judge, *files, Choices(1.2), Molecules(system))
    assert all(row.difference < 1e-6 for row in rows), rows


def test_sites_that_are_not_excluded_interact(judge, tmp_path):
    """In GROMACS nothing excludes a site from what it is made of but an exclusion."""
    top = chain(bonds=BONDS + "\n[ virtual_sites2 ]\n8 1 2 1 1.5", nrexcl=0)
    top = top.replace("[ bonds ]", "8 V 1 MOL M 8 0.4 0.0\n[ bonds ]", 1)
    top = top.replace("CB 12.011 0.0 A 0.30 0.6", "CB 12.011 0.0 A 0.30 0.6\nV 0.0 0.0 V 0.1 0.2")
    site = "    1MOL      M    8   1.225   1.030   1.000\n5.0"
    gro = PLACES.replace("\n7\n", "\n8\n").replace("5.0", site, 1).replace("1.225", "1.225", 1)
    system = imported(tmp_path, top, gro)
    files = (tmp_path / "a.top", tmp_path / "a.gro")
    for row in gromacs.compare(judge, *files, Choices(1.2), Molecules(system)):
        assert row.difference < (1e-5 if row.name == "forces" else 1e-6), row


def test_pairs_between_molecules(judge, tmp_path):
    """They act beside what the atoms do to each other as all do."""
    lines = PLACES.splitlines()
    others = [
        f"{one[:20]}{float(one[20:28]) + 0.2:8.3f}{one[28:36]}{float(one[36:]) + 0.45:8.3f}"
        for one in lines[2:9]
    ]
    gro = "\n".join(["two", "14", *lines[2:9], *others, lines[9]]) + "\n"
    between = (
        "[ intermolecular_interactions ]\n[ pairs ]\n3 10 1 0.2 0.4\n1 9 2\n"
        "9 4 2 0.7 0.3 -0.4 0.2 0.3\n3 10 1 0.2 0.4\n"
    )
    top = chain(pairs="1 4 1").replace("MOL 1\n", "MOL 2\n") + between
    system = imported(tmp_path, top, gro)
    files = (tmp_path / "a.top", tmp_path / "a.gro")
    for row in gromacs.compare(judge, *files, Choices(1.2), Molecules(system)):
        assert row.difference < (1e-5 if row.name == "forces" else 1e-6), row
    with pytest.raises(
        SternaError, match=r"a\.top:51:1: error: the atoms 1 and 4 are of one molecule"
    ):
        imported(tmp_path, top + "1 4 1 0.2 0.3\n", gro)


def test_two_sites_at_one_place_are_refused(sterna, tmp_path):
    sites = "[ virtual_sitesn ]\n8 1 1 2 3\n9 1 3 1 2\n[ exclusions ]\n8 1 2 3 9\n9 1 2 3"
    top = chain(bonds=f"{BONDS}\n{sites}").replace(
        "[ bonds ]", "8 V 1 MOL V1 8 0.1 0\n9 V 1 MOL V2 8 0.1 0\n[ bonds ]", 1
    )
    (tmp_path / "a.top").write_text(
        top.replace("CB 12.011 0.0 A 0.30 0.6", "CB 12.011 0.0 A 0.30 0.6\nV 0 0.0 V 0 0")
    )
    extra = "".join(f"    1MOL     V{k}    {k + 7}   1.000   1.000   1.000\n" for k in (1, 2))
    (tmp_path / "a.gro").write_text(
        PLACES.replace("\n7\n", "\n9\n").replace("5.0", extra + "5.0", 1)
    )
    done = sterna("import", "a.top", "a.gro", "-o", "out.toml")
    assert done.returncode == 2, done.stdout
    assert "atom 9 (V2 of MOL 1), a virtual site, is always at the place of atom 8" in done.stderr


@pytest.mark.parametrize("site", ["[ virtual_sites1 ]\n8 3 1", "[ virtual_sitesn ]\n8 3 3 0.5"])
def test_sites_at_the_place_of_a_charge(site, judge, tmp_path):
    top = chain(bonds=f"{BONDS}\n{site}\n[ exclusions ]\n8 1 2 3 4 5 6 7", nrexcl=0)
    top = top.replace("[ bonds ]", "8 V 1 MOL M 8 0 0.0\n[ bonds ]", 1)
    top = top.replace("CB 12.011 0.0 A 0.30 0.6", "CB 12.011 0.0 A 0.30 0.6\nV 0.0 0.0 V 0.2 1")
    top = top.replace("MOL 1\n", "MOL 2\n")
    atoms = [
        *PLACES.splitlines()[2:9],
        "    1MOL      M    8   1.225   1.030   1.000",
    ]
    others = [one[:36] + f"{float(one[36:]) + 0.5:8.3f}" for one in atoms]
    gro = "\n".join(["two", "16", *atoms, *others, "5 5 5"]) + "\n"
    system = imported(tmp_path, top, gro)
    files = (tmp_path / "a.top", tmp_path / "a.gro")
    for row in gromacs.compare(judge, *files, Choices(1.2), Molecules(system)):
        assert row.difference < (1e-5 if row.name == "forces" else 1e-6), row


@pytest.mark.parametrize("interacts", [False, True])
def test_sites_of_go_models_lie_on_atoms_that_they_do_not_see(interacts, judge, tmp_path):
    """Nothing excludes them: nonbond_params have pairs of sites alone."""
    top = chain(bonds=f"{BONDS}\n[ virtual_sitesn ]\n8 1 3\n9 1 5\n10 1 3\n", nrexcl=1)
    lines = "8 V 1 MOL M 8 0 0.0\n9 V 1 MOL N 9 0 0.0\n10 V 1 MOL O 10 0 0\n[ bonds ]"
    top = top.replace("[ bonds ]", lines, 1)
    pair = f"[ nonbond_params ]\nV V 1 {'0.2 0.5' if interacts else '0.2 0.0'}\n"
    types = "CB 12.011 0.0 A 0.30 0.6"
    top = top.replace(types, f"{types}\nV 0.0 0.0 A 0 0\n{pair}")
    places = PLACES.splitlines()[2:9]
    sites = [f"    1MOL      {name}   {k:2d}   1.225   1.030   1.000" for k, name in
             ((8, "M"), (9, "N"), (10, "O"))]  # fmt: skip
    system = imported(tmp_path, top, "\n".join(["go", "10", *places, *sites, "5 5 5"]) + "\n")
    excluded = {tuple(sorted(one.atoms)) for one in system.terms if one.section == "exclusion"}
    assert {(2, 7), (4, 8), (2, 9)} <= excluded
    # Two sites that see each other at one place have no energy, in GROMACS either.
    assert ((7, 9) in excluded) == (not interacts)
    if interacts:
        return
    for row in gromacs.compare(
        judge, tmp_path / "a.top", tmp_path / "a.gro", Choices(1.2), Molecules(system)
    ):
        assert row.difference < (1e-5 if row.name == "forces" else 1e-6), row


def with_sites(folder, judge, sites, count, bonds=BONDS):
    """Compares a chain with charged sites, excluded from all of it, with GROMACS; its terms."""
    numbers = range(8, 8 + count)
    listed = " ".join(map(str, range(1, 8 + count)))
    exclusions = "\n".join(f"{k} {listed}" for k in numbers)
    top = chain(bonds=f"{bonds}\n{sites}\n[ exclusions ]\n{exclusions}", nrexcl=3)
    atoms = "".join(f"{k} V 1 MOL M{k} {k} 0.{k} 0.0\n" for k in numbers)
    top = top.replace("[ bonds ]", f"{atoms}[ bonds ]", 1)
    top = top.replace("CB 12.011 0.0 A 0.30 0.6", "CB 12.011 0.0 A 0.30 0.6\nV 0.0 0.0 V 0.2 1")
    top = top.replace("MOL 1\n", "MOL 2\n")
    rows = PLACES.splitlines()[2:9]
    rows += [f"    1MOL  {'M' + str(k):>5}{k:5}   1.225   1.030   1.000" for k in numbers]
    others = [one[:36] + f"{float(one[36:]) + 0.9:8.3f}" for one in rows]
    gro = "\n".join(["two", str(2 * len(rows)), *rows, *others, "5 5 5"]) + "\n"
    system = imported(folder, top, gro)
    files = (folder / "a.top", folder / "a.gro")
    for row in gromacs.compare(judge, *files, Choices(1.2), Molecules(system)):
        assert row.difference < (1e-5 if row.name == "forces" else 1e-6), row
    return [one for one in system.terms if one.section == "virtual_site"]


def test_sites_of_sites_and_of_many_atoms(judge, tmp_path):
    """The sections are not in the order in which sites are computed."""
    sites = (
        "[ virtual_sitesn ]\n11 2 1 2 3 4 5\n12 3 1 0.5 3 2.0 6 0.1 7 1.0 9 0.7\n"
        "[ virtual_sites4 ]\n10 9 2 3 8 1 0.2 0.3 0.06\n"
        "[ virtual_sites3 ]\n9 3 8 5 4 0.2 -0.1 1.5\n[ virtual_sites2 ]\n8 1 2 1 0.3"
    )
    assert len(with_sites(tmp_path, judge, sites, 5)) == 10
    backwards = "[ virtual_sites2 ]\n8 1 9 1 0.3\n[ virtual_sites3 ]\n9 3 2 5 1 0.2 0.1"
    with pytest.raises(
        SternaError, match=r"a\.top:\d+:\d+: error: the virtual site 8 is made of 9"
    ):
        with_sites(tmp_path, judge, backwards, 2)


def test_parameters_of_sites_follow_from_bonds_and_angles(judge, tmp_path):
    """As after pdb2gmx -vsite; bonds of function 5 exclude nothing more here."""
    sites = (
        "8 2 1 0.11 9e4\n9 2 1 0.10 9e4\n11 5 1 0.13 9e4\n[ constraints ]\n10 4 2 0.12\n"
        "[ angles ]\n8 2 1 1 118 90\n8 2 3 1 125 90\n9 2 1 1 112 90\n10 4 3 1 108 90\n"
        "10 4 5 1 109 90\n11 5 4 1 107 90\n11 5 6 1 111 90\n11 5 7 1 105 90\n"
        "4 5 7 5 100 9 0.2 0\n[ virtual_sites3 ]\n8 2 1 3 2\n9 2 1 3 -3\n10 4 3 5 -4\n"
    )
    bonds = f"{BONDS}\n5 7 1 0.25 900\n"
    found = with_sites(tmp_path, judge, sites + "[ virtual_sites4 ]\n11 5 4 6 7 2", 4, bonds)
    kinds = [dict(one.parameters)["kind"] for one in found[:4]]
    assert kinds == ["3fd", "3fad", "3out", "4fdn"]
    assert dict(found[1].parameters)["angle"] == pytest.approx(360 - 112)


def table(first, last, points=91):
    """A smooth curve and its force."""
    x = numpy.linspace(first, last, points)
    k = 2 * numpy.pi / (last - first)
    rows = zip(x, 9 * numpy.cos(k * x - 1), 9 * k * numpy.sin(k * x - 1), strict=True)
    return "# a table\n" + "\n".join(" ".join(f"{v:.12g}" for v in row) for row in rows) + "\n"


def test_tables_are_interpolated_as_in_gromacs(judge, tmp_path):
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    tables = {"b0": (0, 0.6), "b3": (0, 0.5), "a1": (0, 180), "d0": (-180, 180)}
    for name, ends in tables.items():
        (folder / f"own_{name}.xvg").write_text(table(*ends))
    files = tuple(folder / f"own_{name}.xvg" for name in tables)
    sections = (
        "[ bonds ]\n1 3 8 0 2.5\n2 4 9 3 -1.5\n1 3 8 0 2.0\n[ angles ]\n2 3 4 8 1 4\n"
        "[ dihedrals ]\n1 2 3 4 8 0 3\n2 3 4 5 8 0 1\n[ pairs ]"
    )
    top = chain().replace("[ pairs ]", sections, 1)
    with pytest.raises(SternaError, match=r"there is no table b0\.xvg .* or its name by --table"):
        imported(tmp_path, top, PLACES)
    choices = Choices(1.2, tables=files)
    given = (tmp_path / "a.top", tmp_path / "a.gro")
    system = read_gromacs(*given, choices)
    tabulated = [
        one for one in system.terms if dict(one.parameters).get("potential") == "tabulated"
    ]
    assert [one.section for one in tabulated] == ["bond", "bond", "angle", "torsion", "torsion"]
    for row in gromacs.compare(judge, *given, choices, Molecules(system)):
        assert row.difference < (1e-5 if row.name == "forces" else 1e-6), row


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0.1 1 1\n0.2 1 1\n", "1:1: error: the table begins at 0.1; GROMACS expects 0"),
        ("0 1 1\n0.1 1\n", "2:1: error: a table has 3 columns"),
        ("0 1 x\n", '1:5: error: a value of a table is "x"; expected a number'),
        ("@ s\n0 1 1\n0.1 1 1\n0.3 2 1\n", "4:1: error: the places of the table are not evenly"),
        ("0 1 1\n0.1 1 1\n0.05 2 1\n", "3:1: error: the places of the table do not ascend"),
        ("0 1 0\n0.1 2 0\n", "1:5: error: all forces of the table are 0 and energies are not"),
        ("0 1 0\n", "error: a table of 1 lines"),
    ],
)
def test_tables_that_gromacs_does_not_take_are_refused(text, message, tmp_path):
    (tmp_path / "table_b0.xvg").write_text(text)
    with pytest.raises(SternaError) as caught:
        imported(tmp_path, chain().replace("[ pairs ]", "[ bonds ]\n1 3 8 0 2.5\n[ pairs ]", 1))
    assert message in str(caught.value) and "table_b0.xvg:" in str(caught.value)


def test_types_of_a_function_of_two_digits_are_refused_as_in_gromacs(tmp_path):
    with pytest.raises(
        SternaError, match=r"a\.top:\d+:10: error: GROMACS reads no \[ dihedraltypes"
    ):
        typed(tmp_path, "[ dihedraltypes ]\nA TB C D 11 1 1 1 1 1 1", "")


# ---- places


@pytest.mark.parametrize("decimals", [1, 3, 6, 9])
def test_gro_files_of_any_precision(decimals, tmp_path):
    numbers = random.Random(decimals)
    width = decimals + 5
    places = [[numbers.uniform(0, 9) for _ in range(3)] for _ in range(3)]
    lines = ["t= 1.0", "3"]
    for n, place in enumerate(places):
        lines.append(
            f"{99999:5d}WATER{'OW':>5}{n:5d}" + "".join(f"{x:{width}.{decimals}f}" for x in place)
        )
    lines[3] += "".join(f"{0.25:{width}.{decimals + 1}f}" for _ in range(3))
    (tmp_path / "a.gro").write_text("\n".join([*lines, "4 5 6 0 0 1 0 -1 2"]) + "\n")
    found = read_gro(tmp_path / "a.gro")
    assert found.positions == pytest.approx(numpy.array(places), abs=0.51 * 10**-decimals)
    assert found.velocities is not None
    assert found.velocities[1] == pytest.approx(0.25, abs=0.051)
    assert not found.velocities[0].any()
    assert found.residue_numbers == [99999] * 3 and found.names == ["OW"] * 3
    assert found.box.tolist() == [[4, 0, 0], [1, 5, 0], [-1, 2, 6]]


def test_velocities_of_a_gro_file_are_taken_over(tmp_path):
    lines = PLACES.splitlines()
    for k in range(2, 9):
        lines[k] += f"{0.1 * k:8.4f}{0.0:8.4f}{-0.1:8.4f}"
    system = imported(tmp_path, chain(), "\n".join(lines) + "\n")
    assert system.velocities[3].tolist() == [0.5, 0.0, -0.1] and system.temperature is None
    assert imported(tmp_path, chain()).velocities is None


def test_names_of_atoms_that_differ_are_told(tmp_path):
    system = imported(tmp_path, chain(), PLACES.replace("   C5", "   H5"))
    assert any("1 names of atoms differ" in text and "H5" in text for text in system.not_kept)


# ---- broken files

BROKEN = {
    "section": ("a.top", "[ bonds ]", "[ bond ]",
                'a.top:17:1: error: unknown section "bond"; did you mean "bonds"?'),
    "restraints": ("a.top", "[ pairs ]", "[ distance_restraints ]",
                   "a.top:23:1: error: a distance restraint ([ distance_restraints ], function type 1)"),
    "held atom": ("a.top", "[ system ]", "[ position_restraints ]\n5 1 9 9 9\n[ system ]",
                  "a.top:33:1: error: the number of an atom is 5; expected 1 to 4"),
    "flat bottom": ("a.top", "[ system ]", "[ position_restraints ]\n1 2 2 1.0 9.0\n[ system ]",
                    "a.top:33:3: error: flat-bottomed position restraints are not taken over"),
    "two constants": ("a.top", "[ system ]", "[ position_restraints ]\n1 1 9 9\n[ system ]",
                      "a.top:33:1: error: a position restraint ([ position_restraints ], function type 1) has 2"),
    "negative constant": ("a.top", "[ system ]", "[ position_restraints ]\n1 1 9 -9 9\n[ system ]",
                          "a.top:33:7: error: a force constant is -9; expected one that is not"),
    "bond short": ("a.top", "1 2 1 0.154 217568", "1",
                   "a.top:18:2: error: expected the number of an atom; found the end of the line"),
    "bond length": ("a.top", "1 2 1 0.154 217568", "1 2 1 long 217568",
                    'a.top:18:7: error: a parameter is "long"; expected a number'),
    "bond atom": ("a.top", "1 2 1 0.154 217568", "1 9 1 0.154 217568",
                  "a.top:18:3: error: the number of an atom is 9; expected 1 to 4"),
    "angle atom": ("a.top", "2 3 4 1 114", "2 3 D 1 114",
                   'a.top:27:5: error: the number of an atom is "D"; expected an integer'),
    "function": ("a.top", "1 2 3 1 114", "1 2 3 8 114",
                 "a.top:26:9: error: there is no table a114.xvg (mdrun -tableb); expected table_a114.xvg"),
    "atom type": ("a.top", "1 CH3 1 BUT", "1 CH9 1 BUT",
                  'a.top:12:3: error: unknown atom type "CH9"; did you mean "CH3"?'),
    "charge": ("a.top", "0.1 15.035\n2", "zero 15.035\n2",
               'a.top:12:18: error: the charge is "zero"; expected a number'),
    "include": ("a.top", "[ system ]", '#include "water.itp"\n[ system ]',
                "a.top:32:1: error: there is no file water.itp in the folder of this one, nor where"),
    "no endif": ("a.top", "[ system ]", "#ifdef X\n[ system ]",
                 "a.top: error: the section [ molecules ] is missing"),
    "else": ("a.top", "[ system ]", "#else\n[ system ]", "a.top:32:1: error: this #else has no #ifdef before it in this file"),
    "molecule": ("a.top", "butane 2", "butan 2",
                 'a.top:36:1: error: unknown molecule type "butan"; did you mean "butane"?'),
    "number of molecules": ("a.top", "butane 2", "butane two",
                            'a.top:36:8: error: the number of molecules is "two"; expected an'),
    "other count": ("a.top", "butane 2", "butane 3",
                    "a.gro has 8 atoms, and the system of"),
    "parameters": ("a.top", "1 2 1 0.154 217568", "1 2 1",
                   "a.top:18:1: error: there are no parameters in it, and no [ bondtypes ] of function type 1"),
    "defaults": ("a.top", TOP[: TOP.index("[ atomtypes")], "",
                 "a.top:1:1: error: the section [ atomtypes ] stands before [ defaults ], which it needs"),
    "top empty": ("a.top", None, "", "a.top: error: the section [ defaults ] is missing"),
    "gro count": ("a.gro", "    8\n", "    x\n",
                  'a.gro:2:5: error: the number of atoms is "x"; expected an integer'),
    "gro short": ("a.gro", line(10), "",
                  "a.gro:10:4: error: the file ends after 10 lines; expected a title, the number"),
    "gro coordinate": ("a.gro", "0.500   0.500   0.500", "0.500   0.5x0   0.500",
                       'a.gro:3:29: error: coordinate y is "0.5x0"; expected a number in columns 29'),
    "gro box": ("a.gro", "2.10000   2.10000   2.10000", "2.1 0 2.1",
                "a.gro:11:8: error: an edge of the box is 0; expected a length above 0"),
    "gro empty": ("a.gro", None, "", "a.gro: error: expected a title, the number of atoms"),
    "order": ("a.top", "[ moleculetype ]", "[ moleculetype ]\nx 3\n[ bondtypes ]",
              "a.top:10:1: error: the section [ bondtypes ] must stand before the first"),
    "parity": ("a.top", "1 2 3 1 114", "1 2 3 -1 114",
               "a.top:26:7: error: there is no function type -1 of [ angles ]"),
    "twice": ("a.top", "1 2 1 0.154", "2 2 1 0.154",
              "a.top:18:1: error: an atom stands twice in this line of [ bonds ]"),
    "mass": ("a.top", "CH3 6 15.035", "CH3 6 -1", "a.top:5:7: error: the mass is -1"),
    "massless": ("a.top", "0.1 15.035\n2", "0.1 0\n2",
                 "a.top:12:1: error: the atom 1 has the mass 0, and is no virtual site"),
    "site": ("a.top", "[ system ]", "[ virtual_sites2 ]\n1 2 3 1\n[ system ]",
             "a.top:33:1: error: GROMACS derives no parameters of this virtual site"),
    "settle": ("a.top", "[ system ]", "[ settles ]\n3 1 0.1 0.16\n[ system ]",
               "a.top:33:1: error: SETTLE needs two more atoms"),
    "unknown preprocessor line": ("a.top", "[ system ]", "#if X\n[ system ]",
                                  'a.top:32:1: error: unknown preprocessor line "#if"'),
    "endless": ("a.top", "[ system ]", '#include "a.top"\n[ system ]', "error: "),
    "box": ("a.gro", "2.10000   2.10000   2.10000", "2.1 2.1 2.1 1 0 0 0 0 0",
            "a.gro:11:16: error: the first vector of the box must be along x"),
    "blank of a web page": ("a.top", "1 2 3 1 114", "1\u00a02 3 1 114",
                            "a.top:26:2: error: a blank that is no space (U+00A0), which GROMACS does not"),
    "blank of a directive": ("a.top", "[ system ]", "\u2003[ system ]",
                             "a.top:32:1: error: a blank that is no space (U+2003)"),
    "names in bytes": ("a.gro", "C1", "\u00e9", "a.gro:3:5: error: the columns of a GRO file are counted in"),
    "coordinates": ("a.gro", "0.500   0.500   0.500", "0.500", "a.gro:3:"),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_told_with_its_place(name, tmp_path):
    file, old, new, message = BROKEN[name]
    whole = {"a.top": TOP, "a.gro": GRO}
    whole[file] = changed(whole[file], old, new)
    with pytest.raises(SternaError) as caught:
        imported(tmp_path, whole["a.top"], whole["a.gro"])
    assert caught.value.status == 2
    assert message in str(caught.value), str(caught.value)


@pytest.mark.long
def test_mutated_topologies_are_an_error_with_a_place_or_a_system(tmp_path):
    errors = systems = 0
    for seed in range(400):
        generator = Generator(seed % 40)
        mutate(generator, random.Random(seed))
        top, gro = write(generator, tmp_path)
        try:
            Molecules(read_gromacs(top, gro, Choices(0.9, defines=tuple(generator.defines))))
            systems += 1
        except SternaError as error:
            errors += 1
            assert re.search(
                r"\.(top|itp|gro|xvg):\d+:\d+: error: |^\S+\.(top|gro|xvg)(: error:)? ", str(error)
            )
    assert errors > 100 and systems > 100


# ---- GROMACS itself


@pytest.mark.parametrize("seed", range(1, 21))
def test_random_systems_have_the_energies_and_forces_of_gromacs(seed, judge, tmp_path):
    generator = Generator(seed)
    top, gro = write(generator, tmp_path)
    choices = choices_of(generator)
    molecules = Molecules(read_gromacs(top, gro, choices))
    for row in gromacs.compare(judge, top, gro, choices, molecules):
        limit = FORCE_TOLERANCE if row.name == "forces" else ENERGY_TOLERANCE
        assert row.difference < limit, (seed, row)


def test_the_judge_finds_another_model(judge, tmp_path):
    """The import is of one topology, the judge gets another one."""
    system = imported(tmp_path, chain(nrexcl=1))
    (tmp_path / "b.top").write_text(chain())
    rows = gromacs.compare(
        judge, tmp_path / "b.top", tmp_path / "a.gro", Choices(1.2), Molecules(system)
    )
    assert {row.name for row in rows if row.difference > judge.tolerance} == {
        "lennard_jones", "charges", "potential", "forces",
    }  # fmt: skip


def test_without_gromacs_nothing_is_proven(tmp_path):
    (tmp_path / "a.top").write_text(TOP)
    (tmp_path / "a.gro").write_text(GRO)
    environment = sterna_environment() | {"PATH": str(tmp_path)}
    environment.pop("STERNA_GROMACS", None)

    def run(*arguments):
        return subprocess.run(
            sterna_command("import", "a.top", "a.gro", "--overwrite", "-o", "out.toml", *arguments),
            cwd=tmp_path, env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip

    done = run("--compare")
    assert done.returncode == 3
    assert "nothing was proven: --compare needs GROMACS" in done.stderr
    assert (tmp_path / "out.toml").exists()
    assert run().returncode == 0
    environment["STERNA_GROMACS"] = os.fspath(tmp_path / "no_gmx")
    done = run("--compare")
    assert done.returncode == 2 and "there is no such program" in done.stderr


WATER = """\
[ moleculetype ]
SOL 2
[ atoms ]
1 OW 1 SOL OW 1 -0.834 16.0
2 HW 1 SOL HW1 1 0.417 1.008
3 HW 1 SOL HW2 1 0.417 1.008
#ifndef FLEXIBLE
[ settles ]
1 1 0.09572 0.15139
#else
[ bonds ]
1 2 1 0.09572 502416
1 3 1 0.09572 502416
[ angles ]
2 1 3 1 104.52 628.02
#endif
[ exclusions ]
1 2 3
2 3
"""
SOLVENT = """\
    2SOL     OW    8   3.000   1.000   1.000
    2SOL    HW1    9   3.090   1.000   1.000
    2SOL    HW2   10   2.980   1.100   1.000
"""


@pytest.mark.parametrize(("defines", "constraints"), [((), "none"), (("FLEXIBLE",), "hydrogen")])
def test_water_is_rigid_by_settle_or_by_constrained_bonds(defines, constraints, tmp_path):
    top = chain(types="OW 16.0 0 A 0.315 0.64\nHW 1.008 0 A 0 0", pairs=ALL_PAIRS)
    top = top.replace("[ system ]", f"{WATER}[ system ]") + "SOL 1\n"
    gro = PLACES.replace("\n7\n", "\n10\n").replace("5.00000 5", f"{SOLVENT}5.00000 5")
    system = imported(tmp_path, top, gro, defines=defines, constraints=constraints)
    lengths = {one["atoms"]: one["distance"] for one in terms(system, "constraint")}
    assert lengths == {
        (7, 8): 0.09572, (7, 9): 0.09572, (8, 9): pytest.approx(0.15139, abs=1e-5),
    }  # fmt: skip
    assert not any(7 in one["atoms"] for one in terms(system, "angle") + terms(system, "bond"))
    # Water that keeps its shape keeps its masses.
    heavier = repartition(system, 3.0)
    masses = {kind["name"]: kind["mass"] for kind in heavier.types}
    assert [masses[atom.type] for atom in heavier.atoms[7:]] == [16.0, 1.008, 1.008]


def test_parts_of_a_molecule_type_that_lie_between_each_other_are_one_molecule(tmp_path):
    bonds = "[ bonds ]\n" + "\n".join(f"{a} {b} 1 0.25 2500" for a, b in ((1, 3), (3, 5), (2, 4)))
    top = re.sub(
        r"\[ angles \].*\[ pairs \]", "[ pairs ]", chain(bonds=bonds, nrexcl=0), flags=re.S
    )
    molecules = Molecules(imported(tmp_path, top))
    assert [kind.size for kind in molecules.kinds] == [7] and molecules.order == list(range(7))


@pytest.mark.parametrize(
    "site",
    ["[ virtual_sites2 ]\n8 1 2 1 0", "[ virtual_sites2 ]\n8 2 1 1 1",
     "[ virtual_sites3 ]\n8 1 2 3 1 0 0", "[ virtual_sites3 ]\n8 1 2 3 4 0 0 0",
     "[ virtual_sites2 ]\n8 1 2 2 0"],
)  # fmt: skip
def test_a_charge_on_another_charge_is_refused(site, sterna, tmp_path):
    top = chain(bonds=BONDS + "\n" + site, nrexcl=3)
    top = top.replace("7 CA 1 MOL C7 7 0.2 12.011", "7 CA 1 MOL C7 7 0.2 12.011\n"
                      "8 V 1 MOL V 8 0.1 0").replace("{types}", "")  # fmt: skip
    top = top.replace("CB 12.011 0.0 A 0.30 0.6", "CB 12.011 0.0 A 0.30 0.6\nV 0 0.0 D 0 0")
    (tmp_path / "a.top").write_text(top)
    atom = "    1MOL      V    8   1.000   1.000   1.000\n"
    (tmp_path / "a.gro").write_text(
        PLACES.replace("\n7\n", "\n8\n").replace("5.00000 5", atom + "5.00000 5")
    )
    done = sterna("import", "a.top", "a.gro", "-o", "out.toml")
    assert done.returncode == 2, done.stdout + done.stderr
    assert "atom 8 (V of MOL 1), a virtual site, is always at the place of atom 1" in done.stderr
