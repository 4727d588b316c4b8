#pragma once

#include <span>

#include "md/particles/particle_store.hpp"

namespace sterna::md {

/// Sums over the local particles: kinetic energy sum m v^2 / 2 and momentum sum m v.
struct KineticSums {
  double energy = 0.0;
  Vec3 momentum;
};
KineticSums kinetic_sums(const ParticleStore& particles, std::span<const double> masses);

}  // namespace sterna::md
