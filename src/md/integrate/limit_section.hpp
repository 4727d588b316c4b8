#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "md/core/vector.hpp"

namespace sterna::md {

struct LimitSection {                                ///< [[limit]]
  std::optional<double> force, torque;               ///< largest magnitude
  std::optional<double> velocity, angular_momentum;  ///< largest magnitude
  bool overlaps_only = false;        ///< limit velocities only if the force exceeds its limit
  std::string component;             ///< name of a [[component]] or [[type]]; empty: all
  std::optional<Vec3> lower, upper;  ///< region of the box that it acts in
  bool outside = false;              ///< act outside of the region instead
  std::int64_t interval = 1;         ///< steps
  std::int64_t start_step = 0, stop_step = 0;  ///< stop 0: the end of the run
};

}  // namespace sterna::md
