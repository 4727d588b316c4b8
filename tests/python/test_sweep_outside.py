"""Sweeps under a launcher, as job arrays, killed again and again; their plots, reports and references."""

import csv
import os
import random
import re
import signal
import subprocess
import sys
import time
import tomllib

import numpy
import pytest
from conftest import sterna_environment
from sterna.errors import SternaError
from sterna.launching.launch import find_launcher, find_program
from sterna.sweeps.groups import place_of_launcher, without_launcher
from sterna.sweeps.sweep import Sweep
from test_sweep import study

COMMAND = [sys.executable, "-m", "sterna", "sweep"]


def command(*arguments, **keys):
    return subprocess.run(
        [*map(str, arguments)], capture_output=True, text=True, check=False, timeout=300,
        env=sterna_environment() | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                                    "PRTE_ALLOW_RUN_AS_ROOT": "1", "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM": "1"},
        stdin=subprocess.DEVNULL, **keys,
    )  # fmt: skip


def logs(sweep):
    return {run.directory.name: run.result.log.rows for run in sweep.runs}


def test_groups_of_ranks_make_each_run_once(tmp_path):
    alone, together = tmp_path / "alone", tmp_path / "together"
    for folder in (alone, together):
        folder.mkdir()
    densities = "0.5, 0.52, 0.54, 0.56"
    expected = Sweep(study(alone, densities))
    assert expected.run(lambda _: None, cores=2)
    path = study(together, densities)
    launcher = [find_launcher(find_program()), "--map-by", ":OVERSUBSCRIBE", "-n", "2"]
    done = command(*launcher, *COMMAND, path)
    assert done.returncode == 0, done.stdout + done.stderr
    sweep = Sweep(path)
    assert [row["state"] for row in sweep.rows()] == ["complete"] * 4
    for run in sweep.runs:
        output = (run.directory / "output.txt").read_text()
        assert output.count("steps/s") <= 1, output
    assert logs(sweep) == logs(expected)
    with (together / "study" / "results.csv").open() as file:
        assert len(list(csv.DictReader(file))) == 4
    # Groups of two ranks.
    pairs = study(together, densities, more="ranks = 2\ndirectory = 'pairs'")
    done = command(*launcher, *COMMAND, pairs)
    assert done.returncode == 0, done.stdout + done.stderr
    assert [run.state for run in Sweep(pairs).runs] == ["complete"] * 4
    threes = study(together, densities, more="ranks = 3\ndirectory = 'threes'")
    done = command(*launcher, *COMMAND, threes)
    assert done.returncode != 0
    assert "no groups of 3" in done.stdout + done.stderr


def test_what_a_launcher_tells():
    assert place_of_launcher({}) is None
    # A batch script is no launcher.
    assert place_of_launcher({"SLURM_PROCID": "0", "SLURM_JOB_ID": "5"}) is None
    found = place_of_launcher({"SLURM_PROCID": "3", "SLURM_STEP_NUM_TASKS": "8"})
    assert (found.rank, found.size) == (3, 8)
    assert found.leads(3) and not found.leads(2)
    with pytest.raises(SternaError, match="does not tell"):
        place_of_launcher({"PMIX_RANK": "0"})
    assert without_launcher({"PMIX_RANK": "0", "SLURM_JOB_ID": "1", "PATH": "/bin"}) == {
        "PATH": "/bin"
    }


def test_a_job_array_of_slurm(tmp_path):
    """The script as Slurm runs it, task by task."""
    path = study(
        tmp_path, "0.5, 0.55, -1.0", more='[slurm]\ntime = "1:00:00"\npartition = "short"\n'
    )
    done = command(*COMMAND, path, "--slurm")
    assert done.returncode == 0, done.stdout + done.stderr
    script = tmp_path / "study" / "sweep.sbatch"
    assert f"sbatch {script}" in done.stdout
    text = script.read_text()
    for line in ("--array=1-3", "--ntasks=1", "--time=1:00:00", "--partition=short"):
        assert f"#SBATCH {line}\n" in text
    for task, expected in ((1, 0), (2, 0), (3, 1)):
        found = subprocess.run(
            ["bash", script], cwd="/", capture_output=True, text=True, check=False,
            env=sterna_environment() | {"SLURM_ARRAY_TASK_ID": str(task), "SLURM_JOB_ID": "7",
                                        "SLURM_PROCID": "0", "SLURM_NTASKS": "1"},
        )  # fmt: skip
        assert found.returncode == expected, found.stdout + found.stderr
    done = command(*COMMAND, path, "--status")
    assert done.stdout.count("complete") == 2
    with (tmp_path / "study" / "results.csv").open() as file:
        assert [row["runs"] for row in csv.DictReader(file)] == ["1", "1", "0"]
    # Another script has what is missing.
    done = command(*COMMAND, path, "--slurm")
    assert "with 1 runs" in done.stdout
    assert "#SBATCH --array=1-1\n" in script.read_text()


