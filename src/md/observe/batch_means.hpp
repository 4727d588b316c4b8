#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "md/observe/settling.hpp"

namespace sterna::md {

/// Series of some quantities, kept as means of batches of equal length, so that a run of any length
/// takes little memory. When there are too many, two neighbors become one.
class BatchMeans {
 public:
  static constexpr std::size_t most_batches = 256;

  explicit BatchMeans(std::size_t quantities) : quantities_(quantities) {}

  /// One value of each quantity, taken at `step`.
  void add(std::int64_t step, std::span<const double> values);

  /// Values of each quantity.
  std::int64_t count() const { return count_; }
  std::int64_t batch_length() const { return batch_length_; }
  std::size_t batch_count() const { return first_steps_.size(); }
  std::int64_t first_step(std::size_t batch) const { return first_steps_[batch]; }
  std::int64_t latest_step() const { return latest_step_; }
  /// Of whole batches, in their order.
  std::vector<double> means(std::size_t quantity) const;
  /// Of all values from this batch on, those of an incomplete batch too.
  double mean_from(std::size_t batch, std::size_t quantity) const;
  /// The first batch without values of steps before this one; at most the last one.
  std::size_t batch_from(std::int64_t step) const;
  /// Of all values from the batch on that this step begins or is before.
  SettledMean average(std::size_t quantity, std::int64_t first_step) const;
  std::int64_t count_from(std::int64_t first_step) const {
    return count_ - static_cast<std::int64_t>(batch_from(first_step)) * batch_length_;
  }

  /// Everything there is to know, for a checkpoint, and the way back. A state of other quantities
  /// is not taken.
  std::vector<double> state() const;
  void set_state(std::span<const double> state);

 private:
  void merge_neighbors();

  std::size_t quantities_;
  std::int64_t count_ = 0, batch_length_ = 1, latest_step_ = -1;
  std::vector<std::int64_t> first_steps_;  ///< of whole batches
  std::vector<double> means_;              ///< batch by batch
  std::vector<double> sums_;               ///< of the batch that is not whole yet
  std::int64_t in_sums_ = 0, sums_first_step_ = 0;
};

}  // namespace sterna::md
