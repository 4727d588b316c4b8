#pragma once

#include <cmath>

#include "md/core/vector.hpp"

namespace sterna::md {

/// The shear that turns an orthorhombic box into a triclinic one. Its edges become (l, 0, 0), (xy,
/// l, 0) and (xz, yz, l), as in LAMMPS and GROMACS. The unsheared coordinate of a position along an
/// edge is its fraction of this edge times the edge's extent along its axis. Without a shear it
/// equals the Cartesian coordinate, bit for bit.
struct Shear {
  double x_per_y = 0.0, x_per_z = 0.0, y_per_z = 0.0;

  bool none() const { return x_per_y == 0.0 && x_per_z == 0.0 && y_per_z == 0.0; }
  /// How far the shear moves a position along the axis. The offset along x is defined by the
  /// unsheared y and z, but is computed here from the sheared position.
  double offset(const Vec3& position, int axis) const {
    if (axis == 0) return x_per_y * (position.y - y_per_z * position.z) + x_per_z * position.z;
    return axis == 1 ? y_per_z * position.z : 0.0;
  }
  Vec3 unsheared(const Vec3& position) const {
    return {position.x - offset(position, 0), position.y - offset(position, 1), position.z};
  }
  [[deprecated("Shear::upright is now Shear::unsheared")]] Vec3 upright(
      const Vec3& position) const {
    return unsheared(position);
  }
  Vec3 position(const Vec3& unsheared) const {
    return {unsheared.x + (x_per_y * unsheared.y + x_per_z * unsheared.z),
            unsheared.y + y_per_z * unsheared.z, unsheared.z};
  }
  /// The largest difference of each unsheared coordinate between two positions at this distance.
  Vec3 extent(double distance) const {
    const double x_by_z = x_per_z - x_per_y * y_per_z;
    return {distance * std::sqrt(1.0 + x_per_y * x_per_y + x_by_z * x_by_z),
            distance * std::sqrt(1.0 + y_per_z * y_per_z), distance};
  }
  [[deprecated("Shear::reach is now Shear::extent")]] Vec3 reach(double distance) const {
    return extent(distance);
  }
};

}  // namespace sterna::md
