"""`Simulation(..., ranks=4)` without a launcher, as in a notebook: its ranks are processes of their
own, to which calls are forwarded.
"""

import atexit
import itertools
import os
import pickle
import select
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterable
from multiprocessing.connection import Connection, wait
from pathlib import Path
from socket import AF_UNIX, socket

from sterna.errors import RemoteError, SternaError
from sterna.launching import processes
from sterna.launching.launch import command_line, in_session, joined_ranks, without_noise
from sterna.launching.program import find_program
from sterna.launching.session import Session
from sterna.live.core import core
from sterna.live.input import Input
from sterna.live.simulation import Simulation, whole_number
from sterna.live.system import System
from sterna.support.progress import RunProgress, shown_interactively

_UNTIL_CONNECTED = 120.0  # seconds for the ranks to start, also on a machine with other work
_UNTIL_ENDED = 5.0  # seconds for them to end when they are asked to
_LINES_KEPT = 40  # number of lines of output that are kept, for errors


def _in_the_launcher() -> None:
    processes.die_with_parent(signal.SIGKILL)


class Workers:
    """A number of ranks under a launcher, each with a connection to this process."""

    def __init__(self, ranks: int) -> None:
        self.ranks = ranks
        self._owner = os.getpid()
        self._lock = threading.RLock()
        self._said: deque[str] = deque(maxlen=_LINES_KEPT)
        self._connections: list[Connection] = []
        self._pids: list[int] = []
        self._closed = False
        self._waits = False  # for answers
        self.dropped: deque[int] = deque()  #: simulations that nobody holds any more
        program = Path(sys.executable)
        self._session = Session(ranks)
        try:
            address = str(self._session.path / "workers")
            # Modules are found where this process finds them, and not in the working folder first (-P).
            arguments = ["-P", "-m", "sterna.live.worker", address]
            engine = find_program()
            command, environment = command_line(ranks, arguments, program, engine)
            environment = in_session(self._session, command, environment, engine)
            package = str(Path(__file__).resolve().parents[2])
            paths = [package, *(path or os.getcwd() for path in sys.path)]
            environment["PYTHONPATH"] = os.pathsep.join(dict.fromkeys(paths))
            environment.setdefault("PYTHONUNBUFFERED", "1")
            with socket(AF_UNIX) as listener:
                listener.bind(address)
                listener.listen(ranks)
                self._launcher = subprocess.Popen(
                    command,
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    text=True,
                    errors="replace",
                    start_new_session=True,  # Ctrl-C reaches this process alone
                    pass_fds=(self._session.lock,),
                    preexec_fn=_in_the_launcher,
                )
                threading.Thread(target=self._show_output, daemon=True).start()
                self._connect(listener)
        except BaseException:
            self.kill()
            raise

    def _show_output(self) -> None:
        for line in without_noise(self._launcher.stdout):
            self._said.append(line)
            sys.stderr.write(line)

    def _connect(self, listener: socket) -> None:
        listener.settimeout(0.2)
        found: dict[int, tuple[int, Connection]] = {}
        end = time.monotonic() + _UNTIL_CONNECTED
        while len(found) < self.ranks:
            if self._launcher.poll() is not None or time.monotonic() > end:
                raise SternaError(self._with_output(f"{self.ranks} workers did not start"))
            try:
                accepted, _ = listener.accept()
            except TimeoutError:
                continue
            accepted.setblocking(True)
            connection = Connection(accepted.detach())
            rank, pid = connection.recv()
            found[rank] = (pid, connection)
        for rank in range(self.ranks):
            pid, connection = found[rank]
            self._pids.append(pid)
            self._connections.append(connection)

    def _with_output(self, text: str) -> str:
        time.sleep(0.2)  # The last lines are on their way.
        return "".join([text, ":\n" if self._said else "", *self._said]).rstrip()

    def ask(self, *message: object, on_step: Callable[[int], None] | None = None) -> object:
        """Has all ranks make a call; returns what it returned on rank 0, or raises what it raised.

        `on_step` is called with the steps that rank 0 reports meanwhile. Ctrl-C interrupts the call
        on all ranks, a second one ends them. A second thread waits until the first has its answer.
        """
        with self._lock:
            self._require_alive()
            if self._waits:
                raise SternaError("this was called from within a call of the same workers")
            while self.dropped and message[0] != "drop":
                self.ask("drop", self.dropped.popleft())
            data = pickle.dumps((os.getcwd(), *message))
            interrupted = False
            # error of a function that is called here while answers come
            raised: BaseException | None = None
            try:
                for connection in self._connections:
                    connection.send_bytes(data)
            except OSError:
                self._fail()
            answers: dict[int, tuple] = {}
            self._waits = True
            try:
                while len(answers) < self.ranks:
                    try:
                        self._receive(answers, on_step)
                    except KeyboardInterrupt:
                        if interrupted:
                            self.kill()
                            raise
                        interrupted = True
                        self._interrupt()
                    except SternaError:
                        raise
                    except Exception as error:
                        # The answers that are under way would be taken for those of the next call.
                        raised = raised or error
            finally:
                self._waits = False
        result = _result_of([answers[rank] for rank in range(self.ranks)], interrupted)
        if raised is not None:
            raise raised
        return result

    def _receive(self, answers: dict[int, tuple], on_step: Callable[[int], None] | None) -> None:
        waiting = {c: r for r, c in enumerate(self._connections) if r not in answers}
        for connection in wait(list(waiting), 0.5):
            try:
                answer = connection.recv()
            except (EOFError, OSError):
                self._fail()
            except Exception as error:  # The class of what was sent is not there in this process.
                answer = ("failed", error, "")
            if answer[0] == "at":
                if on_step is not None:
                    on_step(answer[1])
            elif answer[0] == "warning":
                warnings.warn(answer[1], answer[2], stacklevel=6)
            else:
                answers[waiting[connection]] = answer

    def _interrupt(self) -> None:
        # All have the signal before one of them acts on it: see Supervisor.
        for number in (signal.SIGSTOP, signal.SIGINT, signal.SIGCONT):
            processes.send(self._pids, number)

    def _require_alive(self) -> None:
        if self._owner != os.getpid():
            raise SternaError("these workers belong to the process that this one was forked from")
        if self._closed:
            raise SternaError("the workers of this simulation have ended")

    def _fail(self) -> None:
        self.kill()
        raise SternaError(self._with_output("a worker has ended"))

    def kill(self) -> None:
        """Ends the ranks at once."""
        self._closed = True
        if self._owner != os.getpid():
            return
        launcher = getattr(self, "_launcher", None)
        if launcher is not None:
            processes.send([launcher.pid, *self._session.processes()], signal.SIGKILL)
            launcher.wait()
        for connection in self._connections:
            connection.close()
        self._session.__exit__()

    def end(self) -> None:
        """Asks the ranks to end, and waits for that."""
        if self._closed or self._owner != os.getpid():
            return
        try:
            for connection in self._connections:
                connection.send(None)
            ended = os.pidfd_open(self._launcher.pid)
            select.select([ended], [], [], _UNTIL_ENDED)
            os.close(ended)
        except OSError:
            pass  # Some have ended by themselves.
        self.kill()


