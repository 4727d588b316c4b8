"""`sterna bench`: measures communication with `sterna-bench`, beside the figures of the papers."""

import json
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from sterna.bench import plots as bench_plots
from sterna.errors import SternaError
from sterna.launching import launch
from sterna.launching.program import find_companion

Document = dict[str, Any]


def _to_standard_error(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()


def measure(verb: str, ranks: int, options: Sequence[str], show: bool = False) -> Document:
    """Measures with `sterna-bench VERB OPTIONS` on `ranks` ranks, and returns its results. With
    `show` the program prints its own table.
    """
    with tempfile.TemporaryDirectory(prefix="sterna-bench-") as folder:
        file = Path(folder) / "results.json"
        arguments = [verb, *options, "--json", str(file)]
        if not show:
            arguments.append("--quiet")
        said: list[str] = []
        status = launch.launch(
            ranks,
            arguments,
            print if show else said.append,
            _to_standard_error,
            program=find_companion("sterna-bench"),
        )
        if status != 0:
            raise SternaError(f"sterna-bench {verb} on {ranks} ranks ended with status {status}")
        return json.loads(file.read_text(encoding="utf-8"))


def merged(documents: Sequence[Document], command: str) -> Document:
    """One document with the rows of all, and the machine and the versions once."""
    notes = dict.fromkeys(note for document in documents for note in document["notes"])
    rows = [row for document in documents for row in document["rows"]]
    return {**documents[0], "command": command, "notes": list(notes), "rows": rows}


def numbers_of_ranks(text: str) -> list[int]:
    """The numbers in a text such as 2,4,8."""
    try:
        numbers = [int(part) for part in text.split(",")]
    except ValueError:
        numbers = [0]
    if min(numbers) < 1:
        raise SternaError(f"--ranks {text}: numbers of ranks such as 2,4,8 were expected", 2)
    return numbers


def bench(
    context: typer.Context,
    verb: Annotated[
        str | None, typer.Argument(metavar="VERB", help="What to measure; without it: a list.")
    ] = None,
    ranks: Annotated[
        str | None,
        typer.Option(
            "-n", "--ranks", metavar="N,N,...", help="Numbers of ranks, one after another."
        ),
    ] = None,
    json_file: Annotated[
        str | None, typer.Option("--json", metavar="FILE", help="Write the results to this file.")
    ] = None,
    plot: Annotated[
        str | None,
        typer.Option(
            "--plot", metavar="NAME", help="Draw NAME.png and NAME.html (needs matplotlib, plotly)."
        ),
    ] = None,
) -> None:
    """Measure the communication of this machine beside the papers' own figures.

    More ranks than cores work. Further options are those of the verb: sterna bench VERB --help.
    Under a launcher (mpiexec, srun) it joins the ranks that are there.
    """
    flags = {"-h", "--help"}
    asks_for_help = verb is None or not flags.isdisjoint((verb, *context.args))
    if asks_for_help:
        print(context.get_help(), flush=True)
    program = find_companion("sterna-bench")
    if asks_for_help:
        launch.become(["--help"] if verb is None or verb in flags else [verb, "--help"], program)
    own = ["--json", json_file] if json_file else []
    launch.join([verb, *context.args, *own], None, program)
    # Rich is slow to load, and no other command of `sterna` needs it here.
    from rich.console import Console

    from sterna.bench import tables as bench_tables

    if plot:
        bench_plots.require()
    view = bench_tables.view_of(verb)
    documents = []
    for number in numbers_of_ranks(ranks) if ranks else view.ranks:
        _to_standard_error(f"sterna bench {verb}: {number} ranks\n")
        documents.append(measure(verb, number, context.args))
    command = " ".join(["sterna bench", *sys.argv[2:]])
    document = merged(documents, command)
    bench_tables.show(
        document, view, Console(width=None if sys.stdout.isatty() else bench_tables.WIDTH)
    )
    if json_file:
        _write(document, Path(json_file))
    if plot:
        for path in bench_plots.draw(bench_tables.panels(document["rows"], view), plot):
            print(f"drawn: {path}")


def _as_text(document: Document) -> str:
    """JSON with a line for each row."""
    head = {name: value for name, value in document.items() if name != "rows"}
    lines = ",\n  ".join(json.dumps(row) for row in document["rows"])
    return f'{json.dumps(head, indent=1)[:-2]},\n "rows": [\n  {lines}\n ]\n}}\n'


def _write(document: Document, path: Path) -> None:
    try:
        part = path.with_name(f"{path.name}.{os.getpid()}.part")
        part.write_text(_as_text(document), encoding="utf-8")
        part.replace(path)
    except OSError as error:
        raise SternaError(f"{path} could not be written: {error.strerror}") from error


def add_to(app: typer.Typer) -> None:
    """Adds the command to those of `sterna`."""
    app.command(
        context_settings={
            "allow_extra_args": True,
            "ignore_unknown_options": True,
            "help_option_names": [],  # `sterna bench VERB --help` is for the verb
        }
    )(bench)
