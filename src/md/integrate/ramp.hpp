#pragma once

#include <algorithm>
#include <cstdint>

namespace sterna::md {

/// A value that moves evenly with the steps.
struct Ramp {
  double first, last;             ///< at its ends
  std::int64_t from = 0, to = 0;  ///< the steps of its ends

  double at(std::int64_t step) const {
    const auto whole = static_cast<double>(std::max<std::int64_t>(to - from, 1));
    return first + (last - first) * std::clamp(static_cast<double>(step - from) / whole, 0.0, 1.0);
  }
};

}  // namespace sterna::md
