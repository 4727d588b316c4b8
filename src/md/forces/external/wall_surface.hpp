#pragma once

#include "md/core/box.hpp"
#include "md/core/vector.hpp"

namespace sterna::md {

/// Where a wall is: a plane across an axis, or a sphere.
class WallSurface {
 public:
  enum class Side {
    above,  ///< molecules are where the axis points to; outside of a sphere
    below,  ///< and the opposite
    both,
  };
  static WallSurface plane(int axis, double position, Side side);
  static WallSurface sphere(const Vec3& center, double radius, Side side);

  /// From a point of the surface, or from the sphere's center, to a place of which any image will
  /// do. What is added to it moves the place. A plane is one of places in the box: what leaves the
  /// box at one face is far from a wall at the other. Of a sphere the nearest image counts.
  Vec3 relative(const Vec3& place, const Box& box) const;
  /// The same from the nearest image of a plane, too, unless it lies in a face of the box: from
  /// there to the place as it is, so that two planes in opposite faces are told apart.
  Vec3 nearest(const Vec3& place, const Box& box) const;
  struct Foot {
    double distance;  ///< positive at the molecules' side
    Vec3 normal;      ///< in which direction it grows
  };
  Foot foot(const Vec3& relative) const;

  Side side() const { return side_; }

 private:
  bool is_sphere_ = false;
  int axis_ = 2;
  double position_ = 0.0;  ///< or the radius
  Vec3 center_;
  Side side_ = Side::above;
};

}  // namespace sterna::md
