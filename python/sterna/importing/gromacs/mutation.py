"""Molecules with a state B as `[alchemy]` of the kind "mutation"."""

from dataclasses import dataclass, field, replace
from typing import Any

from sterna.importing.gromacs.free_energy import FreeEnergy, names_of
from sterna.importing.gromacs.state_b import Changed
from sterna.importing.gromacs.topology import MoleculeType
from sterna.importing.notes import Notes
from sterna.importing.split_types import split_types
from sterna.importing.system import System


@dataclass
class Mutations:
    """What changes, by the names of molecule types."""

    atoms: dict[str, list[tuple[str, float, float]]] = field(
        default_factory=dict
    )  #: types, charges and masses of B
    terms: dict[str, list[Changed]] = field(default_factory=dict)


def with_mutation(
    system: System, asked: FreeEnergy, of: Mutations, kind_of: list[MoleculeType], notes: Notes
) -> System:
    """A system with `[alchemy]` and what its molecules become.

    Raises SternaError at a line of the .mdp file.
    """
    members = {k for k, kind in enumerate(kind_of) if kind.name in of.atoms}
    if not members:
        asked.require_molecule([])
    groups: dict[tuple[str, str, float, float | None, bool], set[int]] = {}
    masses_change = any(asked.lambdas["mass"])
    first = 0
    while first < len(kind_of):
        kind = kind_of[first]
        for k, (name, charge, mass) in enumerate(of.atoms.get(kind.name, [])):
            atom = system.atoms[first + k]
            new_mass = mass if masses_change and mass != kind.atoms[k].mass else None
            is_changed = (atom.type, atom.charge) != (name, charge)
            key = (atom.type, name, charge, new_mass, is_changed)
            groups.setdefault(key, set()).add(first + k)
        first += len(kind.atoms)
    _require_hard_charges(system, asked, groups)
    mutations: list[dict[str, Any]] = []
    for (_, name, charge, mass, is_changed), atoms in groups.items():
        system, names = split_types(system, atoms, "_mutated")
        if is_changed or mass is not None:
            of_mass = {} if mass is None else {"mass": mass}
            mutations += [
                {"type": one, "becomes": name, "charge": charge} | of_mass for one in names
            ]
    molecules = names_of(system, asked, members)
    tables = _tables({name: of.terms[kind_of[atom].name] for name, atom in molecules.items()})
    section = {
        "molecules": list(molecules),
        "kind": "mutation",
        "charges": asked.lambdas["coul"],
        "van_der_waals": asked.lambdas["vdw"],
        **(
            {"bonded": asked.lambdas["bonded"]}
            if {"mutated_term", "mutated_constraint"} & tables.keys()
            else {}
        ),
        **({"masses": asked.lambdas["mass"]} if any("mass" in one for one in mutations) else {}),
        "charge_path": "energies",
        "state": asked.state,
        "interval": asked.interval,
    } | asked.soft_core
    sections = {**system.sections, "alchemy": section}
    if mutations:
        sections["mutation"] = mutations
    return replace(system, sections=sections | tables, not_kept=notes.texts())


def _require_hard_charges(
    system: System,
    asked: FreeEnergy,
    groups: dict[tuple[str, str, float, float | None, bool], set[int]],
) -> None:
    for (_, _, charge, _, is_changed), atoms in groups.items():
        if not asked.has_soft_charges or not is_changed:
            continue
        if charge or any(system.atoms[k].charge for k in atoms):
            asked.fail_at_soft_charges()


def _tables(terms: dict[str, list[Changed]]) -> dict[str, list[dict[str, Any]]]:
    """`[[mutated_term]]`s, constraints and pairs of molecules; those that are alike become one."""
    alike: dict[tuple[str, str, tuple], list[list[int]]] = {}
    for name, changed in terms.items():
        for one in changed:
            lists = alike.setdefault((one.section, name, one.keys), [])
            lists.append([atom + 1 for atom in one.atoms])
    tables: dict[str, list[dict[str, Any]]] = {}
    for (section, name, keys), lists in alike.items():
        atoms = lists if len(lists) > 1 else lists[0]
        made = {key: list(x) if isinstance(x, tuple) else x for key, x in keys}
        tables.setdefault(section, []).append({"molecule": name, "atoms": atoms} | made)
    return tables