def test_one_run_by_its_name(tmp_path):
    sweep = Sweep(study(tmp_path))
    name = next(sweep.runs).directory.name
    assert sweep.run(lambda _: None, only=name)
    assert [run.state for run in sweep.runs] == ["complete", "waiting"]
    with pytest.raises(SternaError, match="there is no run"):
        sweep.run(only=name[:-1])


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("[slurm]\narray = '1-5'", '"array" is what the sweep itself says'),
        ("[slurm]\ntime = [1]", "expected a text or number"),
        ("slurm = 3", "expected \\[slurm\\] as a table"),
        ("[reference]\nscv = 'x'", "did you mean 'csv'"),
        ("[reference]\nlabel = 'x'", "one of csv, coolprop, teqp"),
        ("[reference]\ncsv = 'x'\nteqp = 'Argon'", "one of csv, coolprop, teqp"),
        ("[reference]\ncsv = 'none.csv'", "none.csv cannot be read: No such file"),
        ("replicas = 2\n[[together]]\n'run.seed' = [1, 2]", "which count up from run.seed"),
    ],
)
def test_what_is_wrong_in_a_study(more, said, tmp_path):
    with pytest.raises(SternaError, match=said):
        Sweep(study(tmp_path, more=more))


def test_replicas_of_points_with_seeds_of_their_own(tmp_path):
    more = "replicas = 2\n[[together]]\n'run.seed' = [1, 10]"
    sweep = Sweep(study(tmp_path, more=more))
    seeds = [tomllib.loads(run.text)["run"]["seed"] for run in sweep.runs]
    assert sorted(seeds) == sorted(2 * [1, 2, 10, 11])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"", "known.csv:1: expected names of columns"),
        (b"start.density,pressure\n", "known.csv:1: expected names of columns"),
        (b"start.density,pressure\n0.5,1\n0.6,much\n", "known.csv:3: could not convert"),
        (b"start.density,pressure\n0.5,1,2\n", "known.csv:2: 3 values, expected 2"),
        (b"\xff\xfe\x00", "known.csv: no table of the kind CSV"),
    ],
)
def test_a_reference_that_is_no_table_is_told_before_the_runs(text, said, tmp_path):
    (tmp_path / "known.csv").write_bytes(text)
    with pytest.raises(SternaError, match=said):
        Sweep(study(tmp_path, more='[reference]\ncsv = "known.csv"'))


def test_plots_and_a_report_beside_a_reference(tmp_path):
    (tmp_path / "known.csv").write_text("start.density,pressure\n0.5,0.7\n0.6,1.1\n")
    more = 'replicas = 2\n[reference]\ncsv = "known.csv"\nlabel = "experiment"\n'
    path = study(tmp_path, more=more)
    done = command(*COMMAND, path, "--report")
    assert done.returncode == 0, done.stdout + done.stderr
    sweep = Sweep(path)
    page = (tmp_path / "study" / "report.html").read_text()
    assert page.count("<svg") >= len(sweep.rows()[0]) // 5
    assert "experiment" in page
    row = sweep.rows()[0]
    from sterna.support.measured import measured_text  # noqa: PLC0415

    assert measured_text(row["pressure"], row["pressure_error"]) in page
    # Spreadsheets write a mark of the byte order at the beginning.
    (tmp_path / "known.csv").write_text("\ufeffstart.density,pressure\n0.5,0.7\n")
    assert sweep.reference.rows(sweep.rows(), {}) == [{"start.density": 0.5, "pressure": 0.7}]
    # A reference of something else is no reference.
    (tmp_path / "known.csv").write_text("start.density,presure\n0.5,0.7\n")
    with pytest.raises(SternaError, match="did you mean 'pressure'"):
        sweep.write_report()
    (tmp_path / "known.csv").write_text("start.density,pressure\n0.5,much\n")
    with pytest.raises(SternaError, match="known.csv:2"):
        sweep.write_report()
    (tmp_path / "known.csv").write_text("start.density,pressure\n0.5,0.7\n0.6,1.1\n")
    pytest.importorskip("matplotlib")
    (axes,) = sweep.plot("pressure").axes
    (drawn,) = axes.containers
    line, _, (strokes,) = drawn
    assert list(line.get_ydata()) == [r["pressure"] for r in sweep.rows()]
    low, high = strokes.get_segments()[0][:, 1]
    assert (high - low) / 2 == pytest.approx(row["pressure_error"])
    assert list(axes.lines[-1].get_ydata()) == [0.7, 1.1]
    assert axes.get_ylabel() == "pressure"
    with pytest.raises(SternaError, match="did you mean 'pressure'"):
        sweep.plot("presure")
    image = tmp_path / "plots.png"
    assert command(*COMMAND, path, "--status", "--plot", image).returncode == 0
    assert image.read_bytes().startswith(b"\x89PNG")


