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

/// The building blocks of integrators of Newton's equations: half kicks by the forces, v += dt/2
/// f/m, and drifts, x += t v, each with the rotation of particles that rotate. Velocities here
/// include angular momenta.
///
/// The second half kick of a step and the first of the next are done in one pass over the
/// particles, unless other code reads the velocities in between; the result has the same bits.
class KicksAndDrifts : public Integrator {
 public:
  void finish_step() override { kick_is_pending_ = true; }
  bool complete_velocities(ParticleStore& particles) override;
  void reset_pending_kick() override { kick_is_pending_ = false; }
  void set_impulses(const Impulses& impulses) override { impulses_ = impulses; }

  /// A pending half kick, if there is one, this step's first half kick, and a drift.
  void begin_move(ParticleStore& particles) override;
  void move(ParticleStore& particles, std::size_t begin, std::size_t end) override;
  void end_move(ParticleStore& particles) override;

  double timestep() const { return timestep_; }

 protected:
  /// `masses`: by type. `rotor`: set if the stores rotate. `first_drift`: the time of the drift
  /// that follows the kicks.
  KicksAndDrifts(double timestep, double first_drift, std::span<const double> masses,
                 std::optional<RigidRotor> rotor);

  /// Lets all local particles drift, and rotate, for this time.
  void drift(ParticleStore& particles, double time, MotionStages& stages);

 private:
  template <bool pending>
  void kick_and_drift(ParticleStore& particles, std::size_t begin, std::size_t end);
  /// Half a kick by the impulses; returns the square of the largest change of velocity.
  double kick_by_impulses(ParticleStore& particles) const;

  double timestep_, first_drift_;
  std::vector<double> half_kick_;  ///< dt / (2 m) by type
  std::optional<RigidRotor> rotor_;
  double largest_speed_ = 0.0, largest_kick_ = 0.0;  ///< squared, of the particles moved so far
  bool kick_is_pending_ = false;
  Impulses impulses_;
  double largest_impulse_ = 0.0;  ///< largest change of velocity by half a kick of the impulses
};

}  // namespace sterna::md
