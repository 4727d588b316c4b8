#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "md/system/particle_store.hpp"

namespace sterna::md {

/// Minimization of the potential energy by FIRE (Bitzek et al., Phys. Rev. Lett. 97, 170201
/// (2006)): damped dynamics whose velocity is turned towards the force while it goes downhill and
/// stopped when it goes uphill; step size adapts. Parameters as published; all masses are 1 in
/// it. The sums over particles are given by the caller, who adds them over all ranks.
///
/// Of rigid bodies the orientations are minimized as well: an angle counts as the path of a point
/// at the body's radius of gyration, so a torque is a force there, and what the store keeps as
/// angular momentum is the velocity of such a point.
class FireMinimizer {
 public:
  /// `largest_timestep` in units of sqrt(length / force); `maximum_displacement` of a particle in
  /// one step.
  /// `radii`: of gyration, by type, of particles that rotate; 0: does not. Empty: none rotates.
  FireMinimizer(double first_timestep, double largest_timestep, double maximum_displacement,
                std::span<const double> radii = {});

  struct Sums {
    double power = 0.0;             ///< sum f.v
    double velocity_squared = 0.0;  ///< sum v.v
    double force_squared = 0.0;     ///< sum f.f
    /// Largest component of a force, or of a torque over the radius (a maximum, not a sum).
    double largest_force = 0.0;
    void add(const Vec3& force, const Vec3& velocity);
  };
  Sums local_sums(const ParticleStore& particles) const;
  /// One step from forces at the present positions and the sums over all ranks.
  void step(ParticleStore& particles, const Sums& sums);

  /// Particles have moved by so many times their velocities in the last step.
  double timestep() const { return timestep_; }
  /// No step size is larger.
  double largest_timestep() const { return largest_timestep_; }
  double maximum_displacement() const { return maximum_displacement_; }

  /// What a checkpoint must keep besides the velocities, and the way back.
  std::vector<double> state() const {
    return {timestep_, mixing_, static_cast<double>(downhill_steps_)};
  }
  void set_state(const std::vector<double>& state) {
    timestep_ = state.at(0);
    mixing_ = state.at(1);
    downhill_steps_ = static_cast<int>(state.at(2));
  }

 private:
  double radius_of(const ParticleStore& particles, std::size_t i) const;

  double timestep_;
  double largest_timestep_;
  double maximum_displacement_;
  std::vector<double> radii_;
  double mixing_ = 0.1;
  int downhill_steps_ = 0;
};

}  // namespace sterna::md
