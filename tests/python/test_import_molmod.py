"""`sterna import` of models of MolMod and ms2 (.pm): what the input has, energies, broken files."""

import gzip
import tomllib

import numpy
import pytest
from sterna import read_log

HEADER = """\
#* MolMod - an Open Access Database of Force Fields *
# Substance     carbon dioxide
# CAS-No.       124-38-9
# Reference     T. Merker, C. Engin, J. Vrabec and H. Hasse, J. Chem.
#               Phys. 132, 234512 (2010)
"""


def lennard_jones(z, sigma, epsilon, mass):
    return f"x = 0.0\ny = 0.0\nz = {z}\nsigma = {sigma}\nepsilon = {epsilon}\nmass = {mass}\n"


# Merker's carbon dioxide, which the library has from its paper.
CARBON_DIOXIDE = (
    HEADER
    + "\nNSiteTypes  =  2\n\nSiteType   =  LJ126\nNSites   =  3\n\n#C\n"
    + lennard_jones(0.0, 2.8137, 12.3724, 12.011)
    + "#O(1)\n"
    + lennard_jones(1.2869, 2.9755, 100.493, 15.999)
    + lennard_jones(-1.2869, 2.9755, 100.493, 15.999)
    + "\nSiteType   =  Quadrupole\nNSites   =  1\n"
    "x = 0\ny = 0\nz = 0\ntheta = 0.0\nphi = 0.0\nquadrupole = 4.0739\nmass = 0.0\nshielding = 0.1\n"
    "\nNRotAxes   =   auto\n"
)


def ion(charge, mass):
    return (
        "NSiteTypes = 2\nSiteType = LJ126\nNSites = 1\n"
        + lennard_jones(0.0, 3.0, 50.0, mass)
        + f"SiteType = Charge\nNSites = 1\nx = 0\ny = 0\nz = 0\ncharge = {charge}\nmass = 0.0\n"
        "shielding = 1.0\nNRotAxes = auto\n"
    )


def imported(sterna, folder, *texts, names=("a.pm", "b.pm", "c.pm")):
    paths = []
    for name, text in zip(names, texts, strict=False):
        paths.append(folder / name)
        paths[-1].write_text(text, encoding="utf-8")
    return sterna("import", *paths, "-o", folder / "model.toml", "--overwrite")


def sections_of(folder):
    return tomllib.loads((folder / "model.toml").read_text(encoding="utf-8"))


def test_carbon_dioxide_has_the_energies_of_the_published_model(sterna, tmp_path):
    done = imported(sterna, tmp_path, CARBON_DIOXIDE, names=["co2.pm"])
    assert done.returncode == 0, done.stderr
    assert "shields of charges and moments" in done.stderr
    text = (tmp_path / "model.toml").read_text(encoding="utf-8")
    assert text.startswith("# co2: Substance carbon dioxide CAS-No. 124-38-9 Reference T. Merker")
    assert "Phys. 132, 234512 (2010)\n" in text
    dense = text.replace('"0.1 mol/l"', '"15 mol/l"')
    begin, end = dense.index("[[component]]"), dense.index("[interaction]")
    published = '[[component]]\nname = "co2"\nmodel = "carbon_dioxide_merker"\n\n'
    energies = []
    for name, one in (("own", dense), ("published", dense[:begin] + published + dense[end:])):
        file = tmp_path / f"{name}.toml"
        file.write_text(one, encoding="utf-8")
        done = sterna("run", file, "--steps", "100")
        assert done.returncode == 0, done.stderr
        energies.append(read_log(tmp_path / f"{name}.log.jsonl")["potential_energy"])
    assert numpy.abs(energies[0]).min() > 0
    numpy.testing.assert_allclose(energies[0], energies[1], rtol=1e-10)


