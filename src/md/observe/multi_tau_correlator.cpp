#include "md/observe/multi_tau_correlator.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace sterna::md {

void MultiTauCorrelator::add(double value, std::int64_t block_length) {
  add(value, block_length, 0);
}

void MultiTauCorrelator::add(double value, std::int64_t block_length, std::size_t level) {
  if (level == levels_.size()) levels_.emplace_back();
  Level& here = levels_[level];
  std::copy_backward(here.recent, here.recent + length - 1, here.recent + length);
  here.recent[0] = value;
  here.seen += 1.0;
  // The level below has the lags below half the length with a finer resolution.
  const std::size_t first = level == 0 ? 0 : length / 2;
  const auto known = static_cast<std::size_t>(std::min(here.seen, static_cast<double>(length)));
  for (std::size_t lag = first; lag < known; ++lag) {
    const std::int64_t earlier =
        (static_cast<std::int64_t>(here.seen) - 1 - static_cast<std::int64_t>(lag)) << level;
    const auto block = static_cast<std::size_t>(earlier / block_length);
    if (block >= here.blocks.size()) here.blocks.resize(block + 1);
    here.blocks[block].sum[lag] += value * here.recent[lag];
    here.blocks[block].count[lag] += 1.0;
  }
  if (std::fmod(here.seen, 2.0) == 1.0) {
    here.waiting = value;
  } else {
    add(0.5 * (here.waiting + value), block_length, level + 1);
  }
}

void MultiTauCorrelator::merge_blocks() {
  for (Level& level : levels_) {
    std::vector<Block> merged((level.blocks.size() + 1) / 2);
    for (std::size_t b = 0; b < level.blocks.size(); ++b) {
      for (std::size_t lag = 0; lag < length; ++lag) {
        merged[b / 2].sum[lag] += level.blocks[b].sum[lag];
        merged[b / 2].count[lag] += level.blocks[b].count[lag];
      }
    }
    level.blocks = std::move(merged);
  }
}

std::vector<MultiTauCorrelator::Point> MultiTauCorrelator::points(std::size_t first_block) const {
  std::vector<Point> points;
  double spacing = 1.0;
  for (std::size_t level = 0; level < levels_.size(); ++level, spacing *= 2.0) {
    const Level& here = levels_[level];
    for (std::size_t lag = level == 0 ? 0 : length / 2; lag < length; ++lag) {
      double sum = 0.0, count = 0.0;
      for (std::size_t b = first_block; b < here.blocks.size(); ++b) {
        sum += here.blocks[b].sum[lag];
        count += here.blocks[b].count[lag];
      }
      if (count == 0.0) continue;
      points.push_back({spacing * static_cast<double>(lag), sum / count, count});
    }
  }
  return points;
}

std::vector<double> MultiTauCorrelator::state() const {
  std::vector<double> state;
  for (const Level& level : levels_) {
    state.insert(state.end(),
                 {static_cast<double>(level.blocks.size()), level.seen, level.waiting});
    state.insert(state.end(), level.recent, level.recent + length);
    for (const Block& block : level.blocks) {
      state.insert(state.end(), block.sum, block.sum + length);
      state.insert(state.end(), block.count, block.count + length);
    }
  }
  return state;
}

void MultiTauCorrelator::set_state(std::span<const double> state) {
  levels_.clear();
  constexpr std::size_t head = 3 + length, of_block = 2 * length;
  while (state.size() >= head) {
    const auto blocks = static_cast<std::size_t>(state[0]);
    if (blocks > (state.size() - head) / of_block) return;
    Level& level = levels_.emplace_back();
    level.seen = state[1];
    level.waiting = state[2];
    std::copy_n(state.data() + 3, length, level.recent);
    level.blocks.resize(blocks);
    for (std::size_t b = 0; b < blocks; ++b) {
      const double* const values = state.data() + head + b * of_block;
      std::copy_n(values, length, level.blocks[b].sum);
      std::copy_n(values + length, length, level.blocks[b].count);
    }
    state = state.subspan(head + blocks * of_block);
  }
}

}  // namespace sterna::md
