"""Second virial coefficients.

Idea: B = -2 pi int <exp(-u/kT) - 1> r^2 dr over the distance of the centers, the mean over all
orientations. Distances by Gauss-Legendre panels, those beyond the panels by the variable 1/r up to
infinity. Orientations by a lattice of Korobov, shifted at random a number of times, whose spread is
the error. Where charge distributions no longer overlap, the electrostatic energy has the mean 0 over
all orientations: it is added to the integrand, whose far part would else be noise.
Source: J. O. Hirschfelder, C. F. Curtiss and R. B. Bird, Molecular Theory of Gases and Liquids (Wiley,
1954), chapter 3; R. Cranley and T. N. L. Patterson, SIAM J. Numer. Anal. 13, 904 (1976).
Cost: `shifts` times `orientations` times some 200 distances. Hazards: at low temperatures a few
orientations of polar molecules have nearly all of the weight; the error says so. Others: Mayer
sampling, where many orientations matter little.
"""

from dataclasses import dataclass
from functools import cache

import numpy

from sterna.errors import SternaError
from sterna.fluids.pair_energy import PairEnergy, TurnedMolecule, euler_turns
from sterna.fluids.pair_model import PairModel

HARD = 1000.0  #: kT, from which on two molecules overlap
_NODES = 8  #: in a panel
_PANELS_PER_SIGMA = 8
_FAR_PANELS = 4
_CANDIDATES = 150  #: lattices that are looked at


@dataclass
class SecondVirial:
    """B and T dB/dT at all temperatures with their errors, in the model's unit of volume."""

    value: numpy.ndarray
    error: numpy.ndarray
    slope: numpy.ndarray
    slope_error: numpy.ndarray


def panels(ends: numpy.ndarray, nodes: int = _NODES) -> tuple[numpy.ndarray, numpy.ndarray]:
    """Gauss-Legendre nodes and weights of all panels between these ends."""
    x, w = numpy.polynomial.legendre.leggauss(nodes)
    middle, half = 0.5 * (ends[1:] + ends[:-1]), 0.5 * (ends[1:] - ends[:-1])
    return (middle[:, None] + half[:, None] * x).ravel(), (half[:, None] * w).ravel()


def near_ends(model: PairModel, energy: PairEnergy, scale: float = 1.0) -> numpy.ndarray:
    """Ends of panels of distances, from 0 to where only a smooth tail follows.

    A cutoff of the centers is one of them. `scale` moves the others.
    """
    size = energy.a.extent + energy.b.extent
    sigma = float(max(energy.a.sigma.max(), energy.b.sigma.max()))
    width = scale * sigma / _PANELS_PER_SIGMA
    ends = numpy.arange(0.0, 1.7 * sigma + size, width)
    far = 4.0 * sigma + 2.0 * size
    cutoff = model.ending.cutoff
    if model.ending.by_site and numpy.isfinite(cutoff):
        # Pairs of sites end at all of these distances: no panel is free of steps.
        return numpy.arange(0.0, max(far, cutoff + size) + width, width)
    ends = numpy.concatenate(
        [ends, numpy.arange(ends[-1] + width, far, 0.5 * scale * sigma), [far]]
    )
    if numpy.isfinite(cutoff):
        ends = numpy.union1d(ends, [cutoff])
    return ends


def second_virial(
    model: PairModel,
    a: int,
    b: int,
    temperatures: numpy.ndarray,
    orientations: int = 2048,
    shifts: int = 16,
    seed: int = 1,
) -> SecondVirial:
    """B of the molecules number `a` and `b` of the model. Of two atoms it is exact to 1e-8."""
    thermal = model.boltzmann * numpy.asarray(temperatures, float)
    energy = PairEnergy(model, a, b, HARD * float(thermal.max()))
    if energy.a.is_atom and energy.b.is_atom:
        value, slope = _of_one_shift(model, energy, thermal, None, 1.0)
        error = 1e-8 * abs(value)
        return SecondVirial(value, error, slope, 1e-8 * abs(slope))
    if shifts < 2:
        raise SternaError(f"shifts is {shifts}; expected at least 2, whose spread is the error", 2)
    generator = numpy.random.default_rng([seed, a, b])
    turning = [not energy.a.is_along_z, not energy.b.is_along_z]
    points = _even_points(3 + sum(turning), orientations)
    found = []
    for _ in range(shifts):
        # Going up and down again makes what is not periodic continuous.
        moved = (points + generator.random((len(points), 1))) % 1.0
        moved[:2] = 1.0 - abs(2.0 * moved[:2] - 1.0)
        angles = numpy.zeros((5, orientations))
        angles[:3] = moved[:3]
        angles[[k for k, turns in zip((3, 4), turning, strict=True) if turns]] = moved[3:]
        found.append(_of_one_shift(model, energy, thermal, angles, generator.uniform(0.85, 1.15)))
    values, slopes = (numpy.array(part) for part in zip(*found, strict=True))
    root = numpy.sqrt(shifts)
    return SecondVirial(
        values.mean(0),
        values.std(0, ddof=1) / root,
        slopes.mean(0),
        slopes.std(0, ddof=1) / root,
    )


