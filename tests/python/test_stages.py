"""Runs of several stages: each goes on from the end of the one before it, wherever it is stopped."""

import re
import signal
import subprocess

import pytest
from conftest import sterna_command, sterna_environment
from sterna import read_log

MELT = """\
units = "reduced"
[run]
timestep = 0.004
steps = 60
seed = 7
[start]
kind = "random"
particles = 500
density = 0.7
temperature = 1.1
[[type]]
name = "A"
[interaction]
cutoff = 2.5
[[thermostat]]
kind = "langevin"
temperature = 1.1
time_constant = 0.5
[output]
thermo_interval = 20

[[stage]]
name = "minimize"
[stage.run]
integrator = "minimize"
steps = 200
[stage.minimize]
force_tolerance = 20.0

[[stage]]
name = "heat"

[[stage]]
name = "produce"
thermostat = []
[stage.run]
steps = 80
"""


def log(folder, stage):
    return read_log(folder / f"melt.{stage}.log.jsonl")


def text_of(done) -> str:
    return re.sub(r"\s+", " ", done.stdout + done.stderr)


def test_stages_are_runs_one_after_the_other(sterna, tmp_path):
    (tmp_path / "melt.toml").write_text(MELT)
    checked = sterna("check", "melt.toml")
    assert "with 3 stages: minimize, heat, produce" in checked.stdout
    done = sterna("run", "melt.toml", "-n", "2")
    assert done.returncode == 0, text_of(done)
    heated, produced = log(tmp_path, "heat").rows, log(tmp_path, "produce").rows
    # Nothing moves in a minimization, so the second stage draws velocities.
    assert heated[0]["temperature"] == pytest.approx(1.1, rel=5e-3)
    assert [row["step"] for row in produced] == [0, 20, 40, 60, 80]
    for quantity in ("potential_energy", "kinetic_energy"):
        assert produced[0][quantity] == pytest.approx(heated[-1][quantity], rel=1e-9)
    # The last stage has no thermostat.
    assert produced[-1]["total_energy"] == pytest.approx(produced[0]["total_energy"], rel=2e-3)
    # The same as a run of its own from that checkpoint, but for the random numbers.
    whole = MELT[: MELT.index("[[stage]]")]
    start = 'kind = "file"\nfile = "melt.heat.checkpoint"\n'
    alone = re.sub(r"kind = .random(.|\n)*?temperature = 1.1\n", start, whole, count=1)
    alone = re.sub(r"\[\[thermostat\]\](.|\n)*?\n(?=\[output\])", "", alone)
    (tmp_path / "alone.toml").write_text(alone.replace("steps = 60", "steps = 80"))
    assert sterna("run", "alone.toml", "-n", "2").returncode == 0
    rows = read_log(tmp_path / "alone.log.jsonl").rows
    assert rows[-1]["total_energy"] == produced[-1]["total_energy"]


