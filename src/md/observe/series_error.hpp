#pragma once

#include <span>

namespace sterna::md {

/// The standard error of the mean of a series in equilibrium, and how many independent values have
/// the same error.
struct SeriesError {
  double standard_error = 0.0;
  double independent = 0.0;
};

/// The larger one of two estimates, as each is too small for some series. One integrates the
/// autocorrelation up to 5 times the time that this gives (Sokal's automatic window; U. Wolff,
/// Comput. Phys. Commun. 156, 143 (2004), with its correction of the bias). It misses slow changes
/// that are small beside fast ones. The other one has the lowest frequencies (settled_mean). It
/// misses correlation in short series. At 50 correlation times the error is still 10 % too small.
SeriesError series_error(std::span<const double> series);

}  // namespace sterna::md
