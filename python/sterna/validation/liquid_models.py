"""Liquids of published molecular models, and what is published of them at one state.

The models' parameters stand in the inputs below with their sources. Lengths in nm, energies in
kJ/mol, masses in u, charges in e, as `units = "nano"` has them.
"""

from dataclasses import dataclass, field

import numpy

from sterna.support.constants import KJ_MOL_PER_K
from sterna.validation import ethanol

KCAL = 4.184  # kJ


@dataclass(frozen=True)
class Published:
    """A value with what is allowed for it as a standard deviation, and where it is from."""

    value: float
    uncertainty: float
    source: str


@dataclass(frozen=True)
class Liquid:
    """A model of a liquid, the state, and what is published of it.

    `model` is TOML: interaction, charges, types or components, and molecules with `{count}`.
    `shape` are places of a molecule's atoms, (atoms, 3) in nm; None: rigid molecules that the
    engine places itself. `gas_energy` is the mean potential energy of a molecule by itself in
    kJ/mol where it is known without a run: 0 for rigid ones.
    """

    name: str
    model: str
    molecules: int
    mass: float  #: mass of a molecule
    temperature: float  #: K
    pressure: str
    bulk_modulus: str  #: a guess, for the barostat
    timestep: float  #: ps
    density: Published  #: g/cm^3
    heat_of_vaporization: Published  #: kJ/mol, less `polarization`
    #: potential energy of the liquid, kJ/mol per molecule
    potential_energy: Published | None = None
    polarization: float = 0.0  #: energy that polarizes a molecule in the liquid, kJ/mol
    gas_energy: float | None = 0.0
    gas_steps: int = 0  #: steps of the gas for each step of the liquid
    slowness: int = 1  #: how many times as many steps the liquid needs as water does
    types: tuple[str, ...] = ()  #: types of a molecule's atoms
    shape: numpy.ndarray | None = field(default=None, compare=False)


def _from_liquid(energy: float, gas: float, temperature: float, polarization: float = 0.0) -> float:
    """The heat of vaporization to an ideal gas; the liquid's volume is nothing beside the gas's."""
    return gas - energy + KJ_MOL_PER_K * temperature - polarization


_WATER = """\
[interaction]
cutoff = 0.9
truncation = "truncated"
tail_correction = "homogeneous"

[electrostatics]
kind = "fmm"
"""

# Berendsen, Grigera and Straatsma, J. Phys. Chem. 91, 6269 (1987), who give the polarization.
# Published: Craven et al., J. Chem. Eng. Data 70, 2178 (2025), 1100 molecules, cutoff 0.9 nm with
# tail corrections: densities of six programs are 0.9977 to 0.9980; the energy is the mean of
# GROMACS, Cassandra and MCCCS-MN, of -46.709, -46.708 and -46.703. Allowed are the spread, and
# for the energy what a time step of 1 fs does to the temperature of librations.
_SPCE_ENERGY = -46.706
_SPCE_POLARIZATION = 5.22
SPCE = Liquid(
    name="spce",
    model=_WATER + '\n[[component]]\nname = "water"\nmodel = "spce"\n',
    molecules=512,
    mass=18.015,
    temperature=300.0,
    pressure="101.325 kPa",
    bulk_modulus="2.2 GPa",
    timestep=0.001,
    density=Published(0.9979, 0.0003, "Craven 2025"),
    potential_energy=Published(_SPCE_ENERGY, 0.03, "Craven 2025"),
    heat_of_vaporization=Published(
        _from_liquid(_SPCE_ENERGY, 0.0, 300.0, _SPCE_POLARIZATION), 0.03, "Craven 2025"
    ),
    polarization=_SPCE_POLARIZATION,
)

