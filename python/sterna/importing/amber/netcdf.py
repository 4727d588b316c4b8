"""Variables of a NetCDF file, in its classic formats and that of HDF5.

Source: "The NetCDF Classic Format Specification", Unidata, and the attribute `scale_factor` of its
"Attribute Conventions". AMBER writes restart files so.
"""

import struct
from pathlib import Path
from typing import Any, NoReturn

import numpy

from sterna.errors import SternaError

_CLASSIC = (b"CDF\x01", b"CDF\x02", b"CDF\x05")
_HDF5 = b"\x89HDF\r\n\x1a\n"
_DIMENSIONS, _VARIABLES, _ATTRIBUTES = 10, 11, 12
#: Numbers of NetCDF by the number of their type.
_TYPES = {1: ">i1", 2: "S1", 3: ">i2", 4: ">i4", 5: ">f4", 6: ">f8", 7: ">u1", 8: ">u2", 9: ">u4",
          10: ">i8", 11: ">u8"}  # fmt: skip


def is_netcdf(path: Path) -> bool:
    with path.open("rb") as file:
        start = file.read(8)
    return start[:4] in _CLASSIC or start == _HDF5


def read_netcdf(path: Path) -> tuple[dict[str, Any], dict[str, numpy.ndarray]]:
    """Attributes of the file, and its variables, times their scale factors. Raises SternaError."""
    with path.open("rb") as file:
        data = file.read()
    if data[:8] == _HDF5:
        return _read_hdf5(path)
    try:
        return _Classic(path, data).read()
    except (struct.error, ValueError, UnicodeDecodeError, OverflowError, MemoryError):
        _fail(path, "its header contradicts itself or is cut off")


def _fail(path: Path, what: str) -> NoReturn:
    raise SternaError(f"{path}: error: the NetCDF file cannot be read: {what}", status=2)


def _read_hdf5(path: Path) -> tuple[dict[str, Any], dict[str, numpy.ndarray]]:
    import h5py

    try:
        with h5py.File(path, "r") as file:
            attributes = {
                name: value.decode(errors="replace") if isinstance(value, bytes) else value
                for name, value in file.attrs.items()
            }
            arrays = {
                name: _scaled(path, name, numpy.asarray(item[()]), dict(item.attrs))
                for name, item in file.items()
                if isinstance(item, h5py.Dataset) and item.dtype.kind in "iuf"
            }
    except (OSError, RuntimeError, ValueError, KeyError, TypeError) as error:
        _fail(path, str(error))
    return attributes, arrays


def _scaled(
    path: Path, name: str, values: numpy.ndarray, attributes: dict[str, Any]
) -> numpy.ndarray:
    if "scale_factor" not in attributes:
        return values
    factor = numpy.asarray(attributes["scale_factor"])
    if factor.dtype.kind not in "iuf" or factor.size != 1 or not numpy.isfinite(factor).all():
        _fail(path, f"{name} has a scale factor that is no number")
    return values * float(factor.ravel()[0])


class _Classic:
    """Reads big-endian data from the beginning on."""

    def __init__(self, path: Path, data: bytes) -> None:
        self._path = path
        self._data = data
        self._place = 4
        self._version = data[3]

    def read(self) -> tuple[dict[str, Any], dict[str, numpy.ndarray]]:
        records = self._count()
        sizes = [(self._name(), self._count()) for _ in range(self._list_of(_DIMENSIONS))]
        attributes = self._attributes()
        variables = []
        for _ in range(self._list_of(_VARIABLES)):
            name = self._name()
            shape = [sizes[self._index(len(sizes))][1] for _ in range(self._count())]
            of_variable = self._attributes()
            (kind,) = self._numbers(">i")
            self._count()
            (begin,) = self._numbers(">i" if self._version == 1 else ">q")
            if kind not in _TYPES:
                _fail(self._path, f"{name} has the type {kind}")
            variables.append((name, shape, numpy.dtype(_TYPES[kind]), begin, of_variable))
        return attributes, {
            name: _scaled(self._path, name, self._array(name, shape, kind, begin), of_variable)
            for name, shape, kind, begin, of_variable in variables
            # Variables of records, as trajectories have them, are of dimension 0.
            if kind.kind in "iuf" and not (records and 0 in shape)
        }

    def _array(self, name: str, shape: list[int], kind: numpy.dtype, begin: int) -> numpy.ndarray:
        count = 1
        for size in shape:
            count *= size
        if begin < 0 or begin + count * kind.itemsize > len(self._data):
            _fail(self._path, f"it ends before the end of {name}")
        return numpy.frombuffer(self._data, kind, count, begin).reshape(shape).astype(float)

    def _numbers(self, form: str) -> tuple[Any, ...]:
        found = struct.unpack_from(form, self._data, self._place)
        self._place += struct.calcsize(form)
        return found

    def _count(self) -> int:
        (value,) = self._numbers(">Q" if self._version == 5 else ">I")
        if value > len(self._data) and value not in (2**32 - 1, 2**64 - 1):
            raise ValueError
        return value

    def _index(self, count: int) -> int:
        value = self._count()
        if value >= count:
            raise ValueError
        return value

    def _list_of(self, tag: int) -> int:
        (found,) = self._numbers(">I")
        count = self._count()
        if found not in (0, tag):
            raise ValueError
        return count if found == tag else 0

    def _name(self) -> str:
        length = self._count()
        text = self._data[self._place : self._place + length].decode("utf-8")
        self._place += (length + 3) // 4 * 4
        return text

    def _attributes(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for _ in range(self._list_of(_ATTRIBUTES)):
            name = self._name()
            (kind,) = self._numbers(">i")
            count = self._count()
            if kind not in _TYPES:
                raise ValueError
            size = count * numpy.dtype(_TYPES[kind]).itemsize
            raw = self._data[self._place : self._place + size]
            if len(raw) != size:
                raise ValueError
            found[name] = (
                raw.decode("utf-8", errors="replace").rstrip("\0")
                if kind == 2
                else numpy.frombuffer(raw, _TYPES[kind])
            )
            self._place += (size + 3) // 4 * 4
        return found
