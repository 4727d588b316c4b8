"""`report = true` in [output]: each run leaves its report, however it ends and whoever starts it."""

import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import sterna as package
from conftest import MELT, sterna_command, sterna_environment
from engine_support import script_output
from sterna import SternaError, read_log
from sterna.launching import launch, processes
from sterna.launching.program import find_program

UNSTABLE = ("timestep = 0.002", "timestep = 0.1")


def write_input(folder: Path, *changes: tuple[str, str], steps: int = 20, thermo: int = 10) -> Path:
    text = MELT.format(steps=steps, thermo=thermo, trajectory=0, checkpoint=0) + "report = true\n"
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path = folder / "melt.toml"
    path.write_text(text)
    return path


def said_of_end(folder: Path) -> str:
    """How the report of the run in a folder says that it ended."""
    source = (folder / "melt.report.html").read_text(encoding="utf-8")
    return re.search(r'<div class="state \w+"><p><strong>(.*?)</strong>', source)[1]


def test_the_command_writes_it_and_the_log_says_where(sterna, tmp_path):
    write_input(tmp_path, ("[output]\n", '[output]\ndirectory = "out"\n'))
    done = sterna("run", "melt.toml", "-n", 2)
    assert done.returncode == 0, done.stderr
    assert "wrote out/melt.report.html" in done.stdout
    (start,) = (
        e for e in read_log(tmp_path / "out/melt.log.jsonl").events if e["event"] == "start"
    )
    assert start["settings"]["report"] == "out/melt.report.html"
    assert said_of_end(tmp_path / "out") == "The run is complete."
    # A new run keeps the report of the earlier one with its other files.
    assert sterna("run", "melt.toml", "-n", 1).returncode == 0
    assert (tmp_path / "out/#melt.report.html.1#").is_file()
    assert (tmp_path / "out/melt.report.html").is_file()


def test_without_the_key_there_is_none(sterna, melt, tmp_path):
    melt(steps=10)
    done = sterna("run", "melt.toml", "-n", 1)
    assert done.returncode == 0 and "wrote" not in done.stdout
    assert not (tmp_path / "melt.report.html").exists()
    assert read_log(tmp_path / "melt.log.jsonl").events[0]["settings"]["report"] == ""


def test_a_run_that_fails_has_one_that_says_why(sterna, tmp_path):
    write_input(tmp_path, UNSTABLE, steps=1000, thermo=1)
    done = sterna("run", "melt.toml", "-n", 2)
    assert done.returncode not in (0, 2, 3)
    assert "wrote melt.report.html" in done.stdout
    assert said_of_end(tmp_path) == "The run failed."
    failure = read_log(tmp_path / "melt.log.jsonl").events[-1]
    assert failure["event"] == "failure" and failure["text"] in done.stderr
    assert failure["text"].splitlines()[0][:40] in (tmp_path / "melt.report.html").read_text()


def ranks_that_step(run: subprocess.Popen, folder: Path) -> list[int]:
    """The processes of the two ranks of a run in a folder, when it has logged three rows."""
    log = folder / "melt.log.jsonl"
    while not log.exists() or log.read_text().count('"thermo"') < 3:
        assert run.poll() is None
        time.sleep(0.1)
    ranks = [
        int(process.name)
        for process in Path("/proc").glob("[0-9]*")
        if _works_in(process, folder) and _program_of(process) == "sterna-md"
    ]
    assert len(ranks) == 2
    return ranks


def test_a_run_whose_rank_is_killed_has_one(tmp_path):
    write_input(tmp_path, steps=100_000_000)
    run = subprocess.Popen(
        sterna_command("run", "melt.toml", "-n", 2, "--progress", "never"),
        cwd=tmp_path, env=sterna_environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True,
    )  # fmt: skip
    ranks = ranks_that_step(run, tmp_path)
    os.kill(ranks[0], signal.SIGKILL)
    out, errors = run.communicate()
    assert run.returncode not in (0, 2, 3), errors
    assert "wrote melt.report.html" in out
    assert said_of_end(tmp_path).startswith(("The run broke off", "The run failed"))