@cache
def _even_points(dimensions: int, count: int) -> numpy.ndarray:
    """Points that fill a cube evenly, (dimensions, count): the best of some lattices of Korobov.

    The one of least P2, the squared error for smooth periodic functions (Sloan and Joe, Lattice
    Methods for Multiple Integration (Oxford, 1994)).
    """
    k = numpy.arange(count)
    best, least = None, numpy.inf
    candidates = numpy.unique(numpy.linspace(2, max(2, count // 2), _CANDIDATES).astype(int))
    for generator in candidates:
        powers = [pow(int(generator), power, count) for power in range(dimensions)]
        points = numpy.outer(powers, k) % count / count
        p2 = (1.0 + 2.0 * numpy.pi**2 * (points**2 - points + 1.0 / 6.0)).prod(0).mean() - 1.0
        if p2 < least:
            best, least = points, p2
    return best


def _of_one_shift(
    model: PairModel,
    energy: PairEnergy,
    thermal: numpy.ndarray,
    angles: numpy.ndarray | None,
    scale: float,
) -> tuple[numpy.ndarray, numpy.ndarray]:
    turns_a = turns_b = None
    if angles is not None:
        of_a, of_b, around_b, spin_a, spin_b = angles
        turns_a = None if energy.a.is_atom else euler_turns(0.0 * of_a, of_a, spin_a)
        turns_b = None if energy.b.is_atom else euler_turns(around_b, of_b, spin_b)
    a, b = TurnedMolecule(energy.a, turns_a), TurnedMolecule(energy.b, turns_b)
    ends = near_ends(model, energy, scale)
    r, weights = panels(ends)
    # Beyond: r = 1/t, dr = dt / t^2.
    t, of_t = panels(numpy.linspace(0.0, 1.0 / ends[-1], _FAR_PANELS + 1))
    r = numpy.concatenate([r, 1.0 / t])
    weights = numpy.concatenate([weights, of_t / t**2])
    apart_enough = energy.a.extent + energy.b.extent
    total, slope = numpy.zeros_like(thermal), numpy.zeros_like(thermal)
    apart = numpy.zeros((3, 1))
    for distance, weight in zip(r, weights, strict=True):
        apart[2] = distance
        u, electric = energy.energy(apart, a, b)
        mean, mean_slope = _means(u, electric if distance > apart_enough else None, thermal)
        total += weight * distance**2 * mean
        slope += weight * distance**2 * mean_slope
    return -2.0 * numpy.pi * total, -2.0 * numpy.pi * slope


def _means(
    u: numpy.ndarray, electric: numpy.ndarray | None, thermal: numpy.ndarray
) -> tuple[numpy.ndarray, numpy.ndarray]:
    """The means of exp(-u/kT) - 1 and of its derivative by ln T, at each temperature."""
    means, slopes = [], []
    apart = numpy.isfinite(u)
    safe = numpy.where(apart, u, 0.0)
    for kt in thermal:
        x = safe / kt
        f = numpy.where(apart, numpy.expm1(-x), -1.0)
        slope = numpy.where(apart, x * numpy.exp(-x), 0.0)
        if electric is not None:
            f = f + electric / kt
            slope = slope - electric / kt
        means.append(f.mean())
        slopes.append(slope.mean())
    return numpy.array(means), numpy.array(slopes)
