"""Topologies and places of AMBER, as AMBER reads them."""

import random
import re
from pathlib import Path

import numpy
import pytest
from sterna.errors import SternaError
from sterna.importing.amber import judge
from sterna.importing.amber.amber_system import Choices, read_amber
from sterna.importing.amber.coordinates import read_coordinates
from sterna.importing.comparison import compare_lists, start_of_sterna
from sterna.importing.molecules import Molecules
from sterna.importing.system import Term

DATA = Path(__file__).resolve().parents[1] / "data" / "import"
CHOICES = Choices(0.4, "hydrogen")


def read(folder: Path, topology: str, places: str, choices: Choices = CHOICES):
    (folder / "a.prmtop").write_text(topology)
    (folder / "a.inpcrd").write_text(places)
    return read_amber(folder / "a.prmtop", folder / "a.inpcrd", choices)


def phenol() -> tuple[str, str]:
    return (DATA / "phenol.prmtop").read_text(), (DATA / "phenol.inpcrd").read_text()


def section(topology: str, name: str) -> str:
    found = re.search(rf"%FLAG {name}\s.*?(?=%FLAG|\Z)", topology, re.DOTALL)
    assert found is not None
    return found[0]


def same(first, second) -> None:
    assert (first.atoms, first.types, first.pairs) == (second.atoms, second.types, second.pairs)
    assert first.terms == second.terms
    assert numpy.array_equal(first.positions, second.positions)


@pytest.mark.parametrize("water", ["tip4pew", "tip5p"])
def test_extra_points_are_where_leap_wrote_them(water):
    """The sites of five-point water lie away from the hydrogen atoms."""
    system = read_amber(DATA / f"{water}.prmtop", DATA / f"{water}.inpcrd", CHOICES)
    x = system.positions
    sites = [one for one in system.terms if one.section == "virtual_site"]
    assert len(sites) == (51 if water == "tip4pew" else 96)
    for one in sites:
        site, oxygen, first, second = one.atoms
        values = dict(one.parameters)
        u, v = x[first] - x[oxygen], x[second] - x[oxygen]
        place = x[oxygen] + values["a"] * u + values["b"] * v
        place += values.get("c", 0.0) * numpy.cross(u, v)
        # LEaP fills boxes of TIP4P-Ew with water of TIP4P, whose site is 0.0025 nm farther out.
        most = 3e-3 if water == "tip4pew" else 5e-4
        assert numpy.linalg.norm(place - x[site]) < most


@pytest.mark.parametrize("form", ["(8(F9.5))", "(8F9.5)", "(8f9.5)", "( 8F9.5 )"])
def test_formats_of_other_writers(form, tmp_path):
    topology, places = phenol()
    old = section(topology, "MASS")
    masses = [float(word) for line in old.splitlines()[2:] for word in line.split()]
    rows = ["".join(f"{m:9.5f}" for m in masses[k : k + 8]) for k in range(0, len(masses), 8)]
    new = "\n".join(["%flag mass", f"%FORMAT{form}", *rows, ""])
    same(read(tmp_path, topology.replace(old, new), places), read(tmp_path, topology, places))


def test_comments_marks_and_line_ends(tmp_path):
    topology, places = phenol()
    expected = read(tmp_path, topology, places)
    commented = topology.replace("%FORMAT(20a4)", "%COMMENT by hand\n%FORMAT(20a4)", 1)
    same(read(tmp_path, commented, places), expected)
    (tmp_path / "a.prmtop").write_bytes(b"\xef\xbb\xbf" + topology.replace("\n", "\r\n").encode())
    same(read_amber(tmp_path / "a.prmtop", tmp_path / "a.inpcrd", CHOICES), expected)


def changed(topology: str, name: str, row: int, text: str) -> str:
    """With another row of values in a section."""
    old = section(topology, name)
    lines = old.splitlines()
    lines[2 + row] = text + lines[2 + row][len(text) :]
    return topology.replace(old, "\n".join(lines) + "\n")


