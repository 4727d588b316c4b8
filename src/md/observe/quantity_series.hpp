#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "md/core/units.hpp"
#include "md/observe/batch_means.hpp"
#include "md/observe/observer_report.hpp"

namespace sterna::md {

/// Time series of some quantities of the whole system: at most some hundred rows, each the mean of
/// equally many samples, and averages with standard errors of the samples from a step on.
class QuantitySeries {
 public:
  /// `names`: the headings of the columns.
  explicit QuantitySeries(std::vector<std::string> names)
      : names_(std::move(names)), means_(names_.size() + 1) {}

  /// `values`: one for each quantity, in internal units.
  void add(std::int64_t step, double time, std::span<const double> values);

  /// The series as a table against time; all quantities have this dimension.
  std::string text(const UnitSystem& units, Dimension dimension) const;
  SettledMean average(std::size_t quantity, std::int64_t first_step) const {
    return means_.average(quantity + 1, first_step);
  }
  std::int64_t count() const { return means_.count(); }

  /// The complete state for a checkpoint, and its restoration. A state of other quantities is
  /// ignored.
  std::vector<double> state() const { return means_.state(); }
  void set_state(std::span<const double> state) { means_.set_state(state); }

 private:
  std::vector<std::string> names_;
  BatchMeans means_;  ///< of time, then of the quantities
};

}  // namespace sterna::md
