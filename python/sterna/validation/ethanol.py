"""Ethanol of OPLS-AA: W. L. Jorgensen, D. S. Maxwell and J. Tirado-Rives, J. Am. Chem. Soc. 118,
11225 (1996). Texts are parts of inputs that `str.format` completes, so braces are doubled.
"""

import numpy

TYPES = ("CT", "HC", "HC", "HC", "CT", "HC", "HC", "OH", "HO")  #: of the molecule's atoms

#: Places of the atoms relative to the center, (9, 3) in nm.
SHAPE = numpy.array(
    [
        [-0.1016, -0.0180, 0.0000],
        [-0.1401, 0.0330, -0.0883],
        [-0.1401, -0.1200, 0.0000],
        [-0.1401, 0.0330, 0.0883],
        [0.0513, -0.0180, 0.0000],
        [0.0898, -0.0690, -0.0883],
        [0.0898, -0.0690, 0.0883],
        [0.0983, 0.1149, 0.0000],
        [0.1928, 0.1132, 0.0000],
    ]
)

#: The [[type]]s.
TYPE_SECTIONS = """\
[[type]]
name = "CT"
mass = 12.011
sigma = 0.35
epsilon = 0.276144

[[type]]
name = "HC"
mass = 1.008
sigma = 0.25
epsilon = 0.12552

[[type]]
name = "OH"
mass = 15.9994
sigma = 0.312
epsilon = 0.71128

[[type]]
name = "HO"
mass = 1.008
sigma = 0.1
epsilon = 0
"""

#: A [[molecule]] behind its name, count and constraints.
MOLECULE = """\
lennard_jones_14 = 0.5
coulomb_14 = 0.5
atom = [
  {{ name = "C1", type = "CT", charge = -0.18 }},
  {{ name = "H11", type = "HC", charge = 0.06 }},
  {{ name = "H12", type = "HC", charge = 0.06 }},
  {{ name = "H13", type = "HC", charge = 0.06 }},
  {{ name = "C2", type = "CT", charge = 0.145 }},
  {{ name = "H21", type = "HC", charge = 0.06 }},
  {{ name = "H22", type = "HC", charge = 0.06 }},
  {{ name = "O", type = "OH", charge = -0.683 }},
  {{ name = "HO", type = "HO", charge = 0.418 }},
]
bond = [
  {{ potential = "harmonic", stiffness = 224262.4, r0 = 0.1529, atoms = [1, 5] }},
  {{ potential = "harmonic", stiffness = 284512, r0 = 0.109, atoms = [
    [1, 2], [1, 3], [1, 4], [5, 6], [5, 7]] }},
  {{ potential = "harmonic", stiffness = 267776, r0 = 0.141, atoms = [5, 8] }},
  {{ potential = "harmonic", stiffness = 462750.4, r0 = 0.0945, atoms = [8, 9] }},
]
angle = [
  {{ potential = "harmonic", bending_stiffness = 276.144, theta0 = 107.8, atoms = [
    [2, 1, 3], [2, 1, 4], [3, 1, 4], [6, 5, 7]] }},
  {{ potential = "harmonic", bending_stiffness = 313.8, theta0 = 110.7, atoms = [
    [5, 1, 2], [5, 1, 3], [5, 1, 4], [1, 5, 6], [1, 5, 7]] }},
  {{ potential = "harmonic", bending_stiffness = 418.4, theta0 = 109.5, atoms = [1, 5, 8] }},
  {{ potential = "harmonic", bending_stiffness = 292.88, theta0 = 109.5, atoms = [
    [6, 5, 8], [7, 5, 8]] }},
  {{ potential = "harmonic", bending_stiffness = 460.24, theta0 = 108.5, atoms = [5, 8, 9] }},
]
torsion = [
  {{ potential = "opls", v1 = 0, v2 = 0, v3 = 1.2552, atoms = [
    [2, 1, 5, 6], [2, 1, 5, 7], [3, 1, 5, 6], [3, 1, 5, 7], [4, 1, 5, 6], [4, 1, 5, 7]] }},
  {{ potential = "opls", v1 = 0, v2 = 0, v3 = 1.9581, atoms = [
    [2, 1, 5, 8], [3, 1, 5, 8], [4, 1, 5, 8]] }},
  {{ potential = "opls", v1 = -1.4895, v2 = -0.728, v3 = 2.0585, atoms = [1, 5, 8, 9] }},
  {{ potential = "opls", v1 = 0, v2 = 0, v3 = 1.8828, atoms = [[6, 5, 8, 9], [7, 5, 8, 9]] }},
]
"""