# Abascal and Vega, J. Chem. Phys. 123, 234505 (2005), who give density and heat of vaporization at
# 298 K and 1 bar, the latter without the polarization. Allowed are a tenth of a percent, as
# densities of other authors differ, and 0.4 %.
TIP4P_2005 = Liquid(
    name="tip4p_2005",
    model=_WATER + '\n[[component]]\nname = "water"\nmodel = "tip4p_2005"\n',
    molecules=512,
    mass=18.015,
    temperature=298.0,
    pressure="1 bar",
    bulk_modulus="2.2 GPa",
    timestep=0.001,
    density=Published(0.9979, 0.001, "Abascal 2005"),
    heat_of_vaporization=Published(50.17, 0.2, "Abascal 2005"),
)

# Jorgensen et al., J. Chem. Phys. 79, 926 (1983): A = 582000 kcal/mol A^12, C = 595 kcal/mol A^6.
# Published with charges at any distance: densities of 0.98 to 0.985 (Vega and Abascal, Phys. Chem.
# Chem. Phys. 13, 19663 (2011), and others); heats of vaporization of 10.05 (there), 10.07 (Wang,
# Abel, Friesner and Berne, J. Chem. Theory Comput. 5, 1462 (2009)) and 10.09 kcal/mol (Shirts and
# Pande, J. Chem. Phys. 122, 134508 (2005), as quoted there). How these runs ended the Lennard-Jones
# forces is not known: their table has -11.08 kcal/mol for SPC/E too, 0.1 above what programs agree
# on with tail corrections. The energy is that of GROMACS 2022.5 with this cutoff, tails and time
# step: 510 molecules, 130 ps, +-0.053.
_TIP3P_BOND = 0.09572
_TIP3P_HYDROGENS = 2.0 * _TIP3P_BOND * numpy.sin(numpy.radians(104.52 / 2.0))
TIP3P = Liquid(
    name="tip3p",
    model=_WATER
    + f"""
[[type]]
name = "OW"
mass = 15.999
sigma = 0.3150656
epsilon = 0.6362672

[[type]]
name = "HW"
mass = 1.008
sigma = 0.1
epsilon = 0

[[molecule]]
name = "water"
count = {{count}}
atom = [
  {{{{ type = "OW", charge = -0.834 }}}},
  {{{{ type = "HW", charge = 0.417 }}}},
  {{{{ type = "HW", charge = 0.417 }}}},
]
constraint = [
  {{{{ distance = {_TIP3P_BOND}, atoms = [[1, 2], [1, 3]] }}}},
  {{{{ distance = {_TIP3P_HYDROGENS}, atoms = [2, 3] }}}},
]
exclusion = [{{{{ atoms = [[1, 2], [1, 3], [2, 3]] }}}}]
""",
    molecules=512,
    mass=18.015,
    temperature=298.15,
    pressure="101.325 kPa",
    bulk_modulus="2 GPa",
    timestep=0.001,
    density=Published(0.9825, 0.0025, "0.98 to 0.985, Vega 2011 and others"),
    heat_of_vaporization=Published(10.07 * KCAL, 0.1 * KCAL, "Vega 2011, Wang 2009, Shirts 2005"),
    potential_energy=Published(-40.036, 0.053, "GROMACS, same settings"),
    types=("OW", "HW", "HW"),
    shape=numpy.array(
        [
            [0.0, 0.0, 0.0],
            [0.5 * _TIP3P_HYDROGENS, 0.058588, 0.0],
            [-0.5 * _TIP3P_HYDROGENS, 0.058588, 0.0],
        ]
    ),
)