BROKEN = {
    "a letter in a number": (lambda t: changed(t, "CHARGE", 1, "  1.2x"), "CHARGE has"),
    "a number too few": (
        lambda t: t.replace(section(t, "MASS"), section(t, "MASS").rstrip()[:-16] + "\n"),
        "MASS has 51 values; expected 52, by NATOM in POINTERS",
    ),
    "a section that is missing": (
        lambda t: t.replace(section(t, "BOND_EQUIL_VALUE"), ""),
        "the section %FLAG BOND_EQUIL_VALUE is missing",
    ),
    "a misspelt section": (
        lambda t: t.replace("%FLAG MASS ", "%FLAG MASSS"),
        'unknown section "MASSS"; did you mean "MASS"?',
    ),
    "a section twice": (lambda t: t + section(t, "MASS"), "a second section MASS"),
    "no format": (
        lambda t: re.sub(r"(%FLAG MASS.*\n)%FORMAT.*\n", r"\1", t),
        "expected the %FORMAT of the section MASS",
    ),
    "an unknown format": (
        lambda t: re.sub(r"(%FLAG MASS.*\n)%FORMAT.*\n", r"\1%FORMAT(5Q16)\n", t),
        "expected a format of Fortran",
    ),
    "an atom beyond the last": (
        lambda t: changed(t, "BONDS_INC_HYDROGEN", 0, "    9999"), "BONDS_INC_HYDROGEN has the atom",
    ),
    "a format of nothing": (
        lambda t: re.sub(r"(%FLAG ATOM_NAME.*\n)%FORMAT.*\n", r"\1%FORMAT(00a4)\n", t),
        "a format without a number or width",
    ),
    "LES": (lambda t: t + "%FLAG LES_NTYP\n%FORMAT(10I8)\n       1\n", "locally enhanced sampling"),
    "polarizable atoms": (
        lambda t: t.replace(section(t, "IPOL"), "") + "%FLAG IPOL\n%FORMAT(1I8)\n       1\n",
        "polarizable atoms",
    ),
    "12-6-4": (
        lambda t: t + "%FLAG LENNARD_JONES_CCOEF\n%FORMAT(5E16.8)\n"
        + "".join(
            f"{1.0:16.8E}" + ("\n" if k % 5 == 4 else "")
            for k in range(len(section(t, "LENNARD_JONES_ACOEF").split()) - 3)
        ) + "\n",
        "12-6-4",
    ),
    "an older topology": (lambda t: t.split("\n", 1)[1].replace("%", "$"), "AMBER 7 or later"),
}  # fmt: skip


@pytest.mark.parametrize("name", list(BROKEN))
def test_broken_topologies_end_with_a_place(name, tmp_path):
    change, message = BROKEN[name]
    topology, places = phenol()
    if "IPOL" not in topology and name == "polarizable atoms":
        topology += "%FLAG IPOL\n%FORMAT(1I8)\n       0\n"
    with pytest.raises(SternaError) as caught:
        read(tmp_path, change(topology), places)
    assert message in str(caught.value)
    assert "a.prmtop" in str(caught.value)


def test_places_velocities_and_box(tmp_path):
    path = tmp_path / "a.rst7"
    rows = "   1.0000000   2.0000000   3.0000000   4.0000000   5.0000000   6.0000000\n"
    speeds = "   0.1000000   0.0000000   0.0000000   0.0000000   0.0000000  -0.2000000\n"
    box = "  30.0000000  40.0000000  50.0000000  90.0000000  90.0000000  90.0000000\n"
    path.write_text("title\n    2  0.5000000E+01\n" + rows + speeds + box)
    found = read_coordinates(path, 2, True)
    assert found.positions.tolist() == pytest.approx(
        numpy.array([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]])
    )
    assert found.velocities is not None
    assert found.velocities[0][0] == pytest.approx(0.1 * 20.455 * 0.1)
    assert found.box is not None
    assert numpy.diag(found.box) == pytest.approx([3.0, 4.0, 5.0])
    path.write_text("title\n    2\n" + rows)
    found = read_coordinates(path, 2, False)
    assert found.velocities is None
    assert found.box is None
    path.write_text("title\n    2\n" + rows.replace("4.0000000", "*********"))
    with pytest.raises(SternaError, match=r"a\.rst7:3:.*did not fit"):
        read_coordinates(path, 2, False)


def test_scattered_molecules_are_sorted(tmp_path):
    """Two pairs of atoms whose members take turns."""
    topology = TAKING_TURNS
    places = "title\n    4\n" + "".join(
        f"{x:12.7f}" + ("\n" if k % 6 == 5 else "")
        for k, x in enumerate([1, 1, 1, 9, 9, 9, 2, 1, 1, 9, 9, 8])
    ) + "\n" + "  20.0000000" * 3 + "  90.0000000" * 3 + "\n"  # fmt: skip
    system = read(tmp_path, topology, places, Choices(0.5, "none"))
    assert any("do not follow each other" in note for note in system.not_kept)
    molecules = Molecules(system)
    assert [kind.count for kind in molecules.kinds] == [2]
    assert molecules.order == [0, 2, 1, 3]


