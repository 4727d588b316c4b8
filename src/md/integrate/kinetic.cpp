#include "md/integrate/kinetic.hpp"

namespace sterna::md {

KineticSums kinetic_sums(const ParticleStore& particles, std::span<const double> masses) {
  KineticSums sums;
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    const double mass = masses[static_cast<std::size_t>(particles.position[i].type)];
    const Vec3& v = particles.velocity[i];
    sums.energy += 0.5 * mass * dot(v, v);
    sums.momentum += mass * v;
  }
  return sums;
}

double rotational_energy(const ParticleStore& particles, std::span<const RigidBody> bodies) {
  double energy = 0.0;
  particles.for_each_rotor([&](std::uint32_t i) {
    energy += bodies[static_cast<std::size_t>(particles.position[i].type)].kinetic_energy(
        particles.orientation[i], particles.angular_momentum[i]);
  });
  return energy;
}

}  // namespace sterna::md
