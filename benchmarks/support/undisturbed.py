"""Runs what is measured while nothing else takes throughput from the cores.

A virtual core often is half a core: the other half belongs to another guest, whose work slows
whatever uses the arithmetic units well by up to a half, in spells of seconds to minutes. No load
average and no steal time shows it; a matrix product that fills these units does.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from process import Cores

Result = TypeVar("Result")

# Prints the median time of a product.
PROBE = """\
import statistics, sys, time
import numpy
a = numpy.full((384, 384), 0.5, numpy.float32)
product = numpy.empty_like(a)
times = []
end = time.perf_counter() + float(sys.argv[1])
while time.perf_counter() < end:
    start = time.perf_counter()
    numpy.matmul(a, a, out=product)
    times.append(time.perf_counter() - start)
print(statistics.median(times))
"""
PROBE_SECONDS = 0.3
# How much slower than ever seen a core may be.
TOLERANCE = 1.08
# What was ever seen on this machine: a spell may be there before a benchmark begins.
BEST_TIMES = Path(__file__).resolve().parents[2] / "build" / "best_probe_times.json"


def add_undisturbed_option(parser: argparse.ArgumentParser, of: str) -> None:
    """`--undisturbed MINUTES`: the patience for `of`."""
    parser.add_argument(
        "--undisturbed",
        type=float,
        default=0.0,
        metavar="MINUTES",
        help="wait, and repeat runs, where other guests of the machine slow the cores: at most so "
        f"long {of}",
    )


class Undisturbed:
    """Looks at the cores before and after each run. `patience`: seconds that may go into waiting
    and into repeated runs, all together; with 0 it looks, and neither waits nor repeats."""

    def __init__(self, cores: Cores, patience: float) -> None:
        self.cores, self.patience = cores.available, patience
        self.best: dict[str, float] = {}
        if BEST_TIMES.exists():
            self.best = json.loads(BEST_TIMES.read_text())
        self.repeated = 0
        for _ in range(5 if patience > 0 else 1):
            self.slowdown()

    def slowdown(self) -> float:
        """Of the slowest core, all at work at once: its time over the least it has shown."""
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
        probes = {
            str(core): subprocess.Popen(
                ["taskset", "-c", str(core), sys.executable, "-c", PROBE, str(PROBE_SECONDS)],
                stdout=subprocess.PIPE,
                env=environment,
                text=True,
            )
            for core in self.cores
        }
        worst = 1.0
        for core, probe in probes.items():
            seconds = float(probe.communicate()[0])
            self.best[core] = min(seconds, self.best.get(core, seconds))
            worst = max(worst, seconds / self.best[core])
        BEST_TIMES.parent.mkdir(exist_ok=True)
        BEST_TIMES.write_text(json.dumps(self.best))
        return worst

    def wait(self) -> float:
        """Until the cores are as fast as they were; returns their slowdown then."""
        while True:
            start = time.monotonic()
            slowdown = self.slowdown()
            if slowdown <= TOLERANCE or self.patience <= 0:
                return slowdown
            time.sleep(2.0)
            self.patience -= time.monotonic() - start

    def run(self, action: Callable[[], Result]) -> tuple[Result, float]:
        """What `action` returns, and the larger slowdown of the looks before and after it."""
        while True:
            before = self.wait()
            start = time.monotonic()
            result = action()
            slowdown = max(before, self.slowdown())
            if slowdown <= TOLERANCE or self.patience <= 0:
                return result, slowdown
            self.patience -= time.monotonic() - start
            self.repeated += 1
