#pragma once

#include <span>

#include "md/core/quaternion.hpp"

namespace sterna::md {

/// The rotation Q that makes the sum of w x . Q^-1 y greatest, from the sums of w x_a y_b, a matrix
/// row by row, of two sets of points about their centers: it turns the points x onto the points y.
/// The quaternion is that of the largest eigenvalue of Horn's matrix (J. Opt. Soc. Am. A 4, 629
/// (1987)), which is this sum.
struct BestFit {
  double overlap;
  Quaternion rotation;
};
BestFit best_fit(std::span<const double, 9> sums);

}  // namespace sterna::md
