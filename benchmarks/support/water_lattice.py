"""Water on a cubic lattice of its density, each molecule turned at random."""

from pathlib import Path

import numpy

VOLUME = 29.9e-3  # nm^3 of a molecule


def write_water_lattice(path: Path, edge: int) -> None:
    """As extended XYZ in nm: `edge` molecules of TIP3P's shape along each edge of the box."""
    molecules = edge**3
    spacing = VOLUME ** (1 / 3)
    random = numpy.random.default_rng(1)
    along = numpy.arange(edge) * spacing
    oxygen = numpy.stack(numpy.meshgrid(along, along, along, indexing="ij"), -1).reshape(-1, 3)
    axes = numpy.linalg.qr(random.normal(size=(molecules, 3, 3)))[0]
    half_base = 0.5 * 0.15139
    height = (0.09572**2 - half_base**2) ** 0.5
    arms = numpy.array([[0, 0, 0], [half_base, height, 0], [-half_base, height, 0]])
    places = oxygen[:, None, :] + numpy.einsum("ak,mkc->mac", arms, axes)
    box = edge * spacing
    with path.open("w", encoding="utf-8") as file:
        file.write(f'{3 * molecules}\nLattice="{box} 0 0 0 {box} 0 0 0 {box}" ')
        file.write("Properties=species:S:1:pos:R:3\n")
        for molecule in places:
            for name, (a, b, c) in zip("OHH", molecule, strict=True):
                file.write(f"{name} {a:.5f} {b:.5f} {c:.5f}\n")
