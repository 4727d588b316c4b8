#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "md/core/box.hpp"
#include "md/core/random.hpp"
#include "md/integrate/rigid_rotor.hpp"
#include "md/integrate/thermostats/selected_motion.hpp"
#include "md/system/particle_store.hpp"

namespace sterna::md {

/// Andersen's thermostat. Idea: molecules collide with a heat bath at random times; a collision
/// draws new velocities and angular momenta from the Maxwell distribution. Paper: Andersen, J.
/// Chem. Phys. 72, 2384 (1980). Cost: one random number per molecule and step, no communication.
/// Hazards: momentum is not conserved, so collisions change diffusion and viscosity. Another wins:
/// stochastic velocity rescaling, which hardly changes the dynamics.
///
/// The random numbers are keyed by molecule and step, so collisions do not depend on the ranks.
/// Atoms that constraints join collide together, because only new velocities of all of them, after
/// removal of components along constraints, follow the Maxwell distribution.
class Andersen {
 public:
  /// `rate`: collisions of a molecule per time. `masses` and `bodies` (empty if nothing rotates):
  /// by type. `motion`: what collisions change. `first_joined_to`: for an id, the lowest id of
  /// the atoms that collide together with it; empty: each atom collides alone.
  Andersen(std::uint64_t seed, double thermal_energy, double rate, std::span<const double> masses,
           std::span<const RigidBody> bodies, const SelectedMotion& motion = {},
           std::function<std::int64_t(std::int64_t)> first_joined_to = {});

  /// Changes velocities and angular momenta by collisions in `interval` of time; a molecule
  /// collides with probability 1 - exp(-rate * interval). Returns the energy that this rank's
  /// particles gained.
  double apply(ParticleStore& particles, const Box& box, double interval, std::int64_t step) const;

  /// Sets kT from now on.
  void set_thermal_energy(double thermal_energy) { thermal_energy_ = thermal_energy; }

 private:
  RandomStream stream_;
  double thermal_energy_;
  double rate_;
  std::vector<double> masses_;
  std::vector<RigidBody> bodies_;
  SelectedMotion motion_;
  std::function<std::int64_t(std::int64_t)> first_joined_to_;
};

}  // namespace sterna::md
