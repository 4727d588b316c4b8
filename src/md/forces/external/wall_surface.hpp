#pragma once

#include "md/core/box.hpp"
#include "md/core/vector.hpp"

namespace sterna::md {

/// The surface of a wall: a plane across an axis, or a sphere.
class WallSurface {
 public:
  enum class Side {
    above,  ///< molecules are on the axis's positive side; outside a sphere
    below,  ///< the opposite side; inside a sphere
    both,
  };
  static WallSurface plane(int axis, double position, Side side);
  static WallSurface sphere(const Vec3& center, double radius, Side side);

  /// The vector from a point of the surface, or from the sphere's center, to a position in any
  /// image; adding a vector to the result moves the position. A plane does not repeat: a position
  /// that leaves the box at one face is far from a wall at the other. For a sphere the nearest
  /// image counts.
  Vec3 relative(const Vec3& place, const Box& box) const;
  /// As `relative`, from the nearest image of a plane, too, unless the plane is a face of the box.
  /// In this case the position is used as it is, so that planes in opposite faces are
  /// distinguished.
  Vec3 nearest(const Vec3& place, const Box& box) const;
  struct Foot {
    double distance;  ///< positive on the molecules' side
    Vec3 normal;      ///< direction in which the distance grows
  };
  Foot foot(const Vec3& relative) const;

  Side side() const { return side_; }

 private:
  bool is_sphere_ = false;
  int axis_ = 2;
  double position_ = 0.0;  ///< or the radius of a sphere
  Vec3 center_;
  Side side_ = Side::above;
};

}  // namespace sterna::md
