#include "md/forces/external/wall_surface.hpp"

#include <cmath>

namespace sterna::md {

WallSurface WallSurface::plane(int axis, double position, Side side) {
  WallSurface surface;
  surface.axis_ = axis;
  surface.position_ = position;
  surface.side_ = side;
  return surface;
}

WallSurface WallSurface::sphere(const Vec3& center, double radius, Side side) {
  WallSurface surface;
  surface.is_sphere_ = true;
  surface.center_ = center;
  surface.position_ = radius;
  surface.side_ = side;
  return surface;
}

Vec3 WallSurface::relative(const Vec3& place, const Box& box) const {
  int image[3];
  if (is_sphere_) {
    const Vec3 half = box.translation(0.5, 0.5, 0.5);
    return box.wrap(place - center_ + half, image) - half;
  }
  Vec3 relative;
  relative[axis_] = box.wrap(place, image)[axis_] - position_;
  return relative;
}

Vec3 WallSurface::nearest(const Vec3& place, const Box& box) const {
  if (is_sphere_) return this->relative(place, box);
  Vec3 relative;
  relative[axis_] = place[axis_] - position_;
  const double edge = box.length[axis_], rounding = 1e-6 * edge;
  if (position_ < rounding || position_ > edge - rounding) return relative;
  relative[axis_] -= box.length[axis_] * std::round(relative[axis_] / box.length[axis_]);
  return relative;
}

WallSurface::Foot WallSurface::foot(const Vec3& relative) const {
  Foot foot{0.0, {}};
  if (is_sphere_) {
    const double length = std::sqrt(dot(relative, relative));
    foot.distance = length - position_;
    if (length > 0.0) foot.normal = (1.0 / length) * relative;
  } else {
    foot.distance = relative[axis_];
    foot.normal[axis_] = 1.0;
  }
  const bool turned = side_ == Side::below || (side_ == Side::both && foot.distance < 0.0);
  return turned ? Foot{-foot.distance, -1.0 * foot.normal} : foot;
}

}  // namespace sterna::md
