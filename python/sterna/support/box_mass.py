"""The mass of a box that moves by itself, of which GROMACS and Sterna have different measures.

Sterna's Martyna-Tobias-Klein has a period tau, and the strains of its box the acceleration
12 pi^2 V/((degrees + 3) kT tau^2) (P - P0). By Parrinello and Rahman they have 4 pi^2
compressibility/(3 tau-p^2) (P - P0) in GROMACS, and 9 kT times that by MTTK, with kT in kJ/mol.
Source: GROMACS manual, "Parrinello-Rahman pressure coupling"; `coupling.cpp` of GROMACS 2022.
"""

import math

from sterna.support.constants import BAR_PER_KJ_MOL_NM3, KJ_MOL_PER_K


def period_ratio(
    kind: str, compressibility: float, volume: float, degrees: int, temperature: float
) -> float:
    """tau over tau-p. `kind`: "parrinello-rahman" or "mttk"; 1/bar, nm^3 and K."""
    thermal = KJ_MOL_PER_K * temperature
    size = math.sqrt(volume / (BAR_PER_KJ_MOL_NM3 * compressibility * (degrees + 3)))
    return size / thermal if kind == "mttk" else 3.0 * size / math.sqrt(thermal)
