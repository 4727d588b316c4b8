"""Starts on a machine whose loopback interface is down."""

import os
import shutil
import signal
import subprocess
import sys
import time

import pytest
from conftest import sterna_command, sterna_environment
from sterna import SternaError, read_log
from sterna.launching import launch, processes, program

# Runs the `sterna` command as if the interface were down.
DOWN = """
import sys
from sterna.launching import launch
launch._loopback_is_up = lambda: False
from sterna.command import main
sys.exit(main())
"""


def begin(folder, *arguments) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-c", DOWN, *map(str, arguments)],
        cwd=folder,
        env=sterna_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def until(condition, what: str) -> None:
    end = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.01)


def test_one_rank_runs_and_several_say_what_is_missing(melt, tmp_path):
    melt(steps=20)
    run = begin(tmp_path, "run", "melt.toml", "-n", 1)
    said, _ = run.communicate(timeout=120)
    assert run.returncode == 0, said
    assert read_log(tmp_path / "melt.log.jsonl").rows[-1]["step"] == 20
    (tmp_path / "melt.log.jsonl").unlink()
    run = begin(tmp_path, "run", "melt.toml", "-n", 2)
    said, _ = run.communicate(timeout=120)
    assert run.returncode == 1
    assert said.startswith("sterna: error: 2 ranks need the loopback interface"), said
    assert not (tmp_path / "melt.log.jsonl").exists()


def test_the_errors_of_one_rank_are_its_own(melt, tmp_path):
    path = melt(steps=20)
    path.write_text(path.read_text().replace("cutoff", "cutof"))
    run = begin(tmp_path, "run", "melt.toml", "-n", 1)
    said, _ = run.communicate(timeout=120)
    assert run.returncode == 2, said
    assert "melt.toml:20:1: error: unknown key" in said, said


@pytest.mark.parametrize(
    ("whom", "stop", "status"),
    [
        ("sterna", "SIGTERM", 3),
        ("sterna", "SIGINT", 3),
        ("rank", "SIGTERM", 3),
        ("rank", "SIGKILL", 128 + signal.SIGKILL),
        ("sterna", "SIGKILL", -signal.SIGKILL),
    ],
)
def test_one_rank_hears_signals(whom, stop, status, melt, tmp_path):
    melt(steps=1000000)
    run = begin(tmp_path, "run", "melt.toml", "-n", 1)
    log = tmp_path / "melt.log.jsonl"
    until(lambda: log.exists() and len(read_log(log)) > 3, "rows of the log")
    target = program.find_program().resolve()
    started = processes.descendants(run.pid)
    (rank,) = (pid for pid in started if processes.runs(pid, target))
    os.kill(rank if whom == "rank" else run.pid, signal.Signals[stop])
    said, _ = run.communicate(timeout=120)
    assert run.returncode == status, said
    until(lambda: processes.has_ended(rank), "end of the rank")
    killed = (whom, stop) == ("rank", "SIGKILL")
    assert ("rank 0 was ended by signal 9" in said) == killed, said
    assert (tmp_path / "melt.checkpoint").exists() != killed


def test_a_script_runs_on_one_rank(tmp_path):
    (tmp_path / "script.py").write_text(
        "from sterna import comm\nranks = comm.Context()\nprint(ranks.size, ranks.sum(2.0))\n"
    )
    run = begin(tmp_path, "launch", "-n", 1, "script.py")
    said, _ = run.communicate(timeout=120)
    assert run.returncode == 0, said
    assert said == "1 2.0\n"


def test_workers_say_what_is_missing(monkeypatch):
    monkeypatch.setattr(launch, "_loopback_is_up", lambda: False)
    with pytest.raises(SternaError, match="3 ranks need the loopback interface"):
        launch.command_line(3, [])


def test_a_machine_without_any_network_runs_one_rank(melt, tmp_path):
    options = ["-n"] if os.getuid() == 0 else ["-rn"]
    alone = [shutil.which("unshare") or "", *options]
    if subprocess.run([*alone, "true"], capture_output=True, check=False).returncode != 0:
        pytest.skip("this user may not leave the network (unshare -n)")
    assert launch._loopback_is_up()
    melt(steps=20)

    def call(*arguments: object) -> subprocess.CompletedProcess:
        return subprocess.run(
            [*alone, *map(str, arguments)],
            cwd=tmp_path,
            env=sterna_environment(),
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    done = call(*sterna_command("run", "melt.toml", "-n", 1))
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    done = call(*sterna_command("run", "melt.toml", "-n", 2))
    assert done.returncode == 1
    assert done.stderr.startswith("sterna: error: 2 ranks need the loopback interface")
    # Without a launcher, too.
    done = call(program.find_program(), "melt.toml", "--overwrite")
    assert done.returncode == 0, done.stdout + done.stderr
