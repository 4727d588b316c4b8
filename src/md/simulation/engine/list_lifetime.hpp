#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "md/core/json.hpp"
#include "md/input/input.hpp"
#include "md/neighbors/list_buffer.hpp"
#include "md/simulation/simulated_system.hpp"

namespace sterna::md {

/// How long lists of neighbors are kept, and the skin that this needs: what the input says, or what
/// a tolerance of the energy allows.
class ListLifetime {
 public:
  ListLifetime(const Input& input, const SimulatedSystem& system);

  /// Where a tolerance decides: once the box is known. `kept`: `state` of the run that goes on; its
  /// lists stay as they are where the settings are the same.
  void choose(const Json& kept);
  /// For a checkpoint; null where the input says all.
  Json state() const;

  double skin() const { return skin_; }
  /// Where lists may miss pairs.
  const std::optional<ListBuffer>& buffer() const { return buffer_; }
  int maximum_interval() const {
    return buffer_ ? buffer_->interval : input_.neighbor.maximum_interval;
  }
  /// The most steps that a list is kept, with those until all forces are due.
  std::int64_t longest() const { return input_.time_steps.longest() + maximum_interval(); }

  /// The run begins with lists of this step.
  void begin_at(std::int64_t step) { built_at_ = step; }
  void was_built(std::int64_t step) {
    if (step > built_at_) latest_ = step - built_at_;
    built_at_ = step;
  }
  /// Steps that the list before the present one was kept.
  std::int64_t latest() const { return latest_; }

 private:
  const Input& input_;
  const SimulatedSystem& system_;
  double skin_;
  std::optional<ListBuffer> buffer_;
  std::array<double, 4> settings_{};  ///< that `buffer_` follows from
  std::int64_t built_at_ = 0, latest_ = 0;
};

}  // namespace sterna::md
