#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "md/core/vector.hpp"

namespace sterna::md {

struct DriftControlSection {         ///< [[drift_control]]
  Vec3 velocity;                     ///< to keep
  std::string component;             ///< of this [[component]] or [[type]]; empty: of all
  std::optional<Vec3> lower, upper;  ///< in this region of the box
  int slabs = 1;                     ///< along y, each with a velocity of its own
  std::int64_t interval = 100;       ///< steps between two corrections
  std::int64_t sample_interval = 10;
  std::int64_t start_step = 0, stop_step = 0;  ///< 0: to the end
};

}  // namespace sterna::md
