"""A system of another program during its import: readers make it, and writers turn it into an
input.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy

if TYPE_CHECKING:
    from sterna.importing.bodies import Bodies


@dataclass(frozen=True)
class Term:
    """One table of a section `[[molecule.section]]`; `parameters` are its keys and values."""

    section: str
    atoms: tuple[int, ...]  #: atoms of the system, from 0
    parameters: tuple[tuple[str, Any], ...]


#: Terms that are others if their atoms are listed from the other end.
DIRECTED = {
    *(("angle", potential) for potential in
      ("stretch_stretch", "stretch_bend", "stretch_outer", "linear")),
    *(("torsion", potential) for potential in
      ("stretch_torsion", "bend_torsion", "bend_bend_torsion", "stretch_stretch", "spherical")),
    *(("improper", potential) for potential in
      ("inversion", "inversion_cosine", "wilson", "plane_distance", "ring", "angle_angle")),
}  # fmt: skip


def term(section: str, atoms: tuple[int, ...], **parameters: Any) -> Term:
    # Most are the same from either end: alike in all molecules of a kind.
    is_directed = (
        section in ("cmap", "virtual_site")
        or (section, parameters.get("potential", "")) in DIRECTED
    )
    if not is_directed and atoms[-1] < atoms[0]:
        atoms = atoms[::-1]
    return Term(section, atoms, tuple(parameters.items()))


#: Keys that an energy is proportional to, by section and potential. Terms that agree in all other
#: keys become one term with their sum.
PROPORTIONAL = {
    ("bond", "harmonic"): ("stiffness",),
    ("bond", "morse"): ("depth",),
    ("bond", "fene"): ("stiffness", "epsilon"),
    ("bond", "gromos"): ("stiffness",),
    ("bond", "polynomial"): ("stiffness", "k3", "k4"),
    ("bond", "flat_bottom"): ("stiffness",),
    ("angle", "harmonic"): ("bending_stiffness",),
    ("angle", "urey_bradley"): ("stiffness",),
    ("angle", "cosine_polynomial"): (*(f"c{n}" for n in range(7)), "s1"),
    ("angle", "polynomial"): tuple(f"c{n}" for n in range(7)),
    ("angle", "cosine_squared"): ("bending_stiffness",),
    ("angle", "restricted"): ("bending_stiffness",),
    ("torsion", "periodic"): ("amplitude",),
    ("torsion", "opls"): tuple(f"v{n}" for n in range(1, 5)),
    ("torsion", "ryckaert_bellemans"): tuple(f"c{n}" for n in range(6)),
    ("torsion", "restricted"): ("bending_stiffness",),
    ("torsion", "bending_torsion"): tuple(f"c{n}" for n in range(5)),
    ("improper", "harmonic"): ("bending_stiffness",),
    ("improper", "periodic"): ("amplitude",),
    ("bond", "shifted_harmonic"): ("depth",),
    ("bond", "nonlinear"): ("stiffness",),
    ("bond", "gaussian"): ("thermal_energy",),
    ("angle", "stretch_stretch"): ("stretch_stretch",),
    ("angle", "stretch_bend"): ("stretch_bend_1", "stretch_bend_2"),
    ("angle", "stretch_outer"): ("stretch_stretch",),
    ("angle", "linear"): ("stiffness",),
    ("angle", "cosine_exponential"): ("depth",),
    ("angle", "gaussian"): ("thermal_energy",),
    ("torsion", "cosine_exponential"): ("depth",),
    ("torsion", "flat_bottom"): ("bending_stiffness",),
    ("torsion", "stretch_torsion"): tuple(
        f"{bond}_{n}" for bond in ("first", "middle", "last") for n in range(1, 4)
    ),
    ("torsion", "bend_torsion"): tuple(
        f"bend_{bond}_{n}" for bond in ("first", "last") for n in range(1, 4)
    ),
    ("torsion", "bend_bend_torsion"): ("bend_bend",),
    ("torsion", "stretch_stretch"): ("stretch_stretch",),
    ("torsion", "spherical"): ("amplitude",),
    ("improper", "unsigned_harmonic"): ("bending_stiffness",),
    ("improper", "inversion"): ("bending_stiffness",),
    ("improper", "inversion_cosine"): tuple(f"c{n}" for n in range(3)),
    ("improper", "wilson"): ("bending_stiffness",),
    ("improper", "plane_distance"): ("c0", *(f"k{n}" for n in range(1, 5))),
    ("improper", "ring"): ("bending_stiffness",),
    ("improper", "angle_angle"): ("m2", "m3", "m4"),
    ("improper", "vector_angle"): ("amplitude",),
}


def summed(terms: list[Term]) -> list[Term]:
    """Returns the terms with one in place of several of the same atoms whose energies differ by a
    factor only.
    """
    found: dict[tuple, Term] = {}
    for n, one in enumerate(terms):
        values = dict(one.parameters)
        sums = PROPORTIONAL.get((one.section, values.get("potential", "")), ())
        key: tuple = (n,)
        if sums:
            others = tuple(item for item in one.parameters if item[0] not in sums)
            key = (one.section, one.atoms, others)
        if key in found:
            before = dict(found[key].parameters)
            for name in sums:
                if name in values or name in before:
                    values[name] = values.get(name, 0.0) + before.get(name, 0.0)
            one = Term(one.section, one.atoms, tuple(values.items()))
        found[key] = one
    return list(found.values())


@dataclass(frozen=True)
class Residue:
    """The name of a part of a molecule, or of a small molecule, in the file."""

    name: str
    number: int
    chain: str  #: or segment; may be empty
    insertion_code: str = ""  #: a letter behind the number


@dataclass(frozen=True)
class Atom:
    name: str
    type: str
    charge: float | None  #: None: that of the sites of a component
    residue: Residue | None = None  #: the residue, if the file has residues


@dataclass(frozen=True)
class Reference:
    """The positions at which position restraints hold atoms."""

    positions: numpy.ndarray  #: (atoms, 3)
    box: numpy.ndarray  #: its vectors as rows


@dataclass
class System:
    """The atoms, their interactions and positions; numbers in `units`, angles in degrees."""

    units: str
    atoms: list[Atom]
    types: list[dict[str, Any]]  #: `[[type]]`s
    pairs: list[dict[str, Any]]  #: `[[pair]]`s
    terms: list[Term]
    joined: list[tuple[int, int]]  #: atoms of one molecule, whether or not a term joins them
    box: numpy.ndarray  #: its vectors as rows
    positions: numpy.ndarray  #: (atoms, 3)
    velocities: numpy.ndarray | None  #: (atoms, 3)
    interaction: dict[str, Any]
    electrostatics: Mapping[str, Any] | None
    run: Mapping[str, Any]
    thermostat: Mapping[str, Any]  #: empty: none
    temperature: float | None  #: temperature of velocities to draw
    molecule_name: Callable[[list[int]], str]  #: name of a molecule of these atoms
    atom_name: Callable[[int], str]  #: for messages
    can_reorder: bool = False  #: true if the order of atoms has no meaning
    molecule_keys: Mapping[str, Any] = field(default_factory=dict)  #: keys of each `[[molecule]]`
    #: parts of the file that are not kept, for the user to know
    not_kept: list[str] = field(default_factory=list)
    #: Position restraints: atoms, from 0, and their stiffness along each axis.
    restraints: list[tuple[int, tuple[float, float, float]]] = field(default_factory=list)
    reference: Reference | None = None  #: positions at which they hold atoms; None: the start's
    reference_scaling: str | None = None  #: scaling of these positions under a barostat
    restraint_virial: str = "counted"  #: "ignored" where the other program leaves it out
    barostat: Mapping[str, Any] = field(default_factory=dict)  #: empty: none
    sections: Mapping[str, Any] = field(default_factory=dict)  #: further ones of the input
    #: Files of parameters that `[interaction]` names, by their keys; they are copied beside the input.
    parameter_files: Mapping[str, Path] = field(default_factory=dict)
    #: Which of its "atoms" are rigid molecules, whose type is a component; None: there are none.
    bodies: "Bodies | None" = None