def test_dipoles_point_along_their_angles_and_mass_may_stand_at_them(sterna, tmp_path):
    text = (
        "NSiteTypes = 2\nSiteType = LJ126\nNSites = 1\n"
        + lennard_jones(0.5, 3.0, 50.0, 12.0)
        + "SiteType = D\nNSites = 2\n"
        "x = 1\ny = 0\nz = 0\ntheta = 90\nphi = 90\ndipole = 1.5\nmass = 3.0\nshielding = 0\n"
        "x = 0\ny = 0\nz = 0\ntheta = 180.0\nphi = 17\ndipole = -2.0\nmass = 0\n"
        "NRotAxes = auto\nNFluct = 1\n0.1 0.1 0.1 0.1\n"
    )
    done = imported(sterna, tmp_path, text)
    assert done.returncode == 0, done.stderr
    assert "shields" not in done.stderr
    sections = sections_of(tmp_path)
    sites = sections["component"][0]["site"]
    assert [site["kind"] for site in sites] == ["lennard_jones", "dipole", "charge", "dipole"]
    assert sites[1]["axis"] == [0.0, 1.0, 0.0]
    assert sites[1]["dipole_moment"] == "1.5 D"
    assert sites[1]["position"] == [0.1, 0.0, 0.0]
    assert sites[2] == {
        "kind": "charge", "position": [0.1, 0.0, 0.0], "charge": 0.0, "mass": 3.0
    }  # fmt: skip
    assert sites[3]["axis"] == pytest.approx([0.0, 0.0, -1.0], abs=1e-12)
    assert sections["interaction"]["electrostatics"] == "reaction_field"
    assert sterna("check", tmp_path / "model.toml").returncode == 0


def test_moments_of_inertia_of_the_file(sterna, tmp_path):
    turning = CARBON_DIOXIDE.replace(
        "NRotAxes   =   auto", "NRotAxes = 2\nTotalMass = 44.009\nInertMomX = 53\nInertMomY = 53.5"
    )
    done = imported(sterna, tmp_path, turning)
    assert done.returncode == 0, done.stderr
    inertia = sections_of(tmp_path)["component"][0]["inertia"]
    assert inertia == ["53.0 u*angstrom^2", "53.5 u*angstrom^2", "0.0 u*angstrom^2"]
    assert sterna("check", tmp_path / "model.toml").returncode == 0


def test_ions_and_atoms_are_types_and_the_system_is_neutral(sterna, tmp_path):
    argon = "NSiteTypes = 1\nSiteType = LJ126\nNSites = 1\n" + lennard_jones(0, 3.4, 117, 39.948)
    argon += "NRotAxes = 0\n"
    done = imported(
        sterna,
        tmp_path,
        ion("+2.0", 40.0),
        ion("-1", 35.5),
        argon,
        names=["ca.pm", "cl.pm", "ar.pm"],
    )
    assert done.returncode == 0, done.stderr
    sections = sections_of(tmp_path)
    assert {kind["name"]: kind["fraction"] for kind in sections["type"]} == {
        "ca": 0.5, "cl": 1.0, "ar": 1.0
    }  # fmt: skip
    assert sections["electrostatics"]["kind"] == "fmm"
    assert "component" not in sections
    checked = sterna("check", tmp_path / "model.toml")
    assert checked.returncode == 0, checked.stderr


def test_a_charged_model_alone_is_refused(sterna, tmp_path):
    done = imported(sterna, tmp_path, ion("+1", 23.0), names=["na.pm"])
    assert done.returncode == 2
    assert "na has a charge of +1; name a model with a negative charge beside it" in done.stderr
    assert not (tmp_path / "model.toml").exists()


def test_files_of_windows_and_compressed_ones(sterna, tmp_path):
    done = imported(sterna, tmp_path, "\ufeff" + CARBON_DIOXIDE.replace("\n", "\r\n"))
    assert done.returncode == 0, done.stderr
    plain = sections_of(tmp_path)
    packed = tmp_path / "a.pm.gz"
    packed.write_bytes(gzip.compress(CARBON_DIOXIDE.encode()))
    done = sterna("import", packed, "-o", tmp_path / "model.toml", "--overwrite")
    assert done.returncode == 0, done.stderr
    assert sections_of(tmp_path) == plain