def start_under_launcher(folder: Path, *words: str, **variables: str) -> subprocess.Popen:
    """Two ranks of `words`, started by mpiexec itself; of sterna-md where none are given."""
    command, environment = launch.command_line(2, [])
    launcher = command[: command.index(str(find_program()))]
    return subprocess.Popen(
        [*launcher, *(words or (str(find_program()), "melt.toml"))],
        cwd=folder, env=environment | sterna_environment() | variables, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def under_launcher(folder: Path, *words: str, **variables: str) -> subprocess.CompletedProcess:
    """Likewise, when they have ended."""
    run = start_under_launcher(folder, *words, **variables)
    out, errors = run.communicate()
    return subprocess.CompletedProcess(run.args, run.returncode, out, errors)


def command_in(folder: Path) -> str:
    """A PATH that begins with a folder that has the command `sterna` of this source tree."""
    folder.mkdir()
    script = folder / "sterna"
    script.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m sterna "$@"\n')
    script.chmod(0o755)
    return f"{folder}:{os.environ['PATH']}"


def test_ranks_of_a_launcher_write_it(tmp_path):
    write_input(tmp_path, ("[output]\n", '[output]\ndirectory = "out"\n'))
    done = under_launcher(tmp_path, PATH=command_in(tmp_path / "bin"))
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("wrote out/melt.report.html") == 1
    assert said_of_end(tmp_path / "out") == "The run is complete."


def test_ranks_of_a_launcher_write_it_of_a_run_that_fails(tmp_path):
    write_input(tmp_path, UNSTABLE, steps=1000, thermo=1)
    done = under_launcher(tmp_path, PATH=command_in(tmp_path / "bin"))
    assert done.returncode == 1
    assert "wrote melt.report.html" in done.stdout
    assert said_of_end(tmp_path) == "The run failed."


def test_ranks_of_a_launcher_without_the_package_say_how_to_write_it(tmp_path):
    write_input(tmp_path)
    nowhere = os.pathsep.join(
        folder
        for folder in os.environ["PATH"].split(os.pathsep)
        if not (Path(folder) / "sterna").exists()
    )
    done = under_launcher(tmp_path, PATH=nowhere)
    assert done.returncode == 0, done.stderr
    assert "sterna is neither beside this program nor on PATH" in done.stderr
    assert "write the report by: sterna report melt.log.jsonl" in done.stderr
    assert not (tmp_path / "melt.report.html").exists()


def test_a_rank_that_gives_up_says_how_to_write_it(tmp_path):
    waits_short = ("[output]\n", "[communication]\ntimeout = 1\n[output]\n")
    write_input(tmp_path, waits_short, steps=100_000_000)
    run = start_under_launcher(tmp_path)
    ranks = ranks_that_step(run, tmp_path)
    os.kill(ranks[1], signal.SIGSTOP)
    try:
        _, errors = run.communicate()
    finally:
        processes.send(ranks[1:], signal.SIGCONT)
    assert run.returncode not in (0, 2, 3)
    assert "to write the report: sterna report melt.log.jsonl" in errors


def test_a_report_that_cannot_be_written_is_an_error_of_the_job(tmp_path):
    write_input(tmp_path)
    program = str(find_program())
    done = under_launcher(tmp_path, program, "melt.toml", "--python", "/bin/false")
    assert done.returncode == 1
    assert "no report: /bin/false failed; to write it: sterna report melt.log.jsonl" in done.stderr
    assert read_log(tmp_path / "melt.log.jsonl").events[-1]["status"] == "complete"


def test_the_command_under_a_launcher_writes_it_when_asked_to(melt, tmp_path):
    melt(steps=20)
    done = under_launcher(tmp_path, *sterna_command("run", "melt.toml", "--report"))
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("wrote melt.report.html") == 1
    assert said_of_end(tmp_path) == "The run is complete."


def _works_in(process: Path, folder: Path) -> bool:
    try:
        return (process / "cwd").readlink() == folder
    except OSError:
        return False


def _program_of(process: Path) -> str:
    try:
        return (process / "exe").readlink().name
    except OSError:
        return ""


def test_a_bad_input_leaves_the_report_of_an_earlier_run_alone(sterna, tmp_path):
    path = write_input(tmp_path)
    assert sterna("run", "melt.toml", "-n", 1).returncode == 0
    before = (tmp_path / "melt.report.html").read_bytes()
    path.write_text(path.read_text().replace("cutoff = 2.5", "cutof = 2.5"))
    done = sterna("run", "melt.toml", "-n", 1)
    assert done.returncode == 2
    assert 'did you mean "cutoff"' in done.stderr and done.stderr.count("cutof") < 5
    assert "wrote" not in done.stdout
    assert (tmp_path / "melt.report.html").read_bytes() == before


def test_a_start_that_fails_leaves_the_report_of_an_earlier_run_alone(sterna, tmp_path):
    path = write_input(tmp_path)
    assert sterna("run", "melt.toml", "-n", 1).returncode == 0
    before = (tmp_path / "melt.report.html").read_bytes()
    path.write_text(path.read_text().replace("density = 0.8442", "density = 0.6"))
    done = sterna("run", "melt.toml", "-n", 1, "--resume")
    assert done.returncode == 1 and "another system" in done.stderr
    assert "wrote" not in done.stdout
    assert (tmp_path / "melt.report.html").read_bytes() == before


def test_a_run_in_python_has_one(tmp_path):
    folder = tmp_path / "of python"
    folder.mkdir()
    path = write_input(folder, ("[output]\n", f'[output]\ndirectory = "{folder}"\n'))
    result = package.run(path, ranks=2)
    assert result.report == folder / "melt.report.html"
    assert said_of_end(folder) == "The run is complete."
    write_input(folder, ("[output]\n", f'[output]\ndirectory = "{folder}"\n'), UNSTABLE, steps=1000)
    with pytest.raises(SternaError):
        package.run(path, ranks=1)
    assert said_of_end(folder) == "The run failed."


SIMULATION = """
import sterna
simulation = sterna.Simulation.from_file("melt.toml", files=True)
{body}
"""


@pytest.mark.parametrize("ranks", [1, 2])
def test_a_simulation_that_is_closed_has_averages_times_and_a_report(ranks, tmp_path):
    write_input(tmp_path, ("[output]\n", "[rdf]\ninterval = 5\n[output]\n"))
    body = "simulation.run(10)\nsimulation.run(30)\nsimulation.close()\nsimulation.close()"
    script_output(tmp_path, SIMULATION.format(body=body), ranks)
    assert said_of_end(tmp_path) == "The run is complete."
    end = read_log(tmp_path / "melt.log.jsonl").events[-1]
    assert (end["event"], end["status"], end["timing"]["steps"]) == ("end", "complete", 40)
    assert (tmp_path / "melt.rdf.txt").is_file()


def test_a_simulation_that_ends_otherwise_has_a_report(tmp_path):
    write_input(tmp_path)
    body = "with simulation:\n    simulation.run(10)\n    raise SystemExit(0)"
    script_output(tmp_path, SIMULATION.format(body=body))
    assert said_of_end(tmp_path).startswith("The run broke off")
    (tmp_path / "melt.report.html").unlink()
    script_output(tmp_path, SIMULATION.format(body="simulation.run(10)"))  # dropped at the end
    assert said_of_end(tmp_path).startswith("The run broke off")


def test_workers_write_it_when_their_simulation_is_closed(tmp_path):
    write_input(tmp_path)
    body = "simulation.run(20)\nsimulation.close()"
    text = SIMULATION.replace("files=True", "files=True, ranks=2").format(body=body)
    done = subprocess.run(
        [sys.executable, "-c", text], cwd=tmp_path, env=sterna_environment(), capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert said_of_end(tmp_path) == "The run is complete."
