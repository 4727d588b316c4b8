#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sterna::md {

/// Divides the samples of a run into blocks of equal length, so that early ones can be left out
/// afterwards. If there are too many blocks, neighbors are merged in pairs.
class SampleBlocks {
 public:
  static constexpr std::size_t usual = 32;
  /// `most`: the largest number of blocks; even.
  explicit SampleBlocks(std::size_t most = usual) : most_(most) {}

  struct Change {
    bool merges = false;  ///< blocks are merged in pairs first
    bool begins = false;  ///< the sample is the first of a block
  };
  /// Tells that a sample is about to be taken at this step.
  Change begin_sample(std::int64_t step);

  std::int64_t samples() const { return samples_; }
  /// Number of samples in each block.
  std::int64_t length() const { return length_; }
  std::size_t count() const { return first_steps_.size(); }
  std::size_t block_of(std::int64_t sample) const {
    return static_cast<std::size_t>(sample / length_);
  }
  std::int64_t first_step(std::size_t block) const { return first_steps_[block]; }
  /// The first block without samples of steps before `step`; at most the last block.
  std::size_t block_from(std::int64_t step) const;

  /// The complete state for a checkpoint, and its restoration. `set_state` ignores an inconsistent
  /// state and returns false.
  std::vector<double> state() const;
  bool set_state(std::span<const double> state);

 private:
  std::size_t most_;
  std::int64_t samples_ = 0, length_ = 1;
  std::vector<std::int64_t> first_steps_;
};

/// Adds the values of neighboring blocks in pairs. `each`: the number of values of one block.
void merge_blocks(std::vector<double>& values, std::size_t each);

/// Joins several lists of numbers into one, with the length of each before it, and separates them;
/// the result is empty if the lengths are inconsistent.
std::vector<double> joined_lists(std::span<const std::vector<double>> lists);
std::vector<std::vector<double>> separate_lists(std::span<const double> joined);

}  // namespace sterna::md
