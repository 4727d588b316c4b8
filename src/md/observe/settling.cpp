#include "md/observe/settling.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <numbers>
#include <numeric>
#include <vector>

namespace sterna::md {
namespace {

/// The largest number of cosine transforms from which the variance of the mean is estimated. Fewer
/// give a larger error; more reach the frequencies of the correlation.
constexpr std::size_t most_cosines = 12;
/// The smallest number of values for each cosine transform: of those, and of the ones that a test
/// compares.
constexpr std::size_t values_per_cosine = 5, values_per_tested_cosine = 3;

/// The number of series of a run that thresholds are known for.
constexpr std::size_t most_together = 4;
/// Of 10, 11 ... 24 cosines: what the test of stationarity exceeds in 2 %, 1 %, 0.67 % and 0.5 % of
/// the series that have settled and are 60 correlation times long, worth 30 independent values.
/// Longer series exceed it less often. By tests/campaign/settling_thresholds.py.
constexpr double thresholds[][most_together] = {
    {2.692, 3.010, 3.212, 3.359},  // 10
    {2.500, 2.771, 2.937, 3.068},  // 11
    {2.352, 2.588, 2.736, 2.850},  // 12
    {2.226, 2.434, 2.565, 2.659},  // 13
    {2.128, 2.316, 2.432, 2.517},  // 14
    {2.049, 2.220, 2.328, 2.403},  // 15
    {1.979, 2.139, 2.237, 2.307},  // 16
    {1.920, 2.063, 2.155, 2.219},  // 17
    {1.870, 2.008, 2.095, 2.156},  // 18
    {1.827, 1.958, 2.037, 2.093},  // 19
    {1.795, 1.918, 1.990, 2.046},  // 20
    {1.760, 1.874, 1.947, 1.998},  // 21
    {1.732, 1.844, 1.911, 1.961},  // 22
    {1.705, 1.813, 1.879, 1.926},  // 23
    {1.700, 1.804, 1.866, 1.911},  // 24
};
constexpr std::size_t fewest_to_test = 10,
                      most_to_test = fewest_to_test + std::size(thresholds) - 1;
/// The test looks for a random walk whose steps over the whole series have this size, relative to
/// the error of a mean.
constexpr double walk = 10.0;
/// The smallest number of values that a test is made of.
constexpr std::size_t fewest_values = fewest_to_test * values_per_tested_cosine;
/// If the lowest 12 cosines have more than this share of the series's variance, the series is worth
/// few independent values. Of series that are worth 30, 3.3 % have a larger share than the first
/// number, and 1.65 %, 1.1 % and 0.83 % than the following ones (the same script).
constexpr double most_of_variance[most_together] = {0.521, 0.549, 0.564, 0.573};
/// A run that settles after more than this share of it is too short: what is left is to be at least
/// twice as long as what is left out.
constexpr double latest = 1.0 / 3.0;

/// A normal distribution has 68 % of its values within one standard deviation. Student's t with so
/// many degrees of freedom has as many within this number of them (Cornish and Fisher's expansion
/// for large numbers, right to 0.001 for 6 or more).
double student_factor(std::size_t freedom) {
  const auto n = static_cast<double>(freedom);
  return 1.0 + 1.0 / (2.0 * n) + 1.0 / (4.0 * n * n);
}

std::vector<double> ranks_of(std::span<const double> series) {
  std::vector<std::size_t> order(series.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return series[i]; });
  std::vector<double> ranks(series.size());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin;
    while (end < order.size() && series[order[end]] == series[order[begin]]) ++end;
    // Equal values get the mean of their ranks.
    for (std::size_t k = begin; k < end; ++k) {
      ranks[order[k]] = 0.5 * static_cast<double>(begin + end - 1);
    }
    begin = end;
  }
  return ranks;
}

