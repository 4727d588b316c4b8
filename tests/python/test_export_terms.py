"""Bonded terms as lines of other programs: what the importers make of these is the term again."""

from pathlib import Path

import pytest
from sterna.exporting.gromacs.terms import line_of_term
from sterna.exporting.lammps_terms import TERMS
from sterna.exporting.quantities import Quantities
from sterna.importing.gromacs.bonded import terms_of
from sterna.importing.gromacs.topology import Entry
from sterna.importing.lammps.bonded_rows import Coefficients
from sterna.importing.lammps.bonded_styles import STYLES
from sterna.importing.text import Line

#: Of sections: potentials with their parameters, in the units of the program.
OF_LAMMPS = [
    ("bond", {"potential": "shifted_harmonic", "depth": 40.0, "r0": 1.5, "r_zero": 2.5}),
    ("bond", {"potential": "shifted_harmonic", "depth": 40.0, "r0": 1.5, "r_zero": 2.5,
              "cutoff": 2.5}),
    ("bond", {"potential": "nonlinear", "stiffness": 40.0, "r0": 1.5, "extension": 0.5}),
    ("angle", {"potential": "stretch_stretch", "stretch_stretch": 20.0, "r1": 1.4, "r2": 1.5}),
    ("angle", {"potential": "stretch_bend", "stretch_bend_1": 20.0, "stretch_bend_2": -5.0,
               "r1": 1.4, "r2": 1.5, "theta0": 110.0}),
    ("angle", {"potential": "cosine_exponential", "depth": 5.0, "theta0": 110.0,
               "steepness": -2.0}),
    ("torsion", {"potential": "cosine_exponential", "depth": 5.0, "phi0": -60.0,
                 "steepness": 2.0}),
    ("torsion", {"potential": "spherical", "amplitude": 5.0, "n_phi": 2, "shift_phi": 30.0,
                 "offset_phi": 1.0, "n_theta1": 1, "shift_theta1": 90.0, "offset_theta1": 0.5,
                 "n_theta2": 0, "shift_theta2": 0.0, "offset_theta2": 0.3}),
    ("improper", {"potential": "unsigned_harmonic", "bending_stiffness": 50.0, "phi0": 35.0}),
    ("improper", {"potential": "inversion_cosine", "c0": 5.0, "c1": -7.0, "c2": 2.0}),
    ("improper", {"potential": "plane_distance", "c0": 0.0, "k1": 0.0, "k2": 30.0, "k4": 12.0}),
]  # fmt: skip
OF_GROMACS = [
    ("angle", {"potential": "stretch_stretch", "stretch_stretch": 20.0, "r1": 0.14, "r2": 0.15}),
    ("angle", {"potential": "stretch_outer", "stretch_stretch": 20.0, "r1": 0.14, "r2": 0.15,
               "r3": 0.25}),
    ("angle", {"potential": "linear", "stiffness": 900.0, "share": 0.3}),
    ("torsion", {"potential": "flat_bottom", "bending_stiffness": 50.0, "phi0": -60.0,
                 "half_width": 15.0}),
    ("improper", {"potential": "vector_angle", "amplitude": 5.0, "multiplicity": 3,
                  "phase": 40.0}),
]  # fmt: skip


def agrees(found, table):
    assert found.keys() == table.keys()
    for key, value in table.items():
        assert found[key] == (value if isinstance(value, str) else pytest.approx(value)), key


@pytest.mark.parametrize(("section", "table"), OF_LAMMPS)
def test_a_style_of_lammps_is_the_term_again(section, table):
    kind, convert = TERMS[section, table["potential"]]
    style, numbers = convert(table, Quantities("real", "real", 0.1, 4.184))
    fields = [str(number) for number in numbers]
    coefficients = Coefficients(Line(Path("line"), 1, " ".join(fields)), fields, 0)
    (found,) = STYLES[kind][style](coefficients)
    coefficients.end()
    assert (found.section, found.order) in ((section, ()), (section, (0, 1, 2, 3)))
    agrees(found.parameters, table)


@pytest.mark.parametrize(("section", "table"), OF_GROMACS)
def test_a_function_of_gromacs_is_the_term_again(section, table):
    given = Quantities("nano", "nano", 1.0, 1.0)
    name, function, values = line_of_term(section, "molecule", table, given)
    atoms = {"angle": (0, 1, 2)}.get(section, (0, 1, 2, 3))
    text = " ".join(map(str, (*atoms, function, *values)))
    entry = Entry(name, function, atoms, tuple(values), Line(Path("line"), 1, text))
    (found,) = terms_of(entry, None, None)
    assert (found.section, found.atoms) == (section, atoms)
    agrees(dict(found.parameters), table)
