#include "md/observe/observer.hpp"

#include <algorithm>
#include <cmath>

namespace sterna::md {
namespace {

void add_to(std::vector<double>& sums, std::span<const double> values) {
  sums.resize(std::max(sums.size(), values.size()), 0.0);
  for (std::size_t k = 0; k < values.size(); ++k) sums[k] += values[k];
}

/// The number of blocks with which all blocks of a rank take at most 64 MiB, but at least four.
std::size_t most_blocks(std::size_t numbers) {
  constexpr std::size_t most_numbers = std::size_t{1} << 23;
  const std::size_t fit = most_numbers / std::max<std::size_t>(numbers, 1);
  return std::clamp<std::size_t>(fit, 4, SampleBlocks::usual) & ~std::size_t{1};
}

}  // namespace

void Observer::sample_once(const Frame& frame) {
  if (frame.step <= latest_step_) return;
  latest_step_ = frame.step;
  if (adds_up()) {
    if (blocks_.samples() == 0) blocks_ = SampleBlocks(most_blocks(sums().size()));
    const bool first = blocks_.samples() == 0;
    const SampleBlocks::Change change = blocks_.begin_sample(frame.step);
    if (change.begins && !first) close_block();
    if (change.merges) {
      for (std::size_t block = 0; block < closed_.size() / 2; ++block) {
        Block both = std::move(closed_[2 * block]);
        add_to(both.common, closed_[2 * block + 1].common);
        add_to(both.sums, closed_[2 * block + 1].sums);
        closed_[block] = std::move(both);
      }
      closed_.resize(closed_.size() / 2);
    }
  }
  sample(frame);
}

void Observer::close_block() {
  closed_.push_back({common(), {sums().begin(), sums().end()}});
  set_common(std::vector<double>(closed_.back().common.size(), 0.0));
  std::ranges::fill(sums(), 0.0);
}

std::vector<double> Observer::sums_from(std::int64_t first_step) {
  std::vector<double> total(sums().begin(), sums().end());
  for (std::size_t b = blocks_.block_from(first_step); b < closed_.size(); ++b) {
    add_to(total, closed_[b].sums);
  }
  return total;
}

ObserverReport Observer::report_from(std::int64_t first_step, std::span<const double> all_sums) {
  const std::vector<double> present = common();
  std::vector<double> total = present;
  for (std::size_t b = blocks_.block_from(first_step); b < closed_.size(); ++b) {
    add_to(total, closed_[b].common);
  }
  if (!closed_.empty()) set_common(total);
  reported_from_ = first_step;
  ObserverReport found = report(all_sums);
  reported_from_ = 0;
  if (!closed_.empty()) set_common(present);
  return found;
}

std::vector<std::span<const std::byte>> Observer::pieces() {
  std::vector<std::span<const std::byte>> all{std::as_bytes(sums())};
  for (const Block& block : closed_) all.push_back(std::as_bytes(std::span(block.sums)));
  const auto past = history();
  all.insert(all.end(), past.begin(), past.end());
  return all;
}

std::vector<double> Observer::state_of_blocks() const {
  if (closed_.empty() && blocks_.samples() == 0) return {};
  std::vector<std::vector<double>> lists{blocks_.state()};
  for (const Block& block : closed_) lists.push_back(block.common);
  return joined_lists(lists);
}

bool Observer::set_state_of_blocks(std::span<const double> state) {
  closed_.clear();
  blocks_ = SampleBlocks(most_blocks(sums().size()));
  if (state.empty()) return true;
  const auto lists = separate_lists(state);
  if (lists.empty() || !blocks_.set_state(lists[0]) || lists.size() != blocks_.count()) {
    return false;
  }
  for (std::size_t b = 1; b < lists.size(); ++b) {
    closed_.push_back({lists[b], std::vector<double>(sums().size(), 0.0)});
  }
  return true;
}

}  // namespace sterna::md
