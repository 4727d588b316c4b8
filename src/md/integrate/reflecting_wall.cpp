#include "md/integrate/reflecting_wall.hpp"

namespace sterna::md {

void ReflectingWall::reflect(ParticleStore& particles, const Box& box, double timestep) const {
  // After a reflection a particle may be on the surface; rounding must not count it as having
  // crossed.
  const double rounding = 1e-12 * (box.length.x + box.length.y + box.length.z);
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    if (!where_.contains(particles.position[i], box)) continue;
    const Vec3 place = surface_.nearest(particles.position[i].vector(), box);
    Vec3& velocity = particles.velocity[i];
    const WallSurface::Foot now = surface_.foot(place);
    const double before = surface_.foot(place - timestep * velocity).distance;
    const double outwards = dot(velocity, now.normal);
    const bool fell = side_ != WallSurface::Side::below && now.distance < 0.0 &&
                      before >= -rounding && outwards < 0.0;
    const bool rose = side_ != WallSurface::Side::above && now.distance > 0.0 &&
                      before <= rounding && outwards > 0.0;
    if (!fell && !rose) continue;
    const Vec3 back = (-2.0 * now.distance) * now.normal;
    Position& position = particles.position[i];
    position.x += back.x;
    position.y += back.y;
    position.z += back.z;
    velocity -= (2.0 * outwards) * now.normal;
  }
}

}  // namespace sterna::md
