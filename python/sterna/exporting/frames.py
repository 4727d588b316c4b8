"""The choice of frames of a trajectory."""

import numpy

from sterna.errors import SternaError
from sterna.frames.trajectory import Trajectory


def _bounds(text: str, option: str, kind: type) -> tuple[float | None, float | None]:
    parts = text.split(":")
    try:
        ends = [kind(part) if part.strip() else None for part in parts]
    except ValueError:
        ends = []
    if len(ends) == 1:
        return ends[0], ends[0]
    if len(ends) != 2:
        raise SternaError(f"{option} {text}: expected FIRST:LAST or one number", 2)
    return ends[0], ends[1]


def _slice(text: str) -> slice:
    try:
        parts = [int(part) if part.strip() else None for part in text.split(":")]
        if len(parts) == 1:
            end = parts[0] + 1
            return slice(parts[0], end if end != 0 else None)
        if len(parts) <= 3 and (len(parts) < 3 or (parts[2] or 1) > 0):
            return slice(*parts)
    except (ValueError, TypeError):
        pass
    raise SternaError(
        f"--frames {text}: expected a number (-1 is the last frame) or FIRST:END:EVERY as in Python",
        2,
    )


def choose_frames(
    trajectory: Trajectory,
    frames: str | None = None,
    steps: str | None = None,
    times: str | None = None,
    every: int = 1,
) -> list[int]:
    """Numbers of the frames that all conditions hold for; of these every n-th.

    `frames` as in Python's slices, `steps` and `times` FIRST:LAST with both ends. Raises SternaError
    where none is left.
    """
    kept = numpy.zeros(len(trajectory), bool)
    kept[_slice(frames) if frames is not None else slice(None)] = True
    for option, text, values, kind in (
        ("--steps", steps, trajectory.steps, int),
        ("--times", times, trajectory.times, float),
    ):
        if text is None:
            continue
        first, last = _bounds(text, option, kind)
        # Times are sums of time steps.
        margin = 0.0 if kind is int else 1e-9 * max(1.0, abs(values).max(initial=0.0))
        if first is not None:
            kept &= values >= first - margin
        if last is not None:
            kept &= values <= last + margin
    numbers = numpy.flatnonzero(kept)[::every].tolist()
    if not numbers:
        raise SternaError(f"{trajectory.path}: {_what_there_is(trajectory)}", 2)
    return numbers


def _what_there_is(trajectory: Trajectory) -> str:
    if len(trajectory) == 0:
        return "the trajectory has no frame yet"
    unit = "" if trajectory.is_reduced else " ps"
    return (
        f"no frame is left of {len(trajectory)}, of steps {trajectory.steps[0]} to "
        f"{trajectory.steps[-1]} and times {trajectory.times[0]:g} to {trajectory.times[-1]:g}{unit}"
    )
