#pragma once

#include <cstdint>

#include "md/core/box.hpp"

namespace sterna::md {

/// The state of the run that force terms and step modifiers see when they are called.
struct StepContext {
  std::int64_t step = 0;
  double time = 0.0;      ///< time of the positions; 0 at the start
  double timestep = 0.0;  ///< 0 if nothing moves in time, as in a minimization
  const Box& box;
};

}  // namespace sterna::md
