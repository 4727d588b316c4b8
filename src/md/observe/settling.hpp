#pragma once

#include <cstddef>
#include <span>

namespace sterna::md {

/// How many values at the beginning of a series are to be left out, at most half of them: those
/// without which the mean of the rest has the least variance over its number of values (MSER: White,
/// Simulation 69, 323 (1997)). It looks at the ranks of the values, so that an outlier, such as the
/// energy of the lattice of the start, is one high value among others. 0 for fewer than 10.
std::size_t settled_from(std::span<const double> series);

/// The mean of a part of a series, and what its values tell of the mean.
struct SettledMean {
  /// What speaks against a mean of equilibrium.
  enum class Unrest {
    none,
    unknown,  ///< too few values to tell
    late,     ///< most of the run is left out
    drifts,   ///< the mean changes
    wanders,  ///< slow changes are much larger than fast ones tell
    few,      ///< the part is worth too few independent values
  };
  double mean = 0.0;
  double standard_error = 0.0;
  double independent = 0.0;  ///< values without correlation that would tell as much
  Unrest unrest = Unrest::unknown;
  double first_half = 0.0, second_half = 0.0;  ///< means of the halves
  double error_of_half = 0.0;
};

/// Of the values from `first` on. The error is that of the average of the lowest cosine transforms
/// of the series, which have the variance of its mean where it settled: 12 of them, or fewer of
/// short series (Lazarus, Lewis, Stock and Watson, J. Bus. Econ. Stat. 36, 541 (2018)). Whether
/// the lowest one, or three, are larger than all is what an F test tells, to 1 % each, by ranks.
SettledMean settled_mean(std::span<const double> series, std::size_t first);

}  // namespace sterna::md
