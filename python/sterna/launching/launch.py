"""Starts `sterna-md`, or another program, on the ranks asked for; stays between it and the user.

What the launcher itself says is kept from the user, what Sterna says never is. SIGTERM, SIGINT and
SIGHUP go to the ranks as SIGTERM: they write a checkpoint and end. A second SIGINT ends them at once.
Ctrl-Z stops the ranks, too. A launcher that does not answer is ended after the input's `timeout`.
"""

import contextlib
import math
import os
import pwd
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

from sterna.errors import SternaError
from sterna.launching.program import find_hdf5, find_launcher, find_program
from sterna.launching.session import Session
from sterna.launching.supervisor import Supervisor, deadline_of

_OPEN_MPI_RULE = re.compile(r"^-{74}\s*$")  # rule on standard error
_MPICH_RULE = re.compile(r"^={83}\s*$")  # rule on standard output
_LAUNCHER_WORDS = re.compile(
    r"prterun|prted|PRTE|mpirun|mpiexec|MPI_ABORT|orterun|OMPI|Open MPI|BAD TERMINATION"
)
_STERNA_WORDS = re.compile(r"\bsterna\b|\berror: |\bwarning: |^\S+:\d+:\d+: ")
_NOTICES = re.compile(
    r"OSC UCX component priority set inside component query failed"
    r"|^This typically refers to a problem with your application"
    r"|^Please see the FAQ page for debugging suggestions"
    # A single rank needs no network interface.
    r"|\b(opal|pmix)_ifinit: unable to find network interfaces"
    # This message is about a rank that has ended already.
    r"|^\[\S+:\d+\] PMIX ERROR: PMIX_ERR_UNREACH"
)
_MOST_RANKS_PER_CORE = 64  # more would only use up memory and processes
_SIGNAL = re.compile(r"rank (\d+) with PID \d+ on node .*? exited on\s+signal (\d+)", re.DOTALL)
_MPICH_SIGNAL = re.compile(r"^YOUR APPLICATION TERMINATED WITH THE EXIT STRING: .*signal (\d+)")


def available_cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0))


def joined_ranks(environment: Mapping[str, str] = os.environ) -> int | None:
    """The ranks of the launcher this process runs under (0: not told), or None without one."""
    for rank, size in (
        ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
        ("PMI_RANK", "PMI_SIZE"),
        ("PMIX_RANK", "PMIX_SIZE"),
    ):
        if rank in environment:
            return int(environment.get(size, 0))
    # A batch script has SLURM_PROCID too; only a step of srun has the number of its tasks.
    tasks = int(environment.get("SLURM_STEP_NUM_TASKS", 0))
    if "SLURM_PROCID" in environment and tasks > 1:
        return tasks
    return None


def join(arguments: Iterable[str], ranks: int | None, program: Path | None = None) -> None:
    """Becomes one rank of the launcher this process runs under; returns where there is none."""
    joined = joined_ranks()
    if joined is None:
        return
    if ranks is not None and joined not in (0, ranks):
        raise SternaError(
            f"{ranks} ranks were asked for, but this runs under a launcher with {joined}: "
            "leave the number of ranks out"
        )
    become(arguments, program)


def become(arguments: Iterable[str], program: Path | None = None) -> None:
    """Runs `program arguments` (default: sterna-md) in place of this process."""
    path = str(program or find_program())
    # Python ignores it, and the program would, too: `sterna models | head` ends it in silence.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    os.execve(path, [path, *arguments], program_environment())


@cache
def _is_open_mpi(launcher: Path) -> bool:
    shown = subprocess.run(
        [launcher, "--version"],
        capture_output=True,
        text=True,
        env=program_environment(),
        check=False,
    )
    return bool(re.search(r"Open MPI|OpenRTE|PRRTE", shown.stdout + shown.stderr))


def program_environment() -> dict[str, str]:
    """The environment for `sterna-md` on this machine, also for root, who MPI warns off."""
    environment = process_settings() | os.environ
    for prefix in ("OMPI", "PRTE"):
        environment[f"{prefix}_ALLOW_RUN_AS_ROOT"] = "1"
        environment[f"{prefix}_ALLOW_RUN_AS_ROOT_CONFIRM"] = "1"
    return environment


