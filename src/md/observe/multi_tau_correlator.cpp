#include "md/observe/multi_tau_correlator.hpp"

#include <algorithm>
#include <cmath>

namespace sterna::md {

void MultiTauCorrelator::add(double value) {
  add(value, 0);
}

void MultiTauCorrelator::add(double value, std::size_t level) {
  if (level == levels_.size()) levels_.emplace_back();
  Level& here = levels_[level];
  std::copy_backward(here.recent, here.recent + length - 1, here.recent + length);
  here.recent[0] = value;
  here.seen += 1.0;
  // Lags below half the length are those of the level before, where they are finer.
  const std::size_t first = level == 0 ? 0 : length / 2;
  const auto known = static_cast<std::size_t>(std::min(here.seen, static_cast<double>(length)));
  for (std::size_t lag = first; lag < known; ++lag) {
    here.sum[lag] += value * here.recent[lag];
    here.count[lag] += 1.0;
  }
  if (std::fmod(here.seen, 2.0) == 1.0) {
    here.waiting = value;
  } else {
    add(0.5 * (here.waiting + value), level + 1);
  }
}

std::vector<MultiTauCorrelator::Point> MultiTauCorrelator::points() const {
  std::vector<Point> points;
  double spacing = 1.0;
  for (std::size_t level = 0; level < levels_.size(); ++level, spacing *= 2.0) {
    const Level& here = levels_[level];
    for (std::size_t lag = level == 0 ? 0 : length / 2; lag < length; ++lag) {
      if (here.count[lag] == 0.0) continue;
      points.push_back(
          {spacing * static_cast<double>(lag), here.sum[lag] / here.count[lag], here.count[lag]});
    }
  }
  return points;
}

std::vector<double> MultiTauCorrelator::state() const {
  std::vector<double> state;
  for (const Level& level : levels_) {
    for (const auto& values : {level.recent, level.sum, level.count}) {
      state.insert(state.end(), values, values + length);
    }
    state.push_back(level.seen);
    state.push_back(level.waiting);
  }
  return state;
}

void MultiTauCorrelator::set_state(std::span<const double> state) {
  constexpr std::size_t stride = 3 * length + 2;
  levels_.assign(state.size() / stride, {});
  for (Level& level : levels_) {
    const double* values = state.data();
    std::copy_n(values, length, level.recent);
    std::copy_n(values + length, length, level.sum);
    std::copy_n(values + 2 * length, length, level.count);
    level.seen = values[3 * length];
    level.waiting = values[3 * length + 1];
    state = state.subspan(stride);
  }
}

}  // namespace sterna::md
