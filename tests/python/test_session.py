"""Starts and ends: open ports, what is left behind, signals, ranks and launchers that stand still."""

import mmap
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import sterna_command, sterna_environment
from sterna import read_log
from sterna.launching import launch, processes, program, session, supervisor

LISTENING = "0A"
LOOPBACK = ("0100007F", "00000000000000000000000001000000", "0000000000000000FFFF00000100007F")
MOST = 120  # seconds, on a loaded machine


def until(condition: Callable[[], object], what: str, seconds: float = MOST):
    """What the condition gave once it was true."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.005)
    raise AssertionError(f"{what}: not in {seconds} s")


def variable_of_session(pid: int) -> str:
    try:
        variables = Path(f"/proc/{pid}/environ").read_bytes().decode(errors="replace").split("\0")
    except OSError:
        return ""  # It has ended.
    return dict(variable.partition("=")[::2] for variable in variables).get(session.VARIABLE, "")


def alive(pids: list[int]) -> list[int]:
    """Those of these ranks that still run; one that has ended may wait for its parent."""
    target = program.find_program().resolve()
    return [pid for pid in pids if processes.runs(pid, target)]


class Run:
    """`sterna run melt.toml -n 2` under way."""

    def __init__(self, folder: Path, ranks: int = 2) -> None:
        self.folder = folder
        self.process = subprocess.Popen(
            sterna_command("run", "melt.toml", "-n", ranks),
            cwd=folder,
            env=sterna_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            # A shell that starts the tests in the background lets them ignore it.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )

    def launcher(self) -> int:
        def found() -> int | None:
            for pid in processes.descendants(self.process.pid):
                if variable_of_session(pid):
                    return pid
            return None

        return until(found, "launcher")

    def ranks(self, count: int = 2) -> list[int]:
        target = program.find_program().resolve()

        def found() -> list[int]:
            pids = processes.descendants(self.process.pid)
            ranks = [pid for pid in pids if processes.runs(pid, target)]
            return ranks if len(ranks) == count else []

        return until(found, f"{count} ranks")

    def folder_of_session(self) -> Path:
        launcher = self.launcher()
        # A process that replaces its program shows no environment for a moment.
        return Path(until(lambda: variable_of_session(launcher), "the session's folder"))

    def reach(self, step: int) -> "Run":
        log = self.folder / "melt.log.jsonl"
        until(
            lambda: log.exists() and any(r["step"] >= step for r in read_log(log)), f"step {step}"
        )
        return self

    def end(self) -> str:
        said, _ = self.process.communicate(timeout=MOST)
        return said


@pytest.fixture
def begin(melt, tmp_path):
    """Starts a run that is ended, with its ranks, when the test is."""
    runs = []

    def start(steps: int = 1000000, timeout: str = "") -> Run:
        path = melt(steps=steps, thermo=10, checkpoint=0)
        if timeout:
            path.write_text(f'{path.read_text()}\n[communication]\ntimeout = "{timeout}"\n')
        runs.append(Run(tmp_path))
        return runs[-1]

    yield start
    for run in runs:
        if run.process.poll() is None:
            pids = [run.process.pid, *processes.descendants(run.process.pid)]
            processes.send(pids, signal.SIGKILL)
            run.process.wait()


def sockets_of(pid: int) -> set[str]:
    found = set()
    for descriptor in Path(f"/proc/{pid}/fd").iterdir():
        try:
            target = str(descriptor.readlink())
        except OSError:
            continue
        if target.startswith("socket:["):
            found.add(target[len("socket:[") : -1])
    return found


def listening(pids: list[int]) -> list[tuple[str, str]]:
    """Protocol and address (in the kernel's hexadecimal) of what these processes listen on."""
    own = set().union(*map(sockets_of, pids))
    found = []
    for protocol in ("tcp", "tcp6", "udp", "udp6"):
        table = Path(f"/proc/net/{protocol}")
        if not table.exists():
            continue
        for line in table.read_text(encoding="ascii").splitlines()[1:]:
            words = line.split()
            if words[9] in own and (words[3] == LISTENING or protocol.startswith("udp")):
                found.append((protocol, words[1].split(":")[0]))
    return found


def test_no_port_is_open_beyond_this_machine(begin):
    run = begin().reach(50)
    pids = [run.process.pid, *processes.descendants(run.process.pid)]
    assert len(pids) >= 4  # sterna, the launcher, two ranks
    ports = listening(pids)
    assert ports  # the launcher's, for the ranks
    assert [port for port in ports if port[1] not in LOOPBACK] == []


def test_files_of_a_run_are_its_owners_and_go_with_it(begin):
    run = begin().reach(50)
    folder = run.folder_of_session()
    assert folder.stat().st_mode & 0o777 == 0o700
    assert list(folder.iterdir())
    run.process.send_signal(signal.SIGTERM)
    run.end()
    assert not folder.exists()


def test_segments_of_ucx_lie_in_the_folder_of_the_run(begin):
    """A rank that is killed as UCX starts leaves them, and the next start removes the folder."""
    run = begin().reach(50)
    folder = run.folder_of_session()
    for rank in run.ranks():
        mapped = Path(f"/proc/{rank}/maps").read_text()
        segments = re.findall(r"(/\S*/)ucx_shm_posix_\w+", mapped)
        assert segments and {Path(segment) for segment in segments} == {folder}, segments


def test_what_a_killed_run_left_goes_at_the_next_start(begin):
    run = begin().reach(50)
    folder, ranks = run.folder_of_session(), run.ranks()
    run.process.kill()
    run.process.wait()
    until(lambda: not alive(ranks), "end of the ranks")
    # They heard of it and wrote what they had.
    assert read_log(run.folder / "melt.log.jsonl").events[-1]["status"] == "interrupted"
    assert (run.folder / "melt.checkpoint").exists()
    assert folder.exists()
    other = begin()
    assert other.folder_of_session().exists()
    assert not folder.exists()
    session.remove_abandoned()
    assert other.folder_of_session().exists()  # that of a living run stays


@pytest.mark.parametrize("removed_before", ["open", "flock", "stat"])
def test_a_folder_that_another_start_removes_is_made_again(removed_before, tmp_path, monkeypatch):
    """Another start removes abandoned folders, and a new one looks so until it is locked."""
    monkeypatch.setattr(session, "SHARED_MEMORY", tmp_path)
    monkeypatch.setattr(session.tempfile, "tempdir", str(tmp_path))
    module = session.fcntl if removed_before == "flock" else os
    call, make, removed = getattr(module, removed_before), session.tempfile.mkdtemp, []

    def after_another_start(*arguments, **named):
        monkeypatch.setattr(module, removed_before, call)
        session.shutil.rmtree(removed[0])
        return call(*arguments, **named)

    def made(**named):
        path = Path(make(**named))
        if not removed:
            removed.append(path)
            monkeypatch.setattr(module, removed_before, after_another_start)
        return str(path)

    monkeypatch.setattr(session.tempfile, "mkdtemp", made)
    with session.Session(1) as own:
        assert len(removed) == 1 and own.path not in removed
        assert own.path.is_dir()
        session.remove_abandoned()
        assert own.path.is_dir()


def test_a_folder_that_another_start_has_locked_is_not_taken(tmp_path, monkeypatch):
    monkeypatch.setattr(session, "SHARED_MEMORY", tmp_path)
    monkeypatch.setattr(session.tempfile, "tempdir", str(tmp_path))
    make, taken = session.tempfile.mkdtemp, []

    def made(**named):
        path = make(**named)
        if not taken:
            taken.append(os.open(path, os.O_RDONLY))
            session.fcntl.flock(taken[0], session.fcntl.LOCK_EX)
        return path

    monkeypatch.setattr(session.tempfile, "mkdtemp", made)
    with session.Session(1) as own:
        assert not os.path.samestat(os.stat(own.path), os.fstat(taken[0]))
    os.close(taken[0])


def test_segments_of_mpich_go_when_nobody_uses_them(tmp_path, monkeypatch):
    monkeypatch.setattr(session, "SHARED_MEMORY", tmp_path)
    monkeypatch.setattr(session.tempfile, "tempdir", str(tmp_path))
    left, used, young = (tmp_path / f"mpich_shm_{name}_0" for name in ("left", "used", "young"))
    other = tmp_path / "other"
    for path in (left, used, young, other):
        path.write_bytes(b"x" * mmap.PAGESIZE)
        if path != young:
            os.utime(path, (0, 0))
    with used.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ):
        session.remove_abandoned()
        assert not left.exists()
        assert used.exists()
        assert young.exists()
        assert other.exists()
    session.remove_abandoned()
    assert not used.exists()


