#pragma once

#include <cstddef>
#include <span>

namespace sterna::md {

/// How many values of a stationary series tell as much as one that is independent of the others,
/// at least 1: 1 + 2 times the sum of its autocorrelation up to where that is not positive any more
/// (Chodera, Swope, Pitera, Seok, Dill, J. Chem. Theory Comput. 3, 26 (2007)).
double statistical_inefficiency(std::span<const double> series);

/// How many values at the beginning of a series are to be left out so that the rest has the most
/// independent values: what comes before equilibrium makes the rest look correlated (Chodera,
/// J. Chem. Theory Comput. 12, 1799 (2016)). 0 for fewer than `fewest` values.
std::size_t equilibration_length(std::span<const double> series, std::size_t fewest = 10);

}  // namespace sterna::md
