// Idea:    constraint forces lie in the plane of the triangle as it was when the step began, and
//          turn it about no axis. In coordinates of that plane the turned triangle follows from
//          three angles, one after the other.
// Source:  Miyamoto and Kollman, J. Comput. Chem. 13, 952 (1992), appendix; names of coordinates
//          and angles are theirs.
// Cost:    some 200 operations and seven roots, whatever the tolerance.
// Hazards: only where both atoms at the base have the same mass.
// Others:  SHAKE, for all other groups.

#include "md/integrate/settle.hpp"

#include <cmath>

#include "md/core/cross_product.hpp"

namespace sterna::md {
namespace {

Vec3 unit(const Vec3& v) {
  return (1.0 / std::sqrt(dot(v, v))) * v;
}

}  // namespace

Settle::Settle(double apex_mass, double base_mass, double leg, double base)
    : base_share_(base_mass / (apex_mass + 2.0 * base_mass)), half_base_(0.5 * base) {
  const double height = std::sqrt(leg * leg - half_base_ * half_base_);
  apex_height_ = 2.0 * base_share_ * height;
  base_height_ = height - apex_height_;
}

std::optional<std::array<Vec3, 3>> Settle::shifts(const Legs& before, const Legs& moved) const {
  // From the center of mass.
  const Vec3 a1 = -base_share_ * (moved[0] + moved[1]);
  const Vec3 b1 = moved[0] + a1, c1 = moved[1] + a1;
  // z is normal to the plane, the apex lies above y.
  const Vec3 normal = cross(before[0], before[1]), across = cross(a1, normal);
  if (!(dot(across, across) > 0.0)) return std::nullopt;
  const Vec3 z = unit(normal), x = unit(across), y = unit(cross(normal, across));
  const double xb0 = dot(x, before[0]), yb0 = dot(y, before[0]);
  const double xc0 = dot(x, before[1]), yc0 = dot(y, before[1]);
  const double za1 = dot(z, a1);
  const double xb1 = dot(x, b1), yb1 = dot(y, b1), zb1 = dot(z, b1);
  const double xc1 = dot(x, c1), yc1 = dot(y, c1), zc1 = dot(z, c1);

  const double sin_phi = za1 / apex_height_;
  const double cos_phi_squared = 1.0 - sin_phi * sin_phi;
  if (!(cos_phi_squared > 0.0)) return std::nullopt;
  const double cos_phi = std::sqrt(cos_phi_squared);
  const double sin_psi = (zb1 - zc1) / (2.0 * half_base_ * cos_phi);
  const double cos_psi_squared = 1.0 - sin_psi * sin_psi;
  if (!(cos_psi_squared > 0.0)) return std::nullopt;
  const double ya2 = apex_height_ * cos_phi;
  const double xb2 = -half_base_ * std::sqrt(cos_psi_squared);
  const double yb2 = -base_height_ * cos_phi - half_base_ * sin_psi * sin_phi;
  const double yc2 = -base_height_ * cos_phi + half_base_ * sin_psi * sin_phi;

  const double alpha = xb2 * (xb0 - xc0) + yb0 * yb2 + yc0 * yc2;
  const double beta = xb2 * (yc0 - yb0) + xb0 * yb2 + xc0 * yc2;
  const double gamma = xb0 * yb1 - xb1 * yb0 + xc0 * yc1 - xc1 * yc0;
  const double square = alpha * alpha + beta * beta;
  const double rest = square - gamma * gamma;
  if (!(rest >= 0.0)) return std::nullopt;
  const double root = std::sqrt(rest);
  const double sin_theta = (alpha * gamma - beta * root) / square;
  const double cos_theta = (beta * gamma + alpha * root) / square;

  const auto at = [&](double along_x, double along_y, double along_z) {
    return (cos_theta * along_x - sin_theta * along_y) * x +
           (sin_theta * along_x + cos_theta * along_y) * y + along_z * z;
  };
  return std::array<Vec3, 3>{at(0.0, ya2, za1) - a1, at(xb2, yb2, zb1) - b1,
                             at(-xb2, yc2, zc1) - c1};
}

}  // namespace sterna::md
