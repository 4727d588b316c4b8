"""Phases of torsions as AMBER takes them. Source: the subroutine `dihpar` of sander."""

import math

#: Radians. A phase that is so near to pi is pi, because LEaP writes it as 3.141594.
_NEAR_PI = 1e-3


def rounded_phase(radians: float) -> float:
    """The phase that AMBER computes with, in radians."""
    return math.pi if abs(radians - math.pi) <= _NEAR_PI else radians
