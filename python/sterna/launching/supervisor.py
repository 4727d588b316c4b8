"""The supervision of a launcher and its ranks, on behalf of the process that stops them or waits.

The launcher gets no SIGTERM, SIGINT or SIGHUP: it would end the ranks before they have written a
checkpoint. They stay pending, are seen here, and go to the ranks as SIGTERM, or as what they take
for a wish to stop.
"""

import os
import select
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from sterna.launching import processes
from sterna.launching.session import Session

_STOPS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
_BETWEEN_LOOKS = 0.2  # seconds
_LONGEST_STEP = 1.0  # more between two looks means that this process was stopped: nobody's delay
_UNTIL_ASKING = 1.0  # waits shorter than this need no deadline
_AFTER_A_STOP = 3.0  # for a launcher whose ranks have ended
_LONGEST_SLEEP = 10.0  # for a launcher that does nothing, when nothing that it started is left
_LEFT_TIME = 5.0  # for ranks whose launcher ended well, to end too
_LONGEST_STOP = 3600.0  # for busy ranks to end that were asked to; at least the deadlines below
_RANKS_FIRST = 4  # deadlines that ranks have to notice by themselves that one of them is stopped


def _in_the_launcher() -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, _STOPS)
    # The ranks notice the launcher's end and write a checkpoint.
    processes.die_with_parent(signal.SIGKILL)


