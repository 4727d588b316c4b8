"""Broken files of AMBER, CHARMM and OpenMM: where the mistake is, and what was expected."""

import random
import re
from pathlib import Path

import pytest
from sterna import SternaError
from sterna.importing.amber import amber_system
from sterna.importing.charmm import charmm_system
from sterna.importing.molecules import Molecules
from sterna.importing.openmm_system import system_of
from sterna.importing.sources import Settings, read
from test_import import DATA, all_forces, write_system

#: Of each kind of system, the files that belong together.
SYSTEMS = {
    "amber": ("a.prmtop", "a.inpcrd"),
    "charmm": ("a.psf", "a.prm", "a.rtf", "a.pdb"),
    "openmm": ("a.xml", "places.pdb"),
}


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> dict[str, str]:
    """The text of each file as it should be."""
    folder = tmp_path_factory.mktemp("whole")
    write_system(folder, *all_forces())
    texts = {f"a.{path.suffix[1:]}": path.read_text() for path in DATA.glob("alcohol.*")}
    return texts | {
        "a.xml": (folder / "system.xml").read_text(),
        "places.pdb": (folder / "places.pdb").read_text(),
    }


def take_over(folder: Path, whole: dict[str, str], file: str, text: str) -> None:
    """Imports the system that `file` belongs to, with this text in it."""
    (names,) = (names for names in SYSTEMS.values() if file in names)
    for name in names:
        (folder / name).write_text(text if name == file else whole[name])
    files = [folder / name for name in names]
    if names == SYSTEMS["amber"]:
        system = amber_system.read_amber(*files, amber_system.Choices(0.8, "none"))
    elif names == SYSTEMS["charmm"]:
        choices = charmm_system.Choices(0.8, "none")
        system = charmm_system.read_charmm(files[0], files[1:-1], files[-1], choices)
    else:
        system = system_of(read(files, Settings([], 0.8, "none")))
    Molecules(system)


def line(number: int):
    """The text of a line, counted from 1."""
    return lambda text: text.splitlines(keepends=True)[number - 1]


