#pragma once

#include <cstddef>
#include <span>

namespace sterna::md {

/// The number of values at the beginning of a series to leave out, at most half of them. It
/// minimizes the variance of the remaining values divided by their number (MSER: White, Simulation
/// 69, 323 (1997)). Ranks are used instead of values, so that an outlier, such as the energy of the
/// lattice at the start, is just one high value. 0 if there are fewer than 10 values.
std::size_t settled_from(std::span<const double> series);

/// The mean of a part of a series, its error, and whether it is a mean of equilibrium.
struct SettledMean {
  /// Reasons why a mean may not be a mean of equilibrium.
  enum class Unrest {
    none,
    unknown,  ///< too few values to tell
    late,     ///< most of the run is left out
    drifts,   ///< the mean changes in one direction
    wanders,  ///< slow changes are larger than the fast ones explain
    few,      ///< the part has too few independent values
  };
  double mean = 0.0;
  double standard_error = 0.0;
  double independent = 0.0;  ///< number of uncorrelated values whose mean varies as much
  Unrest unrest = Unrest::unknown;
  double first_half = 0.0, second_half = 0.0;  ///< means of the halves
  double error_of_half = 0.0;
};

/// The mean of the values from `first` on. The error follows from the average of the squares of the
/// lowest cosine transforms, which in a settled series have the variance of its mean: 12 of them,
/// or fewer for short series (Lazarus, Lewis, Stock and Watson, J. Bus. Econ. Stat. 36, 541
/// (2018)). It has the factor of Student's t, so that 68 % of means are within one error. A test of
/// ranks tells whether slow changes are larger than the fast ones explain: the low-frequency test
/// of stationarity (Müller and Watson, Econometrica 76, 979 (2008)) of the lowest 24 cosines, or
/// fewer. `together` is the number of series of a run that are tested, up to 4. Each test has 2 %
/// divided by it, so that a settled run is told to be unsettled by any of them in at most 2 %
/// (Bonferroni; Dunn, J. Am. Stat. Assoc. 56, 52 (1961)).
SettledMean settled_mean(std::span<const double> series, std::size_t first,
                         std::size_t together = 1);

}  // namespace sterna::md
