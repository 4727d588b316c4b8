"""`sterna watch`: a run while it goes on, as plots in the terminal or as a page of this machine.

Both follow the log, which a run writes row by row, so they need nothing of the run itself.
"""

import contextlib
import difflib
import re
import secrets
import signal
import threading
import time
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from sterna.errors import SternaError
from sterna.report.page import html_of
from sterna.results.log import Log
from sterna.results.log_events import event_of
from sterna.results.run import Run, find_run
from sterna.support.damage import reading
from sterna.support.files import require_regular
from sterna.support.progress import duration

if TYPE_CHECKING:
    from sterna.sweeps.sweep import PointRun, Sweep

#: Shown unless others are asked for, as far as the log has them.
USUAL_COLUMNS = ("temperature", "pressure", "potential_energy", "total_energy")
_LEAST_WIDTH = 40  # smallest width of a plot, in columns of the terminal
_LEAST_HEIGHT = 8
_REFRESH = 5  # seconds between two looks of a browser


@dataclass
class Follower:
    """The events of a log that grows; `read` takes what has come since the last time."""

    path: Path
    events: list[dict] = field(default_factory=list)
    _offset: int = 0
    _identity: tuple[int, int] | None = None

    def read(self) -> bool:
        """Whether there was something new. A log that was replaced is read from its beginning.

        Raises SternaError where the log is gone or a line is no event.
        """
        require_regular(self.path)
        try:
            with self.path.open("rb") as file:
                status = self.path.stat()
                identity = (status.st_dev, status.st_ino)
                if identity != self._identity or status.st_size < self._offset:
                    self.events, self._offset, self._identity = [], 0, identity
                file.seek(self._offset)
                text = file.read()
        except OSError as error:
            raise SternaError(f"{self.path}: the log cannot be read: {error.strerror}") from error
        # A line that the run is just writing is taken when it is complete.
        whole = text[: text.rfind(b"\n") + 1]
        for line in whole.decode("utf-8", errors="replace").split("\n")[:-1]:
            self.events.append(event_of(line, self.path, len(self.events) + 1))
        self._offset += len(whole)
        return bool(whole)

    def run(self) -> Run:
        """The run as it is now."""
        return Run(self.path, Log(list(self.events)))


@dataclass
class Pace:
    """The speed of a run, by the progress that was seen."""

    clock: Callable[[], float] = time.monotonic
    _seen: list[tuple[float, int]] = field(default_factory=list)

    def see(self, step: int) -> None:
        """Notes a step that has just been logged."""
        if not self._seen or step > self._seen[-1][1]:
            self._seen = [*self._seen[-9:], (self.clock(), step)]
        elif step < self._seen[-1][1]:
            self._seen = [(self.clock(), step)]

    @property
    def rate(self) -> float | None:
        """Steps per second; None until two rows have come."""
        if len(self._seen) < 2:
            return None
        (began, first), (ended, last) = self._seen[0], self._seen[-1]
        return (last - first) / (ended - began) if ended > began else None


def columns_of(run: Run, wanted: Sequence[str] = ()) -> list[str]:
    """The columns to show. Raises SternaError where the log has none of a name."""
    if wanted:
        for name in wanted:
            if run.columns and name not in run.columns:
                close = difflib.get_close_matches(name, run.columns, 1)
                meant = f"; did you mean {close[0]!r}?" if close else ""
                raise SternaError(
                    f"the log has no column {name!r}, but {', '.join(run.columns)}{meant}", 2
                )
        return list(wanted)
    return [name for name in USUAL_COLUMNS if name in run.columns]


def steps_of(run: Run) -> int | None:
    """The steps that were asked for; None where a program runs as many as it likes.

    Logs of earlier versions have them in the input only.
    """
    if isinstance(steps := run.settings.get("steps"), int):
        return steps
    try:
        steps = tomllib.loads(str(run.start.get("input_text", "")))["run"]["steps"]
    except (tomllib.TOMLDecodeError, KeyError, TypeError):
        return None
    return steps if isinstance(steps, int) else None


