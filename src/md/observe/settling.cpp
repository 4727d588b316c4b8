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

/// Of 6, 7 ... 24 cosines: what the test of stationarity exceeds in 1 % of the series that have
/// settled and are 60 correlation times long, worth 30 independent values, by a simulation of
/// 500,000 such series. Longer series exceed it less often.
constexpr double thresholds[] = {5.289, 4.393, 3.768, 3.344, 3.029, 2.788, 2.602,
                                 2.454, 2.334, 2.238, 2.156, 2.089, 2.029, 1.978,
                                 1.934, 1.895, 1.861, 1.831, 1.803};
constexpr std::size_t fewest_to_test = 6, most_to_test = fewest_to_test + std::size(thresholds) - 1;
/// The test looks for a random walk whose steps over the whole series have this size, relative to
/// the error of a mean.
constexpr double walk = 10.0;
/// The smallest number of values that a test is made of.
constexpr std::size_t fewest_values = fewest_to_test * values_per_cosine;
/// If the lowest 12 cosines have more than this share of the series's variance, the series is worth
/// few independent values.
constexpr double most_of_variance = 0.52;
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

SettledMean::Unrest unrest_of(std::span<const double> part, std::size_t left_out) {
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
  if (all > thresholds[cosines - fewest_to_test] * weighted) {
    return 2.0 * squares[0] > all ? drifts : wanders;
  }
  const auto of_mean = squares.begin() + static_cast<std::ptrdiff_t>(cosines_of_mean(count));
  const double variance = variance_of(ranks) * static_cast<double>(count);
  return std::accumulate(squares.begin(), of_mean, 0.0) > most_of_variance * variance ? few : none;
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

SettledMean settled_mean(std::span<const double> series, std::size_t first) {
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
  found.unrest = unrest_of(part, std::min(first, series.size()));
  return found;
}

}  // namespace sterna::md
