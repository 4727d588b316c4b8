#pragma once

#include <cstddef>
#include <string_view>

#include "md/core/range.hpp"
#include "md/core/units.hpp"

namespace sterna::md {

/// A number that [[pair]] gives of a potential.
struct PairParameter {
  std::string_view name;
  Dimension dimension = Dimension::none;
  Range range = {};
  std::string_view description = {};
  double example = 0.0;  ///< in reduced units; tests and documentation compute with it
  bool required = true;
  double preset = 0.0;  ///< where it is not required
};

/// More names of parameters than all potentials have.
inline constexpr std::size_t most_pair_parameters = 64;

}  // namespace sterna::md
