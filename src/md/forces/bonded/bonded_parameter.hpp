#pragma once

#include <cstddef>
#include <string_view>

#include "md/core/range.hpp"
#include "md/core/units.hpp"

namespace sterna::md {

/// A number that the input gives of a bonded term.
struct BondedParameter {
  std::string_view name;
  Dimension dimension = Dimension::none;
  Range range = {};
  std::string_view description = {};
  double example = 0.0;  ///< in reduced units; tests compute with it
  bool required = true;
  double preset = 0.0;  ///< where it is not required
  bool whole = false;   ///< an integer
};

/// More names of parameters than all terms have.
inline constexpr std::size_t most_bonded_parameters = 96;

}  // namespace sterna::md
