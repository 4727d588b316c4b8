#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace sterna::md {

/// What a number in the input or the output measures.
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
  number_density,  ///< particles per volume
};

/// Inside, the program computes in one consistent set: either reduced Lennard-Jones units (where
/// everything, Boltzmann's constant too, is 1), or nm, ps, u, kJ/mol, K, e - in which
/// u nm^2/ps^2 = kJ/mol, so no factor appears in an equation of motion. A unit system says what
/// the plain numbers of an input file mean and converts at the edge only.
class UnitSystem {
 public:
  /// "reduced", "nano" (nm, ps, u, kJ/mol, bar), "metal" (angstrom, ps, u, eV, bar),
  /// "real" (angstrom, fs, u, kcal/mol, atm); K everywhere. Nothing for another name.
  static std::optional<UnitSystem> by_name(std::string_view name);
  static std::span<const std::string_view> names();

  std::string_view name() const { return name_; }
  bool is_reduced() const;
  /// Boltzmann's constant in internal units: 1, or 0.00831446261815324 kJ/mol/K.
  double boltzmann() const;

  double to_internal(double value, Dimension dimension) const;
  double from_internal(double value, Dimension dimension) const;
  /// "angstrom", "" where reduced or without dimension.
  std::string_view label(Dimension dimension) const;

  /// The internal value of a text such as "2 fs" or "300 K" or "18 mol/l", or the reason why it
  /// is not one. A plain number without unit is refused here.
  struct Quantity {
    double value = 0.0;
    std::string error;  ///< empty where value holds
  };
  Quantity parse(std::string_view text, Dimension dimension) const;
  /// All unit names that `parse` takes for this dimension: "fs", "ps", "ns".
  static std::span<const std::string_view> unit_names(Dimension dimension);

 private:
  std::string_view name_;
};

}  // namespace sterna::md
