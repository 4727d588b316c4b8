// SETTLE, written once over vectors of doubles and compiled once for each instruction set.
//
// Idea:    constraint forces lie in the plane of the triangle at the begin of the step, and exert
//          no total torque. In coordinates of this plane the turned triangle follows from three
//          angles, one after another. Each lane has a triangle of the same shape.
// Source:  Miyamoto and Kollman, J. Comput. Chem. 13, 952 (1992), appendix; names of coordinates
//          and angles are theirs.
// Cost:    some 200 operations and seven roots, independent of the tolerance.
// Hazards: both atoms at the base must have the same mass.
// Others:  SHAKE, for all other groups.

#include "md/integrate/kernels/settle_kernels.hpp"
#include "md/simd/triple.hpp"
#include "md/simd/vectors.hpp"

namespace sterna::md {
namespace {

using Numbers = Vector<double>;

/// Solves the triangles from `lane` on, as many as a vector holds.
void settle(const SettleShape& shape, SettleWork& work, std::size_t lane) {
  const Triple leg_b = Triple::load_from(work.before, lane);
  const Triple leg_c = Triple::load_from(work.before + 3, lane);
  const Triple moved_b = Triple::load_from(work.moved, lane);
  const Triple moved_c = Triple::load_from(work.moved + 3, lane);
  // Positions relative to the center of mass.
  const Triple a1 = all<double>(-shape.base_share) * (moved_b + moved_c);
  const Triple b1 = moved_b + a1, c1 = moved_c + a1;
  // z is normal to the plane, and the apex is on the positive y axis.
  const Triple normal = cross_of(leg_b, leg_c), across = cross_of(a1, normal);
  const Triple z = unit(normal), x = unit(across), y = unit(cross_of(normal, across));
  const Numbers xb0 = dot_of(x, leg_b), yb0 = dot_of(y, leg_b);
  const Numbers xc0 = dot_of(x, leg_c), yc0 = dot_of(y, leg_c);
  const Numbers za1 = dot_of(z, a1);
  const Numbers xb1 = dot_of(x, b1), yb1 = dot_of(y, b1), zb1 = dot_of(z, b1);
  const Numbers xc1 = dot_of(x, c1), yc1 = dot_of(y, c1), zc1 = dot_of(z, c1);

  // If an angle does not exist, its cosine and all results are NaN.
  const Numbers sin_phi = za1 / shape.apex_height;
  const Numbers cos_phi = square_root(1.0 - sin_phi * sin_phi);
  const Numbers sin_psi = (zb1 - zc1) / (2.0 * shape.half_base * cos_phi);
  const Numbers cos_psi = square_root(1.0 - sin_psi * sin_psi);
  const Numbers ya2 = shape.apex_height * cos_phi;
  const Numbers xb2 = -shape.half_base * cos_psi;
  const Numbers yb2 = -shape.base_height * cos_phi - shape.half_base * sin_psi * sin_phi;
  const Numbers yc2 = -shape.base_height * cos_phi + shape.half_base * sin_psi * sin_phi;

  const Numbers alpha = xb2 * (xb0 - xc0) + yb0 * yb2 + yc0 * yc2;
  const Numbers beta = xb2 * (yc0 - yb0) + xb0 * yb2 + xc0 * yc2;
  const Numbers gamma = xb0 * yb1 - xb1 * yb0 + xc0 * yc1 - xc1 * yc0;
  const Numbers square = alpha * alpha + beta * beta;
  const Numbers root = square_root(square - gamma * gamma);
  const Numbers sin_theta = (alpha * gamma - beta * root) / square;
  const Numbers cos_theta = (beta * gamma + alpha * root) / square;

  const auto at = [&](const Numbers& along_x, const Numbers& along_y, const Numbers& along_z) {
    return (cos_theta * along_x - sin_theta * along_y) * x +
           (sin_theta * along_x + cos_theta * along_y) * y + along_z * z;
  };
  (at(Numbers{}, ya2, za1) - a1).store_to(work.shifts, lane);
  (at(xb2, yb2, zb1) - b1).store_to(work.shifts + 3, lane);
  (at(-xb2, yc2, zc1) - c1).store_to(work.shifts + 6, lane);
}

void compute(const SettleShape& shape, SettleWork& work) {
  for (std::size_t lane = 0; lane < triangles_together; lane += lanes<double>) {
    settle(shape, work, lane);
  }
}

constexpr SettleKernels kernels{STERNA_KERNEL_NAME, compute};

}  // namespace
}  // namespace sterna::md