double mean_of(std::span<const double> values) {
  if (values.empty()) return 0.0;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double variance_of(std::span<const double> values) {
  const double mean = mean_of(values);
  double sum = 0.0;
  for (const double x : values) sum += (x - mean) * (x - mean);
  return sum / static_cast<double>(values.size());
}

/// The number of cosines from which the variance of the mean is estimated.
std::size_t cosines_of_mean(std::size_t count) {
  return std::min(most_cosines, std::max<std::size_t>(count / values_per_cosine, 2));
}

/// Squares of the lowest cosine transforms. In a settled series the mean of each is the variance of
/// the mean times the number of values.
std::vector<double> low_cosines(std::span<const double> values, std::size_t cosines) {
  const std::size_t count = values.size();
  const double mean = mean_of(values);
  std::vector<double> squares;
  for (std::size_t j = 1; j <= cosines; ++j) {
    const double step = std::numbers::pi * static_cast<double>(j) / static_cast<double>(count);
    double sum = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
      sum += (values[i] - mean) * std::cos(step * (static_cast<double>(i) + 0.5));
    }
    squares.push_back(2.0 / static_cast<double>(count) * sum * sum);
  }
  return squares;
}

SettledMean::Unrest unrest_of(std::span<const double> part, std::size_t left_out,
                              std::size_t together) {
  using enum SettledMean::Unrest;
  const std::size_t count = part.size();
  if (count < fewest_values) return unknown;
  const auto total = static_cast<double>(left_out + count);
  if (static_cast<double>(left_out) > latest * total) return late;
  const std::vector<double> ranks = ranks_of(part);
  const std::size_t cosines = std::min(most_to_test, count / values_per_tested_cosine);
  const std::vector<double> squares = low_cosines(ranks, cosines);
  double all = 0.0, weighted = 0.0;
  for (std::size_t j = 0; j < cosines; ++j) {
    const double of_walk = walk / (std::numbers::pi * static_cast<double>(j + 1));
    all += squares[j];
    weighted += squares[j] / (1.0 + of_walk * of_walk);
  }
  const std::size_t level = std::clamp<std::size_t>(together, 1, most_together) - 1;
  if (all > thresholds[cosines - fewest_to_test][level] * weighted) {
    return 2.0 * squares[0] > all ? drifts : wanders;
  }
  const auto of_mean = squares.begin() + static_cast<std::ptrdiff_t>(cosines_of_mean(count));
  const double variance = variance_of(ranks) * static_cast<double>(count);
  const double of_lowest = std::accumulate(squares.begin(), of_mean, 0.0);
  return of_lowest > most_of_variance[level] * variance ? few : none;
}

}  // namespace

std::size_t settled_from(std::span<const double> series) {
  constexpr std::size_t fewest = 10;
  const std::size_t count = series.size();
  if (count < fewest) return 0;
  const std::vector<double> ranks = ranks_of(series);
  const double middle = mean_of(ranks);
  double sum = 0.0, squares = 0.0, least = 0.0;
  std::size_t best = 0;
  for (std::size_t first = count; first-- > 0;) {
    const double x = ranks[first] - middle;
    sum += x;
    squares += x * x;
    const auto rest = static_cast<double>(count - first);
    const double variance = squares / rest - sum * sum / (rest * rest);
    if (first > count / 2) continue;
    // Of equally good points the first is chosen, so that no values are left out without need.
    if (first == count / 2 || variance / rest <= least) {
      least = variance / rest;
      best = first;
    }
  }
  return best;
}

SettledMean settled_mean(std::span<const double> series, std::size_t first, std::size_t together) {
  const auto part = series.subspan(std::min(first, series.size()));
  const auto count = static_cast<double>(part.size());
  SettledMean found{.mean = mean_of(part), .independent = count};
  if (part.size() < 2) return found;
  const auto half = part.size() / 2;
  found.first_half = mean_of(part.first(half));
  found.second_half = mean_of(part.subspan(half));
  const double variance = variance_of(part);
  if (!(variance > 1e-24 * found.mean * found.mean)) {  // constant up to rounding
    found.unrest = SettledMean::Unrest::none;
    return found;
  }
  const std::vector<double> squares = low_cosines(part, cosines_of_mean(part.size()));
  const double of_mean =
      std::accumulate(squares.begin(), squares.end(), 0.0) / static_cast<double>(squares.size());
  found.standard_error = student_factor(squares.size()) * std::sqrt(of_mean / count);
  found.error_of_half = std::numbers::sqrt2 * found.standard_error;
  found.independent = of_mean > 0.0 ? std::min(count, count * variance / of_mean) : count;
  found.unrest = unrest_of(part, std::min(first, series.size()), together);
  return found;
}

}  // namespace sterna::md
