#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "md/simulation/engine/list_lifetime.hpp"
#include "md/simulation/run_clock.hpp"

namespace sterna::md {

/// Decides when a run writes checkpoints. They are written at list rebuilds, because the particles
/// are then in the order into which a restart would put them, so that the restart has the same
/// bits.
class CheckpointSchedule {
 public:
  /// Records that the present step has a checkpoint.
  void was_written(const RunClock& clock) {
    latest_ = clock.step;
    restart_time();
  }
  void restart_time() { latest_time_ = Time::now(); }
  /// Whether the last checkpoint, or the start of the loop, is at least so many seconds ago; 0:
  /// never.
  bool is_time(double seconds) const {
    const std::chrono::duration<double> since = Time::now() - latest_time_;
    return seconds > 0.0 && since.count() >= seconds;
  }
  /// Records that the run continues from a checkpoint of the present step.
  void goes_on_from(const RunClock& clock) { latest_ = clock.step; }

  /// `wanted`: the present `run` ends with a checkpoint, from which a longer run may continue.
  void write_at_end(bool wanted) { writes_at_end_ = wanted; }
  bool writes_at_end() const { return writes_at_end_; }

  /// Whether a step that rebuilds lists writes a checkpoint: every `interval` steps, and near the
  /// end.
  bool is_due(const RunClock& clock, std::int64_t interval, const ListLifetime& lists) const {
    const bool wanted =
        interval > 0 && clock.step / interval > std::max(latest_, clock.first_step) / interval;
    return wanted || is_near_end(clock, lists);
  }
  /// Whether the present step has a checkpoint already.
  bool has(const RunClock& clock) const { return latest_ == clock.step; }
  /// Step of the last checkpoint; -1: there is none.
  std::int64_t latest() const { return latest_; }

 private:
  using Time = std::chrono::steady_clock;

  /// Whether this is the first rebuild that may be one of the last of the run.
  bool is_near_end(const RunClock& clock, const ListLifetime& lists) const {
    // The next list will live about as long as the last one. With three lifetimes left, at least
    // one more rebuild is still to come.
    const std::int64_t near = std::min(3 * lists.latest(), lists.longest());
    return writes_at_end_ && clock.step < clock.last_step && clock.last_step - clock.step <= near &&
           latest_ < std::max<std::int64_t>(clock.last_step - near, clock.first_step);
  }

  std::int64_t latest_ = -1;
  Time::time_point latest_time_;
  bool writes_at_end_ = false;
};

}  // namespace sterna::md
