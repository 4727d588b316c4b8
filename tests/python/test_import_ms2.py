"""`sterna import` of a state of ms2 (.par): composition, binary factors, state point, broken files."""

import tomllib

import pytest
from sterna import read_log
from test_import_molmod import CARBON_DIOXIDE, ion, lennard_jones


def sphere(sigma: float, epsilon: float, mass: float) -> str:
    site = lennard_jones(0.0, sigma, epsilon, mass)
    return f"NSiteTypes = 1\nSiteType = LJ126\nNSites = 1\n{site}NRotAxes = auto\n"


STATE = """\
# written as ms2par does
Units       =       SI
LengthUnit  =       3.0
EnergyUnit  =       100.0
Simulation  =       MD
TimeStep    =       7.0E-4
Ensemble    =       NPT
NEnsembles  =       1
CutoffMode  =       COM
#
# Ensemble 1
#
Temperature = 250.00
Pressure    = 4.5
Density     = 20.0
NParticles  = 200
NComponents = 3

PotModel    = CO2.pm
MolarFract  = 0.75
ChemPotMethod= none

PotModel    = CH4.pm
MolarFract  = 0.25
ChemPotMethod= none

PotModel    = Ar.pm
MolarFract  = 0.0
ChemPotMethod= Widom
NTest       = 300

eta         = 1.01
xi          = 0.95

eta         = 1.0
xi          = 1.0

eta         = 0.98
xi          = 0.9

Cutoff      = 3.0
Epsilon     = 1.0E10
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "CO2.pm").write_text(CARBON_DIOXIDE)
    (tmp_path / "CH4.pm").write_text(sphere(3.7281, 148.55, 16.043))
    (tmp_path / "Ar.pm").write_text(sphere(3.3952, 116.79, 39.948))
    (tmp_path / "Na.pm").write_text(ion(1.0, 22.99))
    return tmp_path


def imported(sterna, folder, text: str):
    (folder / "mix.par").write_text(text)
    return sterna("import", folder / "mix.par", "-o", folder / "mix.toml", "--overwrite")


def test_a_mixture_has_its_shares_factors_and_state(sterna, folder):
    done = imported(sterna, folder, STATE)
    assert done.returncode == 0, done.stderr
    assert "not kept: EnergyUnit, Simulation, TimeStep, Ensemble, Pressure" in done.stderr
    found = tomllib.loads((folder / "mix.toml").read_text())
    assert {one["name"]: one["fraction"] for one in found["component"] + found["type"]} == {
        "CO2": 0.75, "CH4": 0.25, "Ar": 0.0
    }  # fmt: skip
    # The pairs are (1, 2), (1, 3), (2, 3), of which the second one has no factors.
    first, second = found["pair"]
    assert (first["first"], first["second"]) == ("CO2", "CH4")
    assert (first["eta"], first["xi"]) == (1.01, 0.95)
    # Two atoms have numbers of their own: by Lorentz and Berthelot, times the factors.
    assert (second["first"], second["second"]) == ("CH4", "Ar")
    epsilon, unit = second["epsilon"].split()
    assert unit == "K"
    assert float(epsilon) == pytest.approx(0.9 * (148.55 * 116.79) ** 0.5, rel=1e-12)
    sigma, unit = second["sigma"].split()
    assert unit == "angstrom"
    assert float(sigma) == pytest.approx(0.98 * (3.7281 + 3.3952) / 2, rel=1e-12)
    assert found["start"] == {
        "kind": "random", "particles": 200, "density": "20 mol/l", "temperature": "250 K"
    }  # fmt: skip
    assert found["thermostat"]["temperature"] == "250 K"
    assert found["interaction"]["cutoff"] == "9 angstrom"
    inserted = {"interval": 20, "insertions": 300, "components": ["Ar"]}
    assert found["stage"][-1]["insertion"] == inserted
    text = (folder / "mix.toml").read_text()
    assert "steps = 10000" in text
    text = text.replace("steps = 10000", "steps = 40").replace("steps = 500", "steps = 100")
    (folder / "mix.toml").write_text(text)
    done = sterna("run", folder / "mix.toml", "-n", 1)
    assert done.returncode == 0, done.stdout + done.stderr
    assert read_log(next(folder.glob("*.run.log.jsonl")))["temperature"][-1] > 0.0
    assert "henry_constant_Ar" in next(folder.glob("*.insertion.txt")).read_text()


def test_sites_decide_on_the_cutoff_where_the_state_says_so(sterna, folder):
    done = imported(sterna, folder, STATE.replace("COM", "Site"))
    assert done.returncode == 0, done.stderr
    found = tomllib.loads((folder / "mix.toml").read_text())
    assert found["interaction"]["molecular_cutoff"] == "site"


BROKEN = {
    "two states": ("NEnsembles  =       1", "NEnsembles = 2", "mix.par:8:", "expected 1"),
    "units": ("       SI", "reduced", "mix.par:2:", "expected SI"),
    "a factor": ("xi          = 0.9\n", "", "mix.par: error", "3 pairs"),
    "an order": ("eta         = 0.98\n", "", "mix.par:", 'expected "eta"'),
    "a number": ("0.95", "0.9x", "mix.par:33:", "expected a number"),
    "components": ("NComponents = 3", "NComponents = 2", "mix.par:17:", "there are 3"),
    "a share": ("MolarFract  = 0.25\n", "", "mix.par: error", '"MolarFract" of CH4.pm'),
    "a model": ("CH4.pm", "C2H6.pm", "C2H6.pm", ""),
    "charges": ("Epsilon     = 1.0E10", "LongRange = Ewald", "mix.par:", "reaction field"),
    "no state": ("Temperature = 250.00\n", "", "mix.par: error", '"Temperature"'),
}


@pytest.mark.parametrize("case", BROKEN)
def test_what_is_broken_is_named(sterna, folder, case):
    old, new, place, words = BROKEN[case]
    assert old in STATE
    done = imported(sterna, folder, STATE.replace(old, new, 1))
    assert done.returncode == 2
    assert place in done.stderr
    assert words in done.stderr
    assert not (folder / "mix.toml").exists()


def test_options_of_other_files_are_refused(sterna, folder):
    (folder / "mix.par").write_text(STATE)
    done = sterna("import", folder / "mix.par", "-o", folder / "mix.toml", "--cutoff", "1.2")
    assert done.returncode == 2
    assert "--cutoff is not for states of ms2" in done.stderr
