#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sterna::md {

/// Samples of a run in blocks of equal length, so that those of its beginning can be left out
/// afterwards. When there are too many blocks, two neighbors become one.
class SampleBlocks {
 public:
  static constexpr std::size_t usual = 32;
  /// `most` blocks, an even number.
  explicit SampleBlocks(std::size_t most = usual) : most_(most) {}

  struct Change {
    bool merges = false;  ///< two blocks each become one, before anything else
    bool begins = false;  ///< the sample is the first of a block
  };
  /// A sample is about to be taken at this step.
  Change begin_sample(std::int64_t step);

  std::int64_t samples() const { return samples_; }
  /// Samples of each block.
  std::int64_t length() const { return length_; }
  std::size_t count() const { return first_steps_.size(); }
  std::size_t block_of(std::int64_t sample) const {
    return static_cast<std::size_t>(sample / length_);
  }
  std::int64_t first_step(std::size_t block) const { return first_steps_[block]; }
  /// The first block without samples of steps before this one; at most the last one.
  std::size_t block_from(std::int64_t step) const;

  /// Everything there is to know, for a checkpoint, and the way back. What is no such state is not
  /// taken; returns whether it was.
  std::vector<double> state() const;
  bool set_state(std::span<const double> state);

 private:
  std::size_t most_;
  std::int64_t samples_ = 0, length_ = 1;
  std::vector<std::int64_t> first_steps_;
};

/// Of values of blocks, the sum of two neighbors each. `each`: values of one block.
void merge_blocks(std::vector<double>& values, std::size_t each);

/// Several lists of numbers as one, with the length of each before it, and the way back; nothing
/// where the lengths contradict the whole.
std::vector<double> joined_lists(std::span<const std::vector<double>> lists);
std::vector<std::vector<double>> separate_lists(std::span<const double> joined);

}  // namespace sterna::md
