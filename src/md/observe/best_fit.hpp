#pragma once

#include <span>

namespace sterna::md {

/// The largest sum of w x . R y over all rotations R, for two sets of points about their centers.
/// `sums` are the sums of w x_a y_b, a matrix row by row. The result is the largest eigenvalue of
/// the matrix of quaternions (Horn, J. Opt. Soc. Am. A 4, 629 (1987)). The smallest sum of w |x - R
/// y|^2 is sum w (x^2 + y^2) minus twice this.
double greatest_overlap(std::span<const double, 9> sums);

}  // namespace sterna::md
