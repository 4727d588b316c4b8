#pragma once

#include <string_view>

namespace sterna::md {

/// How far the interactions of alchemical molecules are switched off: 0 not at all, 1 altogether.
struct AlchemicalState {
  double van_der_waals = 0.0, charges = 0.0;

  bool operator==(const AlchemicalState&) const = default;
};

/// The names of both among the parameters of states.
namespace alchemy_parameter {
inline constexpr std::string_view charges = "alchemy.charges";
inline constexpr std::string_view van_der_waals = "alchemy.van_der_waals";
}  // namespace alchemy_parameter

}  // namespace sterna::md
