#include "md/forces/coulomb/fmm/point_charges.hpp"

#include <cmath>

namespace sterna::md {

Lattice Lattice::reciprocal() const {
  const double scale = 1.0 / volume();
  return {scale * cross(b, c), scale * cross(c, a), scale * cross(a, b)};
}

double Lattice::width(int axis) const {
  const Vec3 normal = reciprocal()[axis];
  return 1.0 / std::sqrt(dot(normal, normal));
}

std::array<double, 6> symmetric_part(const VirialProducts& p) {
  return {p[0], p[4], p[8], 0.5 * (p[1] + p[3]), 0.5 * (p[2] + p[6]), 0.5 * (p[5] + p[7])};
}

}  // namespace sterna::md