ARGON = """\
units = "nano"
[run]
steps = 20
timestep = "4 fs"
[start]
kind = "random"
particles = 200
density = "1.3 g/cm^3"
temperature = "94 K"
[[type]]
name = "Ar"
mass = "39.948 u"
epsilon = "119.8 K"
sigma = "3.405 angstrom"
[interaction]
cutoff = "0.8 nm"
[thermostat]
kind = "langevin"
temperature = "94 K"
time_constant = "0.5 ps"
[barostat]
kind = "stochastic_cell_rescaling"
pressure = "10 bar"
time_constant = "1 ps"
bulk_modulus = "1 GPa"
[output]
thermo_interval = 5
"""


def test_a_sweep_can_be_watched(tmp_path):
    path = study(tmp_path, "0.5, 0.55, 0.6, 0.65")
    sweep = Sweep(path)
    runs = list(sweep.runs)
    assert sweep.run(lambda _: None, only=runs[0].directory.name)
    # One that was stopped half way.
    half = Sweep(study(tmp_path, "0.5, 0.55, 0.6, 0.65", steps=100))
    assert half.run(lambda _: None, only=list(half.runs)[1].directory.name)
    study(tmp_path, "0.5, 0.55, 0.6, 0.65")
    done = command(sys.executable, "-m", "sterna", "watch", path, "--once")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("study [" + "#" * 15 + "." * 25 + "] 38 %")
    assert "1 complete, 1 interrupted, 2 waiting" in lines[1]
    assert lines[2].split()[0] == "[" + "#" * 10 + "." * 10 + "]"
    assert "step 100" in lines[2] and runs[1].directory.name[:8] in lines[2]
    done = command(sys.executable, "-m", "sterna", "watch", path, "--page")
    assert done.returncode == 2 and "name one of its runs" in done.stderr


def test_a_reference_by_coolprop(tmp_path):
    coolprop = pytest.importorskip("CoolProp.CoolProp")
    (tmp_path / "argon.toml").write_text(ARGON)
    path = tmp_path / "study.toml"
    path.write_text(
        'input = "argon.toml"\n[vary]\n"thermostat.temperature" = ["90 K", "100 K"]\n'
        '[reference]\ncoolprop = "Argon"\n'
    )
    sweep = Sweep(path)
    assert sweep.run(lambda _: None)
    found = sweep.reference.rows(sweep.rows(), sweep.fixed)
    for row, temperature in zip(found, (90.0, 100.0), strict=True):
        expected = coolprop.PropsSI("Dmass", "T", temperature, "P", 1e6, "Argon") / 1000
        assert row["density/g/cm^3"] == pytest.approx(expected)