def process_settings() -> dict[str, str]:
    """Returns the environment variables for a process of a job, unless they are set otherwise.

    Raises SternaError where UCX would take settings from the working folder.
    """
    _refuse_settings_of_working_folder()
    settings = {
        "HOME": _home(),  # Open MPI does not start without
        # UCX would take SIGHUP for itself: it is the ranks' to write a checkpoint.
        "UCX_DEBUG_SIGNO": "0",
    }
    hdf5 = find_hdf5()
    if hdf5 is not None:
        settings["STERNA_HDF5"] = str(hdf5)
    if joined_ranks() is None:
        # All ranks are on one node, where UCX need not watch what memory is mapped and freed: only
        # its caches of memory that network adapters know need that, and they do without. To put
        # its hooks into the C library takes UCX 0.4 s of each process as soon as it is loaded.
        settings["UCX_MEM_EVENTS"] = "n"
        # Nor need Open MPI look for network adapters by libfabric, a third of the time of its start.
        settings["OMPI_MCA_mtl"] = "^ofi"
    return settings


def _refuse_settings_of_working_folder() -> None:
    """UCX reads `ucx.conf` there, which can name libraries to load: see src/app/rank_process.cpp."""
    name = "ucx.conf"
    if not os.path.exists(name):
        return
    for variable in ("UCX_CONFIG_DIR", "HOME"):
        folder = os.environ.get(variable)
        if folder is not None:
            with contextlib.suppress(OSError):
                if os.path.samefile(name, os.path.join(folder, name)):
                    return
    raise SternaError(
        f"{os.path.abspath(name)}: UCX would take settings from this file of the working folder, and "
        "settings can name libraries to load; remove it, or, to use it, set UCX_CONFIG_DIR to its "
        "folder"
    )


def _loopback_is_up() -> bool:
    """Whether processes of this machine can talk to each other over sockets of TCP."""
    try:
        with socket.create_server(("127.0.0.1", 0)) as server:
            socket.create_connection(server.getsockname(), timeout=5).close()
    except OSError:
        return False
    return True


def _home() -> str:
    try:
        return pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        return "/"


def command_line(
    ranks: int, arguments: Iterable[str], program: Path | None = None, engine: Path | None = None
) -> tuple[list[str], dict[str, str]]:
    """The command and environment that run `program` on `ranks` ranks of this machine.

    The launcher is that of the MPI that `engine` was built with (default: the program itself).
    """
    program = program or find_program()
    engine = engine or program
    if not _loopback_is_up():
        if ranks > 1:
            raise SternaError(
                f"{ranks} ranks need the loopback interface, over which MPI's launcher talks to them, "
                "and it is down: ip link set lo up; without it one rank can run (-n 1)"
            )
        alone = Path(__file__).with_name("one_rank.py")
        return [sys.executable, "-I", str(alone), str(program), *arguments], program_environment()
    launcher = find_launcher(engine)
    cores = available_cores()
    if ranks > _MOST_RANKS_PER_CORE * cores:
        raise SternaError(
            f"{ranks} ranks on {cores} core{'' if cores == 1 else 's'}: at most "
            f"{_MOST_RANKS_PER_CORE} can share one; on more machines, start sterna-md under the "
            "launcher of your site"
        )
    environment = program_environment()
    command = [str(launcher)]
    if _is_open_mpi(launcher):
        # More ranks than cores must work, and two runs at a time must not be bound to one core.
        command += ["--map-by", ":OVERSUBSCRIBE", "--bind-to", "none"]
        if ranks > cores:
            environment.setdefault("OMPI_MCA_mpi_yield_when_idle", "1")
    elif ranks > cores:
        raise SternaError(
            f"{ranks} ranks on {cores} cores: {launcher} belongs to an MPI that does not yield "
            f"while it waits, which makes such runs very slow; use at most {cores} ranks, or Open MPI"
        )
    return [*command, "-n", str(ranks), str(program), *arguments], environment


def in_session(
    session: Session, command: list[str], environment: Mapping[str, str], engine: Path
) -> dict[str, str]:
    """The environment of `command_line` with that of the session.

    Open MPI's launcher then listens on the loopback interface alone (src/app/loopback_only.cpp).
    """
    told = session.environment() | environment
    loopback = engine.absolute().with_name("sterna-loopback.so")
    if loopback.exists() and _is_open_mpi(Path(command[0])):
        names = [str(session.loader_name(loopback)), told.get("LD_PRELOAD")]
        told["LD_PRELOAD"] = ":".join(filter(None, names))
    return told