class Supervisor:
    """Runs one launcher, whose ranks run `program`.

    `deadline()` is the longest time in seconds that anybody is waited for. `stop` is the signal that
    asks a rank to end.
    """

    def __init__(
        self,
        session: Session,
        program: Path,
        deadline: Callable[[], float],
        say: Callable[[str], None],
        stop: signal.Signals = signal.SIGTERM,
    ) -> None:
        self._session = session
        self._program = program.resolve()
        self._deadline = deadline
        self._say = say
        self._signal = stop
        self.said = False  #: whether it has told the user of something
        self._previous: dict[int, object] = {}
        self._launcher: subprocess.Popen | None = None
        self._most = 0  # ranks that were seen at a time
        self._left = 0  # ranks at the last look
        self._stop: int | None = None  # the first signal that asked for the end
        self._status: int | None = None  # the status, if it differs from that of the launcher
        self._interrupts = 0
        self._waited = 0.0
        self._slept = 0.0  # how long the launcher has slept with nobody left to wait for
        self._ticks = 0  # processor time of the launcher at the last look
        self._since_stop = 0.0  # how long ranks have gone on that were asked to end
        # for each rank: ticks, and seconds without more of them
        self._idle: dict[int, tuple[int, float]] = {}

    def start(self, command: Sequence[str], environment: Mapping[str, str]) -> subprocess.Popen:
        """Starts the launcher, with pipes for its output."""
        if threading.current_thread() is threading.main_thread():
            for number in (*_STOPS, signal.SIGTSTP):
                # an ignored signal stays ignored, as with nohup
                if signal.getsignal(number) != signal.SIG_IGN:
                    handler = self._pause if number == signal.SIGTSTP else self._take
                    self._previous[number] = signal.signal(number, handler)
        self._launcher = subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,  # Ctrl-C reaches only this process, which asks the ranks to end.
            pass_fds=(self._session.lock,),
            preexec_fn=_in_the_launcher,
        )
        if self._stop is not None:
            self._ask_to_stop()  # the signal came before there was anybody to ask
        return self._launcher

    def wait(self) -> int:
        """Waits for the end of launcher and ranks; returns the exit status."""
        launcher = self._launcher
        last = time.monotonic()
        ended = os.pidfd_open(launcher.pid)
        try:
            while not select.select([ended], [], [], _BETWEEN_LOOKS)[0]:
                now = time.monotonic()
                self._look(min(now - last, _LONGEST_STEP))
                last = now
        finally:
            os.close(ended)
        status = launcher.wait()
        if status < 0 and self._status is None:
            self._tell(
                f"sterna: error: the launcher was ended by signal {-status} "
                f"({signal.strsignal(-status)})\n"
            )
        self._wait_for_ranks(status)
        if self._status is not None:
            return self._status
        return status if status >= 0 else 128 - status

    def close(self) -> None:
        """Ends the processes that still run, and restores the signals."""
        if self._launcher is not None and self._launcher.poll() is None:
            self._kill()
            self._launcher.wait()
        for number, handler in self._previous.items():
            signal.signal(number, handler)

    def _tell(self, text: str) -> None:
        self.said = True
        self._say(text)

    def _ranks(self) -> list[int]:
        started = processes.descendants(self._launcher.pid)
        return [pid for pid in started if processes.runs(pid, self._program)]

    def _take(self, number: int, _frame: object) -> None:
        self._interrupts += number == signal.SIGINT
        self._stop = self._stop or number
        if self._interrupts > 1:
            self._status = 128 + number
            self._kill()
        elif self._launcher is not None:
            self._ask_to_stop()

    def _ask_to_stop(self) -> None:
        ranks = self._ranks()
        if ranks:
            self._most = max(self._most, len(ranks))
            # All ranks have the signal before one of them acts on it: a simulation that it ends on
            # one rank ends on all, and a signal that came later would interrupt what follows.
            for number in (signal.SIGSTOP, self._signal, signal.SIGCONT):
                processes.send(ranks, number)
        elif self._most == 0 and self._status is None:
            self._status = 128 + self._stop
            self._tell("sterna: stopped before the run began\n")
            self._kill()

    def _pause(self, _number: int, _frame: object) -> None:
        ranks = self._ranks() if self._launcher is not None else []
        processes.send(ranks, signal.SIGSTOP)
        os.kill(os.getpid(), signal.SIGSTOP)
        processes.send(ranks, signal.SIGCONT)

    def _look(self, passed: float) -> None:
        started = processes.descendants(self._launcher.pid)
        living = [pid for pid in started if not processes.has_ended(pid)]
        ranks = [pid for pid in living if processes.runs(pid, self._program)]
        begins = bool(ranks) and self._most == 0
        self._most = max(self._most, len(ranks) + len(started) - len(living))
        if self._stop is None:
            sent = processes.pending_signals(self._launcher.pid) & set(_STOPS)
            if sent:
                self._stop = min(sent)
                self._ask_to_stop()
        elif begins:  # a rank that began between the signal and the look for ranks
            self._ask_to_stop()
        stopped = processes.is_stopped(self._launcher.pid)
        if self._stop is not None and self._ignore_stop(passed, ranks):
            return
        # Ranks begin and end together: none waits long for others.
        together = bool(ranks) and len(ranks) == self._most and not stopped
        if together and not any(map(processes.is_stopped, ranks)):
            self._waited = 0.0
            self._left = len(ranks)
            return
        # A rank that ends has its own words to say, and its launcher time to pass them on.
        self._waited = self._waited + passed if len(ranks) == self._left else 0.0
        self._left = len(ranks)
        self._watch_sleep(passed, living)
        if self._waited <= _UNTIL_ASKING:
            return
        deadline = self._deadline()
        if self._stop is not None and self._waited > _AFTER_A_STOP and not ranks:
            self._status = 128 + self._stop
            self._kill()
        elif self._slept > _LONGEST_SLEEP and not self._anybody_else():
            self._status = 1
            self._tell(
                f"sterna: error: {self._late(ranks, stopped)}: it has slept for "
                f"{self._slept:.1f} s, and its ranks have ended\n"
            )
            self._kill()
        elif self._waited > deadline * (_RANKS_FIRST if together else 1):
            self._status = 1
            self._tell(
                f"sterna: error: {self._late(ranks, stopped)}: waited {self._waited:.1f} s; the "
                f"timeout of {deadline:g} s has passed\n"
            )
            self._kill()

    def _ignore_stop(self, passed: float, ranks: list[int]) -> bool:
        """Kills ranks that do not end although they were asked to; whether it has.

        A rank may compute long before it writes its checkpoint. One that uses no processor time for
        several deadlines waits for something that never comes.
        """
        self._since_stop = self._since_stop + passed if ranks else 0.0
        for pid in ranks:
            used = processes.ticks_used(pid)
            before, idle = self._idle.get(pid, (-1, 0.0))
            rests = used == before and not processes.is_stopped(pid)
            self._idle[pid] = used, idle + passed if rests else 0.0
        deaf = [pid for pid in ranks if self._idle[pid][1] > _UNTIL_ASKING]
        too_long = self._since_stop > _LONGEST_STOP
        if deaf or too_long:
            most = self._deadline() * _RANKS_FIRST
            deaf = [pid for pid in deaf if self._idle[pid][1] > most]
            if too_long and self._since_stop > most:
                deaf = ranks
        if not deaf:
            return False
        self._status = 1
        named = ", ".join(map(str, deaf))
        self._tell(
            f"sterna: error: the ranks of the processes {named} have not ended "
            f"{self._since_stop:.1f} s after they were asked to; all ranks are killed\n"
        )
        self._kill()
        return True

    def _watch_sleep(self, passed: float, living: list[int]) -> None:
        """Open MPI's launcher may lock itself up when ranks have ended before MPI started: PMIx waits
        for a lock of its own. Such a launcher is no slow one: its threads sleep and use no time."""
        launcher = self._launcher.pid
        ticks = processes.ticks_used(launcher)
        alone = self._most > 0 and not living
        asleep = alone and ticks == self._ticks and processes.sleeps(launcher)
        self._slept = self._slept + passed if asleep else 0.0
        self._ticks = ticks

    def _anybody_else(self) -> bool:
        """Whether a process of the run goes on that no longer is one of the launcher's."""
        others = set(self._session.processes()) - {self._launcher.pid}
        return not all(map(processes.has_ended, others))

    def _late(self, ranks: list[int], stopped: bool) -> str:
        launcher = f"the launcher (process {self._launcher.pid})"
        if stopped:
            return f"{launcher} is stopped"
        if len(ranks) == self._most and ranks:
            named = ", ".join(str(pid) for pid in ranks if processes.is_stopped(pid))
            return f"the ranks of the processes {named} are stopped"
        if ranks:
            named = ", ".join(
                f"{pid} (stopped)" if processes.is_stopped(pid) else str(pid) for pid in ranks
            )
            return f"the ranks of the processes {named} go on after others have ended"
        return f"{launcher} did not end" if self._most else f"{launcher} started no rank"

    def _kill(self) -> None:
        if self._launcher is not None:
            processes.send([self._launcher.pid, *self._session.processes()], signal.SIGKILL)

    def _wait_for_ranks(self, status: int) -> None:
        """Ranks that outlive a killed launcher write a checkpoint; then nothing stays behind."""
        left = self._session.processes()
        if not left:
            return
        processes.send(left, signal.SIGCONT)
        end = time.monotonic() + (self._deadline() if status < 0 else _LEFT_TIME)
        while left and time.monotonic() < end:
            time.sleep(0.02)
            left = self._session.processes()
        processes.send(left, signal.SIGKILL)


def deadline_of(program: Path, arguments: Sequence[str], environment: Mapping[str, str]) -> float:
    """The `timeout` of the input among the arguments, in seconds; that of a run without one else."""
    try:
        shown = subprocess.run(
            [program, "--show-timeout", *arguments],
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        return float(shown.stdout)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return 300.0
