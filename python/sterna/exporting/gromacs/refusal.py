"""Errors for features that GROMACS lacks."""

from typing import NoReturn

from sterna.errors import SternaError


def refuse(what: str) -> NoReturn:
    """Raises SternaError, naming the part that cannot be exported."""
    raise SternaError(f"{what}: GROMACS has no such thing, or it is not exported", 2)


def refuse_other_keys(where: str, table: dict, known: set[str]) -> None:
    """Raises SternaError for a key that is not known here: it may change energies."""
    for key in table:
        if key not in known:
            refuse(f"{where} {key} = {table[key]!r}")
