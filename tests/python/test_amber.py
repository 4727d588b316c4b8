"""Topologies and places of AMBER, as AMBER reads them."""

import random
import re
from pathlib import Path

import numpy
import pytest
from sterna.errors import SternaError
from sterna.importing.amber.amber_system import Choices, read_amber
from sterna.importing.amber.coordinates import read_coordinates
from sterna.importing.molecules import Molecules

DATA = Path(__file__).resolve().parents[1] / "data" / "import"
CHOICES = Choices(0.4, "hydrogen")


def read(folder: Path, topology: str, places: str, choices: Choices = CHOICES):
    (folder / "a.prmtop").write_text(topology)
    (folder / "a.inpcrd").write_text(places)
    return read_amber(folder / "a.prmtop", folder / "a.inpcrd", choices)


def phenol() -> tuple[str, str]:
    return (DATA / "phenol.prmtop").read_text(), (DATA / "phenol.inpcrd").read_text()


def section(topology: str, name: str) -> str:
    found = re.search(rf"%FLAG {name} .*?(?=%FLAG|\Z)", topology, re.DOTALL)
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
