#pragma once

#include <array>
#include <string_view>

namespace sterna::md {

/// How far the interactions of alchemical molecules are switched off, or are those of state B: 0 not
/// at all, 1 altogether.
struct AlchemicalState {
  double van_der_waals = 0.0, charges = 0.0;
  double bonded = 0.0;  ///< of terms and constraints that change
  double masses = 0.0;

  bool operator==(const AlchemicalState&) const = default;
};

/// A part of an alchemical state, in the order of the columns of files.
struct AlchemicalPart {
  std::string_view parameter;  ///< its name among the parameters of states
  std::string_view lambda;     ///< its name in files
  double AlchemicalState::*value;
};
inline constexpr std::array<AlchemicalPart, 4> alchemical_parts{
    {{"alchemy.charges", "coul-lambda", &AlchemicalState::charges},
     {"alchemy.van_der_waals", "vdw-lambda", &AlchemicalState::van_der_waals},
     {"alchemy.bonded", "bonded-lambda", &AlchemicalState::bonded},
     {"alchemy.masses", "mass-lambda", &AlchemicalState::masses}}};

}  // namespace sterna::md
