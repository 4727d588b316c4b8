#include "md/observe/block_average.hpp"

#include <algorithm>
#include <cmath>

namespace sterna::md {

namespace {
/// Below this the error of the error is too large to tell anything.
constexpr std::int64_t fewest_blocks = 16;
}  // namespace

void BlockAverage::add(double value) {
  for (std::size_t k = 0;; ++k) {
    if (k == levels_.size()) levels_.emplace_back();
    Level& level = levels_[k];
    ++level.count;
    const double deviation = value - level.mean;
    level.mean += deviation / static_cast<double>(level.count);
    level.squares += deviation * (value - level.mean);
    if (!level.has_waiting) {
      level.waiting = value;
      level.has_waiting = true;
      return;
    }
    value = 0.5 * (level.waiting + value);
    level.has_waiting = false;
  }
}

double BlockAverage::mean() const {
  return levels_.empty() ? 0.0 : levels_[0].mean;
}

double BlockAverage::standard_error() const {
  double largest = 0.0;
  for (std::size_t k = 0; k < levels_.size(); ++k) {
    const Level& level = levels_[k];
    if (level.count < (k == 0 ? 2 : fewest_blocks)) break;
    const auto n = static_cast<double>(level.count);
    largest = std::max(largest, std::sqrt(level.squares / (n * (n - 1.0))));
  }
  return largest;
}

std::vector<double> BlockAverage::state() const {
  std::vector<double> state;
  for (const Level& level : levels_) {
    state.insert(state.end(), {static_cast<double>(level.count), level.mean, level.squares,
                               level.waiting, level.has_waiting ? 1.0 : 0.0});
  }
  return state;
}

void BlockAverage::set_state(const std::vector<double>& state) {
  levels_.clear();
  for (std::size_t k = 0; k + 5 <= state.size(); k += 5) {
    levels_.push_back({static_cast<std::int64_t>(state[k]), state[k + 1], state[k + 2],
                       state[k + 3], state[k + 4] != 0.0});
  }
}

}  // namespace sterna::md
