"""Forces of an OpenMM system as terms of molecules: one function for each class of force.

OpenMM's units (nm, kJ/mol, rad) are those of `units = "nano"`, but for angles, which are in degrees
here. Sources: the API reference of OpenMM 8 for its energies, docs/howto/flexible-molecules.md for
Sterna's.
"""

import itertools
import math
import re
from collections.abc import Callable, Iterator
from typing import Any

from sterna.errors import SternaError
from sterna.importing.lennard_jones import Powers, pairs_of_bonds
from sterna.importing.sources import Source, openmm
from sterna.importing.system import Term, term
from sterna.importing.virtual_sites import is_site, made_of, require_exclusions, terms_of_sites


def number(quantity: Any) -> Any:
    """Returns the number of a quantity in nm, ps, u, kJ/mol, e and rad."""
    unit = openmm().unit
    if unit.is_quantity(quantity):
        return quantity.value_in_unit_system(unit.md_unit_system)
    return quantity


def name_of(source: Source, atom: int) -> str:
    """For messages: atom 7 (CA of ALA 2)."""
    atoms = list(source.topology.atoms())
    residue = atoms[atom].residue
    return f"atom {atom + 1} ({atoms[atom].name} of {residue.name} {residue.id})"


class Bonds:
    """The bonded pairs of atoms: by the structure, and by constraints and bonds of the forces."""

    def __init__(self, source: Source) -> None:
        self.named = {
            frozenset((first.index, second.index)) for first, second in source.topology.bonds()
        }
        self.neighbors: dict[int, set[int]] = {}
        for pair in self.named:
            first, second = pair
            self.neighbors.setdefault(first, set()).add(second)
            self.neighbors.setdefault(second, set()).add(first)

    def middle(self, first: int, second: int) -> int | None:
        """The atom between two that are bonded to it and not to each other."""
        if frozenset((first, second)) in self.named:
            return None
        shared = self.neighbors.get(first, set()) & self.neighbors.get(second, set())
        return min(shared, default=None)

    def is_chain(self, atoms: tuple[int, ...]) -> bool:
        return all(frozenset(pair) in self.named for pair in itertools.pairwise(atoms))


def _joins_site(source: Source, first: int, second: int) -> bool:
    """Returns true for a bond of a virtual site and its parent, by which AMBER marks the site's
    position.
    """
    for site, other in ((first, second), (second, first)):
        if is_site(source, site):
            if other in made_of(source, site):
                return True
            raise SternaError(
                f"{name_of(source, site)} is a virtual site with a bond to {name_of(source, other)}"
            )
    return False


def _harmonic_bonds(force: Any, source: Source, bonds: Bonds) -> Iterator[Term]:
    for n in range(force.getNumBonds()):
        first, second, r0, stiffness = map(number, force.getBondParameters(n))
        if _joins_site(source, first, second):
            continue
        middle = bonds.middle(first, second)
        if middle is None:
            yield term("bond", (first, second), potential="harmonic", stiffness=stiffness, r0=r0)
        else:
            yield term(
                "angle", (first, middle, second),
                potential="urey_bradley", stiffness=stiffness, r0=r0,
            )  # fmt: skip


def _harmonic_angles(force: Any, _source: Source, _bonds: Bonds) -> Iterator[Term]:
    for n in range(force.getNumAngles()):
        *atoms, theta0, stiffness = map(number, force.getAngleParameters(n))
        if stiffness == 0.0:
            continue
        yield term(
            "angle", tuple(atoms),
            potential="harmonic", bending_stiffness=stiffness, theta0=math.degrees(theta0),
        )  # fmt: skip


def _periodic_torsions(force: Any, _source: Source, bonds: Bonds) -> Iterator[Term]:
    for n in range(force.getNumTorsions()):
        *atoms, multiplicity, phase, amplitude = map(number, force.getTorsionParameters(n))
        if amplitude == 0.0:
            continue
        is_proper = bonds.is_chain(tuple(atoms)) or not bonds.named
        yield term(
            "torsion" if is_proper else "improper", tuple(atoms), potential="periodic",
            amplitude=amplitude, multiplicity=multiplicity,
            phase=math.remainder(math.degrees(phase), 360.0),
        )  # fmt: skip