def heading(run: Run, pace: Pace) -> str:
    """Name, state, progress and time left, in a line."""
    parts = [run.name, run.state, f"step {run.last_step}"]
    steps = steps_of(run)
    if steps:
        parts[-1] += f" of {steps}"
    rate = pace.rate
    if run.state == "running" and rate:
        parts.append(f"{rate:.4g} steps/s")
        if steps and steps > run.last_step:
            parts.append(f"{duration((steps - run.last_step) / rate)} left")
    return " · ".join(parts)


def plot(run: Run, column: str, width: int, height: int) -> str:
    """A column over the time, `width` by `height` characters, without colors."""
    try:
        import plotext
    except ImportError as error:
        raise SternaError(
            "plots in the terminal need plotext: pip install plotext, or use --page"
        ) from error
    import numpy

    times, values = run.values("time"), run.values(column)
    drawn = numpy.isfinite(times) & numpy.isfinite(values)
    unit = run.unit_of(column)
    last = f"{values[drawn][-1]:.6g} {unit}".strip() if drawn.any() else "no value yet"
    figure = plotext.figure
    figure.clear()
    figure.plot_size(width, height)
    figure.title(f"{column}: {last}")
    if drawn.any():
        curve = figure.signal(times[drawn].tolist(), values[drawn].tolist())
        curve.lines()
        figure.draw(curve)
    return figure.build().string(colorless=True).rstrip("\n")