@pytest.mark.parametrize("arguments", [["--methods"], ["melt.toml"]])
def test_a_program_without_a_launcher_leaves_nothing(arguments, melt, tmp_path):
    melt(steps=2, thermo=1)

    def files() -> set[str]:
        return {path.name for path in Path("/dev/shm").iterdir()}

    # Others may start something at the same time, but not each time.
    for _ in range(3):
        before = files()
        subprocess.run(
            [program.find_program(), *arguments],
            cwd=tmp_path,
            env=sterna_environment(),
            stdout=subprocess.DEVNULL,
            timeout=MOST,
            check=True,
        )
        left = files() - before
        if not left:
            return
    raise AssertionError(left)


def test_a_rank_that_is_stopped_at_the_start_is_named(begin):
    run = begin(timeout="2 s")
    ranks = run.ranks()
    os.kill(ranks[1], signal.SIGSTOP)
    said = run.end()
    assert run.process.returncode not in (0, 3), said
    late = rf"rank \d (has not started|\(process {ranks[1]}\) is stopped)"
    assert re.search(late, said), said
    assert not alive(ranks)


def test_what_a_late_rank_says_at_its_end_is_passed_on():
    """A rank waits as long as its supervisor does; its launcher takes a moment to pass its words on."""
    rank = Path("/bin/sleep").resolve()
    launcher = f"""
import os, signal, subprocess, time
stopped, speaker = (subprocess.Popen(["{rank}", number]) for number in ("1000", "1.9"))
time.sleep(0.1)
stopped.send_signal(signal.SIGSTOP)
speaker.wait()
time.sleep(0.6)
print("its words", flush=True)
stopped.kill()
"""
    told: list[str] = []
    with session.Session(2) as of_the_run:
        watching = supervisor.Supervisor(of_the_run, rank, lambda: 2.0, told.append)
        process = watching.start([sys.executable, "-c", launcher], of_the_run.environment())
        try:
            assert watching.wait() == 0, told
            assert process.stdout.read() == "its words\n"
        finally:
            watching.close()
    assert told == []


