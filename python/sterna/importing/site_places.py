"""Places of virtual sites from those of the atoms that they are made of.

The formulas are those of docs/howto/virtual-sites.md, with the names of GROMACS. Source: GROMACS
manual, "Virtual interaction sites"; OpenMM user guide, "LocalCoordinatesSite".
"""

from collections.abc import Mapping
from typing import Any

import numpy


def place_of(site: Mapping[str, Any], atoms: numpy.ndarray) -> numpy.ndarray:
    """The place, (3,), of a `[[molecule.virtual_site]]` that is made of atoms at these places, (n, 3)."""
    kind = site["kind"]
    i = atoms[0]
    if kind == "n":
        return numpy.average(atoms, axis=0, weights=site["weights"])
    if kind == "local":
        return _local(site, atoms)
    ij = atoms[1] - i
    if kind == "2":
        return i + site["a"] * ij
    if kind == "2fd":
        return i + site["distance"] * _unit(ij)
    ik = atoms[2] - i
    jk = ik - ij
    if kind in ("3", "3out"):
        place = i + site["a"] * ij + site["b"] * ik
        return place + site["c"] * numpy.cross(ij, ik) if kind == "3out" else place
    if kind == "3fd":
        return i + site["distance"] * _unit(ij + site["a"] * jk)
    if kind == "3fad":
        angle = numpy.radians(site["angle"])
        across = jk - ij * (ij @ jk) / (ij @ ij)
        return i + site["distance"] * (
            numpy.cos(angle) * _unit(ij) + numpy.sin(angle) * _unit(across)
        )
    il = atoms[3] - i
    if kind == "4fd":
        return i + site["distance"] * _unit(ij + site["a"] * jk + site["b"] * (il - ij))
    normal = numpy.cross(site["a"] * ik - ij, site["b"] * il - ij)
    return i + site["distance"] * _unit(normal)


def _local(site: Mapping[str, Any], atoms: numpy.ndarray) -> numpy.ndarray:
    origin, along, beside = (
        numpy.array(site[key]) @ atoms for key in ("origin_weights", "x_weights", "y_weights")
    )
    x = _unit(along)
    z = _unit(numpy.cross(along, beside))
    return origin + numpy.array(site["position"]) @ numpy.array([x, numpy.cross(z, x), z])


def _unit(vector: numpy.ndarray) -> numpy.ndarray:
    return vector / numpy.linalg.norm(vector)
