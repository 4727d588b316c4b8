#include "md/observe/batch_means.hpp"

#include <algorithm>

#include "md/observe/series_error.hpp"

namespace sterna::md {

void BatchMeans::add(std::int64_t step, std::span<const double> values) {
  if (in_sums_ == 0) {
    sums_.assign(quantities_, 0.0);
    sums_first_step_ = step;
  }
  for (std::size_t q = 0; q < quantities_; ++q) sums_[q] += values[q];
  ++in_sums_;
  ++count_;
  latest_step_ = step;
  if (in_sums_ < batch_length_) return;
  for (const double sum : sums_) means_.push_back(sum / static_cast<double>(batch_length_));
  first_steps_.push_back(sums_first_step_);
  in_sums_ = 0;
  if (batch_count() == most_batches) merge_neighbors();
}

void BatchMeans::merge_neighbors() {
  const std::size_t half = batch_count() / 2;
  for (std::size_t batch = 0; batch < half; ++batch) {
    first_steps_[batch] = first_steps_[2 * batch];
    for (std::size_t q = 0; q < quantities_; ++q) {
      means_[batch * quantities_ + q] =
          0.5 * (means_[2 * batch * quantities_ + q] + means_[(2 * batch + 1) * quantities_ + q]);
    }
  }
  first_steps_.resize(half);
  means_.resize(half * quantities_);
  batch_length_ *= 2;
}

std::vector<double> BatchMeans::means(std::size_t quantity) const {
  std::vector<double> means;
  for (std::size_t at = quantity; at < means_.size(); at += quantities_) {
    means.push_back(means_[at]);
  }
  return means;
}

double BatchMeans::mean_from(std::size_t batch, std::size_t quantity) const {
  double sum = in_sums_ > 0 ? sums_[quantity] : 0.0;
  for (std::size_t b = batch; b < batch_count(); ++b) {
    sum += means_[b * quantities_ + quantity] * static_cast<double>(batch_length_);
  }
  const auto before = static_cast<std::int64_t>(batch) * batch_length_;
  return count_ > before ? sum / static_cast<double>(count_ - before) : 0.0;
}

std::size_t BatchMeans::batch_from(std::int64_t step) const {
  const auto found = std::ranges::lower_bound(first_steps_, step);
  const auto batch = static_cast<std::size_t>(found - first_steps_.begin());
  return first_steps_.empty() ? 0 : std::min(batch, first_steps_.size() - 1);
}

SettledMean BatchMeans::average(std::size_t quantity, std::int64_t first_step) const {
  const std::size_t first = batch_from(first_step);
  const std::vector<double> all = means(quantity);
  const auto settled = std::span(all).subspan(first);
  SettledMean found = settled_mean(settled, 0);
  take_correlation(found, settled);
  found.mean = mean_from(first, quantity);
  return found;
}

std::vector<double> BatchMeans::state() const {
  std::vector<double> state{
      static_cast<double>(quantities_),   static_cast<double>(count_),
      static_cast<double>(batch_length_), static_cast<double>(latest_step_),
      static_cast<double>(in_sums_),      static_cast<double>(sums_first_step_),
      static_cast<double>(batch_count())};
  for (const std::int64_t step : first_steps_) state.push_back(static_cast<double>(step));
  state.insert(state.end(), means_.begin(), means_.end());
  if (in_sums_ > 0) state.insert(state.end(), sums_.begin(), sums_.end());
  return state;
}

void BatchMeans::set_state(std::span<const double> state) {
  constexpr std::size_t numbers = 7;
  if (state.size() < numbers || state[0] != static_cast<double>(quantities_)) return;
  const auto batches = static_cast<std::size_t>(state[6]);
  const std::size_t of_sums = state[4] > 0.0 ? quantities_ : 0;
  if (state.size() != numbers + batches * (1 + quantities_) + of_sums) return;
  const auto whole = [&](std::size_t k) { return static_cast<std::int64_t>(state[k]); };
  count_ = whole(1);
  batch_length_ = whole(2);
  latest_step_ = whole(3);
  in_sums_ = whole(4);
  sums_first_step_ = whole(5);
  first_steps_.clear();
  for (std::size_t b = 0; b < batches; ++b) first_steps_.push_back(whole(numbers + b));
  const auto means = state.subspan(numbers + batches, batches * quantities_);
  means_.assign(means.begin(), means.end());
  const auto sums = state.last(of_sums);
  sums_.assign(sums.begin(), sums.end());
}

}  // namespace sterna::md