def test_a_rank_that_does_not_hear_that_it_is_to_end_is_killed():
    rank = Path("/bin/sleep").resolve()
    launcher = f"""
import signal, subprocess
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print(subprocess.Popen(["{rank}", "1000"]).wait(), flush=True)
"""
    told: list[str] = []
    with session.Session(1) as of_the_run:
        watching = supervisor.Supervisor(of_the_run, rank, lambda: 0.5, told.append)
        process = watching.start([sys.executable, "-c", launcher], of_the_run.environment())
        try:
            until(lambda: processes.descendants(process.pid), "rank")
            deaf = processes.descendants(process.pid)
            until(lambda: processes.runs(deaf[0], rank), "rank")
            os.kill(os.getpid(), signal.SIGTERM)
            assert watching.wait() == 1, told
            assert not processes.runs(deaf[0], rank)
        finally:
            watching.close()
    assert f"the ranks of the processes {deaf[0]} have not ended" in told[0], told


def test_a_rank_that_is_stopped_at_the_end_is_not_waited_for(begin, tmp_path):
    log = tmp_path / "melt.log.jsonl"
    for _ in range(60):
        log.unlink(missing_ok=True)
        run = begin(steps=200, timeout="2 s")
        ranks = run.ranks()
        until(lambda: log.exists() and '"event":"end"' in log.read_text().replace(" ", ""), "end")
        os.kill(ranks[1], signal.SIGSTOP)
        caught = processes.is_stopped(ranks[1])
        said = run.end()
        assert not alive(ranks)
        if caught and run.process.returncode != 0:
            assert "the timeout of 2 s has passed" in said, said
            return
    raise AssertionError("no rank was caught between the end of the run and its own")


def test_ranks_that_are_all_stopped_are_not_waited_for(begin):
    run = begin(timeout="1 s").reach(10)
    ranks = run.ranks()
    processes.send(ranks, signal.SIGSTOP)
    said = run.end()
    assert run.process.returncode == 1, said
    assert re.search(r"the ranks of the processes \d+, \d+ are stopped: waited", said), said
    assert not alive(ranks)


def test_a_launcher_that_is_stopped_is_not_waited_for(begin):
    run = begin(timeout="2 s")
    launcher = run.launcher()
    folder = run.folder_of_session()
    os.kill(launcher, signal.SIGSTOP)
    said = run.end()
    assert run.process.returncode == 1, said
    assert f"the launcher (process {launcher}) is stopped" in said, said
    assert not folder.exists()


def test_a_stopped_rank_hears_that_the_run_is_to_end(begin):
    run = begin().reach(50)
    os.kill(run.ranks()[0], signal.SIGSTOP)
    run.process.send_signal(signal.SIGINT)
    said = run.end()
    assert run.process.returncode == 3, said


@pytest.mark.parametrize("stop", ["SIGTERM", "SIGINT", "SIGHUP"])
def test_a_signal_to_the_launcher_writes_a_checkpoint(stop, begin):
    run = begin().reach(50)
    os.kill(run.launcher(), signal.Signals[stop])
    said = run.end()
    assert run.process.returncode == 3, said
    assert (run.folder / "melt.checkpoint").exists()


def test_a_launcher_that_is_killed_leaves_a_checkpoint(begin):
    run = begin().reach(50)
    folder, ranks = run.folder_of_session(), run.ranks()
    os.kill(run.launcher(), signal.SIGKILL)
    said = run.end()
    assert run.process.returncode == 128 + signal.SIGKILL, said
    assert "the launcher was ended by signal 9" in said
    assert (run.folder / "melt.checkpoint").exists()
    assert not folder.exists()
    assert not alive(ranks)


