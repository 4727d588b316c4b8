#include "md/fmm/point_charges.hpp"

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

}  // namespace sterna::md
