"""What a trajectory of Sterna (H5MD) holds: numbers and a description, frame by frame."""

import json
import math
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import h5py
import numpy

from sterna.errors import SternaError
from sterna.support.hdf5 import opened
from sterna.support.names import no_such

_GROUP = "particles/trajectory"
#: What a damaged file is said to be.
NO_TRAJECTORY = "this is no whole trajectory of Sterna"
_FIELDS = ("position", "velocity", "force", "image", "orientation", "angular_momentum")


@dataclass
class TrajectoryFrame:
    """Particles at one step, in the order of their ids; in nm, ps, u and kJ/mol, or reduced.

    Of rigid molecules `position` is the center of mass. None where the file does not have a field.
    """

    step: int
    time: float
    edges: numpy.ndarray  #: (3, 3), an edge of the box each row
    position: numpy.ndarray  #: (n, 3)
    velocity: numpy.ndarray | None  #: (n, 3)
    force: numpy.ndarray | None  #: (n, 3)
    image: numpy.ndarray | None  #: (n, 3), the boxes that each particle has left
    orientation: numpy.ndarray | None  #: (n, 4), quaternions (w, x, y, z), body to laboratory
    angular_momentum: numpy.ndarray | None  #: (n, 3), laboratory frame
    #: Fields that a program or a force term added, by name: (n,) or (n, components).
    particle_fields: dict[str, numpy.ndarray] = field(default_factory=dict)

    def particle_field(self, name: str) -> numpy.ndarray:
        """The numbers of an added field, (n,) or (n, components).

        Raises SternaError where the frame does not have it.
        """
        if name not in self.particle_fields:
            raise SternaError(no_such("particle field", name, self.particle_fields))
        return self.particle_fields[name]

    def unwrapped(self) -> numpy.ndarray:
        """(n, 3), where particles are that went through the border; in the box without images."""
        if self.image is None:
            return self.position.astype(float)
        return self.position.astype(float) + self.image @ self.edges


def _dataset(group: h5py.Group, name: str, kinds: str = "iuf") -> h5py.Dataset:
    """The numbers of this name; ValueError where they are something else.

    `kinds` are those of NumPy: "iu" for integers.
    """
    found = group[name]
    if not isinstance(found, h5py.Dataset):
        raise ValueError(f"{name} is no dataset")
    if found.dtype.kind not in kinds:
        wanted = "numbers" if "f" in kinds else "integers"
        raise ValueError(f"{name} holds {found.dtype}, expected {wanted}")
    return found


def _is_element(found: object) -> bool:
    """Whether it is a time-dependent element of H5MD with steps of its own."""
    return isinstance(found, h5py.Group) and "step" in found and "value" in found


