#pragma once

#include <cstdint>

namespace sterna::md {

/// The step and the time that a run has reached.
struct RunClock {
  std::int64_t step = 0;        ///< the present step, or the last completed one
  std::int64_t first_step = 0;  ///< at which this process began
  std::int64_t last_step = 0;   ///< at which the present `run` ends
  double timestep = 0.0;
  double offset = 0.0;  ///< time of earlier parts with other time steps

  double time() const { return static_cast<double>(step) * timestep + offset; }
  /// Whether an action is due that happens every `interval` steps and at the end; 0: never.
  bool is_due(std::int64_t interval) const {
    return interval > 0 && (step % interval == 0 || step == last_step);
  }
};

}  // namespace sterna::md
