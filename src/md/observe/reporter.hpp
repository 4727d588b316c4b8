#pragma once

#include <cstdint>
#include <stdexcept>

#include "md/observe/frame.hpp"

namespace sterna::md {

/// Looks at a run every so many steps, to write, measure or print. Unlike an `Observer`, it has no
/// results that outlive the run.
class Reporter {
 public:
  /// Throws std::invalid_argument unless `interval` (steps) is at least 1.
  explicit Reporter(std::int64_t interval) : interval_(interval) {
    if (interval < 1) throw std::invalid_argument("a reporter's interval is at least 1 step");
  }
  virtual ~Reporter() = default;
  Reporter(const Reporter&) = delete;
  Reporter& operator=(const Reporter&) = delete;

  std::int64_t interval() const { return interval_; }
  /// Whether the reporter looks at this step.
  virtual bool is_due(std::int64_t step) const { return step % interval_ == 0; }
  /// Whether the reporter reads more than positions and orientations. If not, it is called as soon
  /// as these belong to the step; all other data of the frame are then of an earlier time.
  virtual bool needs_state() const { return true; }
  /// Collective: every rank calls it with its own particles, at the start and then every `interval`
  /// steps.
  virtual void report(const Frame& frame) = 0;

 private:
  std::int64_t interval_;
};

}  // namespace sterna::md
