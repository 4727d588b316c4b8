#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "md/core/vector.hpp"

namespace sterna::md {

/// The distance between two points, which are numbered from 0.
struct PointDistance {
  std::uint32_t first, second;
  double distance;
};

/// Points whose distances determine them up to rigid motion and reflection.
struct RigidShape {
  std::vector<Vec3> points;
  int dimension;  ///< of their span: 1 line, 2 plane, 3 space

  /// The number of translations and rotations.
  int degrees_of_freedom() const { return dimension == 1 ? 5 : 6; }
};

/// The shape of `count` points; see rigid_shape.cpp. `tolerance` is the largest relative
/// contradiction between distances. Nothing if the distances leave the points free, or if no points
/// have these distances.
std::optional<RigidShape> rigid_shape(std::size_t count, std::span<const PointDistance> distances,
                                      double tolerance);

}  // namespace sterna::md
