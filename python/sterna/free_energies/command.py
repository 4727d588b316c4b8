"""What `sterna free-energy` does."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from sterna.errors import SternaError
from sterna.free_energies.fields import FieldsFile, read_fields
from sterna.free_energies.hills import profile_of_hills
from sterna.free_energies.states import (
    differences_of_states,
    is_file_of_state,
    read_state_energies,
)
from sterna.free_energies.windows import profile_of_windows

_GAS_CONSTANT = 0.00831446261815324  # kJ/mol/K


def _files_in(given: Sequence[Path]) -> list[Path]:
    """The files themselves; of a folder all files of values below it."""
    files = []
    for path in given:
        if path.is_dir():
            found = sorted(path.rglob("*.dhdl.xvg")) or sorted(path.rglob("*.colvar"))
            if not found:
                raise SternaError(
                    f"{path}: there is no NAME.colvar and no NAME.state-K.dhdl.xvg in this folder"
                )
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


def _write_energies(path: Path, states: dict[str, np.ndarray]) -> str:
    with _writing(path), path.open("wb") as file:
        np.savez(file, **states)
    return f"wrote {path}"


def _write_differences(
    files: Sequence[Path],
    options: dict[str, object],
    begin: float | None,
    output: Path | None,
    energies: Path | None,
) -> tuple[str, list[str]]:
    """As `write_profile`, of the states of a run with replicas."""
    for name, value in options.items():
        if value:
            raise SternaError(f"{name} is for a profile; states have no variable")
    if not all(is_file_of_state(path) for path in files):
        raise SternaError("expected NAME.state-K.dhdl.xvg of each state, and no other files")
    found = differences_of_states([read_state_energies(path) for path in files], begin)
    messages = [
        f"state {k}: {count} independent samples, one in {of:.3g}"
        for k, (count, of) in enumerate(zip(found.N_k, found.inefficiency, strict=True))
    ]
    messages += [f"warning: {text}" for text in found.warnings]
    if energies is not None:
        messages.append(_write_energies(energies, {"u_kn": found.u_kn, "N_k": found.N_k}))
    if output is None:
        return found.text(), messages
    with _writing(output):
        output.write_text(found.text(), encoding="utf-8")
    return f"wrote {output}\n", messages


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
    files = _files_in(given)
    if any(is_file_of_state(path) for path in files):
        options = {
            "--variable": variable,
            "--bins": bins,
            "--temperature": temperature,
            "--radial": radial,
        }
        return _write_differences(files, options, begin, output, energies)
    tables: list[FieldsFile] = [read_fields(path) for path in files]
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
        messages.append(_write_energies(energies, profile.states))
    if output is None:
        return profile.text(), messages
    with _writing(output):
        output.write_text(profile.text(), encoding="utf-8")
    return f"wrote {output}\n", messages
