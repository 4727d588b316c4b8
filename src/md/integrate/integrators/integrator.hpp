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

/// What a step does for its integrator while that moves the particles. An integrator's `advance`
/// calls these stages in the order in which its paper has them.
class MotionStages {
 public:
  /// Moves the local particles [begin, end).
  using Part = std::function<void(std::size_t begin, std::size_t end)>;

  /// Before particles drift: constraints note how their atoms lie.
  virtual void begin_drift() = 0;
  /// The last drift of a step: calls `move` for all local particles, some at a time, and looks at
  /// each part while it is in the near caches.
  virtual void for_each_part(const Part& move) = 0;
  /// After particles drifted by their velocities for this time: constraints correct positions and
  /// velocities.
  virtual void end_drift(double time) = 0;
  /// Between two drifts: thermostats act, and constraints are taken off velocities again.
  virtual void apply_thermostats() = 0;

  /// The number of the step, for messages.
  virtual std::int64_t step() const = 0;

 protected:
  ~MotionStages() = default;
};

/// Moves the particles from one step to the next. A run has one of them, and the step loop knows it
/// by this interface alone. Every function is collective.
///
/// A step of the loop is: `advance`, new lists where they are due, forces, `finish_step`, and the
/// step modifiers. What `finish_step` announces may be done later, in one pass with the next
/// `advance`: `complete_velocities` does it at once, for those who look at velocities.
///
/// A new integrator is one file with a row, and one line of integrator_list.inc.
class Integrator {
 public:
  virtual ~Integrator() = default;
  Integrator(const Integrator&) = delete;
  Integrator& operator=(const Integrator&) = delete;

  /// Moves the local particles from the positions of the last step to those of this one, by the
  /// forces of the last one.
  virtual void advance(ParticleStore& particles, MotionStages& stages) = 0;
  /// Says that forces at the new positions are there.
  virtual void finish_step() {}
  /// Brings the velocities to the time of the positions. Returns whether they were not.
  virtual bool complete_velocities(ParticleStore&) { return false; }
  /// Says that velocities and forces are of the same time, as at the start of a run.
  virtual void reset_pending_kick() {}
  /// With every computation of forces: what acts on velocities beside them, where some forces are
  /// left out in some steps. Where there are impulses, velocities must be completed before the next
  /// `advance`.
  virtual void set_impulses(const Impulses&) {}
  /// After a rebuild of the lists: the local particles are others, or in another order.
  virtual void particles_were_sorted() {}

  /// Whether particles may move one by one, each as soon as its own forces are there. The loop then
  /// may call `begin_move`, `move` for parts of the local particles, and `end_move` in place of
  /// `advance`, while the forces of other particles are still put together.
  virtual bool moves_in_parts() const { return false; }
  virtual void begin_move(ParticleStore&) {}
  virtual void move(ParticleStore&, std::size_t /*begin*/, std::size_t /*end*/) {}
  virtual void end_move(ParticleStore&) {}

  /// Whether the next positions follow from velocities and forces alone.
  virtual bool forces_tell_motion() const { return false; }
  /// Of the local particles in the last `advance`: the length of the longest path, and the most that
  /// a path changes by from one step to the next under the forces of then.
  double longest_path() const { return longest_path_; }
  double longest_gain() const { return longest_gain_; }
  /// After a drift others have moved particles: by paths of this length, changed by this much.
  void account_for(double path, double gain) {
    longest_path_ = earlier_path_ + std::max(longest_path_ - earlier_path_, path);
    longest_gain_ += gain;
  }

  /// Null where velocities are those of a motion in time.
  virtual Minimizer* minimizer() { return nullptr; }
  /// What a checkpoint keeps besides positions and velocities, and the way back.
  virtual std::vector<double> state() const { return {}; }
  virtual void set_state(const std::vector<double>&) {}

 protected:
  Integrator() = default;

  /// A step begins whose paths change by so much.
  void begin_paths(double gain) {
    longest_path_ = earlier_path_ = 0.0;
    longest_gain_ = gain;
  }
  /// One more drift, by paths of this length.
  void add_path(double path) {
    earlier_path_ = longest_path_;
    longest_path_ += path;
  }

 private:
  double longest_path_ = 0.0, earlier_path_ = 0.0;  ///< of the step, and of its drifts but the last
  double longest_gain_ = 0.0;
};

}  // namespace sterna::md
