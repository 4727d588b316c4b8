#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "md/integrate/impulses.hpp"
#include "md/integrate/integrators/integrator.hpp"
#include "md/integrate/rigid_rotor.hpp"
#include "md/system/particle_store.hpp"

namespace sterna::md {

/// What integrators of Newton's equations are made from: half kicks by the forces, v += dt/2 f/m,
/// and drifts, x += t v, and with them the rotation of those that rotate. What is said of velocities
/// is meant of angular momenta, too.
///
/// The second half kick of a step and the first of the next are done in one pass over the particles
/// unless somebody looks at the velocities in between; the result has the same bits.
class KicksAndDrifts : public Integrator {
 public:
  void finish_step() override { kick_is_pending_ = true; }
  bool complete_velocities(ParticleStore& particles) override;
  void reset_pending_kick() override { kick_is_pending_ = false; }
  void set_impulses(const Impulses& impulses) override { impulses_ = impulses; }

  /// The pending half kick, if there is one, the first of this step, and a drift.
  void begin_move(ParticleStore& particles) override;
  void move(ParticleStore& particles, std::size_t begin, std::size_t end) override;
  void end_move(ParticleStore& particles) override;

  double timestep() const { return timestep_; }

 protected:
  /// `masses`: by type. `rotor`: where the stores that come rotate. `first_drift`: the time of the
  /// drift that follows the kicks.
  KicksAndDrifts(double timestep, double first_drift, std::span<const double> masses,
                 std::optional<RigidRotor> rotor);

  /// All local particles drift, and turn, by this time.
  void drift(ParticleStore& particles, double time, MotionStages& stages);

 private:
  template <bool pending>
  void kick_and_drift(ParticleStore& particles, std::size_t begin, std::size_t end);
  /// Half a kick by the impulses; returns the square of the largest one.
  double kick_by_impulses(ParticleStore& particles) const;

  double timestep_, first_drift_;
  std::vector<double> half_kick_;  ///< dt / (2 m) by type
  std::optional<RigidRotor> rotor_;
  double largest_speed_ = 0.0, largest_kick_ = 0.0;  ///< squared, of the particles moved so far
  bool kick_is_pending_ = false;
  Impulses impulses_;
  double largest_impulse_ = 0.0;  ///< velocity of half a kick, of the last impulses
};

}  // namespace sterna::md
