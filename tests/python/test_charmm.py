"""Files of CHARMM mean what they mean to CHARMM; energies are those of formulas in this test."""

import re
import tomllib

import numpy
import pytest
from sterna import SternaError
from sterna.importing.charmm import judge
from sterna.importing.charmm.charmm_system import Choices, files_of_charmm, read_charmm
from sterna.importing.charmm.coordinates import read_pdb
from sterna.importing.comparison import compare, compare_lists, start_of_sterna
from sterna.importing.molecules import Molecules
from test_amber import COULOMB_OF_CHARMM, KILOCALORIE, PLACES, _dihedral

NONE = Choices(0.9, "none", (2.0, 2.0, 2.0))
MAP = [float(k) for k in (1, 2, 3, 4, 5, 60, 7, 8, 9, 10, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6)]
ATOMS = [("A1", "CA", 0.3), ("A2", "CB", -0.2), ("A3", "NX", 0.1), ("A4", "CA", -0.4),
         ("A5", "NX", 0.2)]  # fmt: skip
PRM = """* title
*
ATOMS
MASS 1 CA 12.0
MASS 2 CB 12.0
MASS 3 NX 14.0
BONDS
CA CB  100.0 1.3
CB NX  110.0 1.35
NX CA   90.0 1.4
ANGLES
CA CB NX 30.0 110.0 11.0 2.2
CB NX CA 40.0 115.0
NX CA NX 50.0 100.0   ! the last one
DIHEDRALS
X  CB NX X  9.0 1 0.0
CA CB NX CA 1.5 2 180.0
CA CB NX CA 0.7 3 20.0
NX CA NX CB 0.4 1 0.0
IMPROPER
CB X X NX 7.0 0 0.0
CB CA NX CA 40.0 0 10.0
CMAP
CA CB NX CA CB NX CA NX 4
{map}
NONBONDED nbxmod 5 atom cdiel shift vatom vdistance vswitch -
 cutnb 14.0 ctofnb 12.0 ctonnb 10.0 eps 1.0 e14fac 0.8 wmin 1.5
CA 0.0 -0.10 2.0
CB 0.0 -0.07 1.9 0.0 -0.01 1.7
NX 0.0 -0.20 1.8 0.0 -0.15 1.5
NBFIX
CA NX -0.3 3.5 -0.05 3.2
END
""".format(map="\n".join(" ".join(map(str, MAP[k : k + 4])) for k in range(0, 16, 4)))


def psf(
    flags: str = "EXT CMAP XPLOR", atoms=ATOMS, extra: str = "", exclusions: str = "0 !NNB\n\n"
):
    lines = [f"PSF {flags}", "", "1 !NTITLE", "* title", "", f"{len(atoms)} !NATOM"]
    for k, (name, kind, charge) in enumerate(atoms, 1):
        mass = 0.0 if kind == "LPH" else 14.0 if kind in ("NX", "3") else 12.0
        lines.append(
            f"{k:10d} SEG      7        MOL      {name:8} {kind:6} {charge:.6f} {mass:.4f} 0"
        )
    lists = {
        "NBOND": "1 2 2 3 3 4 4 5", "NTHETA": "1 2 3 2 3 4 3 4 5", "NPHI": "1 2 3 4 2 3 4 5",
        "NIMPHI": "2 1 3 4", "NCRTERM": "1 2 3 4 2 3 4 5",
    }  # fmt: skip
    sizes = {"NBOND": 2, "NTHETA": 3, "NPHI": 4, "NIMPHI": 4, "NCRTERM": 8}
    for name, numbers in lists.items():
        lines += ["", f"{len(numbers.split()) // sizes[name]} !{name}", numbers]
    return "\n".join(lines) + f"\n\n{exclusions}\n{extra}\n"


def crd(x=PLACES):
    rows = [
        f"{k:10d}{1:10d}  MOL       A{k:<7d}"
        + "".join(f"{v + 8.0:20.10f}" for v in row)
        + "  SEG       7"
        for k, row in enumerate(x, 1)
    ]
    return f"* title\n*\n{len(x):10d}  EXT\n" + "\n".join(rows) + "\n"


