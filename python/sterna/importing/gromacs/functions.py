"""Functions of GROMACS's topologies: how many atoms and parameters a line has, and what it is.

Source: `ifunc.cpp`, `topdirs.cpp` and `toppush.cpp` of GROMACS 2026; manual, "Topology file".
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Function:
    """A row of GROMACS's table of interactions."""

    name: str  #: for messages
    parameters: int  #: number of parameters of state A
    parameters_b: int = 0  #: number of parameters of state B, which follow those of state A
    is_edge: bool = False  #: whether it joins atoms in the graph that nrexcl counts in
    types: str = ""  #: the section in which parameters are looked up
    list: int = 0  #: number of the list of types, if two functions share one; 0: its own number
    has_wildcards: bool = False  #: whether types may be X
    is_directed: bool = False  #: whether from the other end the first parameter is 1 less it


#: The functions by section and function type. Sections with one entry of function 0 take any.
FUNCTIONS: dict[str, dict[int, Function]] = {
    "bonds": {
        1: Function("harmonic bond", 2, 2, True, "bondtypes"),
        2: Function("G96 bond", 2, 2, True, "bondtypes"),
        3: Function("Morse bond", 3, 3, True, "bondtypes"),
        4: Function("cubic bond", 3, 0, True, "bondtypes"),
        5: Function("connection", 0, 0, True),
        6: Function("harmonic potential", 2, 2, False, "bondtypes"),
        7: Function("FENE bond", 2, 0, True, "bondtypes"),
        8: Function("tabulated bond", 2, 2, True, "bondtypes"),
        9: Function("tabulated bond without exclusion", 2, 2, False, "bondtypes"),
        10: Function("restraint potential", 4, 4, False, "bondtypes"),
    },
    "pairs": {
        1: Function("1-4 pair", 2, 2, types="pairtypes"),
        2: Function("1-4 pair with charges", 5, 0, types="pairtypes"),
    },
    "pairs_nb": {1: Function("pair with charges", 4)},
    "angles": {
        1: Function("harmonic angle", 2, 2, types="angletypes"),
        2: Function("G96 angle", 2, 2, types="angletypes"),
        3: Function("cross bond-bond", 3, types="angletypes"),
        4: Function("cross bond-angle", 4, types="angletypes"),
        5: Function("Urey-Bradley", 4, 4, types="angletypes"),
        6: Function("quartic angle", 6, types="angletypes"),
        8: Function("tabulated angle", 2, 2, types="angletypes"),
        9: Function("linear angle", 2, 2, types="angletypes", is_directed=True),
        10: Function("restricted bending", 2, 2, types="angletypes"),
    },
    "dihedrals": {
        1: Function("proper dihedral", 3, 3, types="dihedraltypes", list=1, has_wildcards=True),
        2: Function("improper dihedral", 2, 2, types="dihedraltypes", has_wildcards=True),
        3: Function("Ryckaert-Bellemans", 6, 6, types="dihedraltypes", has_wildcards=True),
        4: Function("periodic improper", 3, 3, types="dihedraltypes", has_wildcards=True),
        5: Function("Fourier dihedral", 4, 4, types="dihedraltypes"),
        8: Function("tabulated dihedral", 2, 2, types="dihedraltypes"),
        9: Function("proper dihedral", 3, 3, types="dihedraltypes", list=1, has_wildcards=True),
        10: Function("restricted dihedral", 2, 2, types="dihedraltypes"),
        11: Function("combined bending-torsion", 6, 6, types="dihedraltypes"),
    },
    "cmap": {1: Function("CMAP", 0, types="cmaptypes")},
    "constraints": {
        1: Function("constraint", 1, 1, True, "constrainttypes"),
        2: Function("constraint without exclusion", 1, 1, False, "constrainttypes"),
    },
    "settles": {1: Function("SETTLE", 2)},
    "virtual_sites1": {1: Function("virtual site", 0)},
    "virtual_sites2": {1: Function("virtual site 2", 1), 2: Function("virtual site 2fd", 1)},
    "virtual_sites3": {
        1: Function("virtual site 3", 2),
        2: Function("virtual site 3fd", 2),
        3: Function("virtual site 3fad", 2),
        4: Function("virtual site 3out", 3),
    },
    "virtual_sites4": {
        1: Function("virtual site 4fd", 3),
        2: Function("virtual site 4fdn", 3),
    },
    "position_restraints": {
        1: Function("position restraint", 3, 3),
        2: Function("flat-bottomed position restraint", 3),
    },
    "distance_restraints": {1: Function("distance restraint", 6)},
    "dihedral_restraints": {1: Function("dihedral restraint", 3, 3)},
    "orientation_restraints": {1: Function("orientation restraint", 6)},
    "angle_restraints": {1: Function("angle restraint", 3, 3)},
    "angle_restraints_z": {1: Function("angle restraint", 3, 3)},
    "polarization": {
        1: Function("polarization", 1, 0, True),
        2: Function("anharmonic polarization", 3, 0, True),
    },
    "water_polarization": {1: Function("water polarization", 6)},
    "thole_polarization": {1: Function("Thole polarization", 3)},
}

#: Atoms that a line of a section begins with.
MEMBERS = {
    "bonds": 2, "pairs": 2, "pairs_nb": 2, "angles": 3, "dihedrals": 4, "cmap": 5,
    "constraints": 2, "settles": 1, "virtual_sites1": 2, "virtual_sites2": 3, "virtual_sites3": 4,
    "virtual_sites4": 5, "position_restraints": 1, "distance_restraints": 2,
    "dihedral_restraints": 4, "orientation_restraints": 2, "angle_restraints": 4,
    "angle_restraints_z": 2, "polarization": 2, "water_polarization": 5, "thole_polarization": 4,
}  # fmt: skip

#: The section of molecules whose functions a section of types has, and atoms of a line of it.
TYPE_SECTIONS = {
    "bondtypes": ("bonds", 2),
    "constrainttypes": ("constraints", 2),
    "angletypes": ("angles", 3),
    "dihedraltypes": ("dihedrals", 4),
}

#: Told of lines with parameters of a state B, unless they are the same as those of state A.
STATE_B = "parameters of a perturbed state B are ignored, as GROMACS does without free energy"
#: Likewise of a line of `[ pairtypes ]`, `[ bondtypes ]` and the others.
STATE_B_OF_TYPES = f"{STATE_B} (of types)"
