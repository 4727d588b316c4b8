"""What `sterna free-energy` does."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from sterna.errors import SternaError
from sterna.free_energies.fields import FieldsFile, read_fields
from sterna.free_energies.hills import profile_of_hills
from sterna.free_energies.windows import profile_of_windows

_GAS_CONSTANT = 0.00831446261815324  # kJ/mol/K


def _files_in(given: Sequence[Path]) -> list[Path]:
    """The files themselves; of a folder all files of values below it."""
    files = []
    for path in given:
        if path.is_dir():
            found = sorted(path.rglob("*.colvar"))
            if not found:
                raise SternaError(f"{path}: there is no NAME.colvar in this folder")
            files.extend(file for file in found if not file.name.startswith("#"))
        else:
            files.append(path)
    return files


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise SternaError(f"{path}: cannot be written: {error.strerror}") from error


def write_profile(
    given: Sequence[Path],
    variable: str | None,
    bins: int | None,
    begin: float | None,
    temperature: float | None,
    radial: bool,
    output: Path | None,
    energies: Path | None = None,
) -> tuple[str, list[str]]:
    """Returns what to show, and messages. Raises SternaError."""
    tables: list[FieldsFile] = [read_fields(path) for path in _files_in(given)]
    thermal = None if temperature is None else _GAS_CONSTANT * temperature
    hills = [table for table in tables if "height" in table.columns]
    if hills and len(tables) > 1:
        raise SternaError("expected files of values, or one file of hills")
    if hills:
        if begin is not None:
            raise SternaError("--from leaves out no hills: all of them are the bias")
        profile = profile_of_hills(hills[0], bins or 200)
    else:
        if begin is not None:
            tables = [table.from_time(begin) for table in tables]
        profile = profile_of_windows(tables, variable, thermal, bins or 50)
        thermal = thermal if thermal is not None else tables[0].number("kT")
    if radial:
        if thermal is None:
            raise SternaError("--radial needs the temperature: give --temperature")
        if not (profile.values > 0.0).all():
            raise SternaError("--radial is for distances, which are above 0")
        profile = profile.without_jacobian(thermal)
    messages = profile.remarks + [f"warning: {text}" for text in profile.warnings]
    if energies is not None:
        if profile.states is None:
            raise SternaError("--energies is for umbrella windows: hills are no states")
        with _writing(energies), energies.open("wb") as file:
            np.savez(file, **profile.states)
        messages.append(f"wrote {energies}")
    if output is None:
        return profile.text(), messages
    with _writing(output):
        output.write_text(profile.text(), encoding="utf-8")
    return f"wrote {output}\n", messages
