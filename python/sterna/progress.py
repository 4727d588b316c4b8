"""Draws the progress that `sterna-md --progress always` reports as lines `@progress {...}`."""

import json
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

MARK = "@progress "


def parse(line: str) -> dict | None:
    """What a progress line says, or None for any other line."""
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

    def __init__(self, console: Console) -> None:
        self._progress = Progress(
            TextColumn("step {task.fields[step]} of {task.fields[steps]}"),
            BarColumn(bar_width=None),
            TextColumn("{task.percentage:>3.0f} %"),
            TextColumn("{task.fields[rate]} {task.fields[left]}"),
            console=console,
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
