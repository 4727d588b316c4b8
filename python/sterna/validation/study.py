"""A study: what it measured, its table, and the file of its results."""

import json
import os
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from sterna.errors import SternaError
from sterna.launching.program import version
from sterna.validation.comparison import TOLERANCE, Comparison

# Options that studies share.
Steps = Annotated[int, typer.Option("--steps", min=1, help="Steps that are averaged, in each run.")]
Equilibration = Annotated[
    int, typer.Option("--equilibration", min=1, help="Steps before those, in each run.")
]
Replicas = Annotated[int, typer.Option("--replicas", min=1, help="Independent runs.")]
# For studies that take the standard error from the scatter of replicas.
SeveralReplicas = Annotated[int, typer.Option("--replicas", min=2, help="Independent runs.")]
Jobs = Annotated[
    int | None,
    typer.Option("--jobs", min=1, help="Runs at a time, each on one core; default: all cores."),
]
Folder = Annotated[
    str | None,
    typer.Option("--folder", help="Keep the runs here; those that are there already stay."),
]
JsonFile = Annotated[
    str | None, typer.Option("--json", metavar="FILE", help="Write the results to this file.")
]


@dataclass
class Study:
    """The outcome of a case. `options` are those that repeat it; `details` go to the file only."""

    case: str
    options: dict[str, Any]
    comparisons: Sequence[Comparison]
    details: dict[str, Any] = field(default_factory=dict)

    @property
    def agrees(self) -> bool:
        """Whether all comparisons agree."""
        return all(comparison.agrees for comparison in self.comparisons)

    @property
    def command(self) -> str:
        """Returns the command that repeats the study."""
        options = [word for name, value in self.options.items() for word in (f"--{name}", value)]
        return shlex.join(map(str, ["sterna", "validate", self.case, *options]))

    def as_json(self) -> dict:
        """For a file."""
        return {
            "command": self.command,
            "sterna": version(),
            **self.details,
            "results": [comparison.as_json() for comparison in self.comparisons],
        }


def digits_after_point(error: float) -> int:
    """Digits that show an error with two figures, at most eight."""
    if not 0.0 < error < float("inf"):
        return 4
    return min(8, max(0, 1 - int(f"{error:e}".split("e")[1])))


def row_of(comparison: Comparison) -> list[str]:
    """The cells of a table: quantity, measured, published, difference, agreement, source."""
    digits = digits_after_point(comparison.combined)
    published = f"{comparison.published:.{digits}f}"
    if comparison.uncertainty:
        published += f" ± {comparison.uncertainty:.{digits}f}"
    if comparison.at_most:
        published = f"at most {published}"
    far = comparison.difference / comparison.combined if comparison.combined else 0.0
    unit = f" ({comparison.unit})" if comparison.unit else ""
    return [
        comparison.quantity + unit,
        f"{comparison.mean:.{digits}f} ± {comparison.standard_error:.{digits}f}",
        published,
        f"{far:+.1f}",
        "yes" if comparison.agrees else "NO",
        comparison.source,
    ]


HEADER = ["quantity", "Sterna", "published", "difference / combined error", "agrees", "source"]


def finish(study: Study, json_file: str | None) -> None:
    """Prints the table, writes the file, ends the command: status 1 where something disagrees."""
    table = Table(title=study.command, title_justify="left", title_style="")
    for name in HEADER:
        table.add_column(name)
    for comparison in study.comparisons:
        table.add_row(*row_of(comparison))
    Console(width=None if sys.stdout.isatty() else 160).print(table)
    agree = sum(comparison.agrees for comparison in study.comparisons)
    print(
        f"{agree} of {len(study.comparisons)} agree: the difference is at most {TOLERANCE:g} times "
        "the standard error and the allowance for the published value, combined"
    )
    if json_file:
        _write(study, Path(json_file))
    raise typer.Exit(0 if study.agrees else 1)


def _write(study: Study, path: Path) -> None:
    try:
        part = path.with_name(f"{path.name}.{os.getpid()}.part")
        part.write_text(json.dumps(study.as_json(), indent=1) + "\n", encoding="utf-8")
        part.replace(path)
    except OSError as error:
        raise SternaError(f"{path} could not be written: {error.strerror}") from error
