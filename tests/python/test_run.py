"""The main job: from an input file to a finished run, through the `sterna` command."""

import os
import re
import select
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import numpy
import pytest
from conftest import ROOT, sterna_command, sterna_environment
from sterna import read_log
from sterna.launching import launch, processes, program

EXAMPLES = sorted((ROOT / "examples").glob("*.toml"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_runs_to_its_end(example, sterna, tmp_path):
    done = sterna("run", example, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    document = tomllib.loads(example.read_text())
    last_stage = [f".{stage['name']}" for stage in document.get("stage", [])][-1:]
    has_replicas = "replicas" in document
    part = ".replica-0" if has_replicas else "".join(last_stage)
    log = read_log(tmp_path / "output" / f"{example.stem}{part}.log.jsonl")
    assert log.events[0]["event"] == "start"
    assert log.events[-1]["event"] == "end"
    assert log.events[-1]["status"] == "complete"
    for column in log.columns:
        assert numpy.isfinite(log[column]).all()
    # What check says of it is so, and it warns of nothing.
    checked = sterna("check", example, "-n", 1)
    assert checked.returncode == 0
    assert "warning" not in checked.stdout
    count = re.search(
        r": (\d+) particles(?: at the start, which come and go,)? on 1 rank ", checked.stdout
    )
    assert count, checked.stdout
    assert int(count[1]) == log.events[0]["settings"]["particles"]
    # It equilibrates: in its second half it is in the state that was asked for. A replica is in many.
    thermostat = document.get("thermostat")
    if isinstance(thermostat, dict) and not has_replicas:
        asked = float(str(thermostat["temperature"]).split()[0])
        later = log["temperature"][log["step"] >= 0.5 * log["step"][-1]]
        assert later.mean() == pytest.approx(asked, rel=0.06)


def test_any_number_of_ranks_computes_the_same(sterna, melt, tmp_path):
    melt(steps=2, thermo=1)
    first_rows = []
    for ranks in (1, 2, 4, 8):
        done = sterna("run", "melt.toml", "-n", ranks)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "step 1 of" not in done.stdout  # no progress bar in a file
        first_rows.append(read_log(tmp_path / "melt.log.jsonl").rows[0])
    for row in first_rows[1:]:
        assert row == pytest.approx(first_rows[0], rel=1e-12, abs=1e-12)


def test_every_exchange_method_gives_the_same_bits(sterna, melt, tmp_path):
    h5py = pytest.importorskip("h5py")
    methods = [
        *(("p2p", migration) for migration in ("alltoall", "nbx", "superset")),
        *((halo, "auto") for halo in ("rdma_double_buffer", "shm_direct", "auto")),
    ]
    results = []
    path = melt(steps=60, thermo=20, trajectory=20)
    text = path.read_text() + 'trajectory_fields = ["position", "velocity"]\n'
    for halo, migration in methods:
        path.write_text(f'{text}\n[communication]\nhalo = "{halo}"\nmigration = "{migration}"\n')
        done = sterna("run", "melt.toml", "-n", 3)
        assert done.returncode == 0, done.stdout + done.stderr
        with h5py.File(tmp_path / "melt.h5md") as file:
            group = file["particles/trajectory"]
            bits = [group[name]["value"][:].tobytes() for name in ("position", "velocity")]
        results.append((bits, read_log(tmp_path / "melt.log.jsonl").rows))
    assert all(result == results[0] for result in results[1:])


@pytest.mark.parametrize("verb", [["check"], ["run"], ["run", "-n", "2"]])
def test_a_mistyped_key_gets_its_place_and_the_word_that_was_meant(verb, sterna, melt):
    path = melt()
    path.write_text(path.read_text().replace("timestep", "timestp"))
    done = sterna(*verb[:1], "melt.toml", *verb[1:])
    said = done.stdout + done.stderr
    assert done.returncode == 2
    assert "melt.toml:6:1" in said
    assert "timestep" in said
    assert said.count("melt.toml:6:1") == 1  # once, not once for each rank
    assert "MPI" not in said
    assert "prterun" not in said


def test_an_input_that_is_not_there(sterna):
    done = sterna("run", "nowhere.toml")
    assert done.returncode == 2
    assert "nowhere.toml" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(("--rank", "2"), "--ranks"), (("-n", "100000"), "100000 ranks on")],
)
def test_mistakes_on_the_command_line(arguments, message, sterna, melt):
    melt(steps=10, thermo=10)
    done = sterna("run", "melt.toml", *arguments)
    assert done.returncode != 0
    assert message in done.stderr


def test_check_of_a_good_input(sterna, melt):
    melt()
    assert sterna("check", "melt.toml").returncode == 0


def test_schema_and_methods(sterna):
    schema = sterna("schema")
    assert schema.returncode == 0
    assert '"timestep"' in schema.stdout
    methods = sterna("methods")
    assert methods.returncode == 0
    for name in ("p2p", "rdma_double_buffer", "shm_direct", "alltoall", "nbx", "superset"):
        assert name in methods.stdout


def test_version_names_program_and_launcher(sterna):
    shown = sterna("version").stdout
    assert f"sterna {program.version()}" in shown
    assert str(launch.find_launcher(program.find_program())) in shown


def test_it_joins_the_launcher_it_is_under(melt, tmp_path):
    melt(steps=5, thermo=5)
    command, environment = launch.command_line(2, [])
    program_at = command.index(str(program.find_program()))
    done = subprocess.run(
        [*command[:program_at], *sterna_command("run", "melt.toml")],
        cwd=tmp_path,
        env=environment | sterna_environment(),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    log = read_log(tmp_path / "melt.log.jsonl")
    assert log.events[-1]["status"] == "complete"
    assert len([event for event in log.events if event["event"] == "start"]) == 1


def test_a_terminal_gets_a_progress_bar(melt, tmp_path):
    melt(steps=2000, thermo=1000)
    terminal, program_side = os.openpty()
    process = subprocess.Popen(
        sterna_command("run", "melt.toml", "-n", 1),
        cwd=tmp_path,
        env=sterna_environment() | {"TERM": "xterm", "COLUMNS": "100"},
        stdin=subprocess.DEVNULL,
        stdout=program_side,
        stderr=program_side,
    )
    os.close(program_side)
    shown = b""
    try:
        while select.select([terminal], [], [], 60)[0]:
            shown += os.read(terminal, 4096)
    except OSError:
        pass  # The other side is closed: the end.
    finally:
        os.close(terminal)
    assert process.wait(timeout=60) == 0, shown.decode()
    assert re.search(rb"step \d+ of 2000", shown)
    assert b"@progress" not in shown


def test_the_python_module_runs_and_reads(melt, tmp_path):
    path = melt(steps=20, thermo=10, trajectory=10)
    code = (
        "import sterna\n"
        f"result = sterna.run({str(path)!r}, ranks=2)\n"
        "assert result.log['step'].tolist() == [0, 10, 20], result.log['step']\n"
        "assert result.trajectory.exists()\n"
        "try:\n"
        "    sterna.run('nowhere.toml')\n"
        "except sterna.SternaError as error:\n"
        "    assert 'nowhere.toml' in str(error)\n"
        "else:\n"
        "    raise AssertionError\n"
    )
    subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=sterna_environment(),
        check=True,
        timeout=120,
    )


def test_the_trajectory_opens_in_h5py_and_mdanalysis(sterna, melt, tmp_path):
    h5py = pytest.importorskip("h5py")
    mdanalysis = pytest.importorskip("MDAnalysis")
    melt(steps=20, thermo=10, trajectory=5)
    done = sterna("run", "melt.toml", "-n", 2)
    assert done.returncode == 0, done.stdout + done.stderr
    path = tmp_path / "melt.h5md"
    with h5py.File(path) as file:
        positions = file["particles/trajectory/position/value"][:]
        steps = file["particles/trajectory/position/step"][:]
    assert positions.shape == (5, 864, 3)
    assert steps.tolist() == [0, 5, 10, 15, 20]
    universe = mdanalysis.Universe.empty(864, trajectory=True)
    universe.load_new(str(path), format="H5MD", convert_units=False)
    assert len(universe.trajectory) == 5
    for frame, expected in zip(universe.trajectory, positions, strict=True):
        numpy.testing.assert_allclose(frame.positions, expected, rtol=1e-6)


def wait_for_step(path: Path, step: int, process: subprocess.Popen) -> None:
    """Until the log says that this step was reached."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        assert process.poll() is None, "the run ended before it was to be stopped"
        if path.exists() and any(row["step"] >= step for row in read_log(path)):
            return
        time.sleep(0.02)
    raise AssertionError(f"step {step} was not reached in a minute")


def start(folder: Path, ranks: int, **environment: str) -> subprocess.Popen:
    return subprocess.Popen(
        sterna_command("run", "melt.toml", "-n", ranks),
        cwd=folder,
        env=sterna_environment() | environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        # A shell that starts the tests in the background lets them ignore it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


@pytest.mark.parametrize("stop", ["SIGTERM", "SIGINT", "SIGHUP"])
def test_a_stopped_and_resumed_run_is_the_uninterrupted_one(stop, sterna, melt, tmp_path):
    melt(steps=1000000, thermo=100)
    process = start(tmp_path, ranks=2)
    wait_for_step(tmp_path / "melt.log.jsonl", 500, process)
    process.send_signal(signal.Signals[stop])
    said, _ = process.communicate(timeout=60)
    log = read_log(tmp_path / "melt.log.jsonl")
    assert log.events[-1]["status"] == "interrupted", said
    stopped_at = log.events[-1]["step"]
    assert 500 <= stopped_at < 1000000
    assert (tmp_path / "melt.checkpoint").exists()
    assert process.returncode == 3
    assert "MPI_ABORT" not in said

    # Not to wait for a million steps, it ends some hundred later, and so does the other.
    (tmp_path / "whole").mkdir()
    for folder in (tmp_path, tmp_path / "whole"):
        melt(steps=stopped_at + 350, thermo=100, folder=folder)
    resumed = sterna("run", "melt.toml", "-n", 2, "--resume")
    assert resumed.returncode == 0, resumed.stdout + resumed.stderr
    whole = subprocess.run(
        sterna_command("run", "melt.toml", "-n", 2),
        cwd=tmp_path / "whole",
        env=sterna_environment(),
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert whole.returncode == 0
    # Of the last steps both say the same, to the last bit.
    rows = read_log(tmp_path / "melt.log.jsonl").rows
    assert rows == read_log(tmp_path / "whole" / "melt.log.jsonl").rows
    final = (tmp_path / "melt.checkpoint").read_bytes()
    assert final == (tmp_path / "whole" / "melt.checkpoint").read_bytes()


def test_steps_of_the_command_line_overrule_those_of_the_input(sterna, melt, tmp_path):
    melt(steps=1000000, thermo=20, checkpoint=20)
    done = sterna("run", "melt.toml", "-n", 2, "--steps", 40)
    assert done.returncode == 0, done.stdout + done.stderr
    log = read_log(tmp_path / "melt.log.jsonl")
    assert log["step"].tolist() == [0, 20, 40]
    assert log.events[0]["settings"]["steps"] == 40
    # They count from the start, and are the same bits as those of the input.
    done = sterna("run", "melt.toml", "-n", 2, "--steps", 80, "--resume")
    assert done.returncode == 0, done.stdout + done.stderr
    log = read_log(tmp_path / "melt.log.jsonl")
    (changed,) = [e for e in log.events if e["event"] == "start"][-1]["settings"][
        "changed_settings"
    ]
    assert "steps" in changed and "80" in changed
    rows = log.rows
    for steps, option in ((40, "--overwrite"), (80, "--resume")):
        melt(steps=steps, thermo=20, checkpoint=20)
        assert sterna("run", "melt.toml", "-n", 2, option).returncode == 0
    assert read_log(tmp_path / "melt.log.jsonl").rows == rows
    done = sterna("report", "melt.log.jsonl")
    assert done.returncode == 0, done.stderr
    for given, status in (("0", 0), ("-1", 2), ("2.5", 2), ("1e3", 2), ("10000000000000000", 2)):
        done = sterna("run", "melt.toml", "-n", 1, f"--steps={given}", "--overwrite")
        assert done.returncode == status, (given, done.stdout + done.stderr)


def test_a_checkpoint_restarts_on_another_number_of_ranks(sterna, melt, tmp_path):
    path = melt(steps=40, thermo=20, checkpoint=20)
    assert sterna("run", "melt.toml", "-n", 2).returncode == 0
    (tmp_path / "melt.checkpoint.previous").replace(tmp_path / "melt.checkpoint")
    for ranks in (1, 3):
        (tmp_path / "copy").mkdir(exist_ok=True)
        for name in ("melt.checkpoint", "melt.log.jsonl"):
            (tmp_path / "copy" / name).write_bytes((tmp_path / name).read_bytes())
        done = subprocess.run(
            sterna_command("run", path, "-n", ranks, "--resume"),
            cwd=tmp_path / "copy",
            env=sterna_environment(),
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        log = read_log(tmp_path / "copy" / "melt.log.jsonl")
        assert log["step"].tolist() == [0, 20, 40]
        expected = read_log(tmp_path / "melt.log.jsonl").rows[-1]
        assert log.rows[-1] == pytest.approx(expected, rel=1e-8)


def test_a_killed_rank_ends_the_run_with_a_message(melt, tmp_path):
    melt(steps=1000000, thermo=100)
    process = start(tmp_path, ranks=2)
    wait_for_step(tmp_path / "melt.log.jsonl", 100, process)
    target = program.find_program().resolve()
    ranks = [pid for pid in processes.descendants(process.pid) if processes.runs(pid, target)]
    assert len(ranks) == 2
    os.kill(ranks[1], signal.SIGKILL)
    said, _ = process.communicate(timeout=60)
    assert process.returncode != 0
    assert re.search(r"sterna: rank \d was ended by signal 9", said), said


def test_what_a_killed_launcher_left_is_not_in_the_way(melt, tmp_path):
    melt(steps=10, thermo=10)
    left = tmp_path / "left"
    left.mkdir()
    last = int(Path("/proc/loadavg").read_text(encoding="ascii").split()[-1])
    for number in range(last, last + 2000):
        (left / f"ompi.{number}").write_text("")
    done = subprocess.run(
        sterna_command("run", "melt.toml", "-n", "1"),
        cwd=tmp_path,
        env=sterna_environment() | {"TMPDIR": str(left)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert not list(left.glob("sterna-*"))


def test_resuming_without_a_checkpoint_starts_anew(sterna, melt, tmp_path):
    melt(steps=10, thermo=10)
    done = sterna("run", "melt.toml", "-n", 1, "--resume")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "no checkpoint" in done.stdout
    assert read_log(tmp_path / "melt.log.jsonl")["step"].tolist() == [0, 10]
