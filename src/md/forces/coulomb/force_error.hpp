#pragma once

#include <array>
#include <span>

#include "md/forces/coulomb/fmm/point_charges.hpp"

namespace sterna::md {

/// Root of the mean square error of forces, relative to that of the reference. Sums of squares, to
/// be added up over ranks: of the differences, of the reference with what other forces there are, of what the sources are, of all
/// sources.
class ForceError {
 public:
  /// Adds forces on sources of this rank. `other_forces`: on each source besides, or empty.
  void add(std::span<const Vec3> forces, std::span<const Vec3> reference,
           const PointCharges& charges, std::span<const Vec3> other_forces);
  std::array<double, 5>& sums() { return sums_; }
  /// Forces in a perfect crystal are 0, and so errors relative to them have no meaning: they are
  /// compared with at least a tenth of the force of two charges, or two dipoles, at the mean
  /// distance of sources in a box of `volume`.
  double relative(double volume) const;

 private:
  std::array<double, 5> sums_{};
};

}  // namespace sterna::md