def test_random_damage_never_ends_in_a_traceback(tmp_path):
    topology, places = phenol()
    chance = random.Random(7)
    refused = 0
    for _ in range(120):
        texts = [topology, places]
        which = chance.randrange(2) if chance.random() < 0.3 else 0
        for _ in range(chance.randint(1, 3)):
            text = texts[which]
            at = chance.randrange(len(text))
            kind = chance.randrange(4)
            if kind == 0:
                texts[which] = text[:at]
            elif kind == 1:
                texts[which] = text[:at] + chance.choice("0-x%\n .*E") + text[at + 1 :]
            elif kind == 2:
                lines = text.splitlines(keepends=True)
                del lines[chance.randrange(len(lines))]
                texts[which] = "".join(lines)
            else:
                texts[which] = text[:at] + text[at + chance.randint(1, 20) :]
        try:
            read(tmp_path, *texts)
        except SternaError as error:
            refused += 1
            assert re.search(r"a\.(prmtop|inpcrd)", str(error)), str(error)
    assert refused > 40


def _section(name: str, form: str, values: str) -> str:
    return f"%FLAG {name}\n%FORMAT({form})\n{values}\n"


def _integers(*values: int) -> str:
    return "\n".join(
        "".join(f"{v:8d}" for v in values[k : k + 10]) for k in range(0, len(values), 10)
    )


def _numbers(*values: float) -> str:
    return "".join(f"{v:16.8E}" for v in values)


#: Atoms 1 and 3, and 2 and 4, are molecules.
TAKING_TURNS = "".join(
    (
        "%VERSION  VERSION_STAMP = V0001.000\n",
        _section("TITLE", "20a4", "turns"),
        _section(
            "POINTERS", "10I8",
            _integers(4, 1, 0, 2, 0, 0, 0, 0, 0, 0, 4, 1, 2, 0, 0, 1, 0, 0, 1, 0,
                      0, 0, 0, 0, 0, 0, 0, 1, 4, 0, 0),
        ),
        _section("ATOM_NAME", "20a4", "A   A   B   B   "),
        _section("CHARGE", "5E16.8", _numbers(0, 0, 0, 0)),
        _section("MASS", "5E16.8", _numbers(12, 12, 12, 12)),
        _section("ATOM_TYPE_INDEX", "10I8", _integers(1, 1, 1, 1)),
        _section("NUMBER_EXCLUDED_ATOMS", "10I8", _integers(1, 1, 1, 1)),
        _section("NONBONDED_PARM_INDEX", "10I8", _integers(1)),
        _section("RESIDUE_LABEL", "20a4", "MOL "),
        _section("RESIDUE_POINTER", "10I8", _integers(1)),
        _section("BOND_FORCE_CONSTANT", "5E16.8", _numbers(100)),
        _section("BOND_EQUIL_VALUE", "5E16.8", _numbers(1)),
        _section("ANGLE_FORCE_CONSTANT", "5E16.8", ""),
        _section("ANGLE_EQUIL_VALUE", "5E16.8", ""),
        _section("DIHEDRAL_FORCE_CONSTANT", "5E16.8", ""),
        _section("DIHEDRAL_PERIODICITY", "5E16.8", ""),
        _section("DIHEDRAL_PHASE", "5E16.8", ""),
        _section("LENNARD_JONES_ACOEF", "5E16.8", _numbers(1e6)),
        _section("LENNARD_JONES_BCOEF", "5E16.8", _numbers(1e3)),
        _section("BONDS_INC_HYDROGEN", "10I8", ""),
        _section("BONDS_WITHOUT_HYDROGEN", "10I8", _integers(0, 6, 1, 3, 9, 1)),
        _section("ANGLES_INC_HYDROGEN", "10I8", ""),
        _section("ANGLES_WITHOUT_HYDROGEN", "10I8", ""),
        _section("DIHEDRALS_INC_HYDROGEN", "10I8", ""),
        _section("DIHEDRALS_WITHOUT_HYDROGEN", "10I8", ""),
        _section("EXCLUDED_ATOMS_LIST", "10I8", _integers(3, 4, 0, 0)),
        _section("HBOND_ACOEF", "5E16.8", ""),
        _section("HBOND_BCOEF", "5E16.8", ""),
        _section("AMBER_ATOM_TYPE", "20a4", "c   c   c   c   "),
    )
)  # fmt: skip


