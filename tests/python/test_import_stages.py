"""Several files of settings of GROMACS or AMBER become the stages of one input."""

import re
import shutil
import tomllib
from pathlib import Path

import numpy
import pytest
from sterna import read_log
from test_import import GRO, TOP

DATA = Path(__file__).resolve().parents[1] / "data" / "import"
PME = "coulombtype = PME\nrvdw = 0.8\nrcoulomb = 0.8\n"
BATH = "tcoupl = v-rescale\ntc-grps = System\ntau-t = 0.1\nref-t = 300\n"
PRESSURE = "pcoupl = C-rescale\ntau-p = 3\nref-p = 1\ncompressibility = 5e-5\n"
HELD = "#ifdef POSRES\n[ position_restraints ]\n2 1 500 500 500\n#endif\n"
FILES = {
    "em.mdp": f"{PME}integrator = steep\nnsteps = 50\nemtol = 100\n",
    "nvt.mdp": f"{PME}{BATH}define = -DPOSRES\nnsteps = 40\ndt = 0.001\ngen-vel = yes\n"
    "gen-temp = 100\nconstraints = all-bonds\nannealing = single\nannealing-npoints = 2\n"
    "annealing-time = 0 0.04\nannealing-temp = 100 300\n",
    "npt.mdp": f"{PME}{BATH}{PRESSURE}define = -DPOSRES\nrefcoord-scaling = com\nnsteps = 40\n"
    "dt = 0.001\nconstraints = all-bonds\n",
    "md.mdp": f"{PME}{BATH}{PRESSURE}nsteps = 60\ndt = 0.001\nconstraints = all-bonds\n",
}


@pytest.fixture
def files(tmp_path):
    (tmp_path / "a.top").write_text(TOP.replace("[ system ]", f"{HELD}[ system ]"))
    (tmp_path / "a.gro").write_text(GRO)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    options = [word for name in FILES for word in ("--mdp", name)]
    return ["import", "a.top", "a.gro", *options]


def test_mdp_files_are_stages(files, sterna, tmp_path):
    done = sterna(*files, "-o", "out.toml")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "stages: em, nvt, npt, md" in done.stdout
    assert "em.mdp asks for other constraints" in re.sub(r"\s+", " ", done.stderr)
    written = tomllib.loads((tmp_path / "out.toml").read_text())
    em, nvt, npt, md = written["stage"]
    assert em["run"] == {"steps": 50, "integrator": "minimize"}
    assert nvt["start"] == {"temperature": 100.0}
    assert nvt["thermostat"]["end_temperature"] == 300.0
    assert "barostat" not in nvt and npt["barostat"]["pressure"] == 1.0
    # Restraints hold in two stages, each in its own way, and their group is one of all.
    assert npt["restraint"][0]["reference_scaling"] == "center"
    assert "restraint" in nvt and "restraint" not in em and "restraint" not in md
    assert [group["name"] for group in written["group"]] == ["restrained"]
    assert len(written["molecule"][0]["constraint"][0]["atoms"]) == 3
    checked = sterna("check", "out.toml")
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert "with 4 stages: em, nvt, npt, md" in checked.stdout
    done = sterna("run", "out.toml", "-n", "1")
    assert done.returncode == 0, done.stdout + done.stderr
    assert read_log(tmp_path / "output" / "out.md.log.jsonl").rows[-1]["step"] == 60


def test_one_file_is_no_stage(files, sterna, tmp_path):
    done = sterna(*files[:3], "--mdp", "md.mdp", "-o", "out.toml")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "stage" not in tomllib.loads((tmp_path / "out.toml").read_text())


WRONG = {
    "annealing-time = 0 0.04": ("annealing-time = 0 0.02", "expected the times 0 and 0.04 ps"),
    "annealing-temp = 100 300": ("annealing-temp = 0 300", "expected two temperatures above 0"),
    "annealing = single": ("annealing = periodic", "expected single for each of tc-grps"),
    "tcoupl = v-rescale": ("tcoupl = nose-hoover", "the temperature of Nose-Hoover stays"),
    "annealing-npoints = 2": ("annealing-npoints = 3", "expected two points for each"),
}


@pytest.mark.parametrize("old", WRONG)
def test_what_annealing_cannot_be_is_refused(old, files, sterna, tmp_path):
    new, message = WRONG[old]
    assert old in FILES["nvt.mdp"]
    (tmp_path / "nvt.mdp").write_text(FILES["nvt.mdp"].replace(old, new))
    done = sterna(*files, "-o", "out.toml")
    assert done.returncode == 2
    assert message in re.sub(r"\s+", " ", done.stderr)
    assert not (tmp_path / "out.toml").exists()


def test_mdin_files_are_stages(sterna, tmp_path):
    topology, places = DATA / "alcohol.prmtop", DATA / "alcohol.inpcrd"
    for path in (topology, places):
        shutil.copy(path, tmp_path / path.name)
    (tmp_path / "min.in").write_text(
        "min\n&cntrl\nimin = 1, maxcyc = 20, ntc = 2, ntf = 2, cut = 7.0,\n"
        "ntr = 1, restraint_wt = 2.0, restraintmask = ':1',\n/\n"
    )
    (tmp_path / "md.in").write_text(
        "md\n&cntrl\nnstlim = 20, dt = 0.001, ntc = 2, ntf = 2, cut = 7.0, ntt = 3, gamma_ln = 2,\n"
        "tempi = 300,\n/\n"
    )
    done = sterna(
        "import",
        topology.name,
        places.name,
        "--mdin",
        "min.in",
        "--mdin",
        "md.in",
        "-o",
        "out.toml",
    )
    assert done.returncode == 0, done.stdout + done.stderr
    written = tomllib.loads((tmp_path / "out.toml").read_text())
    assert [stage["name"] for stage in written["stage"]] == ["min", "md"]
    assert "restraint" in written["stage"][0] and "restraint" not in written["stage"][1]
    done = sterna("run", "out.toml", "-n", "1")
    assert done.returncode == 0, done.stdout + done.stderr
    rows = read_log(tmp_path / "output" / "out.md.log.jsonl").rows
    assert numpy.isfinite(rows[-1]["total_energy"]) and rows[-1]["step"] == 20