def files(folder, parameters=PRM, structure=None, places=None, **more):
    (folder / "a.psf").write_text(structure or psf())
    (folder / "a.prm").write_text(parameters)
    (folder / "a.crd").write_text(places or crd())
    names = ["a.prm"]
    for name, text in more.items():
        names.append(name.replace("_", "."))
        (folder / names[-1]).write_text(text)
    return folder / "a.psf", [folder / name for name in names], folder / "a.crd"


def read(folder, choices=NONE, **texts):
    return read_charmm(*files(folder, **texts), choices)


def terms(system, section, potential):
    return [
        dict(one.parameters) | {"atoms": one.atoms}
        for one in system.terms
        if one.section == section and dict(one.parameters)["potential"] == potential
    ]


def test_energies_are_those_of_the_formulas(tmp_path):
    """Exact types before X, impropers likewise, 1-4 parameters, NBFIX of 1-4 pairs, E14FAC."""
    system = read(tmp_path)
    row = start_of_sterna(Molecules(system), system.positions).row
    x = numpy.round(PLACES + 8.0, 10)

    def apart(a, b):
        return float(numpy.linalg.norm(x[a] - x[b]))

    def bend(a, b, c):
        u, v = x[a] - x[b], x[c] - x[b]
        return numpy.degrees(numpy.arccos(u @ v / numpy.linalg.norm(u) / numpy.linalg.norm(v)))

    def well(r, depth, minimum):
        return depth * ((minimum / r) ** 12 - 2.0 * (minimum / r) ** 6)

    phi, psi = _dihedral(x, 0, 1, 2, 3), _dihedral(x, 1, 2, 3, 4)
    angles = [(30, 110, bend(0, 1, 2)), (40, 115, bend(1, 2, 3)), (50, 100, bend(2, 3, 4))]
    bonds = [(100, 1.3), (110, 1.35), (90, 1.4), (90, 1.4)]
    improper = _dihedral(x, 1, 0, 2, 3)
    r, s = apart(0, 3), apart(1, 4)
    expected = {
        "bonded_harmonic_bond_energy": sum(
            k * (apart(n, n + 1) - b) ** 2 for n, (k, b) in enumerate(bonds)
        ),
        "bonded_harmonic_angle_energy": sum(
            k * numpy.radians(found - rest) ** 2 for k, rest, found in angles
        ),
        "bonded_urey_bradley_energy": 11 * (apart(0, 2) - 2.2) ** 2,
        "bonded_periodic_torsion_energy": 1.5 * (1 + numpy.cos(2 * phi - numpy.pi))
        + 0.7 * (1 + numpy.cos(3 * phi - numpy.radians(20)))
        + 0.4 * (1 + numpy.cos(psi)),
        "bonded_harmonic_improper_energy": 40 * (improper - numpy.radians(10)) ** 2,
        "bonded_cmap_energy": MAP[1 * 4 + 2],
        # CA CA has no parameters of its own for 1-4 pairs; CB NX has.
        "bonded_lennard_jones_14_energy": well(r, 0.1, 4.0)
        + well(s, (0.01 * 0.15) ** 0.5, 1.7 + 1.5),
        "lennard_jones_energy": well(apart(0, 4), 0.3, 3.5),
    }
    for name, value in expected.items():
        assert row[name] == pytest.approx(KILOCALORIE * value, rel=1e-7), name
    charges = COULOMB_OF_CHARMM * 0.8 * (0.3 * -0.4 / (0.1 * r) + -0.2 * 0.2 / (0.1 * s))
    assert row["bonded_coulomb_14_energy"] == pytest.approx(charges, rel=1e-7)


def test_openmm_reads_the_same(tmp_path):
    """But for H-H bonds, multiplicities of impropers and NBFIX, where it errs."""
    found = files(tmp_path)
    system, source = read_charmm(*found, NONE), judge.source_of(*found, NONE)
    assert compare_lists(source, system) == (7, 2)
    for row in compare(source, Molecules(system)):
        assert row.difference < 1e-6, row