def _result_of(answers: list[tuple], interrupted: bool) -> object:
    failed = [answer for answer in answers if answer[0] == "failed"]
    if not failed:
        if interrupted:
            raise KeyboardInterrupt
        return answers[0][1]
    # The others may only know that one has failed.
    own = [answer for answer in failed if not isinstance(answer[1], RemoteError)]
    _, error, trace = (own or failed)[0]
    error.add_note("in a worker:\n" + trace.rstrip())
    raise error


_jobs: dict[int, Workers] = {}
_numbers = itertools.count()


def workers_of(ranks: int) -> Workers:
    """Returns the workers of this process, which all simulations with this many ranks share."""
    job = _jobs.get(ranks)
    if job is None or job._closed or job._owner != os.getpid():
        if job is None:
            atexit.register(lambda: _jobs[ranks].end())
        job = _jobs[ranks] = Workers(ranks)
    return job


def _forwarded(name: str) -> Callable:
    """A method that all workers call."""
    original = getattr(Simulation, name)

    def call(self: "WorkerSimulation", *arguments: object, **keys: object) -> object:
        return self._workers.ask("call", self._number, name, arguments, keys)

    call.__name__, call.__doc__ = name, original.__doc__
    return call


def _attribute(name: str) -> property:
    def get(self: "WorkerSimulation") -> object:
        return self._workers.ask("get", self._number, name)

    return property(get, doc=getattr(Simulation, name).__doc__)


def _needs_workers(ranks: int | None) -> bool:
    """Whether so many ranks are asked for where no launcher has started any."""
    return ranks is not None and ranks != 1 and joined_ranks() is None


