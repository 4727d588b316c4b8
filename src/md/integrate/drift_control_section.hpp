#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "md/core/vector.hpp"

namespace sterna::md {

struct DriftControlSection {         ///< [[drift_control]]
  Vec3 velocity;                     ///< target velocity
  std::string component;             ///< name of a [[component]] or [[type]]; empty: all
  std::optional<Vec3> lower, upper;  ///< region of the box that it acts in
  int slabs = 1;                     ///< slices across y with separate velocities
  std::int64_t interval = 100;       ///< steps between two corrections
  std::int64_t sample_interval = 10;
  std::int64_t start_step = 0, stop_step = 0;  ///< stop 0: the end of the run
};

}  // namespace sterna::md
