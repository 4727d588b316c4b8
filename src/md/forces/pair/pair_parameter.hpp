#pragma once

#include <cstddef>
#include <string_view>

#include "md/core/range.hpp"
#include "md/core/units.hpp"

namespace sterna::md {

/// A parameter of a potential, as a number in [[pair]].
struct PairParameter {
  std::string_view name;
  Dimension dimension = Dimension::none;
  Range range = {};
  std::string_view description = {};
  double example = 0.0;  ///< in reduced units, for tests and documentation
  bool required = true;
  double preset = 0.0;  ///< value if the input does not give it
};

/// An upper limit of the number of parameter names of all potentials.
inline constexpr std::size_t most_pair_parameters = 64;

}  // namespace sterna::md
