#include "md/observe/series_error.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace sterna::md {
namespace {

/// The window ends where it has this many times the correlation time within it.
constexpr double window_in_times = 5.0;

/// Beyond so many standard deviations an estimate is not that of white noise.
constexpr double deviations_of_noise = 3.0;

struct CorrelationTime {
  double twice;     ///< in values of the series
  double of_noise;  ///< standard deviation of this where the series is white noise
};

/// Twice the integrated autocorrelation time is 1 of white noise, and smaller where neighbors differ
/// more than others. The autocorrelation of noise at a lag is 0 with the variance 1/N.
CorrelationTime correlation_time(std::span<const double> series, double mean, double variance) {
  const std::size_t count = series.size();
  const auto all = static_cast<double>(count);
  double time = 0.5;
  std::size_t lag = 0;
  while (static_cast<double>(lag) < window_in_times * time && lag + 1 < count) {
    ++lag;
    double sum = 0.0;
    for (std::size_t k = lag; k < count; ++k) {
      sum += (series[k] - mean) * (series[k - lag] - mean);
    }
    time += sum / (all * variance);
  }
  const auto window = static_cast<double>(lag);
  return {.twice = std::max(0.0, 2.0 * time) * (1.0 + (2.0 * window + 1.0) / all),
          .of_noise = 2.0 * std::sqrt(window / all)};
}

}  // namespace

SeriesError series_error(std::span<const double> series) {
  const auto count = static_cast<double>(series.size());
  if (series.size() < 2) return {.standard_error = 0.0, .independent = count};
  const double mean = std::accumulate(series.begin(), series.end(), 0.0) / count;
  double variance = 0.0;
  for (const double x : series) variance += (x - mean) * (x - mean) / count;
  if (!std::isfinite(variance)) return {.standard_error = std::nan(""), .independent = 0.0};
  // A series that is constant up to rounding has no error.
  if (!(variance > 1e-24 * mean * mean)) return {.standard_error = 0.0, .independent = count};
  const CorrelationTime time = correlation_time(series, mean, variance);
  const double windowed = std::sqrt(variance * time.twice / count);
  return {.standard_error = std::max(windowed, settled_mean(series, 0).standard_error),
          .independent = count / std::max(1.0, time.twice),
          .is_correlated = time.twice > 1.0 + deviations_of_noise * time.of_noise};
}

void take_correlation(SettledMean& mean, std::span<const double> series) {
  const SeriesError found = series_error(series);
  const bool is_larger = !(found.standard_error <= mean.standard_error);  // also not a number
  if (!is_larger) return;
  mean.standard_error = found.standard_error;
  mean.independent = std::min(mean.independent, found.independent);
}

}  // namespace sterna::md
