#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "md/core/vector.hpp"

namespace sterna::md {

struct LimitSection {                                ///< [[limit]]
  std::optional<double> force, torque;               ///< their length, at most
  std::optional<double> velocity, angular_momentum;  ///< likewise
  bool overlaps_only = false;        ///< velocities only where the force is beyond its limit
  std::string component;             ///< of this [[component]] or [[type]]; empty: of all
  std::optional<Vec3> lower, upper;  ///< in this region of the box
  bool outside = false;              ///< where the region is not
  std::int64_t interval = 1;         ///< steps
  std::int64_t start_step = 0, stop_step = 0;  ///< 0: to the end
};

}  // namespace sterna::md
