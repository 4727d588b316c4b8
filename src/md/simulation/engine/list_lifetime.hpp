#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "md/core/json.hpp"
#include "md/input/input.hpp"
#include "md/neighbors/list_buffer.hpp"
#include "md/simulation/simulated_system.hpp"

namespace sterna::md {

/// How long neighbor lists are kept, and the skin that this needs: given by the input, or chosen
/// for a tolerance of the energy.
class ListLifetime {
 public:
  ListLifetime(const Input& input, const SimulatedSystem& system);

  /// Is called once the box is known; chooses skin and interval if a tolerance decides. `kept`:
  /// `state` of the run that is continued, used if the settings are the same.
  void choose(const Json& kept);
  /// The choice for a checkpoint; null if the input gives skin and interval.
  Json state() const;

  double skin() const { return skin_; }
  /// The skin and interval chosen for a tolerance, and the drift they allow; nothing if the input
  /// gives them.
  const std::optional<ListBuffer>& buffer() const { return buffer_; }
  int maximum_interval() const {
    return buffer_ ? buffer_->interval : input_.neighbor.maximum_interval;
  }
  /// The largest number of steps that a list is kept, with the steps until all forces are due.
  std::int64_t longest() const { return input_.time_steps.longest() + maximum_interval(); }

  /// Tells that the run begins with lists built in this step.
  void begin_at(std::int64_t step) { built_at_ = step; }
  void was_built(std::int64_t step) {
    if (step > built_at_) latest_ = step - built_at_;
    built_at_ = step;
  }
  /// The number of steps that the list before the present one was kept.
  std::int64_t latest() const { return latest_; }

 private:
  const Input& input_;
  const SimulatedSystem& system_;
  double skin_;
  std::optional<ListBuffer> buffer_;
  std::array<double, 4> settings_{};  ///< from which `buffer_` follows
  std::int64_t built_at_ = 0, latest_ = 0;
};

}  // namespace sterna::md
