#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "md/core/box.hpp"
#include "md/core/random.hpp"
#include "md/integrate/rigid_rotor.hpp"
#include "md/system/particle_store.hpp"
#include "md/system/selection.hpp"

namespace sterna::md {

/// Andersen's thermostat. Idea: molecules collide with a heat bath at random times; a collision
/// draws velocity and angular momentum anew from the Maxwell distribution. Paper: Andersen, J.
/// Chem. Phys. 72, 2384 (1980). Cost: one random number a molecule and step, no communication.
/// Hazards: momentum is not kept, so that diffusion and viscosity are those of the collisions.
/// Another wins: stochastic velocity rescaling, which leaves the dynamics nearly alone.
///
/// The numbers are keyed by molecule and step: the collisions do not depend on the ranks.
class Andersen {
 public:
  /// `rate`: collisions of a molecule per time. `masses` and `bodies` (empty where nothing rotates)
  /// by type. `where`: the molecules that collide.
  Andersen(std::uint64_t seed, double thermal_energy, double rate, std::span<const double> masses,
           std::span<const RigidBody> bodies, const Selection& where = {});

  /// Velocities and angular momenta after `interval` of time, in which a molecule collides with
  /// probability 1 - exp(-rate * interval). Returns the energy that this rank's particles took up.
  double apply(ParticleStore& particles, const Box& box, double interval, std::int64_t step) const;

 private:
  RandomStream stream_;
  double thermal_energy_;
  double rate_;
  std::vector<double> masses_;
  std::vector<RigidBody> bodies_;
  Selection where_;
};

}  // namespace sterna::md
