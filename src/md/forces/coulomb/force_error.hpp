#pragma once

#include <array>
#include <span>

#include "md/forces/coulomb/fmm/point_charges.hpp"

namespace sterna::md {

/// Root mean square error of forces, relative to the reference. It is computed from sums of
/// squares, which are added over the ranks: of the differences, of the reference with other forces
/// added, of the charges and dipoles, their number, and of the reference alone.
class ForceError {
 public:
  /// Adds the forces on charges of this rank. `other_forces`: further forces on each charge; may be
  /// empty.
  void add(std::span<const Vec3> forces, std::span<const Vec3> reference,
           const PointCharges& charges, std::span<const Vec3> other_forces);
  std::array<double, 6>& sums() { return sums_; }
  /// The relative error. In a perfect crystal forces are 0, and errors relative to them have no
  /// meaning. So errors are compared with at least a tenth of a usual force: that between two
  /// charges, or two dipoles, at the mean distance of charges in a box of `volume`.
  double relative(double volume) const;
  /// Estimated error of the near field by single precision, relative to the same size. Positions
  /// are rounded relative to leaves with this edge. The error is small in a liquid. In a dilute gas
  /// of molecules leaves are wide, and large forces between close charges of a molecule are
  /// computed and subtracted.
  double rounding(double volume, double leaf_edge) const;

 private:
  /// The sum of squares with which errors are compared.
  double size(double volume) const;

  std::array<double, 6> sums_{};
};

}  // namespace sterna::md
