"""Puts the parts of a report into one file."""

from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from string import Template

from sterna.errors import SternaError
from sterna.report import cost, observers, overview, ranks, thermodynamics, view
from sterna.report.html import Markup, element, join, number, section, table
from sterna.report.trajectory import MOST_BYTES
from sterna.results.run import Run, find_run
from sterna.support.damage import reading
from sterna.support.files import require_regular

#: The text that a file must have near its beginning so that a report may replace it.
MARK = '<meta name="generator" content="sterna report"'


def write_report(
    given: Sequence[str | Path], output: str | Path | None = None, trajectory: bool = True
) -> Path:
    """Writes one HTML file about runs; returns its path.

    `given` are logs, inputs, folders or stems (`find_run`). Without `output` the report of one run
    is NAME.report.html beside its log, that of several is report.html in the working directory.
    Raises SternaError where a run is not there, a file is damaged or cannot be written, or
    `output` is a file that is no report.
    """
    runs = [find_run(Path(path)) for path in given]
    path = (
        Path(output)
        if output
        else (runs[0].file(".report.html") if len(runs) == 1 else Path("report.html"))
    )
    refuse_other_files(path)
    text = html_of(runs, trajectory)
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise SternaError(f"{path}: the report cannot be written: {error.strerror}") from error
    return path


def refuse_other_files(path: Path) -> None:
    if path.is_dir():
        raise SternaError(f"{path} is a folder; the name of a file is expected", 2)
    if not path.exists():
        return
    require_regular(path)
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            beginning = file.read(1000)
    except OSError as error:
        raise SternaError(f"{path}: cannot be read: {error.strerror}") from error
    if beginning and MARK not in beginning:
        raise SternaError(f"{path} exists and is no report: give another name by --output", 2)


def html_of(runs: Sequence[Run], trajectory: bool = True) -> str:
    """The page about these runs."""
    names = ", ".join(run.name for run in runs)
    # The permitted size of trajectories is shared among runs.
    most_bytes = MOST_BYTES // len(runs)
    parts = [_run(run, k, len(runs), trajectory, most_bytes) for k, run in enumerate(runs, 1)]
    if len(runs) > 1:
        parts.insert(0, _comparison(runs))
    package = files("sterna.report")
    style, plots, viewer, page = (
        package.joinpath(name).read_text(encoding="utf-8")
        for name in ("report.css", "report.js", "viewer.js", "page.html")
    )
    return Template(page).substitute(
        title=element("title", f"{names} - Sterna report"),
        heading=element("h1", names),
        style=style,
        script=plots + viewer,
        content=join(parts),
        contents=_contents(runs),
    )


#: Heading of each part, and the name of its place.
PARTS = {
    "summary": "Summary",
    "system": "The system",
    "setup": "What was run",
    "thermodynamics": "Thermodynamics",
    "energies": "Energy by term",
    "observers": "Observers",
    "times": "Time by phase",
    "balance": "Load balance",
    "traffic": "Who sends to whom",
    "exchanges": "Exchange methods",
}


def _run(run: Run, k: int, count: int, trajectory: bool, most_bytes: int) -> Markup:
    place = {name: f"run-{k}-{name}" for name in PARTS}
    with reading(run.log_path, "no report can be made of this run, as its log is damaged"):
        return _run_of(run, k, count, trajectory, most_bytes, place)


def _run_of(
    run: Run, k: int, count: int, trajectory: bool, most_bytes: int, place: dict[str, str]
) -> Markup:
    parts = [
        overview.summary(run, place["summary"]),
        view.scene(run, place["system"], trajectory, most_bytes),
        overview.setup(run, place["setup"]),
        thermodynamics.series(run, place["thermodynamics"]),
        thermodynamics.energies(run, place["energies"]),
        observers.results(run, place["observers"]),
        cost.times(run, place["times"]),
        cost.balance(run, place["balance"]),
        ranks.traffic(run, place["traffic"]),
        cost.exchanges(run, place["exchanges"]),
    ]
    heading = f"Run {k}: {run.name}" if count > 1 else f"Run {run.name}"
    return section(f"run-{k}", heading, *parts, level=2)


def _contents(runs: Sequence[Run]) -> Markup:
    entries = [element("a", "Comparison", href="#comparison")] if len(runs) > 1 else []
    for k, run in enumerate(runs, 1):
        if len(runs) > 1:
            entries.append(element("a", f"{k}: {run.name}", href=f"#run-{k}"))
        else:
            entries += [element("a", h, href=f"#run-{k}-{name}") for name, h in PARTS.items()]
    return element("ul", *(element("li", entry) for entry in entries))


def _comparison(runs: Sequence[Run]) -> Markup:
    """Compares the runs side by side."""
    rows: list[list[object]] = []

    def row(name: str, values: Sequence[object]) -> None:
        if any(str(value) != "–" for value in values):
            rows.append([name, *values])

    row("state", [run.state for run in runs])
    said = [dict(overview.facts(run)) for run in runs]
    for name in ("Program", "Communication", "Ranks", "Particles", "Units", "Precision", "Kernels"):
        row(name.lower(), [facts.get(name, "–") for facts in said])
    row("last step", [run.last_step for run in runs])
    rates = [_rate(run) for run in runs]
    row("steps/s", [number(rate, 5) for rate in rates])
    row("communication", [_percent(run.timing.get("communication_share")) for run in runs])
    averages = [
        {n: f"{m} {u}".strip() for n, m, u in overview.averages(run, each=True)} for run in runs
    ]
    for name in dict.fromkeys(name for found in averages for name in found):
        row(name, [found.get(name, "–") for found in averages])
    head = ("quantity", *(f"{k}: {run.name}" for k, run in enumerate(runs, 1)))
    plots = thermodynamics.compared(runs) + observers.compared(runs)
    return section(
        "comparison",
        "Comparison",
        table(head, rows, "The runs side by side"),
        element("div", *plots, class_="plots"),
        level=2,
    )


def _rate(run: Run) -> float | None:
    steps, seconds = run.timing.get("steps"), run.timing.get("seconds")
    return steps / seconds if steps and seconds else None


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f} %"
