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

/// Langevin dynamics. Idea: friction and noise on each molecule, solved exactly for the time
/// between two steps of velocity Verlet (an Ornstein-Uhlenbeck process of each velocity). Paper:
/// Bussi, Parrinello, Phys. Rev. E 75, 056707 (2007); their two half steps of friction are one
/// here, which is the same motion seen half a friction step later. Cost: six random numbers a
/// molecule and step, no communication. Hazards: momentum is not kept, so that diffusion and
/// viscosity are those of the friction. Another wins: stochastic velocity rescaling, which leaves
/// the dynamics nearly alone.
///
/// The numbers are keyed by molecule and step: the noise does not depend on the ranks.
class Langevin {
 public:
  /// `friction`: 1 / time, of the velocities: dv/dt = ... - friction v. `masses` and `bodies`
  /// (empty where nothing rotates) by type. `where`: the molecules that feel it.
  Langevin(std::uint64_t seed, double thermal_energy, double friction,
           std::span<const double> masses, std::span<const RigidBody> bodies,
           const Selection& where = {});

  /// Velocities and angular momenta after `interval` of time; returns the energy that this rank's
  /// particles took up.
  double apply(ParticleStore& particles, const Box& box, double interval, std::int64_t step) const;

  /// kT from now on.
  void set_thermal_energy(double thermal_energy) { thermal_energy_ = thermal_energy; }

 private:
  RandomStream stream_;
  double thermal_energy_;
  double friction_;
  std::vector<double> masses_;
  std::vector<RigidBody> bodies_;
  Selection where_;
};

}  // namespace sterna::md
