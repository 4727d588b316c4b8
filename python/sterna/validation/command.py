"""`sterna validate`: runs a study and prints what it found beside what is published."""

import sys

import typer
from rich.console import Console
from rich.table import Table

from sterna.support.help_texts import WholeSentences
from sterna.validation import CASES

app = typer.Typer(
    cls=WholeSentences,
    rich_markup_mode=None,
    invoke_without_command=True,
    help="Compare with published values: without CASE a list of what there is.",
)


@app.callback()
def list_cases(context: typer.Context) -> None:
    """Compare what Sterna computes with published values.

    Without CASE: what there is. A case runs its simulations, each on one rank, prints a table of
    measured and published values and ends with status 1 where any disagree.
    """
    if context.invoked_subcommand is not None:
        return
    table = Table(title="sterna validate CASE", title_justify="left", title_style="")
    for name in ("case", "compares", "with", "minutes of a core"):
        table.add_column(name)
    for case in CASES:
        table.add_row(case.name, case.compares, case.published, f"{case.minutes}")
    Console(width=None if sys.stdout.isatty() else 160).print(table)


for _case in CASES:
    app.command(_case.name)(_case.command)
