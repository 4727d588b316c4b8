#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "md/observe/frame.hpp"
#include "md/observe/observer_report.hpp"

namespace sterna::md {

/// Watches a run: takes a sample every `interval` steps, and has the result at the end. What it
/// gathers stands in two parts: `sums`, of this rank alone, which add up over the ranks, and
/// `common`, the same on all. A checkpoint keeps both, so that a resumed run goes on with them.
class Observer {
 public:
  explicit Observer(std::string name, std::int64_t interval)
      : name_(std::move(name)), interval_(interval) {}
  virtual ~Observer() = default;
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;

  /// Of the section of the input file.
  const std::string& name() const { return name_; }
  bool is_due(std::int64_t step) const { return step % interval_ == 0; }

  /// Collective.
  virtual void sample(const Frame& frame) = 0;
  virtual std::span<double> sums() { return {}; }
  virtual std::vector<double> common() const = 0;
  /// With what `common` gave; the number of values may differ where the input was changed, and
  /// then nothing is taken.
  virtual void set_common(std::span<const double> values) = 0;
  /// From `sums` added up over all ranks.
  virtual ObserverReport report(std::span<const double> all_sums) const = 0;

 private:
  std::string name_;
  std::int64_t interval_;
};

}  // namespace sterna::md
