#include "md/observe/settling.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

namespace sterna::md {
namespace {

/// The largest number of cosine transforms from which the variance of the mean is estimated. Fewer
/// give a larger error; more reach the frequencies of the correlation.
constexpr std::size_t most_cosines = 12;
/// The smallest number of values for each cosine transform.
constexpr std::size_t values_per_cosine = 5;

/// Quantiles of F at 1 %, for 6, 7 ... 12 cosines: thresholds for the lowest square over the mean
/// square of the others, and for the mean of the lowest three.
struct Threshold {
  double lowest, three;
};
constexpr std::size_t fewest_to_test = 6;
constexpr Threshold thresholds[] = {{16.258, 29.457}, {13.745, 16.694}, {12.246, 12.060},
                                    {11.259, 9.780},  {10.561, 8.451},  {10.044, 7.591},
                                    {9.646, 6.992}};
/// If the lowest cosines have more than this share of the series's variance, the series is worth
/// few independent values.
constexpr double most_of_variance = 0.52;
/// A run that settles after more than this share of it is too short.
constexpr double latest = 0.4;

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

/// Squares of the lowest cosine transforms. In a settled series the mean of each is the variance of
/// the mean times the number of values.
std::vector<double> low_cosines(std::span<const double> values) {
  const std::size_t count = values.size();
  const std::size_t cosines =
      std::min(most_cosines, std::max<std::size_t>(count / values_per_cosine, 2));
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
  const std::vector<double> ranks = ranks_of(part);
  const std::vector<double> squares = low_cosines(ranks);
  const std::size_t cosines = squares.size();
  const auto total = static_cast<double>(left_out + part.size());
  if (cosines < fewest_to_test) return unknown;
  if (static_cast<double>(left_out) > latest * total) return late;
  const double lowest = squares[0];
  const double three = lowest + squares[1] + squares[2];
  const double all = std::accumulate(squares.begin(), squares.end(), 0.0);
  const auto others = static_cast<double>(cosines - 1), beyond = static_cast<double>(cosines - 3);
  const Threshold& threshold = thresholds[cosines - fewest_to_test];
  if (lowest * others > threshold.lowest * (all - lowest)) return drifts;
  if (three * beyond > threshold.three * 3.0 * (all - three)) return wanders;
  const double variance = variance_of(ranks) * static_cast<double>(part.size());
  return all > most_of_variance * variance ? few : none;
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
  const std::vector<double> squares = low_cosines(part);
  const double of_mean =
      std::accumulate(squares.begin(), squares.end(), 0.0) / static_cast<double>(squares.size());
  found.standard_error = std::sqrt(of_mean / count);
  found.error_of_half = std::numbers::sqrt2 * found.standard_error;
  found.independent = of_mean > 0.0 ? std::min(count, count * variance / of_mean) : count;
  found.unrest = unrest_of(part, std::min(first, series.size()));
  return found;
}

}  // namespace sterna::md