@pytest.mark.parametrize(
    ("given", "radius", "depth"),
    [("CA NX -0.3 3.5 -0.05 3.2", 3.2, 0.05), ("NX CA -0.3 3.5", 3.5, 0.3)],
)
def test_nbfix_of_1_4_pairs(given, radius, depth, tmp_path):
    """Without numbers of their own they take those of all others."""
    atoms = [*ATOMS[:3], ("A4", "NX", -0.4), ATOMS[4]]
    more = "BONDS\nNX NX 1 1.4\nANGLES\nCB NX NX 1 100\nNX NX NX 1 100\nCMAP\nCA CB NX NX CB NX NX NX 4\n"
    more += "1 " * 16 + "\nDIHEDRALS\nX NX NX X 1 1 0\nIMPROPERS\nCB CA NX NX 1 0 0\nEND\n"
    text = PRM.replace("CA NX -0.3 3.5 -0.05 3.2", given)
    system = read(tmp_path, parameters=text, structure=psf(atoms=atoms), b_prm=more)
    pair = next(t for t in system.terms if t.section == "special_pair" and t.atoms == (0, 3))
    values = dict(pair.parameters)
    assert values["epsilon"] == pytest.approx(KILOCALORIE * depth)
    assert values["sigma"] == pytest.approx(0.1 * radius / 2 ** (1 / 6))
    (beside,) = [p for p in system.pairs if {p["first"], p["second"]} == {"CA", "NX"}]
    assert beside["epsilon"] == pytest.approx(KILOCALORIE * 0.3)


@pytest.mark.parametrize(
    ("lines", "stiffness"),
    [
        ("CB CA NX CA 1 0 0\nCB X X CA 2 0 0", 1), ("CA NX CA CB 1 0 0", 1),
        ("CB X X CA 2 0 0\nX CA NX CA 3 0 0", 2), ("CA X X CB 2 0 0\nX CA NX X 4 0 0", 2),
        ("X CA NX X 4 0 0\nX CA NX CA 3 0 0", 3), ("CA NX CA X 3 0 0", 3),
        ("X X NX CA 5 0 0\nX CA NX X 4 0 0", 4), ("X X NX CA 5 0 0", 5), ("X X CA CB 5 0 0", 5),
    ],
)  # fmt: skip
def test_impropers_are_matched_in_the_order_of_charmm(lines, stiffness, tmp_path):
    """A B C D, A X X D, X B C D, X B C X, X X C D, each also in reverse order."""
    text = re.sub(r"CB X X NX.*\n.*10\.0\n", lines + "\n", PRM)
    (one,) = terms(read(tmp_path, parameters=text), "improper", "harmonic")
    assert one["bending_stiffness"] == pytest.approx(2 * KILOCALORIE * stiffness)


def test_impropers_with_a_multiplicity_are_periodic(tmp_path):
    text = PRM.replace("CB CA NX CA 40.0 0 10.0", "CB CA NX CA 3.0 2 180.0")
    (one,) = terms(read(tmp_path, parameters=text), "improper", "periodic")
    assert (one["amplitude"], one["multiplicity"], abs(one["phase"])) == (3 * KILOCALORIE, 2, 180.0)


def test_dihedrals_without_a_multiplicity_are_harmonic(tmp_path):
    text = PRM.replace("NX CA NX CB 0.4 1 0.0", "NX CA NX CB 0.4 0 30.0")
    found = terms(read(tmp_path, parameters=text), "improper", "harmonic")
    assert (1, 2, 3, 4) in [one["atoms"] for one in found]


def test_later_definitions_count(tmp_path):
    """Also those of a later file; a dihedral of another multiplicity is one term more."""
    more = "BONDS\nCB CA 5 1.1\nDIHEDRALS\nCA NX CB CA 0.9 3 0\nCA NX CB CA 0.2 1 0\nEND\n"
    system = read(tmp_path, b_str="* title\nread para card append\n* t\n" + more)
    bond = next(one for one in terms(system, "bond", "harmonic") if one["atoms"] == (0, 1))
    assert bond["r0"] == pytest.approx(0.11)
    found = [t for t in terms(system, "torsion", "periodic") if t["atoms"] == (0, 1, 2, 3)]
    assert {t["multiplicity"]: round(t["amplitude"] / KILOCALORIE, 6) for t in found} == {
        2: 1.5, 3: 0.9, 1: 0.2,
    }  # fmt: skip
    assert any("b.str:5: a line replaces other parameters" in note for note in system.not_kept)


