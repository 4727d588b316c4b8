"""Options of commands that write an input."""

from pathlib import Path
from typing import Annotated

import typer

Output = Annotated[
    Path, typer.Option("-o", "--output", metavar="OUT.TOML", help="The input to write.")
]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace files.")]
