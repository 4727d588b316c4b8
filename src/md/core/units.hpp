#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace sterna::md {

/// The physical quantity that a number in the input or the output measures.
enum class Dimension {
  none,
  length,
  time,
  mass,
  energy,
  temperature,
  velocity,
  force,
  pressure,
  surface_tension,
  viscosity,
  diffusion,       ///< length^2 / time
  number_density,  ///< particles per volume
  mass_density,    ///< mass per volume
  charge,
  dipole_moment,      ///< charge times length
  quadrupole_moment,  ///< charge times length squared
  moment_of_inertia,  ///< mass times length squared
  angular_momentum,   ///< mass times length times velocity
  acceleration,
  stiffness,       ///< force per length
  electric_field,  ///< force per charge
  inverse_length,
  energy_length,    ///< energy times length, for screened charges
  energy_length_6,  ///< energy times length^6, for dispersion
  energy_length_8,
  energy_per_length_3,  ///< coefficient of the cubic term of a bond's energy
  energy_per_length_4,
  energy_rate,  ///< energy per time
};

/// The quantity with its article, for messages: "a length", "an energy", "a number".
std::string_view dimension_noun(Dimension dimension);

/// The program computes in one consistent set of internal units: either reduced Lennard-Jones units
/// (where everything is 1, Boltzmann's constant too), or nm, ps, u, kJ/mol, K, e. Since u nm^2/ps^2
/// = kJ/mol, equations of motion need no conversion factor. A unit system says in which units the
/// plain numbers of an input file are. Numbers are converted only when they are read or written.
///
/// Constants: CODATA 2018, see unit_constants.hpp. The mass unit is 1 g/mol divided by N_A, which
/// is u to 3e-10. Reduced charges are in units of sqrt(4 pi epsilon_0 sigma epsilon).
class UnitSystem {
 public:
  struct Definition;

  /// "reduced" (also "lj"), "nano" (nm, ps, u, kJ/mol, bar), "metal" (angstrom, ps, u, eV, bar),
  /// "real" (angstrom, fs, u, kcal/mol, atm); K everywhere. Nothing for another name.
  static std::optional<UnitSystem> by_name(std::string_view name);
  static std::span<const std::string_view> names();

  std::string_view name() const;
  bool is_reduced() const;
  /// Boltzmann's constant in internal units: 1, or 0.00831446261815324 kJ/mol/K.
  double boltzmann() const;
  /// 1/(4 pi epsilon_0) in internal units: 1, or 138.935 kJ/mol nm/e^2.
  double coulomb() const;

  double to_internal(double value, Dimension dimension) const;
  double from_internal(double value, Dimension dimension) const;
  /// The name of the unit, such as "angstrom"; empty in reduced units and without a dimension.
  std::string_view label(Dimension dimension) const;
  /// An internal value with its unit, as a person would write it: "2 fs"; in reduced units "0.005".
  std::string text(double internal_value, Dimension dimension) const;

  /// Either the internal value of a text such as "2 fs", "300 K" or "18 mol/l", or an error. An
  /// energy may be given as a temperature: "119.8 K" is k times 119.8 K. A number without a unit is
  /// an error here, and so is every text in reduced units.
  struct Quantity {
    double value = 0.0;
    std::string error;  ///< empty if the text was valid
  };
  Quantity parse(std::string_view text, Dimension dimension) const;
  /// The unit names that messages offer for this dimension, such as "fs", "ps", "ns". `parse`
  /// accepts other spellings ("A", "amu", "L"), too.
  static std::span<const std::string_view> unit_names(Dimension dimension);

 private:
  explicit UnitSystem(const Definition* definition) : definition_(definition) {}

  const Definition* definition_;
};

}  // namespace sterna::md
