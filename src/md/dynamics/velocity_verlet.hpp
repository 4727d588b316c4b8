#pragma once

#include <optional>
#include <span>
#include <vector>

#include "md/dynamics/rigid_rotor.hpp"
#include "md/particles/particle_store.hpp"

namespace sterna::md {

/// Velocity Verlet (Swope et al., J. Chem. Phys. 76, 637 (1982)):
/// v += dt/2 f/m, x += dt v, new forces, v += dt/2 f/m; and with it the rotation of those that
/// rotate. What is said of velocities below is meant of angular momenta, too.
/// The second half kick of a step and the first of the next are done in one pass over the
/// particles unless somebody looks at the velocities in between; the result has the same bits.
class VelocityVerlet {
 public:
  /// `masses`: by type. `rotor`: where the stores that come rotate.
  VelocityVerlet(double timestep, std::span<const double> masses,
                 std::optional<RigidRotor> rotor = std::nullopt);

  /// Finishes the last step's kick if that is still to do, then kicks and drifts.
  void start_step(ParticleStore& particles);
  /// Says that forces at the new positions are there.
  void finish_step() { kick_pending_ = true; }
  /// Brings the velocities to the time of the positions.
  void complete_velocities(ParticleStore& particles);
  /// Says that velocities and forces are of the same time, as at the start of a run.
  void forces_are_those_of_a_start() { kick_pending_ = false; }

  double timestep() const { return timestep_; }

 private:
  template <bool pending>
  void kick_and_drift(ParticleStore& particles) const;

  double timestep_;
  std::vector<double> half_kick_;  ///< dt / (2 m) by type
  std::optional<RigidRotor> rotor_;
  bool kick_pending_ = false;
};

/// Largest speed, and largest acceleration, of a local particle. `masses`: by type.
double largest_speed(const ParticleStore& particles);
double largest_acceleration(const ParticleStore& particles, std::span<const double> masses);

}  // namespace sterna::md
