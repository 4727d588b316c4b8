#include "md/observe/equilibration.hpp"

#include <algorithm>

namespace sterna::md {

double statistical_inefficiency(std::span<const double> series) {
  const std::size_t count = series.size();
  if (count < 3) return 1.0;
  double mean = 0.0, variance = 0.0;
  for (const double x : series) mean += x / static_cast<double>(count);
  for (const double x : series) variance += (x - mean) * (x - mean) / static_cast<double>(count);
  if (!(variance > 1e-24 * mean * mean)) return 1.0;  // but for rounding it is constant
  double inefficiency = 1.0;
  constexpr std::size_t at_least = 3;  // lags, as one correlation may be negative by chance
  for (std::size_t lag = 1; lag + 1 < count; ++lag) {
    double product = 0.0;
    for (std::size_t i = 0; i + lag < count; ++i) {
      product += (series[i] - mean) * (series[i + lag] - mean);
    }
    const double correlation = product / (variance * static_cast<double>(count - lag));
    if (correlation <= 0.0 && lag > at_least) break;
    inefficiency +=
        2.0 * correlation * (1.0 - static_cast<double>(lag) / static_cast<double>(count));
  }
  return std::max(1.0, inefficiency);
}

std::size_t equilibration_length(std::span<const double> series, std::size_t fewest) {
  std::size_t best = 0;
  double most = 0.0;
  for (std::size_t first = 0; first + fewest <= series.size(); ++first) {
    const auto rest = series.subspan(first);
    const double independent = static_cast<double>(rest.size()) / statistical_inefficiency(rest);
    // Of equals the first: nothing is left out without need.
    if (independent <= most * (1.0 + 1e-12)) continue;
    most = independent;
    best = first;
  }
  return best;
}

}  // namespace sterna::md
