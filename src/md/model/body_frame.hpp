#pragma once

#include <span>

#include "md/core/quaternion.hpp"
#include "md/core/vector.hpp"

namespace sterna::md {

struct PointMass {
  Vec3 position;
  double mass;
};

/// The frame in which a rigid body moves most simply: origin at the center of mass, axes along the
/// principal axes of inertia.
struct BodyFrame {
  Vec3 center;             ///< in the frame of the points
  Quaternion orientation;  ///< body to the frame of the points
  Vec3 inertia;            ///< principal moments; exactly 0 where there is no rotation

  Vec3 from_points(const Vec3& position) const { return orientation.to_body(position - center); }
};

/// Of at least one mass greater than 0. Where the points are at principal axes about their center
/// already, to `rounding` of their extent, the frame is theirs; else the axes are numbered and
/// directed so that the turn from their frame is small. Default: the rounding of published numbers.
BodyFrame body_frame(std::span<const PointMass> masses, double rounding = 1e-5);

}  // namespace sterna::md