@pytest.mark.parametrize(
    ("old", "new", "place", "message"),
    [
        ("LJ126", "Mie", "9:15", 'SiteType is "Mie"; expected LJ126, Charge, Dipole or Quadrupole'),
        ("Quadrupole\n", "Quadropole\n", "33:15", 'did you mean "Quadrupole"?'),
        ("sigma = 2.8137", "epsilon = 2.8137", "16:1", 'expected "sigma"; found "epsilon"'),
        ("sigma = 2.8137", "sigma = 0", "16:9", "sigma is 0; expected more than 0"),
        ("sigma = 2.8137", "sigma 2.8137", "16:1", "expected `key = value`"),
        (
            "epsilon = 12.3724",
            "epsilon = twelve",
            "17:11",
            'epsilon is "twelve"; expected a number',
        ),
        ("mass = 12.011", "mass = -1", "18:8", "mass is -1; expected at least 0"),
        ("NSites   =  3", "NSites = 2", "26:1", 'expected "SiteType"; found "x"'),
        ("NSites   =  3", "NSites = 4", "33:1", 'expected "x"; found "SiteType"'),
        ("NSiteTypes  =  2", "NSiteTypes = some", "7:14", "expected an integer from 1 to 100"),
        ("NRotAxes   =   auto", "NRotAxes = 4", "44:12", "expected auto, 0, 2 or 3"),
        (
            "NRotAxes   =   auto",
            "NRotAxes = 2\nTotalMass = 40\nInertMomX = 5\nInertMomY = 5",
            "45:13",
            "TotalMass is 40 u, and the sites have 44.009 u; expected the same",
        ),
        ("NRotAxes   =   auto", "NIdfTypes = 1", "44:1", "NIdfTypes is of flexible molecules"),
        ("NRotAxes   =   auto", "NRotAxes = auto\nx = 1", "45:1", 'unexpected "x" behind the last'),
    ],
)
def test_broken_files_are_refused_with_their_place(sterna, tmp_path, old, new, place, message):
    assert old in CARBON_DIOXIDE
    done = imported(sterna, tmp_path, CARBON_DIOXIDE.replace(old, new, 1))
    assert done.returncode == 2
    assert f"a.pm:{place}: error: " in done.stderr
    assert message in done.stderr
    assert not (tmp_path / "model.toml").exists()


def test_other_errors(sterna, tmp_path):
    done = imported(sterna, tmp_path, CARBON_DIOXIDE[: CARBON_DIOXIDE.index("NRotAxes")])
    assert done.returncode == 2
    assert 'expected "NRotAxes"; found the end of the file' in done.stderr
    path = tmp_path / "a.pm"
    path.write_text(CARBON_DIOXIDE, encoding="utf-8")
    done = sterna("import", path, "--cutoff", "1", "-o", tmp_path / "model.toml")
    assert done.returncode == 2
    assert "--cutoff is not for models of MolMod" in done.stderr
    (tmp_path / "model.toml").write_text("kept", encoding="utf-8")
    done = sterna("import", path, "-o", tmp_path / "model.toml")
    assert done.returncode == 2
    assert "--overwrite replaces it" in done.stderr
    assert (tmp_path / "model.toml").read_text(encoding="utf-8") == "kept"
    (tmp_path / "other").mkdir()
    twin = tmp_path / "other" / "a.pm"
    twin.write_text(CARBON_DIOXIDE, encoding="utf-8")
    done = sterna("import", path, twin, "-o", tmp_path / "two.toml")
    assert done.returncode == 2
    assert "two models are called a" in done.stderr
    done = sterna("import", path, tmp_path / "conf.gro", "-o", tmp_path / "two.toml")
    assert done.returncode == 2
    assert "expected such models alone" in done.stderr
