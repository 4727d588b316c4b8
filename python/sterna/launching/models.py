"""The library of published models of molecules, as `sterna models` lists it."""

import json
import subprocess
from functools import cache

from sterna.errors import SternaError
from sterna.launching.launch import program_environment
from sterna.launching.program import find_program
from sterna.support.names import no_such


@cache
def models() -> dict[str, dict]:
    """Returns the models by their names; lengths in nm, masses in u. Sites have `position` and
    `body_position`.
    """
    shown = subprocess.run(
        [find_program(), "--model-table"],
        env=program_environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    return {entry["name"]: entry for entry in json.loads(shown.stdout)}


def find_model(name: str) -> dict:
    """The model of this name. Raises SternaError with the names that there are."""
    known = models()
    if name not in known:
        raise SternaError(no_such("model", name, list(known)), status=2)
    return known[name]