def _ryckaert_bellemans(force: Any, _source: Source, _bonds: Bonds) -> Iterator[Term]:
    for n in range(force.getNumTorsions()):
        *atoms, c0, c1, c2, c3, c4, c5 = map(number, force.getTorsionParameters(n))
        yield term(
            "torsion", tuple(atoms), potential="ryckaert_bellemans",
            c0=c0, c1=c1, c2=c2, c3=c3, c4=c4, c5=c5, zero_angle=180.0,
        )  # fmt: skip


def _cmaps(force: Any, source: Source, _bonds: Bonds) -> Iterator[Term]:
    tables = []
    for n in range(force.getNumMaps()):
        size, energy = force.getMapParameters(n)
        if size % 2 == 1:
            raise SternaError(f"a CMAP has {size} points along an angle; expected an even number")
        # In the file phi runs first, from 0; here psi runs first, from -180 degrees.
        shifted = [(k + size // 2) % size for k in range(size)]
        values = [number(value) for value in energy]
        tables.append(tuple(values[phi + size * psi] for phi in shifted for psi in shifted))
    for n in range(force.getNumTorsions()):
        table, *atoms = force.getTorsionParameters(n)
        phi, psi = atoms[:4], atoms[4:]
        if phi[1:] != psi[:3]:
            raise SternaError(
                f"the CMAP of {name_of(source, phi[0])} is of eight atoms; expected two torsions "
                "that share three atoms"
            )
        yield term(
            "cmap", (*phi, psi[3]), potential="bicubic", energy=tables[table]
        )  # fmt: skip


_CHARMM_IMPROPER = re.compile(
    r"k\*(?:min\(dtheta,2\*pi-dtheta\)\^2;dtheta=abs\(theta-theta0\);pi=3\.14\d*"
    r"|dtheta_torus\^2;dtheta_torus=dtheta-floor\(dtheta/\(2\*pi\)\+0\.5\)\*\(2\*pi\);"
    r"dtheta=theta-theta0;pi=3\.14\d*"
    # Without the way around the circle, which is meant: the energy would jump at 180 degrees.
    r"|\(theta-theta0\)\^2)"
)
_GROMACS_IMPROPER = re.compile(
    r"0\.5\*k\*\(thetap-theta0\)\^2;"
    r"thetap=step\(-\(theta-theta0\+pi\)\)\*2\*pi\+theta\+step\(theta-theta0-pi\)\*\(-2\*pi\);"
    r"pi=3\.14\d*"
)


def _custom_torsions(force: Any, _source: Source, _bonds: Bonds) -> Iterator[Term]:
    """The harmonic impropers of CHARMM and GROMACS, as OpenMM's readers write them."""
    energy = force.getEnergyFunction().replace(" ", "").rstrip(";")
    names = [force.getPerTorsionParameterName(n) for n in range(force.getNumPerTorsionParameters())]
    if _CHARMM_IMPROPER.fullmatch(energy):
        factor = 2.0
    elif _GROMACS_IMPROPER.fullmatch(energy):
        factor = 1.0
    else:
        factor = 0.0
    if factor == 0.0 or set(names) != {"k", "theta0"}:
        raise SternaError(f'a CustomTorsionForce has the energy "{energy}", which is not known')
    for n in range(force.getNumTorsions()):
        *atoms, values = force.getTorsionParameters(n)
        given = dict(zip(names, values, strict=True))
        yield term(
            "improper", tuple(atoms), potential="harmonic",
            bending_stiffness=factor * given["k"], phi0=math.degrees(given["theta0"]),
        )  # fmt: skip


def _exceptions(source: Source) -> Iterator[Term]:
    """Pairs that do not interact as others do, of all forces together."""
    force = nonbonded_of(source.system)
    bonds = pairs_of_bonds(source.system)
    for n in range(force.getNumExceptions()):
        first, second, product, sigma, epsilon = map(number, force.getExceptionParameters(n))
        powers = bonds.pop(frozenset((first, second)), None)
        if powers is not None:
            names = f"{name_of(source, first)} and {name_of(source, second)}"
            if epsilon > 0.0:
                powers += Powers.of(sigma, epsilon)
            sigma, epsilon = powers.sigma_and_epsilon(names)
        if product == 0.0 and epsilon == 0.0:
            yield term("exclusion", (first, second))
            continue
        yield term(
            "special_pair", (first, second),
            epsilon=epsilon, sigma=sigma if epsilon > 0.0 else 0.1, charge_product=product,
        )  # fmt: skip
    for pair in bonds:
        first, second = sorted(pair)
        raise SternaError(
            f"a CustomBondForce acts between {name_of(source, first)} and "
            f"{name_of(source, second)}, which are no exception of the NonbondedForce"
        )


def _nothing(_force: Any, _source: Source, _bonds: Bonds) -> Iterator[Term]:
    return iter(())


CONVERTERS: dict[str, Callable[[Any, Source, Bonds], Iterator[Term]]] = {
    "HarmonicBondForce": _harmonic_bonds,
    "HarmonicAngleForce": _harmonic_angles,
    "PeriodicTorsionForce": _periodic_torsions,
    "RBTorsionForce": _ryckaert_bellemans,
    "CMAPTorsionForce": _cmaps,
    "CustomTorsionForce": _custom_torsions,
    # These three forces are handled together, by `_exceptions` and `lennard_jones`.
    "NonbondedForce": _nothing,
    "CustomNonbondedForce": _nothing,
    "CustomBondForce": _nothing,
    "CMMotionRemover": _nothing,  # the total momentum of a start is 0, and stays
}


def terms_of(source: Source) -> list[Term]:
    """All terms and constraints. Raises SternaError, naming what Sterna does not have."""
    system = source.system
    for atom in range(system.getNumParticles()):
        if not is_site(source, atom) and number(system.getParticleMass(atom)) <= 0.0:
            raise SternaError(f"{name_of(source, atom)} has no mass")
    bonds = Bonds(source)
    terms = []
    for force in system.getForces():
        kind = type(force).__name__
        if kind not in CONVERTERS:
            raise SternaError(
                f"the system has a {kind}, which Sterna does not take over; it does "
                + ", ".join(CONVERTERS)
            )
        terms += CONVERTERS[kind](force, source, bonds)
    terms += _exceptions(source)
    for n in range(system.getNumConstraints()):
        first, second, distance = map(number, system.getConstraintParameters(n))
        terms.append(term("constraint", (first, second), distance=distance))

    def name(atom: int) -> str:
        return name_of(source, atom)

    terms += terms_of_sites(source, name)
    require_exclusions(source, nonbonded_of(system), name)
    return terms


def nonbonded_of(system: Any) -> Any:
    """Returns the only NonbondedForce. Raises SternaError if it has features that cannot be
    imported.
    """
    found = [f for f in system.getForces() if isinstance(f, openmm().NonbondedForce)]
    if len(found) != 1:
        raise SternaError(f"the system has {len(found)} NonbondedForces; expected one")
    (force,) = found
    if force.getNumParticleParameterOffsets() or force.getNumExceptionParameterOffsets():
        raise SternaError("parameters of the NonbondedForce depend on others (offsets)")
    if force.getNonbondedMethod() in (force.NoCutoff, force.CutoffNonPeriodic):
        raise SternaError("the system is not periodic; expected a box")
    if force.getNonbondedMethod() == force.LJPME:
        raise SternaError("Lennard-Jones pairs act at any distance (LJPME); expected a cutoff")
    return force


def scale_charges(system: Any, factor: float) -> None:
    """Multiplies all charges by a factor, and the products of pairs of their own by its square."""
    force = nonbonded_of(system)
    for k in range(force.getNumParticles()):
        charge, sigma, epsilon = force.getParticleParameters(k)
        force.setParticleParameters(k, factor * charge, sigma, epsilon)
    for k in range(force.getNumExceptions()):
        first, second, product, sigma, epsilon = force.getExceptionParameters(k)
        force.setExceptionParameters(k, first, second, factor**2 * product, sigma, epsilon)
