#pragma once

#include <cstdint>

#include "md/core/box.hpp"

namespace sterna::md {

/// Where a run is when something that acts on it is called: force terms and step modifiers.
struct StepContext {
  std::int64_t step = 0;
  double time = 0.0;      ///< of the positions; of the start 0
  double timestep = 0.0;  ///< 0 where nothing moves in time, as in a minimization
  const Box& box;
};

}  // namespace sterna::md
