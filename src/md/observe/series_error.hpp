#pragma once

#include <span>

#include "md/observe/settling.hpp"

namespace sterna::md {

/// The standard error of the mean of a series in equilibrium, and how many independent values have
/// the same error. Where the variance is not finite, the error is not a number, and no value counts as
/// independent.
struct SeriesError {
  double standard_error = 0.0;
  double independent = 0.0;
  /// Whether the correlation is more than white noise of this length has by chance: by at least three
  /// standard deviations, which the estimate for noise passes in 1 to 2 % of series.
  bool is_correlated = false;
};

/// The larger one of two estimates, as each is too small for some series. One integrates the
/// autocorrelation up to 5 times the time that this gives (Sokal's automatic window; U. Wolff,
/// Comput. Phys. Commun. 156, 143 (2004), with its correction of the bias). It misses slow changes
/// that are small beside fast ones. The other one has the lowest frequencies (settled_mean). It
/// misses correlation in short series. At 50 correlation times the error is still 10 % too small.
SeriesError series_error(std::span<const double> series);

/// Gives the mean of this series the larger error, and no more independent values than it has by
/// that. Where the variance is not finite, neither is the error.
void take_correlation(SettledMean& mean, std::span<const double> series);

}  // namespace sterna::md
