"""What `sterna free-energy` does."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sterna.errors import SternaError
from sterna.free_energies.exchanges import exchanges_beside
from sterna.free_energies.fields import FieldsFile, read_fields
from sterna.free_energies.hills import profile_of_hills
from sterna.free_energies.standard_state import restraint_free_energy
from sterna.free_energies.states import free_energies_of_states, read_states
from sterna.free_energies.windows import profile_of_windows
from sterna.support.constants import KJ_MOL_PER_K

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def _is_of_states(path: Path) -> bool:
    return path.suffix == ".xvg"


def _files_in(given: Sequence[Path], variable: str | None) -> list[Path]:
    """The files themselves; of a folder all files of states below it, or else of values."""
    files = []
    for path in given:
        if path.is_dir():
            found = [] if variable else sorted(path.rglob("*.dhdl.xvg"))
            found = found or sorted(path.rglob("*.colvar"))
            found = [file for file in found if not file.name.startswith("#")]
            if not found:
                wanted = "NAME.colvar" if variable else "NAME.dhdl.xvg and no NAME.colvar"
                raise SternaError(f"{path}: there is no {wanted} in this folder")
            files.extend(found)
        else:
            files.append(path)
    if any(map(_is_of_states, files)) and not all(map(_is_of_states, files)):
        raise SternaError(
            "there are files of states and of variables; expected one of both kinds: name the files"
        )
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


def _write_plot(path: Path, figure: "Figure") -> str:
    with _writing(path):
        try:
            figure.savefig(path)
        except ValueError as error:  # matplotlib lists the formats that it knows
            raise SternaError(f"{path}: {error}") from error
    return f"wrote {path}"


def write_profile(
    given: Sequence[Path],
    variable: str | None,
    bins: int | None,
    begin: float | None,
    temperature: float | None,
    radial: bool,
    output: Path | None,
    energies: Path | None = None,
    plot: Path | None = None,
    standard_state: bool = False,
) -> tuple[str, list[str]]:
    """Returns what to show, and messages. Raises SternaError."""
    files = _files_in(given, variable)
    thermal = None if temperature is None else KJ_MOL_PER_K * temperature
    if standard_state:
        others = {
            "--variable": variable, "--bins": bins, "--from": begin, "--radial": radial,
            "--energies": energies, "--plot": plot,
        }  # fmt: skip
        if named := [option for option, value in others.items() if value not in (None, False)]:
            raise SternaError(f"{named[0]} does not go with --standard-state")
        return _write_standard_state(files, thermal, output)
    if _is_of_states(files[0]):
        for option, value in (("--variable", variable), ("--bins", bins), ("--radial", radial)):
            if value:
                raise SternaError(f"{option} is for a profile along a variable; these are states")
        return _write_states(files, begin, thermal, output, energies, plot)
    tables: list[FieldsFile] = [read_fields(path) for path in files]
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
    if plot is not None:
        from sterna.free_energies.plots import figure_of_profile

        messages.append(_write_plot(plot, figure_of_profile(profile)))
    return _shown_or_written(profile.text(), output), messages


def _write_standard_state(
    files: Sequence[Path], thermal: float | None, output: Path | None
) -> tuple[str, list[str]]:
    if len(files) != 1 or _is_of_states(files[0]):
        raise SternaError("--standard-state: expected one NAME.colvar, of a run with the restraint")
    found = restraint_free_energy(read_fields(files[0]), thermal)
    held = "place and orientation" if found.is_oriented else "place"
    messages = [
        f"restraint: {', '.join(found.biases)}",
        f"to hold the {held} of a molecule without interactions costs {found.free_energy:.6g} k T, or "
        f"{found.thermal_energy * found.free_energy:.6g} in the unit of the file, relative to one "
        f"molecule in {found.standard_volume:.6g}",
    ]
    return _shown_or_written(found.text(), output), messages


def _shown_or_written(text: str, output: Path | None) -> str:
    if output is None:
        return text
    with _writing(output):
        output.write_text(text, encoding="utf-8")
    return f"wrote {output}\n"


def _write_states(
    paths: Sequence[Path],
    begin: float | None,
    thermal: float | None,
    output: Path | None,
    energies: Path | None,
    plot: Path | None,
) -> tuple[str, list[str]]:
    files = [read_states(path) for path in paths]
    if begin is not None:
        files = [file.from_time(begin) for file in files]
    found = free_energies_of_states(files, thermal)
    exchanges = exchanges_beside(list(paths))
    messages = found.remarks + [line for of in exchanges for line in of.text()]
    warnings = found.warnings + [line for of in exchanges for line in of.warnings()]
    messages += [f"warning: {text}" for text in warnings]
    if found.is_path:
        total, error = (found.thermal_energy * x[-1] for x in (found.free_energy, found.error))
        messages.append(
            f"the last state minus the first: {total:.6g} +- {error:.2g}, in the unit of the files"
        )
    if energies is not None:
        messages.append(_write_energies(energies, {"u_kn": found.u_kn, "N_k": found.N_k}))
    if plot is not None:
        from sterna.free_energies.plots import figure_of_states

        messages.append(_write_plot(plot, figure_of_states(found, exchanges)))
    return _shown_or_written(found.text(), output), messages
