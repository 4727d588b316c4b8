"""Draws progress: that of `sterna-md --progress always`, which reports lines `@progress {...}`, and
that of a run in the process of Python.
"""

import json
import sys
import time
from collections import deque
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

MARK = "@progress "


def parse(line: str) -> dict | None:
    """Returns the values of a progress line, or None for any other line."""
    if not line.startswith(MARK):
        return None
    try:
        return json.loads(line[len(MARK) :])
    except json.JSONDecodeError:
        return None


def duration(seconds: float) -> str:
    """`75 -> 1:15`, `4000 -> 1:06:40`."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


class ProgressBar:
    """A bar below the program's output on a terminal; gone when the run ends."""

    def __init__(self, console: "Console | None" = None) -> None:
        # Rich is slow to load, and only a terminal shows progress.
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        self._progress = Progress(
            TextColumn("step {task.fields[step]} of {task.fields[steps]}"),
            BarColumn(bar_width=None),
            TextColumn("{task.percentage:>3.0f} %"),
            TextColumn("{task.fields[rate]} {task.fields[left]}"),
            console=console or Console(),
            transient=True,
        )
        self._task = None

    def __enter__(self) -> "ProgressBar":
        self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._progress.stop()

    def show(self, line: str) -> None:
        """Draws a progress line; prints any other above the bar."""
        report = parse(line)
        if report is None:
            self._progress.console.print(
                line.removesuffix("\n"), markup=False, highlight=False, soft_wrap=True
            )
            return
        self.draw(report)

    def draw(self, report: dict) -> None:
        """Draws the values of a progress line."""
        rate, left = report.get("rate"), report.get("eta")
        fields = {
            "step": report["step"],
            "steps": report["steps"],
            "rate": f"{rate:.4g} steps/s" if rate else "",
            "left": f"{duration(left)} left" if left is not None else "",
        }
        if self._task is None:
            self._task = self._progress.add_task("run", total=report["steps"], **fields)
        self._progress.update(self._task, completed=report["step"], total=report["steps"], **fields)


def shown_interactively() -> bool:
    """Whether somebody watches the output of this process: a terminal or a notebook."""
    return _in_notebook() or sys.stderr.isatty()


def _in_notebook() -> bool:
    shell = sys.modules.get("IPython")
    made = shell.get_ipython() if shell else None
    return made is not None and hasattr(made, "kernel")


class RunProgress:
    """How far a run in this process is, as a bar on a terminal or in a notebook.

    Called with the present step; appears when the run has taken longer than `delay` seconds. The
    time left follows from the median time of a step in the last calls.
    """

    _LOOKS = 21

    def __init__(self, first: int, last: int, delay: float = 1.0) -> None:
        self._first, self._last = first, last
        self._begin = time.monotonic()
        self._delay = delay
        self._before = (first, self._begin)
        self._seconds: deque[float] = deque(maxlen=self._LOOKS)  # seconds of a step
        self._display: object | None = None

    def __enter__(self) -> "RunProgress":
        return self

    def __exit__(self, *_: object) -> None:
        if isinstance(self._display, ProgressBar):
            self._display.__exit__(None, None, None)
        elif self._display is not None:
            self._display.update({"text/plain": ""}, raw=True)

    def __call__(self, step: int) -> None:
        now = time.monotonic()
        before, then = self._before
        if step > before:
            self._seconds.append((now - then) / (step - before))
            self._before = (step, now)
        if now - self._begin < self._delay or not self._seconds:
            return
        report = self.report(step)
        if _in_notebook():
            self._show_in_notebook(report)
            return
        if self._display is None:
            from rich.console import Console

            self._display = ProgressBar(Console(stderr=True)).__enter__()
        self._display.draw(report)

    def report(self, step: int) -> dict:
        """Returns values as in a line of `sterna-md --progress always`: steps of this run alone."""
        import statistics

        seconds = statistics.median(self._seconds)
        return {
            "step": step - self._first,
            "steps": self._last - self._first,
            "rate": 1.0 / seconds if seconds > 0.0 else None,
            "eta": seconds * (self._last - step),
        }

    def _show_in_notebook(self, report: dict) -> None:
        from IPython.display import display

        step, steps = report["step"], report["steps"]
        rate = f"{report['rate']:.4g} steps/s, " if report["rate"] else ""
        line = f"step {step} of {steps}, {rate}{duration(report['eta'])} left"
        # Front ends without HTML show the line alone. The bar is that of IPython.display.
        bar = f'<progress style="width:60ex" max="{steps}" value="{step}"></progress>'
        data = {"text/plain": line, "text/html": f"{bar} {line}"}
        if self._display is None:
            self._display = display(data, raw=True, display_id=True)
        else:
            self._display.update(data, raw=True)
