#pragma once

#include <cstdint>
#include <stdexcept>

#include "md/observe/frame.hpp"

namespace sterna::md {

/// Looks at a run every so many steps: to write, to measure, to print. Unlike an `Observer` it has
/// no results that outlive the run.
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
  /// Whether it looks at this step.
  virtual bool is_due(std::int64_t step) const { return step % interval_ == 0; }
  /// Whether it reads more than positions and orientations. Otherwise it looks as soon as these are
  /// those of the step: all else in a frame is of an earlier time then.
  virtual bool needs_state() const { return true; }
  /// Collective: every rank calls it with its own particles, at the start and then every `interval`
  /// steps.
  virtual void report(const Frame& frame) = 0;

 private:
  std::int64_t interval_;
};

}  // namespace sterna::md