class Recorded:
    """A file of frames, which are read when they are asked for.

    Raises SternaError where the file is none that Sterna wrote.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        with self._open() as file:
            group = file[_GROUP]
            self.fields = [name for name in _FIELDS if name in group]
            self.steps = _dataset(group, "box/edges/step", "iu")[()]  #: (frames,)
            self.times = _dataset(group, "box/edges/time")[()]  #: (frames,), ps or reduced
            _dataset(group, "box/edges/value")
            for name in self.fields:
                _dataset(group, f"{name}/value")
            #: Added fields: the steps of the frames that have them, by name.
            self._steps_of_added = {
                name: _dataset(group, f"{name}/step", "iu")[()]
                for name in group
                if name not in (*_FIELDS, "box") and _is_element(group[name])
            }
            # A run that was killed may have written one of them only.
            whole = min(len(self.steps), len(self.times))
            self.steps, self.times = self.steps[:whole], self.times[:whole]
            self.particle_count = int(group["position/value"].shape[1])
            self.is_reduced = "unit" not in group["position/value"].attrs
            ids = _dataset(group, "id", "iu")[()] if len(self) else numpy.zeros(0, int)
            self.id = ids  #: (n,), ascending
            self.species = _dataset(group, "species", "iu")[()]  #: (n,), numbers of `names`
            self.mass = _dataset(group, "mass")[()]  #: (n,), u or reduced
            named = h5py.check_enum_dtype(group["species"].dtype) or {}
            self.names = [name for name, _ in sorted(named.items(), key=lambda item: item[1])]
            self.description: dict = {}  #: of types, molecules and components
            if "parameters" in file and "sterna_particles" in file["parameters"].attrs:
                self.description = json.loads(file["parameters"].attrs["sterna_particles"])
            self.bonds = numpy.zeros((0, 2), int)  #: (bonds, 2), pairs of ids
            if "connectivity/bonds" in file:
                self.bonds = file["connectivity/bonds"][()]

            self._check_shapes(group)
            #: Fields that a program or a force term added: numbers of components by name.
            self.particle_fields = {
                name: math.prod(group[f"{name}/value"].shape[2:]) for name in self._steps_of_added
            }

    def _open(self) -> AbstractContextManager[h5py.File]:
        return opened(self.path, NO_TRAJECTORY)

    def _check_shapes(self, group: h5py.Group) -> None:
        """ValueError where arrays do not belong together."""
        count, frames = self.particle_count, len(self.steps)
        arrays = {"id": self.id, "species": self.species, "mass": self.mass}
        wanted = dict.fromkeys(arrays if frames else ("species", "mass"), (count,))
        arrays |= {"box/edges/step": self.steps, "box/edges/time": self.times}
        wanted |= {"box/edges/step": (frames,), "box/edges/time": (frames,)}
        for name, shape in wanted.items():
            if arrays[name].shape != shape:
                raise ValueError(f"{name} has the shape {arrays[name].shape}, expected {shape}")
        for name in self.fields:
            width = 4 if name == "orientation" else 3
            shape = group[f"{name}/value"].shape
            if len(shape) != 3 or shape[1:] != (count, width):
                raise ValueError(f"{name} has the shape {shape}, expected (n, {count}, {width})")
        for name, steps in self._steps_of_added.items():
            shape = _dataset(group, f"{name}/value").shape
            if len(shape) not in (2, 3) or shape[1] != count or shape[0] < len(steps):
                raise ValueError(
                    f"{name} has the shape {shape}, expected ({len(steps)}, {count}) or with "
                    "components"
                )
            if steps.ndim != 1 or not (steps[1:] > steps[:-1]).all():
                raise ValueError(f"{name}/step holds no ascending steps")
        ascend = bool((self.id[1:] > self.id[:-1]).all())
        if len(self.id) and not (ascend and self.id[0] >= 0 and self.id[-1] < 2**63):
            raise ValueError("id holds no ascending ids from 0 to 2^63 - 1")
        if count and not 0 <= self.species.min() <= self.species.max() < max(len(self.names), 1):
            raise ValueError("species has numbers without a name")
        if self.bonds.ndim != 2 or self.bonds.shape[1] != 2:
            raise ValueError(
                f"connectivity/bonds has the shape {self.bonds.shape}, expected (n, 2)"
            )
        if not isinstance(self.description, dict):
            raise TypeError("sterna_particles is no object of JSON")

    def __len__(self) -> int:
        return len(self.steps)

    def __iter__(self) -> Iterator[TrajectoryFrame]:
        return self.frames(range(len(self)))

    def __getitem__(self, number: int) -> TrajectoryFrame:
        """A frame; negative numbers count from the end."""
        place = number + len(self) if number < 0 else number
        if not 0 <= place < len(self):
            raise IndexError(f"{self.path} has {len(self)} frames; there is no frame {number}")
        return next(self.frames([place]))

    def frames(self, numbers: "range | list[int]") -> Iterator[TrajectoryFrame]:
        """The frames of these numbers, one after the other, while the file stays open."""
        with self._open() as file:
            group = file[_GROUP]
            for number in numbers:
                edges = group["box/edges/value"][number]
                values = {
                    name: group[f"{name}/value"][number] if name in self.fields else None
                    for name in _FIELDS
                }
                yield TrajectoryFrame(
                    step=int(self.steps[number]),
                    time=float(self.times[number]),
                    edges=numpy.diag(edges) if edges.ndim == 1 else edges,
                    **values,
                    particle_fields=self._added_in(group, int(self.steps[number])),
                )

    def _added_in(self, group: h5py.Group, step: int) -> dict[str, numpy.ndarray]:
        """The added fields that the frame of a step has."""
        found = {}
        for name, steps in self._steps_of_added.items():
            row = int(numpy.searchsorted(steps, step))
            if row < len(steps) and steps[row] == step:
                found[name] = group[f"{name}/value"][row]
        return found

    @cached_property
    def units(self) -> str:
        """The units of the run's input: "reduced", "nano", "metal" or "real"."""
        return self.description.get("units", "reduced" if self.is_reduced else "nano")
