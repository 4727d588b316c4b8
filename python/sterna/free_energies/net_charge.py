"""What a periodic box does to the free energy of a molecule whose net charge changes.

Idea: the raw free energy of charging is that of a charge among its images and the background that
neutralizes them, with a potential whose mean over the box is 0. The free energy of interest is that of
one charge in a solvent without end, relative to a potential of 0 outside of the solvent's molecules.
Three terms lead from the first to the second: images and background, screened by the solvent; the
volume that the molecule keeps free of solvent; and the mean potential inside of the molecules of the
solvent.
Source: Rocklin, Mobley, Dill and Huenenberger, J. Chem. Phys. 139, 184103 (2013), equations for NET,
USV, RIP and DSC; Huenenberger and McCammon, J. Chem. Phys. 110, 1856 (1999) for an ion in a sphere.
Cost: none. Hazards: the terms are those of a sphere with its charge in the middle in a continuum, so
that a long molecule, or one in a protein, needs a solution of Poisson's equation. The solvent's term
holds for charges at any distance, not for a cutoff or a reaction field.
"""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sterna.errors import SternaError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

#: The energy of two charges e at a distance of 1 nm, in kJ/mol.
_COULOMB = 138.93545764438198
_NEGLIGIBLE = 40.0  #: exp(-40) is below any digit of a sum


@dataclass(frozen=True)
class NetChargeCorrection:
    """What to add to the raw free energy of a change of charge, in kJ/mol."""

    #: Of images and background in the solvent (NET and USV).
    images: float
    #: Of the volume without solvent (RIP).
    excluded_volume: float
    #: Of the mean potential in the molecules of the solvent (DSC).
    solvent: float

    @property
    def total(self) -> float:
        """The sum of the three."""
        return self.images + self.excluded_volume + self.solvent


def lattice_potential(box: "ArrayLike") -> float:
    """The potential at a charge e of its own images and of the background that neutralizes them.

    `box`: three edge lengths, or three edges as rows, in nm. The result is in units of e/(4 pi eps0),
    in 1/nm: -2.837297 / L in a cube. By Ewald's sum.
    Raises SternaError where the box has no volume.
    """
    edges = np.asarray(box, dtype=float)
    if edges.shape == (3,):
        edges = np.diag(edges)
    if edges.shape != (3, 3) or not np.isfinite(edges).all():
        raise SternaError(f"expected three edge lengths or three edges of a box, got {box!r}")
    volume = abs(float(np.linalg.det(edges)))
    if volume <= 1e-12 * float(np.prod(np.linalg.norm(edges, axis=1))):
        raise SternaError(f"the box has no volume: {edges.tolist()}")
    alpha = math.sqrt(math.pi) / volume ** (1.0 / 3.0)
    waves = 2.0 * math.pi * np.linalg.inv(edges).T
    near = _shifts(edges, math.sqrt(_NEGLIGIBLE) / alpha)
    far = _shifts(waves, 2.0 * alpha * math.sqrt(_NEGLIGIBLE))
    distances = np.linalg.norm(near, axis=1)
    squares = np.square(far).sum(axis=1)
    erfc = np.array([math.erfc(alpha * r) for r in distances])
    return (
        float((erfc / distances).sum())
        + 4.0 * math.pi / volume * float((np.exp(-squares / (4.0 * alpha**2)) / squares).sum())
        - math.pi / (alpha**2 * volume)
        - 2.0 * alpha / math.sqrt(math.pi)
    )


def _shifts(edges: np.ndarray, reach: float) -> np.ndarray:
    """The points of a lattice within `reach` of the origin, without the origin."""
    # How far the planes of one edge are apart.
    spacing = 1.0 / np.linalg.norm(np.linalg.inv(edges), axis=0)
    ranges = [np.arange(-int(reach / s) - 1, int(reach / s) + 2) for s in spacing]
    whole = np.stack(np.meshgrid(*ranges, indexing="ij"), axis=-1).reshape(-1, 3)
    points = whole[np.any(whole != 0, axis=1)] @ edges
    return points[np.linalg.norm(points, axis=1) <= reach]


def quadrupole_trace(charges: "ArrayLike", positions: "ArrayLike", center: int = 0) -> float:
    """The trace of a molecule's quadrupole moment, sum of q r^2, in e nm^2.

    `charges` (n) in e, `positions` (n, 3) in nm of one whole molecule. `center`: the index of the atom
    about which the molecule keeps others away, such as the oxygen of water. Raises SternaError where the
    numbers do not fit, or the molecule has a net charge, so that the center would matter less than that.
    """
    q, r = np.asarray(charges, dtype=float), np.asarray(positions, dtype=float)
    if q.ndim != 1 or r.shape != (len(q), 3) or not 0 <= center < len(q):
        raise SternaError(
            f"expected n charges, (n, 3) positions and a center of them, got shapes {q.shape} and "
            f"{r.shape} and center {center}"
        )
    if abs(q.sum()) > 1e-3:
        raise SternaError(f"a molecule of the solvent must be neutral, got a charge of {q.sum():g}")
    return float(q @ np.square(r - r[center]).sum(axis=1))


def net_charge_correction(
    box: "ArrayLike",
    before: float,
    after: float,
    *,
    permittivity: float,
    radius: float = 0.0,
    others: float = 0.0,
    solvent_molecules: int = 0,
    solvent_quadrupole: float = 0.0,
) -> NetChargeCorrection:
    """What to add to the raw free energy of changing a molecule's charge from `before` to `after`.

    `box`: three edge lengths, or three edges as rows, in nm; at constant pressure their mean. Charges
    in e; `others`: the charge of all else in the box. `permittivity`: relative, of the solvent's model.
    `radius`: of the sphere about the charge that has no solvent, in nm. `solvent_molecules`: in the
    box; `solvent_quadrupole`: `quadrupole_trace` of one of them, in e nm^2. Without these two the
    solvent's term is 0. All terms are in kJ/mol. Raises SternaError for numbers without a meaning.
    """
    if not permittivity >= 1.0:
        raise SternaError(f"expected a relative permittivity of at least 1, got {permittivity}")
    if not radius >= 0.0:
        raise SternaError(f"expected a radius of at least 0, got {radius}")
    if solvent_molecules < 0:
        raise SternaError(f"expected a number of molecules, got {solvent_molecules}")
    edges = np.asarray(box, dtype=float)
    potential = lattice_potential(edges)
    volume = float(np.prod(edges)) if edges.ndim == 1 else abs(float(np.linalg.det(edges)))
    squares = (others + after) ** 2 - (others + before) ** 2
    images = -0.5 * _COULOMB / permittivity * potential * squares
    # The integral of the sphere's potential beyond that of a charge in the solvent, times the total
    # charge by volume, which is the background's.
    products = after * (others + after) - before * (others + before)
    sphere = 2.0 * math.pi / 3.0 * _COULOMB * (1.0 - 1.0 / permittivity) * radius**2
    mean = 2.0 * math.pi / 3.0 * _COULOMB * solvent_quadrupole * solvent_molecules / volume
    return NetChargeCorrection(images, sphere * products / volume, -mean * (after - before))
