"""The work of `sterna export`."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from sterna.errors import SternaError
from sterna.exporting.frames import choose_frames
from sterna.exporting.model import GivenInput
from sterna.exporting.start import sections_of, start_of
from sterna.exporting.table import Export, Format, format_of
from sterna.frames.trajectory import Trajectory
from sterna.launching.processes import ended_by_signals
from sterna.results.outputs import TRAJECTORY_SUFFIX, outputs_of
from sterna.results.result import read
from sterna.support.damage import reading
from sterna.support.files import require_not_read


def export(
    run: Path,
    output: Path,
    *,
    format: str | None = None,  # noqa: A002 - the word a user expects
    frames: str | None = None,
    steps: str | None = None,
    times: str | None = None,
    every: int = 1,
    select: list[str] | None = None,
    massless: bool = True,
    centers: bool = False,
    force_field: bool = True,
    overwrite: bool = False,
) -> Export:
    """Writes frames of a run's trajectory to `output` and returns what was written.

    Where it fails, no file is there that was not there before. Raises SternaError.
    """
    known = format_of(output, format)
    if output.exists() and not overwrite:
        raise SternaError(f"{output} exists; --overwrite replaces it", 2)
    known.require()
    with ended_by_signals(), _trajectory_of(run, known) as (trajectory, given):
        return _export(
            run, output, known, trajectory, given, frames, steps, times, every, select, massless,
            centers, force_field, overwrite,
        )  # fmt: skip


def _export(
    run: Path,
    output: Path,
    known: Format,
    trajectory: Trajectory,
    given: GivenInput | None,
    frames: str | None,
    steps: str | None,
    times: str | None,
    every: int,
    select: list[str] | None,
    massless: bool,
    centers: bool,
    force_field: bool,
    overwrite: bool,
) -> Export:
    """`given`: the input, where the trajectory is its start only."""
    asked = frames is not None or steps is not None or times is not None
    numbers = choose_frames(trajectory, frames, steps, times, every)
    if known.single and len(numbers) > 1:
        if asked:
            raise SternaError(
                f"a .{known.suffix} file holds one frame, and {len(numbers)} were chosen; "
                "--frames -1 is the last one",
                2,
            )
        numbers = numbers[-1:]
    last = int(trajectory.steps[numbers].max(initial=0))
    if known.last_step is not None and last > known.last_step:
        raise SternaError(
            f"a .{known.suffix} file has steps up to {known.last_step}, and a frame of {last} was "
            "chosen; choose others, or another format",
            2,
        )
    atoms = trajectory.particles() if centers else trajectory.atoms(massless)
    chosen = atoms.select(select) if select else None
    made = Export(trajectory, numbers, atoms, chosen, centers, output.name, force_field, given)
    if given is not None:
        made.notes.append(f"{run} has no trajectory: its start is written")
    unfinished = output.with_name(f".{os.getpid()}.{output.name}")
    said = f"its frames cannot be written as .{known.suffix}"
    try:
        with reading(trajectory.path, said, passed=(OSError,)):
            known.write(unfinished, made)
        others = made.beside_paths(output)
        require_not_read([output, *others], [trajectory.path, run])
        for path in others:
            if path.exists() and not overwrite:
                raise SternaError(f"{path} exists; --overwrite replaces it", 2)
        unfinished.replace(output)
        for path, text in others.items():
            path.write_text(text, encoding="utf-8")
    except OSError as error:
        reason = error.strerror or error
        raise SternaError(f"{output} cannot be written: {reason}") from error
    finally:
        unfinished.unlink(missing_ok=True)
    return made


@contextlib.contextmanager
def _trajectory_of(run: Path, known: Format) -> Iterator[tuple[Trajectory, GivenInput | None]]:
    """Yields the trajectory of a run, or the file itself, whatever its name is.

    Of an input without one its start, with the input, for formats of whole systems.
    """
    if run.is_file() and _is_hdf5(run):
        yield Trajectory(run), None
        return
    is_input = known.is_system and run.is_file() and run.suffix == ".toml"
    if is_input and not _has_trajectory(run):
        with start_of(run) as trajectory:
            yield trajectory, (sections_of(run), [run.parent])
        return
    yield read(run).frames, None


def _has_trajectory(run: Path) -> bool:
    directory, name = outputs_of(run)
    return (directory / f"{name}{TRAJECTORY_SUFFIX}").exists()


def _is_hdf5(path: Path) -> bool:
    with reading(path, "this file cannot be read"), path.open("rb") as file:
        return file.read(8) == b"\x89HDF\r\n\x1a\n"
