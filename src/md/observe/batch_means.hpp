#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "md/observe/settling.hpp"

namespace sterna::md {

/// Series of several quantities, kept as means of batches of equal length, so that a run of any
/// length needs little memory. If there are too many batches, neighbors are merged in pairs.
class BatchMeans {
 public:
  static constexpr std::size_t most_batches = 256;

  explicit BatchMeans(std::size_t quantities) : quantities_(quantities) {}

  /// Adds one value of each quantity, taken at `step`.
  void add(std::int64_t step, std::span<const double> values);

  /// The number of values of each quantity.
  std::int64_t count() const { return count_; }
  std::int64_t batch_length() const { return batch_length_; }
  std::size_t batch_count() const { return first_steps_.size(); }
  std::int64_t first_step(std::size_t batch) const { return first_steps_[batch]; }
  std::int64_t latest_step() const { return latest_step_; }
  /// The means of complete batches, in their order.
  std::vector<double> means(std::size_t quantity) const;
  /// The mean of all values from this batch on, including the incomplete batch.
  double mean_from(std::size_t batch, std::size_t quantity) const;
  /// The first batch without values of steps before `step`; at most the last batch.
  std::size_t batch_from(std::int64_t step) const;
  /// The average of all values from `batch_from(first_step)` on.
  SettledMean average(std::size_t quantity, std::int64_t first_step) const;
  std::int64_t count_from(std::int64_t first_step) const {
    return count_ - static_cast<std::int64_t>(batch_from(first_step)) * batch_length_;
  }

  /// The complete state for a checkpoint, and its restoration. A state of other quantities is
  /// ignored.
  std::vector<double> state() const;
  void set_state(std::span<const double> state);

 private:
  void merge_neighbors();

  std::size_t quantities_;
  std::int64_t count_ = 0, batch_length_ = 1, latest_step_ = -1;
  std::vector<std::int64_t> first_steps_;  ///< of complete batches
  std::vector<double> means_;              ///< of batch 0, then of batch 1 ...
  std::vector<double> sums_;               ///< of the incomplete batch
  std::int64_t in_sums_ = 0, sums_first_step_ = 0;
};

}  // namespace sterna::md
