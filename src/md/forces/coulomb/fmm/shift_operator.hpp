#pragma once

#include <vector>

#include "md/core/vector.hpp"

namespace sterna::md {

/// The kinds of shifts from an expansion about one center to an expansion about another.
enum class Shift {
  multipole_to_multipole,  ///< from a child's center to its parent's
  multipole_to_local,      ///< between well separated centers
  local_to_local           ///< from a parent's center to a child's
};

/// A shift of all coefficients up to an order in O(order^3). The vector from the old to the new
/// center is rotated onto z, where coefficients of different m do not mix. The shift along z follows,
/// then the rotation back (White and Head-Gordon, J. Chem. Phys. 105, 5061 (1996)). The tables are
/// plain, and the kernels apply them to many cells at once.
template <class Real>
struct ShiftOperator {
  int order = 0;
  std::vector<Real> cosines, sines;  ///< of m times the azimuth, for m = 0 to order
  /// The rotation about y, by degree l: (l+1) x (l+1) for cosines, l x l for sines, with element
  /// (new m', old m) at m * size + m'.
  std::vector<Real> rotations;
  /// The shift along z, by m: a square of size order + 1 - m over the degrees from m on, with
  /// element (new l', old l) at (l - m) * size + (l' - m).
  std::vector<Real> along_z;
};

/// The shift from center 0 to center `vector`. Each expansion has a unit of length that keeps its
/// coefficients near 1, here `from_unit` and `to_unit`: a multipole coefficient of degree l is
/// divided by unit^l, a local one is multiplied by unit^(l+1).
ShiftOperator<double> make_shift_operator(int order, Shift shift, const Vec3& vector,
                                          double from_unit, double to_unit);
ShiftOperator<float> narrowed(const ShiftOperator<double>& wide);

}  // namespace sterna::md
