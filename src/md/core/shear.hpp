#pragma once

#include <cmath>

#include "md/core/vector.hpp"

namespace sterna::md {

/// Leans an upright box with edges along x, y and z so that its edges become (l, 0, 0), (xy, l, 0),
/// (xz, yz, l): triclinic cells in the convention of LAMMPS and GROMACS. Upright coordinates of a
/// position are those that it has before: the fraction of each edge times that edge's extent along
/// its axis. Without a shear they are the position itself, bit for bit.
struct Shear {
  double x_per_y = 0.0, x_per_z = 0.0, y_per_z = 0.0;

  bool none() const { return x_per_y == 0.0 && x_per_z == 0.0 && y_per_z == 0.0; }
  /// How far the shear moves a position along the axis. That along x is of the upright coordinates
  /// along y and z, but needs only the position.
  double offset(const Vec3& position, int axis) const {
    if (axis == 0) return x_per_y * (position.y - y_per_z * position.z) + x_per_z * position.z;
    return axis == 1 ? y_per_z * position.z : 0.0;
  }
  Vec3 upright(const Vec3& position) const {
    return {position.x - offset(position, 0), position.y - offset(position, 1), position.z};
  }
  Vec3 position(const Vec3& upright) const {
    return {upright.x + (x_per_y * upright.y + x_per_z * upright.z),
            upright.y + y_per_z * upright.z, upright.z};
  }
  /// The most that each upright coordinate can differ between positions that are `distance` apart.
  Vec3 reach(double distance) const {
    const double x_by_z = x_per_z - x_per_y * y_per_z;
    return {distance * std::sqrt(1.0 + x_per_y * x_per_y + x_by_z * x_by_z),
            distance * std::sqrt(1.0 + y_per_z * y_per_z), distance};
  }
};

}  // namespace sterna::md