# ---- CHAMBER, CMAP and 1-4 pairs by formulas of this test

KILOCALORIE = 4.184
#: kJ/mol nm/e^2, of AMBER and of CHARMM.
COULOMB, COULOMB_OF_CHARMM = 0.4184 * 18.2223**2, 0.4184 * 332.0716


def _chain(*sites: tuple[float, float, float]) -> numpy.ndarray:
    """Atoms from a distance, an angle and a dihedral angle each, in angstroms and degrees."""
    x = [numpy.zeros(3), numpy.array([sites[1][0], 0.0, 0.0])]
    r, angle = sites[2][0], numpy.radians(sites[2][1])
    x.append(x[1] + r * numpy.array([-numpy.cos(angle), numpy.sin(angle), 0.0]))
    for r, angle, turn in sites[3:]:
        a, b, c = x[-3:]
        along = (c - b) / numpy.linalg.norm(c - b)
        normal = numpy.cross(b - a, along)
        normal /= numpy.linalg.norm(normal)
        angle, turn = numpy.radians(angle), numpy.radians(turn)
        x.append(
            c - r * numpy.cos(angle) * along
            + r * numpy.sin(angle)
            * (numpy.cos(turn) * numpy.cross(normal, along) + numpy.sin(turn) * normal)
        )  # fmt: skip
    return numpy.array(x)


def _dihedral(x: numpy.ndarray, a: int, b: int, c: int, d: int) -> float:
    u, v, w = x[b] - x[a], x[c] - x[b], x[d] - x[c]
    first, second = numpy.cross(u, v), numpy.cross(v, w)
    return float(numpy.arctan2(numpy.linalg.norm(v) * (u @ second), first @ second))


PLACES = _chain((0, 0, 0), (1.5, 0, 0), (1.4, 111, 0), (1.45, 118, -90), (1.6, 105, 0))
MAP = [float(k) for k in (1, 2, 3, 4, 5, 60, 7, 8, 9, 10, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6)]
A_14, B_14 = [9e4, 4e4, 2e4], [90.0, 50.0, 20.0]


