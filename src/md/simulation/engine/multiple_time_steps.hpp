#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "md/core/vector.hpp"
#include "md/forces/force_term.hpp"
#include "md/integrate/impulses.hpp"
#include "md/system/particle_store.hpp"

namespace sterna::md {

/// Which forces are computed in which steps, and what the rarer ones must give to the velocities
/// there for the steps in which they were left out. See multiple_time_steps.cpp.
class MultipleTimeSteps {
 public:
  /// Steps from one computation to the next, of forces of TimeScale::medium and TimeScale::slow.
  /// The second is a multiple of the first. Throws std::invalid_argument where it is not.
  MultipleTimeSteps(std::int64_t medium, std::int64_t slow);

  /// Whether some forces are left out in some steps.
  bool are_used() const { return slow_ > 1; }
  /// Whether slow parts of terms have another interval than the rest of them.
  bool divide_slow_parts() const { return slow_ > medium_; }
  /// Steps from one step that computes all forces to the next.
  std::int64_t longest() const { return slow_; }
  bool is_due(TimeScale scale, std::int64_t step) const { return step % interval(scale) == 0; }
  bool all_are_due(std::int64_t step) const { return is_due(TimeScale::slow, step); }

  /// Whether the forces of a step come with impulses, of particles that there are.
  bool gives_impulses(std::int64_t step) const {
    return (medium_ > 1 && is_due(TimeScale::medium, step)) ||
           (slow_ > medium_ && is_due(TimeScale::slow, step));
  }

  /// The forces of a step are about to be computed.
  void begin() { has_forces_ = false; }
  /// `particles` have all forces of the terms of TimeScale::medium, and no others.
  void add_impulses_of_medium_terms(const ParticleStore& particles, std::int64_t step);
  /// The slow part of what one of those terms gave them.
  void add_impulses_of_slow_part(const ForceTerm::SlowForces& slow);
  /// Of the forces computed last, in the order of the local particles; valid until the next
  /// `begin`.
  Impulses impulses() const;
  /// The same forces, for those who have them act on others.
  std::span<Vec3> impulse_forces();

 private:
  std::int64_t interval(TimeScale scale) const {
    return scale == TimeScale::fast ? 1 : scale == TimeScale::medium ? medium_ : slow_;
  }

  void add(double weight, std::span<const Vec3> forces, std::span<const Vec3> torques);

  std::int64_t medium_, slow_;
  bool has_forces_ = false;
  std::vector<Vec3> forces_, torques_;
};

}  // namespace sterna::md
