#pragma once

#include <cstdint>
#include <vector>

#include "md/core/axis.hpp"

namespace sterna::md {

struct AlignmentSection {     ///< [alignment]
  std::int64_t interval = 0;  ///< steps; 0: off
  std::vector<Axis> axes{Axis::x, Axis::y, Axis::z};
  double part = 1.0;  ///< fraction of the way to the center per correction
};

}  // namespace sterna::md
