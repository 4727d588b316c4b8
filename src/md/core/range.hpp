#pragma once

#include <limits>

namespace sterna::md {

/// The numbers that a key of the input may have.
struct Range {
  double minimum = -std::numeric_limits<double>::infinity();
  double maximum = std::numeric_limits<double>::infinity();
  bool exclusive_minimum = false;
};

}  // namespace sterna::md
