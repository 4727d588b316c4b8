#pragma once

#include <cstdint>

namespace sterna::md {

struct TimeStepsSection {      ///< [multiple_time_steps]
  std::int64_t pairs = 1;      ///< steps between two computations of forces of pairs
  std::int64_t far_field = 0;  ///< of the multipole method; 0: as `pairs`
  std::int64_t longest() const { return far_field > pairs ? far_field : pairs; }
  bool are_used() const { return longest() > 1; }
};

}  // namespace sterna::md