class WorkerSimulation(Simulation, asked_for=_needs_workers):
    """A simulation whose ranks are processes that this one has started: `Simulation(..., ranks=4)`.

    Methods and attributes are those of `Simulation`, and arrays are copies. Functions of Python
    cannot be sent to the workers: `every`, `force`, and `view` raise SternaError. Workers stay for
    the next simulation with as many ranks, until this process ends.
    """

    def __init__(
        self,
        input: Input,  # noqa: A002
        system: System | None = None,
        *,
        ranks: int,
        communicator: object = None,
        **options: object,
    ) -> None:
        """Local. As `Simulation`; a communicator has no place here."""
        self._make_at_workers(ranks, input, system, communicator, options)

    def _resume(
        self,
        path: str,
        settings: Input,
        system: System | None,
        communicator: object,
        ranks: int,
    ) -> None:
        self._make_at_workers(ranks, settings, system, communicator, {"checkpoint": path})

    def _make_at_workers(
        self,
        ranks: int,
        settings: Input,
        system: System | None,
        communicator: object,
        options: dict,
    ) -> None:
        if communicator is not None:
            raise ValueError("expected ranks or a communicator, not both")
        if isinstance(ranks, bool) or not isinstance(ranks, int) or ranks < 1:
            raise ValueError(f"ranks is {ranks!r}, expected a whole number from 1 on")
        if not isinstance(settings, Input):
            raise TypeError(f"Simulation: expected a sterna.Input, got {settings!r}")
        core()  # their answers contain its types
        self._viewed = False
        self._number = next(_numbers)
        self._workers = workers_of(ranks)
        self._workers.ask("make", self._number, {"input": settings, "system": system, **options})

    rank, units, step, time, box = map(_attribute, ("rank", "units", "step", "time", "box"))
    particle_count, type_names = map(_attribute, ("particle_count", "type_names"))
    input, thermo, energies, virials, log = map(
        _attribute, ("input", "thermo", "energies", "virials", "log")
    )
    change, set_box, minimize, measure = map(
        _forwarded, ("change", "set_box", "minimize", "measure")
    )
    gather, set, virial_tensor, save, energy = map(
        _forwarded, ("gather", "set", "virial_tensor", "save", "energy")
    )
    add_particle_field = _forwarded("add_particle_field")
    particle_fields = _attribute("particle_fields")

    @property
    def ranks(self) -> int:
        """Local. How many ranks take part."""
        return self._workers.ranks

    def run(
        self,
        steps: int | str | None = None,
        *,
        until: Callable[[Simulation], bool] | None = None,
        every: int = 1000,
        progress: bool | None = None,
    ) -> None:
        """Local. Runs as `Simulation.run` does; `until` is called in this process."""
        if steps is None and until is None:
            raise ValueError("run: expected a number of steps, a time, or until=...")
        every = whole_number("run: every", every, 1)
        if steps is not None:
            steps = self._whole_steps(steps)
        if until is not None:
            end = None if steps is None else self.step + steps
            while end is None or self.step < end:
                part = every if end is None else min(every, end - self.step)
                self._workers.ask("run", self._number, part, False)
                if until(self):
                    return
            return
        if not (shown_interactively() if progress is None else progress):
            self._workers.ask("run", self._number, steps, False)
            return
        first = self.step
        with RunProgress(first, first + steps) as show:
            self._workers.ask("run", self._number, steps, True, on_step=show)

    def _steps_of(self, time: str) -> int:
        return self._workers.ask("steps_of", self._number, time)

    def every(
        self,
        interval: int | None = None,
        *,
        at: Iterable[int] | None = None,
        needs: Iterable[str] | None = None,
    ) -> Callable[[Callable], Callable]:
        """Local. Raises SternaError."""
        raise SternaError(self._refusal("every: functions"))

    def force(
        self,
        function: Callable | None = None,
        *,
        virial: bool = False,
        needs: Iterable[str] | None = None,
    ) -> Callable:
        """Local. Raises SternaError."""
        raise SternaError(self._refusal("force: functions"))

    def view(self, write: str | Iterable[str] = ()) -> object:
        """Local. Raises SternaError."""
        raise SternaError(self._refusal("view: the arrays"))

    def _refusal(self, what: str) -> str:
        return (
            f"{what} of this process are not those of its {self.ranks} workers: put the simulation "
            f"into a script, without ranks=, and start it with `sterna launch -n {self.ranks}`, or "
            "use one rank; gather gives copies of all arrays"
        )

    def close(self) -> None:
        """Local. Frees what the workers hold; otherwise that happens when it is dropped."""
        if not self._workers._closed:
            self._workers.ask("drop", self._number)

    def _close_failed(self) -> None:
        """Local. All ranks are there to close it together."""
        self.close()

    def __del__(self) -> None:
        workers = getattr(self, "_workers", None)
        if workers is not None:
            # it ends with the next call, since this may happen during another one
            workers.dropped.append(self._number)