def five_atoms(is_chamber: bool) -> str:
    """A chain with all that CHAMBER or ff19SB adds to a topology; the types of its atoms: 1 1 2 1 2."""
    begin = "CHARMM_" if is_chamber else ""
    unit = 332.0716**0.5 if is_chamber else 18.2223
    sections = [
        "%VERSION  VERSION_STAMP = V0001.000\n",
        _section("CTITLE" if is_chamber else "TITLE", "a80" if is_chamber else "20a4", "chain"),
        _section(
            "POINTERS", "10I8",
            _integers(5, 2, 0, 4, 0, 3, 0, 3, 0, 0, 10, 1, 4, 3, 3, 1, 1, 3, 2, 0,
                      0, 0, 0, 0, 0, 0, 0, 1, 5, 0, 0),
        ),
        _section("ATOM_NAME", "20a4", "A   B   C   D   E   "),
        _section(
            "CHARGE", "3E24.16" if is_chamber else "5E16.8",
            "\n".join(
                f"{q * unit:24.16E}" * 1 if is_chamber else f"{q * unit:16.8E}"
                for q in (0.3, -0.2, 0.1, -0.4, 0.2)
            ) if is_chamber else _numbers(*(q * unit for q in (0.3, -0.2, 0.1, -0.4, 0.2))),
        ),
        _section("MASS", "5E16.8", _numbers(12, 12, 14, 12, 14)),
        _section("ATOM_TYPE_INDEX", "10I8", _integers(1, 1, 2, 1, 2)),
        _section("NUMBER_EXCLUDED_ATOMS", "10I8", _integers(3, 3, 2, 1, 1)),
        _section("NONBONDED_PARM_INDEX", "10I8", _integers(1, 2, 2, 3)),
        _section("RESIDUE_LABEL", "20a4", "MOL "),
        _section("RESIDUE_POINTER", "10I8", _integers(1)),
        _section("BOND_FORCE_CONSTANT", "5E16.8", _numbers(100)),
        _section("BOND_EQUIL_VALUE", "5E16.8", _numbers(1.3)),
        _section("ANGLE_FORCE_CONSTANT", "5E16.8", _numbers(30)),
        _section("ANGLE_EQUIL_VALUE", "5E16.8", _numbers(2.0)),
        _section("DIHEDRAL_FORCE_CONSTANT", "5E16.8", _numbers(1.5, 0.7, 0.0)),
        _section("DIHEDRAL_PERIODICITY", "5E16.8", _numbers(-2 if is_chamber else 2, 3, 0)),
        _section("DIHEDRAL_PHASE", "5E16.8", _numbers(3.141594, 0.5, 0)),
        _section("SCEE_SCALE_FACTOR", "5E16.8", _numbers(1.2, 0, 1.0)),
        _section("SCNB_SCALE_FACTOR", "5E16.8", _numbers(2.0, 0, 1.0)),
        _section("LENNARD_JONES_ACOEF", "5E16.8", _numbers(8e5, 5e5, 3e5)),
        _section("LENNARD_JONES_BCOEF", "5E16.8", _numbers(600, 450, 300)),
        _section("BONDS_INC_HYDROGEN", "10I8", ""),
        _section(
            "BONDS_WITHOUT_HYDROGEN", "10I8", _integers(0, 3, 1, 3, 6, 1, 6, 9, 1, 9, 12, 1)
        ),
        _section("ANGLES_INC_HYDROGEN", "10I8", ""),
        _section(
            "ANGLES_WITHOUT_HYDROGEN", "10I8", _integers(0, 3, 6, 1, 3, 6, 9, 1, 6, 9, 12, 1)
        ),
        _section("DIHEDRALS_INC_HYDROGEN", "10I8", ""),
        # The first pair by its first term; the second one by a term without an energy.
        _section(
            "DIHEDRALS_WITHOUT_HYDROGEN", "10I8",
            _integers(0, 3, 6, 9, 1, 0, 3, -6, 9, 2, 3, 6, 9, 12, 3),
        ),
        _section("EXCLUDED_ATOMS_LIST", "10I8", _integers(2, 3, 4, 3, 4, 5, 4, 5, 5, 0)),
        _section("HBOND_ACOEF", "5E16.8", ""),
        _section("HBOND_BCOEF", "5E16.8", ""),
        _section("AMBER_ATOM_TYPE", "20a4", "c   c   n   c   n   "),
        _section(f"{begin}CMAP_COUNT", "2I8", _integers(1, 1)),
        _section(f"{begin}CMAP_RESOLUTION", "20I4", "   4"),
        _section(
            f"{begin}CMAP_PARAMETER_01", "8(F9.5)",
            "\n".join("".join(f"{v:9.5f}" for v in MAP[k : k + 8]) for k in (0, 8)),
        ),
        _section(f"{begin}CMAP_INDEX", "6I8", _integers(1, 2, 3, 4, 5, 1)),
    ]  # fmt: skip
    if is_chamber:
        sections += [
            _section("FORCE_FIELD_TYPE", "i2,a78", " 1 CHARMM  31       *>>>>>CHARMM22"),
            _section("CHARMM_UREY_BRADLEY_COUNT", "2I8", _integers(1, 1)),
            _section("CHARMM_UREY_BRADLEY", "10I8", _integers(1, 3, 1)),
            _section("CHARMM_UREY_BRADLEY_FORCE_CONSTANT", "5E16.8", _numbers(11)),
            _section("CHARMM_UREY_BRADLEY_EQUIL_VALUE", "5E16.8", _numbers(2.2)),
            _section("CHARMM_NUM_IMPROPERS", "10I8", _integers(1)),
            _section("CHARMM_IMPROPERS", "10I8", _integers(2, 1, 3, 4, 1)),
            _section("CHARMM_NUM_IMPR_TYPES", "10I8", _integers(1)),
            _section("CHARMM_IMPROPER_FORCE_CONSTANT", "5E16.8", _numbers(40)),
            _section("CHARMM_IMPROPER_PHASE", "5E16.8", _numbers(0.1)),
            _section("LENNARD_JONES_14_ACOEF", "3E24.16", "".join(f"{a:24.16E}" for a in A_14)),
            _section("LENNARD_JONES_14_BCOEF", "3E24.16", "".join(f"{b:24.16E}" for b in B_14)),
        ]
    return "".join(sections)


