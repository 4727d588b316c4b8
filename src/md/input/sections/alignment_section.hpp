#pragma once

#include <cstdint>
#include <vector>

#include "md/core/axis.hpp"

namespace sterna::md {

struct AlignmentSection {     ///< [alignment]
  std::int64_t interval = 0;  ///< steps; 0: none
  std::vector<Axis> axes{Axis::x, Axis::y, Axis::z};
  double part = 1.0;  ///< of the way to the middle of the box
};

}  // namespace sterna::md
