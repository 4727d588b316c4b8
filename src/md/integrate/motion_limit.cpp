#include "md/integrate/motion_limit.hpp"

#include <cmath>

namespace sterna::md {
namespace {

/// Shortens the vector if it is longer than the limit, and returns whether it was. A vector that
/// was shortened once is not shortened again because of rounding, so a resumed run keeps its bits.
bool shorten(Vec3& vector, double limit) {
  const double length = std::sqrt(dot(vector, vector));
  if (!(length > limit * (1.0 + 1e-14))) return false;
  vector *= limit / length;
  return true;
}

}  // namespace

bool MotionLimit::acts_on(const Position& position, const Box& box) const {
  if (!where_.contains_type(position.type)) return false;
  return where_.contains(position, box) != outside_;
}

void MotionLimit::limit_forces(ParticleStore& particles, const Box& box) const {
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    if (!acts_on(particles.position[i], box)) continue;
    const bool overlap = shorten(particles.force[i], limits_.force);
    if (overlap || !limits_.overlaps_only) shorten(particles.velocity[i], limits_.velocity);
    if (!particles.turns(i)) continue;
    const bool twisted = shorten(particles.torque[i], limits_.torque);
    if (twisted || !limits_.overlaps_only) {
      shorten(particles.angular_momentum[i], limits_.angular_momentum);
    }
  }
}

void MotionLimit::limit_velocities(ParticleStore& particles, const Box& box) const {
  if (limits_.overlaps_only) return;
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    if (!acts_on(particles.position[i], box)) continue;
    shorten(particles.velocity[i], limits_.velocity);
    if (particles.turns(i)) shorten(particles.angular_momentum[i], limits_.angular_momentum);
  }
}

}  // namespace sterna::md