def five_places(x: numpy.ndarray = PLACES) -> str:
    values = (x + 8.0).ravel()
    rows = ["".join(f"{v:12.7f}" for v in values[k : k + 6]) for k in range(0, len(values), 6)]
    return (
        "title\n    5\n" + "\n".join(rows) + "\n" + "  20.0000000" * 3 + "  90.0000000" * 3 + "\n"
    )


@pytest.mark.parametrize("is_chamber", [True, False], ids=["CHAMBER", "ff19SB"])
def test_energies_are_those_of_the_formulas(is_chamber, tmp_path):
    """Constants without 1/2, 1-4 coefficients of their own, maps with phi as rows from -180 degrees."""
    system = read(tmp_path, five_atoms(is_chamber), five_places(), Choices(0.9, "none"))
    row = start_of_sterna(Molecules(system), system.positions).row
    x = numpy.round(PLACES + 8.0, 7)

    def apart(a, b):
        return float(numpy.linalg.norm(x[a] - x[b]))

    def bend(a, b, c):
        u, v = x[a] - x[b], x[c] - x[b]
        return float(numpy.arccos(u @ v / numpy.linalg.norm(u) / numpy.linalg.norm(v)))

    phi = _dihedral(x, 0, 1, 2, 3)
    expected = {
        "bonded_harmonic_bond_energy": sum(100 * (apart(k, k + 1) - 1.3) ** 2 for k in range(4)),
        "bonded_harmonic_angle_energy": sum(
            30 * (bend(k, k + 1, k + 2) - 2.0) ** 2 for k in range(3)
        ),
        # A phase near pi is pi.
        "bonded_periodic_torsion_energy": 1.5 * (1 + numpy.cos(2 * phi - numpy.pi))
        + 0.7 * (1 + numpy.cos(3 * phi - 0.5)),
        # phi = -90 is the second row, psi = 0 the third column.
        "bonded_cmap_energy": MAP[1 * 4 + 2],
    }
    if is_chamber:
        improper = _dihedral(x, 1, 0, 2, 3)
        expected |= {
            "bonded_urey_bradley_energy": 11 * (apart(0, 2) - 2.2) ** 2,
            "bonded_harmonic_improper_energy": 40 * (improper - 0.1) ** 2,
        }
    # Types 1 1 and 1 2: divided by SCNB of their torsions.
    of_pairs = (A_14, B_14) if is_chamber else ([8e5, 5e5, 3e5], [600, 450, 300])
    (a1, a2), (b1, b2) = of_pairs[0][:2], of_pairs[1][:2]
    r, s = apart(0, 3), apart(1, 4)
    expected["bonded_lennard_jones_14_energy"] = (
        (a1 / r**12 - b1 / r**6) / 2.0 + a2 / s**12 - b2 / s**6
    )
    for name, value in expected.items():
        assert row[name] == pytest.approx(KILOCALORIE * value, rel=1e-6), name
    constant = COULOMB_OF_CHARMM if is_chamber else COULOMB
    charges = constant * (0.3 * -0.4 / 1.2 / (0.1 * r) + -0.2 * 0.2 / (0.1 * s))
    assert row["bonded_coulomb_14_energy"] == pytest.approx(charges, rel=1e-6)
    assert system.atoms[0].charge == pytest.approx(0.3, rel=1e-8 if is_chamber else 1e-7)


