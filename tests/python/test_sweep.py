"""Sweeps: state points side by side, kills, failures, more points, the table."""

import csv
import os
import re
import signal
import subprocess
import sys
import time

import pytest
from conftest import ROOT
from sterna.errors import SternaError
from sterna.sweeps.sweep import Sweep

INPUT = """\
[run]
steps = {steps}
timestep = 0.004
seed = 5
[start]
kind = "lattice"
particles = 32
density = 0.6
temperature = 1.0
[[type]]
name = "A"
[interaction]
cutoff = 1.2
[thermostat]
kind = "langevin"
temperature = 1.0
time_constant = 0.5
[output]
thermo_interval = 10
checkpoint_interval = 100
"""
STUDY = """\
input = "fluid.toml"
{more}
[vary]
"start.density" = [{densities}]
"""


def study(folder, densities="0.5, 0.6", more="", steps=200):
    (folder / "fluid.toml").write_text(INPUT.format(steps=steps))
    (folder / "study.toml").write_text(STUDY.format(densities=densities, more=more))
    return folder / "study.toml"


def state_of(sweep):
    return [run.state for run in sweep.runs]


def test_a_table_of_state_points_that_grows(tmp_path):
    told = []
    path = study(tmp_path, more='replicas = 2\ncollect = ["pressure", "temperature"]')
    sweep = Sweep(path)
    assert sweep.keys == ["start.density"]
    assert state_of(sweep) == ["waiting"] * 4
    assert sweep.run(told.append, cores=2)
    assert state_of(sweep) == ["complete"] * 4
    assert len(told) == 4
    rows = sweep.rows()
    assert [row["start.density"] for row in rows] == [0.5, 0.6]
    for row, point in zip(rows, sweep.points, strict=True):
        averages = [run.result.averages["pressure"] for run in point.runs]
        assert averages[0].mean != averages[1].mean  # other seeds
        assert row["pressure"] == pytest.approx(sum(a.mean for a in averages) / 2)
        both = (row["pressure_error_of_blocks"], row["pressure_error_of_replicas"])
        assert row["pressure_error"] == max(both)
        assert both[1] == pytest.approx(abs(averages[0].mean - averages[1].mean) / 2)
        assert row["runs"] == 2 and row["state"] == "complete"
        assert "potential_energy" not in row
    table = sweep.write_table()
    with table.open() as file:
        read = list(csv.DictReader(file))
    assert [float(row["pressure"]) for row in read] == [row["pressure"] for row in rows]

    # More values run only what is missing.
    log = next(sweep.runs).result.log_path
    before = log.stat().st_mtime_ns
    more = Sweep(study(tmp_path, "0.5, 0.55, 0.6", more="replicas = 2"))
    told.clear()
    assert more.run(told.append, cores=2)
    assert told[0] == "4 of 6 runs are complete already"
    assert len(told) == 3
    assert log.stat().st_mtime_ns == before
    assert more.rows()[0]["pressure"] == rows[0]["pressure"]

    # More steps extend what is there.
    longer = Sweep(study(tmp_path, "0.5", more="replicas = 2", steps=300))
    assert next(longer.runs).state == "interrupted"
    assert longer.run(told.append, cores=2)
    assert next(longer.runs).result.log.events[-1]["step"] == 300


def test_a_point_that_fails_is_told_and_does_not_end_the_others(tmp_path):
    told = []
    sweep = Sweep(study(tmp_path, "0.5, -1.0, 0.6"))
    assert not sweep.run(told.append, cores=1)
    assert state_of(sweep) == ["complete", "waiting", "complete"]
    failed = [line for line in told if line.startswith("failed: ")]
    assert len(failed) == 1
    assert "-1.0" in failed[0]
    rows = sweep.rows()
    assert [row["runs"] for row in rows] == [1, 0, 1]
    assert "pressure" in rows[0] and "pressure" not in rows[1]
    command = [sys.executable, "-m", "sterna", "sweep", "--cores", "1", sweep.path]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "failed: " in done.stdout and "results.csv" in done.stdout


def test_a_sweep_that_is_killed_goes_on(tmp_path):
    path = study(tmp_path, "0.5, 0.52, 0.54", steps=4000)
    command = [sys.executable, "-m", "sterna", "sweep", "--cores", "2", path]
    for number in (signal.SIGKILL, signal.SIGTERM):
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True,
            text=True,
        )  # fmt: skip
        deadline = time.monotonic() + 60.0
        while not any(run.result for run in Sweep(path).runs) and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(0.2)
        os.kill(process.pid, number)
        said, _ = process.communicate()
        if process.returncode == 128 + signal.SIGTERM:
            assert "the same command goes on" in said
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    sweep = Sweep(path)
    assert state_of(sweep) == ["complete"] * 3
    for run in sweep.runs:
        steps = [row["step"] for row in run.result.log.rows]
        assert steps == list(range(0, 4001, 10))