#: The file; what stands in it, or which line; what stands there instead; what the message must say.
#: Nothing in place of what stands there: the file is empty.
BROKEN = {
    "chamber": ("a.prmtop", "%FLAG TITLE", "%FLAG CTITLE",
                "the section %FLAG LENNARD_JONES_14_ACOEF is missing"),
    "pointers": ("a.prmtop", "%FLAG POINTERS", "%FLAG POINTER",
                 'a.prmtop:5:7: error: unknown section "POINTER"; did you mean "POINTERS"?'),
    "flag": ("a.prmtop", "%FLAG CHARGE", "%FLAG CHARG", 'did you mean "CHARGE"?'),
    "prmtop number": ("a.prmtop", "-1.82223000E+00", "-1.8x223000E+00",
                      'a.prmtop:16:2: error: CHARGE has "-1.8x223000E+00"; expected a number in 16'),
    "prmtop integer": ("a.prmtop", "      15       4", "     1.5       4",
                       'a.prmtop:7:6: error: POINTERS has "1.5"; expected an integer in 8 columns'),
    "prmtop count": ("a.prmtop", "      15       4", "      16       4",
                     "ATOM_TYPE_INDEX has 15 values; expected 16, by NATOM in POINTERS"),
    "prmtop twice": ("a.prmtop", "%FLAG CHARGE", "%FLAG ATOM_NAME", "a second section ATOM_NAME"),
    "prmtop cut": ("a.prmtop", lambda text: text[len(text) // 2 :], "",
                   "is missing; the file is no topology of AMBER, or was cut short"),
    "prmtop empty": ("a.prmtop", None, "", "the section %FLAG POINTERS is missing"),
    "prmtop other": ("a.prmtop", None, "this is a letter\n",
                     "a.prmtop:1:1: error: expected %VERSION and %FLAG lines: a topology of AMBER"),
    "inpcrd count": ("a.inpcrd", line(2), "many\n",
                     'a.inpcrd:2:1: error: the number of atoms is "many"; expected an integer'),
    "inpcrd number": ("a.inpcrd", line(4), "a b c d e f\n",
                      'a.inpcrd:4:1: error: a coordinate is "a b c d e f"; expected a number in 12'),
    "inpcrd short": ("a.inpcrd", line(5), "",
                     "a.inpcrd:9:4: error: a line of coordinates with 3 numbers; expected 6"),
    "inpcrd cut": ("a.inpcrd", lambda text: "".join(text.splitlines(True)[4:]), "",
                   "a.inpcrd: error: it ends after 12 of 45 numbers of coordinates"),
    "inpcrd empty": ("a.inpcrd", None, "", "a.inpcrd: error: expected a title, the number of atoms"),
    "psf head": ("a.psf", "PSF", "PDF",
                 'a.psf:1:1: error: expected "PSF" at the beginning of the first line'),
    "psf section": ("a.psf", "!NATOM", "!NATMO", "the section !NATOM is missing; the file is no PSF"),
    "psf atom": ("a.psf", line(7), "x\n", 'a.psf:7:1: error: expected an atom: number, segment'),
    "psf atoms": ("a.psf", "15 !NATOM", "16 !NATOM", "error: !NATOM ends after 15 of 16 atoms"),
    "psf charge": ("a.psf", "-0.100000", "-0.1O0000",
                   'error: the charge is "-0.1O0000"; expected a number'),
    "psf cut": ("a.psf", lambda text: text[len(text) // 2 :], "", "is missing; the file is no PSF"),
    "prm number": ("a.prm", "337.30     1.0920", "337.30     1,0920",
                   'a.prm:12:27: error: number 2 of this line of BOND is "1,0920"; expected a number'),
    "prm short": ("a.prm", "46.40   110.05   20.00   2.2000", "46.40",
                  "error: expected number 2 of this line of ANGL; found the end of the line"),
    "prm section": ("a.prm", "ANGLES", "ANGELS",
                    'a.prm:17:1: error: unknown section "ANGELS"; did you mean "ANGLES"?'),
    "prm empty": ("a.prm", None, "", "a.prm: error: there are no parameters of CHARMM in it"),
    "prm missing": ("a.prm", "HA     CT3     337.30     1.0920\n", "", "a.psf:24:10: error: there are no parameters of the bond of the types HA CT3 in"),
    "pdb coordinate": ("a.pdb", line(2),
                       "ATOM      1  C1  MOL     1       4.1oo   4.100   5.200  0.00  0.00\n",
                       'a.pdb:2:31: error: coordinate x is "4.1oo"; expected a number in columns 31'),
    "pdb box": ("a.pdb", line(1), "", "a.pdb has no box; expected a CRYST1 line, or --box with"),
    "pdb edge": ("a.pdb", line(1), "CRYST1   2x.000   20.000   20.000  90.00  90.00  90.00\n",
                 'a.pdb:1:7: error: edge or angle a is "2x.000"; expected a number in columns 7'),
    "pdb short": ("a.pdb", line(2), "", "a.pdb has 14 atoms, and the system of"),
    "pdb empty": ("a.pdb", None, "", "a.pdb: error: there is no ATOM or HETATM line in it"),
    "xml other": ("a.xml", "<System", "<State",
                  "a.xml:2:1: error: the file has a State; expected a System that OpenMM wrote"),
    "xml cut": ("a.xml", lambda text: text[300:], "", "error: this is no XML: unclosed token"),
    "xml force": ("a.xml", 'type="HarmonicBondForce"', 'type="HarmonicBandForce"',
                  'OpenMM has no force "HarmonicBandForce"; did you mean "HarmonicBondForce"?'),
    "xml number": ("a.xml", ' k="200000"', ' k="2oo000"',
                   'error: k of this Bond is "2oo000"; expected a number'),
    "xml empty": ("a.xml", None, "", "a.xml: error: the file is empty; expected a System"),
}  # fmt: skip


def changed(text: str, old: object, new: str) -> str:
    """The first place only."""
    if old is None:
        return new
    found = old(text) if callable(old) else old
    assert found in text
    return text.replace(found, new, 1)


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_told_with_its_place(name, whole, tmp_path):
    file, old, new, message = BROKEN[name]
    with pytest.raises(SternaError) as caught:
        take_over(tmp_path, whole, file, changed(whole[file], old, new))
    assert caught.value.status == 2
    assert message in str(caught.value), str(caught.value)


@pytest.mark.parametrize("file", [name for names in SYSTEMS.values() for name in names])
def test_whole_files_are_taken(file, whole, tmp_path):
    take_over(tmp_path, whole, file, whole[file])


@pytest.mark.parametrize("file", [name for names in SYSTEMS.values() for name in names])
def test_what_is_broken_at_random_is_an_error_or_a_system(file, whole, tmp_path):
    numbers = random.Random(file)
    pieces = ["", "x", "-1", "nan", "1e999", "99999999999999", "\n", " ", "[ atoms ]", "%FLAG", "é",
              "!NBOND", "<", ">", '"', "\0"]  # fmt: skip
    errors = 0
    for _ in range(25):
        words = list(re.finditer(r"\S+", whole[file]))
        word = numbers.choice(words)
        text = whole[file][: word.start()] + numbers.choice(pieces) + whole[file][word.end() :]
        try:
            take_over(tmp_path, whole, file, text)
        except SternaError as error:
            assert error.status in (1, 2)
            errors += 1
    assert errors > 0