# Martin and Siepmann, J. Phys. Chem. B 102, 2569 (1998): TraPPE, united atoms, bonds of fixed
# length. Published: Schappals et al., J. Chem. Theory Comput. 13, 4270 (2017), at 298 K and 5 MPa:
# the mean of GROMACS (two groups), ms2 (two groups), TOWHEE and DL_POLY, and their scatter. The
# energy of the gas is an integral over two angles and the torsion, which are independent.
_BUTANE_ENERGY = -12.494
_BUTANE_GAS = 5.065
BUTANE = Liquid(
    name="butane",
    model="""\
[interaction]
cutoff = 1.4
truncation = "truncated"
tail_correction = "homogeneous"

[[type]]
name = "CH3"
mass = 15.035
epsilon = "98 K"
sigma = 0.375

[[type]]
name = "CH2"
mass = 14.027
epsilon = "46 K"
sigma = 0.395

[[molecule]]
name = "butane"
count = {count}
constrained_bonds = "all"
atom = [
  {{ type = "CH3" }},
  {{ type = "CH2" }},
  {{ type = "CH2" }},
  {{ type = "CH3" }},
]
bond = [{{ potential = "harmonic", stiffness = 200000, r0 = 0.154, atoms = [
  [1, 2], [2, 3], [3, 4]] }}]
angle = [{{ potential = "harmonic", bending_stiffness = "62500 K", theta0 = 114, atoms = [
  [1, 2, 3], [2, 3, 4]] }}]
torsion = [{{ potential = "opls", v1 = "710.06 K", v2 = "-136.38 K", v3 = "1582.64 K", atoms = [
  1, 2, 3, 4] }}]
""",
    molecules=300,
    mass=58.124,
    temperature=298.0,
    pressure="5 MPa",
    bulk_modulus="0.4 GPa",
    timestep=0.002,
    density=Published(0.5812, 0.0006, "Schappals 2017"),
    potential_energy=Published(_BUTANE_ENERGY, 0.03, "Schappals 2017"),
    heat_of_vaporization=Published(
        _from_liquid(_BUTANE_ENERGY, _BUTANE_GAS, 298.0), 0.03, "Schappals 2017, gas by integration"
    ),
    gas_energy=None,
    gas_steps=200,
    types=("CH3", "CH2", "CH2", "CH3"),
    shape=numpy.array(
        [
            [-0.19263, -0.04194, 0.0],
            [-0.06263, 0.04194, 0.0],
            [0.06263, -0.04194, 0.0],
            [0.19263, 0.04194, 0.0],
        ]
    ),
)

# Jorgensen, Maxwell and Tirado-Rives, J. Am. Chem. Soc. 118, 11225 (1996): OPLS-AA; bonds have
# fixed lengths here. Published: Craven et al., J. Chem. Eng. Data 70, 2178 (2025), 500 molecules,
# cutoff 1 nm with tail corrections: densities of Cassandra, GOMC, MCCCS-MN and, with O-H bonds of
# fixed length, LAMMPS, of 0.7913 to 0.7914; energies of Cassandra and MCCCS-MN. The energy of the
# gas is that of OpenMM, 20.022 +- 0.019 (tests/python/openmm_molecule.py ethanol 60000000).
_ETHANOL_ENERGY = -19.251
_ETHANOL_GAS = 20.02
ETHANOL = Liquid(
    name="ethanol",
    model="""\
[interaction]
cutoff = 1.0
truncation = "truncated"
mixing = "geometric"
tail_correction = "homogeneous"

[electrostatics]
kind = "fmm"

"""
    + ethanol.TYPE_SECTIONS
    + """
[[molecule]]
name = "ethanol"
count = {count}
constrained_bonds = "all"
"""
    + ethanol.MOLECULE,
    molecules=216,
    mass=46.069,
    temperature=300.0,
    pressure="101.325 kPa",
    bulk_modulus="0.9 GPa",
    timestep=0.001,
    density=Published(0.7913, 0.0005, "Craven 2025"),
    potential_energy=Published(_ETHANOL_ENERGY, 0.05, "Craven 2025"),
    heat_of_vaporization=Published(
        _from_liquid(_ETHANOL_ENERGY, _ETHANOL_GAS, 300.0), 0.05, "Craven 2025, gas by OpenMM"
    ),
    gas_energy=None,
    gas_steps=20,
    slowness=4,
    types=ethanol.TYPES,
    shape=ethanol.SHAPE,
)

LIQUIDS = {liquid.name: liquid for liquid in (TIP3P, SPCE, TIP4P_2005, BUTANE, ETHANOL)}
