#pragma once

#include <array>
#include <cmath>

#include "md/core/vector.hpp"

namespace sterna::md {

/// A rotation from the body frame of a molecule to the laboratory frame, as a unit quaternion.
struct Quaternion {
  double w = 1.0, x = 0.0, y = 0.0, z = 0.0;

  friend bool operator==(const Quaternion&, const Quaternion&) = default;

  double norm_squared() const { return w * w + x * x + y * y + z * z; }
  Quaternion normalized() const {
    const double s = 1.0 / std::sqrt(norm_squared());
    return {w * s, x * s, y * s, z * s};
  }
  Quaternion conjugate() const { return {w, -x, -y, -z}; }
  /// The rotation `o` followed by `a`.
  friend Quaternion operator*(const Quaternion& a, const Quaternion& o) {
    return {a.w * o.w - a.x * o.x - a.y * o.y - a.z * o.z,
            a.w * o.x + a.x * o.w + a.y * o.z - a.z * o.y,
            a.w * o.y - a.x * o.z + a.y * o.w + a.z * o.x,
            a.w * o.z + a.x * o.y - a.y * o.x + a.z * o.w};
  }

  /// Rows of the rotation matrix: laboratory = matrix * body.
  std::array<Vec3, 3> matrix() const {
    return {Vec3{w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)},
            Vec3{2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)},
            Vec3{2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z}};
  }
  Vec3 to_lab(const Vec3& body) const {
    const auto m = matrix();
    return {dot(m[0], body), dot(m[1], body), dot(m[2], body)};
  }
  Vec3 to_body(const Vec3& lab) const { return conjugate().to_lab(lab); }
};

}  // namespace sterna::md
