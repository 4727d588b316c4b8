#pragma once

#include <span>

namespace sterna::md {

/// The greatest sum of w x . R y that a rotation R gives, from the sums of w x_a y_b, a matrix row
/// by row, of two sets of points about their centers: the largest eigenvalue of the matrix of
/// quaternions (Horn, J. Opt. Soc. Am. A 4, 629 (1987)). The least sum of w |x - R y|^2 is then
/// sum w (x^2 + y^2) less twice this.
double greatest_overlap(std::span<const double, 9> sums);

}  // namespace sterna::md