def test_streams_do_what_they_say(tmp_path):
    stream = (
        "* title\nset model 2\nset nat ?NATC\nset app\n"
        'if "@NAT" ne "?NATC" if @nat ne 0 set app append\n'
        "if model eq 1 then\nread para card @app\n* t\nBONDS\nCA CB 1 9.9\nEND\nelse\n"
        "read rtf card @app\n* t\n36 1\nMASS -1 CQ 12.0 C\nRESI X 0.0\nATOM A CA 0\nEND\n"
        "read parameter flex card @app\n* t\nBONDS\nCA CB 5 1.2\nEND\nendif\nreturn\nnonsense\n"
    )
    system = read(tmp_path, b_str=stream)
    bond = next(one for one in terms(system, "bond", "harmonic") if one["atoms"] == (0, 1))
    assert bond["r0"] == pytest.approx(0.12)


def test_types_may_be_numbers(tmp_path):
    numbers = {"CA": "1", "CB": "2", "NX": "3"}
    atoms = [(name, numbers[kind], charge) for name, kind, charge in ATOMS]
    first = read(tmp_path, structure=psf("EXT CMAP", atoms))
    second = read(tmp_path)
    assert (first.atoms, first.terms) == (second.atoms, second.terms)


def test_names_may_be_empty_in_columns(tmp_path):
    """The segment of a file in fixed columns."""
    text = psf("CMAP XPLOR")
    for k, (name, kind, charge) in enumerate(ATOMS, 1):
        old = next(line for line in text.split("\n") if line.startswith(f"{k:10d} SEG"))
        mass = 14.0 if kind == "NX" else 12.0
        new = f"{k:8d}      7    MOL  {name:4} {kind:4} {charge:14.6f}{mass:14.4f}       0"
        text = text.replace(old, new)
    assert read(tmp_path, structure=text).atoms[2].type == "NX"


def test_places_by_words_and_by_columns(tmp_path):
    """Other writers have other columns; where a name is empty, only columns tell."""
    expected = read(tmp_path).positions
    by_words = "\n".join(
        re.sub(r"  +", "   ", line) if n > 2 else line for n, line in enumerate(crd().split("\n"))
    )
    assert numpy.allclose(read(tmp_path, places=by_words).positions, expected, rtol=1e-14)
    without = crd().replace("MOL", "   ").replace("  SEG       7", "")
    assert numpy.allclose(read(tmp_path, places=without).positions, expected, rtol=1e-14)


def test_exclusions_of_the_structure(tmp_path):
    """!NNB: atoms, and for each atom where its part of them ends."""
    system = read(tmp_path, structure=psf(exclusions="1 !NNB\n5\n1 1 1 1 1\n"))
    assert (0, 4) in [one.atoms for one in system.terms if one.section == "exclusion"]
    with pytest.raises(SternaError, match=r"a\.psf:\d+:1: error: !NNB has 5 numbers; expected 1"):
        read(tmp_path, structure=psf(exclusions="1 !NNB\n5\n1 1 1 1\n"))


def test_geometric_mixing(tmp_path):
    text = PRM.replace("nbxmod 5 atom", "nbxmod 5 geom atom")
    system = read(tmp_path, parameters=text)
    assert system.interaction["mixing"] == "geometric"


@pytest.mark.parametrize(
    ("extra", "kind"),
    [("1 3 !NUMLP NUMLPH\n2 1 F 1.64 0.0 0.0\n6 5 4\n", "2fd"),
     ("1 4 !NUMLP NUMLPH\n3 1 F 0.35 110.0 90.0\n6 5 4 3\n", "local"),
     ("1 4 !NUMLP NUMLPH\n3 1 F -0.35 110.0 90.0\n6 5 4 3\n", "local")],
    ids=["colinear", "relative", "bisector"],
)  # fmt: skip
def test_lone_pairs_are_where_the_judge_has_them(extra, kind, tmp_path):
    text = PRM.replace("MASS 3 NX 14.0", "MASS 3 NX 14.0\nMASS 4 LPH 0.0 H")
    text = text.replace("\nNBFIX", "\nLPH 0.0 0.0 1.0\nNBFIX")
    atoms = [*ATOMS, ("LP1", "LPH", 0.05)]
    places = crd(numpy.vstack([PLACES, PLACES[4] + (0.5, 1.2, 0.3)]))
    found = files(tmp_path, parameters=text, structure=psf(atoms=atoms, extra=extra), places=places)
    system = read_charmm(*found, NONE)
    (site,) = [dict(one.parameters) for one in system.terms if one.section == "virtual_site"]
    assert site["kind"] == kind
    source = judge.source_of(*found, NONE)
    compare_lists(source, system)
    for row in compare(source, Molecules(system)):
        assert row.difference < 1e-6, row