def test_lists_are_compared(tmp_path):
    """--compare finds a pair that one of two readers does not exclude."""
    (tmp_path / "a.prmtop").write_text(five_atoms(True))
    (tmp_path / "a.inpcrd").write_text(five_places())
    choices = Choices(0.9, "none")
    files = tmp_path / "a.prmtop", tmp_path / "a.inpcrd"
    system = read_amber(*files, choices)
    source = judge.source_of(*files, choices)
    assert compare_lists(source, system) == (7, 2)
    for section in ("exclusion", "special_pair"):
        wrong = read_amber(*files, choices)
        wrong.terms.remove(next(one for one in wrong.terms if one.section == section))
        with pytest.raises(SternaError, match="do not interact as others, for OpenMM only"):
            compare_lists(source, wrong)
    wrong = read_amber(*files, choices)
    place, pair = next((k, t) for k, t in enumerate(wrong.terms) if t.section == "special_pair")
    values = dict(pair.parameters)
    values["charge_product"] *= 1.01
    wrong.terms[place] = Term(pair.section, pair.atoms, tuple(values.items()))
    with pytest.raises(SternaError, match=r"A of MOL 1.* have the product of charges"):
        compare_lists(source, wrong)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("DIHEDRAL_PERIODICITY", 0, _numbers(0, 3, 0)), "DIHEDRAL_PERIODICITY has 0; expected an"),
        (("DIHEDRAL_PERIODICITY", 0, _numbers(2, -3, 0)), "DIHEDRAL_PERIODICITY has -3"),
        (("DIHEDRAL_PERIODICITY", 0, _numbers(2.5, 3, 0)), "DIHEDRAL_PERIODICITY has 2.5"),
        (("MASS", 0, _numbers(12, 1e40, 14, 12, 14)), "a mass is 1e+40; expected one of 0 to"),
        (("DIHEDRALS_WITHOUT_HYDROGEN", 0, _integers(9, 6, 3, 0, 1)), "the first atom stands where"),
        (("EXCLUDED_ATOMS_LIST", 0, _integers(2, 3, 5)), "are not in EXCLUDED_ATOMS_LIST"),
        (("CMAP_INDEX", 0, _integers(1, 2, 3, 4, 9, 1)), "CMAP_INDEX has the atom 9"),
        (("CMAP_COUNT", 0, _integers(2, 1)), "CMAP_INDEX has 6 values; expected 12"),
        (("CMAP_RESOLUTION", 0, "   5"), "CMAP_PARAMETER_01 has 16 values; expected 25"),
    ],
)  # fmt: skip
def test_what_makes_another_energy_is_refused(change, message, tmp_path):
    topology = changed(five_atoms(False), *change)
    with pytest.raises(SternaError) as caught:
        read(tmp_path, topology, five_places(), Choices(0.9, "none"))
    assert message in str(caught.value)
    assert re.search(r"a\.prmtop:\d+:\d+: error:", str(caught.value))


@pytest.mark.parametrize(
    ("box", "column", "message"),
    [
        (
            (20, 20, 20, 190, 90, 90),
            38,
            "an angle of the box is 190; expected one between 0 and 180",
        ),
        ((20, 20, 20, 90, 0, 90), 52, "an angle of the box is 0"),
        ((20, 20, 20, 30, 40, 150), 62, "no box has the angles 30, 40, 150"),
        ((20, -1, 20, 90, 90, 90), 3, "a length of the box is -1; expected one above 0"),
    ],
)
def test_impossible_boxes_are_told(box, column, message, tmp_path):
    lines = five_places().splitlines()
    lines[-1] = "".join(f"{value:12.7f}" for value in box)
    with pytest.raises(SternaError) as caught:
        read(tmp_path, five_atoms(False), "\n".join(lines) + "\n", Choices(0.9, "none"))
    assert message in str(caught.value)
    assert f"a.inpcrd:6:{column}: error:" in str(caught.value)


def test_molecules_across_the_box_are_told(tmp_path):
    """AMBER computes a bond at its full length; here it would be that to the nearest image."""
    x = PLACES.copy()
    x[3:] += (20.0, 0.0, 0.0)
    with pytest.raises(SternaError, match=r"a\.inpcrd:4:37: error: the atoms 3 and 4 are bonded"):
        read(tmp_path, five_atoms(False), five_places(x), Choices(0.9, "none"))


def test_velocities_without_the_box_of_the_topology_are_told(tmp_path):
    lines = five_places().splitlines()
    text = "\n".join([*lines[:5], *lines[2:5]]) + "\n"
    with pytest.raises(SternaError, match=r"a\.inpcrd:8:4: error: the file ends with velocities"):
        read(tmp_path, five_atoms(False), text, Choices(0.9, "none"))


def test_radii_of_implicit_solvent_are_told(tmp_path):
    """Where no box says that the solvent is there."""
    radii = _section("RADII", "5E16.8", _numbers(1.7, 1.7, 1.5, 1.7, 1.5))
    topology = five_atoms(False) + radii
    told = read(tmp_path, topology, five_places(), Choices(0.9, "none")).not_kept
    assert not any("implicit solvent" in note for note in told)
    old = section(topology, "POINTERS")
    words = [int(word) for word in old.split()[3:]]
    words[27] = 0
    topology = topology.replace(old, _section("POINTERS", "10I8", _integers(*words)))
    told = read(tmp_path, topology, five_places(), Choices(0.9, "none")).not_kept
    assert any("radii of implicit solvent are not taken over" in note for note in told)


