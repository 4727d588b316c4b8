"""Particles that a program makes."""

from collections.abc import Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING

import numpy

from sterna.live.core import core
from sterna.live.input import Input
from sterna.support.arrays import finite, whole_numbers
from sterna.support.fixed import Fixed

if TYPE_CHECKING:
    import ase
    from numpy.typing import ArrayLike


#: The largest numbers of types in an array, and of ids, in the engine.
_MOST_TYPES, _LARGEST_ID = 2**31 - 1, 2**48 - 1


class System(Fixed):
    """The system to simulate: the box, the particles and their types, in the units of the input.

    `types` are dictionaries with the keys of [[type]]; without them those of the input hold, or,
    where it has none, one type "A" with the defaults of reduced units.
    """

    _instead = "a System does not change; make another, or use Simulation.set after it has started"

    def __init__(self) -> None:
        raise TypeError("make a System by System.lattice, random, from_arrays, from_ase, from_file")

    @classmethod
    def _made(cls, start: Mapping | None, types: Sequence[Mapping] | None) -> "System":
        made = cls.__new__(cls)
        made._start = start
        made._types = None if types is None else [dict(kind) for kind in types]
        made._arrays = None
        made._symbols = None
        made._units = None
        return made

    def __repr__(self) -> str:
        """Local."""
        return f"<sterna.System: {', '.join(f'{k} {v}' for k, v in self._facts().items())}>"

    def _repr_html_(self) -> str:
        """Local."""
        from html import escape

        rows = "".join(
            f"<tr><th>{escape(name)}</th><td>{escape(str(value))}</td></tr>"
            for name, value in self._facts().items()
        )
        return f"<table><caption>sterna.System</caption>{rows}</table>"

    def _facts(self) -> dict[str, object]:
        """Returns the facts of the system before a simulation is made of it."""
        facts: dict[str, object] = dict(self._start or {})
        if self._types is not None:
            facts["types"] = ", ".join(str(kind.get("name", "?")) for kind in self._types)
        if self._arrays is not None:
            facts["particles"] = len(self._arrays["position"])
        return facts

    @classmethod
    def lattice(
        cls,
        cells: Sequence[int],
        density: float,
        kind: str = "fcc",
        temperature: float | None = None,
        types: Sequence[Mapping] | None = None,
    ) -> "System":
        """Local. A lattice of `cells` (three numbers) unit cells.

        `density`: particles per volume. `kind`: as `lattice` of [start]. With a `temperature`
        velocities are drawn.
        """
        start = {"kind": "lattice", "lattice": kind, "cells": list(cells), "density": density}
        return cls._made(_with_temperature(start, temperature), types)

    @classmethod
    def random(
        cls,
        particles: int,
        density: float,
        temperature: float | None = None,
        types: Sequence[Mapping] | None = None,
    ) -> "System":
        """Local. So many particles at random places; `density`: particles per volume."""
        start = {"kind": "random", "particles": particles, "density": density}
        return cls._made(_with_temperature(start, temperature), types)

    @classmethod
    def from_file(
        cls,
        path: str | PathLike,
        temperature: float | None = None,
        types: Sequence[Mapping] | None = None,
        **keys: object,
    ) -> "System":
        """Local. A start file, read when a simulation is made; `keys`: others of [start]."""
        start = {"kind": "file", "file": str(Path(fspath(path)).absolute()), **keys}
        return cls._made(_with_temperature(start, temperature), types)

    @classmethod
    def from_arrays(
        cls,
        box: "ArrayLike",
        position: "ArrayLike",
        type: "ArrayLike | None" = None,  # noqa: A002 - the name of the field
        velocity: "ArrayLike | None" = None,
        id: "ArrayLike | None" = None,  # noqa: A002
        orientation: "ArrayLike | None" = None,
        tilt: Sequence[float] = (0.0, 0.0, 0.0),
        temperature: float | None = None,
        types: Sequence[Mapping] | None = None,
    ) -> "System":
        """Local. Particles from arrays; each rank gives any share of them, or all on one rank.

        `box`: (3,), the edges along their axes; `tilt`: xy, xz, yz. `position`: (n, 3), anywhere;
        `velocity`: (n, 3); `type`: (n,), numbers of `types` from 0; `id`: (n,), each once over all
        ranks, otherwise 1, 2, ... through the ranks; `orientation`: (n, 4), quaternions (w, x, y,
        z) of any length but 0. On several ranks `share` keeps each from giving the same particles.

        Raises ValueError, naming argument and row, for arrays of another shape and for numbers that
        are not finite. Other errors are types and ids that are not integers or out of range, and
        repeated ids. Raises TypeError for an argument that is no array of numbers.
        """
        for name, given in (("box", box), ("position", position), ("tilt", tilt)):
            if given is None:
                raise TypeError(f"{name} is None, expected an array of numbers")
        length = _rows("box", box, None)
        if length.shape != (3,):
            raise ValueError(f"box has the shape {length.shape}, expected (3,)")
        if min(length) <= 0.0:
            raise ValueError(f"box is {length.tolist()}, expected edges above 0")
        tilts = _rows("tilt", tilt, None)
        if tilts.shape != (3,):
            raise ValueError(f"tilt has the shape {tilts.shape}, expected (3,): xy, xz, yz")
        positions = _rows("position", position, 3)
        made = cls._made(None, types)
        made._arrays = {
            "length": tuple(length),
            "tilt": tuple(tilts),
            "position": positions,
            "type": _whole_rows("type", type, 0, _MOST_TYPES, numpy.int32),
            "velocity": _rows("velocity", velocity, 3),
            "id": _whole_rows("id", id, 1, _LARGEST_ID, numpy.int64),
            "orientation": _rows("orientation", orientation, 4),
            "temperature": None if temperature is None else float(temperature),
        }
        for name in ("type", "velocity", "id", "orientation"):
            array = made._arrays[name]
            if array is not None and len(array) != len(positions):
                raise ValueError(
                    f"{name} has {len(array)} items, expected one for each of {len(positions)} "
                    "positions"
                )
        _refuse_twice(made._arrays["id"])
        turns = made._arrays["orientation"]
        if turns is not None and len(still := numpy.flatnonzero(~turns.any(axis=1))):
            raise ValueError(f"orientation: row {still[0]} is no quaternion: all of it is 0")
        return made

    def share(self, rank: int, ranks: int) -> "System":
        """Local. The part of the particles that rank `rank` of `ranks` gives.

        Where every rank has made the same arrays; ids are those of the whole.
        """
        if self._arrays is None:
            return self
        count = len(self._arrays["position"])
        part = slice(rank * count // ranks, (rank + 1) * count // ranks)
        made = System._made(None, self._types)
        made._arrays, made._units = dict(self._arrays), self._units
        if made._arrays["id"] is None:
            made._arrays["id"] = numpy.arange(1, count + 1)
        for name in ("position", "type", "velocity", "id", "orientation"):
            if made._arrays[name] is not None:
                made._arrays[name] = made._arrays[name][part]
        made._symbols = self._symbols and self._symbols[part]
        return made

    @classmethod
    def from_ase(cls, atoms: "ase.Atoms", types: Sequence[Mapping] | None = None) -> "System":
        """Local. The atoms of an `ase.Atoms`, for an input with units = "metal".

        Names of types are the chemical symbols. Ids are 1, 2, ... in the order of the atoms. Raises
        ValueError unless the cell is periodic in all directions. Cells in any orientation are
        turned into Sterna's frame, and positions and velocities with them (`frame_of_cell`).
        """
        if not atoms.pbc.all() or atoms.cell.rank < 3:
            raise ValueError("System.from_ase: expected a cell that is periodic in all directions")
        edges, turn = frame_of_cell(atoms.cell.array)
        velocity = None
        if atoms.has("momenta"):
            from ase.units import fs

            velocity = atoms.get_velocities() @ turn.T * (1000.0 * fs)  # angstrom/ps
        made = cls.from_arrays(
            numpy.diag(edges),
            atoms.get_positions() @ turn.T,
            velocity=velocity,
            tilt=(edges[1, 0], edges[2, 0], edges[2, 1]),
            types=types,
        )
        made._symbols = atoms.get_chemical_symbols()
        made._units = "metal"
        if types is None:
            masses = dict(zip(made._symbols, atoms.get_masses(), strict=True))
            made._types = [{"name": s, "mass": float(m)} for s, m in masses.items()]
        return made

    def _complete(self, settings: Input) -> tuple[Input, object]:
        """The input with what the system adds to its text, and the particles of `_core` or None."""
        if self._units is not None and settings._sections.get("units") != self._units:
            raise ValueError(f'System.from_ase: expected an input with units = "{self._units}"')
        has_types = any(name in settings for name in ("type", "component"))
        names = [kind.get("name") for kind in settings._sections.get("type", [])]
        types = self._types
        if has_types and (types is None or self._symbols is not None):
            types = None
        elif types is None:
            types = [{"name": "A"}]
        more: dict[str, object] = {} if self._start is None else {"start": self._start}
        if self._start is not None:
            if types is not None:
                more["type"] = types
            return settings.replace(**more), None
        if types is not None:
            names = [kind.get("name") for kind in types]
            settings = settings.replace(type=types)
        arrays = dict(self._arrays)
        if self._symbols is not None:
            unknown = sorted(set(self._symbols) - set(names))
            if unknown:
                raise ValueError(
                    f"System.from_ase: the input has no [[type]] with the name {unknown[0]!r}"
                )
            arrays["type"] = numpy.array([names.index(s) for s in self._symbols], numpy.int32)
        return settings, core().System.from_arrays(**arrays)


def frame_of_cell(cell: "ArrayLike") -> tuple[numpy.ndarray, numpy.ndarray]:
    """Local. A cell's edges (rows, (3, 3)) in Sterna's frame, and the rotation that turns them.

    The first edge is along x, the second in the plane of x and y: `edges = cell @ turn.T`.
    Raises ValueError for a left-handed cell.
    """
    cell = numpy.asarray(cell, float)
    if numpy.linalg.det(cell) <= 0.0:
        raise ValueError("the edges of the cell are left-handed: swap two of them")
    x = cell[0] / numpy.linalg.norm(cell[0])
    z = numpy.cross(cell[0], cell[1])
    z /= numpy.linalg.norm(z)
    turn = numpy.array([x, numpy.cross(z, x), z])
    if numpy.array_equal(turn, numpy.eye(3)):
        return cell.copy(), turn
    return numpy.tril(cell @ turn.T), turn


def _with_temperature(start: dict, temperature: float | None) -> dict:
    return start if temperature is None else {**start, "temperature": temperature}


def _refuse_twice(ids: numpy.ndarray | None) -> None:
    if ids is None:
        return
    order = numpy.argsort(ids, kind="stable")
    same = numpy.flatnonzero(numpy.diff(ids[order]) == 0)
    if len(same):
        first, second = order[same[0]], order[same[0] + 1]
        raise ValueError(f"id: rows {first} and {second} both have {ids[first]}")


def _whole_rows(
    name: str, values: "ArrayLike | None", least: int, most: int, kind: type
) -> numpy.ndarray | None:
    if values is None:
        return None
    array = whole_numbers(name, values, least, most, kind)
    if array.ndim != 1:
        raise ValueError(f"{name} has the shape {array.shape}, expected one axis")
    return array


def _rows(name: str, values: "ArrayLike | None", columns: int | None) -> numpy.ndarray | None:
    if values is None:
        return None
    array = finite(name, values)
    if columns is not None and (array.ndim != 2 or array.shape[1] != columns):
        raise ValueError(f"{name} has the shape {array.shape}, expected (n, {columns})")
    if columns is None and array.ndim != 1:
        raise ValueError(f"{name} has the shape {array.shape}, expected one axis")
    return array