def test_water_is_rigid(tmp_path):
    """With constraints, also without a bond between the hydrogen atoms."""
    water = "BONDS\nOT HT 450 0.9572\nHT HT 0 1.5139\nANGLES\nHT OT HT 55 104.52\n"
    water += "NONBONDED nbxmod 5\nOT 0 -0.1521 1.7682\nHT 0 -0.046 0.2245\nEND\n"
    x = numpy.array([(0, 0, 0), (0.9572, 0, 0), (-0.24, 0.9266, 0)])
    for bonds in ("3 !NBOND\n1 2 1 3 2 3", "2 !NBOND\n1 2 1 3"):
        text = "PSF\n\n0 !NTITLE\n\n3 !NATOM\n"
        for k, (kind, q, m) in enumerate([("OT", -0.834, 15.9994), ("HT", 0.417, 1.008)] * 2, 1):
            if k < 4:
                kind, q, m = ("HT", 0.417, 1.008) if k == 3 else (kind, q, m)
                text += f"{k} W 1 TIP3 {kind}{k} {kind} {q} {m} 0\n"
        text += f"\n{bonds}\n\n1 !NTHETA\n2 1 3\n\n0 !NPHI\n\n0 !NIMPHI\n"
        held = Choices(0.9, "hydrogen", (2.0,) * 3)
        system = read(tmp_path, held, parameters=water, structure=text, places=crd(x))
        lengths = {
            one.atoms: dict(one.parameters)["distance"]
            for one in system.terms
            if one.section == "constraint"
        }
        assert lengths == {
            (0, 1): pytest.approx(0.09572), (0, 2): pytest.approx(0.09572),
            (1, 2): pytest.approx(0.15139, rel=1e-6),
        }  # fmt: skip
        assert not terms(system, "angle", "harmonic")


PSF_BROKEN = {
    "Drude": (lambda t: t.replace("PSF EXT", "PSF EXT DRUDE"), "a.psf:1:9: error: the PSF has Drude"),
    "anisotropy": (lambda t: t + "\n2 !NUMANISO\n1 1 1\n1 1 1\n", "anisotropic polarizabilities"),
    "flag": (lambda t: t.replace("XPLOR", "XPLORE"), 'the flag "XPLORE" is not known'),
    "a dihedral twice": (
        lambda t: t.replace("2 !NPHI\n1 2 3 4 2 3 4 5", "2 !NPHI\n1 2 3 4 4 3 2 1"), "a second dihedral",
    ),
    "CMAP of two places": (lambda t: t.replace("1 2 3 4 2 3 4 5\n\n0", "1 2 3 4 1 2 3 5\n\n0"), "CMAP of two"),
    "an unknown type": (lambda t: t.replace("A2       CB", "A2       CZ"), "the type CZ has no line"),
    "no mass": (lambda t: t.replace("14.0000 0", " 0.0000 0", 1), "has no mass, and is no lone pair"),
    "an atom too many": (lambda t: t.replace("1 2 3 2 3 4 3 4 5", "1 2 3 2 3 4 3 4 6"), "an atom is 6"),
    "weights of a lone pair": (
        lambda t: t + "\n1 3 !NUMLP NUMLPH\n2 1 T 1 0 0\n5 4 3\n", "lone pairs by weights",
    ),
    "a section": (lambda t: t + "\n1 !NSTRANGE\n1\n", "the section !NSTRANGE is not known"),
}  # fmt: skip