def test_references_by_teqp(tmp_path):
    coolprop = pytest.importorskip("CoolProp.CoolProp")
    teqp = pytest.importorskip("teqp")
    (tmp_path / "argon.toml").write_text(ARGON)
    path = tmp_path / "study.toml"
    path.write_text(
        'input = "argon.toml"\n[vary]\n"thermostat.temperature" = ["90 K", "100 K"]\n'
        '[reference]\nteqp = "Argon"\n'
    )
    sweep = Sweep(path)
    rows = [
        {"thermostat.temperature/K": t, "barostat.pressure/bar": p, "density/g/cm^3": None}
        for t in (92.0, 100.0, 120.0, 150.0, 400.0)
        for p in (0.01, 1.0, 10.0, 300.0)
    ]
    # The judge is CoolProp: liquid, vapor, and beyond the critical point.
    for row in sweep.reference.rows(rows, {}):
        state = row["thermostat.temperature/K"], 1e5 * row["barostat.pressure/bar"]
        expected = coolprop.PropsSI("Dmass", "T", state[0], "P", state[1], "Argon") / 1000
        assert row["density/g/cm^3"] == pytest.approx(expected, rel=1e-9), row
    path.write_text(path.read_text().replace("Argon", "Argn"))
    with pytest.raises(SternaError, match="teqp has no fluid 'Argn'; did you mean 'Argon'"):
        Sweep(path)
    # The Lennard-Jones fluid: pressures at densities.
    fluid = Sweep(study(tmp_path, more='[reference]\nteqp = "lennard_jones"'))
    rows = [{"start.density": 0.7, "thermostat.temperature": 1.4, "pressure": None}]
    model = teqp.make_model({"kind": "LJ126_TholJPCRD2016", "model": {}})
    (found,) = fluid.reference.rows(rows, {})
    compression = 1.0 + model.get_Ar01(1.4, 0.7, numpy.array([1.0]))
    assert found["pressure"] == pytest.approx(0.7 * 1.4 * compression)
    with pytest.raises(SternaError, match=r"expected thermostat\.temperature"):
        sweep.reference.rows(rows, {})


def test_outputs_are_looked_at_before_the_runs(tmp_path):
    path = study(tmp_path)
    for option, name, said in [
        ("--plot", "plot.xyz", "expected a name that ends in .png or .pdf or .svg"),
        ("--plot", "none/plot.png", "none does not exist"),
        ("-o", "table.xlsx", "expected a name that ends in .csv or .parquet"),
        ("-o", "none/table.csv", "none does not exist"),
    ]:
        done = command(*COMMAND, path, option, tmp_path / name)
        assert done.returncode == 2 and said in done.stderr, done.stderr
    assert [run.state for run in Sweep(path).runs] == ["waiting"] * 2
    # What cannot be opened is told in a line, wherever it is.
    (tmp_path / "study" / "sweep.lock").mkdir(parents=True)
    done = command(*COMMAND, path)
    assert done.returncode == 1
    assert re.fullmatch(r"sterna: error: \S+/study/sweep.lock: Is a directory\n", done.stderr)
    (tmp_path / "study" / "sweep.lock").rmdir()
    (tmp_path / "study").rmdir()
    (tmp_path / "study").write_text("")
    done = command(*COMMAND, path)
    assert done.returncode == 1 and "study cannot be made: File exists" in done.stderr


@pytest.mark.long
def test_a_sweep_that_is_killed_at_random_has_the_same_table(tmp_path):
    """A small one; tests/campaign/killed_sweeps.py is that of 40 points."""
    densities = "0.5, 0.51, 0.52, 0.53, 0.54, 0.55"
    tables = []
    for name, kills in (("whole", 0), ("killed", 4)):
        folder = tmp_path / name
        folder.mkdir()
        path = study(folder, densities, steps=1500)
        generator = random.Random(5)
        for _ in range(kills):
            process = subprocess.Popen(
                [*COMMAND, path, "--cores", "2"], stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL, env=sterna_environment(), start_new_session=True,
            )  # fmt: skip
            time.sleep(1.0 + generator.random())
            os.kill(process.pid, generator.choice([signal.SIGKILL, signal.SIGTERM]))
            process.wait()
        done = command(*COMMAND, path, "--cores", "2")
        assert done.returncode == 0, done.stdout + done.stderr
        tables.append((folder / "study" / "results.csv").read_text())
    assert tables[0] == tables[1]
    assert len(re.findall("complete", tables[0])) == 6


def test_a_table_in_parquet(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    sweep = Sweep(study(tmp_path))
    assert sweep.run(lambda _: None)
    found = parquet.read_table(sweep.write_table(tmp_path / "table.parquet")).to_pylist()
    rows = sweep.rows()
    assert [row["pressure"] for row in found] == [row["pressure"] for row in rows]
    assert [row["state"] for row in found] == ["complete", "complete"]