# ---- restart files in NetCDF


def write_netcdf(path: Path, version: int, factor: float | None) -> dict[str, numpy.ndarray]:
    """By scipy, as AMBER writes them."""
    from scipy.io import netcdf_file

    chance = numpy.random.default_rng(3)
    arrays = {"coordinates": chance.normal(size=(5, 3)), "velocities": chance.normal(size=(5, 3))}
    with netcdf_file(path, "w", version=version) as file:
        file.Conventions = b"AMBERRESTART"
        file.ConventionVersion = b"1.0"
        for name, size in (("spatial", 3), ("atom", 5), ("cell_spatial", 3), ("cell_angular", 3),
                           ("label", 5)):  # fmt: skip
            file.createDimension(name, size)
        file.createVariable("time", "d", ())[...] = 4.5
        file.createVariable("spatial", "c", ("spatial",))[:] = b"xyz"
        for name, values in arrays.items():
            made = file.createVariable(name, "d", ("atom", "spatial"))
            made[:] = values
            made.units = b"angstrom" if name == "coordinates" else b"angstrom/picosecond"
            if name == "velocities" and factor is not None:
                made.scale_factor = factor
        for name, values in (("cell_lengths", (20.0, 21.0, 22.0)), ("cell_angles", (90.0,) * 3)):
            dimension = "cell_spatial" if name == "cell_lengths" else "cell_angular"
            file.createVariable(name, "d", (dimension,))[:] = values
    return arrays


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("factor", [20.455, None, 2.0])
def test_netcdf_restarts_are_those_of_another_reader(version, factor, tmp_path):
    path = tmp_path / "a.ncrst"
    arrays = write_netcdf(path, version, factor)
    found = read_coordinates(path, 5, True)
    assert numpy.allclose(found.positions, 0.1 * arrays["coordinates"], rtol=1e-14)
    assert found.velocities is not None
    speeds = 0.1 * (factor or 1.0) * arrays["velocities"]
    assert numpy.allclose(found.velocities, speeds, rtol=1e-7)  # The factor has single precision.
    assert found.box is not None
    assert numpy.allclose(found.box, numpy.diag([2.0, 2.1, 2.2]))
    mdtraj = pytest.importorskip("mdtraj.formats.amberrst")
    with mdtraj.AmberNetCDFRestartFile(str(path)) as file:
        positions, _, lengths, angles = file.read()
    assert numpy.allclose(found.positions, 0.1 * positions[0], rtol=1e-14)
    assert numpy.allclose(numpy.diag(found.box), 0.1 * lengths[0])
    assert angles[0].tolist() == [90.0] * 3


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: data[:200], "its header contradicts itself or is cut off"),
        (lambda data: data[:-300], "it ends before the end of"),
        (lambda data: data.replace(b"AMBERRESTART", b"AMBER"), "NetCDF"),
    ],
)
def test_broken_netcdf_restarts(change, message, tmp_path):
    path = tmp_path / "a.ncrst"
    write_netcdf(path, 2, 20.455)
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(SternaError, match=message) as caught:
        read_coordinates(path, 5, True)
    assert "a.ncrst" in str(caught.value)


@pytest.mark.parametrize(
    ("atoms", "message"), [(4, r"has the shape \(5, 3\); expected \(4, 3\)"), (5, "")]
)
def test_netcdf_restarts_of_another_system(atoms, message, tmp_path):
    path = tmp_path / "a.ncrst"
    write_netcdf(path, 2, 20.455)
    if not message:
        assert len(read_coordinates(path, atoms, True).positions) == atoms
        return
    with pytest.raises(SternaError, match=message):
        read_coordinates(path, atoms, True)


def test_the_box_of_the_topology_comes_before_that_of_the_option(tmp_path):
    """--box is for files that have none."""
    box = _section("BOX_DIMENSIONS", "5E16.8", _numbers(90, 21, 22, 23))
    places = "\n".join(five_places().splitlines()[:-1]) + "\n"
    choices = Choices(0.9, "none", (2.0, 2.0, 2.0))
    found = read(tmp_path, five_atoms(False) + box, places, choices)
    assert numpy.diag(found.box) == pytest.approx([2.1, 2.2, 2.3])
    assert numpy.diag(read(tmp_path, five_atoms(False), places, choices).box) == pytest.approx(
        [2.0] * 3
    )
