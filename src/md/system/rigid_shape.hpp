#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "md/core/vector.hpp"

namespace sterna::md {

/// How far two points are from each other, by their numbers from 0.
struct PointDistance {
  std::uint32_t first, second;
  double distance;
};

/// Points that distances between them fix, but for a motion of all and a mirror.
struct RigidShape {
  std::vector<Vec3> points;
  int dimension;  ///< 1: they lie in a line; 2: in a plane; 3

  /// To move and to turn.
  int degrees_of_freedom() const { return dimension == 1 ? 5 : 6; }
};

/// See rigid_shape.cpp. `tolerance`: how far distances may contradict each other, relative. Nothing
/// where they leave the points free, or where no points have them.
std::optional<RigidShape> rigid_shape(std::size_t count, std::span<const PointDistance> distances,
                                      double tolerance);

}  // namespace sterna::md
