"""The work of `sterna export`."""

import os
from pathlib import Path

from sterna.damage import reading
from sterna.errors import SternaError
from sterna.exporting.frames import choose_frames
from sterna.exporting.table import Export, format_of
from sterna.files import require_not_read
from sterna.processes import ended_by_signals
from sterna.runs import read
from sterna.trajectory import Trajectory


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
    trajectory = _trajectory_of(run)
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
    made = Export(trajectory, numbers, atoms, chosen, centers, output.name, force_field)
    unfinished = output.with_name(f".{os.getpid()}.{output.name}")
    said = f"its frames cannot be written as .{known.suffix}"
    try:
        with ended_by_signals(), reading(trajectory.path, said, passed=(OSError,)):
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


def _trajectory_of(run: Path) -> Trajectory:
    """Of a run, or the file itself, whatever it is called."""
    return Trajectory(run) if run.is_file() and _is_hdf5(run) else read(run).frames


def _is_hdf5(path: Path) -> bool:
    with reading(path, "this file cannot be read"), path.open("rb") as file:
        return file.read(8) == b"\x89HDF\r\n\x1a\n"
