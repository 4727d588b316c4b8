"""Mass moved from heavy atoms to the hydrogen that is bonded to them, for longer time steps.

Idea: masses do not change what a system is like at equilibrium; heavier hydrogen bends slower.
Source: C. W. Hopkins, S. Le Grand, R. C. Walker and A. E. Roitberg, J. Chem. Theory Comput. 11, 1864
(2015). As ParmEd (HMassRepartition) and OpenMM (hydrogenMass) do, water that keeps its shape stays
as it is. Hazards: what depends on time, such as diffusion, becomes slower by a little.
"""

from dataclasses import replace
from typing import Any

from sterna.errors import SternaError
from sterna.importing.system import System

HEAVIEST_HYDROGEN = 4.5  # u, as the engine has it
LARGEST = 4.0


def repartition(system: System, hydrogen_mass: float) -> System:
    """The system with hydrogen of this mass in u. The mass of each molecule stays as it is.

    Types whose atoms end with different masses become several. Raises SternaError where a hydrogen
    is bonded to no heavier atom or to several, and where an atom would become lighter than its
    hydrogens.
    """
    if system.units == "reduced":
        raise SternaError(
            "--hydrogen-mass is for atoms with masses in u; these are in reduced units", status=2
        )
    mass_of_type = {kind["name"]: float(kind["mass"]) for kind in system.types}
    masses = [mass_of_type[atom.type] for atom in system.atoms]
    partners = _heavier_partners(system, masses)
    rigid = _rigid_water(system, masses, partners)
    moved = list(masses)
    takers = set()
    for atom, mass in enumerate(masses):
        if not _is_hydrogen(mass) or atom in rigid:
            continue
        heavy = sorted(partners[atom])
        if not heavy:
            raise SternaError(
                f"{system.atom_name(atom)} is hydrogen, and no bond joins it to a heavier atom that "
                "could give it mass"
            )
        if len(heavy) > 1:
            raise SternaError(
                f"{system.atom_name(atom)} is hydrogen and bonded to both "
                f"{system.atom_name(heavy[0])} and {system.atom_name(heavy[1])}; mass comes from "
                "one atom"
            )
        moved[atom] = hydrogen_mass
        moved[heavy[0]] -= hydrogen_mass - mass
        takers.add(heavy[0])
    for heavy in sorted(takers):
        if moved[heavy] < hydrogen_mass:
            raise SternaError(
                f"{system.atom_name(heavy)} would be left with {moved[heavy]:.4g} u of its "
                f"{masses[heavy]:.4g} u, less than its hydrogens have; expected a smaller "
                "--hydrogen-mass"
            )
    return _with_masses(system, moved)


def _is_hydrogen(mass: float) -> bool:
    return 0.0 < mass < HEAVIEST_HYDROGEN


def _heavier_partners(system: System, masses: list[float]) -> list[set[int]]:
    """Returns for each atom the heavier atoms to which it is bonded."""
    bonded = set(system.joined)
    bonded |= {(one.atoms[0], one.atoms[1]) for one in system.terms if one.section == "bond"}
    if not bonded:
        bonded = {
            (one.atoms[0], one.atoms[1]) for one in system.terms if one.section == "constraint"
        }
    partners: list[set[int]] = [set() for _ in masses]
    for first, second in bonded:
        if masses[second] >= HEAVIEST_HYDROGEN:
            partners[first].add(second)
        if masses[first] >= HEAVIEST_HYDROGEN:
            partners[second].add(first)
    return partners


def _rigid_water(system: System, masses: list[float], partners: list[set[int]]) -> set[int]:
    """Hydrogen atoms of molecules of three atoms whose two hydrogens keep their distance."""
    hydrogens: dict[int, set[int]] = {}
    heavier: set[int] = set()
    for atom, around in enumerate(partners):
        for heavy in around:
            if _is_hydrogen(masses[atom]):
                hydrogens.setdefault(heavy, set()).add(atom)
            else:
                heavier |= {heavy, atom}
    rigid = set()
    for one in system.terms:
        if one.section != "constraint" or not all(_is_hydrogen(masses[k]) for k in one.atoms):
            continue
        first, second = one.atoms
        for heavy in partners[first] & partners[second]:
            if hydrogens[heavy] == {first, second} and heavy not in heavier:
                rigid |= {first, second}
    return rigid


def _with_masses(system: System, masses: list[float]) -> System:
    """Returns the system with a type for each mass; the first of a type's masses keeps its name."""
    known: dict[tuple[str, float], str] = {}
    variants: dict[str, list[str]] = {}
    taken = {kind["name"] for kind in system.types}
    types = {kind["name"]: kind for kind in system.types}
    made: dict[str, list[dict[str, Any]]] = {}
    atoms = []
    for atom, mass in zip(system.atoms, masses, strict=True):
        # Equal sums may differ in their last digits.
        key = (atom.type, round(mass, 9))
        if key not in known:
            before = variants.setdefault(atom.type, [])
            name, number = atom.type, 1
            while before and name in taken:
                number += 1
                name = f"{atom.type}_{number}"
            taken.add(name)
            before.append(name)
            known[key] = name
            made.setdefault(atom.type, []).append(types[atom.type] | {"name": name, "mass": mass})
        atoms.append(replace(atom, type=known[key]))
    pairs = []
    for pair in system.pairs:
        firsts = variants.get(pair["first"], [pair["first"]])
        seconds = variants.get(pair["second"], [pair["second"]])
        for a, first in enumerate(firsts):
            for b, second in enumerate(seconds):
                if pair["first"] == pair["second"] and b < a:
                    continue
                pairs.append(pair | {"first": first, "second": second})
    return replace(
        system,
        atoms=atoms,
        types=[kind for old in system.types for kind in made.get(old["name"], [old])],
        pairs=pairs,
    )
