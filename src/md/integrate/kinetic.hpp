#pragma once

#include <span>

#include "md/integrate/rigid_rotor.hpp"
#include "md/system/particle_store.hpp"

namespace sterna::md {

/// Sums over the local particles: kinetic energy sum m v^2 / 2 and momentum sum m v.
struct KineticSums {
  double energy = 0.0;
  Vec3 momentum;
};
KineticSums kinetic_sums(const ParticleStore& particles, std::span<const double> masses);

/// Kinetic energy of the rotation of the local particles, which must rotate; `bodies`: by type.
double rotational_energy(const ParticleStore& particles, std::span<const RigidBody> bodies);

}  // namespace sterna::md
