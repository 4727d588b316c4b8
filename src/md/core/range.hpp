#pragma once

#include <limits>

namespace sterna::md {

/// The allowed range of a number in the input.
struct Range {
  double minimum = -std::numeric_limits<double>::infinity();
  double maximum = std::numeric_limits<double>::infinity();
  bool exclusive_minimum = false;
};

}  // namespace sterna::md
