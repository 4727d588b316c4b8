"""Lennard-Jones pairs of an OpenMM system that end as CHARMM's do, for comparisons.

Source: P. J. Steinbach and B. R. Brooks, J. Comput. Chem. 15, 667 (1994) for the force switch, which
AMBER has as `fswitch` and NAMD as `vdwForceSwitching`; B. R. Brooks et al., J. Comput. Chem. 4, 187
(1983) for the switching function.
"""

from collections.abc import Mapping
from typing import Any

from sterna.errors import SternaError
from sterna.importing.forces import nonbonded_of
from sterna.importing.sources import openmm

#: The energy of OpenMM's readers of AMBER and CHARMM where pairs of types have their own.
_OF_TABLES = "(a/r6)^2-b/r6;r6=r^6;"


def _energy(truncation: str, begin: float, cutoff: float) -> str:
    """Returns the energy of a / r^12 - b / r^6 as an expression."""
    if truncation == "switched":
        width = (cutoff**2 - begin**2) ** 3
        return (
            f"(a*r^-12-b*r^-6)*select(step({begin}-r), 1, "
            f"({cutoff**2}-r^2)^2*({cutoff**2 - 3.0 * begin**2}+2*r^2)/{width})"
        )
    if truncation == "force_switched":
        return (
            f"select(step({begin}-r), a*(r^-12-{begin**-6 * cutoff**-6})"
            f"-b*(r^-6-{begin**-3 * cutoff**-3}),"
            f" a*{cutoff**6 / (cutoff**6 - begin**6)}*(r^-6-{cutoff**-6})^2"
            f"-b*{cutoff**3 / (cutoff**3 - begin**3)}*(r^-3-{cutoff**-3})^2)"
        )
    raise SternaError(f"the judge has no pairs that end as {truncation}")


def end_pairs(system: Any, interaction: Mapping[str, Any]) -> None:
    """Changes a system whose pairs are cut off to one with this `[interaction]`."""
    if interaction["truncation"] == "truncated":
        return
    mm = openmm()
    ended = _energy(interaction["truncation"], interaction["switch_start"], interaction["cutoff"])
    custom = [force for force in system.getForces() if isinstance(force, mm.CustomNonbondedForce)]
    if custom:
        (force,) = custom
        text = force.getEnergyFunction().replace(" ", "")
        if not text.startswith(_OF_TABLES):
            raise SternaError(f"the judge has pairs with the energy {text}")
        rest = text.removeprefix(_OF_TABLES).replace("a=", "root=", 1)
        force.setEnergyFunction(f"{ended}; a=root^2; {rest}")
        return
    nonbonded = nonbonded_of(system)
    force = mm.CustomNonbondedForce(
        f"{ended}; a=4*epsilon*sigma^12; b=4*epsilon*sigma^6; sigma=0.5*(sigma1+sigma2); "
        "epsilon=sqrt(epsilon1*epsilon2)"
    )
    force.addPerParticleParameter("sigma")
    force.addPerParticleParameter("epsilon")
    force.setNonbondedMethod(force.CutoffPeriodic)
    force.setCutoffDistance(nonbonded.getCutoffDistance())
    for k in range(nonbonded.getNumParticles()):
        charge, sigma, epsilon = nonbonded.getParticleParameters(k)
        force.addParticle((sigma, epsilon))
        nonbonded.setParticleParameters(k, charge, sigma, 0.0)
    for k in range(nonbonded.getNumExceptions()):
        first, second, *_ = nonbonded.getExceptionParameters(k)
        force.addExclusion(first, second)
    system.addForce(force)
