"""One rank of `Simulation(..., ranks=4)`: makes the calls that `sterna.live.workers` sends.

Started as `python -m sterna.live.worker SOCKET`. Every rank gets every call and answers it; rank 0 answers
with what the call returned. All ends when the process at the other end does.
"""

import os
import signal
import sys
import traceback
import warnings
from multiprocessing.connection import Connection
from socket import AF_UNIX, socket

from sterna.launching import processes


class Worker:
    """A rank with its simulations, by their numbers."""

    def __init__(self, connection: Connection) -> None:
        from sterna.live.core import core

        self._connection = connection
        self._rank, self._ranks = core().world()
        self._simulations: dict[int, object] = {}
        connection.send((self._rank, os.getpid()))

    def serve(self) -> None:
        """Serves calls until the other end has gone, or asks to stop."""
        while True:
            try:
                message = self._connection.recv()
            except KeyboardInterrupt:
                continue  # it came after the end of the call that it should have interrupted
            except EOFError:
                os._exit(0)  # The others hear of it as well; there is nobody to report to.
            if message is None:
                return
            folder, what, *arguments = message
            try:
                if os.getcwd() != folder:
                    os.chdir(folder)
                answer = ("done", getattr(self, f"_{what}")(*arguments))
            except BaseException as error:
                answer = ("failed", error, "".join(traceback.format_exception(error)))
            if self._rank != 0 and answer[0] == "done":
                answer = ("done", None)
            self._send(answer)

    def _send(self, answer: tuple) -> None:
        try:
            self._connection.send(answer)
        except OSError:
            os._exit(0)
        except Exception as error:  # objects that cannot be pickled
            self._connection.send(("failed", RuntimeError(str(error)), str(error)))

    def _make(self, number: int, options: dict) -> None:
        from sterna.live.simulation import Simulation

        settings, system = options.pop("input"), options.pop("system")
        if system is not None:
            system = system.share(self._rank, self._ranks)
        checkpoint = options.pop("checkpoint", None)
        if checkpoint is not None:
            made = Simulation.resume(checkpoint, settings, system)
        else:
            made = Simulation(settings, system, **options)
        self._simulations[number] = made

    def _call(self, number: int, name: str, arguments: tuple, keys: dict) -> object:
        return getattr(self._simulations[number], name)(*arguments, **keys)

    def _run(self, number: int, steps: int, reports: bool) -> None:
        def report(step: int) -> None:
            self._send(("at", step))

        self._simulations[number]._apply_changes()
        self._simulations[number]._run(steps, report if reports else None)

    def _steps_of(self, number: int, time: str) -> int:
        return self._simulations[number]._core.steps_of(time)

    def _get(self, number: int, name: str) -> object:
        return getattr(self._simulations[number], name)

    def _drop(self, number: int) -> None:
        simulation = self._simulations.pop(number, None)
        if simulation is not None:
            simulation.close()

    def warn(
        self, message: Warning | str, category: type[Warning], *_: object, **__: object
    ) -> None:
        """Sends a warning to the process at the other end, which shows it as its user has
        chosen.
        """
        if self._rank == 0:
            self._send(("warning", str(message), category))


def main() -> None:
    # Whoever started the launcher may have ignored it, and a worker must not outlive its launcher.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    processes.die_with_parent(signal.SIGKILL)
    with socket(AF_UNIX) as connected:
        connected.connect(sys.argv[1])
        worker = Worker(Connection(connected.detach()))
    warnings.simplefilter("always")
    warnings.showwarning = worker.warn
    worker.serve()


if __name__ == "__main__":
    main()
