#pragma once

#include <cstdint>

namespace sterna::md {

/// Where a run is: its step and its time.
struct RunClock {
  std::int64_t step = 0;        ///< the present one, or the last one that was done
  std::int64_t first_step = 0;  ///< where this process began
  std::int64_t last_step = 0;   ///< where the present `run` ends
  double timestep = 0.0;
  double offset = 0.0;  ///< of the time of a run that went on with another time step

  double time() const { return static_cast<double>(step) * timestep + offset; }
  /// Whether something acts that is due every `interval` steps and at the end; 0: never.
  bool is_due(std::int64_t interval) const {
    return interval > 0 && (step % interval == 0 || step == last_step);
  }
};

}  // namespace sterna::md
