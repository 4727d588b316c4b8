#pragma once

#include <vector>

#include "md/core/vector.hpp"

namespace sterna::md {

/// How an expansion about one center becomes one about another.
enum class Shift {
  multipole_to_multipole,  ///< from a child's center to its parent's
  multipole_to_local,      ///< between well separated centers
  local_to_local           ///< from a parent's center to a child's
};

/// One shift of all coefficients up to an order, in O(order^3): rotate the vector from the old to
/// the new center onto z, where coefficients of different m do not mix, shift along z, rotate back
/// (White and Head-Gordon, J. Chem. Phys. 105, 5061 (1996)). Plain tables, which the kernels apply
/// to many cells at once.
template <class Real>
struct ShiftOperator {
  int order = 0;
  std::vector<Real> cosines, sines;  ///< of m times the azimuth, m = 0 to order
  /// Rotation about y, by degree l: (l+1) x (l+1) for the cosines, l x l for the sines, element
  /// (new m', old m) at m * size + m'.
  std::vector<Real> rotations;
  /// Shift along z, by m: square of size order + 1 - m over the degrees from m on, element
  /// (new l', old l) at (l - m) * size + (l' - m).
  std::vector<Real> along_z;
};

/// From center 0 to center `vector`. Coefficients are kept near 1 by a unit of length of each
/// expansion, here `from_unit` and `to_unit`: a multipole coefficient of degree l is divided by
/// unit^l, a local one multiplied by unit^(l+1).
ShiftOperator<double> make_shift_operator(int order, Shift shift, const Vec3& vector,
                                          double from_unit, double to_unit);
ShiftOperator<float> narrowed(const ShiftOperator<double>& wide);

}  // namespace sterna::md