def test_a_hangup_of_a_rank_writes_a_checkpoint(begin):
    run = begin().reach(50)
    os.kill(run.ranks()[0], signal.SIGHUP)
    said = run.end()
    assert run.process.returncode == 3, said
    assert (run.folder / "melt.checkpoint").exists()


@pytest.mark.parametrize("stop", ["SIGTERM", "SIGINT", "SIGHUP"])
def test_a_signal_before_there_are_ranks_is_not_forgotten(stop, begin):
    run = begin()
    run.launcher()
    run.process.send_signal(signal.Signals[stop])
    said = run.end()
    assert run.process.returncode >= 128, said
    assert "Traceback" not in said
    assert not (run.folder / "melt.checkpoint").exists()


def test_the_terminals_stop_stops_the_ranks_and_they_go_on(begin):
    run = begin().reach(50)
    ranks = run.ranks()
    run.process.send_signal(signal.SIGTSTP)
    until(lambda: all(map(processes.is_stopped, [run.process.pid, *ranks])), "stop")
    reached = read_log(run.folder / "melt.log.jsonl").rows[-1]["step"]
    run.process.send_signal(signal.SIGCONT)
    run.reach(reached + 20)
    run.process.send_signal(signal.SIGTERM)
    run.end()
    assert run.process.returncode == 3


def test_a_run_starts_without_a_home(melt, tmp_path):
    melt(steps=2, thermo=1)
    without = {name: value for name, value in sterna_environment().items() if name != "HOME"}
    for command in (
        sterna_command("run", "melt.toml", "-n", "2"),
        [program.find_program(), "melt.toml"],
    ):
        done = subprocess.run(
            command,
            cwd=tmp_path,
            env=without,
            capture_output=True,
            text=True,
            timeout=MOST,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr


def test_the_launcher_of_another_mpi_is_refused(melt, tmp_path):
    melt(steps=2, thermo=1)
    for rank in ("0", "1"):
        done = subprocess.run(
            [program.find_program(), "melt.toml"],
            cwd=tmp_path,
            env=sterna_environment() | {"SLURM_PROCID": rank, "SLURM_STEP_NUM_TASKS": "2"},
            capture_output=True,
            text=True,
            timeout=MOST,
            check=False,
        )
        assert done.returncode == 1
        assert ("srun started 2 ranks" in done.stderr) == (rank == "0"), done.stderr
    assert not (tmp_path / "melt.log.jsonl").exists()


def test_a_network_interface_that_is_not_there_is_named(melt, tmp_path):
    path = melt(steps=2, thermo=1)
    path.write_text(path.read_text() + '\n[communication]\ninterface = "none0"\n')
    # As a launcher has it that starts a rank on each of two nodes.
    nodes = {
        "OMPI_COMM_WORLD_RANK": "0",
        "OMPI_COMM_WORLD_SIZE": "2",
        "OMPI_COMM_WORLD_LOCAL_SIZE": "1",
    }
    done = subprocess.run(
        [program.find_program(), "melt.toml"],
        cwd=tmp_path,
        env=sterna_environment() | nodes,
        capture_output=True,
        text=True,
        timeout=MOST,
        check=False,
    )
    assert done.returncode == 1
    assert re.search(r'no network interface "none0": it has (.*, )?lo\b', done.stderr), done.stderr
    # On one node there is no network to use.
    run = Run(tmp_path)
    said = run.end()
    assert run.process.returncode == 0, said


def test_a_machine_with_little_shared_memory_needs_none(melt, tmp_path, monkeypatch):
    small = tmp_path / "shared"
    small.mkdir()
    monkeypatch.setattr(session, "SHARED_MEMORY", small)
    monkeypatch.setattr(session.tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(
        session.shutil, "disk_usage", lambda _: type("Usage", (), {"free": 40 << 20})
    )
    with session.Session(1) as one, session.Session(2) as two:
        assert one.path.parent == small
        assert two.path.parent == tmp_path
    path = melt(steps=5, thermo=5)
    said = []
    monkeypatch.chdir(tmp_path)
    for name, value in sterna_environment().items():
        monkeypatch.setenv(name, value)
    assert launch.launch(2, [str(path), "--progress", "never"], said.append, said.append) == 0, said
    assert not any("shared memory" in line for line in said)


def test_the_deadline_is_that_of_the_input(melt, tmp_path):
    path = melt()
    path.write_text(path.read_text() + '\n[communication]\ntimeout = "2 min"\n')
    shown = subprocess.run(
        [program.find_program(), path, "--show-timeout"],
        capture_output=True,
        text=True,
        timeout=MOST,
        check=True,
    )
    assert float(shown.stdout) == 120.0