@pytest.mark.parametrize("name", PSF_BROKEN)
def test_what_a_structure_must_not_have(name, tmp_path):
    change, message = PSF_BROKEN[name]
    with pytest.raises(SternaError) as caught:
        read(tmp_path, structure=change(psf()))
    assert message in str(caught.value)
    assert re.search(r"a\.psf:\d+:\d+: error:", str(caught.value))


PRM_BROKEN = {
    "nbxmod": ("nbxmod 5", "nbxmod 4", "nbxmod is 4; expected 5"),
    "dielectric": ("eps 1.0", "eps 4.0", "eps is 4; expected a dielectric constant of 1"),
    "distance": ("cdiel", "rdiel", "(RDIE) is not taken over"),
    "option": ("vatom", "vatum", 'unknown option "vatum" of NONBONDED; did you mean "vatom"?'),
    "wildcard": ("CB 0.0 -0.07", "C* 0.0 -0.07", '"C*" stands for several types'),
    "X in bonds": ("CA CB  100", "X CB  100", '"X" stands for several types'),
    "dihedral": ("X  CB NX X ", "CA CB NX X ", "expected types A B C D or X B C X"),
    "improper": ("CB X X NX 7", "CB X NX NX 7", "expected A B C D, A X X D"),
    "multiplicity": ("1.5 2 180.0", "1.5 7 180.0", "the multiplicity is 7"),
    "CMAP": (" 1.6\n", "\n", "the CMAP has 15 energies; expected 4 times 4"),
    "Urey-Bradley": ("11.0 2.2", "11.0", "expected the length of the Urey-Bradley term"),
    "1-4": ("-0.01 1.7", "-0.01", "expected three numbers for 1-4 pairs"),
    "missing": ("NX CA NX 50.0 100.0", "", "there are no parameters of the angle of the types NX CA NX"),
    "Thole": ("NBFIX", "THOLE\nCA CB 1.0\nNBFIX", "Thole screening"),
}  # fmt: skip


@pytest.mark.parametrize("name", PRM_BROKEN)
def test_what_parameters_must_not_have(name, tmp_path):
    old, new, message = PRM_BROKEN[name]
    assert old in PRM
    with pytest.raises(SternaError) as caught:
        read(tmp_path, parameters=PRM.replace(old, new, 1))
    assert message in str(caught.value)
    assert re.search(r"a\.(prm|psf):\d+:\d+: error:", str(caught.value))


def test_streams_that_cannot_be_followed(tmp_path):
    for text, message in (
        ("if ?NATC eq 1 then\nendif\n", "what only CHARMM knows"),
        ("goto here\n", "goto is not taken over"), ("endif\n", "endif without"),
    ):  # fmt: skip
        with pytest.raises(SternaError, match=r"b\.str:2:1: error:") as caught:
            read(tmp_path, b_str="* title\n" + text)
        assert message in str(caught.value)


def test_a_coordinate_without_a_point_is_refused(tmp_path):
    """CHARMM reads 1.500 where NAMD reads 1500."""
    row = "ATOM      1  A1  MOL     7       1.000   2.000    1500  1.00  0.00\n"
    (tmp_path / "a.pdb").write_text(row)
    with pytest.raises(SternaError, match=r"a\.pdb:1:47: error: a coordinate has no decimal point"):
        read_pdb(tmp_path / "a.pdb")


def test_the_command(sterna, tmp_path):
    files(tmp_path)
    assert files_of_charmm([tmp_path / "a.psf"]) is None
    done = sterna(
        "import", "a.psf", "a.prm", "a.crd", "--box", "2,2,2", "--cutoff", 0.9, "--constraints", "none",
        "--compare", "-o", "out.toml",
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "the same lists: 7 exclusions, 2 1-4 pairs" in done.stdout
    written = tomllib.loads((tmp_path / "out.toml").read_text())
    assert written["electrostatics"]["permittivity"] == pytest.approx(332.0637131 / 332.0716)
    assert written["molecule"][0]["name"] == "MOL"
    done = sterna("check", "out.toml")
    assert done.returncode == 0, done.stdout + done.stderr
    done = sterna("import", "a.psf", "a.crd", "-o", "b.toml")
    assert "has no parameters" in done.stderr
