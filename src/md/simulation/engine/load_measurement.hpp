#pragma once

#include <cstdint>
#include <optional>

#include "md/simulation/engine/phase_timer.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// Measures the computing time of each rank while steps go on, for decisions on load balance.
class LoadMeasurement {
 public:
  LoadMeasurement(const comm::Context& context, PhaseTimer& timer);

  /// Local. `samples_all`: the forces of each step are timed, not only those of every fourth.
  void begin_step(std::int64_t step, bool samples_all);

  /// Computing seconds per step since the last measurement, over all ranks.
  struct Costs {
    double most, mean, whole;
  };
  /// Collective. Ends a measurement and begins the next one. Returns nothing, and goes on with the
  /// present one, if its samples are too few.
  std::optional<Costs> measure(std::int64_t step);

  /// Local. Computing seconds per step of this rank, averaged with those of earlier measurements;
  /// nothing before the first one.
  const std::optional<double>& seconds_per_step() const { return smoothed_; }
  /// Local. Is called after the regions have changed: earlier measurements say nothing of the new ones.
  void forget_earlier() { smoothed_.reset(); }

  /// Local. The slowest rank's computing time over the mean, of the first and the last measurement.
  const std::optional<double>& first_imbalance() const { return first_imbalance_; }
  const std::optional<double>& last_imbalance() const { return last_imbalance_; }

 private:
  void begin(std::int64_t step);

  comm::Context context_;
  PhaseTimer& timer_;
  double resolution_;
  bool shares_cores_;  ///< more ranks than cores: a step's wall time is useless

  bool in_loop_ = false;
  std::int64_t begin_ = 0;  ///< the step at which the measurement began
  std::int64_t sampled_steps_ = 0;
  struct {
    double forces = 0.0, lists = 0.0, whole = 0.0;
  } seconds_at_begin_;  ///< readings of the timer
  std::optional<double> smoothed_;
  std::optional<double> first_imbalance_, last_imbalance_;
};

}  // namespace sterna::md
