#include "md/observe/sample_blocks.hpp"

#include <algorithm>

namespace sterna::md {

SampleBlocks::Change SampleBlocks::begin_sample(std::int64_t step) {
  Change change;
  change.begins = samples_ % length_ == 0;
  if (change.begins && first_steps_.size() == most_) {
    change.merges = true;
    for (std::size_t block = 0; block < most_ / 2; ++block) {
      first_steps_[block] = first_steps_[2 * block];
    }
    first_steps_.resize(most_ / 2);
    length_ *= 2;
  }
  if (change.begins) first_steps_.push_back(step);
  ++samples_;
  return change;
}

std::size_t SampleBlocks::block_from(std::int64_t step) const {
  const auto found = std::ranges::lower_bound(first_steps_, step);
  const auto block = static_cast<std::size_t>(found - first_steps_.begin());
  return first_steps_.empty() ? 0 : std::min(block, first_steps_.size() - 1);
}

std::vector<double> SampleBlocks::state() const {
  std::vector<double> state{static_cast<double>(samples_), static_cast<double>(length_)};
  for (const std::int64_t step : first_steps_) state.push_back(static_cast<double>(step));
  return state;
}

bool SampleBlocks::set_state(std::span<const double> state) {
  if (state.size() < 2 || state.size() > most_ + 2 || !(state[1] >= 1.0)) return false;
  const auto samples = static_cast<std::int64_t>(state[0]);
  const auto length = static_cast<std::int64_t>(state[1]);
  if (static_cast<std::int64_t>(state.size() - 2) != (samples + length - 1) / length) return false;
  samples_ = samples;
  length_ = length;
  first_steps_.clear();
  for (const double step : state.subspan(2)) {
    first_steps_.push_back(static_cast<std::int64_t>(step));
  }
  return true;
}

void merge_blocks(std::vector<double>& values, std::size_t each) {
  const std::size_t half = values.size() / each / 2;
  for (std::size_t block = 0; block < half; ++block) {
    for (std::size_t k = 0; k < each; ++k) {
      values[block * each + k] = values[2 * block * each + k] + values[(2 * block + 1) * each + k];
    }
  }
  std::fill(values.begin() + static_cast<std::ptrdiff_t>(half * each), values.end(), 0.0);
}

std::vector<double> joined_lists(std::span<const std::vector<double>> lists) {
  std::vector<double> joined;
  for (const std::vector<double>& list : lists) {
    joined.push_back(static_cast<double>(list.size()));
    joined.insert(joined.end(), list.begin(), list.end());
  }
  return joined;
}

std::vector<std::vector<double>> separate_lists(std::span<const double> joined) {
  std::vector<std::vector<double>> lists;
  while (!joined.empty()) {
    const auto size = static_cast<std::size_t>(joined[0]);
    if (!(joined[0] >= 0.0) || size > joined.size() - 1) return {};
    lists.emplace_back(joined.begin() + 1, joined.begin() + 1 + static_cast<std::ptrdiff_t>(size));
    joined = joined.subspan(1 + size);
  }
  return lists;
}

}  // namespace sterna::md
