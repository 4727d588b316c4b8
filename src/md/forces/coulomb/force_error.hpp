#pragma once

#include <array>
#include <span>

#include "md/forces/coulomb/fmm/point_charges.hpp"

namespace sterna::md {

/// Root of the mean square error of forces, relative to that of the reference. Sums of squares, to
/// be added up over ranks: of the differences, of the reference with what other forces there are, of
/// what the sources are, of all sources, of the reference alone.
class ForceError {
 public:
  /// Adds forces on sources of this rank. `other_forces`: on each source besides, or empty.
  void add(std::span<const Vec3> forces, std::span<const Vec3> reference,
           const PointCharges& charges, std::span<const Vec3> other_forces);
  std::array<double, 6>& sums() { return sums_; }
  /// Forces in a perfect crystal are 0, and so errors relative to them have no meaning: they are
  /// compared with at least a tenth of the force of two charges, or two dipoles, at the mean
  /// distance of sources in a box of `volume`.
  double relative(double volume) const;
  /// What single precision does to the near field, by estimate and relative to the same: positions
  /// are rounded in leaves of this edge. Little in a liquid. In a dilute gas of molecules leaves are
  /// wide, and the large forces of close charges in a molecule are taken off again by the others.
  double rounding(double volume, double leaf_edge) const;

 private:
  /// The sum of squares that errors are compared with.
  double size(double volume) const;

  std::array<double, 6> sums_{};
};

}  // namespace sterna::md