def test_a_stopped_run_goes_on_in_its_stage(sterna, tmp_path):
    folders = [tmp_path / "whole", tmp_path / "stopped"]
    text = MELT.replace("steps = 60", "steps = 3000").replace("steps = 80", "steps = 100")
    for folder in folders:
        folder.mkdir()
        (folder / "melt.toml").write_text(text)
    whole, stopped = folders
    assert sterna("run", whole / "melt.toml", "-n", "2").returncode == 0
    for path in tmp_path.glob("melt.*"):
        path.rename(whole / path.name)
    process = subprocess.Popen(
        sterna_command("run", "melt.toml", "-n", "2"), cwd=stopped, env=sterna_environment(),
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    for line in process.stdout:
        if line.split()[:1] == ["20"]:  # a row of the second stage
            process.send_signal(signal.SIGTERM)
            break
    process.communicate(timeout=60)
    assert log(stopped, "heat").events[-1]["status"] == "interrupted"
    assert not (stopped / "melt.produce.log.jsonl").exists()
    done = subprocess.run(
        sterna_command("run", "melt.toml", "-n", "2", "--resume"), cwd=stopped,
        env=sterna_environment(), capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, text_of(done)
    assert "melt.minimize.checkpoint" in done.stdout and "nothing is left to do" in done.stdout
    for stage in ("heat", "produce"):
        assert log(stopped, stage).rows == log(whole, stage).rows


def test_later_stages_begin_anew_where_an_earlier_one_goes_on(sterna, tmp_path):
    path = tmp_path / "melt.toml"
    path.write_text(MELT)
    assert sterna("run", "melt.toml", "-n", "1").returncode == 0
    before = log(tmp_path, "produce").rows
    again = sterna("run", "melt.toml", "-n", "1", "--resume")
    assert again.stdout.count("nothing is left to do") == 3
    path.write_text(MELT.replace("steps = 60", "steps = 70"))
    longer = sterna("run", "melt.toml", "-n", "1", "--resume")
    assert longer.returncode == 0, text_of(longer)
    assert (tmp_path / "#melt.produce.log.jsonl.1#").exists()
    assert log(tmp_path, "produce").rows != before
    # From a stage on, and the ones before it are left alone.
    heat = (tmp_path / "melt.heat.log.jsonl").read_bytes()
    repeated = sterna("run", "melt.toml", "-n", "1", "--from", "produce")
    assert repeated.returncode == 0, text_of(repeated)
    assert "stage heat" not in repeated.stdout
    assert (tmp_path / "melt.heat.log.jsonl").read_bytes() == heat
    # A new start leaves nothing of the later stages that --resume could take for its own.
    (tmp_path / "melt.toml").write_text(MELT.replace("force_tolerance = 20.0", "cutof = 1"))
    assert sterna("run", "melt.toml").returncode == 2
    assert (tmp_path / "melt.produce.log.jsonl").exists()


WRONG = {
    "name": (("name = \"heat\"\n", ""), "30:1: error: [[stage]] lacks the key \"name\""),
    "same names": (('name = "heat"', 'name = "minimize"'), "two [[stage]]s have the name"),
    "a path": (('name = "heat"', 'name = "a/b"'), "becomes a part of file names"),
    "key of run": (('name = "heat"\n', 'name = "heat"\nsteps = 5\n'), "belong below [stage.run]"),
    "unknown key": (("steps = 80", "stepz = 80"), 'unknown key "stepz" in [run]; did you mean "steps"'),
    "type": (("steps = 80", "steps = 80\n[[stage.type]]\nname = \"B\""), "all stages have the same"),
    "start": (("steps = 80", "steps = 80\n[stage.start]\ndensity = 0.5"), "where the one before it ends"),
    "one table": (("[[stage]]\nname = \"produce\"\nthermostat = []", "[stage]\nx = 1"), "stage"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_with_stages_is_told_where_it_stands(case, sterna, tmp_path):
    (old, new), message = WRONG[case]
    assert old in MELT
    (tmp_path / "melt.toml").write_text(MELT.replace(old, new))
    for command in ("check", "run"):
        done = sterna(command, "melt.toml")
        assert done.returncode == 2, text_of(done)
        assert message in text_of(done), text_of(done)
    assert not list(tmp_path.glob("melt.*.log.jsonl"))


def test_options_that_need_stages_or_none(sterna, tmp_path, melt):
    (tmp_path / "stages.toml").write_text(MELT)
    done = sterna("run", "stages.toml", "--steps", "3")
    assert done.returncode == 2 and "--steps does not say of which" in text_of(done)
    done = sterna("run", "stages.toml", "--from", "prodduce")
    assert done.returncode == 1 and "did you mean produce?" in text_of(done)
    done = sterna("run", "stages.toml", "--from", "produce")
    assert done.returncode == 1 and "run that one first" in text_of(done)
    melt()
    done = sterna("run", "melt.toml", "--from", "heat")
    assert done.returncode == 1 and "the input has no stages" in text_of(done)
    (tmp_path / "melt.toml").write_text(
        'units = "metal"\n[run]\ntimestep = 0.001\nsteps = 1\n[start]\nkind = "file"\n'
        'file = "x.checkpoint"\n[[type]]\nname = "A"\nmass = 40\nepsilon = 0.01\nsigma = 3.4\n'
        "[interaction]\ncutoff = 8.0\n"
    )
    (tmp_path / "x.checkpoint").write_bytes(b"SternaC\n")
    done = sterna("check", "melt.toml")
    assert done.returncode == 2 and "x.checkpoint" in text_of(done)
