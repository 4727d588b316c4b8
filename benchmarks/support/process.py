"""Runs a program of a benchmark: pinned to cores, within a time limit, its memory measured."""

import os
import platform
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

RUN_TIME_LIMIT = 1200

# Runs a command and writes the peak of its memory. In a small process of its own, because a child
# counts the memory of the process that it was forked from as its own.
PEAK_MEMORY = """\
import resource, subprocess, sys
status = subprocess.call(sys.argv[2:])
with open(sys.argv[1], "w") as file:
    file.write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
sys.exit(status if status >= 0 else 128 - status)
"""


class EngineError(Exception):
    """An engine could not run, or did not say what is wanted of it."""


def processor() -> str:
    """The name of the processor, for the record of a measurement."""
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()


def find(pattern: str, text: str, what: str) -> re.Match:
    """Where a program said `what`; raises EngineError where it did not."""
    found = re.search(pattern, text, re.MULTILINE)
    if found is None:
        raise EngineError(f"found no {what}")
    return found


class Cores:
    """Which cores the ranks are pinned to, and how."""

    # Under Open MPI or MPICH each rank takes the core that stands at its number in the list.
    PIN = (
        "rank=${OMPI_COMM_WORLD_LOCAL_RANK:-${MPI_LOCALRANKID:-0}}; count=$1; shift; "
        'eval "core=\\${$((rank + 1))}"; shift "$count"; '
        '[ -z "$STERNA_BENCH_PRIORITY" ] || echo "$STERNA_BENCH_PRIORITY" >/proc/self/autogroup; '
        'exec taskset -c "$core" "$@"'
    )

    def __init__(self) -> None:
        self.available = sorted(os.sched_getaffinity(0))

    def chosen(self, ranks: int) -> list[int]:
        """The last cores: the first ones have more to do for the operating system."""
        return self.available[-ranks:]

    def pinned(self, ranks: int, command: list) -> list[str]:
        cores = [str(core) for core in self.chosen(ranks)]
        return ["sh", "-c", self.PIN, "pin", str(ranks), *cores, *map(str, command)]

    def together(self, ranks: int, command: list) -> list[str]:
        """One process with `ranks` threads on that many cores."""
        cores = ",".join(str(core) for core in self.chosen(ranks))
        return ["sh", "-c", self.PIN, "pin", "1", cores, *map(str, command)]


def run_process(
    command: list[str], folder: Path, environment: dict, time_limit: float = RUN_TIME_LIMIT
) -> tuple[str, int]:
    """What the process printed, and the peak of its resident memory in bytes."""
    peak = folder / "peak_memory"
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            [sys.executable, "-S", "-c", PEAK_MEMORY, str(peak), *command],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            process.wait(time_limit)
        except subprocess.TimeoutExpired as error:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            raise EngineError(f"{command[-3:]} took longer than {time_limit} s") from error
        except BaseException:  # also where the user interrupts: nothing is left running
            os.killpg(process.pid, signal.SIGTERM)
            process.wait()
            raise
        output.seek(0)
        text = output.read().decode(errors="replace")
    if process.returncode != 0:
        last = "\n".join(text.strip().splitlines()[-15:])
        raise EngineError(f"{command[-3:]} ended with status {process.returncode}:\n{last}")
    return text, int(peak.read_text()) * 1024
