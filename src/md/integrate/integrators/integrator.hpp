#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "md/integrate/impulses.hpp"
#include "md/system/particle_store.hpp"

namespace sterna::md {

class Minimizer;

/// The parts of a step around the motion of particles. An integrator's `advance` calls them in the
/// order of its paper.
class MotionStages {
 public:
  /// Moves the local particles [begin, end).
  using Part = std::function<void(std::size_t begin, std::size_t end)>;

  /// To be called before particles drift; constraints store their connections.
  virtual void begin_drift() = 0;
  /// Performs the last drift of a step: calls `move` for all local particles in parts, and measures
  /// each part while it is in the near caches.
  virtual void for_each_part(const Part& move) = 0;
  /// To be called after particles drifted by their velocities for this time; constraints correct
  /// positions and velocities.
  virtual void end_drift(double time) = 0;
  /// To be called between two drifts; thermostats act, and velocities along constraints are removed
  /// again.
  virtual void apply_thermostats() = 0;

  /// The number of the step, for messages.
  virtual std::int64_t step() const = 0;

 protected:
  ~MotionStages() = default;
};

/// Moves the particles from one step to the next. A run has one integrator, and the step loop uses
/// only this interface. Every function is collective.
///
/// A step of the loop is: `advance`, new lists if they are due, forces, `finish_step`, and the step
/// modifiers. An integrator may postpone the work of `finish_step` to the next `advance`, so that
/// both take one pass. `complete_velocities` does it at once, for code that reads velocities.
///
/// A new integrator is one file with a row, and one line of integrator_list.inc.
class Integrator {
 public:
  virtual ~Integrator() = default;
  Integrator(const Integrator&) = delete;
  Integrator& operator=(const Integrator&) = delete;

  /// Moves the local particles from the positions of the last step to those of this one, by the
  /// last step's forces.
  virtual void advance(ParticleStore& particles, MotionStages& stages) = 0;
  /// Tells that forces at the new positions have been computed.
  virtual void finish_step() {}
  /// Brings the velocities to the time of the positions. Returns whether this was necessary.
  virtual bool complete_velocities(ParticleStore&) { return false; }
  /// Says that velocities and forces are of the same time, as at the start of a run.
  virtual void reset_pending_kick() {}
  /// If some forces are left out in some steps, these are the impulses that act on velocities in
  /// addition to the forces. They come with every computation of forces. If there are impulses,
  /// velocities must be completed before the next `advance`.
  virtual void set_impulses(const Impulses&) {}
  /// Called after a rebuild of the lists, which changes the set and order of local particles.
  virtual void particles_were_sorted() {}

  /// Whether particles may move one by one, as soon as their own forces are complete. The loop may
  /// then call `begin_move`, `move` for parts of the local particles, and `end_move` in place of
  /// `advance`, while forces on other particles are still being summed.
  virtual bool moves_in_parts() const { return false; }
  virtual void begin_move(ParticleStore&) {}
  virtual void move(ParticleStore&, std::size_t /*begin*/, std::size_t /*end*/) {}
  virtual void end_move(ParticleStore&) {}

  /// Whether velocities and forces alone determine the next positions.
  virtual bool forces_tell_motion() const { return false; }
  /// For the local particles in the last `advance`: the longest path, and the largest change of a
  /// path from one step to the next by the forces at that time.
  double longest_path() const { return longest_path_; }
  double longest_gain() const { return longest_gain_; }
  /// Accounts for moves by others after a drift: paths of up to this length, changed by up to
  /// `gain`.
  void account_for(double path, double gain) {
    longest_path_ = earlier_path_ + std::max(longest_path_ - earlier_path_, path);
    longest_gain_ += gain;
  }

  /// The integrator as a minimizer; null if velocities are those of a motion in time.
  virtual Minimizer* minimizer() { return nullptr; }
  /// The state for checkpoints, besides positions and velocities.
  virtual std::vector<double> state() const { return {}; }
  virtual void set_state(const std::vector<double>&) {}

 protected:
  Integrator() = default;

  /// Begins a step whose paths change by up to `gain`.
  void begin_paths(double gain) {
    longest_path_ = earlier_path_ = 0.0;
    longest_gain_ = gain;
  }
  /// Adds a drift by paths of up to this length.
  void add_path(double path) {
    earlier_path_ = longest_path_;
    longest_path_ += path;
  }

 private:
  double longest_path_ = 0.0, earlier_path_ = 0.0;  ///< of the step; of its drifts but the last
  double longest_gain_ = 0.0;
};

}  // namespace sterna::md