def test_values_of_a_study(tmp_path):
    path = study(tmp_path)
    path.write_text(
        'input = "fluid.toml"\n'
        '[vary]\n"type.A.epsilon" = {from = 1.0, to = 1.2, count = 3}\n'
        "[[together]]\n"
        '"start.temperature" = {from = 1.0, to = 2.0, step = 0.5}\n'
        '"thermostat.temperature" = [1.0, 1.5, 2.0]\n'
    )
    points = [dict(point.values) for point in Sweep(path).points]
    assert len(points) == 9
    assert points[1] == {
        "type.A.epsilon": 1.0,
        "start.temperature": 1.5,
        "thermostat.temperature": 1.5,
    }
    assert points[8]["type.A.epsilon"] == 1.2
    for _ in range(2):
        assert len({run.directory for run in Sweep(path).runs}) == 9
    path.write_text('input = "fluid.toml"\n[vary]\n"start.density" = {from="1 K",to="3 K",count=2}')
    assert [p.values["start.density"] for p in Sweep(path).points] == ["1 K", "3 K"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", '"input" is missing'),
        ('input = "no.toml"', "no.toml: cannot be read"),
        ('input = "fluid.toml"', "nothing varies"),
        ('input = "fluid.toml"\nreplica = 2', "did you mean 'replicas'"),
        ('input = "fluid.toml"\nreplicas = 0', "whole number from 1 on"),
        ('input = "fluid.toml"\n[vary]\n"start.density" = 0.5', "expected a list of values"),
        ('input = "fluid.toml"\n[vary]\n"start.density" = [0.5, 0.5]', "are the same"),
        ('input = "fluid.toml"\n[vary]\n"type.B.epsilon" = [1.0]', "there is no section 'B'"),
        (
            'input = "fluid.toml"\n[[together]]\n"start.density" = [0.5]\n"run.seed" = [1, 2]',
            "as many values",
        ),
        (
            'input = "fluid.toml"\n[vary]\n"start.density" = [0.5]\n'
            '[[together]]\n"start.density" = [0.6]',
            "varies twice",
        ),
        ('input = "fluid.toml"\n[vary]\n"stage.x.run.steps" = [1]', "no section 'stage'"),
        ("input = ", "not TOML"),
    ],
)
def test_a_study_that_is_wrong(tmp_path, text, said):
    path = study(tmp_path)
    path.write_text(text)
    with pytest.raises(SternaError, match=said):
        Sweep(path)


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("thermostat.temprature", "study.toml:5:2: thermostat.temprature: unknown key"),
        ("termostat.temperature", "did you mean \\[thermostat\\]"),
        ("type.A.epsilom", 'unknown key "epsilom"'),
        ("density", "it belongs in \\[start\\]"),
    ],
)
def test_a_key_that_inputs_do_not_have_is_told_once_and_nothing_runs(tmp_path, key, said):
    path = study(tmp_path)
    with path.open("a") as file:
        file.write(f'"{key}" = [1.0, 1.1]\n')
    sweep = Sweep(path)
    for start in (sweep.run, sweep.write_batch_script):
        with pytest.raises(SternaError, match=said):
            start()
    assert not sweep.directory.exists()


def test_a_misspelt_average_is_told_with_the_first_run(tmp_path):
    told = []
    sweep = Sweep(study(tmp_path, more='collect = ["presure"]'))
    assert sweep.run(told.append, cores=1)
    assert "did you mean 'pressure'" in told[1], told
    assert sum("presure" in line for line in told) == 1
    with pytest.raises(SternaError, match="did you mean 'pressure'"):
        sweep.rows()


def test_the_study_of_the_page(tmp_path):
    (text,) = re.findall(r"```toml\n(.*?)```", (ROOT / "docs/howto/sweeps.md").read_text(), re.S)
    (tmp_path / "argon.toml").write_text(
        'units = "nano"\n[run]\nsteps = 10\n[start]\ntemperature = "85 K"\n'
        '[thermostat]\nkind = "langevin"\n[barostat]\npressure = "1 bar"\n'
    )
    (tmp_path / "study.toml").write_text(text)
    sweep = Sweep(tmp_path / "study.toml")
    assert len(sweep.points) == 12
    assert len(list(sweep.runs)) == 24
    assert sweep.points[-1].values == {
        "barostat.pressure": "200 bar",
        "thermostat.temperature": "100 K",
        "start.temperature": "100 K",
    }


STAGES = """
[[stage]]
name = "settle"
[[stage]]
name = "measure"
[stage.run]
steps = {steps}
"""


def test_a_sweep_of_an_input_with_stages_has_the_averages_of_the_last_one(tmp_path):
    path = study(tmp_path)
    fluid = tmp_path / "fluid.toml"
    fluid.write_text(INPUT.format(steps=100) + STAGES.format(steps=200))
    told = []
    sweep = Sweep(path)
    assert sweep.run(told.append), told
    assert state_of(sweep) == ["complete", "complete"]
    (first, _) = sweep.runs
    assert first.result.log.rows[-1]["step"] == 200
    assert (first.directory / "run.settle.log.jsonl").exists()
    before = sweep.rows()
    # More steps of the last stage go on with the runs that are there.
    fluid.write_text(INPUT.format(steps=100) + STAGES.format(steps=300))
    longer = Sweep(path)
    assert longer.run(told.append), told
    (again, _) = longer.runs
    assert again.directory == first.directory
    assert again.result.log.rows[-1]["step"] == 300
    assert [row["runs"] for row in longer.rows()] == [1, 1]
    assert longer.rows() != before