def without_noise(
    lines: Iterable[str],
    rule: re.Pattern[str] = _OPEN_MPI_RULE,
    withheld: list[str] | None = None,
) -> Iterator[str]:
    """The lines that a user should see.

    Drops the launcher's banners (framed by lines that are a `rule`) and notices, but passes what Sterna said in
    between; of a rank that a signal ended it says so in one line. Banners that nothing was passed
    of are added to `withheld`.
    """
    banner: list[str] | None = None
    after_notice = False
    for raw in lines:
        line = raw.replace("\0", "")  # Open MPI ends forwarded messages with one.
        if not line:
            continue
        if rule.match(line):
            if banner is None:
                banner = [line]
            else:
                passed = list(_of_banner([*banner, line]))
                if withheld is not None and not passed:
                    withheld += banner[1:]
                yield from passed
                banner = None
        elif banner is not None:
            banner.append(line)
        elif killed := _MPICH_SIGNAL.search(line):
            yield _ended_by_signal("a rank", killed[1])
        elif _NOTICES.search(line):
            after_notice = True
            continue
        elif not (after_notice and not line.strip()):
            yield line
        after_notice = False
    if banner:
        yield from banner


def _of_banner(banner: list[str]) -> Iterator[str]:
    text = "".join(banner)
    if not _LAUNCHER_WORDS.search(text):
        yield from banner
        return
    yield from (line for line in banner if _STERNA_WORDS.search(line))
    killed = _SIGNAL.search(text)
    if killed:
        yield _ended_by_signal(f"rank {killed[1]}", killed[2])


def _ended_by_signal(who: str, number: str) -> str:
    return f"sterna: {who} was ended by signal {number} ({signal.strsignal(int(number))})\n"


def launch(
    ranks: int,
    arguments: Iterable[str],
    on_output: Callable[[str], None],
    on_error: Callable[[str], None],
    program: Path | None = None,
) -> int:
    """Runs `program arguments` (default: sterna-md) on `ranks` ranks; returns its exit status.

    Each line of standard output goes to `on_output`, each of standard error to `on_error`, but for
    the launcher's noise; with their line ends and never two at a time.
    """
    program = program or find_program()
    arguments = list(arguments)
    command, environment = command_line(ranks, arguments, program)
    with Session(ranks) as session:
        environment = in_session(session, command, environment, program)

        @cache
        def deadline() -> float:
            return deadline_of(program, arguments, environment)

        supervisor = Supervisor(session, program, deadline, on_error)
        return _supervise(supervisor, command, environment, on_output, on_error)


def launch_script(
    ranks: int,
    script: Path,
    arguments: Iterable[str],
    on_output: Callable[[str], None],
    on_error: Callable[[str], None],
) -> int:
    """Runs a Python script on `ranks` ranks; returns its exit status.

    Signals go to the ranks as SIGINT, so that a simulation ends at a step of all ranks and the
    script gets a KeyboardInterrupt. Ranks that go on after others have ended have all the time they
    want.
    """
    python = Path(sys.executable)
    engine = find_program()
    command, environment = command_line(ranks, [str(script), *arguments], python, engine)
    # Output of a rank appears at once, as in a terminal.
    environment.setdefault("PYTHONUNBUFFERED", "1")
    with Session(ranks) as session:
        environment = in_session(session, command, environment, engine)
        supervisor = Supervisor(session, python, lambda: math.inf, on_error, signal.SIGINT)
        return _supervise(supervisor, command, environment, on_output, on_error)


def _supervise(
    supervisor: Supervisor,
    command: list[str],
    environment: dict[str, str],
    on_output: Callable[[str], None],
    on_error: Callable[[str], None],
) -> int:
    one_at_a_time = threading.Lock()
    withheld: list[str] = []
    shown = 0

    def pump(lines: Iterable[str], show: Callable[[str], None]) -> None:
        nonlocal shown
        for line in lines:
            with one_at_a_time:
                show(line)
                shown += 1

    try:
        process = supervisor.start(command, environment)
        threads = [
            threading.Thread(
                target=pump, args=(without_noise(stream, rule, withheld), show), daemon=True
            )
            for stream, rule, show in (
                (process.stdout, _MPICH_RULE, on_output),
                (process.stderr, _OPEN_MPI_RULE, on_error),
            )
        ]
        for thread in threads:
            thread.start()
        status = supervisor.wait()
        for thread in threads:
            thread.join()
        if status != 0 and shown == 0 and not supervisor.said:
            said = " and said:" if withheld else ""
            on_error(f"sterna: error: {command[0]} ended with status {status}{said}\n")
            for line in withheld:
                on_error(line)
        return status
    finally:
        supervisor.close()
