#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "md/core/box.hpp"
#include "md/core/random.hpp"
#include "md/integrate/rigid_rotor.hpp"
#include "md/system/particle_store.hpp"
#include "md/system/selection.hpp"

namespace sterna::md {

/// Andersen's thermostat. Idea: molecules collide with a heat bath at random times; a collision
/// draws new velocities and angular momenta from the Maxwell distribution. Paper: Andersen, J.
/// Chem. Phys. 72, 2384 (1980). Cost: one random number a molecule and step, no communication.
/// Hazards: momentum is not kept, so that diffusion and viscosity are those of the collisions.
/// Another wins: stochastic velocity rescaling, which leaves the dynamics nearly alone.
///
/// The numbers are keyed by molecule and step: the collisions do not depend on the ranks. Atoms that
/// constraints join collide together: new velocities of all of them, less what changes a distance,
/// are those of the Maxwell distribution, and those of one of them are not.
class Andersen {
 public:
  /// `rate`: collisions of a molecule per time. `masses` and `bodies` (empty where nothing rotates)
  /// by type. `where`: the molecules that collide. `first_joined_to`: of the atoms that collide
  /// together with the one of an id, the first id; empty: each collides alone.
  Andersen(std::uint64_t seed, double thermal_energy, double rate, std::span<const double> masses,
           std::span<const RigidBody> bodies, const Selection& where = {},
           std::function<std::int64_t(std::int64_t)> first_joined_to = {});

  /// Velocities and angular momenta after `interval` of time, in which a molecule collides with
  /// probability 1 - exp(-rate * interval). Returns the energy that this rank's particles took up.
  double apply(ParticleStore& particles, const Box& box, double interval, std::int64_t step) const;

  /// kT from now on.
  void set_thermal_energy(double thermal_energy) { thermal_energy_ = thermal_energy; }

 private:
  RandomStream stream_;
  double thermal_energy_;
  double rate_;
  std::vector<double> masses_;
  std::vector<RigidBody> bodies_;
  Selection where_;
  std::function<std::int64_t(std::int64_t)> first_joined_to_;
};

}  // namespace sterna::md
