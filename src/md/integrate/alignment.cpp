#include "md/integrate/alignment.hpp"

#include <cmath>

namespace sterna::md {

std::array<double, 4> Alignment::measure(const ParticleStore& particles, const Box& box) const {
  std::array<double, 4> sums{};
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    const double mass = masses_[static_cast<std::size_t>(particles.position[i].type)];
    int image[3];
    const Vec3 place = box.wrap(particles.position[i].vector(), image);
    sums[0] += mass;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      sums[1 + axis] += mass * place[static_cast<int>(axis)];
    }
  }
  return sums;
}

Vec3 Alignment::shift(const std::array<double, 4>& sums, const Box& box) const {
  Vec3 shift;
  if (!(sums[0] > 0.0)) return shift;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!axes_[axis]) continue;
    const double center = sums[1 + axis] / sums[0];
    const int k = static_cast<int>(axis);
    shift[k] = part_ * (0.5 * box.length[k] - center);
  }
  const double length = std::sqrt(dot(shift, shift));
  if (length > longest_) shift *= longest_ / length;
  return shift;
}

}  // namespace sterna::md
