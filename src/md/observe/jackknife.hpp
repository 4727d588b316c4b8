#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "md/observe/series_error.hpp"

namespace sterna::md {

/// The results of sums of samples, with their standard errors, how many independent blocks have the
/// same errors, and whether the blocks are correlated (`SeriesError`).
struct Jackknife {
  std::vector<double> values, errors, independent;
  std::vector<char> are_correlated;
};

/// `sums`: of blocks of a run, one after the other, `each` numbers of a block; those of the blocks
/// from `first` to before `end` count. `evaluate` makes results from `each` numbers. Leaving out one
/// block at a time gives each block a value of its own, n f(all) - (n - 1) f(all others) (the
/// pseudovalues of Tukey; Efron, SIAM Review 21, 460 (1979)). To the first order a result is their
/// mean. So its error is that of the mean of a series, and neighboring blocks may be correlated.
/// Errors are 0 where there is only one block.
template <class Evaluate>
Jackknife jackknife(std::span<const double> sums, std::size_t each, std::size_t first,
                    std::size_t end, const Evaluate& evaluate) {
  const std::size_t blocks = end - first;
  std::vector<double> all(each, 0.0);
  for (std::size_t b = first; b < end; ++b) {
    for (std::size_t k = 0; k < each; ++k) all[k] += sums[b * each + k];
  }
  Jackknife found{.values = evaluate(all), .errors = {}, .independent = {}, .are_correlated = {}};
  found.errors.assign(found.values.size(), 0.0);
  found.independent.assign(found.values.size(), static_cast<double>(blocks));
  found.are_correlated.assign(found.values.size(), 0);
  if (blocks < 2) return found;
  std::vector<std::vector<double>> without;
  std::vector<double> rest(each);
  for (std::size_t b = first; b < end; ++b) {
    for (std::size_t k = 0; k < each; ++k) rest[k] = all[k] - sums[b * each + k];
    without.push_back(evaluate(rest));
  }
  const auto count = static_cast<double>(blocks);
  std::vector<double> own(blocks);
  for (std::size_t k = 0; k < found.errors.size(); ++k) {
    for (std::size_t b = 0; b < blocks; ++b) {
      own[b] = count * found.values[k] - (count - 1.0) * without[b][k];
    }
    const SeriesError error = series_error(own);
    found.errors[k] = error.standard_error;
    found.independent[k] = error.independent;
    found.are_correlated[k] = error.is_correlated ? 1 : 0;
  }
  return found;
}

}  // namespace sterna::md