def picture(run: Run, pace: Pace, wanted: Sequence[str], width: int, height: int) -> list[str]:
    """The lines of the screen: a heading, and as many plots side by side as fit."""
    lines = [heading(run, pace)]
    columns = columns_of(run, wanted)
    if not columns or not len(run.log):
        return [*lines, "no row of the table yet"]
    across = max(1, min(len(columns), width // _LEAST_WIDTH))
    down = -(-len(columns) // across)
    each = max(_LEAST_HEIGHT, (height - 1) // down)
    for k in range(0, len(columns), across):
        drawn = [
            plot(run, name, width // across, each).split("\n") for name in columns[k : k + across]
        ]
        for row in range(max(map(len, drawn))):
            cells = [lines_of[row] if row < len(lines_of) else "" for lines_of in drawn]
            lines.append("".join(cell.ljust(width // across) for cell in cells).rstrip())
    return lines


def sweep_lines(sweep: "Sweep", width: int) -> list[str]:
    """How far the runs of a sweep are: all of them together, and those that are not complete."""
    runs = list(sweep.runs)
    states = [run.state for run in runs]
    counts = {state: states.count(state) for state in dict.fromkeys(states)}
    done = 0.0
    lines = []
    for run, state in zip(runs, states, strict=True):
        part, step = _part_of(run, state)
        done += part
        if state not in ("complete", "waiting"):
            lines.append(
                f"  {_bar(part, 20)} {state:<11} step {step:<9} {run.directory.name}"[:width]
            )
    told = ", ".join(f"{count} {state}" for state, count in counts.items())
    whole = f"{sweep.path.stem} {_bar(done / len(runs), 40)} {100 * done / len(runs):.0f} %"
    return [whole[:width], f"  {told}"[:width], *lines]


def _part_of(run: "PointRun", state: str) -> tuple[float, int]:
    """How much of a run is done, and its last step; of several stages only the last one counts."""
    if state == "complete":
        return 1.0, run.steps or 0
    result = run.result
    if result is None:
        return 0.0, 0
    with contextlib.suppress(SternaError, IndexError, KeyError):
        step = int(result.log.rows[-1]["step"])
        return min(1.0, step / run.steps) if run.steps else 0.0, step
    return 0.0, 0


def _bar(part: float, width: int) -> str:
    full = round(part * width)
    return f"[{'#' * full}{'.' * (width - full)}]"


def watch_sweep(study: Path, interval: float, once: bool, console: Console) -> None:
    """Shows how far a sweep is, until no run of it goes on, or once.

    Raises SternaError where the study is not as expected.
    """
    from sterna.sweeps.sweep import Sweep

    sweep = Sweep(study)

    def screen() -> list[str]:
        return sweep_lines(sweep, console.size.width)

    if once or not console.is_terminal:
        console.print(Text("\n".join(screen())), soft_wrap=True)
        return
    with (
        contextlib.suppress(KeyboardInterrupt),
        Live(console=console, auto_refresh=False, vertical_overflow="crop") as live,
    ):
        while True:
            live.update(Group(*map(Text, screen())), refresh=True)
            if not any(run.state in ("running", "waiting") for run in sweep.runs):
                return
            time.sleep(interval)


def is_study(path: Path) -> bool:
    """Whether a file is the study of a sweep: it names the input that varies."""
    if path.suffix != ".toml" or not path.is_file():
        return False
    with contextlib.suppress(OSError, ValueError):
        return isinstance(tomllib.loads(path.read_text(encoding="utf-8")).get("input"), str)
    return False


def watch(
    given: Path, wanted: Sequence[str], interval: float, once: bool, console: Console
) -> None:
    """Draws a run until it ends, or once; Ctrl-C ends the watching, not the run.

    Raises SternaError where there is no such run or column, or plotext is missing.
    """
    follower = Follower(find_run(given).log_path)
    pace = Pace()

    def screen() -> tuple[Run, list[str]]:
        run = follower.run()
        pace.see(run.last_step)
        width, height = console.size
        with reading(run.log_path, "the log is damaged"):
            return run, picture(run, pace, wanted, width, height - 1)

    follower.read()
    run, lines = screen()
    if once or not console.is_terminal:
        # The encoding of the terminal may lack the blocks that plots are made of.
        console.print(Text("\n".join(lines)), soft_wrap=True)
        return
    # plotext catches all exceptions in some places, so a KeyboardInterrupt could be lost there.
    left = threading.Event()
    before = signal.signal(signal.SIGINT, lambda *_: left.set())
    try:
        with Live(console=console, auto_refresh=False, vertical_overflow="crop") as live:
            while True:
                live.update(Group(*map(Text, lines)), refresh=True)
                if run.state != "running":
                    return
                if left.wait(interval):
                    break
                follower.read()
                run, lines = screen()
    finally:
        signal.signal(signal.SIGINT, before)
    console.print(f"no longer watching {run.name}; it goes on")


def page_of(run: Run) -> str:
    """The report of the run so far, without its trajectory; a browser loads it again by itself."""
    page = html_of([run], trajectory=False)
    if run.state == "running":
        refresh = f'<meta http-equiv="refresh" content="{_REFRESH}">'
        page = page.replace('<meta charset="utf-8">', f'<meta charset="utf-8">\n{refresh}', 1)
    return page


class PageServer(ThreadingHTTPServer):
    """A server with a secret that requests must know."""

    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler]) -> None:
        super().__init__(address, handler)
        self.token = secrets.token_urlsafe(24)


def page_server(given: Path, port: int) -> PageServer:
    """A server of this machine only (127.0.0.1) whose one page is the report so far.

    The page is at `address_of` alone, which has a secret: other users of this machine do not know
    it. Requests with another name of the server are refused, as they come from pages of others
    whose name leads here (DNS rebinding). `port` 0 takes a free one. Raises SternaError where there is no such run, or the port is taken.
    """
    path = find_run(given).log_path

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:  # the name that http.server calls
            # If ssh has forwarded the port, its number may be another one.
            hosts = self.headers.get_all("Host", [])
            if len(hosts) != 1 or not re.fullmatch(r"(127\.0\.0\.1|localhost)(:\d+)?", hosts[0]):
                self.send_error(403, "Not the name of this server")
                return
            expected = f"/?token={self.server.token}"
            if not secrets.compare_digest(self.path.encode(), expected.encode()):
                self.send_error(404, "The address has a secret that sterna watch has printed")
                return
            try:
                body, status = page_of(find_run(path)).encode(), 200
            except SternaError as error:
                body, status = str(error).encode(), 500
            self.send_response(status)
            kind = "text/html" if status == 200 else "text/plain"
            self.send_header("Content-Type", f"{kind}; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Cache-Control", "no-store")
            self.send_header("Referrer-Policy", "no-referrer")
            self.send_header("X-Frame-Options", "DENY")
            self.send_header("Cross-Origin-Resource-Policy", "same-origin")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Requests are not told."""

    try:
        return PageServer(("127.0.0.1", port), Handler)
    except OSError as error:
        raise SternaError(f"port {port} cannot be used: {error.strerror}", 2) from error


def address_of(server: "PageServer") -> str:
    """Returns the address for a browser on this machine."""
    return f"http://127.0.0.1:{server.server_port}/?token={server.token}"
