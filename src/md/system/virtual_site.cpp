#include "md/system/virtual_site.hpp"

#include <cmath>

#include "md/core/cross_product.hpp"

namespace sterna::md {
namespace {

using Vectors = VirtualSite::Vectors;
using Weights = VirtualSite::Weights;

Vec3 weighted(const Weights& weights, const Vectors& d) {
  Vec3 sum;
  for (std::size_t k = 0; k < weights.size(); ++k) sum += weights[k] * d[k + 1];
  return sum;
}

double inverse_length(const Vec3& v) {
  const double squared = dot(v, v);
  return squared > 0.0 ? 1.0 / std::sqrt(squared) : 0.0;
}

/// X, Y, Z = X x Y and the axes. Of vectors without a direction, which some kinds have instead of
/// Y, the axis is 0.
struct Frame {
  Frame(const VirtualSite& site, const Vectors& d)
      : x(weighted(site.x_weights, d)), y(weighted(site.y_weights, d)) {
    const Vec3 z = cross(x, y);
    inverse_x = inverse_length(x);
    inverse_z = inverse_length(z);
    ex = inverse_x * x;
    ez = inverse_z * z;
    ey = cross(ez, ex);
  }
  Vec3 x, y, ex, ey, ez;
  double inverse_x, inverse_z;
};

/// The part of a vector across a direction.
Vec3 across(const Vec3& v, const Vec3& direction) {
  return v - dot(v, direction) * direction;
}

}  // namespace

Vec3 VirtualSite::from_first(const Vectors& d) const {
  Vec3 sum = weighted(weights, d);
  if (product != 0.0) sum += product * cross(d[1], d[2]);
  if (local != Vec3{}) {
    const Frame frame(*this, d);
    sum += local.x * frame.ex + local.y * frame.ey + local.z * frame.ez;
  }
  return sum;
}

VirtualSite::Vectors VirtualSite::spread(const Vectors& d, const Vec3& force) const {
  Vectors forces{};
  const auto give = [&](std::size_t k, const Vec3& part) {
    forces[k] += part;
    forces[0] -= part;
  };
  forces[0] = force;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    if (weights[k] != 0.0) give(k + 1, weights[k] * force);
  }
  if (product != 0.0) {
    // F . (d_1 x d_2) = d_1 . (d_2 x F) = d_2 . (F x d_1)
    give(1, product * cross(d[2], force));
    give(2, product * cross(force, d[1]));
  }
  if (local != Vec3{}) {
    // Derivatives of F . (p_x e_x + p_y e_z x e_x + p_z e_z): by e_x and e_z, then by X and X x Y,
    // then by X and Y.
    const Frame frame(*this, d);
    const Vec3 by_ex = local.x * force + local.y * cross(force, frame.ez);
    const Vec3 by_ez = local.z * force + local.y * cross(frame.ex, force);
    const Vec3 by_z = frame.inverse_z * across(by_ez, frame.ez);
    const Vec3 by_x = frame.inverse_x * across(by_ex, frame.ex) + cross(frame.y, by_z);
    const Vec3 by_y = cross(by_z, frame.x);
    for (std::size_t k = 0; k < x_weights.size(); ++k) {
      give(k + 1, x_weights[k] * by_x + y_weights[k] * by_y);
    }
  }
  return forces;
}

}  // namespace sterna::md
