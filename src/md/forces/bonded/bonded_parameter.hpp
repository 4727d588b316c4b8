#pragma once

#include <cstddef>
#include <string_view>

#include "md/core/range.hpp"
#include "md/core/units.hpp"

namespace sterna::md {

/// A parameter of a bonded term, which the input gives.
struct BondedParameter {
  std::string_view name;
  Dimension dimension = Dimension::none;
  Range range = {};
  std::string_view description = {};
  double example = 0.0;  ///< in reduced units; a value for tests
  bool required = true;
  double preset = 0.0;  ///< default, if it is not required
  bool whole = false;   ///< an integer
};

/// An upper limit of the number of names of all terms' parameters.
inline constexpr std::size_t most_bonded_parameters = 96;

}  // namespace sterna::md
