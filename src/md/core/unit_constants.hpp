#pragma once

/// Published units in the program's internal units: nm, ps, u (1 g/mol divided by N_A), kJ/mol, K
/// and the elementary charge. CODATA 2018 (Tiesinga et al., Rev. Mod. Phys. 93, 025010 (2021)); k,
/// N_A, e and c are exact.
namespace sterna::md::unit {

constexpr double boltzmann_J = 1.380649e-23;              // J/K
constexpr double avogadro = 6.02214076e23;                // 1/mol
constexpr double elementary_charge = 1.602176634e-19;     // C
constexpr double vacuum_permittivity = 8.8541878128e-12;  // F/m
constexpr double speed_of_light = 299792458.0;            // m/s
constexpr double hartree_J = 4.3597447222071e-18;         // J
constexpr double bohr = 0.0529177210903;                  // nm
constexpr double angstrom = 0.1;                          // nm
constexpr double calorie = 4.184;                         // J, thermochemical
constexpr double pi = 3.14159265358979323846;

constexpr double joule = avogadro / 1e3;                    // kJ/mol
constexpr double kelvin = boltzmann_J * joule;              // kJ/mol: k times 1 K
constexpr double electronvolt = elementary_charge * joule;  // kJ/mol
constexpr double kcal_per_mol = calorie;                    // kJ/mol
constexpr double pascal = joule * 1e-27;                    // kJ/mol/nm^3
constexpr double mol_per_l = avogadro * 1e-24;              // 1/nm^3
/// 10^-18 statcoulomb centimeter, by definition of the unit.
constexpr double debye = 1e-21 / speed_of_light / elementary_charge * 1e9;  // e nm
/// 1/(4 pi epsilon_0): the energy of two elementary charges 1 nm apart.
constexpr double coulomb = elementary_charge * elementary_charge * joule /
                           (4.0 * pi * vacuum_permittivity * 1e-9);  // kJ/mol nm/e^2

}  // namespace sterna::md::unit
