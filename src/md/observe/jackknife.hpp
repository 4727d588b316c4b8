#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace sterna::md {

/// The results of sums of samples, with their standard errors.
struct Jackknife {
  std::vector<double> values, errors;
};

/// `sums`: of blocks of a run, one after the other, `each` numbers of a block; those of the blocks
/// from `first` to before `end` count. `evaluate` makes results from `each` numbers. The blocks are
/// joined to at most 8, and the errors follow from leaving out one of them at a time (Efron, SIAM
/// Review 21, 460 (1979)); 0 where there is only one.
template <class Evaluate>
Jackknife jackknife(std::span<const double> sums, std::size_t each, std::size_t first,
                    std::size_t end, const Evaluate& evaluate) {
  constexpr std::size_t most = 8;
  const std::size_t blocks = end - first, parts = std::min(most, blocks);
  std::vector<std::vector<double>> of_parts(parts, std::vector<double>(each, 0.0));
  std::vector<double> all(each, 0.0);
  for (std::size_t b = 0; b < blocks; ++b) {
    std::vector<double>& part = of_parts[b * parts / blocks];
    for (std::size_t k = 0; k < each; ++k) {
      const double value = sums[(first + b) * each + k];
      part[k] += value;
      all[k] += value;
    }
  }
  Jackknife found{.values = evaluate(all), .errors = {}};
  found.errors.assign(found.values.size(), 0.0);
  if (parts < 2) return found;
  std::vector<std::vector<double>> without;
  for (const std::vector<double>& part : of_parts) {
    std::vector<double> rest(each);
    for (std::size_t k = 0; k < each; ++k) rest[k] = all[k] - part[k];
    without.push_back(evaluate(rest));
  }
  const auto count = static_cast<double>(parts);
  for (std::size_t k = 0; k < found.errors.size(); ++k) {
    double mean = 0.0, squares = 0.0;
    for (const std::vector<double>& values : without) mean += values[k] / count;
    for (const std::vector<double>& values : without) {
      squares += (values[k] - mean) * (values[k] - mean);
    }
    found.errors[k] = std::sqrt((count - 1.0) / count * squares);
  }
  return found;
}

}  // namespace sterna::md
