"""Writes a file of the embedded-atom method from formulas: a metal by Sutton and Chen.

    python examples/python/sutton_chen.py        # writes copper.eam.alloy

A. P. Sutton, J. Chen, Phil. Mag. Lett. 61, 139 (1990). Other metals: their parameters in `METALS`.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy


@dataclass
class Metal:
    number: int
    mass: float  #: u
    epsilon: float  #: eV
    a: float  #: lattice constant, angstrom
    n: int
    m: int


METALS = {
    "Ni": Metal(28, 58.693, 1.5707e-2, 3.52, 9, 6),
    "Cu": Metal(29, 63.546, 1.2382e-2, 3.61, 9, 6),
    "Ag": Metal(47, 107.868, 2.5415e-3, 4.09, 12, 6),
    "Au": Metal(79, 196.967, 1.2793e-2, 4.08, 10, 8),
}
POINTS = 1000


def window(r: numpy.ndarray, begin: float, end: float) -> numpy.ndarray:
    """1 up to `begin`, 0 from `end` on, smooth between."""
    x = numpy.clip((end - r) / (end - begin), 0.0, 1.0)
    return x * x * x * (10.0 - 15.0 * x + 6.0 * x * x)


def functions(metal: Metal, r: numpy.ndarray, cutoff: float):
    """Density and pair potential, which end at the cutoff."""
    end = window(r, 0.9 * cutoff, cutoff)
    return (metal.a / r) ** metal.m * end, metal.epsilon * (metal.a / r) ** metal.n * end


def binding(metal: Metal, cutoff: float) -> float:
    """c, for which a face-centered cubic crystal has the lattice constant a. Without a cutoff it is
    that of the paper."""
    grid = numpy.stack(numpy.meshgrid(*[numpy.arange(-5, 6)] * 3), axis=-1).reshape(-1, 3)
    sites = grid[(grid.sum(axis=1) % 2 == 0) & grid.any(axis=1)] / 2

    def parts(a: float):
        r = a * numpy.linalg.norm(sites, axis=1)
        density, pair = (f[r < cutoff].sum() for f in functions(metal, r, cutoff))
        return pair / 2, metal.epsilon * density**0.5

    h = 1e-4
    (pair_above, bound_above), (pair_below, bound_below) = parts(metal.a + h), parts(metal.a - h)
    return (pair_above - pair_below) / (bound_above - bound_below)


def setfl(name: str, metal: Metal) -> str:
    """A file of the kind "eam/alloy"."""
    cutoff = 2.0 * metal.a
    dr, drho = cutoff / (POINTS - 1), 400.0 / (POINTS - 1)
    distance = dr * numpy.arange(POINTS)
    # No two atoms come nearer than 1 angstrom.
    r = numpy.maximum(distance, 1.0)
    density, pair = functions(metal, r, cutoff)
    embedding = -metal.epsilon * binding(metal, cutoff) * numpy.sqrt(drho * numpy.arange(POINTS))
    lines = [
        f"{name} by Sutton and Chen, Phil. Mag. Lett. 61, 139 (1990). UNITS: metal",
        "written by examples/python/sutton_chen.py",
        "",
        f"1 {name}",
        f"{POINTS} {drho:.16g} {POINTS} {dr:.16g} {cutoff:.16g}",
        f"{metal.number} {metal.mass} {metal.a} fcc",
    ]
    for values in (embedding, density, distance * pair):
        for k in range(0, POINTS, 5):
            lines.append(" ".join(f"{value:.10e}" for value in values[k : k + 5]))
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    Path("copper.eam.alloy").write_text(setfl("Cu", METALS["Cu"]))
