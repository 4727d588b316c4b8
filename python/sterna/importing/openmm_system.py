"""A system that OpenMM read, for an input in the units "nano", which are OpenMM's."""

import re
from typing import Any

from sterna.errors import SternaError
from sterna.importing.forces import name_of, nonbonded_of, number, terms_of
from sterna.importing.lennard_jones import NO_WELL, PairsOfTypes, custom_nonbonded_of
from sterna.importing.sources import Source, openmm
from sterna.importing.system import Atom, Residue, System


def system_of(source: Source) -> System:
    """Raises SternaError, naming the features that Sterna lacks."""
    try:
        return _taken_over(source)
    except openmm().OpenMMException as error:
        raise SternaError(f"the system contradicts itself: {error}", status=2) from error


def _taken_over(source: Source) -> System:
    terms = terms_of(source)
    nonbonded = nonbonded_of(source.system)
    custom = custom_nonbonded_of(source.system, nonbonded)
    topology = list(source.topology.atoms())
    residues = _residues(source)
    types: dict[tuple, str] = {}
    counts: dict[str, int] = {}
    atoms = []
    for atom in topology:
        charge, sigma, epsilon = map(number, nonbonded.getParticleParameters(atom.index))
        mass = number(source.system.getParticleMass(atom.index))
        parameters = () if custom is None else tuple(custom.getParticleParameters(atom.index))
        # Without a well the size has no meaning, and other programs give anything.
        key = (mass, *((sigma, epsilon) if epsilon > 0.0 else NO_WELL), parameters)
        if key not in types:
            symbol = atom.element.symbol if atom.element else "X"
            counts[symbol] = counts.get(symbol, 0) + 1
            types[key] = f"{symbol}{counts[symbol]}"
        atoms.append(Atom(atom.name, types[key], charge, residues[atom.residue.index]))
    pairs = PairsOfTypes(custom, list(types))
    names = list(types.values())
    pairs.find(names)
    has_charges = any(atom.charge for atom in atoms)
    constrained = source.system.getNumConstraints() > 0

    def molecule_name(members: list[int]) -> str:
        residues = {topology[k].residue.index for k in members}
        first = topology[members[0]].residue
        name = (
            first.name
            if len(residues) == 1
            else f"chain_{first.chain.id.strip() or first.chain.index + 1}"
        )
        # The name becomes part of the name of a file.
        return re.sub(r"[^A-Za-z0-9_+-]", "_", name)

    return System(
        units="nano",
        atoms=atoms,
        types=[
            {"name": name, "mass": key[0], "sigma": sigma, "epsilon": epsilon}
            for (key, name), (sigma, epsilon) in zip(types.items(), pairs.parameters, strict=True)
        ],
        pairs=[
            {"first": names[a], "second": names[b], "sigma": sigma, "epsilon": epsilon}
            for (a, b), (sigma, epsilon) in pairs.others.items()
        ],
        terms=terms,
        joined=[(first.index, second.index) for first, second in source.topology.bonds()],
        box=source.box,
        positions=source.positions,
        velocities=None,
        interaction=_interaction(nonbonded if custom is None else custom)
        | ({} if pairs.mixing == "lorentz_berthelot" else {"mixing": pairs.mixing}),
        electrostatics={"kind": "fmm", "accuracy": 1e-4} if has_charges else None,
        run={"steps": 10000, "timestep": 0.002 if constrained else 0.0005},
        thermostat={
            "kind": "stochastic_velocity_rescaling",
            "temperature": 300.0,
            "time_constant": 0.1,
        },
        temperature=300.0,
        molecule_name=molecule_name,
        atom_name=lambda atom: name_of(source, atom),
        molecule_keys={"excluded_bonds": 0},
        not_kept=[*source.notes, *_insertion_codes(source)],
    )


def _insertion_codes(source: Source) -> list[str]:
    """Returns notes for the user if insertion codes are no letters, as Sterna's are."""
    found = [r for r in source.topology.residues() if not _is_letter(_insertion_code(r))]
    if not found:
        return []
    first, more = found[0], len(found) - 1
    name = f"{first.name} {first.id}{_insertion_code(first)}"
    others = f" and {more} other{'s' if more > 1 else ''}" if more else ""
    return [f"the insertion code of residue {name}{others} is not kept, only the number"]


def _insertion_code(residue: Any) -> str:
    """Without digits: programs such as VMD continue long numbers of residues in its column."""
    code = residue.insertionCode.strip()
    return "" if code.isdigit() else code


def _is_letter(code: str) -> bool:
    return code == "" or (len(code) == 1 and code.isascii() and code.isalpha())


def _residues(source: Source) -> list[Residue]:
    """Names, numbers and chains as the file has them."""
    # If a file has no chains, OpenMM counts them.
    has_chains = any(c.id != str(c.index + 1) for c in source.topology.chains())
    made: list[Residue] = []
    for residue in source.topology.residues():
        # Beyond 9999, where a PDB file has no digits left, programs write letters.
        try:
            code = residue.insertionCode.strip()
            number = int(residue.id + (code if code.isdigit() else ""))
        except ValueError:
            number = made[-1].number + 1 if made else 1
        chain = re.sub(r"[\s:,]", "_", residue.chain.id.strip()) if has_chains else ""
        code = _insertion_code(residue)
        made.append(Residue(residue.name.strip(), number, chain, code if _is_letter(code) else ""))
    return made


def _interaction(force: Any) -> dict[str, Any]:
    """Returns the section for the force that has the Lennard-Jones pairs."""
    interaction: dict[str, Any] = {
        "cutoff": number(force.getCutoffDistance()),
        "truncation": "truncated",
    }
    if force.getUseSwitchingFunction():
        interaction |= {
            "truncation": "quintic_switched",
            "switch_start": number(force.getSwitchingDistance()),
        }
    corrects = (
        force.getUseDispersionCorrection
        if hasattr(force, "getUseDispersionCorrection")
        else force.getUseLongRangeCorrection
    )
    if corrects():
        interaction["tail_correction"] = "homogeneous"
    return interaction
