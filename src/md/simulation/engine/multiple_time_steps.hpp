#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "md/core/vector.hpp"
#include "md/forces/force_term.hpp"
#include "md/integrate/impulses.hpp"
#include "md/system/particle_store.hpp"

namespace sterna::md {

/// Decides which forces are computed in which steps. A force that is left out in some steps is made
/// up for by impulses in the steps that compute it. See multiple_time_steps.cpp.
class MultipleTimeSteps {
 public:
  /// Intervals in steps at which forces of TimeScale::medium and TimeScale::slow are computed.
  /// Throws std::invalid_argument if the second is no multiple of the first.
  MultipleTimeSteps(std::int64_t medium, std::int64_t slow);

  /// Whether some forces are left out in some steps.
  bool are_used() const { return slow_ > 1; }
  /// Whether slow parts of terms have another interval than the rest of them.
  bool divide_slow_parts() const { return slow_ > medium_; }
  /// The interval in steps at which all forces are computed.
  std::int64_t longest() const { return slow_; }
  bool is_due(TimeScale scale, std::int64_t step) const { return step % interval(scale) == 0; }
  bool all_are_due(std::int64_t step) const { return is_due(TimeScale::slow, step); }

  /// Whether the forces of a step come with impulses, even if this rank has no particles.
  bool gives_impulses(std::int64_t step) const {
    return (medium_ > 1 && is_due(TimeScale::medium, step)) ||
           (slow_ > medium_ && is_due(TimeScale::slow, step));
  }

  /// Tells that the forces of a step are about to be computed.
  void begin() { has_forces_ = false; }
  /// `particles` must have all forces of the terms of TimeScale::medium, and no others.
  void add_impulses_of_medium_terms(const ParticleStore& particles, std::int64_t step);
  /// Adds the impulses of the slow part of a medium term.
  void add_impulses_of_slow_part(const ForceTerm::SlowForces& slow);
  /// Impulses of the forces computed last, in the order of the local particles; valid until the
  /// next `begin`.
  Impulses impulses() const;
  /// The same impulses, writable, because virtual sites pass theirs on to atoms.
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
