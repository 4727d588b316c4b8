"""Reads what the observers of a slab wrote: its profile, its surface tension."""

from dataclasses import dataclass
from pathlib import Path

import numpy

from sterna.errors import SternaError


@dataclass
class Profile:
    """Slices along the normal; units are those of the run. Arrays of the same shape (slices,)."""

    frames: int
    position: numpy.ndarray
    density: numpy.ndarray
    temperature: numpy.ndarray


def read_profile(path: Path) -> Profile:
    """A profile of one type; raises SternaError where it is of several."""
    with path.open(encoding="utf-8") as file:
        frames = int(file.readline().split()[-2])
        columns = numpy.loadtxt(file, unpack=True)
    if len(columns) != 3:
        raise SternaError(f"{path}: expected position, density and temperature")
    return Profile(frames, *columns)


def profile_between(before: Profile, after: Profile) -> Profile:
    """Returns the sum of the frames after `before`, where `after` averages those and the earlier
    ones.

    Its temperature is that of `after`.
    """
    new = after.frames - before.frames
    density = (after.frames * after.density - before.frames * before.density) / new
    return Profile(new, after.position, density, after.temperature)


def read_surface_tension(path: Path) -> tuple[int, float]:
    """Number of samples, and the surface tension in the run's unit."""
    lines = path.read_text(encoding="utf-8").splitlines()
    values = dict(line.split()[:2] for line in lines if not line.startswith("#"))
    if "surface_tension" not in values:
        raise SternaError(f"{path}: has no surface_tension: surface_normal was not asked for")
    return int(lines[0].split()[1]), float(values["surface_tension"])
