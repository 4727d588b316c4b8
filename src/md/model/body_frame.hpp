#pragma once

#include <span>

#include "md/core/quaternion.hpp"
#include "md/core/vector.hpp"

namespace sterna::md {

struct PointMass {
  Vec3 position;
  double mass;
};

/// The frame in which the equations of a rigid body are simplest: the origin is the center of mass,
/// the axes are the principal axes of inertia.
struct BodyFrame {
  Vec3 center;             ///< in the frame of the points
  Quaternion orientation;  ///< body to the frame of the points
  Vec3 inertia;            ///< principal moments; exactly 0 about an axis without rotation

  Vec3 from_points(const Vec3& position) const { return orientation.to_body(position - center); }
};

/// The frame of mass points with a total mass above 0. If the points are already given in their
/// principal axes about the center, to `rounding` of their extent, their frame is kept. Otherwise
/// axes are numbered and directed so that the rotation is small. The default is the rounding of
/// published numbers.
BodyFrame body_frame(std::span<const PointMass> masses, double rounding = 1e-5);

}  // namespace sterna::md
