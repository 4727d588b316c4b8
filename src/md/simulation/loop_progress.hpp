#pragma once

#include <cstdint>

#include "md/simulation/engine/phase_timer.hpp"
#include "md/simulation/simulation.hpp"

namespace sterna::md {

/// How far the loop of steps has come, and how long its phases took.
struct LoopProgress {
  PhaseTimer timer;
  bool has_begun = false;               ///< the first forces are computed
  std::int64_t rebuilds_at_begin = 0;   ///< of lists, when the loop began
  double seconds = 0.0;                 ///< of the loop since the last report
  Outcome outcome = Outcome::complete;  ///< of the last call that ran steps
  bool rebuilt = false;                 ///< lists were rebuilt in the present step
  std::int64_t renewed_step = -1;       ///< the last step of `renew`
};

}  // namespace sterna::md
