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
    "annealing-time = 0 0.04": ("annealing-time = 0.01 0.04", "expected times that begin at 0"),
    "annealing-temp = 100 300": ("annealing-temp = -1 300", "expected temperatures of at least 0"),
    "annealing = single": ("annealing = periodic", "the same temperature at the begin and the end"),
    "tcoupl = v-rescale": ("tcoupl = no", "annealing without a thermostat is not taken over"),
    "annealing-npoints = 2": ("annealing-npoints = 3", "expected 3 numbers for each of tc-grps"),
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


ANNEALED = {
    # From here to there, and what is kept before and behind; steps of 0.001 ps.
    "single 3 0 10 20 100 300 250": {0: 100, 5: 200, 10: 300, 11: 295, 15: 275, 20: 250, 40: 250},
    "single 2 0 10 100 300": {0: 100, 10: 300, 11: 300, 40: 300},
    "single 2 0 80 100 300": {0: 100, 40: 200},
    "single 3 0 10 10 100 300 200": {10: 300, 11: 200, 40: 200},
    "single 1 0 250": {0: 250, 40: 250},
    "periodic 3 0 5 10 200 300 200": {0: 200, 5: 300, 10: 200, 15: 300, 18: 240, 35: 300, 40: 200},
}


@pytest.mark.parametrize("name", ANNEALED)
@pytest.mark.parametrize("kind", ["v-rescale", "nose-hoover", "no"])
def test_annealing_of_many_points(name, kind, files, sterna, tmp_path):
    """Source: `update_annealing_target_temp` of GROMACS, evaluated by hand."""
    how, count, *numbers = name.split()
    times = [0.001 * float(x) for x in numbers[: int(count)]]
    temperatures = numbers[int(count) :]
    integrator = "sd" if kind == "no" else "md"
    (tmp_path / "nvt.mdp").write_text(
        f"{PME}integrator = {integrator}\ntcoupl = {kind}\ntc-grps = System\ntau-t = 0.1\n"
        f"ref-t = 77\nnsteps = 40\ndt = 0.001\nannealing = {how}\nannealing-npoints = {count}\n"
        f"annealing-time = {' '.join(map(str, times))}\nannealing-temp = {' '.join(temperatures)}\n"
    )
    done = sterna(*files[:3], "--mdp", "nvt.mdp", "-o", "out.toml")
    said = re.sub(r"\s+", " ", done.stderr)
    if kind == "nose-hoover" and "does not move evenly" in said:
        assert done.returncode == 2 and int(count) > 1
        return
    assert done.returncode == 0, said
    found = tomllib.loads((tmp_path / "out.toml").read_text())["thermostat"]
    found = found if isinstance(found, list) else [found]

    def temperature_at(step):
        one = next(t for t in found if step <= t.get("stop_step", 40))
        first, last = one["temperature"], one.get("end_temperature", one["temperature"])
        begin, end = one.get("start_step", 0), one.get("stop_step", 40)
        return first + (last - first) * (step - begin) / max(end - begin, 1)

    expected = ANNEALED[name]
    assert {k: temperature_at(k) for k in expected} == pytest.approx(expected)
    checked = sterna("check", "out.toml")
    assert checked.returncode == 0, checked.stdout + checked.stderr


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
