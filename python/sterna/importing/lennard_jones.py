"""Lennard-Jones pairs of an OpenMM system, whatever formula its forces have.

A NonbondedForce mixes by Lorentz and Berthelot. Other rules (OPLS) and pairs with parameters of
their own (NBFIX) are a CustomNonbondedForce, and 1-4 pairs then a CustomBondForce. What these
compute is found from their forces at some distances: c12 / r^12 - c6 / r^6, or nothing that is
taken over.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy

from sterna.errors import SternaError
from sterna.importing.sources import openmm
from sterna.support.mixing import RULES, mixed_well

# nm. Two of them give the coefficients, two check that there is nothing else.
_DISTANCES = numpy.array([0.3, 0.45, 0.36, 0.7])

_WIDE = 40.0  # nm

#: sigma and epsilon of particles that do not interact; the size has no meaning
NO_WELL = (0.1, 0.0)


def tidy(number: float) -> float:
    """Removes the rounding in the last digits."""
    return float(f"{number:.12g}")


@dataclass(frozen=True)
class Powers:
    """c12 / r^12 - c6 / r^6, in kJ/mol and nm."""

    c12: float = 0.0
    c6: float = 0.0

    @classmethod
    def of(cls, sigma: float, epsilon: float) -> "Powers":
        c6 = 4.0 * epsilon * sigma**6
        return cls(c6 * sigma**6, c6)

    def __add__(self, other: "Powers") -> "Powers":
        return Powers(self.c12 + other.c12, self.c6 + other.c6)

    def sigma_and_epsilon(self, what: str) -> tuple[float, float]:
        """Raises SternaError, naming `what`, if there are no such parameters."""
        if self.c12 == self.c6 == 0.0:
            return NO_WELL
        if self.c6 == 0.0 and self.c12 > 0.0:
            # A repulsion alone, as in Go models: the attraction of so wide a well is nothing
            # beside it, 1e-9 of it at 1.2 nm.
            return _WIDE, tidy(self.c12 / (4.0 * _WIDE**12))
        if self.c12 <= 0.0 or self.c6 <= 0.0:
            raise SternaError(
                f"{what} have C12 = {self.c12:.6g} and C6 = {self.c6:.6g} (kJ/mol and nm), which "
                "is no well; expected two positive numbers"
            )
        return tidy((self.c12 / self.c6) ** (1 / 6)), tidy(self.c6**2 / (4.0 * self.c12))


def _fit(forces: numpy.ndarray, what: str) -> list[Powers]:
    """`forces` (pairs, distances)."""
    if not numpy.isfinite(forces).all():
        raise SternaError(f"{what} is not finite")
    x = _DISTANCES**-6.0
    # r f = 12 c12 x^2 - 6 c6 x
    moments = forces * _DISTANCES
    (x0, x1), (g0, g1) = x[:2], moments[:, :2].T
    c12 = (g0 / x0 - g1 / x1) / (12.0 * (x0 - x1))
    c6 = (12.0 * c12 * x0 - g0 / x0) / 6.0
    size = numpy.abs(12.0 * numpy.outer(c12, x**2)) + numpy.abs(6.0 * numpy.outer(c6, x))
    expected = 12.0 * numpy.outer(c12, x**2) - 6.0 * numpy.outer(c6, x)
    if not (numpy.abs(moments - expected) <= 1e-9 * size).all():
        raise SternaError(f"{what}, which is no Lennard-Jones potential")
    # If there is only a repulsion, the attraction found is rounding.
    c6[abs(c6) * x.max() <= 1e-12 * abs(c12) * x.max() ** 2] = 0.0
    return [Powers(float(a), float(b)) for a, b in zip(c12, c6, strict=True)]


def _forces_at_distances(force: Any, pairs: int) -> numpy.ndarray:
    """Returns the forces of pairs of particles 2 k and 2 k + 1."""
    mm = openmm()
    system = mm.System()
    for _ in range(2 * pairs):
        system.addParticle(1.0)
    system.addForce(force)
    platform = mm.Platform.getPlatformByName("Reference")
    context = mm.Context(system, mm.VerletIntegrator(0.001), platform)
    found = numpy.empty((pairs, len(_DISTANCES)))
    positions = numpy.zeros((2 * pairs, 3))
    for k, distance in enumerate(_DISTANCES):
        positions[1::2, 0] = distance
        context.setPositions(positions)
        state = context.getState(getForces=True)
        found[:, k] = state.getForces(asNumpy=True)._value[1::2, 0]
    return found


def _custom_pairs(force: Any, pairs: Sequence[tuple[tuple, tuple]]) -> list[Powers]:
    """Returns the powers for particles with these parameters."""
    mm = openmm()
    what = f'a CustomNonbondedForce has the energy "{force.getEnergyFunction()}"'
    if force.getNumComputedValues():
        raise SternaError(f"{what} with computed values, which are not taken over")
    copy = mm.CustomNonbondedForce(force.getEnergyFunction())
    for n in range(force.getNumPerParticleParameters()):
        copy.addPerParticleParameter(force.getPerParticleParameterName(n))
    for n in range(force.getNumGlobalParameters()):
        copy.addGlobalParameter(
            force.getGlobalParameterName(n), force.getGlobalParameterDefaultValue(n)
        )
    for n in range(force.getNumTabulatedFunctions()):
        function = mm.XmlSerializer.clone(force.getTabulatedFunction(n))
        copy.addTabulatedFunction(force.getTabulatedFunctionName(n), function)
    for k, (first, second) in enumerate(pairs):
        copy.addParticle(first)
        copy.addParticle(second)
        copy.addInteractionGroup([2 * k], [2 * k + 1])
    return _fit(_forces_at_distances(copy, len(pairs)), what)


def _custom_bonds(force: Any, parameters: Sequence[tuple]) -> list[Powers]:
    mm = openmm()
    copy = mm.CustomBondForce(force.getEnergyFunction())
    for n in range(force.getNumPerBondParameters()):
        copy.addPerBondParameter(force.getPerBondParameterName(n))
    for n in range(force.getNumGlobalParameters()):
        copy.addGlobalParameter(
            force.getGlobalParameterName(n), force.getGlobalParameterDefaultValue(n)
        )
    for k, values in enumerate(parameters):
        copy.addBond(2 * k, 2 * k + 1, values)
    return _fit(
        _forces_at_distances(copy, len(parameters)),
        f'a CustomBondForce has the energy "{force.getEnergyFunction()}"',
    )


def custom_nonbonded_of(system: Any, nonbonded: Any) -> Any | None:
    """The CustomNonbondedForce, where there is one. Raises SternaError where it differs from the
    NonbondedForce in what Sterna has once for both."""
    found = [f for f in system.getForces() if isinstance(f, openmm().CustomNonbondedForce)]
    if not found:
        return None
    if len(found) > 1:
        raise SternaError(f"the system has {len(found)} CustomNonbondedForces; expected one")
    (force,) = found
    if force.getNumInteractionGroups():
        raise SternaError("the CustomNonbondedForce has interaction groups, which Sterna lacks")
    if force.getNonbondedMethod() != force.CutoffPeriodic:
        raise SternaError("the CustomNonbondedForce has no cutoff; expected one")
    if force.getCutoffDistance() != nonbonded.getCutoffDistance():
        raise SternaError("the CustomNonbondedForce has another cutoff than the NonbondedForce")
    excluded = {frozenset(force.getExclusionParticles(n)) for n in range(force.getNumExclusions())}
    exceptions = {
        frozenset(nonbonded.getExceptionParameters(n)[:2])
        for n in range(nonbonded.getNumExceptions())
    }
    if excluded != exceptions:
        raise SternaError(
            "the CustomNonbondedForce excludes other pairs than the NonbondedForce has exceptions"
        )
    return force


Parameters = tuple[float, float]  #: sigma and epsilon


def mixed(rule: str, a: Parameters, b: Parameters) -> Parameters:
    """What a rule gives of two types."""
    return mixed_well(rule, a[::-1], b[::-1])[::-1]


def mixing_of(
    parameters: Sequence[Parameters],
    pairs: Mapping[tuple[int, int], Parameters],
    tolerance: float = 1e-9,
) -> tuple[str, dict[tuple[int, int], Parameters]]:
    """Returns the rule with the fewest exceptional pairs of types, and these pairs.

    `tolerance`: relative; what a file's digits say of parameters.
    """
    beside = {
        rule: {
            (a, b): found
            for (a, b), found in pairs.items()
            if not _alike(mixed(rule, parameters[a], parameters[b]), found, tolerance)
        }
        for rule in RULES
    }
    best = min(beside, key=lambda rule: len(beside[rule]))
    return best, beside[best]


@dataclass
class PairsOfTypes:
    """The types of a system, distinguished by mass and parameters."""

    custom: Any | None
    keys: list[tuple] = field(default_factory=list)  #: (mass, sigma, epsilon, custom parameters)
    mixing: str = RULES[0]
    parameters: list[Parameters] = field(default_factory=list)
    #: Pairs of types that the rule does not give.
    others: dict[tuple[int, int], Parameters] = field(default_factory=dict)

    def find(self, names: Sequence[str]) -> None:
        """Parameters, and the rule with the fewest pairs of types beside it."""
        self.parameters = [(sigma, epsilon) for _, sigma, epsilon, _ in self.keys]
        if self.custom is None:
            return
        numbers = range(len(self.keys))
        pairs = [(a, b) for a in numbers for b in numbers if a <= b]
        custom = _custom_pairs(self.custom, [(self.keys[a][3], self.keys[b][3]) for a, b in pairs])
        found = {}
        for (a, b), powers in zip(pairs, custom, strict=True):
            sigma, epsilon = mixed("lorentz_berthelot", self.keys[a][1:3], self.keys[b][1:3])
            both = powers + Powers.of(sigma, epsilon)
            found[a, b] = both.sigma_and_epsilon(f"pairs of the types {names[a]} and {names[b]}")
        self.parameters = [found[a, a] for a in numbers]
        self.mixing, self.others = mixing_of(self.parameters, found)


def _alike(first: Parameters, second: Parameters, tolerance: float) -> bool:
    if first[1] == second[1] == 0.0:
        return True
    return all(math.isclose(x, y, rel_tol=tolerance) for x, y in zip(first, second, strict=True))


def pairs_of_bonds(system: Any) -> dict[frozenset[int], Powers]:
    """Lennard-Jones pairs that CustomBondForces list."""
    found: dict[frozenset[int], Powers] = {}
    for force in system.getForces():
        if not isinstance(force, openmm().CustomBondForce) or force.getNumBonds() == 0:
            continue
        bonds = [force.getBondParameters(n) for n in range(force.getNumBonds())]
        alike = list(dict.fromkeys(tuple(values) for _, _, values in bonds))
        powers = dict(zip(alike, _custom_bonds(force, alike), strict=True))
        for first, second, values in bonds:
            pair = frozenset((first, second))
            found[pair] = found.get(pair, Powers()) + powers[tuple(values)]
    return found
