#pragma once

#include <array>
#include <cstddef>

#include "md/core/box.hpp"
#include "md/core/vector.hpp"

namespace sterna::md {

/// The order of the components of tensors and deformations is xx yy zz xy xz yz.
using Tensor = std::array<double, 6>;

/// A linear map that keeps the form of a box, whose edges are (l, 0, 0), (xy, l, 0), (xz, yz, l):
/// x' = xx x + xy y + xz z, y' = yy y + yz z, z' = zz z.
struct Deformation {
  Tensor parts{1.0, 1.0, 1.0, 0.0, 0.0, 0.0};

  static Deformation stretch(double x, double y, double z) { return {{x, y, z, 0.0, 0.0, 0.0}}; }
  /// exp(strain) by its power series, exact to rounding for components below 1.
  static Deformation exponential(const Tensor& strain) {
    Deformation sum, power;
    for (int n = 1; n <= 20; ++n) {
      power = Deformation{strain} * power;
      for (double& part : power.parts) part /= n;
      for (std::size_t k = 0; k < 6; ++k) sum.parts[k] += power.parts[k];
    }
    return sum;
  }

  bool is_identity() const { return parts == Deformation().parts; }
  bool has_shear() const { return parts[3] != 0.0 || parts[4] != 0.0 || parts[5] != 0.0; }
  Vec3 operator()(const Vec3& v) const {
    if (!has_shear()) return {v.x * parts[0], v.y * parts[1], v.z * parts[2]};
    return {v.x * parts[0] + v.y * parts[3] + v.z * parts[4], v.y * parts[1] + v.z * parts[5],
            v.z * parts[2]};
  }
  Deformation operator*(const Deformation& first) const {
    const auto& [xx, yy, zz, xy, xz, yz] = parts;
    const Tensor& f = first.parts;
    return {{xx * f[0], yy * f[1], zz * f[2], xx * f[3] + xy * f[1],
             xx * f[4] + xy * f[5] + xz * f[2], yy * f[5] + yz * f[2]}};
  }
  Deformation inverse() const {
    const auto& [xx, yy, zz, xy, xz, yz] = parts;
    return {{1.0 / xx, 1.0 / yy, 1.0 / zz, -xy / (xx * yy), (xy * yz / yy - xz) / (xx * zz),
             -yz / (yy * zz)}};
  }
  /// The deformed box.
  Box operator()(const Box& box) const {
    const Tilt& tilt = box.tilt;
    const Vec3 b = (*this)(Vec3{tilt.xy, box.length.y, 0.0});
    const Vec3 c = (*this)(Vec3{tilt.xz, tilt.yz, box.length.z});
    return {{box.length.x * parts[0], b.y, c.z}, {b.x, c.x, c.y}};
  }
  /// D t D^T for a symmetric tensor t: the new value of sum v_a v_b after all v are deformed by D.
  Tensor transformed(const Tensor& t) const {
    const auto& [xx, yy, zz, xy, xz, yz] = parts;
    const Vec3 row_x{xx * t[0] + xy * t[3] + xz * t[4], xx * t[3] + xy * t[1] + xz * t[5],
                     xx * t[4] + xy * t[5] + xz * t[2]};
    const Vec3 row_y{0.0, yy * t[1] + yz * t[5], yy * t[5] + yz * t[2]};
    return {xx * row_x.x + xy * row_x.y + xz * row_x.z,
            yy * row_y.y + yz * row_y.z,
            zz * zz * t[2],
            yy * row_x.y + yz * row_x.z,
            zz * row_x.z,
            zz * row_y.z};
  }
};

}  // namespace sterna::md
