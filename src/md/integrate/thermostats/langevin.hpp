#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "md/core/box.hpp"
#include "md/core/random.hpp"
#include "md/integrate/rigid_rotor.hpp"
#include "md/integrate/thermostats/selected_motion.hpp"
#include "md/system/particle_store.hpp"

namespace sterna::md {

/// Langevin dynamics. Idea: friction and noise on each molecule, solved exactly for the time
/// between two steps of velocity Verlet (an Ornstein-Uhlenbeck process of each velocity). Paper:
/// Bussi, Parrinello, Phys. Rev. E 75, 056707 (2007); their two half steps of friction are joined
/// into one here, which is the same motion seen half a friction step later. Cost: six random
/// numbers per molecule and step, no communication. Hazards: momentum is not conserved, so friction
/// changes diffusion and viscosity. Another wins: stochastic velocity rescaling, which hardly
/// changes the dynamics.
///
/// The random numbers are keyed by molecule and step, so the noise does not depend on the ranks.
class Langevin {
 public:
  /// `friction`: 1 / time, with dv/dt = ... - friction v. `masses` and `bodies` (empty if nothing
  /// rotates): by type. `motion`: what it acts on.
  Langevin(std::uint64_t seed, double thermal_energy, double friction,
           std::span<const double> masses, std::span<const RigidBody> bodies,
           const SelectedMotion& motion = {});

  /// Changes velocities and angular momenta by friction and noise in `interval` of time; returns
  /// the energy that this rank's particles gained.
  double apply(ParticleStore& particles, const Box& box, double interval, std::int64_t step) const;

  /// Sets kT from now on.
  void set_thermal_energy(double thermal_energy) { thermal_energy_ = thermal_energy; }

 private:
  RandomStream stream_;
  double thermal_energy_;
  double friction_;
  std::vector<double> masses_;
  std::vector<RigidBody> bodies_;
  SelectedMotion motion_;
};

}  // namespace sterna::md
