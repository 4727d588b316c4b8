#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "md/integrate/impulses.hpp"
#include "md/integrate/rigid_rotor.hpp"
#include "md/system/particle_store.hpp"

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

  /// Finishes the last step's kick if that is still to do, then kicks and drifts: `begin_move`,
  /// `move`, `end_move`.
  void start_step(ParticleStore& particles);
  /// The same in parts, each of which may come as soon as forces of its particles are there.
  void begin_move(ParticleStore& particles);
  void move(ParticleStore& particles, std::size_t begin, std::size_t end);
  void end_move(ParticleStore& particles);
  /// Says that forces at the new positions are there.
  void finish_step() { kick_pending_ = true; }
  /// With every computation of forces: what both of their half kicks give beside them, of the same
  /// memory until the next call. Where there are impulses, velocities must be completed before the
  /// next move.
  void set_impulses(const Impulses& impulses) { impulses_ = impulses; }
  /// Brings the velocities to the time of the positions. Returns whether they were not.
  bool complete_velocities(ParticleStore& particles);
  /// Says that velocities and forces are of the same time, as at the start of a run.
  void forces_are_those_of_a_start() { kick_pending_ = false; }

  /// Others have moved particles after `end_move`: by paths of this length, changed by this much.
  void account_for(double path, double gain) {
    longest_path_ = std::max(longest_path_, path);
    longest_gain_ += gain;
  }

  double timestep() const { return timestep_; }
  /// Lengths, of the local particles in the last `start_step`: the longest path, and the most that
  /// a path changes by from one step to the next under the forces of then.
  double longest_path() const { return longest_path_; }
  double longest_gain() const { return longest_gain_; }

 private:
  template <bool pending>
  void kick_and_drift(ParticleStore& particles, std::size_t begin, std::size_t end);
  /// Half a kick by the impulses; returns the square of the largest one.
  double kick_by_impulses(ParticleStore& particles) const;

  double timestep_;
  std::vector<double> half_kick_;  ///< dt / (2 m) by type
  std::optional<RigidRotor> rotor_;
  double largest_speed_ = 0.0, largest_kick_ = 0.0;  ///< squared, of the particles moved so far
  double longest_path_ = 0.0, longest_gain_ = 0.0;
  bool kick_pending_ = false;
  Impulses impulses_;
  double largest_impulse_ = 0.0;  ///< velocity of half a kick, of the last impulses
};

}  // namespace sterna::md
